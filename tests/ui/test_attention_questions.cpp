// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <memory>

#include "tests/patience.h"
#include "tests/ui/attention_desk.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::AttentionDesk;
using tests::find;

class TestAttentionQuestions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // S29: a hidden page costs nothing.
    void hiddenPageAsksNothing()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        QSignalSpy list(&desk.collection, &RunCollection::orderChanged);
        QVERIFY(list.wait(testing::kPatience));
        desk.page.setSequence(3);
        QVERIFY(!desk.hasCall("example"));
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.count("example"), 1);
        QCOMPARE(desk.count("maps"), 2); // a question a layer
        QCOMPARE(desk.page.view()->values()->map().queries, 127);
    }

    void lateAnswersAreDropped()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        const analysis::HeadMap first = desk.page.view()->values()->map();
        desk.service.holdAnswers(true);
        desk.page.setSequence(1);
        desk.page.setSequence(2);
        QSignalSpy shown(desk.page.view(), &HeadMapView::cellChanged);
        // The old picture stays, dimmed, until the new one is there.
        QTRY_VERIFY(desk.page.view()->isStale());
        QVERIFY(!find<QWidget>(desk.page, "predictionPanel"_L1)->isEnabled());
        QCOMPARE(desk.page.view()->values()->map(), first);
        QVERIFY(!find<QLabel>(desk.page, "busy"_L1)->text().isEmpty());
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!desk.page.view()->isStale());
        QVERIFY(find<QWidget>(desk.page, "predictionPanel"_L1)->isEnabled());
        const analysis::Example expected =
            tests::FakeRunService::scriptedExample(tests::FakeRunService::smallConfig("hybrid_square"),
                                                   {.runFolder = "x", .step = 400, .n_keys = 8, .sequence = 2});
        const HeadChoice head = desk.page.grid()->choice();
        QCOMPARE(desk.page.view()->values()->map(),
                 tests::FakeRunService::scriptedMap(expected, head.layer, head.head));
        QVERIFY(find<QLabel>(desk.page, "busy"_L1)->text().isEmpty());
        QCOMPARE(desk.count("example"), 3);
    }

    // A head chosen while another layer is computed comes next, and an answer of the former choice does not replace it.
    void headChosenMeanwhile()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.holdAnswers(true);
        desk.page.setSequence(5);
        desk.page.chooseHead({1, 3});
        desk.page.chooseHead({0, 1});
        desk.page.chooseHead({1, 2});
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.view()->values()->map().layer, 1);
        QCOMPARE(desk.page.view()->values()->map().head, 2);
    }

    void startsAtTheHeadThatLooksBack()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice().layer, 1); // layer 0 has a window and sees no first occurrence
    }

    void emptyWithoutRuns()
    {
        AttentionDesk desk;
        desk.page.show();
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QCOMPARE(empty->title(), u"No heads yet"_s);
        QVERIFY(!desk.page.figure());
        QVERIFY(!desk.page.canZoom());
        QSignalSpy train(&desk.page, &AttentionPage::trainRequested);
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QCOMPARE(train.count(), 1);
    }

    void emptyBeforeTheFirstCheckpoint()
    {
        AttentionDesk desk;
        RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        config.checkpoint_every = 200;
        desk.page.show();
        desk.service.train(
            {{.config = config, .preset = {}, .name = {}, .device = "auto", .threads = 1, .evaluateAtEnd = false}});
        desk.service.advance(); // initialising
        desk.service.advance(10);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_COMPARE(empty->reason(), u"Heads need a checkpoint; this run has none before step 200."_s);
        QTRY_COMPARE(empty->button()->text(), u"Save one now"_s);
        QTRY_VERIFY(empty->button()->isVisible());
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QVERIFY(desk.hasCall("save"));
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!empty->isVisible());
        QVERIFY(desk.page.view()->values());
    }

    // The runs list and the page choose the same run; a run that goes away makes place for another.
    void followsTheSelectedRun()
    {
        AttentionDesk desk;
        const run::RunId first =
            desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        const run::RunId second =
            desk.service.addRun(tests::FakeRunService::smallConfig("hybrid"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *runs = find<QComboBox>(desk.page, "runs"_L1);
        for (const run::RunId &id : {second, first, second}) {
            desk.collection.select(id);
            QTRY_COMPARE(runs->currentText(), desk.collection.find(id)->title);
            QTRY_VERIFY(desk.page.isUpToDate());
        }
        desk.collection.select({});
        QCOMPARE(runs->currentText(), desk.collection.find(second)->title);
        desk.service.removeFromView(second);
        QTRY_COMPARE(runs->count(), 1);
        QTRY_COMPARE(runs->currentText(), desk.collection.find(first)->title);
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.removeFromView(first);
        QTRY_VERIFY(find<EmptyState>(desk.page, "emptyState"_L1)->isVisible());
        QVERIFY(!desk.page.view()->values());
    }

    void followsTheNewestCheckpoint()
    {
        AttentionDesk desk;
        desk.page.show();
        const RunConfig config = tests::FakeRunService::smallConfig("rope");
        desk.service.train(
            {{.config = config, .preset = {}, .name = {}, .device = "auto", .threads = 1, .evaluateAtEnd = false}});
        desk.service.advance(); // initialising
        desk.service.advance(100);
        auto *checkpoints = find<QComboBox>(desk.page, "checkpoints"_L1);
        QTRY_COMPARE(checkpoints->currentText(), u"newest, step 100"_s);
        QTRY_VERIFY(desk.page.isUpToDate());
        const qsizetype before = desk.count("example");
        desk.service.advance(100);
        QTRY_COMPARE(checkpoints->currentText(), u"newest, step 200"_s);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.count("example"), before + 1);
        desk.page.setCheckpoint(100);
        desk.service.advance(100);
        QTRY_COMPARE(checkpoints->count(), 4);
        QCOMPARE(checkpoints->currentText(), u"step 100"_s); // a chosen one stays
    }

    // S29: what cannot fit is refused with its cost, before it is tried.
    void refusesWhatCannotFit()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.clearCalls();
        desk.page.setKeys(1000);
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QTRY_VERIFY(empty->isVisible());
        QVERIFY2(empty->reason().contains(u"MiB"_s), qPrintable(empty->reason()));
        QVERIFY(!desk.hasCall("maps"));
        desk.page.setKeys(8);
        QTRY_VERIFY(desk.page.isUpToDate() && !empty->isVisible());
        QCOMPARE(desk.page.view()->values()->map().queries, 127);
    }

    // What takes long shows how far it is, and can be cancelled; what was not computed is offered again.
    void cancelledSequence()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        auto *bar = find<QProgressBar>(desk.page, "busyBar"_L1);
        auto *cancel = find<QToolButton>(desk.page, "cancelHeads"_L1);
        QVERIFY(!bar->isVisible() && !cancel->isVisible());
        desk.service.holdAnswers(true);
        desk.page.setSequence(1);
        QTRY_VERIFY(cancel->isVisible());
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->maximum(), 0); // how far is not known yet
        const run::JobId job = desk.service.newestHeldJob();
        Progress progress;
        progress.done = 1;
        progress.total = 4;
        desk.service.reportProbe({.job = job + 1000, .progress = progress}); // of no question of ours
        desk.service.reportProbe({.job = job, .progress = progress});
        QTRY_COMPARE(bar->value(), 250);

        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(desk.hasCall("cancel probe " + std::to_string(job)));
        QVERIFY(desk.page.isUpToDate());
        QVERIFY(!cancel->isVisible() && !bar->isVisible());
        auto *empty = find<EmptyState>(desk.page, "emptyState"_L1);
        QVERIFY(empty->isVisible());
        QCOMPARE(empty->title(), u"Cancelled"_s);
        desk.service.holdAnswers(false);
        QTest::mouseClick(empty->button(), Qt::LeftButton);
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(!empty->isVisible());
        const HeadChoice head = desk.page.grid()->choice();
        const analysis::Example expected =
            tests::FakeRunService::scriptedExample(tests::FakeRunService::smallConfig("hybrid_square"),
                                                   {.runFolder = "x", .step = 400, .n_keys = 8, .sequence = 1});
        QCOMPARE(desk.page.view()->values()->map(),
                 tests::FakeRunService::scriptedMap(expected, head.layer, head.head));
    }

    // While the heads of a sequence are computed, the one on view stays and is the chosen one again.
    void cancelledLayer()
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
        const HeadChoice before = desk.page.grid()->choice();
        const PyramidPointer values = desk.page.view()->values();
        desk.page.chooseHead({1 - before.layer, 1});
        const run::JobId job = desk.service.newestHeldJob();
        QVERIFY(job != 0);
        QVERIFY(!desk.page.isUpToDate());
        auto *cancel = find<QToolButton>(desk.page, "cancelHeads"_L1);
        QTRY_VERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(desk.hasCall("cancel probe " + std::to_string(job)));
        QVERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.page.grid()->choice(), before);
        QCOMPARE(desk.page.view()->values(), values);
        QVERIFY(!find<EmptyState>(desk.page, "emptyState"_L1)->isVisible());
    }

    // The service need not work for what nobody waits for.
    void supersededQuestionsAreTakenBack()
    {
        AttentionDesk desk;
        desk.service.addRun(tests::FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        desk.page.show();
        QTRY_VERIFY(desk.page.isUpToDate());
        desk.service.holdAnswers(true);
        desk.page.setSequence(1);
        const run::JobId first = desk.service.newestHeldJob();
        desk.page.setSequence(2);
        QVERIFY(desk.hasCall("cancel probe " + std::to_string(first)));
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        const HeadChoice head = desk.page.grid()->choice();
        const analysis::Example expected =
            tests::FakeRunService::scriptedExample(tests::FakeRunService::smallConfig("hybrid_square"),
                                                   {.runFolder = "x", .step = 400, .n_keys = 8, .sequence = 2});
        QCOMPARE(desk.page.view()->values()->map(),
                 tests::FakeRunService::scriptedMap(expected, head.layer, head.head));
    }
};

QTEST_MAIN(TestAttentionQuestions)
#include "test_attention_questions.moc"
