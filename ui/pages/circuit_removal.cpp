// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_removal.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QFormLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_example.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr qsizetype kNamed = 6; // heads named in the second line

QString points(double share)
{
    QString text = QString::number(100.0 * std::abs(share), 'f', 1);
    if (text.toDouble() != 0.0)
        text.prepend(share < 0.0 ? u'\u2212' : u'+');
    return text;
}

} // namespace

QString pText(double p)
{
    return p < 0.001 ? RemovalPanel::tr("p < 0.001") : RemovalPanel::tr("p = %1").arg(QString::number(p, 'f', 3));
}

QString effectText(const circuit::KnockoutPoint &point)
{
    const eval::PairedDifference &difference = point.difference;
    const QString words =
        RemovalPanel::tr("%1 points, paired 95 % interval %2 to %3 (%n sequences)", "", int(point.before.sequences))
            .arg(points(difference.difference), points(difference.interval.low), points(difference.interval.high));
    return difference.isDistinguishable ? words : RemovalPanel::tr("Not distinguishable here: %1").arg(words);
}

RemovalPanel::RemovalPanel(QWidget *parent)
    : QWidget(parent), m_title(makeTitle({}, this)), m_heads(makeNote(this)), m_removal(new QComboBox(this)),
      m_add(new ToggleButton(this)), m_clear(new QToolButton(this)), m_sets(new QPushButton(tr("Smallest set…"), this)),
      m_patch(new QPushButton(tr("Patch…"), this)), m_results(new QWidget(this)), m_result(new QLabel(this)),
      m_interval(new QLabel(this)), m_answers(makeNote(this)), m_example(new CircuitExample(this))
{
    setObjectName(u"removalPanel"_s);
    m_title->setObjectName(u"removalTitle"_s);
    m_removal->setObjectName(u"removal"_s);
    m_removal->setMinimumHeight(28);
    for (const circuit::Removal removal : {circuit::Removal::Zero, circuit::Removal::Mean, circuit::Removal::Uniform})
        m_removal->addItem(removalWords(removal), static_cast<int>(removal));
    m_removal->setItemData(0, tr("The head adds nothing"), Qt::ToolTipRole);
    m_removal->setItemData(1, tr("The head adds what it adds on average at that place of an entry"), Qt::ToolTipRole);
    m_removal->setItemData(2, tr("The head looks at everything that it may see alike"), Qt::ToolTipRole);
    m_add->setObjectName(u"addHeads"_s);
    m_add->setText(tr("Add"));
    m_add->setToolTip(tr("While pressed, clicks and drags in the grid add heads and take them out, as with Ctrl"));
    m_sets->setObjectName(u"smallestSets"_s);
    m_sets->setToolTip(tr("Looks for few heads without which retrieval is gone, and few that alone keep it"));
    m_clear->setObjectName(u"clearHeads"_s);
    m_clear->setIcon(icon("close"_L1));
    m_clear->setAccessibleName(tr("Remove nothing"));
    m_clear->setToolTip(tr("Removes nothing (Delete)"));
    m_clear->setMinimumSize(28, 28);
    m_patch->setObjectName(u"patchHeads"_s);
    m_patch->setToolTip(tr("Gives heads the pattern or the output that they have on another sequence, and measures how "
                           "much of the answer moves"));
    for (QPushButton *button : {m_sets, m_patch})
        button->setMinimumHeight(28);
    m_result->setObjectName(u"removalResult"_s);
    m_result->setTextFormat(Qt::RichText);
    m_interval->setObjectName(u"removalInterval"_s);
    m_answers->setObjectName(u"removalAnswers"_s);
    for (QLabel *label : {m_result, m_interval, m_answers}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(m_title);
    column->addWidget(m_heads);
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(makeFieldLabel(tr("&Instead"), m_removal, this), m_removal);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_add);
    buttons->addWidget(m_clear);
    buttons->addWidget(m_sets, 2);
    buttons->addWidget(m_patch, 1);
    column->addLayout(form);
    column->addLayout(buttons);
    column->addWidget(makeHairline(this));
    auto *results = new QVBoxLayout(m_results);
    results->setContentsMargins(0, 0, 0, 0);
    results->setSpacing(2);
    results->addWidget(m_result);
    results->addWidget(m_interval);
    results->addWidget(m_answers);
    column->addWidget(m_results);
    column->addWidget(makeHairline(this));
    column->addWidget(m_example);
    column->addStretch(1);

    connect(m_removal, &QComboBox::activated, this, [this] { Q_EMIT removalChosen(removal()); });
    connect(m_add, &QToolButton::toggled, this, &RemovalPanel::addingChanged);
    connect(m_sets, &QPushButton::clicked, this, &RemovalPanel::setsAsked);
    connect(m_clear, &QToolButton::clicked, this, &RemovalPanel::clearAsked);
    connect(m_patch, &QPushButton::clicked, this, &RemovalPanel::patchAsked);
    setChosen({});
    refreshEffect();
}

void RemovalPanel::setChosen(const std::vector<circuit::HeadId> &chosen)
{
    m_chosen = chosen;
    m_title->setText(chosen.empty()           ? tr("Nothing removed")
                         : chosen.size() == 1 ? tr("Without %1").arg(headPhrase(chosen.front()))
                                              : tr("Without %n heads", "", static_cast<int>(chosen.size())));
    QStringList names;
    for (const circuit::HeadId &id : chosen)
        names << headName(id);
    const qsizetype more = names.size() - kNamed;
    m_heads->setToolTip(names.join(u", "_s));
    if (more > 0)
        names = names.mid(0, kNamed) << tr("%1 more").arg(more);
    m_heads->setText(chosen.empty()
                         ? tr("Click a head in the grid. A drag chooses several, Ctrl + click and titles add more.")
                         : names.join(u", "_s));
    m_heads->setVisible(chosen.size() != 1);
    m_clear->setEnabled(!chosen.empty());
    m_example->setChosen(chosen);
    refreshEffect();
}

circuit::Removal RemovalPanel::removal() const
{
    return static_cast<circuit::Removal>(m_removal->currentData().toInt());
}

void RemovalPanel::setRemoval(circuit::Removal removal)
{
    m_removal->setCurrentIndex(m_removal->findData(static_cast<int>(removal)));
}

bool RemovalPanel::isAdding() const
{
    return m_add->isChecked();
}

void RemovalPanel::setEffect(std::shared_ptr<const circuit::Knockout> effect, bool isCurrent, bool isPending,
                             const QString &failure)
{
    m_effect = std::move(effect);
    m_isCurrent = isCurrent;
    m_isPending = isPending;
    m_failure = failure;
    refreshEffect();
}

void RemovalPanel::refreshEffect()
{
    if (m_chosen.empty()) {
        m_result->clear();
        m_interval->setText(tr("What the model loses without a head will be here."));
        m_answers->clear();
        setTone(m_interval, Tone::Second);
        return;
    }
    if (!m_failure.isEmpty()) {
        m_result->clear();
        m_interval->setText(m_failure);
        m_answers->clear();
        setTone(m_interval, Tone::Wrong);
        return;
    }
    if (!m_effect || m_effect->points.empty() || (!m_isCurrent && !m_isPending)) {
        m_result->clear();
        m_interval->setText(m_isPending ? tr("Being measured…") : tr("Not measured."));
        m_answers->clear();
        setTone(m_interval, Tone::Second);
        return;
    }
    const circuit::KnockoutPoint &point = m_effect->points.front();
    m_result->setText(u"<span style=\"font-size:%1pt\">%2 → <b>%3</b></span>"_s.arg(
        QString::number(font().pointSizeF() * 1.25, 'f', 1), percentText(point.before.accuracy),
        percentText(point.after.accuracy)));
    m_interval->setText(effectText(point));
    m_answers->setText(tr("%1 answers lost, %2 gained of %3\nMcNemar %4")
                           .arg(countText(point.mcNemar.lost), countText(point.mcNemar.gained),
                                countText(point.before.answers), pText(point.mcNemar.p)));
    const bool isFirm = m_isCurrent && point.difference.isDistinguishable;
    setTone(m_interval, isFirm ? Tone::Text : Tone::Second);
    setTone(m_result, m_isCurrent ? Tone::Text : Tone::Second);
}

} // namespace lookback::ui
