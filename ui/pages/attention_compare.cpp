// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QLocale>

#include "core/analysis/attention_comparison.h"
#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare_panel.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

AttentionComparison::AttentionComparison(RunBridge *bridge, const RunCollection *collection, ComparePanes *panes,
                                         ComparePanel *panel, QObject *parent)
    : QObject(parent), m_collection(collection), m_panes(panes), m_panel(panel), m_loader(bridge), m_rows(bridge)
{
    connect(&m_loader, &AttentionLoader::exampleReady, this, &AttentionComparison::takeRight);
    connect(&m_loader, &AttentionLoader::layerReady, this, &AttentionComparison::takeRight);
    connect(&m_loader, &AttentionLoader::headGrew, this, [this] {
        m_refusal.clear(); // the head before may have been refused
        takeRight();
    });
    connect(&m_rows, &ExactRows::rowReady, this, &AttentionComparison::rowReady);
    connect(&m_loader, &AttentionLoader::busyChanged, this, &AttentionComparison::busyChanged);
    connect(&m_loader, &AttentionLoader::failed, this, [this](const QString &sentence) {
        m_refusal = sentence;
        refresh();
    });
    connect(&m_loader, &AttentionLoader::cancelled, this, [this] {
        m_refusal = tr("Cancelled: the right side was not computed.");
        m_asked.reset();
        refresh();
    });
    connect(&m_preparer, &MapPreparer::ready, this, [this](quint64 job, const std::vector<PyramidPointer> &pictures) {
        if (job != m_normaliseJob || pictures.empty())
            return;
        m_panes->view(ComparePanes::Right)->setValues(pictures.front());
        Q_EMIT mapsChanged();
    });
    connect(&m_maker, &DifferenceMaker::ready, this, [this](const PyramidPointer &difference) {
        m_difference = difference;
        HeadMapView *view = m_panes->view(ComparePanes::Difference);
        view->setValues(difference);
        view->setStale(false);
        m_panes->setSentence(ComparePanes::Difference, {});
        refreshColours();
        m_panel->setNotes(notes());
        m_panes->follow(m_panes->view(ComparePanes::Left));
        Q_EMIT mapsChanged();
    });
    connect(&m_maker, &DifferenceMaker::failed, this, [this](const QString &sentence) {
        m_noDifference = sentence;
        m_panes->setSentence(ComparePanes::Difference, sentence);
        Q_EMIT mapsChanged();
    });
    for (const ComparePanes::Pane pane : {ComparePanes::Left, ComparePanes::Right, ComparePanes::Difference})
        connect(m_panes->view(pane), &HeadMapView::viewChanged, this, &AttentionComparison::refreshBars);
    for (const ComparePanes::Pane pane : {ComparePanes::Right, ComparePanes::Difference})
        m_panes->view(pane)->setReader([this](MapCell cell) { return sentence(cell); });
}

void AttentionComparison::start(const CompareChoice &choice)
{
    if (m_choice == choice)
        return;
    m_choice = choice;
    m_panes->setComparing(true);
    reload();
    takeRight(); // the same question may want another head
    Q_EMIT changed();
}

void AttentionComparison::end()
{
    if (!m_choice)
        return;
    m_choice.reset();
    m_loader.clear();
    m_rows.setExample({});
    m_maker.drop();
    m_asked.reset();
    m_refusal.clear();
    m_right.reset();
    m_shown.reset();
    m_rightValues.reset();
    m_difference.reset();
    for (const ComparePanes::Pane pane : {ComparePanes::Right, ComparePanes::Difference})
        m_panes->view(pane)->setExample({});
    m_panes->setComparing(false);
    Q_EMIT changed();
}

void AttentionComparison::setHead(std::optional<HeadChoice> head)
{
    if (!m_choice || m_choice->head == head)
        return;
    m_choice->head = head;
    takeRight();
    Q_EMIT changed();
}

void AttentionComparison::setQuestion(const std::optional<analysis::ExampleKey> &left)
{
    m_question = left;
    reload();
}

void AttentionComparison::reload()
{
    if (!m_choice)
        return;
    if (!m_question) {
        m_asked.reset();
        m_loader.clear();
        refresh();
        return;
    }
    analysis::ExampleKey key = m_choice->keyBeside(*m_question);
    const RunCollection::Run *left = m_collection->find(m_question->runFolder);
    const RunCollection::Run *right = m_collection->find(key.runFolder);
    QString refusal;
    if (!right || !left)
        refusal = tr("The run at the right is not in the list any more.");
    else if (right->snapshot.checkpointSteps.empty())
        refusal = tr("The run at the right has no checkpoint yet.");
    else
        refusal = QString::fromStdString(
            analysis::whyNoCommonSequence(left->snapshot.record.config, right->snapshot.record.config));
    if (refusal.isEmpty()) {
        const std::vector<std::int64_t> &steps = right->snapshot.checkpointSteps;
        if (key.step >= 0 && m_choice->what != CompareChoice::What::Heads
            && !std::ranges::binary_search(steps, key.step))
            refusal = tr("The right side has no checkpoint of step %1.")
                          .arg(QLocale().toString(static_cast<qlonglong>(key.step)));
        if (key.step < 0)
            key.step = steps.back();
    }
    if (refusal.isEmpty() && m_asked == key)
        return; // what came of it stays, a failure as well
    m_refusal = refusal;
    if (!refusal.isEmpty()) {
        m_asked.reset();
        m_loader.clear();
        refresh();
        return;
    }
    m_asked = key;
    m_rows.setExample({}); // its questions would end those about the new one
    m_loader.load(key, rightHead());
    refresh();
}

void AttentionComparison::setLeft(std::shared_ptr<const analysis::Example> example, PyramidPointer values)
{
    if (m_left == example && m_leftValues == values)
        return;
    m_left = std::move(example);
    m_leftValues = std::move(values);
    takeRight();
}

void AttentionComparison::setAnswer(int answer)
{
    m_panel->setAnswer(answer);
}

HeadChoice AttentionComparison::leftHead() const
{
    return m_leftValues ? HeadChoice{m_leftValues->shape().layer, m_leftValues->shape().head} : HeadChoice{};
}

HeadChoice AttentionComparison::rightHead() const
{
    return m_choice && m_choice->head ? *m_choice->head : leftHead();
}

/// Something of a side is new.
void AttentionComparison::takeRight()
{
    if (!m_choice)
        return;
    const std::shared_ptr<const analysis::Example> right =
        m_loader.isExampleCurrent() ? m_loader.example() : std::shared_ptr<const analysis::Example>();
    if (right && m_left && right->sequence == m_left->sequence) {
        const HeadChoice head = rightHead();
        const bool exists = head.layer < std::ssize(right->layers) && head.head < right->heads;
        if (const MapCell cell = m_panes->view(ComparePanes::Left)->cell(); cell.isValid())
            m_loader.setQuery(cell.query);
        if (exists)
            m_loader.want(head);
        PyramidPointer values = exists ? m_loader.head(head) : PyramidPointer();
        if (values || !exists) { // till then the old picture stays
            m_right = right;
            m_rows.setExample(m_loader.isByHead() ? right : nullptr);
            m_rightValues = std::move(values);
            showRight();
        }
    }
    refresh();
}

void AttentionComparison::showRight()
{
    HeadMapView *view = m_panes->view(ComparePanes::Right);
    HeadMapView *difference = m_panes->view(ComparePanes::Difference);
    const HeadMapView *left = m_panes->view(ComparePanes::Left);
    if (m_shown != m_right) {
        m_shown = m_right;
        view->setExample(m_right);
        difference->setExample(m_right);
    }
    for (HeadMapView *each : {view, difference}) {
        each->setCell(left->cell());
        each->setPinned(left->isPinned());
    }
    m_normaliseJob = 0;
    if (m_rightValues && m_drawing.range == RangeChoice::RowMaximum)
        m_normaliseJob = m_preparer.normalise(m_rightValues);
    else
        view->setValues(m_rightValues);
    refreshDifference();
}

void AttentionComparison::refreshDifference()
{
    m_difference.reset();
    m_noDifference.clear();
    m_maker.drop();
    if (!m_leftValues || !m_rightValues || !m_left || !m_right || !(m_left->sequence == m_right->sequence))
        return;
    m_noDifference = QString::fromStdString(
        analysis::whyNoDifference(m_leftValues->shape().withoutWeights(), m_rightValues->shape().withoutWeights()));
    if (m_noDifference.isEmpty() && m_leftValues->isComplete() && m_rightValues->isComplete())
        m_maker.make(m_leftValues, m_rightValues);
    m_panes->setSentence(ComparePanes::Difference, m_noDifference);
}

/// Everything but the maps themselves.
void AttentionComparison::refresh()
{
    if (!m_choice)
        return;
    using Pane = ComparePanes::Pane;
    const bool isPending = m_asked && !(m_right && m_right == m_loader.example() && m_loader.isExampleCurrent());
    m_panes->view(Pane::Right)->setStale(isPending && m_rightValues);
    m_panes->view(Pane::Difference)->setStale((isPending || !m_difference) && m_rightValues);
    const bool isMissing = m_right && m_refusal.isEmpty() && !m_rightValues;
    const QString missing = isMissing ? tr("The right side has no head %1. Choose one beside “Right side”.")
                                            .arg(QString::fromStdString(circuit::headText(rightHead())))
                                      : QString();
    const QString sentence = m_refusal.isEmpty() ? missing : m_refusal;
    m_panes->setSentence(Pane::Right, sentence);
    m_panes->setSentence(Pane::Difference,
                         sentence.isEmpty() ? m_noDifference : tr("There is no difference without a right side."));
    m_panes->setTitle(Pane::Left, tr("Left"), leftWords());
    m_panes->setTitle(Pane::Right, tr("Right"), rightWords());
    const bool hasDifference = sentence.isEmpty() && m_noDifference.isEmpty();
    m_panes->setTitle(Pane::Difference, tr("Difference"),
                      hasDifference ? tr("right less left · orange: more at the right, blue: more at the left")
                                    : QString());
    const auto &right = m_loader.example();
    const bool hasRight = m_refusal.isEmpty() && right;
    m_panel->setHeads(hasRight ? std::ssize(right->layers) : 0, hasRight ? right->heads : 0, m_choice->head,
                      leftHead());
    m_panel->setExamples(m_left, m_refusal.isEmpty() ? m_right : nullptr);
    m_panel->setNotes(notes());
    refreshColours();
    m_panes->follow(m_panes->view(Pane::Left));
    Q_EMIT mapsChanged();
}

void AttentionComparison::setDrawing(const MapDrawing &drawing, bool isDark, QRgb broken)
{
    const bool isOtherRange =
        (drawing.range == RangeChoice::RowMaximum) != (m_drawing.range == RangeChoice::RowMaximum);
    m_drawing = drawing;
    m_isDark = isDark;
    m_broken = broken;
    for (const ComparePanes::Pane pane : {ComparePanes::Right, ComparePanes::Difference}) {
        m_panes->view(pane)->setEntriesShown(drawing.hasEntries);
        m_panes->view(pane)->setOccurrencesShown(drawing.hasOccurrences);
    }
    if (isOtherRange && m_choice && m_right)
        showRight();
    refreshColours();
}

void AttentionComparison::setWeightColours(const ColourTable &colours)
{
    m_weightColours = colours;
    refreshColours();
}

void AttentionComparison::refreshColours()
{
    if (!m_choice)
        return;
    HeadMapView *right = m_panes->view(ComparePanes::Right);
    HeadMapView *difference = m_panes->view(ComparePanes::Difference);
    const auto isSigned = [](const PyramidPointer &values) { return values && values->isSigned(); };
    if (m_rightValues && isSigned(m_rightValues) != isSigned(m_leftValues)) { // its own kind has its own colours
        const double maximum = static_cast<double>(m_rightValues->maximum());
        right->setColours(ColourTable(m_drawing.colours(isSigned(m_rightValues), m_isDark),
                                      m_drawing.scale(isSigned(m_rightValues), maximum), m_broken));
    } else {
        right->setColours(m_weightColours);
    }
    const auto trainedTokens = [this](const std::shared_ptr<const analysis::Example> &of) {
        const RunCollection::Run *run =
            of && m_drawing.hasTrainingLength ? m_collection->find(of->key.runFolder) : nullptr;
        return run ? run->snapshot.record.config.trainedTokens() : 0;
    };
    const std::int64_t trained = trainedTokens(m_right);
    right->setLines({.window = m_rightValues && m_drawing.hasWindowEdge ? m_rightValues->shape().window : 0,
                     .trainedTokens = trained});
    std::int64_t edge = 0; // beyond it one side is alone
    if (m_leftValues && m_rightValues && m_drawing.hasWindowEdge) {
        edge =
            analysis::narrowerWindow(m_leftValues->shape().withoutWeights(), m_rightValues->shape().withoutWeights());
    }
    difference->setLines({.window = edge, .trainedTokens = trainedTokens(m_left) == trained ? trained : 0});
    ColourScale scale = ColourScale::sharedSigned();
    const bool isOwn = m_drawing.range == RangeChoice::OwnMaximum;
    if (isOwn && m_difference)
        scale = scale.withMaximum(static_cast<double>(m_difference->maximum()));
    difference->setColours(ColourTable(m_drawing.colours(true, m_isDark), scale, m_broken));
    refreshBars();
}

void AttentionComparison::refreshBars()
{
    if (!m_choice)
        return;
    using analysis::MapKind;
    const HeadMapView *right = m_panes->view(ComparePanes::Right);
    const HeadMapView *difference = m_panes->view(ComparePanes::Difference);
    const HeadMapView *left = m_panes->view(ComparePanes::Left);
    const auto isSigned = [](const PyramidPointer &values) { return values && values->isSigned(); };
    const MapKind kind = isSigned(m_leftValues) ? MapKind::RecurrenceMatrix : MapKind::AttentionWeights;
    const auto reduction = [left](MapKind of) { return reductionWords(left->queries().axis, left->keys().axis, of); };
    m_panel->weightBar()->setScale(m_weightColours, scaleWords(m_weightColours.scale(), m_drawing.range, kind),
                                   m_leftValues ? reduction(kind) : QString());
    // The second bar: of the difference, or of the right side's own kind of weight.
    const bool isOtherKind = m_rightValues && m_leftValues && isSigned(m_rightValues) != isSigned(m_leftValues);
    const RangeChoice range =
        m_drawing.range == RangeChoice::OwnMaximum ? RangeChoice::OwnMaximum : RangeChoice::AllHeads;
    const MapKind rightKind = isSigned(m_rightValues) ? MapKind::RecurrenceMatrix : MapKind::AttentionWeights;
    ColourBar *second = m_panel->differenceBar();
    if (isOtherKind) {
        const QString words = scaleWords(right->colours().scale(), m_drawing.range, rightKind);
        second->setScale(right->colours(), tr("Right: %1").arg(words), {});
    } else {
        second->setScale(difference->colours(), scaleWords(difference->colours().scale(), range, MapKind::Difference),
                         m_difference ? reduction(MapKind::Difference) : QString());
    }
    second->setVisible(isOtherKind || (m_rightValues && m_refusal.isEmpty()));
}

double AttentionComparison::rightMaximum() const
{
    return isOn() && m_rightValues && m_leftValues && m_rightValues->isSigned() == m_leftValues->isSigned()
        ? static_cast<double>(std::abs(m_rightValues->maximum()))
        : 0.0;
}

void AttentionComparison::wantRows(const std::vector<std::int64_t> &queries)
{
    if (isOn() && m_right && m_right == m_loader.example() && m_loader.isExampleCurrent() && m_rightValues
        && !m_rightValues->isExact())
        m_rows.want(rightHead(), queries);
}

bool AttentionComparison::isUpToDate() const
{
    if (!isOn() || !m_refusal.isEmpty())
        return true;
    if (m_loader.isBusy() || !m_asked || !m_right || m_right != m_loader.example() || !m_leftValues)
        return false;
    return !m_rightValues || !m_noDifference.isEmpty() || m_difference;
}

} // namespace lookback::ui
