// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Zoom, view history, remembered state, figure and numbers of the attention page.
#include <algorithm>
#include <utility>

#include <QDir>
#include <QFileDialog>
#include <QMessageBox>

#include "core/error.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/figures/attention_figure.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_example.h"
#include "ui/widgets/folder_answer.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr std::size_t kPlacesKept = 100;
constexpr std::int64_t kMostTabled = 300'000; // pairs: up to 32 keys

std::optional<ColourMap> colourMapOf(const QVariant &value)
{
    const int number = value.isValid() ? value.toInt() : -1;
    if (number < 0 || number > static_cast<int>(ColourMap::DivergingDark))
        return {};
    return static_cast<ColourMap>(number);
}

} // namespace

std::unique_ptr<Figure> AttentionPage::figure() const
{
    const PyramidPointer &values = m_view->values();
    if (!m_shown || !values)
        return nullptr;
    if (std::unique_ptr<Figure> both = comparisonFigure())
        return both;
    return figureOf(values->mapPointer(), values);
}

std::unique_ptr<Figure> AttentionPage::figureOf(std::shared_ptr<const analysis::HeadMap> map,
                                                PyramidPointer values) const
{
    AttentionFigureInput input;
    input.example = m_shown;
    input.map = std::move(map);
    input.values = std::move(values);
    input.row = exactRow(m_view->cell().query);
    input.cell = m_view->cell();
    input.isLog = m_bar->drawing().isLog;
    input.range = m_bar->drawing().range;
    input.hasEntries = m_bar->drawing().hasEntries;
    input.hasOccurrences = m_bar->drawing().hasOccurrences;
    input.hasWindowEdge = m_bar->drawing().hasWindowEdge;
    input.hasTrainingLength = m_bar->drawing().hasTrainingLength;
    const bool isSigned = input.map ? input.map->kind != analysis::MapKind::AttentionWeights : input.values->isSigned();
    input.colours = isSigned ? m_bar->drawing().signedWeights : m_bar->drawing().weights;
    if (const RunCollection::Run *run = m_collection->find(m_shown->key.runFolder)) {
        input.runTitle = run->title;
        input.record = run->snapshot.record;
    }
    return makeAttentionFigure(std::move(input));
}

bool AttentionPage::canZoom() const
{
    return m_view->values() != nullptr;
}

void AttentionPage::zoomIn()
{
    m_view->zoomIn();
}

void AttentionPage::zoomOut()
{
    m_view->zoomOut();
}

void AttentionPage::zoomToFit()
{
    m_view->zoomToFit();
}

// --- view history: heads and answers looked at, not every step of an arrow key ---

void AttentionPage::remember()
{
    if (!m_isRemembering || !m_shown || !m_view->cell().isValid())
        return;
    const Place place{m_examplePanel->grid()->choice(), m_view->cell()};
    if (!m_places.empty() && m_places[m_place] == place)
        return;
    if (!m_places.empty())
        m_places.resize(m_place + 1); // a new way ends the one forward
    m_places.push_back(place);
    if (m_places.size() > kPlacesKept)
        m_places.erase(m_places.begin());
    m_place = m_places.size() - 1;
    Q_EMIT abilitiesChanged();
}

bool AttentionPage::canGoBack() const
{
    return m_place > 0;
}

bool AttentionPage::canGoForward() const
{
    return m_place + 1 < m_places.size();
}

void AttentionPage::goTo(const Place &place)
{
    m_isRemembering = false;
    chooseHead(place.head);
    m_view->showCell(place.cell);
    m_isRemembering = true;
    Q_EMIT abilitiesChanged();
}

void AttentionPage::goBack()
{
    if (canGoBack())
        goTo(m_places[--m_place]);
}

void AttentionPage::goForward()
{
    if (canGoForward())
        goTo(m_places[++m_place]);
}

// --- between sessions ---

QVariantMap AttentionPage::viewState() const
{
    const MapDrawing &drawing = m_bar->drawing();
    QVariantMap state{{u"log"_s, drawing.isLog},
                      {u"range"_s, static_cast<int>(drawing.range)},
                      {u"entries"_s, drawing.hasEntries},
                      {u"occurrences"_s, drawing.hasOccurrences},
                      {u"windowEdge"_s, drawing.hasWindowEdge},
                      {u"trainingLength"_s, drawing.hasTrainingLength},
                      {u"sequence"_s, static_cast<qlonglong>(m_sequence)}};
    if (m_isHeadChosen) {
        const HeadChoice head = m_wantedHead.value_or(m_examplePanel->grid()->choice());
        state.insert(u"chosenLayer"_s, static_cast<qlonglong>(head.layer));
        state.insert(u"chosenHead"_s, static_cast<qlonglong>(head.head));
    }
    if (drawing.weights)
        state.insert(u"colours"_s, static_cast<int>(*drawing.weights));
    if (drawing.signedWeights)
        state.insert(u"signedColours"_s, static_cast<int>(*drawing.signedWeights));
    if (m_keys)
        state.insert(u"keys"_s, static_cast<qlonglong>(*m_keys));
    if (m_comparison->choice())
        state.insert(u"compare"_s, m_comparison->choice()->toState());
    return state;
}

void AttentionPage::restoreViewState(const QVariantMap &state)
{
    MapDrawing drawing = m_bar->drawing();
    drawing.isLog = state.value(u"log"_s, drawing.isLog).toBool();
    drawing.range = static_cast<RangeChoice>(std::clamp(state.value(u"range"_s).toInt(), 0, 2));
    drawing.hasEntries = state.value(u"entries"_s, drawing.hasEntries).toBool();
    drawing.hasOccurrences = state.value(u"occurrences"_s, drawing.hasOccurrences).toBool();
    drawing.hasWindowEdge = state.value(u"windowEdge"_s, drawing.hasWindowEdge).toBool();
    drawing.hasTrainingLength = state.value(u"trainingLength"_s, drawing.hasTrainingLength).toBool();
    drawing.weights = colourMapOf(state.value(u"colours"_s));
    drawing.signedWeights = colourMapOf(state.value(u"signedColours"_s));
    m_bar->setDrawing(drawing);
    if (state.contains(u"chosenLayer"_s)) { // else the page finds the head that retrieves
        m_isHeadChosen = true;
        m_wantedHead = {std::max<std::int64_t>(state.value(u"chosenLayer"_s).toLongLong(), 0),
                        std::max<std::int64_t>(state.value(u"chosenHead"_s).toLongLong(), 0)};
    }
    if (state.contains(u"keys"_s))
        setKeys(std::clamp<std::int64_t>(state.value(u"keys"_s).toLongLong(), 1, 1'000'000));
    if (state.contains(u"sequence"_s))
        setSequence(state.value(u"sequence"_s).toLongLong());
    if (const auto choice = CompareChoice::fromState(state.value(u"compare"_s).toMap()))
        m_comparison->start(*choice);
}

// --- numbers ---

void AttentionPage::showNumbers()
{
    const PyramidPointer &values = m_view->values();
    if (values && !values->isExact()) { // a picture is no source of numbers
        const MapShape &shape = values->shape();
        if (isShownCurrent() && !values->isComplete()) // the service answers one question about a head, the newest
            Q_EMIT statusChanged(tr("The numbers can be saved when the whole map is computed"));
        else if (isShownCurrent())
            m_exactMap.fetch(m_shown->key, shape.layer, shape.head, shape.queries);
        return;
    }
    std::shared_ptr<const Figure> figure = this->figure();
    if (!figure)
        return;
    const std::int64_t positions = m_shown->positions;
    if (positions * positions > kMostTabled) { // a table of millions of rows helps nobody: straight into a file
        saveNumbers(std::move(figure));
        return;
    }
    auto *dialog = new NumbersDialog(*figure, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void AttentionPage::saveNumbers(std::shared_ptr<const Figure> figure)
{
    const QString csv = tr("Comma-separated values (*.csv)");
    const QString npy = tr("NumPy array (*.npy)");
    auto *dialog = new QFileDialog(this, tr("Save the numbers"), QDir::homePath());
    dialog->setNameFilters({csv, npy});
    connect(dialog, &QFileDialog::filterSelected, dialog,
            [dialog, npy](const QString &filter) { dialog->setDefaultSuffix(filter == npy ? u"npy"_s : u"csv"_s); });
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"csv"_s);
    dialog->selectFile(figure->fileName() % u".csv");
    connect(dialog, &QFileDialog::fileSelected, this, [this, figure](const QString &file) {
        workOnDisk(
            file, this, [figure, file] { exportFigure(*figure, file, {}); },
            [this, file](const Error *failure) {
                if (!failure) {
                    Q_EMIT statusChanged(tr("Saved “%1”").arg(QDir::toNativeSeparators(file)));
                    return;
                }
                auto *box = new QMessageBox(QMessageBox::Warning, tr("Save the numbers"),
                                            QString::fromStdString(failure->sentence()), QMessageBox::Close, this);
                box->setAttribute(Qt::WA_DeleteOnClose);
                box->open();
            });
    });
    dialog->open();
}

} // namespace lookback::ui
