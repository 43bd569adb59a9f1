// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <fstream>
#include <vector>

#include <QTest>

#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/task/key_value_task.h"
#include "core/train/schedule.h"

using namespace lookback;
using nlohmann::json;

class TestTaskFixture : public QObject {
    Q_OBJECT

    json m_fixture;

    void checkLayouts(const json &groups)
    {
        for (const json &group : groups) {
            const task::TaskShape shape{group["key_digits"].get<std::int64_t>(),
                                        group["value_digits"].get<std::int64_t>()};
            QCOMPARE(shape.entryTokens(), group["entry_tokens"].get<std::int64_t>());
            for (std::size_t row = 0; row < group["tokens"].size(); ++row) {
                const auto tokens = group["tokens"][row].get<std::vector<std::uint8_t>>();
                const task::Sequence sequence = task::parseSequence(shape, tokens);
                QCOMPARE(sequence.n_keys, group["n_keys"].get<std::int64_t>());
                QCOMPARE(sequence.entries.size(), group["entries"].get<std::size_t>());
                for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry) {
                    const task::Entry &found = sequence.entries[entry];
                    QCOMPARE(found.key, group["keys"][row][entry].get<std::int64_t>());
                    QCOMPARE(found.value, group["values"][row][entry].get<std::int64_t>());
                    QCOMPARE(found.isSecondOccurrence, group["second_occurrence"][row][entry].get<int>() != 0);
                    for (std::size_t digit = 0; digit < static_cast<std::size_t>(shape.value_digits); ++digit) {
                        const auto position = sequence.predictionPosition(static_cast<std::int64_t>(entry),
                                                                          static_cast<std::int64_t>(digit));
                        QCOMPARE(position, group["value_positions_in_predictions"][entry][digit].get<std::int64_t>());
                    }
                }
                QCOMPARE(sequence.scoredPositions(),
                         group["scored_positions_in_predictions"][row].get<std::vector<std::int64_t>>());
            }
        }
    }

    static void checkRates(const json &table)
    {
        RunConfig config;
        config.learning_rate = table["base"].get<double>();
        config.warmup_steps = table["warm_up_steps"].get<std::int64_t>();
        config.steps = table["steps"].get<std::int64_t>();
        for (const json &row : table["step_rate"]) {
            const auto step = row[0].get<std::int64_t>();
            const double expected = row[1].get<double>();
            const double rate = train::learningRateAt(config, step);
            QVERIFY2(std::abs(rate - expected) <= 1e-12 * expected,
                     qPrintable(QStringLiteral("step %1: %2 instead of %3").arg(step).arg(rate).arg(expected)));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        std::ifstream file(LOOKBACK_TEST_FIXTURES "/task.json");
        m_fixture = json::parse(file);
    }

    void threeDigitKeys() { checkLayouts(m_fixture["three_digit_keys"]); }
    void sevenDigitKeys() { checkLayouts(m_fixture["seven_digit_keys"]); }

    void curriculum()
    {
        const RunConfig config; // the published configuration
        const json &table = m_fixture["curriculum"];
        QCOMPARE(config.n_keys, table["then_n_keys"].get<std::int64_t>());
        QCOMPARE(config.curriculum.size(), table["until_step_n_keys"].size());
        for (std::size_t stage = 0; stage < config.curriculum.size(); ++stage) {
            QCOMPARE(config.curriculum[stage].until_step, table["until_step_n_keys"][stage][0].get<std::int64_t>());
            QCOMPARE(config.curriculum[stage].n_keys, table["until_step_n_keys"][stage][1].get<std::int64_t>());
        }
        for (const json &row : table["step_n_keys"])
            QCOMPARE(config.nKeysAtStep(row[0].get<std::int64_t>()), row[1].get<std::int64_t>());
    }

    void learningRates()
    {
        const RunConfig config;
        const json &table = m_fixture["learning_rate"];
        QCOMPARE(config.learning_rate, table["base"].get<double>());
        QCOMPARE(config.warmup_steps, table["warm_up_steps"].get<std::int64_t>());
        QCOMPARE(config.steps, table["steps"].get<std::int64_t>());
        checkRates(table);
        checkRates(m_fixture["long_context_run"]["learning_rate"]);
    }

    void ratesAtTheEdges()
    {
        RunConfig config;
        config.steps = 10;
        config.warmup_steps = 0;
        QCOMPARE(train::learningRateAt(config, 0), config.learning_rate);
        QVERIFY(train::learningRateAt(config, 1) < config.learning_rate);
        QCOMPARE(train::learningRateAt(config, 10), 0.0);
        QCOMPARE(train::learningRateAt(config, 11), 0.0);
        config.warmup_steps = 9;
        QCOMPARE(train::learningRateAt(config, 9), config.learning_rate);
        QCOMPARE(train::learningRateAt(config, 10), 0.0);
        for (std::int64_t step = 1; step <= 9; ++step)
            QCOMPARE(train::learningRateAt(config, step), config.learning_rate * static_cast<double>(step) / 9.0);
    }
};

QTEST_GUILESS_MAIN(TestTaskFixture)
#include "test_task_fixture.moc"
