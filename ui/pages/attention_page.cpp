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
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kDimAfterMs = 80; // quick answers do not flicker; a click still shows an effect within 100 ms
}

AttentionPage::AttentionPage(RunBridge *bridge, RunCollection *collection, QWidget *parent)
    : Page(parent), m_bridge(bridge), m_collection(collection), m_loader(bridge)
{
    setObjectName(u"attentionPage"_s);
    build();
    m_dimTimer.setSingleShot(true);
    m_dimTimer.setInterval(kDimAfterMs);
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
        m_isHeadChosen = true;
        showHead();
        remember();
    });

    connect(&m_loader, &AttentionLoader::exampleReady, this, &AttentionPage::takeExample);
    connect(&m_loader, &AttentionLoader::layerReady, this, &AttentionPage::takeLayer);
    connect(&m_dimTimer, &QTimer::timeout, this, &AttentionPage::dim);
    connect(&m_loader, &AttentionLoader::failed, this, &AttentionPage::takeFailure);
    connect(&m_loader, &AttentionLoader::cancelled, this, &AttentionPage::takeCancel);
    connect(&m_loader, &AttentionLoader::busyChanged, this,
            [this] { m_busy->setState(m_loader.busyText(), m_loader.busyFraction()); });
    connect(m_busy, &BusyStrip::cancelAsked, &m_loader, &AttentionLoader::cancel);
    connect(&m_preparer, &MapPreparer::ready, this, [this](quint64 job, const std::vector<PyramidPointer> &pyramids) {
        if (job == m_normaliseJob && !pyramids.empty())
            showValues(pyramids.front());
    });

    m_view->setReader([this](MapCell cell) {
        return m_shown && m_view->values()
            ? QString::fromStdString(analysis::sentenceFor(*m_shown, m_view->values()->map(), cell.query, cell.key))
            : QString();
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
    m_prediction->setEnabled(true);
    showEmptyStateIfNeeded();
}

void AttentionPage::takeLayer(std::int64_t layer)
{
    HeadGrid *grid = m_examplePanel->grid();
    const std::shared_ptr<const analysis::Example> example = m_loader.example();
    if (m_shown != example) { // the first layer of a new example: picture and labels change together
        const bool isSameSequence = m_shown && m_shown->sequence == example->sequence;
        const MapCell before = m_view->cell();
        m_shown = example;
        m_view->setExample(example);
        m_bars->setExample(example);
        grid->setExample(example);
        arrange();
        if (m_wantedHead)
            chooseHead(*std::exchange(m_wantedHead, {}));
        if (isSameSequence && before.isValid())
            m_view->setCell(before);
        else
            chooseAnswer(m_answer, m_digit);
    }
    grid->setLayer(layer, m_loader.layer(layer));
    if (layer == grid->choice().layer)
        showHead();
    if (!m_isHeadChosen && !m_loader.isBusy())
        chooseLookingBackHead();
}

void AttentionPage::chooseLookingBackHead()
{
    // The first look should show retrieval, if any head retrieves: the one with the most weight on the digits of the
    // first occurrences. Asked once; from then on the user chooses.
    m_isHeadChosen = true;
    double most = 0.0;
    HeadChoice best = m_examplePanel->grid()->choice();
    const task::Sequence &sequence = m_shown->sequence;
    for (std::int64_t layer = 0; layer < static_cast<std::int64_t>(m_shown->layers.size()); ++layer) {
        const std::vector<PyramidPointer> &heads = m_loader.layer(layer);
        for (std::size_t head = 0; head < heads.size(); ++head) {
            if (heads[head]->isSigned())
                continue;
            double weight = 0.0;
            for (const std::int64_t query : sequence.scoredPositions())
                weight += static_cast<double>(heads[head]->map().at(query, sourcePosition(sequence, query)));
            if (weight > most) {
                most = weight;
                best = {layer, static_cast<std::int64_t>(head)};
            }
        }
    }
    chooseHead(best);
}

void AttentionPage::showHead()
{
    m_normaliseJob = 0; // what is being prepared belongs to a former choice
    if (!m_shown || m_shown != m_loader.example()) {
        m_loader.want(m_examplePanel->grid()->choice().layer);
        return;
    }
    const HeadChoice choice = m_examplePanel->grid()->choice();
    const std::vector<PyramidPointer> &heads = m_loader.layer(choice.layer);
    if (choice.head >= static_cast<std::int64_t>(heads.size())) {
        m_isUpToDate = false;
        setStale(m_view->values() != nullptr);
        m_loader.want(choice.layer);
        refreshTitle();
        return;
    }
    const PyramidPointer &values = heads[static_cast<std::size_t>(choice.head)];
    if (m_bar->drawing().range == RangeChoice::RowMaximum) {
        m_normaliseJob = m_preparer.prepare({values->mapPointer()}, ValuePyramid::Rows::ToTheirMaximum);
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
    const bool isSigned = values && values->isSigned();
    const double maximum = values ? static_cast<double>(values->maximum()) : 1.0;
    const ColourTable table(drawing.colours(isSigned, isDark), drawing.scale(isSigned, maximum), broken);
    m_view->setColours(table);
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
}

// --- reading ---

QString AttentionPage::sentence() const
{
    return m_sentence->text();
}

bool AttentionPage::isUpToDate() const
{
    return m_isUpToDate && !m_loader.isBusy();
}

void AttentionPage::chooseAnswer(int answer, std::int64_t digit)
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example || answer < 0 || answer >= static_cast<int>(example->answers.size()))
        return;
    m_answer = answer;
    m_digit = std::clamp<std::int64_t>(digit, 0, example->sequence.shape.value_digits - 1);
    m_examplePanel->setChoice(m_answer, m_digit);
    m_prediction->setChoice(m_answer, m_digit);
    if (m_shown != example)
        return; // the map follows when it has come
    const std::int64_t entry = example->answers[static_cast<std::size_t>(answer)].entry;
    const std::int64_t query = example->sequence.predictionPosition(entry, m_digit);
    const std::int64_t source = sourcePosition(example->sequence, query);
    m_view->showCell({query, source >= 0 ? source : query});
    remember();
}

void AttentionPage::chooseHead(HeadChoice choice)
{
    m_isHeadChosen = true;
    m_examplePanel->grid()->setChoice(choice);
}

void AttentionPage::cellMoved(MapCell cell)
{
    // A query that predicts a scored digit chooses it.
    const task::TaskShape &shape = m_shown->sequence.shape;
    const std::int64_t entry = cell.query / shape.entryTokens();
    const std::int64_t digit = cell.query % shape.entryTokens() - (1 + shape.key_digits);
    const auto &answers = m_shown->answers;
    const auto found = std::find_if(answers.begin(), answers.end(),
                                    [entry](const analysis::Answer &answer) { return answer.entry == entry; });
    const bool isScored = found != answers.end() && digit >= 0 && digit < shape.value_digits;
    if (isScored && m_shown == m_loader.example()) {
        m_answer = static_cast<int>(found - answers.begin());
        m_digit = digit;
        m_prediction->setChoice(m_answer, m_digit);
    }
    m_examplePanel->setChoice(m_answer, isScored ? digit : -1);
    refreshReading();
}

void AttentionPage::refreshReading()
{
    m_sentence->setText(m_view->sentence());
    const MapCell cell = m_view->pointerCell();
    if (!m_view->values() || !cell.isValid()) {
        Q_EMIT statusChanged({});
        return;
    }
    const analysis::HeadMap &map = m_view->values()->map();
    const QLocale locale;
    const QString where = tr("Query %1, key %2")
                              .arg(locale.toString(static_cast<qlonglong>(cell.query)),
                                   locale.toString(static_cast<qlonglong>(cell.key)));
    const double value = static_cast<double>(map.at(cell.query, cell.key));
    QString number =
        std::abs(value) >= 1e-4 || value == 0.0 ? locale.toString(value, 'f', 4) : locale.toString(value, 'e', 2);
    number.replace(u'-', QChar(0x2212));
    QStringList parts{map.isVisible(cell.query, cell.key) ? where % u": " % number : tr("%1: not visible").arg(where)};
    if (m_view->isPinned())
        parts.append(tr("pinned, Enter frees"));
    parts << tr("Arrows: query and key") << tr("[ ]: head") << tr("J K: answer") << tr("F: next wrong answer")
          << (m_view->isPinned() ? QString() : tr("Enter: pin"));
    parts.removeAll(QString());
    Q_EMIT statusChanged(parts.join(u"   |   "_s));
}

void AttentionPage::stepAnswer(int step)
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example || example->answers.empty())
        return;
    const int count = static_cast<int>(example->answers.size());
    chooseAnswer((m_answer + step + count) % count, m_digit);
}

void AttentionPage::nextWrong()
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example)
        return;
    const int count = static_cast<int>(example->answers.size());
    for (int i = 1; i <= count; ++i) {
        const int index = (m_answer + i) % count;
        const analysis::Answer &answer = example->answers[static_cast<std::size_t>(index)];
        if (answer.isExact())
            continue;
        std::int64_t digit = 0; // its first wrong digit
        while (answer.truth[static_cast<std::size_t>(digit)] == answer.predicted[static_cast<std::size_t>(digit)])
            ++digit;
        chooseAnswer(index, digit);
        return;
    }
    Q_EMIT statusChanged(tr("Every answer of this sequence is right"));
}

void AttentionPage::stepHead(int step)
{
    if (!m_shown)
        return;
    const HeadChoice now = m_examplePanel->grid()->choice();
    const std::int64_t count = static_cast<std::int64_t>(m_shown->layers.size()) * m_shown->heads;
    const std::int64_t next = (now.layer * m_shown->heads + now.head + step + count) % count;
    chooseHead({next / m_shown->heads, next % m_shown->heads});
}

void AttentionPage::refreshTitle()
{
    if (!m_shown) {
        m_headTitle->clear();
        m_headWords->setText({});
        return;
    }
    const HeadChoice choice = m_examplePanel->grid()->choice();
    const model::SublayerInfo &layer = m_shown->layers[static_cast<std::size_t>(
        std::min<std::int64_t>(choice.layer, static_cast<std::int64_t>(m_shown->layers.size()) - 1))];
    m_headTitle->setText(tr("Layer %1, head %2").arg(choice.layer).arg(choice.head));
    const QString words = QString::fromStdString(layer.words());
    m_headWords->setText(
        layer.hasSoftmaxMap
            ? tr("%1 · attention weight, query by key").arg(words)
            : tr("%1 · no softmax map: the signed matrix its recurrence amounts to, output by value").arg(words));
    m_view->setAccessibleName(tr("Attention of layer %1, head %2").arg(choice.layer).arg(choice.head));
}

} // namespace lookback::ui
