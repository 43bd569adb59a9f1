// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the list of the runs panel looks: its columns and its filter.
#include "ui/docks/runs_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <array>

#include "ui/models/runs_model.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Columns that a narrow window gives up, first to last; swatch, run, state, progress and accuracy stay.
constexpr std::array kGivenUp{RunsModel::BestStep, RunsModel::Speed,    RunsModel::Keys, RunsModel::Best,
                              RunsModel::Step,     RunsModel::TimeLeft, RunsModel::Loss};

constexpr std::array<std::pair<RunsModel::Column, int>, RunsModel::ColumnCount> kWidths{{
    {RunsModel::Shown, 32},
    {RunsModel::Curve, 44},
    {RunsModel::Name, 200},
    {RunsModel::State, 116},
    {RunsModel::Progress, 128},
    {RunsModel::TimeLeft, 168},
    {RunsModel::Step, 112},
    {RunsModel::Keys, 36},
    {RunsModel::Loss, 68},
    {RunsModel::Accuracy, 80},
    {RunsModel::Best, 68},
    {RunsModel::BestStep, 72},
    {RunsModel::Speed, 64},
}};

/// Of kWidths, which are for text of 16 px height.
int widthOf(RunsModel::Column column, const QFontMetrics &metrics)
{
    constexpr int kTextHeight = 16;
    return std::max(kWidths[column].second, kWidths[column].second * metrics.height() / kTextHeight);
}

} // namespace

void RunsPanel::buildFilter()
{
    m_filter->setObjectName(u"runs-filter"_s);
    m_filter->setAccessibleName(tr("Filter of the list of runs"));
    m_filter->setPlaceholderText(tr("Words of variant, seed, folder or state"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    auto *close = new QToolButton(m_filterBar);
    close->setIcon(icon("close"_L1));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::TabFocus);
    close->setToolTip(tr("Show all runs again"));
    close->setAccessibleName(close->toolTip());
    auto *row = new QHBoxLayout(m_filterBar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(makeFieldLabel(tr("F&ilter"), m_filter, m_filterBar));
    row->addWidget(m_filter, 1);
    row->addWidget(close);
    m_filterBar->hide();
    connect(close, &QToolButton::clicked, this, &RunsPanel::closeFilter);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_proxy->setWords(text);
        refreshSummary();
        refreshAbilities();
    });
}

void RunsPanel::openFilter()
{
    m_filterBar->show();
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void RunsPanel::closeFilter()
{
    m_filter->clear();
    if (m_filter->hasFocus())
        m_view->setFocus();
    m_filterBar->hide();
}

QByteArray RunsPanel::saveHeader() const
{
    return m_view->horizontalHeader()->saveState();
}

bool RunsPanel::restoreHeader(const QByteArray &state)
{
    const bool isRestored = !state.isEmpty() && m_view->horizontalHeader()->restoreState(state)
        && m_view->horizontalHeader()->count() == RunsModel::ColumnCount;
    if (!isRestored)
        resetHeader();
    m_fittedWidth = 0;
    hideColumnsThatDoNotFit();
    return isRestored;
}

void RunsPanel::resetHeader()
{
    QHeaderView *header = m_view->horizontalHeader();
    for (int i = 0; i < RunsModel::ColumnCount; ++i)
        header->moveSection(header->visualIndex(i), i);
    for (const auto &[column, width] : kWidths) {
        header->setSectionHidden(column, false);
        header->resizeSection(column, widthOf(column, fontMetrics()));
    }
    header->setStretchLastSection(false);
    header->setSortIndicatorClearable(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_fittedWidth = 0;
    hideColumnsThatDoNotFit();
}

bool RunsPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        hideColumnsThatDoNotFit();
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Escape) {
            closeFilter();
            return true;
        }
        if (key == Qt::Key_Down && m_proxy->rowCount() > 0) { // into the list
            m_view->setFocus();
            m_view->selectRow(0);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void RunsPanel::hideColumnsThatDoNotFit()
{
    QHeaderView *header = m_view->horizontalHeader();
    const int available = m_view->viewport()->width();
    if (available == m_fittedWidth)
        return; // showing and hiding columns resizes the viewport
    m_fittedWidth = available;
    int needed = 0;
    for (const auto &[column, width] : kWidths)
        needed += widthOf(column, fontMetrics());
    for (const RunsModel::Column column : kGivenUp) {
        const bool isHidden = needed > available;
        header->setSectionHidden(column, isHidden);
        if (isHidden)
            needed -= widthOf(column, fontMetrics());
    }
    // What is left over belongs to the text that can be long: why a run failed; else the name.
    const bool hasTime = !header->isSectionHidden(RunsModel::TimeLeft);
    header->setSectionResizeMode(RunsModel::TimeLeft, hasTime ? QHeaderView::Stretch : QHeaderView::Interactive);
    const bool wasStretched = header->sectionResizeMode(RunsModel::Name) == QHeaderView::Stretch;
    header->setSectionResizeMode(RunsModel::Name, hasTime ? QHeaderView::Interactive : QHeaderView::Stretch);
    if (wasStretched && hasTime)
        header->resizeSection(RunsModel::Name, widthOf(RunsModel::Name, fontMetrics()));
}

} // namespace lookback::ui
