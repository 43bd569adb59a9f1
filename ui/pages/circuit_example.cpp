// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_example.h"

#include <algorithm>
#include <cmath>

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/charts/number_text.h"
#include "ui/heatmap/map_labels.h"
#include "ui/heatmap/map_thumbnail.h"
#include "ui/models/head_words.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kRowHeight = 22;

enum Row { Truth, Intact, IntactProbability, Without, WithoutProbability, RowCount };

QString tokenText(int token)
{
    return QString(QLatin1Char(task::tokenCharacter(token)));
}

} // namespace

CircuitExample::CircuitExample(QWidget *parent)
    : QWidget(parent), m_sequence(new QSpinBox(this)), m_previous(new QPushButton(u"‹"_s, this)),
      m_next(new QPushButton(u"›"_s, this)), m_table(new QTableWidget(RowCount, 0, this)), m_note(makeNote(this)),
      m_mapBox(new QWidget(this)), m_map(new MapThumbnail(m_mapBox)), m_mapTitle(makeNote(m_mapBox)),
      m_mapWords(makeNote(m_mapBox))
{
    setObjectName(u"circuitExample"_s);
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
    m_map->setToolTip(tr("Look at this head and sequence on the Attention page"));
    m_mapTitle->setObjectName(u"mapTitle"_s);
    m_mapWords->setObjectName(u"mapWords"_s);

    auto *head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(makeTitle(tr("On the example"), this));
    head->addStretch(1);
    head->addWidget(m_sequence);
    head->addWidget(m_previous);
    head->addWidget(m_next);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_mapTitle);
    words->addWidget(m_mapWords);
    words->addStretch(1);
    auto *mapRow = new QHBoxLayout(m_mapBox);
    mapRow->setContentsMargins(0, 0, 0, 0);
    mapRow->setSpacing(8);
    mapRow->addWidget(m_map, 0, Qt::AlignTop);
    mapRow->addLayout(words, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(m_table);
    column->addWidget(m_note);
    column->addWidget(m_mapBox);

    connect(m_sequence, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT sequenceChosen(value); });
    connect(m_previous, &QPushButton::clicked, this, [this] { stepAnswer(-1); });
    connect(m_next, &QPushButton::clicked, this, [this] { stepAnswer(1); });
    connect(m_map, &QAbstractButton::clicked, this, [this] {
        if (const analysis::Answer *one = answer())
            Q_EMIT exampleChosen(one->entry);
    });
    refresh();
}

std::int64_t CircuitExample::sequence() const
{
    return m_sequence->value();
}

void CircuitExample::setSequence(std::int64_t sequence)
{
    const QSignalBlocker blocker(m_sequence);
    m_sequence->setValue(static_cast<int>(std::clamp<std::int64_t>(sequence, 0, 999'999)));
}

void CircuitExample::setChosen(const std::vector<circuit::HeadId> &chosen)
{
    m_chosen = chosen;
    refresh();
}

void CircuitExample::setExample(std::shared_ptr<const circuit::ExampleUnder> example, bool isCurrent,
                                const QString &failure)
{
    m_example = std::move(example);
    m_isCurrent = isCurrent;
    m_failure = failure;
    refresh();
}

void CircuitExample::setMap(std::shared_ptr<const analysis::HeadMap> map, bool isCurrent, const QString &note)
{
    m_map->setMap(std::move(map));
    m_isMapCurrent = isCurrent;
    m_mapNote = note;
    refreshMap();
}

const analysis::Answer *CircuitExample::answer() const
{
    const bool isThere = m_example && !m_example->before.answers.empty()
        && m_example->before.answers.size() == m_example->after.answers.size();
    return isThere ? &m_example->before.answers[std::min(m_answer, m_example->before.answers.size() - 1)] : nullptr;
}

void CircuitExample::stepAnswer(int step)
{
    if (!answer())
        return;
    const std::size_t count = m_example->before.answers.size();
    m_answer =
        (std::min(m_answer, count - 1) + count + static_cast<std::size_t>(step + static_cast<int>(count))) % count;
    refresh();
}

void CircuitExample::refresh()
{
    const bool isThere = answer() != nullptr;
    setVisible(isThere || !m_failure.isEmpty());
    m_table->setVisible(isThere);
    m_note->setText(m_failure);
    m_note->setVisible(!m_failure.isEmpty());
    m_table->setEnabled(m_isCurrent);
    if (isThere)
        fillTable();
    refreshMap();
}

void CircuitExample::fillTable()
{
    const analysis::Answer &before = *answer();
    const analysis::Answer &after =
        m_example->after.answers[static_cast<std::size_t>(&before - m_example->before.answers.data())];
    const QString key = keyText(m_example->before.sequence, before.entry);
    m_table->setToolTip(tr("Key %1, answer %2 of %3, step %4")
                            .arg(key)
                            .arg(&before - m_example->before.answers.data() + 1)
                            .arg(m_example->before.answers.size())
                            .arg(countText(m_example->before.key.step)));
    m_table->setAccessibleDescription(m_table->toolTip());
    const Theme &theme = Theme::forPalette(palette());
    const int digits = static_cast<int>(before.truth.size());
    m_table->setColumnCount(digits + 1);
    const int rows = m_chosen.empty() ? Without : RowCount;
    m_table->setFixedHeight(rows * m_table->verticalHeader()->defaultSectionSize() + 2);
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

void CircuitExample::refreshMap()
{
    const std::shared_ptr<const analysis::HeadMap> &map = m_map->map();
    const analysis::Answer *one = answer();
    m_mapBox->setVisible(one && !m_chosen.empty() && (map || !m_mapNote.isEmpty()));
    m_map->setVisible(map != nullptr);
    if (!one || m_chosen.empty())
        return;
    m_mapTitle->setVisible(map != nullptr);
    if (!map) {
        m_mapWords->setText(m_mapNote);
        return;
    }
    const analysis::Example &example = m_example->before;
    const bool isOfExample = m_isMapCurrent && m_isCurrent && map->queries == example.positions;
    m_map->setStale(!isOfExample);
    if (!isOfExample)
        return; // words and frames stay with the picture
    const circuit::HeadId id{map->layer, map->head};
    m_mapTitle->setText(tr("Map of %1, step %2").arg(headName(id), countText(example.key.step)));
    m_map->setAccessibleName(m_mapTitle->text());
    std::vector<MapCell> cells;
    QStringList weights;
    int strongest = 0;
    const auto digits = static_cast<std::int64_t>(one->truth.size());
    for (std::int64_t digit = 0; digit < digits; ++digit) {
        const MapCell cell{example.sequence.predictionPosition(one->entry, digit),
                           example.sequence.predictionPosition(one->firstEntry, digit) + 1};
        cells.push_back(cell);
        weights << QString::number(static_cast<double>(map->at(cell.query, cell.key)), 'f', 2);
        const float *row = map->weights.data() + cell.query * map->keys;
        const auto isLess = [](float a, float b) { return std::abs(a) < std::abs(b); };
        strongest += std::max_element(row, row + map->keys, isLess) - row == cell.key ? 1 : 0;
    }
    m_map->setCells(std::move(cells));
    m_mapWords->setText(tr("Framed: where the digits stand.\nWeight there: %1.\nStrongest key: %2 of %3.")
                            .arg(weights.join(u", "_s))
                            .arg(strongest)
                            .arg(digits));
    m_map->setAccessibleDescription(m_mapWords->text());
}

void CircuitExample::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_mapWords)
        refresh();
}

} // namespace lookback::ui
