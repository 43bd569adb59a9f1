// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_example.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QButtonGroup>
#include <QComboBox>
#include <QFormLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/heatmap/colour_bar.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

QComboBox *makeCombo(const char *name, QWidget *parent)
{
    auto *combo = new QComboBox(parent);
    combo->setObjectName(QLatin1StringView(name));
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    combo->setMinimumHeight(28);
    return combo;
}

QSpinBox *makeSpin(const char *name, QWidget *parent)
{
    auto *spin = new QSpinBox(parent);
    spin->setObjectName(QLatin1StringView(name));
    spin->setKeyboardTracking(false); // a half-typed number asks for nothing
    spin->setGroupSeparatorShown(true);
    spin->setMinimumHeight(28);
    return spin;
}

} // namespace

ExamplePanel::ExamplePanel(HeadMapView *view, QWidget *parent)
    : QWidget(parent), m_view(view), m_runs(makeCombo("runs", this)), m_checkpoints(makeCombo("checkpoints", this)),
      m_keys(makeSpin("keys", this)), m_sequence(makeSpin("sequence", this)), m_answers(makeCombo("answers", this)),
      m_digitRow(new QWidget(this)), m_digits(new QButtonGroup(this)), m_headCount(makeNote(this)),
      m_grid(new HeadGrid(this)), m_overview(new MapOverview(view, this)), m_shown(makeNote(this)),
      m_note(makeNote(this))
{
    setObjectName(u"examplePanel"_s);
    m_keys->setRange(1, 1);
    m_keys->setAccessibleName(tr("Keys n"));
    m_keys->setToolTip(tr("Unique keys of the sequence; each appears twice"));
    m_sequence->setRange(0, 999'999);
    m_sequence->setAccessibleName(tr("Sequence"));
    m_sequence->setToolTip(tr("Number of the evaluation sequence; the same for every run"));
    m_digitLayout = new QHBoxLayout(m_digitRow);
    m_digitLayout->setContentsMargins(0, 0, 0, 0);
    m_digitLayout->setSpacing(0);
    m_headCount->setWordWrap(false);
    m_shown->setWordWrap(false);
    m_headCount->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(8);
    column->addWidget(makeTitle(tr("Example"), this));
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(10);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("&Run"), m_runs);
    form->addRow(tr("&Checkpoint"), m_checkpoints);
    auto *pair = new QHBoxLayout;
    pair->setSpacing(8);
    auto *sequenceLabel = new QLabel(tr("Se&q."), this);
    sequenceLabel->setBuddy(m_sequence);
    pair->addWidget(m_keys, 1);
    pair->addWidget(sequenceLabel);
    pair->addWidget(m_sequence, 1);
    auto *keysLabel = new QLabel(tr("&Keys n"), this);
    keysLabel->setBuddy(m_keys);
    form->addRow(keysLabel, pair);
    form->addRow(tr("&Answer"), m_answers);
    form->addRow(tr("Value digit"), m_digitRow);
    column->addLayout(form);
    m_look = new QWidget(this);
    auto *look = new QVBoxLayout(m_look);
    look->setContentsMargins(0, 0, 0, 0);
    look->setSpacing(8);
    look->addWidget(makeHairline(m_look));
    auto *heads = new QHBoxLayout;
    heads->addWidget(makeTitle(tr("Heads"), m_look), 1);
    heads->addWidget(m_headCount);
    look->addLayout(heads);
    look->addWidget(m_grid);
    look->addWidget(makeHairline(m_look));
    look->addWidget(makeTitle(tr("Overview"), m_look));
    auto *overview = new QHBoxLayout;
    overview->setSpacing(10);
    overview->addWidget(m_overview, 0, Qt::AlignTop);
    overview->addWidget(m_shown, 1, Qt::AlignTop);
    look->addLayout(overview);
    look->addWidget(m_note);
    column->addWidget(m_look);
    column->addStretch(1);
    setExample({});

    connect(m_runs, &QComboBox::activated, this, [this](int index) {
        if (index >= 0 && index < static_cast<int>(m_runItems.size()))
            Q_EMIT runChosen(m_runItems[static_cast<std::size_t>(index)].id);
    });
    connect(m_checkpoints, &QComboBox::activated, this,
            [this](int index) { Q_EMIT checkpointChosen(m_checkpoints->itemData(index).toLongLong()); });
    connect(m_keys, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT keysChosen(value); });
    connect(m_sequence, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT sequenceChosen(value); });
    connect(m_answers, &QComboBox::activated, this,
            [this](int index) { Q_EMIT choiceAsked(index, std::max(m_digits->checkedId(), 0)); });
    connect(m_digits, &QButtonGroup::idClicked, this,
            [this](int digit) { Q_EMIT choiceAsked(std::max(m_answer, 0), digit); });
    connect(view, &HeadMapView::viewChanged, this, &ExamplePanel::refreshOverview);
    connect(view, &HeadMapView::valuesChanged, this, &ExamplePanel::refreshOverview);
}

void ExamplePanel::setRuns(const std::vector<RunItem> &runs, const std::string &current)
{
    const QSignalBlocker blocker(m_runs);
    if (runs != m_runItems) {
        m_runItems = runs;
        m_runs->clear();
        for (const RunItem &run : runs)
            m_runs->addItem(run.title);
    }
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&current](const RunItem &run) { return run.id == current; });
    m_runs->setCurrentIndex(found == runs.end() ? -1 : static_cast<int>(found - runs.begin()));
    m_runs->setToolTip(m_runs->currentText());
    m_runs->setEnabled(!runs.empty());
}

void ExamplePanel::setCheckpoints(const std::vector<std::int64_t> &steps, std::int64_t current)
{
    const QSignalBlocker blocker(m_checkpoints);
    m_checkpoints->clear();
    if (!steps.empty())
        m_checkpoints->addItem(tr("newest, step %1").arg(number(steps.back())), QVariant::fromValue<qlonglong>(-1));
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        m_checkpoints->addItem(*step == 0 ? tr("step 0, untrained") : tr("step %1").arg(number(*step)),
                               QVariant::fromValue<qlonglong>(*step));
    m_checkpoints->setCurrentIndex(std::max(0, m_checkpoints->findData(QVariant::fromValue<qlonglong>(current))));
    m_checkpoints->setEnabled(!steps.empty());
    m_checkpoints->setToolTip(steps.empty() ? tr("This run has no checkpoint yet") : m_checkpoints->currentText());
}

void ExamplePanel::setKeys(std::int64_t n_keys, std::int64_t most)
{
    const QSignalBlocker blocker(m_keys);
    m_keys->setRange(1, static_cast<int>(std::min<std::int64_t>(most, std::numeric_limits<int>::max())));
    m_keys->setValue(static_cast<int>(n_keys));
}

void ExamplePanel::setSequence(std::int64_t sequence)
{
    const QSignalBlocker blocker(m_sequence);
    m_sequence->setValue(static_cast<int>(sequence));
}

void ExamplePanel::makeDigitButtons(std::int64_t count)
{
    while (m_digits->buttons().size() > count) {
        QAbstractButton *last = m_digits->button(static_cast<int>(m_digits->buttons().size()) - 1);
        m_digits->removeButton(last);
        delete last;
    }
    for (auto digit = static_cast<int>(m_digits->buttons().size()); digit < count; ++digit) {
        auto *button = new ToggleButton(m_digitRow);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setObjectName(u"valueDigit%1"_s.arg(digit));
        button->setToolTip(tr("The %1 value digit").arg(ordinalWord(digit)));
        m_digits->addButton(button, digit);
        m_digitLayout->addWidget(button);
    }
}

void ExamplePanel::setExample(std::shared_ptr<const analysis::Example> example)
{
    m_example = std::move(example);
    const QSignalBlocker blocker(m_answers);
    m_answers->clear();
    makeDigitButtons(m_example ? m_example->sequence.shape.value_digits : 0);
    m_look->setVisible(m_example != nullptr);
    m_answers->setEnabled(m_example != nullptr);
    m_digitRow->setMinimumHeight(28);
    if (!m_example) {
        m_headCount->clear();
        return;
    }
    const auto count = static_cast<qlonglong>(m_example->answers.size());
    for (qlonglong i = 0; i < count; ++i) {
        const analysis::Answer &answer = m_example->answers[static_cast<std::size_t>(i)];
        const QString key = keyText(m_example->sequence, answer.entry);
        m_answers->addItem(answer.isExact() ? tr("%1 of %2: key %3").arg(number(i + 1), number(count), key)
                                            : tr("%1 of %2: key %3, wrong").arg(number(i + 1), number(count), key));
    }
    m_headCount->setText(tr("%1 layers × %2 heads").arg(m_example->layers.size()).arg(m_example->heads));
}

void ExamplePanel::setChoice(int answer, std::int64_t digit)
{
    m_answer = answer;
    const QSignalBlocker blocker(m_answers);
    m_answers->setCurrentIndex(answer);
    for (QAbstractButton *button : m_digits->buttons()) {
        const int id = m_digits->id(button);
        const bool isKnown = m_example && answer >= 0 && answer < static_cast<int>(m_example->answers.size());
        button->setEnabled(isKnown);
        if (isKnown) {
            const analysis::Answer &chosen = m_example->answers[static_cast<std::size_t>(answer)];
            button->setText(QString::number(chosen.truth[static_cast<std::size_t>(id)]));
            button->setAccessibleName(tr("The %1 value digit, %2").arg(ordinalWord(id), button->text()));
        }
    }
    m_digits->setExclusive(false);
    for (QAbstractButton *button : m_digits->buttons())
        button->setChecked(m_digits->id(button) == digit);
    m_digits->setExclusive(true);
}

void ExamplePanel::refreshOverview()
{
    const PyramidPointer &values = m_view->values();
    if (!values) {
        m_shown->clear();
        m_note->clear();
        return;
    }
    const QRect seen = m_view->visibleCells();
    const QLocale locale;
    const double here = m_overview->cellPixels();
    const auto pixels = [&locale](double cell) { return locale.toString(cell, 'g', 2); };
    QString cell;
    if (here >= 1.0)
        cell = tr("One cell\n%1 × %1 pixels,\n%2 × %2 at right").arg(pixels(here), pixels(m_view->cellPixels()));
    else
        cell = tr("One pixel\n%1 × %1 cells").arg(number(static_cast<std::int64_t>(std::ceil(1.0 / here))));
    m_shown->setText(
        tr("Shown\nqueries %1–%2\nkeys %3–%4\n\n%5\n\nDrag\nto move")
            .arg(number(seen.top()), number(seen.bottom()), number(seen.left()), number(seen.right()), cell));
    const QString size = number(values->shape().queries);
    QString note = values->isSigned()
        ? tr("Each map is %1 × %1. Smaller pictures show the largest magnitude behind a pixel.").arg(size)
        : tr("Each map is %1 × %1. Smaller pictures show the maximum of the cells behind a pixel.").arg(size);
    if (!values->isExact())
        note += u' ' % tr("At this size only heads that you choose are computed.");
    m_note->setText(note);
}

} // namespace lookback::ui
