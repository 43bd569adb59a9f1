// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The attention page holds to its bounds of memory on every way, and chooses the head that retrieves by itself.
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>

#include <memory>

#include "tests/patience.h"
#include "tests/ui/attention_desk.h"
#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/map_preparer.h"
#include "ui/pages/attention_page_parts.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::AttentionDesk;
using tests::find;

class TestAttentionBounds : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // S29: what was refused is not computed because something else asks for it.
    void refusedMapsAreNeverAskedFor()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.holdAnswers(true);
        desk.page.setKeys(100);
        QTRY_VERIFY(desk.service.newestHeldJob() != 0);
        const run::JobId asked = desk.service.newestHeldJob();
        desk.service.answerOldest(); // the sequence; its heads are under way
        QTRY_VERIFY(desk.service.newestHeldJob() > asked);
        desk.page.setKeys(1000);
        desk.service.clearCalls();
        desk.service.holdAnswers(false);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY2(empty->reason().contains(u"MiB"_s), qPrintable(empty->reason()));

        for (const HeadChoice head : {HeadChoice{1, 1}, HeadChoice{0, 2}, HeadChoice{1, 3}})
            desk.page.chooseHead(head); // as a click on a thumbnail or [ ] does
        desk.page.zoomIn();
        QCOMPARE(desk.count("maps"), 0);
        QVERIFY(desk.page.isUpToDate());
        QTRY_VERIFY2(empty->reason().contains(u"MiB"_s), qPrintable(empty->reason()));
        QVERIFY(empty->isVisible());

        desk.page.setKeys(8);
        QTRY_VERIFY(desk.page.isUpToDate() && !empty->isVisible());
        QCOMPARE(desk.page.view()->values()->map().queries, 127);
    }

    // Memory that is not there is a sentence, not the end of the program.
    void preparerSaysWhatDoesNotFit()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer ends a program that asks for so much");
#endif
        MapPreparer preparer;
        QSignalSpy failed(&preparer, &MapPreparer::failed);
        QSignalSpy ready(&preparer, &MapPreparer::ready);
        auto map = std::make_shared<analysis::HeadMap>();
        map->queries = std::int64_t{1} << 31;
        map->keys = std::int64_t{1} << 31;
        const quint64 job = preparer.prepare({map});
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.front().front().toULongLong(), job);
        QVERIFY(failed.front().back().toString().contains(u"memory"_s));
        auto small = std::make_shared<analysis::HeadMap>();
        small->queries = small->keys = 2;
        small->weights = {1.0F, 0.0F, 0.5F, 0.5F};
        preparer.prepare({small}); // its thread is still there
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(failed.count(), 1);
    }

    // What the page does not keep, the thumbnails do not keep either; they stay as pictures.
    void thumbnailsLetGoOfLargeMaps()
    {
        const auto example = std::make_shared<const analysis::Example>(tests::FakeRunService::scriptedExample(
            tests::FakeRunService::smallConfig("rope"), {.runFolder = "x", .step = 1, .n_keys = 2, .sequence = 0}));
        const auto layerOf = [&](std::int64_t layer) {
            std::vector<PyramidPointer> heads;
            for (std::int64_t head = 0; head < example->heads; ++head) {
                heads.push_back(std::make_shared<const ValuePyramid>(std::make_shared<const analysis::HeadMap>(
                    tests::FakeRunService::scriptedMap(*example, layer, head))));
            }
            return heads;
        };
        HeadGrid grid;
        grid.setExample(example);
        grid.resize(grid.sizeHint());
        std::weak_ptr<const ValuePyramid> first;
        {
            const std::vector<PyramidPointer> heads = layerOf(0);
            first = heads.front();
            grid.setLayer(0, heads);
        }
        QVERIFY(!first.expired());
        grid.setLayer(1, layerOf(1));
        const QImage before = grid.grab().toImage();
        grid.keepOnly(1);
        QVERIFY(first.expired());
        QVERIFY(grid.hasPicture({0, 0}) && grid.hasPicture({1, 0}));
        QCOMPARE(grid.grab().toImage(), before);
    }

    // A run is shown first at its retrieving head: layer 0 of hybrids has a window and sees no first occurrence.
    void eachRunStartsAtTheHeadThatRetrieves()
    {
        AttentionDesk desk;
        const run::RunId first =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        const run::RunId second =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid"), run::RunState::Finished, 400);
        desk.page.restoreViewState({}); // what a first start does
        desk.page.show();
        QTRY_VERIFY(desk.collection.find(second));
        for (const run::RunId &id : {first, second, first}) {
            desk.collection.select(id);
            QTRY_COMPARE(find<QComboBox>(desk.page, "runs"_L1)->currentText(), desk.collection.find(id)->title);
            QTRY_VERIFY(desk.page.isUpToDate());
            QCOMPARE(desk.page.grid()->choice().layer, 1);
        }
        QVERIFY(!desk.page.viewState().contains(u"chosenHead"_s)); // nobody chose it
    }

    void aChosenHeadStays()
    {
        AttentionDesk desk;
        const run::RunId first =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        const run::RunId second =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.collection.find(second));
        desk.collection.select(first);
        QTRY_VERIFY(desk.page.isUpToDate());
        const HeadChoice chosen{0, 1};
        desk.page.chooseHead(chosen);
        desk.collection.select(second);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice(), chosen);
        desk.page.setSequence(3);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice(), chosen);

        AttentionDesk next; // the next session
        next.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        next.page.restoreViewState(desk.page.viewState());
        next.page.show();
        QTRY_VERIFY(next.page.isUpToDate());
        QCOMPARE(next.page.grid()->choice(), chosen);
    }

    // A head that is chosen while the first heads load is the user's choice already.
    void aHeadChosenWhileLoadingStays()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.service.holdAnswers(true);
        desk.page.show();
        QTRY_VERIFY(desk.service.newestHeldJob() != 0);
        const run::JobId asked = desk.service.newestHeldJob();
        desk.service.answerOldest(); // the sequence
        QTRY_VERIFY(desk.service.newestHeldJob() > asked);
        desk.service.answerOldest(); // its first layer
        QTRY_VERIFY(desk.page.view()->values());
        desk.page.chooseHead({0, 2});
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice(), (HeadChoice{0, 2}));
    }
};

QTEST_MAIN(TestAttentionBounds)
#include "test_attention_bounds.moc"
