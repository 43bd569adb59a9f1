// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the circuit page shows of the answers: grid, table, removal, titles; its dialogs.
#include <algorithm>
#include <limits>

#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QStackedWidget>

#include "ui/charts/number_text.h"
#include "ui/dialogs/patch_dialog.h"
#include "ui/dialogs/smallest_sets_dialog.h"
#include "ui/models/head_table_model.h"
#include "ui/models/context_words.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_example.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_head_table.h"
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
    case CircuitPart::Map:
        refreshRemoval();
        break;
    case CircuitPart::Context:
        refreshContext();
        break;
    case CircuitPart::Patch:
        showPatched();
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

std::shared_ptr<const circuit::KnockoutGrid> CircuitPage::shownEffects() const
{
    // Effects of another model say nothing about these heads.
    const std::shared_ptr<const circuit::KnockoutGrid> &effects = m_loader.grid();
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    return effects && heads && effects->heads.size() != heads->heads.size() ? nullptr : effects;
}

std::shared_ptr<const circuit::KnockoutGrid> CircuitPage::effectsOfHeads() const
{
    const std::shared_ptr<const circuit::KnockoutGrid> effects = shownEffects();
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    const bool isOfHeads = effects && heads && effects->step == heads->step
        && effects->request.n_keys == heads->request.n_keys
        && effects->request.sequences == heads->request.sequences
        // Heads come first: until the removals follow, those there are may be of another run.
        && (m_loader.isCurrent(CircuitPart::Grid) || !m_loader.isCurrent(CircuitPart::Heads));
    return isOfHeads ? effects : nullptr;
}

void CircuitPage::refreshHeads()
{
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    const std::shared_ptr<const circuit::KnockoutGrid> effects = shownEffects();
    const GridQuantity quantity = shownQuantity();
    if (heads)
        m_grid->setCells(headCells(*heads, effects.get(), quantity));
    else
        m_grid->setCells({});
    m_grid->setQuantity(quantity ? quantityTitle(quantity).toLower() : tr("change in points when removed"));
    const bool isCurrent =
        m_loader.isCurrent(CircuitPart::Heads) && (quantity || m_loader.isCurrent(CircuitPart::Grid));
    m_grid->setStale(heads && !isCurrent);
    m_key->setVisible(!quantity);
    m_isSelecting = true;
    m_model->setHeads(heads, effectsOfHeads());
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
    settleView();
}

GridQuantity CircuitPage::shownQuantity() const
{
    // Removals are known at few checkpoints, the heads at all that are played.
    return m_quantity || !m_timeline->isPlaying() ? m_quantity : circuit::HeadMeasure::SourceWeight;
}

void CircuitPage::refreshTitles()
{
    const std::shared_ptr<const circuit::HeadTable> &heads = m_loader.heads();
    const GridQuantity quantity = shownQuantity();
    m_gridTitle->setText(quantity ? quantityTitle(quantity) : tr("Every head removed alone"));
    // Each says what its own numbers are of: while something else is measured, the old ones stay.
    const std::shared_ptr<const circuit::KnockoutGrid> grid = shownEffects();
    const QString &reason = m_loader.failure(CircuitPart::Grid);
    if (!quantity && !reason.isEmpty())
        m_gridNote->setText(reason);
    else if (!quantity && !grid)
        m_gridNote->setText(m_loader.isBusy() ? tr("being measured") : tr("not measured"));
    else if (!quantity)
        m_gridNote->setText(tr("n = %1, step %2, %3; %4", "keys, step, what a removed head does instead, unit")
                                .arg(grid->request.n_keys)
                                .arg(countText(grid->step), removalWords(grid->request.removal), quantityUnit({})));
    else if (heads)
        m_gridNote->setText(tr("n = %1, step %2; %3", "keys, step, unit")
                                .arg(heads->request.n_keys)
                                .arg(countText(heads->step), quantityUnit(quantity)));
    else
        m_gridNote->setText({});
    const auto below = static_cast<Below>(m_below->currentIndex());
    m_filter->setVisible(below == Below::Heads);
    m_context->controls()->setVisible(below == Below::Context);
    if (below == Below::Failures) {
        m_tableNote->setText(m_failures->summary());
    } else if (below == Below::Context) {
        m_tableNote->setText(m_context->summary());
    } else if (heads) {
        const std::shared_ptr<const circuit::KnockoutGrid> effects = effectsOfHeads();
        QStringList parts{tr("%1 at step %2, n = %3, %4 sequences")
                              .arg(heads->heads.size())
                              .arg(countText(heads->step))
                              .arg(heads->request.n_keys)
                              .arg(countText(heads->request.sequences))};
        if (effects)
            parts << tr("removed: %1", "what the heads do instead").arg(removalWords(effects->request.removal));
        m_tableNote->setText((parts << tr("± is the 95 % interval")).join(u"; "_s));
    } else {
        m_tableNote->setText({});
    }
    if (isVisible()) {
        QStringList parts;
        if (m_chosen.size() == 1)
            parts << headPhrase(m_chosen.front());
        if (m_step >= 0)
            parts << tr("step %1, %2 checkpoints").arg(countText(m_step)).arg(m_knownSteps.size());
        parts << tr("Drag, Shift: several heads") << tr("Ctrl, Space: add") << tr("Titles, L, H: layer, column")
              << tr("Delete: none");
        Q_EMIT statusChanged(parts.join(u"   |   "_s));
    }
}

void CircuitPage::refreshRemoval()
{
    m_removal->setEffect(m_loader.knockout(), m_loader.isCurrent(CircuitPart::Knockout),
                         m_loader.isPending(CircuitPart::Knockout), m_loader.failure(CircuitPart::Knockout));
    CircuitExample *example = m_removal->example();
    example->setExample(m_loader.example(), m_loader.isCurrent(CircuitPart::Example),
                        m_loader.failure(CircuitPart::Example));
    example->setMap(m_loader.map(), m_loader.isCurrent(CircuitPart::Map),
                    m_loader.hasMap() ? m_loader.failure(CircuitPart::Map)
                                      : tr("Its map is shown up to %1 keys; larger ones on the Attention page.")
                                            .arg(CircuitLoader::kMostMapKeys));
}

void CircuitPage::refreshContext()
{
    const std::vector<circuit::HeadRequest> lengths =
        contextLengths(m_keysField->value(), m_sequences, m_keysField->maximum());
    m_context->setHeads(m_loader.byContext(), lengths, m_loader.isPending(CircuitPart::Context),
                        m_loader.failure(CircuitPart::Context));
    refreshTitles();
}

void CircuitPage::setChosen(const std::vector<HeadId> &chosen)
{
    m_chosen = chosen;
    m_grid->setChosen(chosen);
    m_timeline->setChosen(chosen);
    m_removal->setChosen(chosen);
    Q_EMIT circuitHeadsChanged({.heads = m_chosen, .removal = m_removalKind});
    m_context->setChosen(chosen);
    m_loader.setRemoved(chosen);
    refreshSelection();
    refreshTitles();
}

void CircuitPage::chooseByUser(const std::vector<HeadId> &chosen)
{
    m_isChosenByUser = true;
    setChosen(chosen);
    noteView();
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
    m_isSelecting = true; // it is selected already
    chooseByUser(chosen);
    m_isSelecting = false;
}

void CircuitPage::showBelow(Below below)
{
    m_headsTab->setChecked(below == Below::Heads);
    m_contextTab->setChecked(below == Below::Context);
    m_failuresTab->setChecked(below == Below::Failures);
    m_below->setCurrentIndex(static_cast<int>(below));
    refreshTitles();
    noteView();
}

void CircuitPage::searchSets()
{
    if (!m_sets) {
        m_sets = new SmallestSetsDialog(this);
        m_sets->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_sets, &SmallestSetsDialog::headsChosen, this, [this](const std::vector<HeadId> &heads) {
            m_removalKind = circuit::Removal::Mean; // as the search removed them
            m_removal->setRemoval(m_removalKind);
            chooseByUser(heads);
            reload();
        });
        connect(m_sets, &QDialog::finished, this, [this] { m_loader.cancel(CircuitPart::Sets); });
    }
    if (!m_loader.isCurrent(CircuitPart::Sets))
        m_loader.searchSets();
    m_sets->setRequest(m_loader.searchRequest(), m_step, m_sequences);
    m_sets->setSets(m_loader.sets(), m_loader.isPending(CircuitPart::Sets), m_loader.failure(CircuitPart::Sets));
    m_sets->open();
}

void CircuitPage::patch()
{
    if (!m_patch) {
        m_patch = new PatchDialog(this);
        m_patch->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_patch, &PatchDialog::asked, this, [this](const circuit::PatchRequest &request) {
            m_patchRequest = request;
            m_loader.patch(request);
        });
        connect(m_patch, &PatchDialog::cancelAsked, this, [this] { m_loader.cancel(CircuitPart::Patch); });
        connect(m_patch, &PatchDialog::headsChosen, this, &CircuitPage::chooseByUser);
        connect(m_patch, &QDialog::finished, this, [this] { m_loader.cancel(CircuitPart::Patch); });
    }
    circuit::PatchRequest request = m_patchRequest;
    request.heads = m_chosen;
    request.n_keys = m_keysField->value();
    m_patch->setRequest(request, m_keysField->maximum());
    showPatched();
    m_patch->open();
}

void CircuitPage::showPatched()
{
    if (!m_patch)
        return;
    const bool isPending = m_loader.isPending(CircuitPart::Patch);
    const Progress &progress = m_loader.progress(CircuitPart::Patch);
    const bool isKnown = isPending && progress.total > 0;
    m_patch->setProgress(!isPending    ? QString()
                             : isKnown ? progressText(progress.done, progress.total)
                                       : tr("Patching"),
                         isKnown
                             ? std::optional(static_cast<double>(progress.done) / static_cast<double>(progress.total))
                             : std::nullopt);
    m_patch->setResult(m_loader.patched(), isPending, m_loader.failure(CircuitPart::Patch));
}

void CircuitPage::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Delete && !m_chosen.empty()) {
        chooseByUser({});
        return;
    }
    Page::keyPressEvent(event);
}

} // namespace lookback::ui
