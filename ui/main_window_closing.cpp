// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the window closes: never over a run that trains.
#include "ui/main_window.h"

#include <QCloseEvent>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/question.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_isForcedToClose && m_bridge->service().isActive()) {
        event->ignore();
        if (!m_isQuitting)
            askBeforeClosing();
        return;
    }
    m_quietTimer.stop();
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
    const bool isTraining = !names.isEmpty();
    QString explanation = isTraining
        ? tr("\"Stop and save\" writes a checkpoint of each run and closes; every run can be continued later. \"Keep "
             "training\" minimises the window.")
        : tr("\"Stop\" keeps the points that are finished and closes. \"Keep evaluating\" minimises the window.");
    if (names.size() > 1)
        explanation = names.join(u", "_s) + u".\n\n"_s + explanation;
    question->setInformativeText(explanation);
    QPushButton *stop =
        question->addButton(isTraining ? tr("&Stop and save") : tr("&Stop"), QMessageBox::DestructiveRole);
    stop->setObjectName(u"stop-and-save"_s);
    QPushButton *keep =
        question->addButton(isTraining ? tr("&Keep training") : tr("&Keep evaluating"), QMessageBox::AcceptRole);
    keep->setObjectName(u"keep-training"_s);
    QPushButton *cancel = question->addButton(QMessageBox::Cancel);
    question->setDefaultButton(keep);
    question->setEscapeButton(cancel);
    connect(stop, &QPushButton::clicked, this, [this] {
        m_toBeSaved.clear();
        for (const run::RunId &id : m_runs->order()) {
            const run::RunSnapshot &run = m_runs->find(id)->snapshot;
            if (RunCollection::isActive(run.state) && !run.isForeign)
                m_toBeSaved.push_back(id);
        }
        quitOrderly();
    });
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
    m_quittingSince.start();
    m_quietTimer.start();
    closeWhenQuiet();
}

void MainWindow::quitAtLogout(std::chrono::milliseconds patience)
{
    quitOrderly();
    if (!m_bridge->service().isActive())
        return;
    constexpr int kLookMs = 20;
    QEventLoop loop;
    QTimer look;
    const QDeadlineTimer end(patience);
    connect(&look, &QTimer::timeout, &loop, [&] {
        if (!m_bridge->service().isActive() || end.hasExpired())
            loop.quit();
    });
    look.start(kLookMs);
    loop.exec(QEventLoop::ExcludeUserInputEvents);
}

void MainWindow::offerToForce()
{
    m_quittingSince.invalidate(); // once
    QStringList names;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (RunCollection::isActive(run->snapshot.state) && !run->snapshot.isForeign)
            names.append(run->title);
    }
    const QString waiting =
        names.isEmpty() ? tr("Some work has not ended yet.") : tr("Not stopped yet: %1.").arg(names.join(u", "_s));
    showNormal();
    m_messages->showMessage(MessageBar::Kind::Warning,
                            tr("%1 Its folder may not answer. Lookback closes when all is saved; closed at once, the "
                               "last checkpoints count, and the runs can be continued from them.")
                                .arg(waiting),
                            {{tr("&Close at once"), [this] {
                                  m_isForcedToClose = true;
                                  close();
                              }}});
}

void MainWindow::closeWhenQuiet()
{
    const auto offerInTime = [this] {
        if (m_quittingSince.isValid() && m_quittingSince.elapsed() >= m_closingPatience.count())
            offerToForce();
    };
    if (m_bridge->service().isActive()) {
        offerInTime();
        return;
    }
    QStringList lost;
    for (const run::RunId &id : m_toBeSaved) {
        const RunCollection::Run *run = m_runs->find(id);
        if (run && RunCollection::isActive(run->snapshot.state))
            return offerInTime(); // how it ended is not known here yet
        if (run && run->snapshot.state == run::RunState::Failed)
            lost.append(tr("%1: %2", "run, reason").arg(run->title, QString::fromStdString(run->snapshot.reason)));
    }
    m_quietTimer.stop();
    m_toBeSaved.clear();
    if (!lost.isEmpty()) {
        // The promise of "Stop and save" was not kept: the window stays, and the next close closes.
        m_isQuitting = false;
        showNormal();
        m_messages->showMessage(MessageBar::Kind::Error,
                                tr("Not saved. %1 Close again to leave without it.").arg(lost.join(u' ')));
        return;
    }
    close();
}

} // namespace lookback::ui
