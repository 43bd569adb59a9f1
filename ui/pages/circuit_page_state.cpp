// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the circuit page shows of the answers: grid, table, removal, titles; its figures and what is remembered.
#include <algorithm>
#include <limits>

#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTableView>

#include "ui/charts/number_text.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/dialogs/smallest_sets_dialog.h"
#include "ui/figures/circuit_figures.h"
#include "ui/models/head_table_model.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_page.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;

void CircuitPage::take(CircuitPart part)
{
    switch (part) {
    case CircuitPart::Heads:
    case CircuitPart::Grid:
        showEmptyStateIfNeeded();
        refreshHeads();
        if (part == CircuitPart::Grid && !m_isChosenByUser && m_loader.isCurrent(part))
            chooseLargest();
        Q_EMIT abilitiesChanged();
        break;
    case CircuitPart::Knockout:
    case CircuitPart::Example:
        refreshRemoval();
        break;
    case CircuitPart::Timeline:
        m_timeline->setTimeline(m_loader.timeline(), m_loader.isPending(part), m_loader.failure(part));
        break;
    case CircuitPart::Sets:
        if (m_sets)
            m_sets->setSets(m_loader.sets(), m_loader.isPending(part), m_loader.failure(part));
        break;
    case CircuitPart::Failures:
        m_failures->setFailures(m_loader.failures(), m_loader.isPending(part), m_loader.failure(part));
        refreshTitles();
        break;
    }
}

void CircuitPage::refreshHeads()
{
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    // Effects of another model say nothing about these heads.
    std::shared_ptr<const circuit::KnockoutGrid> effects = m_loader.grid();
    if (effects && heads && effects->heads.size() != heads->heads.size())
        effects.reset();
    if (heads)
        m_grid->setCells(headCells(*heads, effects.get(), m_quantity));
    else
        m_grid->setCells({});
    m_grid->setQuantity(m_quantity ? quantityTitle(m_quantity).toLower() : tr("change in points when removed"));
    const bool isCurrent =
        m_loader.isCurrent(CircuitPart::Heads) && (m_quantity || m_loader.isCurrent(CircuitPart::Grid));
    m_grid->setStale(heads && !isCurrent);
    m_key->setVisible(!m_quantity);
    // The table takes only effects that belong to its checkpoint.
    const bool isEffectOfHeads =
        effects && heads && effects->step == heads->step && effects->request.n_keys == heads->request.n_keys;
    m_isSelecting = true;
    m_model->setHeads(heads, isEffectOfHeads ? effects : nullptr);
    m_isSelecting = false;
    m_table->setEnabled(m_loader.isCurrent(CircuitPart::Heads));
    refreshSelection();
    refreshTitles();
}

void CircuitPage::chooseLargest()
{
    const circuit::HeadEffect *largest = nullptr;
    for (const circuit::HeadEffect &effect : m_loader.grid()->heads) {
        if (effect.point.difference.isDistinguishable
            && (!largest || effect.point.difference.difference < largest->point.difference.difference))
            largest = &effect;
    }
    if (largest)
        setChosen({largest->id});
}

void CircuitPage::refreshTitles()
{
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    m_gridTitle->setText(m_quantity ? quantityTitle(m_quantity) : tr("Every head removed alone"));
    const std::shared_ptr<const circuit::KnockoutGrid> &grid = m_loader.grid();
    const QString &reason = m_loader.failure(CircuitPart::Grid);
    if (!m_quantity && !reason.isEmpty())
        m_gridNote->setText(reason);
    else if (!m_quantity && !grid)
        m_gridNote->setText(m_loader.isBusy() ? tr("being measured") : tr("not measured"));
    else if (heads)
        m_gridNote->setText(tr("%1, step %2", "quantity, step")
                                .arg(quantityNote(m_quantity, heads->request.n_keys),
                                     countText(m_quantity ? heads->step : grid->step)));
    else
        m_gridNote->setText({});
    const bool isFailures = m_below->currentIndex() == 1;
    m_filter->setVisible(!isFailures);
    if (isFailures) {
        m_tableNote->setText(m_failures->summary());
    } else if (heads) {
        m_tableNote->setText(tr("%1 at step %2, n = %3, %4 sequences; ± is the 95 % interval")
                                 .arg(heads->heads.size())
                                 .arg(countText(heads->step))
                                 .arg(heads->request.n_keys)
                                 .arg(countText(heads->request.sequences)));
    } else {
        m_tableNote->setText({});
    }
    if (isVisible()) {
        QStringList parts;
        if (m_chosen.size() == 1)
            parts << headPhrase(m_chosen.front());
        if (m_step >= 0)
            parts << tr("step %1, %2 checkpoints").arg(countText(m_step)).arg(m_knownSteps.size());
        parts << tr("Arrows: head") << tr("Ctrl + click, Space: add a head") << tr("Delete: remove nothing");
        Q_EMIT statusChanged(parts.join(u"   |   "_s));
    }
}

void CircuitPage::refreshRemoval()
{
    m_removal->setEffect(m_loader.knockout(), m_loader.isCurrent(CircuitPart::Knockout),
                         m_loader.isPending(CircuitPart::Knockout), m_loader.failure(CircuitPart::Knockout));
    m_removal->setExample(m_loader.example(), m_loader.isCurrent(CircuitPart::Example),
                          m_loader.failure(CircuitPart::Example));
}

void CircuitPage::setChosen(const std::vector<HeadId> &chosen)
{
    m_chosen = chosen;
    m_grid->setChosen(chosen);
    m_timeline->setChosen(chosen);
    m_removal->setChosen(chosen);
    Q_EMIT circuitHeadsChanged({.heads = m_chosen, .removal = m_removalKind});
    m_loader.setRemoved(chosen);
    refreshSelection();
    refreshTitles();
}

void CircuitPage::refreshSelection()
{
    if (m_isSelecting)
        return;
    m_isSelecting = true;
    QItemSelection selection;
    for (const HeadId &id : m_chosen) {
        const QModelIndex index = m_proxy->mapFromSource(m_model->index(m_model->rowOf(id), 0));
        if (index.isValid())
            selection.select(index, index);
    }
    m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!selection.isEmpty()) {
        const QModelIndex last = selection.last().topLeft();
        m_table->selectionModel()->setCurrentIndex(last, QItemSelectionModel::NoUpdate);
        m_table->scrollTo(last);
    }
    m_isSelecting = false;
}

void CircuitPage::takeTableSelection()
{
    if (m_isSelecting)
        return;
    std::vector<HeadId> chosen;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &index : rows)
        chosen.push_back(m_model->idAt(m_proxy->mapToSource(index).row()));
    m_isChosenByUser = true;
    m_isSelecting = true; // it is selected already
    setChosen(chosen);
    m_isSelecting = false;
}

void CircuitPage::showFailures(bool isOn)
{
    m_headsTab->setChecked(!isOn);
    m_failuresTab->setChecked(isOn);
    m_below->setCurrentIndex(isOn ? 1 : 0);
    refreshTitles();
}

void CircuitPage::searchSets()
{
    if (!m_sets) {
        m_sets = new SmallestSetsDialog(this);
        m_sets->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_sets, &SmallestSetsDialog::headsChosen, this, [this](const std::vector<HeadId> &heads) {
            m_isChosenByUser = true;
            m_removalKind = circuit::Removal::Mean; // as the search removed them
            m_removal->setRemoval(m_removalKind);
            setChosen(heads);
            reload();
        });
        connect(m_sets, &QDialog::finished, this, [this] { m_loader.cancel(CircuitPart::Sets); });
    }
    if (!m_loader.isCurrent(CircuitPart::Sets))
        m_loader.searchSets();
    m_sets->setSets(m_loader.sets(), m_loader.isPending(CircuitPart::Sets), m_loader.failure(CircuitPart::Sets));
    m_sets->open();
}

void CircuitPage::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Delete && !m_chosen.empty()) {
        m_isChosenByUser = true;
        setChosen({});
        return;
    }
    Page::keyPressEvent(event);
}

// --- figures, numbers, between sessions ---

std::unique_ptr<Figure> CircuitPage::figure() const
{
    if (!m_loader.heads())
        return nullptr;
    CircuitFigureInput input;
    input.heads = m_loader.heads();
    if (m_loader.grid() && m_loader.grid()->step == input.heads->step
        && m_loader.grid()->heads.size() == input.heads->heads.size())
        input.grid = m_loader.grid();
    input.timeline = m_loader.timeline();
    input.quantity = m_quantity;
    input.chosen = m_chosen;
    if (const RunCollection::Run *run = m_collection->find(m_run)) {
        input.run.id = QString::fromStdString(run->snapshot.name);
        input.run.title = run->title;
        input.run.record = run->snapshot.record;
        input.run.styleIndex = run->styleIndex;
        if (const model::VariantInfo *variant = m_collection->variant(run->snapshot.record.config.variant)) {
            input.run.family = variant->family;
            input.run.logits = variant->logits;
        }
        input.metrics = run->metrics();
    }
    if (!input.quantity && !input.grid)
        input.quantity = circuit::HeadMeasure::Retrieval;
    switch (m_figureKind) {
    case FigureKind::Grid:
        break;
    case FigureKind::Timeline:
        if (input.timeline && !input.timeline->empty())
            return makeTimelineFigure(std::move(input));
        break;
    case FigureKind::Table:
        return makeHeadTableFigure(std::move(input));
    }
    return makeHeadGridFigure(std::move(input));
}

void CircuitPage::showNumbers()
{
    const FigureKind before = std::exchange(m_figureKind, FigureKind::Table);
    const std::unique_ptr<Figure> figure = this->figure();
    m_figureKind = before;
    if (!figure)
        return;
    auto *dialog = new NumbersDialog(*figure, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

QVariantMap CircuitPage::viewState() const
{
    QVariantMap state{{u"sequences"_s, static_cast<qlonglong>(m_sequences)},
                      {u"removal"_s, static_cast<int>(m_removalKind)},
                      {u"quantity"_s, m_quantity ? static_cast<int>(*m_quantity) : -1},
                      {u"sequence"_s, static_cast<qlonglong>(m_removal->sequence())}};
    if (m_keys)
        state.insert(u"keys"_s, static_cast<qlonglong>(*m_keys));
    return state;
}

void CircuitPage::restoreViewState(const QVariantMap &state)
{
    setSequences(state.value(u"sequences"_s, static_cast<qlonglong>(m_sequences)).toLongLong());
    m_removalKind = static_cast<circuit::Removal>(std::clamp(state.value(u"removal"_s).toInt(), 0, 2));
    m_removal->setRemoval(m_removalKind);
    const int quantity = state.value(u"quantity"_s, -1).toInt();
    setQuantity(quantity >= 0 && quantity < static_cast<int>(circuit::kHeadMeasures)
                    ? GridQuantity(static_cast<circuit::HeadMeasure>(quantity))
                    : GridQuantity());
    if (const std::int64_t keys = state.value(u"keys"_s).toLongLong(); keys > 0)
        setKeys(std::min<std::int64_t>(keys, m_keysField->maximum()));
    m_removal->setSequence(state.value(u"sequence"_s).toLongLong());
    m_loader.setSequence(m_removal->sequence());
}

} // namespace lookback::ui
