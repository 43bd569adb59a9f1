// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The attention page at n = 256 (4,096 tokens): one head at a time, in pieces, in bounded memory, with exact readings.
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <malloc.h>

#include <memory>

#include "core/analysis/attention_comparison.h"
#include "core/error.h"
#include "tests/core/sanitizer_memory.h"
#include "tests/patience.h"
#include "tests/ui/attention_desk.h"
#include "tests/ui/half_pictures.h"
#include "tests/ui/head_map_bench.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/row_bars.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_head_cache.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::AttentionDesk;
using tests::FakeRunService;
using tests::find;

namespace {

constexpr std::int64_t kPositions = 4095;

/// The page with a run whose layer 0 is windowed and whose layer 1 sees all, at the head that the user chose.
struct LargeDesk : AttentionDesk {
    explicit LargeDesk(HeadChoice head = {1, 2}, const std::string &variant = "hybrid_square")
    {
        service.addRun(FakeRunService::smallConfig(variant), run::RunState::Finished, 400);
        page.restoreViewState({{u"chosenLayer"_s, int(head.layer)}, {u"chosenHead"_s, int(head.head)}});
        page.show();
    }
    bool open()
    {
        const auto isOpen = [this] { return page.isUpToDate() && page.view()->values(); };
        if (!QTest::qWaitFor(isOpen, testing::kPatience))
            return false;
        page.setKeys(256);
        return true;
    }
    bool isWhole() const
    {
        const PyramidPointer &values = page.view()->values();
        return page.isUpToDate() && values && values->shape().queries == kPositions && values->isComplete();
    }
    analysis::Example example() const
    {
        return FakeRunService::scriptedExample(FakeRunService::smallConfig("hybrid_square"),
                                               {.runFolder = "x", .step = 400, .n_keys = 256, .sequence = 0});
    }
};

std::size_t usedBytes()
{
    if (const auto bytes = lookback::testing::sanitizerBytesInUse())
        return *bytes;
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace

class TestLargeMaps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // The rows around the asked query are there first; the others look neither like zero nor like the mask.
    void firstRowsFirst()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        desk.page.setKeys(8);
        QTRY_VERIFY(desk.page.isUpToDate() && desk.page.view()->values()->isExact());
        desk.service.clearCalls();
        desk.service.holdAnswers(true);
        desk.page.setKeys(256);
        QTRY_VERIFY(desk.service.newestHeldJob() != 0);
        const run::JobId asked = desk.service.newestHeldJob();
        desk.service.answerOldest(); // the sequence
        QTRY_VERIFY(desk.service.newestHeldJob() > asked);
        desk.service.answerOldest(); // the first piece
        HeadMapView *view = desk.page.view();
        QTRY_VERIFY(view->values() && view->values()->shape().queries == kPositions);
        QVERIFY(!view->values()->isComplete() && !view->values()->isExact());
        desk.service.answerOldest(); // and its neighbour
        QTRY_COMPARE(view->values()->knownRows(), 512);
        const std::int64_t query = view->cell().query;
        QVERIFY(view->values()->isKnown(query, query + 1));
        QVERIFY(!view->isStale() && !desk.page.isUpToDate());
        QCOMPARE(desk.count("maps"), 0);
        QCOMPARE(desk.count("head 1:2"), 1);
        QVERIFY(find<FrameLegend>(desk.page, "frameLegend"_L1)->items().contains(LegendItem::NotComputed));

        desk.page.view()->setFit(HeadMapView::Fit::Whole);
        desk.page.view()->setEntriesShown(false);
        const QImage image = tests::pictureOf(desk.page, 1.0);
        const MaskStyle style = maskStyleFor(view->colours().map(), Theme::dark());
        const auto pixel = [&](std::int64_t q, std::int64_t k) {
            const QPoint corner = view->viewport()->mapTo(&desk.page, QPoint(0, 0));
            return image.pixel(int(corner.x() + view->keys().centre(k)), int(corner.y() + view->queries().centre(q)));
        };
        const std::int64_t other = query < 2048 ? 4000 : 700;
        QCOMPARE(pixel(100, 3900), style.colour);
        QVERIFY(pixel(other, 300) == style.pending || pixel(other, 300) == style.pendingHatch);
        QVERIFY(pixel(query, query / 2) != style.colour && pixel(query, query / 2) != style.pending);

        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.isWhole());
        QVERIFY(!find<FrameLegend>(desk.page, "frameLegend"_L1)->items().contains(LegendItem::NotComputed));
        QCOMPARE(desk.count("head"), 1); // nothing was asked for twice
        // What is shown is what the service said, to half precision.
        const analysis::HeadRows expected = FakeRunService::scriptedRows(desk.example(), 1, 2, 2048, 256);
        for (std::int64_t key = 0; key < 2100; ++key)
            QVERIFY(std::abs(view->values()->at(2100, key) - expected.at(2100, key))
                    <= expected.at(2100, key) * 0x1p-11F);
    }

    // Numbers are exact or marked: never those of half precision as if they were.
    void readingsAreExact()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        const analysis::Example example = desk.example();
        HeadMapView *view = desk.page.view();
        QSignalSpy status(&desk.page, &Page::statusChanged);
        const auto wordsAt = [&](MapCell cell) {
            const analysis::HeadRows row = FakeRunService::scriptedRows(example, 1, 2, cell.query, 1);
            return QString::fromStdString(analysis::sentenceFor(example, row, cell.query, cell.key));
        };
        QTRY_COMPARE(desk.page.sentence(), wordsAt(view->cell()));
        const QString before = desk.page.sentence();
        desk.service.holdAnswers(true);
        const MapCell cell{3001, 1234};
        view->setCell(cell);
        QTRY_VERIFY(desk.service.newestHeldJob() != 0);
        QCOMPARE(desk.page.sentence(), before); // greyed after a while
        QTRY_VERIFY(!find<QLabel>(desk.page, "sentence"_L1)->isEnabled());
        QVERIFY2(status.back().front().toString().startsWith(u"Query 3,001, key 1,234: ≈ "_s),
                 qPrintable(status.back().front().toString()));
        view->setCell({3002, 1234}); // moves on: the row of 3001 is answered, then that of 3003 is asked for
        view->setCell({3003, 1234});
        QCOMPARE(desk.count("row 1:2 3001"), 1);
        desk.service.holdAnswers(false);
        QTRY_COMPARE(desk.page.sentence(), wordsAt({3003, 1234}));
        QVERIFY(find<QLabel>(desk.page, "sentence"_L1)->isEnabled());
        QCOMPARE(desk.count("row 1:2 3002"), 0);
        const analysis::HeadRows row = FakeRunService::scriptedRows(example, 1, 2, 3003, 1);
        const auto value = static_cast<double>(row.at(3003, 1234));
        const QString number = QLocale().toString(value, value >= 1e-4 ? 'f' : 'e', value >= 1e-4 ? 4 : 2);
        const QString said = status.back().front().toString();
        QVERIFY2(said.startsWith(u"Query 3,003, key 1,234: "_s + QString(number).replace(u'-', QChar(0x2212))),
                 qPrintable(said));
        // The bars have the exact range.
        float most = 0.0F;
        for (std::int64_t key = 0; key <= 3003; ++key)
            most = std::max(most, row.at(3003, key));
        auto *bars = find<RowBars>(desk.page, "rowBars"_L1);
        const RowBars::Range range = bars->range();
        QVERIFY(range.bottom <= 0.0 && range.top > double(most));
        // A masked cell is said to be masked, in words too.
        view->setCell({3003, 3500});
        QTRY_VERIFY(desk.page.sentence().contains(u"after the query"_s));
    }

    // What the user does not wait for any more ends; what has come stays and can be gone on with.
    void cancelledAndGoneOnWith()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        desk.service.holdAnswers(true);
        desk.page.chooseHead({1, 0});
        QTRY_VERIFY(desk.service.newestHeldJob() != 0);
        const run::JobId job = desk.service.newestHeldJob();
        QVERIFY(desk.hasCall("head 1:0"));
        desk.service.answerOldest();
        QTRY_VERIFY(desk.page.view()->values()->shape().head == 0);
        auto *cancel = find<QToolButton>(desk.page, "cancelHeads"_L1);
        QTRY_VERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(desk.hasCall("cancel probe " + std::to_string(job)));
        QVERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.view()->values()->shape().head, 0);
        QVERIFY(!desk.page.view()->values()->isComplete());
        QVERIFY(!find<EmptyState>(desk.page, "emptyState"_L1)->isVisible());
        desk.service.clearCalls();
        desk.page.view()->setCell({9, 3}); // looking around does not start it again
        desk.page.zoomIn();
        QCOMPARE(desk.count("head"), 0);
        desk.service.holdAnswers(false);
        QTest::mouseClick(desk.page.grid(), Qt::LeftButton, {}, desk.page.grid()->cellRect({1, 0}).center());
        QTRY_VERIFY(desk.isWhole());
        QCOMPARE(desk.count("head 1:0"), 1);

        // Another head ends the one under way, and a head that is kept is there at once.
        desk.service.holdAnswers(true);
        desk.page.chooseHead({1, 3});
        const run::JobId other = desk.service.newestHeldJob();
        desk.page.chooseHead({1, 2});
        QVERIFY(desk.hasCall("cancel probe " + std::to_string(other)));
        QVERIFY(desk.isWhole());
        QCOMPARE(desk.page.view()->values()->shape().head, 2);
    }

    // Only heads that were looked at are computed; the others say so, and a click computes them.
    void gridSaysWhatIsNotComputed()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        HeadGrid *grid = desk.page.grid();
        for (std::int64_t layer = 0; layer < 2; ++layer) {
            for (std::int64_t head = 0; head < 4; ++head)
                QCOMPARE(grid->hasPicture({layer, head}), layer == 1 && head == 2);
        }
        QCOMPARE(desk.count("head"), 1);
        QTest::mouseClick(grid, Qt::LeftButton, {}, grid->cellRect({0, 1}).center());
        QVERIFY(grid->spokenValue().contains(u"Not computed yet"_s));
        QTRY_VERIFY(desk.isWhole() && grid->hasPicture({0, 1}));
        QCOMPARE(desk.page.view()->values()->shape().window, 10);
        QVERIFY(grid->hasPicture({1, 2})); // kept
        QVERIFY(!grid->spokenValue().contains(u"Not computed yet"_s));
        // Another colour map draws what is kept anew.
        MapDrawing drawing;
        drawing.weights = ColourMap::Grey;
        find<MapBar>(desk.page, "mapBar"_L1)->setDrawing(drawing);
        QVERIFY(grid->hasPicture({1, 2}) && grid->hasPicture({0, 1}));
        // Rows divided by their maximum, all of them.
        drawing.range = RangeChoice::RowMaximum;
        find<MapBar>(desk.page, "mapBar"_L1)->setDrawing(drawing);
        QTRY_COMPARE(desk.page.view()->values()->rows(), ValuePyramid::Rows::ToTheirMaximum);
        QCOMPARE(desk.page.view()->values()->extreme(77, 78, 0, kPositions), 1.0F);
    }

    // S29: pictures stay within the stated memory; the one that was looked at longest ago leaves first.
    void cacheIsBounded()
    {
        analysis::HeadMap map;
        map.queries = map.keys = 600;
        map.weights.assign(600 * 600, 0.5F);
        const PyramidPointer picture = tests::halfPicture(map);
        HeadCache cache(3 * picture->bytes());
        QVERIFY(cache.put({0, 0}, picture).empty());
        QVERIFY(cache.put({0, 1}, picture).empty());
        QVERIFY(cache.put({0, 2}, picture).empty());
        QVERIFY(cache.put({0, 2}, picture).empty()); // again: in its own place
        QCOMPARE(cache.find({0, 0}), picture); // looked at: the newest now
        QCOMPARE(cache.put({1, 0}, picture), (std::vector<HeadChoice>{{0, 1}}));
        QVERIFY(!cache.find({0, 1}) && cache.find({0, 0}) && cache.find({0, 2}));
        QCOMPARE(cache.bytes(), 3 * picture->bytes());
        HeadCache tight(1); // one that is looked at has to stay
        tight.put({0, 0}, picture);
        QCOMPARE(tight.put({0, 1}, picture), (std::vector<HeadChoice>{{0, 0}}));
        QCOMPARE(tight.count(), std::size_t{1});
        // The numbers of the specification.
        QVERIFY(ValuePyramid::halfBytes(4095, 0) < 24 * 1024 * 1024);
        QVERIFY(ValuePyramid::halfBytes(4095, 10) < 6 * 1024 * 1024);
    }

    // S29: what cannot fit is refused with its cost before it is tried; a head that fits is not.
    void refusesWhatCannotFit()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        desk.service.clearCalls();
        desk.page.setKeys(1000);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY2(empty->reason().contains(u"16,000 tokens"_s) && empty->reason().contains(u"330"_s)
                     && empty->reason().contains(u"192"_s),
                 qPrintable(empty->reason()));
        QCOMPARE(desk.count("head"), 0);
        desk.page.chooseHead({1, 1});
        desk.page.zoomIn();
        QTRY_VERIFY(empty->isVisible() && desk.page.isUpToDate());
        QCOMPARE(desk.count("head"), 0);
        desk.page.chooseHead({0, 1}); // its window needs little
        QTRY_VERIFY(!empty->isVisible() && desk.page.isUpToDate() && desk.page.view()->values()
                    && desk.page.view()->values()->shape().queries == 15999);
        desk.page.setKeys(256);
        QTRY_VERIFY(desk.isWhole());
    }

    // S30: opening and closing fifty times ends where it began.
    void fiftyTimes()
    {
        FakeRunService service;
        RunBridge bridge(&service);
        RunCollection collection(&bridge);
        service.addRun(FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        std::size_t after = 0;
        for (int i = 0; i < 50; ++i) {
            std::weak_ptr<const ValuePyramid> picture;
            {
                AttentionPage page(&bridge, &collection);
                page.resize(900, 600);
                // Mostly a windowed head, which the fake makes quickly.
                page.restoreViewState(
                    {{u"chosenLayer"_s, i % 10 == 9 ? 1 : 0}, {u"chosenHead"_s, i % 4}, {u"keys"_s, 256}});
                page.show();
                QTRY_VERIFY(page.isUpToDate() && page.view()->values() && page.view()->values()->isComplete());
                QCOMPARE(page.view()->values()->shape().queries, kPositions);
                picture = page.view()->values();
                QVERIFY(!page.grab().isNull());
                if (i % 5 == 0) {
                    page.setKeys(8); // or it is only left
                    QTRY_VERIFY(page.isUpToDate() && page.view()->values()->isExact());
                    QVERIFY(picture.expired());
                }
            }
            QVERIFY(picture.expired());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            service.clearCalls();
            if (i == 19)
                after = usedBytes();
        }
        const double growth = double(usedBytes()) - double(after);
        QVERIFY2(growth < 2e6, qPrintable(QString::number(growth)));
    }

    // The lines that belong to the map's structure: switched, remembered, named in the key and drawn in the figure.
    void structureLines()
    {
        LargeDesk desk({0, 1});
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        QCOMPARE(desk.page.view()->lines(), (MapLines{.window = 10, .trainedTokens = 128}));
        auto *legend = find<FrameLegend>(desk.page, "frameLegend"_L1);
        QVERIFY(legend->items().contains(LegendItem::WindowEdge)
                && legend->items().contains(LegendItem::TrainingLength));
        desk.page.chooseHead({1, 2});
        QTRY_VERIFY(desk.isWhole());
        QCOMPARE(desk.page.view()->lines(), (MapLines{.window = 0, .trainedTokens = 128}));
        QVERIFY(!legend->items().contains(LegendItem::WindowEdge));
        const QImage with = tests::pictureOf(desk.page, 1.0);
        const std::unique_ptr<Figure> figureWith = desk.page.figure();
        const QImage paperWith = renderFigure(*figureWith, ExportOptions::ofPixels({900, 600}, 96));
        auto *bar = find<MapBar>(desk.page, "mapBar"_L1);
        MapDrawing drawing;
        drawing.hasTrainingLength = drawing.hasWindowEdge = false;
        bar->setDrawing(drawing);
        QCOMPARE(desk.page.view()->lines(), MapLines());
        QVERIFY(tests::pictureOf(desk.page, 1.0) != with);
        QVERIFY(renderFigure(*desk.page.figure(), ExportOptions::ofPixels({900, 600}, 96)) != paperWith);

        LargeDesk other;
        other.page.restoreViewState(desk.page.viewState());
        QCOMPARE(find<MapBar>(other.page, "mapBar"_L1)->drawing(), drawing);
        desk.page.setKeys(8); // as long as training: no line
        bar->setDrawing({});
        QTRY_VERIFY(desk.page.isUpToDate() && desk.page.view()->values()->isExact());
        QVERIFY(!legend->items().contains(LegendItem::TrainingLength));
    }

    // Beside another head: the difference of both pictures, and both exact numbers in words.
    void comparedAtFullSize()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        AttentionComparison *comparison = desk.page.comparison();
        comparison->start({.what = CompareChoice::What::Checkpoint, .step = 400, .head = HeadChoice{1, 3}});
        QTRY_VERIFY(desk.isWhole() && comparison->difference());
        const analysis::Example example = desk.example();
        const MapCell cell = desk.page.view()->cell();
        const analysis::HeadRows left = FakeRunService::scriptedRows(example, 1, 2, cell.query, 1);
        const analysis::HeadRows right = FakeRunService::scriptedRows(example, 1, 3, cell.query, 1);
        for (std::int64_t key = 0; key < kPositions; ++key) {
            const float expected = right.at(cell.query, key) - left.at(cell.query, key);
            QVERIFY(std::abs(comparison->difference()->at(cell.query, key) - expected) < 1e-3F);
        }
        const auto reading = [&](const analysis::HeadRows &rows) {
            return analysis::CellReading{.weight = rows.at(cell.query, cell.key),
                                         .isVisible = rows.isVisible(cell.query, cell.key)};
        };
        QTRY_COMPARE(desk.page.sentence(),
                     QString::fromStdString(
                         analysis::comparisonSentence(example, reading(left), reading(right), cell.query, cell.key)));
        const std::unique_ptr<Figure> figure = desk.page.figure();
        QVERIFY(!renderFigure(*figure, ExportOptions::ofPixels({900, 400}, 96)).isNull());
        QVERIFY_THROWS_EXCEPTION(Error, figure->csv());
        comparison->end();
        QTRY_VERIFY(desk.isWhole());
    }

    // The figure has the picture; it does not give its values out as the exact numbers.
    void figureOfALargeMap()
    {
        LargeDesk desk;
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        QTRY_VERIFY(!desk.page.sentence().isEmpty());
        const std::unique_ptr<Figure> figure = desk.page.figure();
        QVERIFY(figure);
        QVERIFY(!renderFigure(*figure, ExportOptions::ofPixels({600, 400}, 96)).isNull());
        QVERIFY(figure->provenance().join(u'\n').contains(desk.page.sentence()));
        QVERIFY_THROWS_EXCEPTION(Error, figure->csv());
    }

    // Numbers are gathered anew, exact, when they are asked for.
    void numbersOfALargeMap()
    {
        LargeDesk desk({0, 1});
        QVERIFY(desk.open());
        QTRY_VERIFY(desk.isWhole());
        QTest::mouseClick(find<QToolButton>(desk.page, "numbers"_L1), Qt::LeftButton);
        QTRY_VERIFY(desk.page.findChild<QFileDialog *>());
        auto *dialog = desk.page.findChild<QFileDialog *>();
        QTemporaryDir folder;
        const QString file = folder.filePath(u"head.csv"_s);
        QSignalSpy status(&desk.page, &Page::statusChanged);
        Q_EMIT dialog->fileSelected(file);
        QTRY_VERIFY(!status.empty() && status.back().front().toString().startsWith(u"Saved"_s));
        QFile csv(file);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const analysis::HeadRows rows = FakeRunService::scriptedRows(desk.example(), 0, 1, 0, 2);
        csv.readLine();
        for (const MapCell cell : {MapCell{0, 0}, {1, 0}, {1, 1}}) {
            const QList<QByteArray> fields = csv.readLine().simplified().split(',');
            QCOMPARE(fields.size(), 7);
            QCOMPARE(fields[6].toFloat(), rows.at(cell.query, cell.key));
        }
    }
};

QTEST_MAIN(TestLargeMaps)
#include "test_large_maps.moc"
