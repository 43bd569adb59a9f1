// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <string>

#include <QTest>

#include "core/analysis/attention_view.h"
#include "core/error.h"

using namespace lookback;
using namespace lookback::analysis;

namespace {

/// Entries 0 to 3: keys 05, 31, 05, 31 with values 7, 4, 7, 4; five tokens each: K d d V v.
task::Sequence twoKeys()
{
    const std::vector<std::uint8_t> tokens{10, 0, 5, 11, 7, 10, 3, 1, 11, 4, 10, 0, 5, 11, 7, 10, 3, 1, 11, 4};
    return task::parseSequence({.key_digits = 2, .value_digits = 1}, tokens);
}

struct Case {
    Example example;
    HeadMap map;

    explicit Case(MapKind kind = MapKind::AttentionWeights, std::int64_t window = 0)
    {
        example.sequence = twoKeys();
        example.positions = 19;
        map.kind = kind;
        map.queries = 19;
        map.keys = 19;
        map.window = window;
        map.weights.assign(19 * 19, 0.0F);
    }
    Case &put(std::int64_t query, std::int64_t key, float weight)
    {
        map.weights[static_cast<std::size_t>(query * 19 + key)] = weight;
        return *this;
    }
    QString read(std::int64_t query, std::int64_t key) const
    {
        return QString::fromStdString(sentenceFor(example, map, query, key));
    }
};

} // namespace

class TestAttentionView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPositionHasItsMeaning()
    {
        using Part = PositionMeaning::Part;
        const task::Sequence sequence = task::evaluationSequence({.key_digits = 3, .value_digits = 2}, 4, 1, 0);
        for (std::int64_t position = 0; position < std::ssize(sequence.tokens); ++position) {
            const PositionMeaning meaning = meaningOf(sequence, position);
            QCOMPARE(meaning.position, position);
            QCOMPARE(meaning.entry, position / 7);
            QCOMPARE(meaning.token, int(sequence.tokens[static_cast<std::size_t>(position)]));
            const std::int64_t offset = position % 7;
            const Part parts[] = {Part::StartKey,   Part::KeyDigit,   Part::KeyDigit,  Part::KeyDigit,
                                  Part::StartValue, Part::ValueDigit, Part::ValueDigit};
            const std::int64_t digits[] = {0, 0, 1, 2, 0, 0, 1};
            QCOMPARE(meaning.part, parts[offset]);
            QCOMPARE(meaning.digit, digits[offset]);
        }
        QVERIFY_THROWS_EXCEPTION(Error, meaningOf(sequence, -1));
        QVERIFY_THROWS_EXCEPTION(Error, meaningOf(sequence, std::ssize(sequence.tokens)));
    }

    void scoredPositionsAreThoseThatPredictScoredDigits()
    {
        for (const task::TaskShape shape : {task::TaskShape{3, 3}, task::TaskShape{1, 1}, task::TaskShape{7, 2}}) {
            const task::Sequence sequence = task::evaluationSequence(shape, 5, 1, 3);
            std::vector<std::int64_t> scored;
            for (std::int64_t position = -2; position < std::ssize(sequence.tokens) + 2; ++position) {
                PredictedDigit predicted;
                if (!predictsValueDigit(sequence, position, &predicted))
                    continue;
                QCOMPARE(sequence.predictionPosition(predicted.entry, predicted.digit), position);
                if (predicted.isScored)
                    scored.push_back(position);
            }
            QCOMPARE(scored, sequence.scoredPositions());
            QVERIFY(!predictsValueDigit(sequence, 0, nullptr));
        }
    }

    void retrievalInWords()
    {
        QCOMPARE(
            Case().put(13, 4, 0.93F).put(13, 13, 0.07F).read(13, 4),
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). It puts "
                           "0.93 on position 4, the same digit (7) at its first occurrence (entry 0)."));
    }

    void moreWeightElsewhere()
    {
        QCOMPARE(
            Case().put(13, 4, 0.25F).put(13, 0, 0.32F).put(13, 6, 0.24F).put(13, 13, 0.05F).read(13, 4),
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). It puts "
                           "0.25 on position 4, the same digit (7) at its first occurrence (entry 0). More weight, "
                           "0.32, goes to position 0, the StartKey of entry 0, which holds the same key; 0.24 goes to "
                           "position 6, the first key digit (3) of entry 1."));
    }

    void nextLargestIsNamedIfNoticeable()
    {
        QCOMPARE(
            Case().put(13, 13, 0.8F).put(13, 4, 0.15F).read(13, 13),
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). It puts "
                           "0.80 on position 13, itself, the StartValue of entry 2. The next largest weight, 0.15, "
                           "goes to position 4, the same digit (7) at its first occurrence (entry 0)."));
    }

    void firstOccurrencesCannotBeKnown()
    {
        QCOMPARE(Case().put(8, 8, 1.0F).read(8, 8),
                 QStringLiteral("Query 8 predicts the first value digit of key 31 (entry 1, first occurrence: nothing "
                                "before it tells the value). It puts 1.00 on position 8, itself, the StartValue of "
                                "entry 1."));
    }

    void otherPredictions()
    {
        QVERIFY(Case()
                    .put(10, 10, 1.0F)
                    .read(10, 10)
                    .startsWith(QStringLiteral(
                        "Query 10 predicts the first key digit (0) of entry 2. It puts 1.00 on position 10, itself,")));
        QVERIFY(
            Case().put(4, 4, 1.0F).read(4, 4).startsWith(QStringLiteral("Query 4 predicts the StartKey of entry 1.")));
        QVERIFY(Case()
                    .put(12, 4, 1.0F)
                    .read(12, 4)
                    .startsWith(QStringLiteral("Query 12 predicts the StartValue of entry 2.")));
        // The same digit is only "the same" to a query that predicts it.
        QVERIFY(Case()
                    .put(12, 4, 1.0F)
                    .read(12, 4)
                    .contains(QStringLiteral("on position 4, the first value digit (7) of entry 0.")));
    }

    void hiddenCellsSayWhy()
    {
        QCOMPARE(
            Case().read(13, 16),
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). The mask "
                           "hides position 16, the first key digit (3) of entry 3: it comes after the query."));
        QCOMPARE(
            Case(MapKind::AttentionWeights, 5).read(13, 8),
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). The mask "
                           "hides position 8, the StartValue of entry 1: it lies before the window of 5 tokens."));
        QVERIFY(Case(MapKind::AttentionWeights, 5)
                    .put(13, 9, 1.0F)
                    .read(13, 9)
                    .contains(QStringLiteral("It puts 1.00 on position 9")));
        QVERIFY_THROWS_EXCEPTION(Error, Case().read(19, 0));
        QVERIFY_THROWS_EXCEPTION(Error, Case().read(0, 19));
        QVERIFY_THROWS_EXCEPTION(Error, Case().read(-1, 0));
    }

    void weightsKeepTheirDigits_data()
    {
        QTest::addColumn<float>("weight");
        QTest::addColumn<QString>("text");
        QTest::newRow("0") << 0.0F << QStringLiteral("puts 0 on");
        QTest::newRow("tiny") << 1e-7F << QStringLiteral("puts less than 0.0001 on");
        QTest::newRow("small") << 0.0021F << QStringLiteral("puts 0.0021 on");
        QTest::newRow("two decimals") << 0.456F << QStringLiteral("puts 0.46 on");
        QTest::newRow("nearly one") << 0.9996F << QStringLiteral("puts 0.9996 on");
        QTest::newRow("as good as one") << 0.99999F << QStringLiteral("puts more than 0.9999 on");
        QTest::newRow("one") << 1.0F << QStringLiteral("puts 1.00 on");
        QTest::newRow("not a number") << std::nanf("") << QStringLiteral("puts not a number on");
    }
    void weightsKeepTheirDigits()
    {
        QFETCH(float, weight);
        QFETCH(QString, text);
        QVERIFY2(Case().put(13, 4, weight).read(13, 4).contains(text),
                 qPrintable(Case().put(13, 4, weight).read(13, 4)));
    }

    void recurrencesTakeValuesWithSigns()
    {
        const QString sentence =
            Case(MapKind::RecurrenceMatrix).put(13, 4, -0.25F).put(13, 9, -0.5F).put(13, 3, 0.13F).read(13, 4);
        QCOMPARE(
            sentence,
            QStringLiteral("Query 13 predicts the first value digit of key 05 (entry 2, second occurrence). It takes "
                           "position 4, the same digit (7) at its first occurrence (entry 0), with weight "
                           "\u22120.25. More weight, \u22120.50, has position 9, the first value digit (4) of entry 1; "
                           "0.13 has position 3, the StartValue of entry 0, which holds the same key."));
    }

    void allDigitsHaveTheirOrdinal()
    {
        const std::vector<std::uint8_t> entry{10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 5, 4, 3, 2, 1, 6, 7, 8, 9};
        std::vector<std::uint8_t> tokens = entry;
        tokens.insert(tokens.end(), entry.begin(), entry.end());
        Case one;
        one.example.sequence = task::parseSequence({.key_digits = 9, .value_digits = 9}, tokens);
        QVERIFY(one.read(8, 8).contains(QStringLiteral("predicts the ninth key digit (9) of entry 0")));
        QVERIFY(one.read(18, 18).contains(QStringLiteral("predicts the ninth value digit of key 123456789 (entry 0")));
    }
};

QTEST_GUILESS_MAIN(TestAttentionView)
#include "test_attention_view.moc"
