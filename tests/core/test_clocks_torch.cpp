// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The date is set, the machine stands still: bits, durations and estimates stay sensible.
#include <atomic>
#include <cmath>
#include <ctime>
#include <filesystem>

#include <sys/syscall.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/model/variant_registry.h"
#include "core/run/run_meter.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

namespace {

std::atomic<std::time_t> dateOffset = 0; ///< Seconds.
std::atomic<std::time_t> steadyOffset = 0; ///< Seconds; only ever raised.

} // namespace

/// Every clock of the program comes by here.
extern "C" int clock_gettime(clockid_t clock, timespec *time) noexcept
{
    const long result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += dateOffset;
    else if (result == 0 && clock == CLOCK_MONOTONIC)
        time->tv_sec += steadyOffset;
    return static_cast<int>(result);
}

class TestClocks : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    /// The date jumps back and forth by days at every step.
    void theDateIsSet()
    {
        const RunConfig config = smallConfig("hybrid_square", 23);
        const run::RunFolder whole = trainWhole(root("whole"), config);
        const run::RunFolder folder = makeRun(root("jumps"), config);
        const std::string before = run::currentTime();
        dateOffset = -1'000'000;
        QVERIFY(run::currentTime() < before); // the jump is really seen
        Recorder recorder;
        recorder.onStep = [](std::int64_t step) { dateOffset = (step % 2 == 0 ? -1 : 1) * 1'000'000; };
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        dateOffset = 0;
        QCOMPARE(trainer.state(), RunState::Finished);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        double elapsed = 0.0;
        for (const run::MetricsRecord &record : folder.readMetricsLog().records) {
            QVERIFY(record.elapsedSeconds.value() > elapsed);
            QVERIFY(record.tokensPerSecond.value() > 0.0);
            elapsed = *record.elapsedSeconds;
        }
        QVERIFY(elapsed < 3600.0);
    }

    /// Minutes pass between two steps: it is nobody's training time.
    void theMachineStandsStill()
    {
        const RunConfig config = smallConfig("hybrid_square", 23);
        const run::RunFolder whole = trainWhole(root("still-whole"), config);
        const run::RunFolder folder = makeRun(root("still"), config);
        Recorder recorder;
        {
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [](std::int64_t step) {
                if (step == 12)
                    steadyOffset += 200;
            };
            trainer.start();
            trainer.wait();
            QCOMPARE(trainer.state(), RunState::Finished);
        }
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        QVERIFY(folder.readMetricsLog().records.back().elapsedSeconds.value() < 200.0);
    }

    void aGapIsNoSpeed()
    {
        RunConfig config = smallConfig("hybrid_square", 10000);
        config.curriculum.clear();
        run::RunMeter meter(config);
        double elapsed = 0.0;
        for (std::int64_t step = 1; step <= 1000; ++step)
            meter.stepFinished(step, 8, elapsed += 0.1);
        const double rate = meter.stepsPerSecond();
        QVERIFY(std::abs(rate - 10.0) < 0.1);
        QVERIFY(std::abs(meter.remainingSeconds().value() - 900.0) < 10.0);
        meter.stepFinished(1001, 8, elapsed += 3600.0);
        QCOMPARE(meter.stepsPerSecond(), rate);
        meter.stepFinished(1002, 8, elapsed += 0.1);
        QVERIFY(std::abs(meter.remainingSeconds().value() - 899.8) < 10.0);
        // A machine that has become slow is believed.
        for (std::int64_t step = 1003; step <= 1100; ++step)
            meter.stepFinished(step, 8, elapsed += 1.0);
        QVERIFY(std::abs(meter.stepsPerSecond() - 1.0) < 0.1);
    }

    void aPromotedStageCountsAsWhatItIs()
    {
        RunConfig config = smallConfig("hybrid_square", 2000);
        config.n_keys = 8;
        config.curriculum = {{2, 1000}, {4, 1500}};
        const double flopOf4 = model::trainingStepFlop(config, 4);
        const double flopOf8 = model::trainingStepFlop(config, 8);
        run::RunMeter meter(config);
        double elapsed = 0.0;
        for (std::int64_t step = 1; step <= 200; ++step)
            meter.stepFinished(step, 2, elapsed += 0.1);
        for (std::int64_t step = 201; step <= 400; ++step) // accuracy ended the first stage 800 steps early
            meter.stepFinished(step, 4, elapsed += 1.0);
        QVERIFY(std::abs(meter.flopPerSecond() / flopOf4 - 1.0) < 1e-3);
        const double left = 1100 + 500 * flopOf8 / flopOf4;
        QVERIFY(std::abs(meter.remainingSeconds().value() / left - 1.0) < 1e-3);
        for (std::int64_t step = 401; step <= 600; ++step)
            meter.stepFinished(step, 8, elapsed += flopOf8 / flopOf4);
        QVERIFY(std::abs(meter.remainingSeconds().value() / (1400 * flopOf8 / flopOf4) - 1.0) < 1e-3);
    }
};

QTEST_GUILESS_MAIN(TestClocks)
#include "test_clocks_torch.moc"
