// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/train/chance_watch.h"

using namespace lookback;
using train::ChanceWatch;

namespace {

RunConfig configOf(std::int64_t steps, std::int64_t warmup)
{
    RunConfig config;
    config.steps = steps;
    config.warmup_steps = warmup;
    return config;
}

/// The step at which `watch` speaks, 0 for never; `accuracyAt` gives each step's share.
template <typename Function>
std::int64_t stepOfTheHint(ChanceWatch watch, std::int64_t steps, std::int64_t digits, Function accuracyAt)
{
    std::int64_t told = 0;
    for (std::int64_t step = 1; step <= steps; ++step) {
        if (watch.stepFinished(step, digits, accuracyAt(step))) {
            if (told != 0)
                return -1; // twice
            told = step;
        }
    }
    return told;
}

} // namespace

class TestChanceWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void speaksOnceAfterAFifthAndTheWarmUp()
    {
        const auto guess = [](std::int64_t) { return 0.1; };
        QCOMPARE(stepOfTheHint(ChanceWatch(configOf(1000, 10)), 1000, 1000, guess), 220);
        QCOMPARE(stepOfTheHint(ChanceWatch(configOf(1000, 500)), 1000, 1000, guess), 520);
        // Few digits a step: a block lasts until there are enough of them.
        QCOMPARE(stepOfTheHint(ChanceWatch(configOf(1000, 10)), 1000, 16, guess), 200 + 125);
        QCOMPARE(stepOfTheHint(ChanceWatch(configOf(100, 10)), 100, 16, guess), 0);
    }

    void whatLearnsIsLeftAlone()
    {
        const ChanceWatch watch(configOf(1000, 10));
        QCOMPARE(stepOfTheHint(watch, 1000, 1000, [](std::int64_t) { return 0.1205; }), 0);
        // Bad before, good when it counts.
        QCOMPARE(stepOfTheHint(watch, 1000, 1000, [](std::int64_t step) { return step <= 200 ? 0.1 : 0.3; }), 0);
        // Good batches and bad ones: the mean decides.
        QCOMPARE(stepOfTheHint(watch, 1000, 1000, [](std::int64_t step) { return step % 2 == 0 ? 0.05 : 0.3; }), 0);
    }

    void aLaterFallIsSeen()
    {
        const ChanceWatch watch(configOf(1000, 10));
        QCOMPARE(stepOfTheHint(watch, 1000, 1000, [](std::int64_t step) { return step <= 600 ? 0.9 : 0.1; }), 620);
    }
};

QTEST_GUILESS_MAIN(TestChanceWatch)
#include "test_chance_watch.moc"
