// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/head_table_model.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QPainter>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;

namespace {

constexpr int kBarWidth = 56;
constexpr int kBarHeight = 10;
constexpr int kPadding = 8;

std::optional<HeadMeasure> measureOf(int column)
{
    switch (column) {
    case HeadTableModel::Retrieval:
        return HeadMeasure::Retrieval;
    case HeadTableModel::Matching:
        return HeadMeasure::KeyMatching;
    case HeadTableModel::Previous:
        return HeadMeasure::PreviousToken;
    case HeadTableModel::Sink:
        return HeadMeasure::FirstToken;
    case HeadTableModel::Negative:
        return HeadMeasure::NegativeLogits;
    case HeadTableModel::Entropy:
        return HeadMeasure::Entropy;
    case HeadTableModel::Distance:
        return HeadMeasure::MeanDistance;
    default:
        return std::nullopt;
    }
}

bool hasBar(int column)
{
    return column >= HeadTableModel::Retrieval && column <= HeadTableModel::Sink;
}

QString changeText(const circuit::KnockoutPoint &point)
{
    QString text = QString::number(100.0 * std::abs(point.difference.difference), 'f', 1);
    if (text.toDouble() != 0.0)
        text.prepend(point.difference.difference < 0.0 ? u'\u2212' : u'+');
    return text;
}

} // namespace

void HeadTableModel::setHeads(std::shared_ptr<const circuit::HeadTable> table,
                              std::shared_ptr<const circuit::KnockoutGrid> grid)
{
    const bool isSameShape = m_table && table && m_table->heads.size() == table->heads.size();
    if (isSameShape) { // selection and place stay
        m_table = std::move(table);
        m_grid = std::move(grid);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_table = std::move(table);
    m_grid = std::move(grid);
    endResetModel();
}

circuit::HeadId HeadTableModel::idAt(int row) const
{
    return head(row).id;
}

int HeadTableModel::rowOf(const circuit::HeadId &id) const
{
    for (int row = 0; row < rowCount(); ++row) {
        if (head(row).id == id)
            return row;
    }
    return -1;
}

int HeadTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_table->heads.size());
}

int HeadTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const circuit::KnockoutPoint *HeadTableModel::effect(int row) const
{
    if (!m_grid)
        return nullptr;
    const auto found = std::ranges::find(m_grid->heads, head(row).id, &circuit::HeadEffect::id);
    return found == m_grid->heads.end() ? nullptr : &found->point;
}

QVariant HeadTableModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_table || index.row() >= rowCount())
        return {};
    const circuit::HeadScores &scores = head(index.row());
    const circuit::KnockoutPoint *point = effect(index.row());
    const int column = index.column();
    if (role == HeadRole)
        return index.row();
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter
                                | (measureOf(column) || column == Change ? Qt::AlignRight : Qt::AlignLeft));
    if (role == IsFaintRole)
        return (column == Change || column == Reading) && point && !point->difference.isDistinguishable;
    if (role == Qt::ForegroundRole)
        return data(index, IsFaintRole).toBool() ? QVariant(QApplication::palette().brush(QPalette::PlaceholderText))
                                                 : QVariant();
    if (const std::optional<HeadMeasure> measure = measureOf(column)) {
        const std::optional<circuit::Measured> &value = scores.scores[*measure];
        switch (role) {
        case Qt::DisplayRole:
            return value ? measuredText(*measure, value->value) : u"–"_s;
        case Qt::AccessibleTextRole:
            return value ? QString(measuredText(*measure, value->value) % u' ' % halfText(*measure, *value))
                         : tr("means nothing here");
        case Qt::ToolTipRole:
            return value
                ? QVariant()
                : QVariant(QString(tr("Means nothing here.") % u' ' % emptyReason(*m_table, scores, *measure)));
        case SortRole:
            return value ? QVariant(value->value) : QVariant();
        case HalfRole:
            return value && column <= Matching ? halfText(*measure, *value) : QString();
        case ShareRole:
            return value && hasBar(column) ? QVariant(value->value) : QVariant();
        default:
            return {};
        }
    }
    switch (column) {
    case Head:
        if (role == Qt::DisplayRole)
            return headName(scores.id);
        if (role == Qt::ToolTipRole)
            return tr("Layer %1, head %2; reads key-value head %3")
                .arg(scores.id.layer)
                .arg(scores.id.head)
                .arg(scores.kvHead);
        return role == SortRole ? QVariant(index.row()) : QVariant();
    case Sees:
        return role == Qt::DisplayRole || role == SortRole
            ? QVariant(seesText(m_table->layers[static_cast<std::size_t>(scores.id.layer)], m_table->window))
            : QVariant();
    case Change:
        if (role == SortRole)
            return point ? QVariant(point->difference.difference) : QVariant();
        if (!point)
            return role == Qt::DisplayRole ? QVariant(u"–"_s) : QVariant();
        if (role == HalfRole)
            return QString(
                u"± "_s
                % QString::number(50.0 * (point->difference.interval.high - point->difference.interval.low), 'f', 1));
        if (role == Qt::FontRole && point->difference.isDistinguishable) {
            QFont strong;
            strong.setWeight(QFont::DemiBold);
            return strong;
        }
        if (role == Qt::ToolTipRole)
            return tr("%1 % before, %2 % after")
                .arg(percentNumber(point->before.accuracy), percentNumber(point->after.accuracy));
        return role == Qt::DisplayRole ? QVariant(changeText(*point)) : QVariant();
    case Reading: {
        if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole)
            return {};
        const QString reading = headReading(scores.scores, !point || point->difference.isDistinguishable);
        if (role != Qt::ToolTipRole)
            return reading;
        return reading.isEmpty() ? readingRule()
                                 : QString(headName(scores.id) % u": "_s % reading % u"\n\n"_s % readingRule());
    }
    default:
        return {};
    }
}

QVariant HeadTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter
                                | (measureOf(section) || section == Change ? Qt::AlignRight : Qt::AlignLeft));
    if (role == Qt::ToolTipRole) {
        if (const std::optional<HeadMeasure> measure = measureOf(section)) {
            const std::string_view words = circuit::measureInfo(*measure).explanation;
            return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
        }
        if (section == Change) {
            const QString words = tr("Exact match without this head less that with it, in points");
            return m_grid ? tr("%1; removed: %2", "what a column is, what the head does instead")
                                .arg(words, removalWords(m_grid->request.removal))
                          : words;
        }
        return section == Reading ? readingRule() : QString();
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Head:
        return tr("Head");
    case Sees:
        return tr("Sees");
    case Retrieval:
        return tr("Retrieval");
    case Matching:
        return tr("Matching");
    case Previous:
        return tr("Previous token");
    case Sink:
        return tr("Sink");
    case Negative:
        return tr("Negative");
    case Entropy:
        return tr("Entropy");
    case Distance:
        return tr("Distance");
    case Change:
        return tr("Change when removed");
    case Reading:
        return tr("What it mostly does");
    default:
        return {};
    }
}

void HeadNumberDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyleOptionViewItem whole = option;
    initStyleOption(&whole, index);
    const QString number = whole.text;
    whole.text.clear();
    const QStyle *style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &whole, painter, option.widget);
    const Theme &theme = Theme::forPalette(option.palette);
    const bool isFaint = index.data(HeadTableModel::IsFaintRole).toBool();
    painter->save();
    QRect rest = option.rect.adjusted(kPadding, 0, -kPadding, 0);
    const QString half = index.data(HeadTableModel::HalfRole).toString();
    const int text = QFontMetrics(option.font).horizontalAdvance(half.isEmpty() ? number : number % u' ' % half);
    if (const QVariant share = index.data(HeadTableModel::ShareRole);
        share.isValid() && rest.width() >= kBarWidth + kPadding / 2 + text) {
        QRect bar(rest.left(), rest.center().y() - kBarHeight / 2 + 1, kBarWidth, kBarHeight);
        painter->fillRect(bar, theme.isDark ? theme.base.darker(130) : theme.hairline);
        bar.setWidth(std::max(1, static_cast<int>(std::lround(kBarWidth * std::clamp(share.toDouble(), 0.0, 1.0)))));
        painter->fillRect(bar, theme.isDark ? theme.shades[0][0].label : theme.accent);
    }
    painter->setFont(option.font);
    if (!half.isEmpty()) {
        painter->setPen(theme.secondText);
        painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, half);
        rest.setRight(rest.right() - QFontMetrics(option.font).horizontalAdvance(half + u' '));
    }
    painter->setFont(whole.font);
    painter->setPen(isFaint ? theme.secondText : theme.text);
    painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, number);
    painter->restore();
}

QSize HeadNumberDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QFontMetrics metrics(option.font);
    const QString text = index.data().toString() % u' ' % index.data(HeadTableModel::HalfRole).toString();
    const int bar = index.data(HeadTableModel::ShareRole).isValid() ? kBarWidth + kPadding : 0;
    return {metrics.horizontalAdvance(text) + bar + 2 * kPadding, std::max(24, metrics.height() + 6)};
}

} // namespace lookback::ui
