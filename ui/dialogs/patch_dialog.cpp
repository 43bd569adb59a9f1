// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/patch_dialog.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;

namespace {

constexpr qsizetype kNamed = 4; // heads named in the list of choices
enum Column { Head, Moved, Interval, Flipped, ColumnCount };
constexpr int kSortRole = Qt::UserRole;
constexpr int kEffectRole = Qt::UserRole + 1; ///< Place among the effects.

/// Sorts by the raw number.
class NumberItem : public QTableWidgetItem {
public:
    using QTableWidgetItem::QTableWidgetItem;
    bool operator<(const QTableWidgetItem &other) const override
    {
        return data(kSortRole).toDouble() < other.data(kSortRole).toDouble();
    }
};

QString namesOf(const std::vector<HeadId> &heads)
{
    QStringList names;
    for (const HeadId &id : heads)
        names << headName(id);
    if (const qsizetype more = names.size() - kNamed; more > 0)
        names = names.mid(0, kNamed) << PatchDialog::tr("%1 more").arg(more);
    return names.join(u", "_s);
}

} // namespace

QString movedText(double share)
{
    const double percent = 100.0 * share;
    QString text = QString::number(std::abs(percent), 'f', std::abs(percent) < 9.95 ? 1 : 0);
    if (percent < 0.0 && text.toDouble() != 0.0)
        text.prepend(u'\u2212');
    return text % u"\u202F%"_s;
}

bool isMoved(const circuit::Measured &moved)
{
    return moved.low > 0.0 || moved.high < 0.0;
}

QString patchText(const circuit::PatchEffect &effect, std::int64_t pairs)
{
    if (!effect.moved)
        return PatchDialog::tr("There is nothing to move.");
    const bool hasInterval = std::isfinite(effect.moved->low) && std::isfinite(effect.moved->high);
    const QString words =
        PatchDialog::tr("95 % interval %1 to %2, %n pairs; in %3 of them the answer becomes that of B", "",
                        static_cast<int>(pairs))
            .arg(hasInterval ? movedText(effect.moved->low) : u"–"_s,
                 hasInterval ? movedText(effect.moved->high) : u"–"_s, countText(effect.flipped));
    return isMoved(*effect.moved) ? words : PatchDialog::tr("Not distinguishable here: %1").arg(words);
}

PatchDialog::PatchDialog(QWidget *parent)
    : QDialog(parent), m_difference(new QComboBox(this)), m_part(new QComboBox(this)), m_heads(new QComboBox(this)),
      m_keys(new QSpinBox(this)), m_sequences(new QSpinBox(this)), m_patch(new PrimaryButton(this)),
      m_busy(new BusyStrip(this)), m_headline(new QLabel(this)), m_interval(new QLabel(this)), m_pairs(makeNote(this)),
      m_table(new QTableWidget(0, ColumnCount, this)), m_choose(new QPushButton(tr("Choose these heads"), this))
{
    setObjectName(u"patchDialog"_s);
    setWindowTitle(tr("Patch heads"));
    auto *what = makeNote(this);
    what->setText(
        tr("The model reads a sequence A while some heads do what they do on a sequence B that differs in one "
           "place. How much of the answer goes over from that of A to that of B?"));
    m_difference->setObjectName(u"patchDifference"_s);
    m_difference->addItem(tr("another digit in the value that is asked for"),
                          static_cast<int>(circuit::PatchDifference::Value));
    m_difference->addItem(tr("another key in the question"), static_cast<int>(circuit::PatchDifference::Key));
    m_part->setObjectName(u"patchPart"_s);
    m_part->addItem(tr("the pattern: where the heads look"), static_cast<int>(circuit::PatchPart::Pattern));
    m_part->addItem(tr("the output: what the heads add"), static_cast<int>(circuit::PatchPart::Output));
    m_heads->setObjectName(u"patchHeadsOf"_s);
    m_keys->setObjectName(u"patchKeys"_s);
    m_keys->setMinimum(2);
    m_keys->setGroupSeparatorShown(true);
    m_sequences->setObjectName(u"patchSequences"_s);
    m_sequences->setRange(2, 4096);
    m_sequences->setGroupSeparatorShown(true);
    m_sequences->setToolTip(tr("Pairs of sequences; those that the model does not answer rightly are left out"));
    m_patch->setObjectName(u"patchButton"_s);
    m_patch->setText(tr("Patch"));
    m_patch->setPrimary(true);
    m_busy->setObjectName(u"patchBusy"_s);
    m_headline->setObjectName(u"patchHeadline"_s);
    m_headline->setTextFormat(Qt::RichText);
    m_interval->setObjectName(u"patchInterval"_s);
    m_pairs->setObjectName(u"patchPairs"_s);
    for (QLabel *label : {m_headline, m_interval, m_pairs}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_choose->setObjectName(u"patchChoose"_s);
    m_choose->setToolTip(tr("The selected rows become the chosen heads of the page"));
    m_table->setObjectName(u"patchTable"_s);
    m_table->setAccessibleName(tr("What each head moves alone"));
    m_table->setHorizontalHeaderLabels({tr("Head"), tr("Moves"), tr("95 % interval"), tr("Answers of B")});
    for (int column = 0; column < ColumnCount; ++column)
        m_table->horizontalHeaderItem(column)->setTextAlignment((column == Head ? Qt::AlignLeft : Qt::AlignRight)
                                                                | Qt::AlignVCenter);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(std::max(24, fontMetrics().height() + 6));
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setMinimumHeight(9 * m_table->verticalHeader()->defaultSectionSize());

    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setVerticalSpacing(8);
    const std::pair<QString, QWidget *> fields[] = {{tr("&B has"), m_difference},
                                                    {tr("&Taken from B"), m_part},
                                                    {tr("&Heads"), m_heads},
                                                    {tr("&Keys n"), m_keys},
                                                    {tr("&Sequences"), m_sequences}};
    for (const auto &[title, field] : fields) {
        field->setMinimumHeight(28);
        form->addRow(makeFieldLabel(title, field, this), field);
    }
    auto *go = new QHBoxLayout;
    go->addWidget(m_patch);
    go->addWidget(m_busy, 1);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *foot = new QHBoxLayout;
    foot->addWidget(m_choose);
    foot->addWidget(buttons, 1);
    auto *column = new QVBoxLayout(this);
    column->setSpacing(8);
    column->addWidget(what);
    column->addLayout(form);
    column->addLayout(go);
    column->addWidget(makeHairline(this));
    column->addWidget(m_headline);
    column->addWidget(m_interval);
    column->addWidget(m_pairs);
    column->addWidget(m_table, 1);
    column->addStretch(0);
    column->addLayout(foot);
    // Enter is Patch also when the focus went elsewhere because it was disabled.
    for (QPushButton *button : {static_cast<QPushButton *>(buttons->button(QDialogButtonBox::Close)), m_choose})
        button->setAutoDefault(false);
    m_patch->setDefault(true);
    setMinimumWidth(480);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_patch, &QPushButton::clicked, this, [this] { Q_EMIT asked(request()); });
    connect(m_busy, &BusyStrip::cancelAsked, this, &PatchDialog::cancelAsked);
    connect(m_choose, &QPushButton::clicked, this, &PatchDialog::chooseRows);
    connect(m_table, &QTableWidget::itemSelectionChanged, this,
            [this] { m_choose->setEnabled(!m_table->selectedItems().isEmpty()); });
    showResult();
}

void PatchDialog::setRequest(const circuit::PatchRequest &request, std::int64_t mostKeys)
{
    m_chosen = request.heads;
    m_heads->clear();
    if (!m_chosen.empty())
        m_heads->addItem(m_chosen.size() == 1 ? headPhrase(m_chosen.front())
                                              : tr("%1 heads together: %2").arg(m_chosen.size()).arg(namesOf(m_chosen)),
                         true);
    m_heads->addItem(tr("each head alone"), false);
    m_heads->setCurrentIndex(0);
    m_difference->setCurrentIndex(m_difference->findData(static_cast<int>(request.difference)));
    m_part->setCurrentIndex(m_part->findData(static_cast<int>(request.part)));
    m_keys->setMaximum(static_cast<int>(std::clamp<std::int64_t>(mostKeys, 2, 1'000'000)));
    m_keys->setValue(static_cast<int>(request.n_keys));
    m_sequences->setValue(static_cast<int>(request.sequences));
}

circuit::PatchRequest PatchDialog::request() const
{
    return {.heads = m_heads->currentData().toBool() ? m_chosen : std::vector<HeadId>(),
            .part = static_cast<circuit::PatchPart>(m_part->currentData().toInt()),
            .difference = static_cast<circuit::PatchDifference>(m_difference->currentData().toInt()),
            .n_keys = m_keys->value(),
            .sequences = m_sequences->value()};
}

void PatchDialog::setProgress(const QString &words, std::optional<double> fraction)
{
    m_busy->setState(words, fraction);
}

void PatchDialog::setResult(std::shared_ptr<const circuit::PatchResult> result, bool isPending, const QString &failure)
{
    m_result = std::move(result);
    m_isPending = isPending;
    m_failure = failure;
    showResult();
}

void PatchDialog::showResult()
{
    if (m_isPending && m_patch->hasFocus())
        m_isFocusLent = true;
    m_patch->setEnabled(!m_isPending);
    if (!m_isPending && std::exchange(m_isFocusLent, false))
        m_patch->setFocus();
    const bool isList = m_result && m_result->effects.size() > 1;
    m_table->setVisible(isList);
    m_choose->setVisible(isList);
    m_headline->setVisible(m_result != nullptr);
    m_pairs->setVisible(m_result != nullptr);
    if (!m_result) {
        m_interval->setText(!m_failure.isEmpty() ? m_failure
                                : m_isPending    ? tr("Being measured…")
                                                 : tr("What moves will be here."));
        setTone(m_interval, m_failure.isEmpty() ? Tone::Second : Tone::Wrong);
        fitHeight();
        return;
    }
    const circuit::PatchResult &result = *m_result;
    m_pairs->setText(
        tr("Step %1, n = %2. Of %3 pairs the model answers %4 rightly on both sequences; the others are left "
           "out. Between the two answers lie %5 in logit difference.")
            .arg(countText(result.step), countText(result.request.n_keys), countText(result.tried),
                 countText(result.sequences), QString::number(result.logitDifference, 'f', 1)));
    // The largest effect is the headline of a list.
    const auto strength = [](const circuit::PatchEffect &effect) {
        return effect.moved && isMoved(*effect.moved) ? effect.moved->value : -1e9;
    };
    const auto best = std::ranges::max_element(result.effects, {}, strength);
    if (result.sequences == 0 || best == result.effects.end() || !best->moved) {
        m_headline->setText(tr("There is nothing to move"));
        m_interval->setText(tr("The model answers none of the pairs rightly on both sequences."));
        setTone(m_interval, Tone::Second);
    } else {
        const QString large =
            u"<span style=\"font-size:%1pt\">%2</span>"_s.arg(QString::number(font().pointSizeF() * 1.25, 'f', 1));
        const bool isFirm = isMoved(*best->moved);
        const QString moved = movedText(best->moved->value);
        m_headline->setText(large.arg(
            isList && !isFirm ? tr("No head alone moves the answer distinguishably")
                : isList ? tr("%1 moves <b>%2</b> of the answer, most of all").arg(headName(best->heads.front()), moved)
                         : tr("<b>%1</b> of the answer moves to that of B").arg(moved)));
        m_interval->setText(patchText(*best, result.sequences));
        setTone(m_headline, isFirm ? Tone::Text : Tone::Second);
        setTone(m_interval, isFirm ? Tone::Text : Tone::Second);
    }
    if (isList)
        fillTable();
    fitHeight();
}

void PatchDialog::fitHeight()
{
    // Words that wrap are higher than the layout's least height reckons with.
    layout()->activate();
    resize(width(), std::max(height(), layout()->totalHeightForWidth(width())));
}

void PatchDialog::fillTable()
{
    const Theme &theme = Theme::forPalette(palette());
    m_table->setSortingEnabled(false);
    m_table->setRowCount(static_cast<int>(m_result->effects.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const circuit::PatchEffect &effect = m_result->effects[static_cast<std::size_t>(row)];
        const bool isFirm = effect.moved && isMoved(*effect.moved);
        const QString interval = effect.moved && std::isfinite(effect.moved->low)
            ? tr("%1 to %2").arg(movedText(effect.moved->low), movedText(effect.moved->high))
            : u"–"_s;
        const QString texts[] = {headName(effect.heads.front()), effect.moved ? movedText(effect.moved->value) : u"–"_s,
                                 interval,
                                 tr("%1 of %2").arg(countText(effect.flipped), countText(m_result->sequences))};
        const double numbers[] = {static_cast<double>(row), effect.moved ? effect.moved->value : -1e9,
                                  effect.moved ? effect.moved->low : -1e9, static_cast<double>(effect.flipped)};
        for (int column = 0; column < ColumnCount; ++column) {
            auto *item = new NumberItem(texts[column]);
            item->setTextAlignment((column == Head ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            item->setData(kSortRole, numbers[column]);
            item->setData(kEffectRole, row);
            if (!isFirm && column != Head) {
                item->setForeground(theme.secondText);
                item->setToolTip(tr("Not distinguishable here: the interval holds 0"));
            }
            m_table->setItem(row, column, item);
        }
    }
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(Moved, Qt::DescendingOrder);
    m_table->scrollToTop();
    m_choose->setEnabled(!m_table->selectedItems().isEmpty());
}

void PatchDialog::chooseRows()
{
    std::vector<HeadId> heads;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &index : rows) {
        const int effect = m_table->item(index.row(), Head)->data(kEffectRole).toInt();
        heads.push_back(m_result->effects[static_cast<std::size_t>(effect)].heads.front());
    }
    if (!heads.empty())
        Q_EMIT headsChosen(heads);
}

} // namespace lookback::ui
