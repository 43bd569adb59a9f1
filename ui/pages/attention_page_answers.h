// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include <memory>

#include "core/analysis/attention_view.h"

namespace lookback::ui {

/// "1st", "2nd", ... for table headers; "first", "second", ... in sentences.
QString ordinalShort(std::int64_t digit);
QString ordinalWord(std::int64_t digit);

/// Tokens of an answer with the mask of those that are right; what AnswerDelegate draws.
struct DigitRun {
    QString digits;
    QList<bool> isRight;
};

/// All answers of a sequence: entry, key, truth, predicted.
class AnswerModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Entry, Key, Truth, Predicted, ColumnCount };
    enum Role { DigitsRole = Qt::UserRole, SortRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setExample(std::shared_ptr<const analysis::Example> example);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    std::int64_t exactCount() const;
    std::int64_t rightDigits() const;
    std::int64_t allDigits() const;

private:
    std::shared_ptr<const analysis::Example> m_example;
};

/// One answer by digit: truth, prediction and their probabilities. A column a digit, the first names the row.
class DigitModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Row { Truth, Predicted, Probability, OfTruth, RowCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setAnswer(const analysis::Answer *answer, std::int64_t digit);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    std::int64_t digit() const { return m_digit; }

private:
    analysis::Answer m_answer;
    std::int64_t m_digit = 0;
};

/// Draws predicted digits: right ones in the right colour and underlined, wrong ones in the wrong colour.
class AnswerDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace lookback::ui

Q_DECLARE_METATYPE(lookback::ui::DigitRun)
