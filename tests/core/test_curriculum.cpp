// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/config.h"
#include "core/error.h"
#include "core/train/curriculum.h"
#include "core/train/schedule.h"

using namespace lookback;
using train::Curriculum;

namespace {

RunConfig promoting(double accuracy, std::int64_t steps)
{
    RunConfig config;
    config.curriculum = {{2, 10}, {4, 20}};
    config.n_keys = 8;
    config.promotion_accuracy = accuracy;
    config.promotion_steps = steps;
    return config;
}

} // namespace

class TestCurriculum : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsTheStepsWithoutPromotion()
    {
        const RunConfig config; // the published configuration
        Curriculum curriculum(config);
        for (const std::int64_t step : {1, 2, 749, 750, 751, 1500, 1501, 2500, 2501, 15000}) {
            QCOMPARE(curriculum.beginStep(step), config.nKeysAtStep(step));
            curriculum.stepFinished(1.0);
        }
        // Continued in the middle, without a state.
        QCOMPARE(Curriculum(config).beginStep(1501), 6);
    }

    /// The published long-context run: one batch at or above the threshold promotes.
    void oneGoodBatchPromotes()
    {
        Curriculum curriculum(promoting(1.0, 1));
        QCOMPARE(curriculum.beginStep(1), 2);
        curriculum.stepFinished(0.999);
        QCOMPARE(curriculum.beginStep(2), 2);
        curriculum.stepFinished(1.0);
        QCOMPARE(curriculum.beginStep(3), 4);
        curriculum.stepFinished(1.0);
        QCOMPARE(curriculum.beginStep(4), 8);
        curriculum.stepFinished(1.0);
        QCOMPARE(curriculum.beginStep(5), 8);
    }

    void meanOfSeveralSteps()
    {
        Curriculum curriculum(promoting(0.75, 4));
        std::int64_t step = 0;
        for (const double accuracy : {1.0, 0.5, 0.5, 0.5, 0.75}) { // the first leaves the mean before it is reached
            QCOMPARE(curriculum.beginStep(++step), 2);
            curriculum.stepFinished(accuracy);
        }
        curriculum.beginStep(++step);
        curriculum.stepFinished(1.25 - 0.25);
        QCOMPARE(curriculum.beginStep(++step), 2); // 0.5 0.5 0.75 1.0
        curriculum.stepFinished(0.75);
        QCOMPARE(curriculum.beginStep(++step), 4); // 0.5 0.75 1.0 0.75: exactly the threshold
        for (int i = 0; i < 3; ++i) // what counted for one stage does not count for the next
            curriculum.stepFinished(1.0);
        QCOMPARE(curriculum.beginStep(++step), 4);
        curriculum.stepFinished(1.0);
        QCOMPARE(curriculum.beginStep(++step), 8);
    }

    void stepIsTheLatestEnd()
    {
        Curriculum curriculum(promoting(0.9, 3));
        for (std::int64_t step = 1; step <= 10; ++step) {
            QCOMPARE(curriculum.beginStep(step), 2);
            curriculum.stepFinished(step >= 9 ? 1.0 : 0.0);
        }
        QCOMPARE(curriculum.beginStep(11), 4);
        curriculum.stepFinished(1.0); // the third good one in a row, but of another stage
        QCOMPARE(curriculum.beginStep(12), 4);
        QCOMPARE(curriculum.beginStep(21), 8);
    }

    void stateReadsBack()
    {
        const RunConfig config = promoting(0.97, 3);
        Curriculum first(config);
        std::int64_t step = 0;
        for (const double accuracy : {0.1, 1.0, 0.96, 0.98, 0.1 + 0.2, 0.9999999999999999, 0.98, 0.9, 0.5}) {
            Curriculum second(config);
            second.setState(first.state());
            QCOMPARE(QString::fromStdString(second.state()), QString::fromStdString(first.state()));
            ++step;
            QCOMPARE(second.beginStep(step), first.beginStep(step));
            first.stepFinished(accuracy);
            second.stepFinished(accuracy);
            QCOMPARE(QString::fromStdString(second.state()), QString::fromStdString(first.state()));
        }
        QCOMPARE(first.state(), std::string("1:0.98,0.9,0.5"));
    }

    void refusesForeignStates()
    {
        const RunConfig config = promoting(0.97, 2);
        for (const char *text :
             {"", "x", "3", "-1", "1:", "1;0.5", "1:0.5;0.5", "1:0.5,0.5,0.5", "1:1.5", "1:nan", "1:0.5,", "1 "}) {
            Curriculum curriculum(config);
            QVERIFY_THROWS_EXCEPTION(Error, curriculum.setState(text));
            QCOMPARE(curriculum.state(), std::string("0"));
        }
    }

    void batchesOfLongSequencesAreSmaller()
    {
        RunConfig config;
        QCOMPARE(config.batchOf(8000), 64);
        config.batch_keys = 2048; // the published long-context run, tests/fixtures/task.json
        const std::vector<std::int64_t> rungs{8, 16, 32, 64, 128, 256, 512, 1000, 2000, 4000, 8000};
        const std::vector<std::int64_t> batches{64, 64, 64, 32, 16, 8, 4, 2, 1, 1, 1};
        for (std::size_t i = 0; i < rungs.size(); ++i)
            QCOMPARE(config.batchOf(rungs[i]), batches[i]);
    }

    void rateStaysBeforeItFalls()
    {
        RunConfig config;
        config.steps = 110;
        config.warmup_steps = 10;
        config.decay_start = 0.6;
        for (const std::int64_t step : {10, 11, 69, 70})
            QCOMPARE(train::learningRateAt(config, step), config.learning_rate);
        QVERIFY(train::learningRateAt(config, 71) < config.learning_rate);
        QCOMPARE(train::learningRateAt(config, 90), config.learning_rate / 2.0);
        QCOMPARE(train::learningRateAt(config, 110), 0.0);
        config.decay_start = 1.0; // never, but the last step ends it
        QCOMPARE(train::learningRateAt(config, 109), config.learning_rate);
        QCOMPARE(train::learningRateAt(config, 110), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestCurriculum)
#include "test_curriculum.moc"
