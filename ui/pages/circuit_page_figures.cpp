// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the circuit page exports, and the same as numbers.
#include <utility>

#include "ui/dialogs/numbers_dialog.h"
#include "ui/figures/circuit_figures.h"
#include "ui/figures/measure_figure.h"
#include "ui/models/run_collection.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_page.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;

bool CircuitPage::has(FigureKind kind) const
{
    switch (kind) {
    case FigureKind::Timeline:
    case FigureKind::Strip:
        return m_loader.timeline() && !m_loader.timeline()->empty();
    case FigureKind::Context:
        return m_loader.byContext() && !m_loader.byContext()->tables.empty();
    default:
        return m_loader.heads() != nullptr;
    }
}

std::unique_ptr<Figure> CircuitPage::figure() const
{
    if (!m_loader.heads())
        return nullptr;
    CircuitFigureInput input;
    input.heads = m_loader.heads();
    input.grid = effectsOfHeads();
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
    switch (has(m_figureKind) ? m_figureKind : FigureKind::Grid) {
    case FigureKind::Grid:
        break;
    case FigureKind::Timeline:
        return makeTimelineFigure(std::move(input));
    case FigureKind::Strip:
        return makeTimelineStripFigure(std::move(input));
    case FigureKind::Table:
        return makeHeadTableFigure(std::move(input));
    case FigureKind::Context:
        return makeMeasureFigure({.tables = m_loader.byContext()->tables,
                                  .measure = m_context->measure(),
                                  .chosen = m_context->isChosenOnly() ? m_chosen : std::vector<HeadId>(),
                                  .run = std::move(input.run)});
    }
    return makeHeadGridFigure(std::move(input));
}

void CircuitPage::showNumbers()
{
    const bool isContext = m_context->isVisible() && has(FigureKind::Context);
    const FigureKind before = std::exchange(m_figureKind, isContext ? FigureKind::Context : FigureKind::Table);
    const std::unique_ptr<Figure> figure = this->figure();
    m_figureKind = before;
    if (!figure)
        return;
    auto *dialog = new NumbersDialog(*figure, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace lookback::ui
