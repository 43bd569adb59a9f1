// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the circuit page asks for when, over the checkpoints and from one choice to the next.
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/ui/circuit_bench.h"
#include "ui/figures/figure.h"
#include "ui/models/head_table_model.h"
#include "ui/models/time_text.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"
#include "ui/widgets/checkpoint_slider.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::CircuitBench;

class TestCircuitAsking : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void captionsAreOfTheNumbersOnView()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        const auto *grid = bench.find<ElidedText>("gridNote"_L1);
        const auto *table = bench.find<ElidedText>("tableNote"_L1);
        const QString gridBefore = u"n = 8, step 800, output zero; points, root scale"_s;
        const QString tableBefore =
            u"32 at step 800, n = 8, 256 sequences; removed: output zero; ± is the 95 % interval"_s;
        QCOMPARE(grid->text(), gridBefore);
        QCOMPARE(table->text(), tableBefore);
        QVERIFY(bench.find<HeadTableView>("headTable"_L1)
                    ->model()
                    ->headerData(HeadTableModel::Change, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .endsWith(u"removed: output zero"_s));
        bench.service.holdAnswers(true);
        bench.page.setKeys(16);
        QCOMPARE(grid->text(), gridBefore); // the old numbers are still there
        QCOMPARE(table->text(), tableBefore);
        bench.service.answerOldest(); // the heads
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Heads));
        QVERIFY(!bench.page.loader().isCurrent(CircuitPart::Grid));
        QCOMPARE(grid->text(), gridBefore);
        QCOMPARE(table->text(), u"32 at step 800, n = 16, 256 sequences; ± is the 95 % interval"_s);
        bench.service.holdAnswers(false);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(grid->text(), u"n = 16, step 800, output zero; points, root scale"_s);
        bench.service.holdAnswers(true);
        Q_EMIT bench.page.removal()->removalChosen(circuit::Removal::Mean);
        QCOMPARE(grid->text(), u"n = 16, step 800, output zero; points, root scale"_s);
        bench.service.holdAnswers(false);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(grid->text(), u"n = 16, step 800, mean output; points, root scale"_s);
        bench.page.setFigureKind(CircuitPage::FigureKind::Table);
        QVERIFY(bench.page.figure()->provenance().front().contains(u"change when removed (mean output)"_s));
    }

    /// What is remembered of a run does not count for one that is made under its name later.
    void aRunUnderTheNameOfARemovedOneIsMeasured()
    {
        CircuitBench bench;
        const run::RunId id = bench.addRun();
        QVERIFY(bench.open());
        const qsizetype heads = bench.count("circuit heads");
        const qsizetype grids = bench.count("circuit grid");
        bench.service.removeFromView(id);
        QTRY_VERIFY(!bench.collection.find(id));
        QCOMPARE(bench.addRun(), id);
        QTRY_COMPARE(bench.count("circuit heads"), heads + 1);
        QTRY_COMPARE(bench.count("circuit grid"), grids + 1);
        QTRY_VERIFY(bench.isMeasured());
    }

    void timeline()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        CircuitTimeline *timeline = bench.page.timeline();
        auto *play = bench.find<QToolButton>("play"_L1);
        QVERIFY(!play->isEnabled()); // nothing to play yet
        auto *follow = bench.find<QPushButton>("followHeads"_L1);
        QCOMPARE(follow->text(), u"Measure the heads of 8 checkpoints"_s);
        QTest::mouseClick(follow, Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().timeline());
        QCOMPARE(bench.page.loader().timeline()->size(), std::size_t(8));
        QVERIFY(play->isEnabled());
        QVERIFY(timeline->scores()->isVisible());
        QStringList names;
        for (const ChartCurve &curve : timeline->scores()->curves())
            names << curve.label;
        QCOMPARE(names,
                 QStringList({u"L7 H2 retrieval"_s, u"L7 H0 retrieval"_s, u"L1 H1 matching"_s, u"L0 H1 previous"_s}));
        // A step's heads are known from it; every head alone has to be removed there.
        const qsizetype heads = bench.count("circuit heads");
        bench.page.setStep(300);
        QVERIFY(bench.page.loader().isCurrent(CircuitPart::Heads));
        QCOMPARE(bench.page.loader().heads()->step, 300);
        QVERIFY(bench.page.grid()->isStale()); // the effects are those of another step
        QTRY_VERIFY(bench.isMeasured());
        QVERIFY(!bench.page.grid()->isStale());
        QCOMPARE(bench.count("circuit heads"), heads);
        QCOMPARE(timeline->slider()->step(), 300);
        QVERIFY(bench.find<QLabel>("stepReading"_L1)->text().startsWith(u"step 300: loss "_s));
        QTest::keyClick(timeline->slider(), Qt::Key_Right);
        QTRY_COMPARE(bench.page.loader().heads()->step, 400);
    }

    void playsToTheEnd()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QPushButton>("followHeads"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Timeline));
        bench.page.setStep(600);
        QTRY_VERIFY(bench.isMeasured());
        const qsizetype asked = bench.count("circuit grid");
        QSignalSpy steps(bench.page.timeline(), &CircuitTimeline::stepChosen);
        QTest::mouseClick(bench.find<QToolButton>("play"_L1), Qt::LeftButton);
        QVERIFY(bench.page.timeline()->isPlaying());
        QTRY_VERIFY(!bench.page.timeline()->isPlaying());
        QCOMPARE(steps.size(), 2);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().heads()->step, 800);
        QVERIFY(bench.count("circuit grid") <= asked + 1); // what is passed over is not measured
    }

    void olderAnswersAreDropped()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        bench.service.holdAnswers(true);
        bench.page.setStep(300);
        const run::JobId older = bench.service.newestHeldJob();
        QVERIFY(older > 0);
        bench.page.setStep(500);
        QVERIFY(bench.count("cancel probe " + std::to_string(older)) == 1);
        bench.service.holdAnswers(false);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().heads()->step, 500);
        QCOMPARE(bench.page.loader().grid()->step, 500);
    }

    void busyAndCancel()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        bench.page.setChosen({}); // the heads are all that is asked for
        bench.service.holdAnswers(true);
        bench.page.setStep(300);
        QVERIFY(bench.page.loader().isBusy());
        QVERIFY(bench.page.grid()->isStale()); // the old picture stays, dimmed
        QVERIFY(!bench.page.grid()->cells().cells.empty());
        bench.service.reportProbe(
            {bench.service.newestHeldJob(),
             {.what = "64 of 256 sequences", .done = 64, .total = 256, .remainingSeconds = 61.0}});
        auto *busy = bench.find<BusyStrip>("busyStrip"_L1);
        QTRY_VERIFY(busy->text().contains(progressText(64, 256)));
        QVERIFY(busy->text().contains(u"left"_s));
        QTRY_VERIFY(bench.find<QToolButton>("cancelHeads"_L1)->isVisible());
        QTest::mouseClick(bench.find<QToolButton>("cancelHeads"_L1), Qt::LeftButton);
        QVERIFY(!bench.page.loader().isBusy());
        bench.service.holdAnswers(false);
        QCoreApplication::processEvents();
        QCOMPARE(bench.page.loader().heads()->step, 800); // nothing came
        QTest::mouseClick(bench.find<QToolButton>("measureAgain"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().heads()->step, 300);
    }

    void settingsAskAnew()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        bench.page.setKeys(16);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().heads()->request.n_keys, 16);
        bench.page.setSequences(64);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().grid()->request.sequences, 64);
        const qsizetype heads = bench.count("circuit heads");
        bench.page.setKeys(8);
        bench.page.setSequences(256);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.count("circuit heads"), heads + 1); // n = 8 with 64 sequences; the rest is known
        const QVariantMap state = bench.page.viewState();
        CircuitBench other;
        other.page.restoreViewState(state);
        QCOMPARE(other.page.viewState(), state);
        other.page.restoreViewState({{u"quantity"_s, 99}, {u"keys"_s, u"many"_s}, {u"removal"_s, -4}}); // harmless
    }

    // While the page is looked at its checkpoint stays; when it is shown it goes to the newest, unless one was chosen.
    void newestCheckpoint()
    {
        CircuitBench bench;
        RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        const run::RunId run = bench.service.addRun(config, run::RunState::Running, 100);
        QTRY_VERIFY(!bench.collection.order().empty());
        bench.service.advance(110); // before anybody looked
        QTRY_COMPARE(bench.collection.find(run)->snapshot.checkpointSteps.size(), std::size_t(2));
        QVERIFY(bench.open());
        QCOMPARE(bench.page.loader().heads()->step, 200);
        bench.service.advance(100);
        QTRY_COMPARE(bench.collection.find(run)->snapshot.checkpointSteps.size(), std::size_t(3));
        QVERIFY(bench.page.loader().isCurrent(CircuitPart::Heads));
        QCOMPARE(bench.page.loader().heads()->step, 200);
        bench.page.hide();
        bench.page.show();
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.loader().heads()->step, 300);
        bench.page.setStep(100);
        QTRY_VERIFY(bench.isMeasured());
        bench.page.hide();
        bench.page.show();
        QCOMPARE(bench.page.loader().heads()->step, 100);
    }

    void otherRun()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        const run::RunId other =
            bench.service.addRun(tests::FakeRunService::smallConfig("rope"), run::RunState::Finished, 400);
        QTRY_COMPARE(bench.collection.order().size(), std::size_t(2));
        bench.collection.select(other);
        QTRY_VERIFY(bench.isMeasured());
        QCOMPARE(bench.page.grid()->cells().cells.size(), std::size_t(8));
        QCOMPARE(bench.page.table()->model()->rowCount(), 8);
        QVERIFY(!bench.page.loader().timeline());
    }
};

QTEST_MAIN(TestCircuitAsking)
#include "test_circuit_asking.moc"
