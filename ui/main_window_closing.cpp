// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window closes: never over a run that trains.
#include "ui/main_window.h"

#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>

#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/widgets/question.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_bridge->service().isActive()) {
        event->ignore();
        if (!m_isQuitting)
            askBeforeClosing();
        return;
    }
    remember();
    event->accept();
    Q_EMIT closed();
}

void MainWindow::askBeforeClosing()
{
    if (m_closeQuestion) {
        m_closeQuestion->raise();
        m_closeQuestion->activateWindow();
        return;
    }
    QStringList names;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (RunCollection::isActive(run->snapshot.state) && !run->snapshot.isForeign)
            names.append(run->title);
    }
    const QString text = names.isEmpty() ? tr("An evaluation is still running.")
        : names.size() == 1              ? tr("%1 is still training.").arg(names.front())
                                         : tr("%1 runs are still training.").arg(names.size());
    QMessageBox *question = makeQuestion(u"close-question"_s, tr("Close Lookback"), text, this);
    QString explanation = tr("\"Stop and save\" writes a checkpoint of each run and closes; every run can be continued "
                             "later. \"Keep training\" minimises the window.");
    if (names.size() > 1)
        explanation = names.join(u", "_s) + u".\n\n"_s + explanation;
    question->setInformativeText(explanation);
    QPushButton *stop = question->addButton(tr("&Stop and save"), QMessageBox::DestructiveRole);
    stop->setObjectName(u"stop-and-save"_s);
    QPushButton *keep = question->addButton(tr("&Keep training"), QMessageBox::AcceptRole);
    keep->setObjectName(u"keep-training"_s);
    QPushButton *cancel = question->addButton(QMessageBox::Cancel);
    question->setDefaultButton(keep);
    question->setEscapeButton(cancel);
    connect(stop, &QPushButton::clicked, this, &MainWindow::quitOrderly);
    connect(keep, &QPushButton::clicked, this, &QWidget::showMinimized);
    m_closeQuestion = question;
    question->open();
}

void MainWindow::quitOrderly()
{
    if (m_isQuitting)
        return;
    m_isQuitting = true;
    if (m_closeQuestion)
        m_closeQuestion->close();
    m_bridge->service().stopAll();
    refreshWork();
    m_quietTimer.start();
    closeWhenQuiet();
}

void MainWindow::closeWhenQuiet()
{
    if (m_bridge->service().isActive())
        return;
    m_quietTimer.stop();
    close();
}

} // namespace lookback::ui
