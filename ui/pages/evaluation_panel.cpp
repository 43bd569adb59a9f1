// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluation_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/charts/number_text.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// "2 min left", rounded calmly; empty while not known.
QString leftText(const std::optional<double> &seconds)
{
    if (!seconds || !std::isfinite(*seconds))
        return {};
    if (*seconds >= 90)
        return EvaluationPanel::tr("%1 min left").arg(std::llround(*seconds / 60));
    const double rounded = *seconds > 20 ? std::ceil(*seconds / 10) * 10 : std::ceil(*seconds / 5) * 5;
    return EvaluationPanel::tr("%1 s left").arg(std::llround(rounded));
}

} // namespace

EvaluationPanel::EvaluationPanel(QWidget *parent)
    : QWidget(parent), m_title(new QLabel), m_left(new QLabel), m_bar(new QProgressBar),
      m_cancel(new QPushButton(tr("Cancel"))), m_detail(new QLabel)
{
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    m_title->setFont(strong);
    m_title->setObjectName(u"evaluationTitle"_s);
    m_title->setTextFormat(Qt::PlainText);
    m_left->setForegroundRole(QPalette::PlaceholderText);
    m_bar->setObjectName(u"evaluationBar"_s);
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(14);
    m_bar->setAccessibleName(tr("Progress of the evaluation"));
    m_cancel->setObjectName(u"cancelEvaluation"_s);
    m_cancel->setToolTip(tr("Stop this evaluation; finished sizes are kept"));
    m_detail->setObjectName(u"evaluationDetail"_s);
    m_detail->setWordWrap(true);
    connect(m_cancel, &QPushButton::clicked, this, [this] { Q_EMIT cancelRequested(m_job); });

    auto *head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_left);
    auto *middle = new QHBoxLayout;
    middle->addWidget(m_bar, 1);
    middle->addWidget(m_cancel);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addLayout(middle);
    layout->addWidget(m_detail);
    hide();
}

void EvaluationPanel::setEvaluations(const std::vector<run::EvaluationStatus> &evaluations,
                                     const std::function<QString(const run::RunId &)> &titleOf)
{
    const auto active =
        std::ranges::find_if(evaluations, [](const run::EvaluationStatus &status) { return !status.isQueued; });
    const auto shown = active != evaluations.end() ? active : evaluations.begin();
    if (shown == evaluations.end()) {
        if (m_job != 0)
            hide();
        m_job = 0;
        return;
    }
    m_job = shown->job;
    const QString title = titleOf(shown->run);
    m_title->setText(shown->isQueued ? tr("%1 waits for its evaluation").arg(title)
                                     : tr("Evaluating %1, step %2").arg(title, countText(shown->step)));
    m_left->setText(leftText(shown->progress.remainingSeconds));
    m_bar->setRange(0, shown->progress.total > 0 ? 1000 : 0);
    if (shown->progress.total > 0)
        m_bar->setValue(int(1000 * shown->progress.done / shown->progress.total));
    QStringList details;
    if (!shown->progress.what.empty())
        details << QString::fromStdString(shown->progress.what) + u'.';
    details << tr("Finished sizes are kept.");
    if (const std::ptrdiff_t more = std::ssize(evaluations) - 1; more > 0)
        details << tr("%n more waiting.", "evaluations", int(more));
    m_detail->setText(details.join(u' '));
    m_detail->setPalette({});
    m_detail->setForegroundRole(QPalette::PlaceholderText);
    m_bar->show();
    m_cancel->show();
    show();
}

void EvaluationPanel::showEnded(const run::EvaluationStatus &status, const QString &title)
{
    if (status.failure.empty() || m_job != 0)
        return;
    m_title->setText(tr("Evaluation of %1 failed").arg(title));
    m_left->clear();
    m_bar->hide();
    m_cancel->hide();
    m_detail->setText(QString::fromStdString(status.failure));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::forPalette(palette()).wrong);
    m_detail->setForegroundRole(QPalette::WindowText);
    m_detail->setPalette(colours);
    show();
}

} // namespace lookback::ui
