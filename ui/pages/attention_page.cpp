// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QLabel>
#include <QLocale>

#include "ui/bridge/run_bridge.h"
#include "ui/heatmap/row_bars.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kGreyAfterMs = 150; // an exact row mostly comes before
constexpr int kDimAfterMs = 80; // quick answers do not flicker; a click still shows an effect within 100 ms
} // namespace

AttentionPage::AttentionPage(RunBridge *bridge, RunCollection *collection, QWidget *parent)
    : Page(parent), m_bridge(bridge), m_collection(collection), m_loader(bridge), m_rows(bridge), m_exactMap(bridge)
{
    setObjectName(u"attentionPage"_s);
    build();
    m_dimTimer.setSingleShot(true);
    m_dimTimer.setInterval(kDimAfterMs);
    m_sentenceTimer.setSingleShot(true);
    m_sentenceTimer.setInterval(kGreyAfterMs);
    connect(&m_sentenceTimer, &QTimer::timeout, this, [this] { m_sentence->setEnabled(false); });
    connectAll();
    refreshRuns();
}

AttentionPage::~AttentionPage() = default;

HeadGrid *AttentionPage::grid() const
{
    return m_examplePanel->grid();
}

void AttentionPage::connectAll()
{
    connect(m_collection, &RunCollection::orderChanged, this, &AttentionPage::refreshRuns);
    connect(m_collection, &RunCollection::runChanged, this, &AttentionPage::runChanged);
    connect(m_collection, &RunCollection::selectionChanged, this, [this](const run::RunId &id) {
        if (!id.empty()) // nothing selected: the run on view stays
            setRun(id);
    });

    connect(m_examplePanel, &ExamplePanel::runChosen, this, [this](const std::string &id) {
        m_collection->select(id);
        setRun(id);
    });
    connect(m_examplePanel, &ExamplePanel::checkpointChosen, this, &AttentionPage::setCheckpoint);
    connect(m_examplePanel, &ExamplePanel::keysChosen, this, &AttentionPage::setKeys);
    connect(m_examplePanel, &ExamplePanel::sequenceChosen, this, &AttentionPage::setSequence);
    connect(m_examplePanel, &ExamplePanel::choiceAsked, this, &AttentionPage::chooseAnswer);
    connect(m_prediction, &PredictionPanel::choiceAsked, this, &AttentionPage::chooseAnswer);
    connect(m_examplePanel->grid(), &HeadGrid::headChosen, this, [this] {
        if (!m_isChoosingItself)
            m_isHeadChosen = true;
        showHead();
        remember();
    });

    connect(&m_loader, &AttentionLoader::exampleReady, this, &AttentionPage::takeExample);
    connect(&m_loader, &AttentionLoader::layerReady, this, &AttentionPage::takeLayer);
    connect(&m_loader, &AttentionLoader::headGrew, this, &AttentionPage::takeHead);
    connect(&m_loader, &AttentionLoader::headDropped, m_examplePanel->grid(), &HeadGrid::letGo);
    connect(m_examplePanel->grid(), &HeadGrid::headPressed, &m_loader, &AttentionLoader::tryAgain);
    connect(&m_rows, &ExactRows::rowReady, this, &AttentionPage::refreshReading);
    connect(&m_dimTimer, &QTimer::timeout, this, &AttentionPage::dim);
    connect(&m_loader, &AttentionLoader::failed, this, &AttentionPage::takeFailure);
    connect(&m_loader, &AttentionLoader::cancelled, this, &AttentionPage::takeCancel);
    connect(&m_loader, &AttentionLoader::busyChanged, this, &AttentionPage::refreshBusy);
    connect(&m_exactMap, &ExactMapFetch::progressed, this, &AttentionPage::refreshBusy);
    connect(&m_exactMap, &ExactMapFetch::failed, this, &AttentionPage::statusChanged);
    connect(&m_exactMap, &ExactMapFetch::ready, this,
            [this](const std::shared_ptr<const analysis::HeadMap> &map) { saveNumbers(figureOf(map, nullptr)); });
    connect(m_busy, &BusyStrip::cancelAsked, this, [this] {
        m_exactMap.cancel();
        m_loader.cancel();
    });
    connectComparison();
    connect(&m_preparer, &MapPreparer::ready, this, [this](quint64 job, const std::vector<PyramidPointer> &pyramids) {
        if (job == m_normaliseJob && !pyramids.empty())
            showValues(pyramids.front());
    });
    connect(&m_preparer, &MapPreparer::failed, this, [this](quint64 job, const QString &sentence) {
        if (job != m_normaliseJob)
            return;
        m_isUpToDate = true; // the old picture stays: nothing more comes
        setStale(false);
        Q_EMIT statusChanged(sentence);
    });

    m_view->setReader([this](MapCell cell) {
        const QString both = m_comparison->sentence(cell);
        return both.isEmpty() ? sentenceAt(cell) : both;
    });
    connect(m_view, &HeadMapView::cellChanged, this, &AttentionPage::cellMoved);
    connect(m_view, &HeadMapView::pointerChanged, this, &AttentionPage::refreshReading);
    connect(m_view, &HeadMapView::pinnedChanged, this, &AttentionPage::refreshReading);
    connect(m_view, &HeadMapView::valuesChanged, this, &AttentionPage::refreshReading);
    connect(m_view, &HeadMapView::viewChanged, this, &AttentionPage::refreshScale);
    connect(m_view, &HeadMapView::headStepAsked, this, &AttentionPage::stepHead);
    connect(m_view, &HeadMapView::answerStepAsked, this, &AttentionPage::stepAnswer);
    connect(m_view, &HeadMapView::wrongAnswerAsked, this, &AttentionPage::nextWrong);

    connect(m_bar, &MapBar::drawingChanged, this, [this] {
        showHead();
        applyColours();
    });
    connect(m_bar, &MapBar::zoomInAsked, this, &AttentionPage::zoomIn);
    connect(m_bar, &MapBar::zoomOutAsked, this, &AttentionPage::zoomOut);
    connect(m_bar, &MapBar::zoomToFitAsked, this, &AttentionPage::zoomToFit);
    connect(m_bar, &MapBar::numbersAsked, this, &AttentionPage::showNumbers);
    connect(m_bar, &MapBar::exportAsked, this, &AttentionPage::exportRequested);
    connect(m_bar, &MapBar::predictionAsked, this, [this](bool isShown) {
        m_isPredictionWanted = isShown;
        arrange();
    });
    connect(m_empty, &EmptyState::pressed, this, &AttentionPage::pressEmptyButton);
}

void AttentionPage::refreshBusy()
{
    if (m_loader.isBusy())
        m_busy->setState(m_loader.busyText(), m_loader.busyFraction());
    else if (m_exactMap.isBusy())
        m_busy->setState(tr("gathering the exact numbers…"), m_exactMap.fraction());
    else
        m_busy->setState(m_comparison->busyText(), m_comparison->busyFraction());
}

// --- the answer ---

void AttentionPage::takeExample()
{
    const std::shared_ptr<const analysis::Example> example = m_loader.example();
    m_answer = std::clamp(m_answer, 0, std::max(0, static_cast<int>(example->answers.size()) - 1));
    m_digit = std::clamp<std::int64_t>(m_digit, 0, std::max<std::int64_t>(example->sequence.shape.value_digits - 1, 0));
    m_examplePanel->setExample(example);
    m_examplePanel->setChoice(m_answer, m_digit);
    m_prediction->setExample(example);
    m_prediction->setChoice(m_answer, m_digit);
    m_comparison->setAnswer(m_answer);
    m_prediction->setEnabled(true);
    chooseWantedEntry();
    // Where maps come in pieces, the rows that will be read come first.
    const bool isSameSequence = m_shown && m_shown->sequence == example->sequence;
    if (isSameSequence && m_view->cell().isValid())
        m_loader.setQuery(m_view->cell().query);
    else if (!example->answers.empty())
        m_loader.setQuery(
            example->sequence.predictionPosition(example->answers[static_cast<std::size_t>(m_answer)].entry, m_digit));
    showEmptyStateIfNeeded();
}

void AttentionPage::beginShowing()
{
    const std::shared_ptr<const analysis::Example> example = m_loader.example();
    if (m_shown == example)
        return;
    // The first map of a new example: picture and labels change together.
    HeadGrid *grid = m_examplePanel->grid();
    const bool isSameSequence = m_shown && m_shown->sequence == example->sequence;
    const MapCell before = m_view->cell();
    m_shown = example;
    m_rows.setExample(m_loader.isByHead() ? example : nullptr);
    m_view->setExample(example);
    m_bars->setExample(example);
    m_isChoosingItself = true; // another number of heads may move the choice
    grid->setExample(example, m_loader.isByHead());
    m_isChoosingItself = false;
    arrange();
    if (m_wantedHead)
        chooseHead(*std::exchange(m_wantedHead, {}));
    if (isSameSequence && before.isValid())
        m_view->setCell(before);
    else
        chooseAnswer(m_answer, m_digit);
}

void AttentionPage::takeLayer(std::int64_t layer)
{
    HeadGrid *grid = m_examplePanel->grid();
    beginShowing();
    grid->setLayer(layer, m_loader.layer(layer));
    if (!m_loader.keepsAllLayers())
        grid->keepOnly(layer);
    if (layer == grid->choice().layer)
        showHead();
    if (!m_isHeadChosen && m_headFoundFor != m_run && !m_loader.isBusy())
        chooseLookingBackHead();
}

void AttentionPage::takeHead(HeadChoice head)
{
    beginShowing();
    showEmptyStateIfNeeded(); // the head before may have been refused
    m_examplePanel->grid()->setHead(head, m_loader.head(head));
    if (head == m_examplePanel->grid()->choice())
        showHead();
}

void AttentionPage::chooseLookingBackHead()
{
    // The first look at a run should show retrieval, if any head retrieves: the one with the most weight on the digits
    // of the first occurrences.
    bool isEveryHeadKnown = true;
    double most = 0.0;
    HeadChoice best = m_examplePanel->grid()->choice();
    const task::Sequence &sequence = m_shown->sequence;
    for (std::int64_t layer = 0; layer < static_cast<std::int64_t>(m_shown->layers.size()); ++layer) {
        const std::vector<PyramidPointer> &heads = m_loader.layer(layer);
        isEveryHeadKnown = isEveryHeadKnown && !heads.empty();
        for (std::size_t head = 0; head < heads.size(); ++head) {
            if (heads[head]->isSigned())
                continue;
            double weight = 0.0;
            for (const std::int64_t query : sequence.scoredPositions())
                weight += static_cast<double>(heads[head]->at(query, sourcePosition(sequence, query)));
            if (weight > most) {
                most = weight;
                best = {layer, static_cast<std::int64_t>(head)};
            }
        }
    }
    if (isEveryHeadKnown) // a large map keeps one layer only: a smaller one will tell
        m_headFoundFor = m_run;
    m_isChoosingItself = true;
    m_examplePanel->grid()->setChoice(best);
    m_isChoosingItself = false;
}

void AttentionPage::showHead()
{
    m_normaliseJob = 0; // what is being prepared belongs to a former choice
    const HeadChoice choice = m_examplePanel->grid()->choice();
    if (!m_shown || m_shown != m_loader.example()) {
        m_loader.want(choice);
        return;
    }
    if (m_view->cell().isValid())
        m_loader.setQuery(m_view->cell().query);
    const PyramidPointer values = m_loader.head(choice);
    if (!values || !values->isComplete())
        m_exactMap.cancel(); // the same head may be asked for, which would end the other question about it
    m_loader.want(choice); // ends what is under way for another one
    if (!values) {
        m_isUpToDate = false;
        setStale(m_view->values() != nullptr);
        refreshTitle();
        return;
    }
    if (m_bar->drawing().range == RangeChoice::RowMaximum) {
        m_normaliseJob = m_preparer.normalise(values);
        return;
    }
    showValues(values);
}

void AttentionPage::showValues(PyramidPointer values)
{
    m_view->setValues(std::move(values));
    m_bar->setHasMap(m_view->values() != nullptr);
    m_bar->setSigned(m_view->values() && m_view->values()->isSigned());
    m_isUpToDate = true;
    tellComparison();
    applyColours();
    setStale(false);
    refreshTitle();
    refreshReading();
    Q_EMIT abilitiesChanged();
}

void AttentionPage::setStale(bool isStale)
{
    if (isStale) {
        if (!m_dimTimer.isActive() && !m_view->isStale())
            m_dimTimer.start();
        return;
    }
    m_dimTimer.stop();
    m_view->setStale(false);
    m_examplePanel->grid()->setStale(false);
    m_prediction->setEnabled(true);
}

void AttentionPage::dim()
{
    const bool isOtherExample = m_loader.isExamplePending() || m_shown != m_loader.example();
    m_view->setStale(true);
    m_examplePanel->grid()->setStale(isOtherExample);
    m_prediction->setEnabled(!m_loader.isExamplePending());
}

void AttentionPage::applyColours()
{
    const bool isDark = Theme::forPalette(palette()).isDark;
    const QRgb broken = Theme::forPalette(palette()).wrong.rgb();
    const MapDrawing &drawing = m_bar->drawing();
    m_examplePanel->grid()->setColours(ColourTable(drawing.colours(false, isDark), drawing.sharedScale(false), broken),
                                       ColourTable(drawing.colours(true, isDark), drawing.sharedScale(true), broken));
    m_view->setEntriesShown(drawing.hasEntries);
    m_view->setOccurrencesShown(drawing.hasOccurrences);
    const PyramidPointer &values = m_view->values();
    const RunCollection::Run *run = m_shown ? m_collection->find(m_shown->key.runFolder) : nullptr;
    m_view->setLines(
        {.window = values && drawing.hasWindowEdge ? values->shape().window : 0,
         .trainedTokens = run && drawing.hasTrainingLength ? run->snapshot.record.config.trainedTokens() : 0});
    const bool isSigned = values && values->isSigned();
    const double maximum =
        values ? std::max(static_cast<double>(values->maximum()), m_comparison->rightMaximum()) : 1.0;
    const ColourTable table(drawing.colours(isSigned, isDark), drawing.scale(isSigned, maximum), broken);
    m_view->setColours(table);
    m_comparison->setDrawing(drawing, isDark, broken);
    m_comparison->setWeightColours(table);
    refreshScale();
}

void AttentionPage::refreshScale()
{
    const PyramidPointer &values = m_view->values();
    const ColourTable &table = m_view->colours();
    const bool isSigned = values && values->isSigned();
    const auto kind = isSigned ? analysis::MapKind::RecurrenceMatrix : analysis::MapKind::AttentionWeights;
    const QString reduction = values ? reductionWords(m_view->queries().axis, m_view->keys().axis, kind) : QString();
    m_prediction->colourBar()->setScale(table, scaleWords(table.scale(), m_bar->drawing().range, kind), reduction);
    m_prediction->legend()->setColourMap(table.map());
    QList<LegendItem> further;
    if (values && !values->isComplete())
        further.append(LegendItem::NotComputed);
    if (values && m_view->lines().window > 0 && m_view->lines().window < values->shape().queries)
        further.append(LegendItem::WindowEdge);
    if (values && m_view->lines().trainedTokens > 0 && m_view->lines().trainedTokens < values->shape().queries)
        further.append(LegendItem::TrainingLength);
    m_prediction->legend()->setFurtherItems(further);
}

} // namespace lookback::ui
