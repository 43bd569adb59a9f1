// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_removal.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/charts/number_text.h"
#include "ui/heatmap/map_labels.h"
#include "ui/models/head_words.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr qsizetype kNamed = 6; // heads named in the second line
constexpr int kRowHeight = 22;

enum Row { Truth, Intact, IntactProbability, Without, WithoutProbability, RowCount };

QString points(double share)
{
    QString text = QString::number(100.0 * std::abs(share), 'f', 1);
    if (text.toDouble() != 0.0)
        text.prepend(share < 0.0 ? u'\u2212' : u'+');
    return text;
}

QString tokenText(int token)
{
    return QString(QLatin1Char(task::tokenCharacter(token)));
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
      m_add(new ToggleButton(this)), m_sets(new QPushButton(tr("Smallest set…"), this)), m_clear(new QToolButton(this)),
      m_results(new QWidget(this)), m_result(new QLabel(this)), m_interval(new QLabel(this)), m_answers(makeNote(this)),
      m_exampleBox(new QWidget(this)), m_sequence(new QSpinBox(this)), m_previous(new QPushButton(u"‹"_s, this)),
      m_next(new QPushButton(u"›"_s, this)), m_table(new QTableWidget(RowCount, 0, this)), m_exampleNote(makeNote(this))
{
    setObjectName(u"removalPanel"_s);
    m_title->setObjectName(u"removalTitle"_s);
    m_removal->setObjectName(u"removal"_s);
    m_removal->setMinimumHeight(28);
    m_removal->addItem(tr("output zero"), static_cast<int>(circuit::Removal::Zero));
    m_removal->addItem(tr("mean output"), static_cast<int>(circuit::Removal::Mean));
    m_removal->addItem(tr("uniform pattern"), static_cast<int>(circuit::Removal::Uniform));
    m_removal->setItemData(0, tr("The head adds nothing"), Qt::ToolTipRole);
    m_removal->setItemData(1, tr("The head adds what it adds on average at that place of an entry"), Qt::ToolTipRole);
    m_removal->setItemData(2, tr("The head looks at everything that it may see alike"), Qt::ToolTipRole);
    m_add->setObjectName(u"addHeads"_s);
    m_add->setText(tr("Add"));
    m_add->setToolTip(tr("While pressed, clicks in the grid add heads and take them out; Ctrl + click does the same"));
    m_sets->setObjectName(u"smallestSets"_s);
    m_sets->setToolTip(tr("Looks for few heads without which retrieval is gone, and few that alone keep it"));
    m_clear->setObjectName(u"clearHeads"_s);
    m_clear->setIcon(icon("close"_L1));
    m_clear->setAccessibleName(tr("Remove nothing"));
    m_clear->setToolTip(tr("Removes nothing (Delete)"));
    m_clear->setMinimumSize(28, 28);
    m_sets->setMinimumHeight(28);
    m_result->setObjectName(u"removalResult"_s);
    m_result->setTextFormat(Qt::RichText);
    m_interval->setObjectName(u"removalInterval"_s);
    m_answers->setObjectName(u"removalAnswers"_s);
    for (QLabel *label : {m_result, m_interval, m_answers}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_sequence->setObjectName(u"circuitSequence"_s);
    m_sequence->setRange(0, 999'999);
    m_sequence->setKeyboardTracking(false);
    m_sequence->setPrefix(tr("seq. "));
    m_sequence->setAccessibleName(tr("Evaluation sequence of the example"));
    m_sequence->setToolTip(m_sequence->accessibleName());
    m_sequence->setMinimumHeight(28);
    m_previous->setAccessibleName(tr("Previous answer"));
    m_next->setAccessibleName(tr("Next answer"));
    m_previous->setObjectName(u"previousAnswer"_s);
    m_next->setObjectName(u"nextAnswer"_s);
    for (QPushButton *button : {m_previous, m_next}) {
        button->setToolTip(button->accessibleName());
        button->setFixedSize(24, 28);
    }
    m_table->setObjectName(u"underTable"_s);
    m_table->setAccessibleName(tr("The answer before and after"));
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->hide();
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setFocusPolicy(Qt::NoFocus);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->setDefaultSectionSize(std::max(kRowHeight, fontMetrics().height() + 4));
    m_table->verticalHeader()->setMinimumSectionSize(10);
    m_table->setFixedHeight(RowCount * m_table->verticalHeader()->defaultSectionSize() + 2);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(7);
    column->addWidget(m_title);
    column->addWidget(m_heads);
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("&Instead"), m_removal);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_add);
    buttons->addWidget(m_sets, 1);
    buttons->addWidget(m_clear);
    form->addRow(tr("Heads"), buttons);
    column->addLayout(form);
    column->addWidget(makeHairline(this));
    auto *results = new QVBoxLayout(m_results);
    results->setContentsMargins(0, 0, 0, 0);
    results->setSpacing(2);
    results->addWidget(m_result);
    results->addWidget(m_interval);
    results->addWidget(m_answers);
    column->addWidget(m_results);
    column->addWidget(makeHairline(this));
    auto *box = new QVBoxLayout(m_exampleBox);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(6);
    auto *head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(makeTitle(tr("On the example"), m_exampleBox));
    head->addStretch(1);
    head->addWidget(m_sequence);
    head->addWidget(m_previous);
    head->addWidget(m_next);
    box->addLayout(head);
    box->addWidget(m_table);
    box->addWidget(m_exampleNote);
    column->addWidget(m_exampleBox);
    column->addStretch(1);

    connect(m_removal, &QComboBox::activated, this, [this] { Q_EMIT removalChosen(removal()); });
    connect(m_add, &QToolButton::toggled, this, &RemovalPanel::addingChanged);
    connect(m_sets, &QPushButton::clicked, this, &RemovalPanel::setsAsked);
    connect(m_clear, &QToolButton::clicked, this, &RemovalPanel::clearAsked);
    connect(m_sequence, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT sequenceChosen(value); });
    connect(m_previous, &QPushButton::clicked, this, [this] { stepAnswer(-1); });
    connect(m_next, &QPushButton::clicked, this, [this] { stepAnswer(1); });
    setChosen({});
    refreshEffect();
    refreshExample();
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
    m_heads->setText(chosen.empty() ? tr("Click a head in the grid; Ctrl + click adds more.") : names.join(u", "_s));
    m_heads->setVisible(chosen.size() != 1);
    m_clear->setEnabled(!chosen.empty());
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

std::int64_t RemovalPanel::sequence() const
{
    return m_sequence->value();
}

void RemovalPanel::setSequence(std::int64_t sequence)
{
    const QSignalBlocker blocker(m_sequence);
    m_sequence->setValue(static_cast<int>(std::clamp<std::int64_t>(sequence, 0, 999'999)));
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

void RemovalPanel::setExample(std::shared_ptr<const circuit::ExampleUnder> example, bool isCurrent,
                              const QString &failure)
{
    m_example = std::move(example);
    m_isExampleCurrent = isCurrent;
    m_exampleFailure = failure;
    refreshExample();
}

void RemovalPanel::stepAnswer(int step)
{
    if (!m_example || m_example->before.answers.empty())
        return;
    const std::size_t count = m_example->before.answers.size();
    m_answer = (m_answer + count + static_cast<std::size_t>(step + static_cast<int>(count))) % count;
    refreshExample();
}

void RemovalPanel::refreshExample()
{
    const bool isThere = m_example && !m_example->before.answers.empty()
        && m_example->before.answers.size() == m_example->after.answers.size();
    m_exampleBox->setVisible(isThere || !m_exampleFailure.isEmpty());
    m_table->setVisible(isThere);
    m_exampleNote->setText(m_exampleFailure);
    m_exampleNote->setVisible(!m_exampleFailure.isEmpty());
    m_table->setEnabled(m_isExampleCurrent);
    if (!isThere)
        return;
    m_answer = std::min(m_answer, m_example->before.answers.size() - 1);
    const analysis::Answer &before = m_example->before.answers[m_answer];
    const analysis::Answer &after = m_example->after.answers[m_answer];
    const QString key = keyText(m_example->before.sequence, before.entry);
    m_table->setToolTip(tr("Key %1, answer %2 of %3").arg(key).arg(m_answer + 1).arg(m_example->before.answers.size()));
    m_table->setAccessibleDescription(m_table->toolTip());
    const Theme &theme = Theme::forPalette(palette());
    const int digits = static_cast<int>(before.truth.size());
    m_table->setColumnCount(digits + 1);
    const QString names[] = {tr("Truth of %1").arg(key), tr("intact"), tr("probability"), tr("without"),
                             tr("probability")};
    for (int row = 0; row < RowCount; ++row) {
        for (int column = 0; column <= digits; ++column) {
            auto *item = new QTableWidgetItem(column == 0 ? names[row] : QString());
            item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
            const bool isSecond = row == IntactProbability || row == WithoutProbability;
            item->setForeground(isSecond ? theme.secondText : theme.text);
            if (column == 0)
                continue;
            const auto digit = static_cast<std::size_t>(column - 1);
            const int truth = before.truth[digit];
            if (row == Truth) {
                item->setText(tokenText(truth));
                continue;
            }
            const analysis::Answer &answer = row <= IntactProbability ? before : after;
            const int predicted = answer.predicted[digit];
            if (isSecond) {
                const float probability = answer.probabilities[digit][static_cast<std::size_t>(predicted)];
                item->setText(QString::number(static_cast<double>(probability), 'f', 2));
                item->setToolTip(
                    tr("Of the true digit: %1")
                        .arg(QString::number(
                            static_cast<double>(answer.probabilities[digit][static_cast<std::size_t>(truth)]), 'f',
                            3)));
                continue;
            }
            item->setText(tokenText(predicted));
            const bool isRight = predicted == truth;
            QFont strong = font();
            strong.setUnderline(isRight);
            strong.setWeight(isRight ? QFont::DemiBold : QFont::Normal);
            item->setFont(strong);
            item->setForeground(isRight ? theme.right : theme.wrong);
            item->setData(Qt::AccessibleTextRole,
                          isRight ? tr("%1 right").arg(item->text()) : tr("%1 wrong").arg(item->text()));
        }
    }
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
}

void RemovalPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_exampleNote)
        refreshExample();
}

} // namespace lookback::ui
