// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/measured_figure_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/models/time_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/figure_view.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kBarUnits = 1000;
constexpr int kSideWidth = 300;

} // namespace

MeasuredFigureDialog::MeasuredFigureDialog(QWidget *parent)
    : QDialog(parent), m_form(new QFormLayout), m_view(new FigureView(this)), m_empty(new QLabel(this)),
      m_message(new QLabel(this)), m_bar(new QProgressBar(this)), m_compute(new QPushButton(tr("&Compute"), this)),
      m_cancel(new QPushButton(tr("Ca&ncel"), this))
{
    m_view->setObjectName(u"measuredFigure"_s);
    m_empty->setObjectName(u"measuredEmpty"_s);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_message->setObjectName(u"measuredMessage"_s);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_message->setMinimumHeight(3 * fontMetrics().lineSpacing());
    m_bar->setObjectName(u"measuredBar"_s);
    m_bar->setRange(0, kBarUnits);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_compute->setObjectName(u"measuredCompute"_s);
    m_cancel->setObjectName(u"measuredCancel"_s);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_export = buttons->addButton(tr("&Export…"), QDialogButtonBox::ActionRole);
    m_export->setObjectName(u"measuredExport"_s);

    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    auto *start = new QHBoxLayout;
    start->addWidget(m_compute);
    start->addWidget(m_cancel);
    start->addStretch();
    auto *sideBox = new QWidget(this);
    sideBox->setFixedWidth(kSideWidth);
    auto *side = new QVBoxLayout(sideBox);
    side->setContentsMargins({});
    side->setSpacing(8);
    side->addLayout(m_form);
    side->addLayout(start);
    side->addWidget(m_bar);
    side->addWidget(m_message);
    side->addStretch();
    side->addWidget(buttons);
    auto *chart = new QWidget(this);
    auto *stack = new QStackedLayout(chart);
    stack->addWidget(m_empty);
    stack->addWidget(m_view);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 12, 12, 12);
    row->setSpacing(12);
    row->addWidget(chart, 1);
    row->addWidget(sideBox);
    resize(980, 560);

    connect(m_compute, &QPushButton::clicked, this, &MeasuredFigureDialog::compute);
    connect(m_cancel, &QPushButton::clicked, this, &MeasuredFigureDialog::cancel);
    connect(m_export, &QPushButton::clicked, this, &MeasuredFigureDialog::exportRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    m_compute->setDefault(true);
    refreshButtons();
}

void MeasuredFigureDialog::setEmptyText(const QString &text)
{
    m_empty->setText(text);
    setTone(m_empty, Tone::Second);
}

void MeasuredFigureDialog::setBusy(bool isBusy)
{
    if (isBusy)
        m_bar->setValue(0);
    if (isBusy == m_isBusy)
        return;
    m_isBusy = isBusy;
    refreshButtons();
    Q_EMIT busyChanged(isBusy);
}

void MeasuredFigureDialog::showProgress(const Progress &progress)
{
    if (!m_isBusy)
        return;
    if (progress.total > 0)
        m_bar->setValue(static_cast<int>(
            std::clamp(static_cast<double>(progress.done) / static_cast<double>(progress.total), 0.0, 1.0)
            * kBarUnits));
    QString text = QString::fromStdString(progress.what);
    if (progress.remainingSeconds)
        text += u", "_s + tr("%1 left").arg(durationText(*progress.remainingSeconds));
    say(text, false);
}

void MeasuredFigureDialog::showFigure()
{
    std::unique_ptr<Figure> shown = figure();
    m_hasFigure = shown != nullptr;
    m_view->setFigure(std::move(shown));
    static_cast<QStackedLayout *>(m_view->parentWidget()->layout())
        ->setCurrentWidget(m_hasFigure ? static_cast<QWidget *>(m_view) : m_empty);
    refreshButtons();
}

void MeasuredFigureDialog::say(const QString &text, bool isError)
{
    m_message->setText(text);
    setTone(m_message, isError ? Tone::Wrong : Tone::Second);
}

void MeasuredFigureDialog::setProblem(const QString &problem)
{
    m_hasProblem = !problem.isEmpty();
    m_compute->setToolTip(problem);
    if (m_hasProblem)
        say(problem, true);
    else if (!m_isBusy)
        say({}, false);
    refreshButtons();
}

void MeasuredFigureDialog::done(int result)
{
    cancel(); // nobody waits for it any more
    QDialog::done(result);
}

void MeasuredFigureDialog::refreshButtons()
{
    m_compute->setEnabled(!m_hasProblem && !m_isBusy);
    if (m_compute->isEnabled())
        m_compute->setDefault(true); // a disabled button hands that on
    m_cancel->setEnabled(m_isBusy);
    m_bar->setVisible(m_isBusy);
    m_export->setEnabled(m_hasFigure);
    m_export->setToolTip(m_hasFigure ? QString() : tr("There is no figure to export yet"));
}

} // namespace lookback::ui
