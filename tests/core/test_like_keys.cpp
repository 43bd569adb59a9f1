// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <QTest>

#include "core/task/key_value_task.h"

using namespace lookback;
using namespace lookback::task;

namespace {

constexpr std::int64_t kFar = 100;

/// Places at which two keys differ.
std::int64_t distance(std::int64_t a, std::int64_t b)
{
    std::int64_t places = 0;
    for (; a != 0 || b != 0; a /= 10, b /= 10)
        places += a % 10 != b % 10 ? 1 : 0;
    return places;
}

std::set<std::int64_t> keysOf(const Sequence &sequence)
{
    std::set<std::int64_t> keys;
    for (const Entry &entry : sequence.entries)
        keys.insert(entry.key);
    return keys;
}

/// Distance to the nearest other key, of each key.
std::map<std::int64_t, std::int64_t> nearest(const std::set<std::int64_t> &keys)
{
    std::map<std::int64_t, std::int64_t> result;
    for (const std::int64_t key : keys) {
        result[key] = kFar;
        for (const std::int64_t other : keys) {
            if (other != key)
                result[key] = std::min(result[key], distance(key, other));
        }
    }
    return result;
}

KeyChoice clusters(std::int64_t keys)
{
    return {.kind = KeyChoice::Kind::Clusters, .cluster_keys = keys};
}

KeyChoice mutated(double share)
{
    return {.kind = KeyChoice::Kind::Mutated, .mutated_share = share};
}

} // namespace

class TestLikeKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Whatever the choice: n distinct keys, each pair twice, readable.
    void wholeSequences_data()
    {
        QTest::addColumn<qint64>("digits");
        QTest::addColumn<qint64>("n");
        for (const auto &[digits, n] : {std::pair{1, 1},
                                        {1, 2},
                                        {1, 10},
                                        {2, 100},
                                        {3, 999},
                                        {7, 1},
                                        {7, 8},
                                        {7, 9},
                                        {7, 16},
                                        {7, 1000},
                                        {9, 5000}})
            QTest::addRow("%d digits, %d keys", digits, n) << qint64{digits} << qint64{n};
    }
    void wholeSequences()
    {
        QFETCH(qint64, digits);
        QFETCH(qint64, n);
        const TaskShape shape{digits, 3};
        for (const KeyChoice &choice : {clusters(8), clusters(2), mutated(0.5), mutated(1.0), mutated(0.01)}) {
            const Sequence sequence = trainingSequence(shape, n, 3, 17, 0, choice);
            QCOMPARE(sequence.n_keys, n);
            QCOMPARE(sequence.entries.size(), static_cast<std::size_t>(2 * n));
            QCOMPARE(keysOf(sequence).size(), static_cast<std::size_t>(n));
            QCOMPARE(parseSequence(shape, sequence.tokens), sequence);
        }
    }

    /// Each base key of a cluster has at least seven keys beside it that differ from it in one digit.
    void clustersOfEight()
    {
        for (std::int64_t row = 0; row < 20; ++row) {
            const std::set<std::int64_t> keys = keysOf(trainingSequence({7, 3}, 24, 0, 1, row, clusters(8)));
            std::int64_t bases = 0;
            for (const std::int64_t key : keys) {
                std::int64_t mutants = 0;
                for (const std::int64_t other : keys)
                    mutants += distance(key, other) == 1 ? 1 : 0;
                bases += mutants >= 7 ? 1 : 0;
            }
            QVERIFY(bases >= 3);
        }
    }

    void lastClusterMayBeSmaller()
    {
        const auto near = nearest(keysOf(trainingSequence({7, 3}, 17, 0, 1, 0, clusters(8))));
        std::int64_t alone = 0;
        for (const auto &[key, places] : near)
            alone += places > 1 ? 1 : 0;
        QCOMPARE(alone, 1); // two clusters of eight, and the base of a third
    }

    /// The published evaluation: half of the keys are a one-digit mutation of a key of the other half.
    void halfMutated()
    {
        for (std::int64_t index = 0; index < 20; ++index) {
            const auto near = nearest(keysOf(evaluationSequence({7, 3}, 40, 1, index, mutated(0.5))));
            std::int64_t mutants = 0;
            for (const auto &[key, places] : near)
                mutants += places == 1 ? 1 : 0;
            QVERIFY(mutants >= 21 && mutants <= 40); // the mutants, and the keys that they come from
        }
        for (const auto &[key, places] : nearest(keysOf(evaluationSequence({7, 3}, 40, 1, 0))))
            QVERIFY(places > 1);
    }

    void pureFunctionOfItsArguments()
    {
        const Sequence sequence = trainingSequence({7, 3}, 16, 3, 700, 5, clusters(8));
        QCOMPARE(trainingSequence({7, 3}, 16, 3, 700, 5, clusters(8)), sequence);
        QVERIFY(trainingSequence({7, 3}, 16, 3, 701, 5, clusters(8)) != sequence);
        QVERIFY(trainingSequence({7, 3}, 16, 3, 700, 6, clusters(8)) != sequence);
        QVERIFY(trainingSequence({7, 3}, 16, 4, 700, 5, clusters(8)) != sequence);
    }

    void everyDigitAndPlaceIsMutated()
    {
        std::map<std::int64_t, int> places;
        std::map<std::int64_t, int> digits;
        constexpr int kSequences = 3000;
        for (int index = 0; index < kSequences; ++index) {
            const std::set<std::int64_t> keys = keysOf(evaluationSequence({3, 1}, 2, 1, index, mutated(0.5)));
            QCOMPARE(keys.size(), std::size_t{2});
            QCOMPARE(distance(*keys.begin(), *keys.rbegin()), 1);
            std::int64_t unit = 1;
            while (*keys.begin() / unit % 10 == *keys.rbegin() / unit % 10)
                unit *= 10;
            ++places[unit];
            for (const std::int64_t key : keys)
                ++digits[key / unit % 10];
        }
        for (const std::int64_t unit : {1, 10, 100}) // five binomial standard deviations
            QVERIFY(std::abs(places[unit] - kSequences / 3.0) < 5.0 * std::sqrt(kSequences * 2.0 / 9.0));
        for (std::int64_t digit = 0; digit < 10; ++digit)
            QVERIFY(std::abs(digits[digit] - kSequences / 5.0) < 5.0 * std::sqrt(kSequences * 0.16));
    }
};

QTEST_GUILESS_MAIN(TestLikeKeys)
#include "test_like_keys.moc"
