// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/comparison_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/charts/number_text.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

ComparisonText compareAt(const AccuracyFigureCurve &first, const AccuracyFigureCurve &second, std::int64_t tokens)
{
    const eval::AccuracyPoint *a = pointAt(first.curve, tokens);
    const eval::AccuracyPoint *b = pointAt(second.curve, tokens);
    if (!a || !b)
        return {ComparisonPanel::tr("%1 tokens: not evaluated for both").arg(countText(tokens)), false};
    const QString where = a->n_keys == b->n_keys ? ComparisonPanel::tr("n = %1").arg(countText(a->n_keys))
                                                 : ComparisonPanel::tr("%1 tokens").arg(countText(tokens));
    const RunConfig &x = first.run.record.config;
    const RunConfig &y = second.run.record.config;
    const bool isSame = first.curve.evaluationSeed == second.curve.evaluationSeed && x.key_digits == y.key_digits
        && x.value_digits == y.value_digits && a->n_keys == b->n_keys
        && a->exactBySequence.size() == b->exactBySequence.size() && a->exactBySequence.size() > 1;
    if (!isSame)
        return {ComparisonPanel::tr("%1: not the same sequences, so no paired comparison").arg(where), false};
    const eval::PairedDifference paired = eval::pairedDifference(*b, *a); // first minus second
    const QString points = ComparisonPanel::tr("%1: %2 points", "a difference in percentage points")
                               .arg(where, pointsText(paired.difference));
    if (!paired.isDistinguishable)
        return {ComparisonPanel::tr("%1, no difference shown").arg(points), false};
    return {ComparisonPanel::tr("%1, 95 % interval %2 to %3")
                .arg(points, pointsText(paired.interval.low), pointsText(paired.interval.high)),
            true};
}

ComparisonPanel::ComparisonPanel(QWidget *parent)
    : QWidget(parent), m_first(new QComboBox), m_second(new QComboBox), m_atPointer(new QLabel), m_atLongest(new QLabel)
{
    auto *title = new QLabel(tr("Compare"));
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    title->setFont(strong);
    auto *how = new QLabel(tr("same sequences, paired"));
    how->setForegroundRole(QPalette::PlaceholderText);
    auto *head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    head->addWidget(how);

    m_first->setObjectName(u"compareFirst"_s);
    m_first->setAccessibleName(tr("Compare: this curve"));
    m_second->setObjectName(u"compareSecond"_s);
    m_second->setAccessibleName(tr("minus this curve"));
    for (QComboBox *box : {m_first, m_second}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        connect(box, &QComboBox::currentIndexChanged, this, &ComparisonPanel::compare);
    }
    auto *choice = new QHBoxLayout;
    choice->addWidget(m_first, 1);
    choice->addWidget(new QLabel(QChar(0x2212)));
    choice->addWidget(m_second, 1);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addLayout(head);
    layout->addLayout(choice);
    for (QLabel *line : {m_atPointer, m_atLongest}) {
        line->setWordWrap(true);
        line->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(line);
    }
    m_atPointer->setObjectName(u"compareAtPointer"_s);
    m_atLongest->setObjectName(u"compareAtLongest"_s);
}

void ComparisonPanel::setEntries(const std::vector<AccuracyModel::Entry> &own)
{
    m_entries.clear();
    std::ranges::copy_if(own, std::back_inserter(m_entries), &AccuracyModel::Entry::isEvaluated);
    // Two different ones to begin with; what was chosen stays.
    const bool isFresh = m_first->count() < 2;
    int preset = 0;
    for (QComboBox *box : {m_first, m_second}) {
        const QSignalBlocker blocker(box);
        const QString chosen = isFresh ? QString() : box->currentData().toString();
        box->clear();
        for (const AccuracyModel::Entry &entry : m_entries)
            box->addItem(entry.name, entry.key);
        const int index = box->findData(chosen);
        box->setCurrentIndex(index >= 0 ? index : std::min(preset, int(m_entries.size()) - 1));
        preset = 1;
    }
    compare();
}

void ComparisonPanel::setContext(std::int64_t tokens)
{
    if (tokens == m_tokens)
        return;
    m_tokens = tokens;
    compare();
}

QStringList ComparisonPanel::lines() const
{
    return {m_atPointer->text(), m_atLongest->text()};
}

void ComparisonPanel::compare()
{
    const Theme &theme = Theme::forPalette(palette());
    const auto show = [&](QLabel *label, const ComparisonText &said) {
        label->setText(said.text);
        QPalette colours = palette();
        colours.setColor(QPalette::WindowText,
                         said.isDifference ? palette().color(QPalette::WindowText) : theme.secondText);
        label->setPalette(colours);
    };
    const int first = m_first->currentIndex();
    const int second = m_second->currentIndex();
    if (m_entries.size() < 2 || first < 0 || second < 0) {
        show(m_atPointer, {tr("Two evaluated curves of your own are needed."), false});
        show(m_atLongest, {});
        return;
    }
    if (first == second) {
        show(m_atPointer, {tr("Choose two different curves."), false});
        show(m_atLongest, {});
        return;
    }
    const AccuracyFigureCurve &a = m_entries[std::size_t(first)].curve;
    const AccuracyFigureCurve &b = m_entries[std::size_t(second)].curve;
    show(m_atPointer, compareAt(a, b, m_tokens));
    std::int64_t longest = 0;
    for (const eval::AccuracyPoint &point : a.curve.points) {
        if (pointAt(b.curve, point.contextTokens))
            longest = std::max(longest, point.contextTokens);
    }
    show(m_atLongest, longest > 0 && longest != m_tokens ? compareAt(a, b, longest) : ComparisonText());
}

} // namespace lookback::ui
