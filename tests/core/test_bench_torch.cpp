// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <QTest>

#include "core/bench/bench_items_torch.h"
#include "core/error.h"
#include "core/model/variant_registry.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;

class TestBench : public QObject {
    Q_OBJECT

private:
    static bench::BenchRequest smallRequest()
    {
        bench::BenchRequest request;
        request.configs = {smallConfig("rope", 10), smallConfig("hybrid_square_kda", 10)};
        request.n_keys = 5;
        request.evaluation_n = {4, 60};
        request.repetitions = 3;
        request.compute = {"cpu", 1};
        return request;
    }

private Q_SLOTS:
    void measuresEveryItem()
    {
        const bench::BenchRequest request = smallRequest();
        std::vector<bench::BenchResult> told;
        std::vector<Progress> reports;
        const auto results = bench::runBenchmarks(
            request, [&](const bench::BenchResult &result) { told.push_back(result); },
            [&](const Progress &progress) { reports.push_back(progress); });
        QVERIFY(told == results);
        QCOMPARE(results.size(), std::size_t{7});
        QCOMPARE(results[0].name, std::string("matrix_product"));
        QCOMPARE(results[1].name, std::string("training_step"));
        QCOMPARE(results[1].variant, std::string("rope"));
        QCOMPARE(results[1].n_keys, 5);
        QCOMPARE(results[3].name, std::string("evaluation"));
        QCOMPARE(results[3].n_keys, 60);
        QCOMPARE(results[6].variant, std::string("hybrid_square_kda"));
        for (const bench::BenchResult &result : results) {
            QVERIFY(result.repetitions >= 1 && result.repetitions <= 3);
            QVERIFY(result.minSeconds > 0.0 && result.minSeconds <= result.medianSeconds);
            QVERIFY(result.maxSeconds >= result.medianSeconds);
            QVERIFY(result.addedBytes <= result.peakBytes);
            QVERIFY(result.gflops > 0.0 && std::isfinite(result.rooflineShare));
            QCOMPARE(result.device, std::string("cpu"));
            QCOMPARE(result.threads, 1);
        }
        RunConfig config = request.configs[0];
        config.n_keys = 5;
        const double flop = model::trainingStepFlop(config, 5);
        QVERIFY(std::abs(results[1].gflops * results[1].medianSeconds * 1e9 / flop - 1.0) < 1e-9);
        const double tokens = static_cast<double>(config.batch * config.contextTokens(5));
        QVERIFY(std::abs(results[1].tokensPerSecond * results[1].medianSeconds / tokens - 1.0) < 1e-9);
        QVERIFY(reports.size() >= 14);
        for (const Progress &report : reports)
            QVERIFY(report.done < report.total);
    }

    void twoRunsSideBySide()
    {
        const ComputeOptions compute{"cpu", 1};
        const ProgressFunction none;
        bench::Bench items(compute, 10, 30.0, none, {});
        const bench::BenchResult result =
            bench::sideBySide(items, bench::measuredConfig(smallConfig("hybrid_square", 10), 3), 3);
        QCOMPARE(result.name, std::string("side_by_side"));
        QCOMPARE(result.repetitions, 3);
        QVERIFY(result.shareOfAlone > 0.0 && std::isfinite(result.shareOfAlone));
        RunConfig impossible = smallConfig("hybrid_square", 10);
        impossible.d_model = 17;
        QVERIFY_THROWS_EXCEPTION(std::exception, bench::sideBySide(items, impossible, 3));
    }

    void goalsAreMetOrNot()
    {
        bench::BenchResult result;
        result.rooflineShare = 0.8;
        result.medianSeconds = 0.5;
        result.peakBytes = 100.0;
        QVERIFY(result.meetsGoal() && !result.goal.isAny());
        result.goal = {.leastShare = 0.8, .mostSeconds = 0.5, .mostBytes = 100.0};
        QVERIFY(result.meetsGoal() && result.goal.isAny());
        for (const bench::BenchGoal &missed :
             {bench::BenchGoal{.leastShare = 0.81}, bench::BenchGoal{.leastShareOfAlone = 0.1},
              bench::BenchGoal{.mostSeconds = 0.4}, bench::BenchGoal{.mostBytes = 99.0}}) {
            result.goal = missed;
            QVERIFY(!result.meetsGoal());
        }
        result.addedBytes = 7.0;
        result.goal = {.mostAddedBytes = 6.0};
        QVERIFY(!result.meetsGoal());
    }

    void canBeCancelled()
    {
        std::stop_source stop;
        int results = 0;
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 bench::runBenchmarks(
                                     smallRequest(),
                                     [&](const bench::BenchResult &) {
                                         if (++results == 2)
                                             stop.request_stop();
                                     },
                                     {}, stop.get_token()));
        QCOMPARE(results, 2);
    }

    void impossibleIsRefused()
    {
        bench::BenchRequest request = smallRequest();
        request.configs.clear();
        QVERIFY_THROWS_EXCEPTION(Error, bench::runBenchmarks(request));
        request = smallRequest();
        request.n_keys = 101;
        QVERIFY_THROWS_EXCEPTION(Error, bench::runBenchmarks(request));
        request = smallRequest();
        request.evaluation_n = {101};
        QVERIFY_THROWS_EXCEPTION(Error, bench::runBenchmarks(request));
        request = smallRequest();
        request.repetitions = 0;
        QVERIFY_THROWS_EXCEPTION(Error, bench::runBenchmarks(request));
        request = smallRequest();
        request.compute.device = "tpu";
        QVERIFY_THROWS_EXCEPTION(Error, bench::runBenchmarks(request));
    }
};

QTEST_GUILESS_MAIN(TestBench)
#include "test_bench_torch.moc"
