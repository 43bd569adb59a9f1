// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison says in words.
#include <QLocale>

#include "core/analysis/attention_comparison.h"
#include "ui/figures/attention_compare_figure.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare.h"

namespace lookback::ui {

namespace {

/// What a side has at a cell, exact; nothing while its row is to come.
std::optional<analysis::CellReading> readingOf(const ValuePyramid &values, const RowPointer &row, MapCell cell)
{
    if (values.isExact())
        return analysis::readingAt(values.map(), cell.query, cell.key);
    if (!row)
        return {};
    const MapShape &shape = values.shape();
    return analysis::CellReading{.kind = shape.kind,
                                 .weight = row->at(cell.query, cell.key),
                                 .isVisible = shape.isVisible(cell.query, cell.key),
                                 .window = shape.window};
}

} // namespace

QString AttentionComparison::sentence(MapCell cell) const
{
    if (!isOn() || !cell.isValid() || !m_leftValues || !m_rightValues || !m_left || !m_right
        || !(m_left->sequence == m_right->sequence))
        return {};
    const std::optional<analysis::CellReading> left =
        readingOf(*m_leftValues, m_leftValues->isExact() || !m_leftRow ? nullptr : m_leftRow(cell.query), cell);
    const std::optional<analysis::CellReading> right =
        readingOf(*m_rightValues, m_rows.find(rightHead(), cell.query), cell);
    if (!left || !right)
        return {};
    return QString::fromStdString(analysis::comparisonSentence(*m_left, *left, *right, cell.query, cell.key));
}

QString AttentionComparison::sideWords(const analysis::ExampleKey &key, HeadChoice head) const
{
    const RunCollection::Run *run = m_collection->find(key.runFolder);
    return ui::sideWords(run ? run->title : QString::fromStdString(key.runFolder), key, head);
}

QString AttentionComparison::leftWords() const
{
    return m_left ? sideWords(m_left->key, leftHead()) : QString();
}

QString AttentionComparison::rightWords() const
{
    if (m_right && m_refusal.isEmpty())
        return sideWords(m_right->key, rightHead());
    return {};
}

QStringList AttentionComparison::notes() const
{
    QStringList notes;
    if (!m_right || !m_leftValues || !m_rightValues || !m_refusal.isEmpty())
        return notes;
    const HeadChoice head = rightHead();
    notes << QString::fromStdString(analysis::unusedPatternNote(m_right->key.intervention, head.layer, head.head));
    const std::int64_t window =
        analysis::narrowerWindow(m_leftValues->shape().withoutWeights(), m_rightValues->shape().withoutWeights());
    if (window > 0 && m_noDifference.isEmpty()) {
        const bool isLeft = m_leftValues->shape().window == window;
        const QString text = isLeft
            ? tr("The left head sees %1 tokens: further back the difference is the weight of the right one.")
            : tr("The right head sees %1 tokens: further back the difference is the weight of the left one.");
        notes << text.arg(QLocale().toString(static_cast<qlonglong>(window)));
    }
    if (m_difference && m_difference->maximum() == 0.0F)
        notes << tr("Both maps are the same.");
    notes.removeAll(QString());
    return notes;
}

} // namespace lookback::ui
