// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_answers.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QFontMetricsF>
#include <QLocale>
#include <QPainter>

#include "ui/heatmap/map_labels.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {

QString tokenText(int token)
{
    return QString(QLatin1Char(task::tokenCharacter(token)));
}

DigitRun digitRun(const analysis::Answer &answer)
{
    DigitRun run;
    for (std::size_t i = 0; i < answer.predicted.size(); ++i) {
        run.digits += tokenText(answer.predicted[i]);
        run.isRight.append(answer.predicted[i] == answer.truth[i]);
    }
    return run;
}

QString joined(const std::vector<int> &tokens)
{
    QString text;
    for (const int token : tokens)
        text += tokenText(token);
    return text;
}

/// "2, 8, and 7 (right)": for those who cannot see colour or underline.
QString spokenDigits(const DigitRun &run)
{
    QStringList words;
    for (qsizetype i = 0; i < run.digits.size(); ++i)
        words.append(run.isRight[i] ? AnswerModel::tr("%1 right").arg(run.digits[i])
                                    : AnswerModel::tr("%1 wrong").arg(run.digits[i]));
    return words.join(QStringLiteral(", "));
}

} // namespace

QString ordinalShort(std::int64_t digit)
{
    switch (digit) {
    case 0:
        return AnswerModel::tr("1st");
    case 1:
        return AnswerModel::tr("2nd");
    case 2:
        return AnswerModel::tr("3rd");
    default:
        return AnswerModel::tr("%1th").arg(digit + 1);
    }
}

QString ordinalWord(std::int64_t digit)
{
    static const char *const kWords[] = {
        QT_TR_NOOP("first"), QT_TR_NOOP("second"),  QT_TR_NOOP("third"),  QT_TR_NOOP("fourth"), QT_TR_NOOP("fifth"),
        QT_TR_NOOP("sixth"), QT_TR_NOOP("seventh"), QT_TR_NOOP("eighth"), QT_TR_NOOP("ninth"),  QT_TR_NOOP("tenth")};
    if (digit >= 0 && digit < static_cast<std::int64_t>(std::size(kWords)))
        return AnswerModel::tr(kWords[digit]);
    return ordinalShort(digit);
}

// --- answers ---

void AnswerModel::setExample(std::shared_ptr<const analysis::Example> example)
{
    beginResetModel();
    m_example = std::move(example);
    endResetModel();
}

int AnswerModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_example ? 0 : static_cast<int>(m_example->answers.size());
}

int AnswerModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

std::int64_t AnswerModel::exactCount() const
{
    return !m_example ? 0
                      : std::count_if(m_example->answers.begin(), m_example->answers.end(),
                                      [](const analysis::Answer &answer) { return answer.isExact(); });
}

std::int64_t AnswerModel::rightDigits() const
{
    std::int64_t count = 0;
    for (int row = 0; row < rowCount(); ++row)
        count += digitRun(m_example->answers[static_cast<std::size_t>(row)]).isRight.count(true);
    return count;
}

std::int64_t AnswerModel::allDigits() const
{
    return m_example ? rowCount() * m_example->sequence.shape.value_digits : 0;
}

QVariant AnswerModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_example)
        return {};
    const analysis::Answer &answer = m_example->answers[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Entry:
            return QLocale().toString(static_cast<qlonglong>(answer.entry));
        case Key:
            return keyText(m_example->sequence, answer.entry);
        case Truth:
            return joined(answer.truth);
        case Predicted:
            return digitRun(answer).digits;
        }
        return {};
    case SortRole:
        return index.column() == Entry ? QVariant(static_cast<qlonglong>(answer.entry)) : data(index, Qt::DisplayRole);
    case DigitsRole:
        return index.column() == Predicted ? QVariant::fromValue(digitRun(answer)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::AccessibleTextRole:
        return index.column() == Predicted ? QVariant(spokenDigits(digitRun(answer))) : QVariant();
    case Qt::ToolTipRole:
        return tr("Entry %1 repeats entry %2. %n of its digits are right.", nullptr,
                  static_cast<int>(digitRun(answer).isRight.count(true)))
            .arg(answer.entry)
            .arg(answer.firstEntry);
    }
    return {};
}

QVariant AnswerModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) {
        switch (section) {
        case Entry:
            return tr("Entry");
        case Key:
            return tr("Key");
        case Truth:
            return tr("Truth");
        case Predicted:
            return tr("Predicted");
        }
    }
    if (role == Qt::ToolTipRole && section == Predicted)
        return tr("Right digits are underlined");
    return {};
}

// --- digits of one answer ---

void DigitModel::setAnswer(const analysis::Answer *answer, std::int64_t digit)
{
    beginResetModel();
    m_answer = answer ? *answer : analysis::Answer();
    m_digit = digit;
    endResetModel();
}

int DigitModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_answer.truth.empty() ? 0 : RowCount;
}

int DigitModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : 1 + static_cast<int>(m_answer.truth.size());
}

QVariant DigitModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const int column = index.column();
    if (role == Qt::TextAlignmentRole)
        return QVariant((column == 0 ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter);
    if (column == 0) {
        if (role != Qt::DisplayRole)
            return {};
        switch (index.row()) {
        case Truth:
            return tr("Truth");
        case Predicted:
            return tr("Predicted");
        case Probability:
            return tr("probability");
        case OfTruth:
            return tr("of truth");
        }
        return {};
    }
    const auto digit = static_cast<std::size_t>(column - 1);
    const int truth = m_answer.truth[digit];
    const int predicted = m_answer.predicted[digit];
    switch (role) {
    case Qt::DisplayRole:
        switch (index.row()) {
        case Truth:
            return tokenText(truth);
        case Predicted:
            return tokenText(predicted);
        case Probability:
            return QLocale().toString(
                static_cast<double>(m_answer.probabilities[digit][static_cast<std::size_t>(predicted)]), 'f', 2);
        case OfTruth:
            return QLocale().toString(
                static_cast<double>(m_answer.probabilities[digit][static_cast<std::size_t>(truth)]), 'f', 2);
        }
        return {};
    case AnswerModel::DigitsRole:
        if (index.row() == Predicted)
            return QVariant::fromValue(DigitRun{tokenText(predicted), {predicted == truth}});
        return {};
    case Qt::AccessibleTextRole:
        if (index.row() == Predicted)
            return spokenDigits({tokenText(predicted), {predicted == truth}});
        return {};
    case Qt::FontRole:
        if (index.row() == Truth) {
            QFont bold;
            bold.setWeight(QFont::DemiBold);
            return bold;
        }
        return {};
    }
    return {};
}

QVariant DigitModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::DisplayRole)
        return section == 0 ? tr("Digit") : ordinalShort(section - 1);
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == 0 ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section > 0)
        return tr("The %1 value digit").arg(ordinalWord(section - 1));
    return {};
}

// --- delegate ---

void AnswerDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const auto *digits = qobject_cast<const DigitModel *>(index.model());
    if (digits && index.column() == digits->digit() + 1)
        painter->fillRect(option.rect, item.palette.brush(QPalette::Highlight));
    const QVariant value = index.data(AnswerModel::DigitsRole);
    if (!value.isValid()) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const auto run = value.value<DigitRun>();
    item.text.clear();
    const QWidget *widget = option.widget;
    (widget ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
    const Theme &theme = Theme::forPalette(option.palette);
    const QFontMetricsF metrics(item.font);
    const double step = metrics.horizontalAdvance(u'0') + (run.digits.size() > 1 ? 5.0 : 0.0);
    const double width = step * static_cast<double>(run.digits.size());
    const QRectF room = QRectF(item.rect).adjusted(6, 0, -6, 0);
    const bool isCentred = item.displayAlignment & Qt::AlignHCenter;
    double x = isCentred ? room.center().x() - width / 2 : room.right() - width + (run.digits.size() > 1 ? 5.0 : 0.0);
    painter->save();
    for (qsizetype i = 0; i < run.digits.size(); ++i) {
        QFont font = item.font;
        font.setUnderline(run.isRight[i]);
        font.setWeight(run.isRight[i] ? QFont::DemiBold : QFont::Normal);
        painter->setFont(font);
        painter->setPen(run.isRight[i] ? theme.right : theme.wrong);
        painter->drawText(QRectF(x, room.top(), metrics.horizontalAdvance(u'0') + 1.0, room.height()), Qt::AlignCenter,
                          run.digits.mid(i, 1));
        x += step;
    }
    painter->restore();
}

QSize AnswerDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    const QVariant value = index.data(AnswerModel::DigitsRole);
    if (value.isValid()) {
        const auto digits = static_cast<double>(value.value<DigitRun>().digits.size());
        size.setWidth(static_cast<int>(std::ceil(digits * (QFontMetricsF(option.font).horizontalAdvance(u'0') + 5.0)))
                      + 12);
    }
    return size;
}

} // namespace lookback::ui
