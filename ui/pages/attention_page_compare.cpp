// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The attention page beside another map: menu, panes, and what both sides tell each other.
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>

#include "ui/figures/attention_compare_figure.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_compare_menu.h"
#include "ui/pages/attention_compare_panel.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"

namespace lookback::ui {

void AttentionPage::buildComparison()
{
    m_comparePanel = new ComparePanel(this);
    m_panes = new ComparePanes(m_view, m_comparePanel, this);
    m_comparison = new AttentionComparison(m_bridge, m_collection, m_panes, m_comparePanel, this);
    const auto left = [this] {
        CompareMenu::LeftSide side{.run = m_run, .step = m_asked ? m_asked->step : m_step};
        side.isComparing = m_comparison->isOn();
        if (m_shown) {
            side.head = m_examplePanel->grid()->choice();
            side.layers = std::ssize(m_shown->layers);
            side.heads = m_shown->heads;
        }
        return side;
    };
    m_compareMenu = new CompareMenu(m_collection, left, this);
    m_bar->setCompareMenu(m_compareMenu);
    m_comparePanel->changeButton()->setMenu(m_compareMenu);
}

void AttentionPage::connectComparison()
{
    connect(m_compareMenu, &CompareMenu::chosen, this, [this](const CompareChoice &choice) {
        CompareChoice kept = choice; // a head that was chosen for the right side stays
        if (m_comparison->choice())
            kept.head = m_comparison->choice()->head;
        m_comparison->start(kept);
    });
    connect(m_compareMenu, &CompareMenu::endAsked, m_comparison, &AttentionComparison::end);
    connect(m_comparePanel, &ComparePanel::endAsked, m_comparison, &AttentionComparison::end);
    connect(m_comparePanel, &ComparePanel::headChosen, m_comparison, &AttentionComparison::setHead);
    m_comparison->setLeftRows([this](std::int64_t query) { return exactRow(query); });
    connect(m_comparison, &AttentionComparison::rowReady, this, &AttentionPage::refreshReading);
    connect(m_comparison, &AttentionComparison::busyChanged, this, &AttentionPage::refreshBusy);
    connect(m_busy, &BusyStrip::cancelAsked, m_comparison, &AttentionComparison::cancel);
    connect(m_comparison, &AttentionComparison::changed, this, [this] {
        m_paneCell = {};
        tellComparison();
        arrange();
        applyColours();
        refreshReading();
        refreshBusy();
        if (!m_comparison->isOn())
            m_view->setFocus();
        Q_EMIT abilitiesChanged();
    });
    connect(m_comparison, &AttentionComparison::mapsChanged, this, [this] {
        if (m_bar->drawing().range == RangeChoice::OwnMaximum)
            applyColours(); // one range for both sides
        refreshReading();
        Q_EMIT abilitiesChanged();
    });
    connect(m_panes, &ComparePanes::pointerChanged, this,
            [this](MapCell cell) { // of any pane
                m_paneCell = cell;
                refreshReading();
            });
    for (const ComparePanes::Pane pane : {ComparePanes::Right, ComparePanes::Difference}) {
        HeadMapView *view = m_panes->view(pane);
        connect(view, &HeadMapView::headStepAsked, this, &AttentionPage::stepHead);
        connect(view, &HeadMapView::answerStepAsked, this, &AttentionPage::stepAnswer);
        connect(view, &HeadMapView::wrongAnswerAsked, this, &AttentionPage::nextWrong);
    }
}

/// What is at the left now.
void AttentionPage::tellComparison()
{
    if (!m_comparison->isOn())
        return;
    PyramidPointer values; // as they are, whatever the picture shows
    if (m_shown && m_shown == m_loader.example())
        values = m_loader.head(m_examplePanel->grid()->choice());
    if (!values)
        return; // what is on view stays till then
    m_comparison->setLeft(m_shown, values);
    m_comparison->setAnswer(m_answer);
}

void AttentionPage::takeCircuitHeads(const circuit::Intervention &heads)
{
    m_compareMenu->setCircuitHeads(heads);
}

void AttentionPage::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_comparison->isOn()) {
        m_comparison->end();
        return;
    }
    Page::keyPressEvent(event);
}

std::unique_ptr<Figure> AttentionPage::comparisonFigure() const
{
    if (!m_comparison->isOn() || !m_comparison->isUpToDate() || !m_comparison->leftValues()
        || !m_comparison->rightValues())
        return nullptr;
    const std::int64_t query = m_view->cell().query;
    // Pictures as the panes draw them; numbers from the maps, or from exact rows.
    const auto side = [this](std::shared_ptr<const analysis::Example> example, const PyramidPointer &values,
                             ComparePanes::Pane pane, RowPointer row) {
        CompareFigureSide made{.example = std::move(example), .map = values->mapPointer(), .row = std::move(row)};
        const PyramidPointer &drawn = m_panes->view(pane)->values();
        const bool isSame = drawn && drawn->shape() == values->shape();
        made.picture = isSame ? drawn : values;
        if (const RunCollection::Run *run = m_collection->find(made.example->key.runFolder)) {
            made.runTitle = run->title;
            made.record = run->snapshot.record;
        }
        return made;
    };
    const MapDrawing &drawing = m_bar->drawing();
    return makeCompareFigure(
        {.left = side(m_comparison->leftExample(), m_comparison->leftValues(), ComparePanes::Left, exactRow(query)),
         .right = side(m_comparison->rightExample(), m_comparison->rightValues(), ComparePanes::Right,
                       m_comparison->rightRow(query)),
         .difference = m_comparison->difference(),
         .cell = m_view->cell(),
         .colours = drawing.weights,
         .signedColours = drawing.signedWeights,
         .isLog = drawing.isLog,
         .range = drawing.range,
         .hasEntries = drawing.hasEntries,
         .hasOccurrences = drawing.hasOccurrences,
         .hasWindowEdge = drawing.hasWindowEdge});
}

} // namespace lookback::ui
