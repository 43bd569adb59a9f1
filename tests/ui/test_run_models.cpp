// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows of the runs, and how the lists show it.
#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QSignalSpy>
#include <QtTest>

#include <limits>
#include <memory>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/models/time_text.h"
#include "ui/models/variant_model.h"
#include "ui/models/work_summary.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using tests::FakeRunService;

namespace {

const QDateTime kNoon(QDate(2026, 7, 1), QTime(12, 0));

/// The rows as text, columns joined by " | ", thin spaces made plain.
QStringList linesOf(const QAbstractItemModel &model, std::initializer_list<RunsModel::Column> columns)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (const RunsModel::Column column : columns)
            cells.append(model.index(row, column).data().toString().replace(QChar(0x202F), u' '));
        lines.append(cells.join(u" | "_s));
    }
    return lines;
}

/// Service, bridge and collection; the bridge is drained by hand of the event loop.
struct Bench {
    FakeRunService service;
    RunBridge bridge{&service};
    RunCollection runs{&bridge};

    void deliver()
    {
        // The bridge wakes at most 20 times a second; what is there arrives within a few turns.
        QTRY_VERIFY(service.takesNothing());
        QCoreApplication::processEvents();
    }
    run::RunId train(const std::string &variant, std::uint64_t seed = 0, std::int64_t steps = 400)
    {
        run::TrainRequest request;
        request.config = FakeRunService::smallConfig(variant, seed, steps);
        service.train({request});
        deliver();
        return service.newestRun();
    }
};

} // namespace

class TestRunModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Of the steps with the most keys the best one; what is missing or not a number never wins and sorts last.
    void bestIsNotLast()
    {
        Bench bench;
        const auto record = [](std::int64_t step, std::int64_t n_keys, std::optional<double> accuracy) {
            run::MetricsRecord line;
            line.step = step;
            line.n_keys = n_keys;
            line.retrievalAcc = accuracy;
            return line;
        };
        const run::RunId first = bench.train("rope");
        const run::RunId second = bench.train("hybrid");
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        Q_EMIT bench.bridge.metricsArrived({{first,
                                             true,
                                             {record(10, 2, 0.99), record(20, 4, 0.4), record(30, 4, 0.7),
                                              record(40, 4, kNan), record(50, 4, 0.7), record(60, 4, 0.5)}},
                                            {second, true, {record(10, 2, std::nullopt), record(20, 2, kNan)}}});
        RunsModel model(&bench.runs);
        const int row = model.rowOf(first);
        QCOMPARE(model.index(row, RunsModel::Best).data(RunsModel::SortRole).toDouble(), 0.7);
        QCOMPARE(model.index(row, RunsModel::BestStep).data().toString(), u"30"_s);
        QCOMPARE(model.index(model.rowOf(second), RunsModel::Best).data().toString(), u"–"_s);
        RunsProxy proxy;
        proxy.setSourceModel(&model);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            proxy.sort(RunsModel::Best, order);
            QCOMPARE(proxy.index(0, 0).data(RunsModel::IdRole).toString(), QString::fromStdString(first));
        }
        // Continued from step 20: the better steps after it are gone.
        Q_EMIT bench.bridge.metricsArrived({{first, false, {record(25, 4, 0.3)}}});
        QCOMPARE(model.index(row, RunsModel::BestStep).data().toString(), u"20"_s);
    }

    void aRunIsFollowedFromQueueToEnd()
    {
        Bench bench;
        RunsModel model(&bench.runs, [] { return kNoon; });
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.train("hybrid_square");
        QCOMPARE(linesOf(model, {RunsModel::Name, RunsModel::State, RunsModel::Progress, RunsModel::TimeLeft}),
                 QStringList{u"hybrid_square · seed 0 | Queued | 0 % | waits for a place"_s});
        bench.service.advance(1);
        bench.service.advance(100);
        bench.deliver();
        QCOMPARE(linesOf(model, {RunsModel::State, RunsModel::Progress, RunsModel::TimeLeft, RunsModel::Step}),
                 QStringList{u"Running | 25 % | 30 s left | 100 / 400"_s});
        bench.service.advanceToEnd();
        bench.deliver();
        QCOMPARE(linesOf(model, {RunsModel::State, RunsModel::Progress, RunsModel::TimeLeft, RunsModel::Speed}),
                 QStringList{u"Finished | 100 % | took 33 s | –"_s});
        const RunCollection::Run *run = bench.runs.find(bench.runs.order().front());
        QCOMPARE(run->metrics().size(), 41U); // step 1 and each tenth
        QCOMPARE(run->accuracy.size(), 1U);
        QCOMPARE(run->accuracy.front().points.size(), 5U);
    }

    void activeRunsComeFirstAndTheOthersByName()
    {
        Bench bench;
        RunsModel model(&bench.runs, [] { return kNoon; });
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.service.addRun(FakeRunService::smallConfig("rope", 1), run::RunState::Stopped, 200);
        bench.service.addRun(FakeRunService::smallConfig("hybrid", 1), run::RunState::Interrupted, 100);
        bench.service.addUnreadable("broken", "run.json is empty.");
        bench.deliver();
        bench.train("rope_square", 0, 100);
        const QPersistentModelIndex stopped = model.index(model.rowOf("/runs/rope-seed1"), RunsModel::Name);
        bench.train("partial_rope", 0, 100);
        QCOMPARE(
            linesOf(model, {RunsModel::Name, RunsModel::State}),
            QStringList({u"rope_square · seed 0 | Queued"_s, u"partial_rope · seed 0 | Queued"_s,
                         u"broken | Unreadable"_s, u"hybrid · seed 1 | Interrupted"_s, u"rope · seed 1 | Stopped"_s}));
        bench.service.advanceToEnd();
        bench.deliver();
        QCOMPARE(linesOf(model, {RunsModel::Name, RunsModel::State}),
                 QStringList({u"broken | Unreadable"_s, u"hybrid · seed 1 | Interrupted"_s,
                              u"partial_rope · seed 0 | Finished"_s, u"rope · seed 1 | Stopped"_s,
                              u"rope_square · seed 0 | Finished"_s}));
        QCOMPARE(stopped.data().toString(), u"rope · seed 1"_s); // selection stays with its run
        QCOMPARE(model.index(0, RunsModel::TimeLeft).data().toString(), u"run.json is empty."_s);
    }

    void aCurveKeepsTitleAndStyleWhateverComesOrGoes()
    {
        Bench bench;
        const run::RunId first = bench.train("rope");
        const run::RunId second = bench.train("rope"); // the same seed once more
        const run::RunId third = bench.train("rope", 7);
        const auto titleOf = [&](const run::RunId &id) { return bench.runs.find(id)->title; };
        const auto styleOf = [&](const run::RunId &id) { return bench.runs.styleOf(id, Theme::light()); };
        QCOMPARE(titleOf(first), u"rope · seed 0"_s);
        QCOMPARE(titleOf(second), u"rope · seed 0 (2)"_s);
        QCOMPARE(titleOf(third), u"rope · seed 7"_s);
        const SeriesStyle style = styleOf(third);
        QVERIFY(!(styleOf(first) == styleOf(second)));
        QVERIFY(!(style == styleOf(second)));
        bench.service.stop(first);
        bench.service.advance(1);
        bench.service.removeFromView(first);
        bench.runs.setShown(second, false);
        bench.deliver();
        QCOMPARE(titleOf(second), u"rope · seed 0 (2)"_s);
        QCOMPARE(styleOf(third), style);
        const run::RunId fourth = bench.train("rope"); // takes what became free
        QCOMPARE(titleOf(fourth), u"rope · seed 0"_s);
        QCOMPARE(bench.runs.find(fourth)->styleIndex, 0);
    }

    void aContinuedRunWritesItsStepsAnew()
    {
        Bench bench;
        const run::RunId id = bench.train("rope", 0, 400);
        bench.service.advance(1);
        bench.service.advance(150);
        bench.service.interrupt(id); // newest checkpoint: step 100
        bench.service.resume(id);
        bench.service.advance(1);
        bench.service.advance(20);
        bench.deliver();
        const std::vector<run::MetricsRecord> &metrics = bench.runs.find(id)->metrics();
        QCOMPARE(metrics.back().step, 120);
        QVERIFY(std::ranges::is_sorted(metrics, std::ranges::less_equal(), &run::MetricsRecord::step)
                && std::ranges::adjacent_find(metrics, {}, &run::MetricsRecord::step) == metrics.end());
    }

    /// Told piece by piece, a log of any length takes bounded memory.
    void aVeryLongLogIsThinned()
    {
        Bench bench;
        const run::RunId id = bench.train("rope", 0, 400);
        const auto records = [](std::int64_t from, std::int64_t to) {
            std::vector<run::MetricsRecord> lines;
            for (std::int64_t step = from; step <= to; ++step) {
                run::MetricsRecord &line = lines.emplace_back();
                line.step = step;
                line.n_keys = 2;
                line.loss = 1.0;
                line.retrievalAcc = step == 77'777 ? 0.75 : 0.5;
            }
            return lines;
        };
        constexpr std::int64_t kPiece = 50'000;
        constexpr std::int64_t kLines = 1'000'000;
        for (std::int64_t from = 0; from < kLines; from += kPiece) {
            Q_EMIT bench.bridge.metricsArrived({{id, from == 0, records(from + 1, from + kPiece)}});
            const auto &metrics = bench.runs.find(id)->metrics();
            QVERIFY(metrics.size() <= run::ThinnedLog::kMost);
            QCOMPARE(metrics.front().step, 1);
            QCOMPARE(metrics.back().step, from + kPiece);
        }
        QCOMPARE(bench.runs.find(id)->best->step, 77'777);
        QVERIFY(std::ranges::binary_search(bench.runs.find(id)->metrics(), std::int64_t{77'777}, {},
                                           &run::MetricsRecord::step));
    }

    void missingAndBrokenValuesSortLastEitherWay()
    {
        Bench bench;
        bench.service.breakLossAt("rope", 50);
        bench.train("rope");
        bench.service.advance(1);
        bench.service.advance(200);
        bench.train("hybrid");
        bench.service.advance(1);
        bench.service.advance(100);
        bench.train("rope_square");
        bench.deliver();
        RunsModel model(&bench.runs, [] { return kNoon; });
        RunsProxy proxy;
        const QAbstractItemModelTester tester(&proxy, QAbstractItemModelTester::FailureReportingMode::QtTest);
        proxy.setSourceModel(&model);
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            proxy.sort(RunsModel::Loss, order);
            QCOMPARE(proxy.index(0, RunsModel::Name).data().toString(), u"hybrid · seed 0"_s);
            const QStringList last{proxy.index(1, RunsModel::Loss).data().toString(),
                                   proxy.index(2, RunsModel::Loss).data().toString()};
            QVERIFY(last.contains(u"not a number"_s));
            QVERIFY(last.contains(u"–"_s));
        }
    }

    void aFolderWithManyRunsDrawsSome()
    {
        Bench bench;
        for (std::uint64_t seed = 0; seed < 40; ++seed)
            bench.service.addRun(FakeRunService::smallConfig("rope", seed), run::RunState::Finished, 400);
        bench.service.takeEvents();
        bench.service.clearCalls();
        bench.service.openFolder("/runs");
        bench.deliver();
        int shown = 0;
        for (const run::RunId &id : bench.runs.order())
            shown += bench.runs.find(id)->isShown ? 1 : 0;
        QCOMPARE(bench.runs.order().size(), 40U);
        QCOMPARE(shown, RunCollection::kShownAtOpen);
        const auto loads = std::ranges::count_if(bench.service.calls(),
                                                 [](const std::string &call) { return call.starts_with("load "); });
        QCOMPARE(loads, RunCollection::kShownAtOpen); // the others' logs are not read
        const run::RunId hidden = *std::ranges::find_if(
            bench.runs.order(), [&](const run::RunId &id) { return !bench.runs.find(id)->isShown; });
        bench.runs.setShown(hidden, true);
        bench.deliver();
        QCOMPARE(bench.runs.find(hidden)->metrics().size(), 41U);
    }

    void theListSwitchesCurves()
    {
        Bench bench;
        const run::RunId id = bench.train("rope");
        RunsModel model(&bench.runs);
        QSignalSpy spy(&bench.runs, &RunCollection::shownChanged);
        const QModelIndex check = model.index(0, RunsModel::Shown);
        QCOMPARE(check.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
        QVERIFY(model.setData(check, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(spy.size(), 1);
        QVERIFY(!bench.runs.find(id)->isShown);
        QVERIFY(model.setData(check, Qt::Unchecked, Qt::CheckStateRole));
        QCOMPARE(spy.size(), 1); // no change, no signal
    }

    void numbersAreRightAlignedAndHeadersExplain()
    {
        Bench bench;
        RunsModel model(&bench.runs);
        for (int column = 0; column < RunsModel::ColumnCount; ++column) {
            const auto alignment = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
            QCOMPARE((alignment & Qt::AlignRight) != 0, column >= RunsModel::Step);
            QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
            QVERIFY(!model.headerData(column, Qt::Horizontal, Qt::AccessibleTextRole).toString().isEmpty());
        }
    }

    void variantsAreGroupedByFamily()
    {
        VariantModel model(FakeRunService::nineVariants());
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 5);
        QStringList lines;
        for (int family = 0; family < model.rowCount(); ++family) {
            const QModelIndex parent = model.index(family, 0);
            for (int row = 0; row < model.rowCount(parent); ++row)
                lines.append(u"%1: %2"_s.arg(family).arg(model.index(row, 0, parent).data().toString()));
        }
        QCOMPARE(lines,
                 QStringList({u"0: rope"_s, u"0: rope_square"_s, u"1: partial_rope"_s, u"1: partial_rope_square"_s,
                              u"2: hybrid"_s, u"2: hybrid_square"_s, u"3: hybrid_nowindow"_s,
                              u"3: hybrid_square_nowindow"_s, u"4: hybrid_square_kda"_s}));
        model.setChecked({"hybrid", "rope"});
        QCOMPARE(model.checked(), std::vector<std::string>({"rope", "hybrid"})); // picker order
        QSignalSpy spy(&model, &VariantModel::toggled);
        QVERIFY(model.setData(model.indexOf("hybrid_square_kda"), Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(spy.size(), 1);
        QVERIFY(!model.setData(model.index(0, 0), Qt::Checked, Qt::CheckStateRole)); // a family has no check
    }

    void sublayersInWordsFollowTheSetUp()
    {
        VariantModel model(FakeRunService::nineVariants());
        RunConfig config;
        config.pairs = 4;
        config.window = 14;
        model.setConfig(config);
        const QString tip = model.indexOf("hybrid_square").data(Qt::AccessibleTextRole).toString();
        QVERIFY2(tip.contains(u"4 attention sublayers: 0, 2: RoPE, window"_s), qPrintable(tip));
        QVERIFY2(tip.contains(u"(14 tokens)"_s), qPrintable(tip));
        QVERIFY2(tip.contains(u"1, 3: no position"_s), qPrintable(tip));
    }

    void theSummaryCountsActiveRuns()
    {
        Bench bench;
        QCOMPARE(activityText(summaryOf(bench.runs)), u"Ready"_s);
        QCOMPARE(windowTitleText(summaryOf(bench.runs), {}), u"Lookback"_s);
        QCOMPARE(windowTitleText(summaryOf(bench.runs), u"Attention"_s), u"Attention · Lookback"_s);
        bench.train("rope");
        bench.service.advance(1);
        bench.service.advance(100);
        bench.deliver();
        QCOMPARE(windowTitleText(summaryOf(bench.runs), {}).replace(QChar(0x202F), u' '), u"25 % · rope · Lookback"_s);
        bench.train("hybrid");
        bench.train("rope_square"); // two places
        bench.service.advance(100);
        bench.deliver();
        const WorkSummary summary = summaryOf(bench.runs);
        QCOMPARE(activityText(summary), u"Training 2 runs, 1 queued"_s);
        QCOMPARE(stepsText(summary).replace(QChar(0x202F), u' '), u"16 % of 1,200 steps"_s);
        QCOMPARE(windowTitleText(summary, {}).replace(QChar(0x202F), u' '), u"16 % · 3 runs · Lookback"_s);
    }

    void durationsAreCalm()
    {
        QCOMPARE(roughDurationText(4), u"under 10 s"_s);
        QCOMPARE(roughDurationText(44), u"40 s"_s);
        QCOMPARE(roughDurationText(16 * 60 + 20), u"16 min"_s);
        QCOMPARE(roughDurationText(2 * 3600 + 11 * 60), u"2 h 10 min"_s);
        QCOMPARE(roughDurationText(3600), u"1 h"_s);
        QCOMPARE(roughDurationText(3 * 86400 + 4 * 3600), u"3 d 4 h"_s);
        QCOMPARE(durationText(432), u"7 min 12 s"_s);
        QCOMPARE(timeLeftText(16 * 60, kNoon), u"16 min left (ends 12:16)"_s);
        QCOMPARE(timeLeftText(30, kNoon), u"30 s left"_s);
        QVERIFY(timeLeftText(86400, kNoon).contains(u"Thu 12:00"_s));
        QCOMPARE(bytesText(1'400'000'000), u"1.4 GB"_s);
        QCOMPARE(rateText(0.0), u"–"_s);
        QCOMPARE(rateText(11.96), u"12.0"_s);
    }
};

QTEST_MAIN(TestRunModels)
#include "test_run_models.moc"
