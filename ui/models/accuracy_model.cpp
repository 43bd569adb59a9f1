// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/accuracy_model.h"

#include <QFont>
#include <QPainter>
#include <QPixmap>
#include <QSize>

#include <algorithm>

#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Internal id of the two group rows; rows of a group have 1 + its number.
constexpr quintptr kGroupId = 0;

QPixmap swatchOf(const SeriesStyle &style, const QColor &base)
{
    constexpr qreal ratio = 2; // sharp on dense screens, reduced evenly on others
    QPixmap pixmap(QSize(28, 14) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawSwatch(painter, QRectF(0, 0, 28, 14), style, base);
    return pixmap;
}

bool isSameCurve(const AccuracyModel::Entry &a, const AccuracyModel::Entry &b)
{
    return a.key == b.key && a.curve.curve == b.curve.curve && a.name == b.name && a.style == b.style;
}

} // namespace

const eval::AccuracyPoint *pointAt(const eval::AccuracyCurve &curve, std::int64_t tokens)
{
    const auto found = std::ranges::find(curve.points, tokens, &eval::AccuracyPoint::contextTokens);
    return found == curve.points.end() ? nullptr : &*found;
}

AccuracyModel::AccuracyModel(QObject *parent) : QAbstractItemModel(parent) { }

void AccuracyModel::setLook(const QColor &base, int rowHeight)
{
    m_base = base;
    m_rowHeight = rowHeight;
}

void AccuracyModel::setEntries(std::vector<Entry> own, std::vector<Entry> published)
{
    const bool isSameRows = std::ranges::equal(own, m_own, {}, &Entry::key, &Entry::key)
        && std::ranges::equal(published, m_published, {}, &Entry::key, &Entry::key);
    if (!isSameRows) {
        beginResetModel();
        m_own = std::move(own);
        m_published = std::move(published);
        endResetModel();
        return;
    }
    for (const Group group : {OwnGroup, PublishedGroup}) {
        std::vector<Entry> &known = group == OwnGroup ? m_own : m_published;
        std::vector<Entry> &given = group == OwnGroup ? own : published;
        for (std::size_t i = 0; i < known.size(); ++i) {
            const bool isSame = isSameCurve(known[i], given[i]) && known[i].isShown == given[i].isShown
                && known[i].isSelected == given[i].isSelected;
            known[i] = std::move(given[i]);
            if (!isSame)
                Q_EMIT dataChanged(index(int(i), 0, groupIndex(group)),
                                   index(int(i), ColumnCount - 1, groupIndex(group)));
        }
    }
}

const AccuracyModel::Entry *AccuracyModel::entry(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == kGroupId)
        return nullptr;
    const std::vector<Entry> &list = entries(Group(index.internalId() - 1));
    return std::size_t(index.row()) < list.size() ? &list[std::size_t(index.row())] : nullptr;
}

QModelIndex AccuracyModel::indexOf(const QString &key) const
{
    for (const Group group : {OwnGroup, PublishedGroup}) {
        const std::vector<Entry> &list = entries(group);
        const auto found = std::ranges::find(list, key, &Entry::key);
        if (found != list.end())
            return index(int(found - list.begin()), 0, groupIndex(group));
    }
    return {};
}

QModelIndex AccuracyModel::groupIndex(Group group) const
{
    return createIndex(int(group), 0, kGroupId);
}

void AccuracyModel::setContext(std::int64_t tokens, bool isErrorRate)
{
    if (tokens == m_tokens && isErrorRate == m_isErrorRate)
        return;
    m_tokens = tokens;
    m_isErrorRate = isErrorRate;
    for (const Group group : {OwnGroup, PublishedGroup}) {
        if (const int rows = int(entries(group).size()); rows > 0)
            Q_EMIT dataChanged(index(0, ExactColumn, groupIndex(group)),
                               index(rows - 1, IntervalColumn, groupIndex(group)));
    }
    Q_EMIT headerDataChanged(Qt::Horizontal, ExactColumn, IntervalColumn);
}

QModelIndex AccuracyModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row() + 1) : kGroupId);
}

QModelIndex AccuracyModel::parent(const QModelIndex &index) const
{
    if (!index.isValid() || index.internalId() == kGroupId)
        return {};
    return createIndex(int(index.internalId() - 1), 0, kGroupId);
}

int AccuracyModel::rowCount(const QModelIndex &parent) const
{
    if (!parent.isValid())
        return 2;
    return parent.internalId() == kGroupId && parent.column() == 0 ? int(entries(Group(parent.row())).size()) : 0;
}

int AccuracyModel::columnCount(const QModelIndex &) const
{
    return ColumnCount;
}

QString AccuracyModel::valueText(const Entry &entry, Column column) const
{
    if (!entry.isEvaluated())
        return column == IntervalColumn ? tr("not evaluated") : u"–"_s;
    const eval::AccuracyPoint *point = pointAt(entry.curve.curve, m_tokens);
    if (!point) // of other digits: the tooltip says where its points are
        return column == IntervalColumn && entry.curve.run.isPublished && m_tokens > 0 ? tr("no point here") : u"–"_s;
    if (column == ExactColumn)
        return percentText(m_isErrorRate ? 1 - point->accuracy : point->accuracy);
    if (entry.curve.run.isPublished) // none was published
        return u"–"_s;
    const double low = m_isErrorRate ? 1 - point->high : point->low;
    const double high = m_isErrorRate ? 1 - point->low : point->high;
    constexpr int kMostDecimals = 3; // its ends are estimates
    return tr("%1 – %2", "an interval").arg(percentNumber(low, kMostDecimals), percentNumber(high, kMostDecimals));
}

QString AccuracyModel::explanation(const Entry &entry) const
{
    if (entry.curve.run.isPublished) {
        QString what = tr("Published curve: one run, 128 sequences a point, trained to %1 tokens")
                           .arg(entry.curve.curve.trainedTokens);
        if (entry.curve.curve.points.empty() || m_tokens == 0 || pointAt(entry.curve.curve, m_tokens))
            return what;
        const eval::AccuracyPoint &first = entry.curve.curve.points.front();
        return what + u'\n'
            + tr("No point at %1 tokens: a key takes %2 tokens there, so its points are at %3, %4, … Point at one of "
                 "them in the chart.")
                  .arg(countText(m_tokens), countText(first.contextTokens / std::max<std::int64_t>(first.n_keys, 1)),
                       countText(first.contextTokens), countText(2 * first.contextTokens));
    }
    QStringList lines{entry.name};
    if (entry.curve.run.isSeedBand) {
        lines << tr("Median of the seeds; in place of an interval the lowest and the highest of them");
        if (!entry.curve.learned.isEmpty())
            lines << entry.curve.learned;
    } else if (entry.isEvaluated()) {
        lines << tr("Checkpoint of step %1 of %2, trained to %3 tokens")
                     .arg(countText(entry.curve.curve.step), countText(entry.curve.curve.totalSteps),
                          countText(entry.curve.curve.trainedTokens));
        if (const eval::AccuracyPoint *point = pointAt(entry.curve.curve, m_tokens)) {
            lines << tr("n = %1: %2 of %3 answers right in %4 sequences (evaluation seed %5)")
                         .arg(countText(point->n_keys), countText(point->exact), countText(point->answers),
                              countText(point->sequences))
                         .arg(entry.curve.curve.evaluationSeed);
        }
    } else {
        lines << tr("Not evaluated yet. Select it and press Evaluate.");
    }
    if (!entry.curve.note.isEmpty())
        lines << entry.curve.note;
    return lines.join(u'\n');
}

QVariant AccuracyModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::SizeHintRole)
        return QSize(0, m_rowHeight);
    const Entry *row = entry(index);
    if (!row) {
        if (index.column() != NameColumn)
            return {};
        if (role == Qt::DisplayRole) {
            return index.row() == OwnGroup ? tr("Own runs, newest checkpoint unless named")
                                           : tr("Published, July 2026: one run each, 128 sequences");
        }
        if (role == Qt::FontRole) {
            QFont font;
            font.setWeight(QFont::DemiBold);
            return font;
        }
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == NameColumn ? row->name : valueText(*row, Column(index.column()));
    case Qt::CheckStateRole:
        if (index.column() == NameColumn)
            return int(row->isShown && row->isEvaluated() ? Qt::Checked : Qt::Unchecked);
        return {};
    case Qt::DecorationRole:
        return index.column() == NameColumn ? QVariant(swatchOf(row->style, m_base)) : QVariant();
    case Qt::TextAlignmentRole:
        return int((index.column() == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return explanation(*row);
    default:
        return {};
    }
}

QVariant AccuracyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case NameColumn:
        return tr("Run, checkpoint");
    case ExactColumn:
        return m_isErrorRate ? tr("Wrong") : tr("Exact");
    case IntervalColumn:
        return tr("95 % interval");
    default:
        return {};
    }
}

Qt::ItemFlags AccuracyModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Entry *row = entry(index);
    if (!row)
        return Qt::ItemIsEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == NameColumn && row->isEvaluated())
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

bool AccuracyModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const Entry *row = entry(index);
    if (!row || role != Qt::CheckStateRole || index.column() != NameColumn)
        return false;
    Q_EMIT shownToggled(row->key, value.toInt() == Qt::Checked);
    return true;
}

} // namespace lookback::ui
