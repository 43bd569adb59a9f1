// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/analysis/attention_comparison.h"
#include "core/error.h"

using namespace lookback;
using namespace lookback::analysis;

namespace {

/// Weights alike on what a query sees; `window` as in HeadMap.
HeadMap evenMap(std::int64_t positions, std::int64_t window)
{
    HeadMap map;
    map.layer = 1;
    map.head = 2;
    map.queries = map.keys = positions;
    map.window = window;
    map.weights.resize(static_cast<std::size_t>(positions * positions));
    for (std::int64_t query = 0; query < positions; ++query) {
        const std::int64_t count = window == 0 ? query + 1 : std::min(query + 1, window);
        for (std::int64_t key = 0; key <= query; ++key) {
            if (map.isVisible(query, key))
                map.weights[static_cast<std::size_t>(query * positions + key)] = 1.0F / static_cast<float>(count);
        }
    }
    return map;
}

Example exampleOf(std::int64_t n_keys)
{
    Example example;
    example.sequence = task::evaluationSequence({.key_digits = 2, .value_digits = 2}, n_keys, 1, 0);
    example.positions = std::ssize(example.sequence.tokens) - 1;
    return example;
}

} // namespace

class TestAttentionComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void differenceIsRightLessLeft()
    {
        HeadMap left = evenMap(6, 0);
        HeadMap right = evenMap(6, 0);
        left.weights[3 * 6 + 1] = 0.7F;
        right.weights[3 * 6 + 1] = 0.1F;
        right.head = 5;
        const HeadMap difference = differenceOf(left, right);
        QCOMPARE(difference.kind, MapKind::Difference);
        QCOMPARE(difference.head, 5);
        for (std::size_t i = 0; i < difference.weights.size(); ++i)
            QCOMPARE(difference.weights[i], right.weights[i] - left.weights[i]);
        QCOMPARE(difference.at(3, 1), 0.1F - 0.7F);
        QCOMPARE(narrowerWindow(left, right), 0);
        QVERIFY(differenceOf(left, left).weights == std::vector<float>(36, 0.0F));
    }

    void masksOfBothSides_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("right");
        QTest::addColumn<int>("hidden"); // before this window both hide it; 0 = nothing
        QTest::addColumn<int>("alone"); // beyond this one only one side sees it
        QTest::newRow("both all") << 0 << 0 << 0 << 0;
        QTest::newRow("same window") << 3 << 3 << 3 << 0;
        QTest::newRow("window left") << 3 << 0 << 0 << 3;
        QTest::newRow("window right") << 0 << 3 << 0 << 3;
        QTest::newRow("two windows") << 2 << 4 << 4 << 2;
    }
    void masksOfBothSides()
    {
        QFETCH(int, left);
        QFETCH(int, right);
        QFETCH(int, hidden);
        QFETCH(int, alone);
        const HeadMap from = evenMap(7, left);
        const HeadMap of = evenMap(7, right);
        const HeadMap difference = differenceOf(from, of);
        QCOMPARE(difference.window, hidden);
        QCOMPARE(narrowerWindow(from, of), alone);
        for (std::int64_t query = 0; query < 7; ++query) {
            for (std::int64_t key = 0; key < 7; ++key) {
                QCOMPARE(difference.isVisible(query, key), from.isVisible(query, key) || of.isVisible(query, key));
                QCOMPARE(difference.at(query, key), of.at(query, key) - from.at(query, key));
            }
        }
    }

    void whatHasNoDifferenceSaysWhy()
    {
        HeadMap recurrence = evenMap(6, 0);
        recurrence.kind = MapKind::RecurrenceMatrix;
        QVERIFY(whyNoDifference(evenMap(6, 0), recurrence).find("different quantities") != std::string::npos);
        QVERIFY(whyNoDifference(evenMap(6, 0), evenMap(5, 0)).find("6 and 5 positions") != std::string::npos);
        QVERIFY(whyNoDifference(recurrence, recurrence).empty());
        QVERIFY_THROWS_EXCEPTION(Error, differenceOf(evenMap(6, 0), recurrence));
    }

    void runsThatReadDifferentSequencesSayWhy()
    {
        RunConfig left;
        RunConfig right = left;
        right.variant = "rope";
        right.seed = 7;
        right.d_model = 64;
        QCOMPARE(whyNoCommonSequence(left, right), std::string());
        right.value_digits = 2;
        QCOMPARE(whyNoCommonSequence(left, right),
                 std::string("These runs read different sequences: the left one has 3 key digits and 3 value digits, "
                             "the right one 3 key digits and 2 value digits."));
        right = left;
        right.evaluation_seed = 9;
        QCOMPARE(whyNoCommonSequence(left, right),
                 std::string("These runs are evaluated on different sequences: the left one has evaluation seed 1, the "
                             "right one 9."));
        right = left;
        right.evaluation_mutated = !left.evaluation_mutated;
        QVERIFY(whyNoCommonSequence(left, right).find("keys are chosen") != std::string::npos);
    }

    void sentencesReadBothSides()
    {
        const Example example = exampleOf(3);
        HeadMap left = evenMap(example.positions, 0);
        HeadMap right = evenMap(example.positions, 4);
        const std::int64_t query = 20;
        left.weights[static_cast<std::size_t>(query * left.keys + query)] = 0.25F;
        right.weights[static_cast<std::size_t>(query * left.keys + query)] = 0.91F;
        const auto read = [&](std::int64_t of, std::int64_t key) {
            return comparisonSentence(example, readingAt(left, of, key), readingAt(right, of, key), of, key);
        };
        const std::string both = read(query, query);
        QVERIFY2(both.find("0.25 left, 0.91 right, +0.66.") != std::string::npos, both.c_str());
        left.weights[static_cast<std::size_t>(query * left.keys + query - 1)] = 0.99999F;
        right.weights[static_cast<std::size_t>(query * left.keys + query - 1)] = 0.0F;
        const std::string whole = read(query, query - 1);
        QVERIFY2(whole.find("more than 0.9999 left, 0 right, \u22121.00.") != std::string::npos, whole.c_str());
        right.weights[static_cast<std::size_t>(query * left.keys + query - 1)] = 0.99997F;
        const std::string close = read(query, query - 1);
        QVERIFY2(close.find(", less than 0.0001 apart.") != std::string::npos, close.c_str());
        const std::string one = read(query, 0);
        QVERIFY2(one.find("0.05 left, not visible right (window of 4), \u22120.05.") != std::string::npos, one.c_str());
        const std::string after = read(3, 4);
        QVERIFY2(after.find("comes after the query: both sides hide it.") != std::string::npos, after.c_str());
        left = evenMap(example.positions, 4);
        const std::string before = read(query, 0);
        QVERIFY2(before.find("before the window of both") != std::string::npos, before.c_str());
        QVERIFY_THROWS_EXCEPTION(Error, comparisonSentence(example, {}, {}, query, left.keys));
    }

    void interventionsInWords()
    {
        using circuit::Removal;
        QCOMPARE(interventionText({}), std::string("intact"));
        QCOMPARE(interventionText({.heads = {{1, 3}, {3, 2}}, .removal = Removal::Mean}),
                 std::string("without 1:3, 3:2 (mean)"));
        const circuit::Intervention zero{.heads = {{1, 3}}};
        QVERIFY(unusedPatternNote(zero, 1, 2).empty());
        QVERIFY(unusedPatternNote(zero, 1, 3).find("nothing that it reads is used") != std::string::npos);
        QVERIFY(unusedPatternNote({.heads = {{1, 3}}, .removal = Removal::Uniform}, 1, 3).empty());
        QVERIFY(untouchedNote(zero, 2, 0, 4).empty()); // a later layer
        QVERIFY(untouchedNote(zero, 1, 0, 4).ends_with("Heads of layer 2 and later can differ."));
        QVERIFY(untouchedNote(zero, 0, 0, 3).ends_with("Heads of layer 2 can differ."));
        QVERIFY(untouchedNote(zero, 1, 3, 2).ends_with("No layer comes after layer 1: only the answers can differ."));
        QVERIFY(untouchedNote({.heads = {{1, 3}}, .removal = Removal::Uniform}, 1, 3, 4).empty());
        QVERIFY(untouchedNote({}, 0, 0, 4).empty());
        const circuit::Intervention asked{.heads = {{3, 2}, {1, 3}, {3, 2}}, .removal = Removal::Uniform};
        QCOMPARE(circuit::normalised(asked),
                 (circuit::Intervention{.heads = {{1, 3}, {3, 2}}, .removal = Removal::Uniform}));
        QCOMPARE(circuit::normalised({.heads = {}, .removal = Removal::Mean}), circuit::Intervention());
    }
};

QTEST_GUILESS_MAIN(TestAttentionComparison)
#include "test_attention_comparison.moc"
