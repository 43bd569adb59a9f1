// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_head_table.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <QEvent>
#include <QHeaderView>
#include <QScopedValueRollback>

#include "ui/models/head_table_model.h"
#include "ui/models/head_words.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kPadding = 16; // both sides of a cell

/// Comfortable widths at a text height of 16 px.
constexpr std::array<int, HeadTableModel::Reading> kWidths{64, 98, 158, 158, 134, 124, 84, 82, 82, 176};
/// What a narrow table gives up, in this order: they are all in "Numbers".
constexpr HeadTableModel::Column kGivenUp[] = {HeadTableModel::Negative, HeadTableModel::Distance,
                                               HeadTableModel::Entropy, HeadTableModel::Sink};

/// What a wide one widens first: columns with a bar and an interval.
constexpr HeadTableModel::Column kWidened[] = {
    HeadTableModel::Retrieval, HeadTableModel::Matching, HeadTableModel::Sink,     HeadTableModel::Previous,
    HeadTableModel::Change,    HeadTableModel::Sees,     HeadTableModel::Negative, HeadTableModel::Entropy,
    HeadTableModel::Distance,  HeadTableModel::Head};

} // namespace

HeadTableProxy::HeadTableProxy(HeadTableModel *model, QObject *parent) : QSortFilterProxyModel(parent)
{
    setSourceModel(model);
    setSortRole(HeadTableModel::SortRole);
    setFilterKeyColumn(-1);
    setFilterCaseSensitivity(Qt::CaseInsensitive);
}

bool HeadTableProxy::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const bool isLeft = left.data(HeadTableModel::SortRole).isValid();
    const bool isRight = right.data(HeadTableModel::SortRole).isValid();
    if (isLeft && isRight)
        return QSortFilterProxyModel::lessThan(left, right);
    return sortOrder() == Qt::AscendingOrder ? isLeft && !isRight : isRight && !isLeft;
}

HeadTableView::HeadTableView(HeadTableModel *model, QWidget *parent)
    : QTableView(parent), m_proxy(new HeadTableProxy(model, this))
{
    setObjectName(u"headTable"_s);
    setAccessibleName(tr("Heads and their measures"));
    setModel(m_proxy);
    setSortingEnabled(true);
    sortByColumn(HeadTableModel::Change, Qt::AscendingOrder);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(std::max(24, fontMetrics().height() + 6));
    horizontalHeader()->setHighlightSections(false);
    auto *numbers = new HeadNumberDelegate(this);
    for (int column = HeadTableModel::Retrieval; column <= HeadTableModel::Change; ++column)
        setItemDelegateForColumn(column, numbers);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
        if (m_isFitting)
            return;
        m_isSizedByUser = true;
        fitColumns();
    });
}

int HeadTableView::leastWidth(int column) const
{
    // The sort mark has room in every column of numbers, so that nothing jumps.
    const QFontMetrics metrics = fontMetrics();
    const QString title = model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const int mark = column <= HeadTableModel::Sees ? metrics.height() / 2 : 3 * metrics.height() / 2;
    const int header = metrics.horizontalAdvance(title) + kPadding + mark;
    switch (column) {
    case HeadTableModel::Head:
        return std::max(header, metrics.horizontalAdvance(u"L88 H88"_s) + kPadding);
    case HeadTableModel::Sees:
        return std::max(header, metrics.horizontalAdvance(u"no position "_s) + kPadding);
    case HeadTableModel::Retrieval:
    case HeadTableModel::Matching:
    case HeadTableModel::Change:
        return std::max(header, metrics.horizontalAdvance(u"\u221288.8 ± 88.8"_s) + kPadding);
    default:
        return std::max(header, metrics.horizontalAdvance(u"8,888.8"_s) + kPadding);
    }
}

int HeadTableView::leastReadingWidth() const
{
    int width = 0;
    for (const QString &reading : headReadings())
        width = std::max(width, fontMetrics().horizontalAdvance(reading));
    return width + kPadding;
}

void HeadTableView::fitColumns()
{
    const QScopedValueRollback fitting(m_isFitting, true);
    const int reading = leastReadingWidth();
    const int room = viewport()->width() - reading;
    if (!m_isSizedByUser) {
        const double scale = std::max(1.0, fontMetrics().height() / 16.0);
        std::array<int, kWidths.size()> least{};
        for (std::size_t i = 0; i < least.size(); ++i)
            least[i] = leastWidth(static_cast<int>(i));
        int needed = std::accumulate(least.begin(), least.end(), 0);
        std::array<bool, kWidths.size()> isGiven{};
        for (const HeadTableModel::Column column : kGivenUp) {
            if (needed <= room)
                break;
            isGiven[column] = true;
            needed -= least[column];
        }
        int spare = std::max(0, room - needed);
        for (const HeadTableModel::Column column : kWidened) {
            const int wanted = std::max(0, static_cast<int>(kWidths[column] * scale) - least[column]);
            const int got = isGiven[column] ? 0 : std::min(wanted, spare);
            least[column] += got;
            spare -= got;
        }
        for (std::size_t i = 0; i < least.size(); ++i) {
            setColumnHidden(static_cast<int>(i), isGiven[i]);
            setColumnWidth(static_cast<int>(i), least[i]);
        }
    }
    int others = 0;
    for (int column = 0; column < HeadTableModel::Reading; ++column)
        others += isColumnHidden(column) ? 0 : columnWidth(column);
    setColumnWidth(HeadTableModel::Reading, std::max(reading, viewport()->width() - others));
}

void HeadTableView::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    fitColumns();
}

void HeadTableView::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitColumns();
}

} // namespace lookback::ui
