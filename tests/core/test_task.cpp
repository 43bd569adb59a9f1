// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <QTest>

#include "core/error.h"
#include "core/task/key_value_task.h"

using namespace lookback::task;
using lookback::Error;

namespace {

std::int64_t powerOfTen(std::int64_t exponent)
{
    return exponent == 0 ? 1 : 10 * powerOfTen(exponent - 1);
}

/// Answers by remembering what it read: tokens up to and including `position`, and nothing else.
int lookedUpDigit(const Sequence &sequence, std::int64_t position)
{
    const std::int64_t width = sequence.shape.entryTokens();
    const std::int64_t entry = position / width;
    const std::int64_t digit = position % width - (1 + sequence.shape.key_digits);
    const auto keyAt = [&](std::int64_t start) {
        return std::vector<std::uint8_t>(sequence.tokens.begin() + start + 1,
                                         sequence.tokens.begin() + start + 1 + sequence.shape.key_digits);
    };
    const auto wanted = keyAt(entry * width);
    for (std::int64_t earlier = 0; earlier < entry; ++earlier) {
        if (keyAt(earlier * width) == wanted)
            return sequence.tokens[static_cast<std::size_t>(earlier * width + 2 + sequence.shape.key_digits + digit)];
    }
    return -1;
}

void checkSequence(const Sequence &sequence, const TaskShape &shape, std::int64_t n)
{
    QCOMPARE(sequence.shape, shape);
    QCOMPARE(sequence.n_keys, n);
    QCOMPARE(static_cast<std::int64_t>(sequence.entries.size()), 2 * n);
    QCOMPARE(static_cast<std::int64_t>(sequence.tokens.size()), 2 * n * shape.entryTokens());
    QCOMPARE(parseSequence(shape, sequence.tokens), sequence);

    std::map<std::int64_t, std::vector<std::int64_t>> places;
    for (std::int64_t i = 0; i < 2 * n; ++i) {
        const Entry &entry = sequence.entries[static_cast<std::size_t>(i)];
        QVERIFY(entry.key >= 0 && entry.key < powerOfTen(shape.key_digits));
        QVERIFY(entry.value >= 0 && entry.value < powerOfTen(shape.value_digits));
        places[entry.key].push_back(i);
    }
    QCOMPARE(static_cast<std::int64_t>(places.size()), n);
    for (const auto &[key, where] : places) {
        QCOMPARE(where.size(), std::size_t{2});
        const Entry &first = sequence.entries[static_cast<std::size_t>(where[0])];
        const Entry &second = sequence.entries[static_cast<std::size_t>(where[1])];
        QVERIFY(!first.isSecondOccurrence);
        QVERIFY(second.isSecondOccurrence);
        QCOMPARE(first.partner, where[1]);
        QCOMPARE(second.partner, where[0]);
        QCOMPARE(first.value, second.value);
    }
    // A lookup table scores 100 %, from the tokens before the answer alone.
    const auto positions = sequence.scoredPositions();
    QCOMPARE(static_cast<std::int64_t>(positions.size()), n * shape.value_digits);
    std::int64_t last = -1;
    for (const std::int64_t position : positions) {
        QVERIFY(position > last);
        QVERIFY(position + 1 < static_cast<std::int64_t>(sequence.tokens.size()));
        QCOMPARE(lookedUpDigit(sequence, position),
                 static_cast<int>(sequence.tokens[static_cast<std::size_t>(position + 1)]));
        last = position;
    }
}

} // namespace

class TestTask : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeRange_data()
    {
        QTest::addColumn<qint64>("keyDigits");
        QTest::addColumn<qint64>("valueDigits");
        QTest::addColumn<qint64>("n");
        for (qint64 keyDigits = 1; keyDigits <= 9; ++keyDigits) {
            for (qint64 valueDigits = 1; valueDigits <= 9; ++valueDigits) {
                for (const qint64 n : {1, 2, 3, 7, 10, 99, 100, 101}) {
                    if (n <= powerOfTen(keyDigits))
                        QTest::addRow("k%lld v%lld n%lld", keyDigits, valueDigits, n) << keyDigits << valueDigits << n;
                }
            }
        }
        QTest::newRow("all keys of three digits") << qint64(3) << qint64(3) << qint64(1000);
    }
    void wholeRange()
    {
        QFETCH(qint64, keyDigits);
        QFETCH(qint64, valueDigits);
        QFETCH(qint64, n);
        const TaskShape shape{keyDigits, valueDigits};
        for (std::int64_t index = 0; index < 3; ++index)
            checkSequence(evaluationSequence(shape, n, 1, index), shape, n);
        checkSequence(trainingSequence(shape, n, 0, 1, 0), shape, n);
    }

    void everyKeyTaken()
    {
        const TaskShape shape{4, 1};
        const Sequence sequence = evaluationSequence(shape, 10000, 5, 0);
        std::set<std::int64_t> keys;
        for (const Entry &entry : sequence.entries)
            keys.insert(entry.key);
        QCOMPARE(keys.size(), std::size_t{10000});
        QCOMPARE(*keys.rbegin(), std::int64_t{9999});
    }

    void manyLongKeys()
    {
        const TaskShape shape{9, 3};
        const Sequence sequence = evaluationSequence(shape, 100000, 5, 0);
        QCOMPARE(parseSequence(shape, sequence.tokens), sequence);
    }

    void pureFunctionOfItsArguments()
    {
        const TaskShape shape;
        const Sequence later = trainingSequence(shape, 8, 3, 700, 63);
        const Sequence other = trainingSequence(shape, 8, 3, 700, 62);
        QCOMPARE(trainingSequence(shape, 8, 3, 700, 63), later);
        QVERIFY(other != later);
        QVERIFY(trainingSequence(shape, 8, 3, 701, 63) != later);
        QVERIFY(trainingSequence(shape, 8, 4, 700, 63) != later);
        QVERIFY(evaluationSequence(shape, 8, 3, 700) != trainingSequence(shape, 8, 3, 8, 700));
        QCOMPARE(evaluationSequence(shape, 8, 1, 5), evaluationSequence(shape, 8, 1, 5));
        QVERIFY(evaluationSequence(shape, 8, 1, 5) != evaluationSequence(shape, 8, 1, 6));
        QVERIFY(evaluationSequence(shape, 8, 1, 5) != evaluationSequence(shape, 8, 2, 5));
    }

    // Pins the numbers themselves: a change here changes every run and every curve.
    void pinnedSequence()
    {
        std::string text;
        for (const std::uint8_t token : evaluationSequence({3, 3}, 2, 1, 0).tokens)
            text += tokenCharacter(token);
        QCOMPARE(QString::fromStdString(text), QStringLiteral("K319V188K004V215K004V215K319V188"));
    }

    void trainingAndEvaluationShareNoSequence()
    {
        const TaskShape shape;
        const auto text = [](const Sequence &sequence) {
            return std::string(sequence.tokens.begin(), sequence.tokens.end());
        };
        std::set<std::string> training;
        for (std::int64_t step = 1; step <= 50; ++step) {
            for (std::int64_t row = 0; row < 16; ++row)
                training.insert(text(trainingSequence(shape, 8, 1, step, row)));
        }
        QCOMPARE(training.size(), std::size_t{800});
        for (std::int64_t index = 0; index < 800; ++index)
            QVERIFY(!training.contains(text(evaluationSequence(shape, 8, 1, index))));
    }

    void uniformKeysValuesAndOrder()
    {
        const TaskShape shape{1, 1};
        constexpr int kSequences = 4000;
        constexpr std::int64_t kKeys = 3;
        std::map<std::int64_t, int> keys;
        std::map<std::int64_t, int> values;
        std::map<std::int64_t, int> secondPlaces;
        int constantRight = 0;
        for (int index = 0; index < kSequences; ++index) {
            const Sequence sequence = evaluationSequence(shape, kKeys, 1, index);
            for (std::size_t i = 0; i < sequence.entries.size(); ++i) {
                const Entry &entry = sequence.entries[i];
                if (!entry.isSecondOccurrence)
                    continue;
                ++keys[entry.key];
                ++values[entry.value];
                ++secondPlaces[static_cast<std::int64_t>(i)];
                constantRight += entry.value == 4 ? 1 : 0;
            }
        }
        const double answers = double(kSequences * kKeys);
        // Keys of one sequence differ, which only narrows the counts. Five binomial standard deviations.
        const double tolerance = 5.0 * std::sqrt(answers * 0.1 * 0.9);
        for (std::int64_t digit = 0; digit < 10; ++digit) {
            QVERIFY(std::abs(keys[digit] - 0.1 * answers) < tolerance);
            QVERIFY(std::abs(values[digit] - 0.1 * answers) < tolerance);
        }
        QVERIFY(std::abs(constantRight - 0.1 * answers) < tolerance); // a constant answer scores chance
        // P(place i holds a second occurrence) = i / 5 for a uniform shuffle of 6 places.
        for (std::int64_t place = 0; place < 6; ++place) {
            const double share = double(place) / 5.0;
            const double spread = 5.0 * std::sqrt(kSequences * share * (1.0 - share));
            QVERIFY(std::abs(secondPlaces[place] - kSequences * share) <= spread);
        }
    }

    void impossibleSizes_data()
    {
        QTest::addColumn<qint64>("keyDigits");
        QTest::addColumn<qint64>("valueDigits");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<QString>("words");
        QTest::newRow("one too many") << qint64(1) << qint64(1) << qint64(11) << "1 key digit allows 10 distinct keys";
        QTest::newRow("many") << qint64(3) << qint64(3) << qint64(1001) << "3 key digits allow 1000 distinct keys";
        QTest::newRow("zero") << qint64(3) << qint64(3) << qint64(0) << "at least 1";
        QTest::newRow("negative") << qint64(3) << qint64(3) << qint64(-5) << "at least 1";
        QTest::newRow("huge") << qint64(9) << qint64(3) << qint64(1) * 900000000 << "at most 10000000";
        QTest::newRow("no key digit") << qint64(0) << qint64(3) << qint64(1) << "Keys have 1 to 9 digits";
        QTest::newRow("long key") << qint64(10) << qint64(3) << qint64(1) << "Keys have 1 to 9 digits";
        QTest::newRow("no value digit") << qint64(3) << qint64(0) << qint64(1) << "Values have 1 to 9 digits";
        QTest::newRow("long value") << qint64(3) << qint64(99) << qint64(1) << "Values have 1 to 9 digits";
    }
    void impossibleSizes()
    {
        QFETCH(qint64, keyDigits);
        QFETCH(qint64, valueDigits);
        QFETCH(qint64, n);
        QFETCH(QString, words);
        try {
            evaluationSequence({keyDigits, valueDigits}, n, 1, 0);
            QFAIL("drawn although impossible");
        } catch (const Error &error) {
            QVERIFY2(QString::fromStdString(error.sentence()).contains(words), error.what());
            QVERIFY(!error.remedy().empty());
        }
    }

    void damagedTokens_data()
    {
        QTest::addColumn<int>("position");
        QTest::addColumn<int>("token");
        QTest::addColumn<QString>("words");
        // K9 V1 K8 V2 K9 V1 K8 V2: entries of 4 tokens
        QTest::newRow("no StartKey") << 4 << 3 << "Position 4 should be StartKey, but is 3";
        QTest::newRow("no StartValue") << 6 << 10 << "Position 6 should be StartValue, but is StartKey";
        QTest::newRow("no digit") << 5 << 11 << "Position 5 should be a digit, but is StartValue";
        QTest::newRow("not in the vocabulary") << 7 << 200 << "Position 7 should be a digit, but is 200";
        QTest::newRow("other value") << 11 << 7 << "Position 8 begins an entry that gives key 9 another value";
        QTest::newRow("alone") << 13 << 5 << "Position 4 begins an entry with key 8, which never occurs again";
    }
    void damagedTokens()
    {
        QFETCH(int, position);
        QFETCH(int, token);
        QFETCH(QString, words);
        std::vector<std::uint8_t> tokens{10, 9, 11, 1, 10, 8, 11, 2, 10, 9, 11, 1, 10, 8, 11, 2};
        const TaskShape shape{1, 1};
        QCOMPARE(parseSequence(shape, tokens).n_keys, std::int64_t{2});
        tokens[static_cast<std::size_t>(position)] = static_cast<std::uint8_t>(token);
        try {
            parseSequence(shape, tokens);
            QFAIL("read although damaged");
        } catch (const Error &error) {
            QVERIFY2(QString::fromStdString(error.sentence()).contains(words), error.what());
        }
    }

    void thirdOccurrence()
    {
        const std::vector<std::uint8_t> tokens{10, 9, 11, 1, 10, 9, 11, 1, 10, 9, 11, 1};
        try {
            parseSequence({1, 1}, tokens);
            QFAIL("read although damaged");
        } catch (const Error &error) {
            QVERIFY2(
                QString::fromLatin1(error.what()).contains(QLatin1String("Position 8 begins a third entry with key 9")),
                error.what());
        }
    }

    void cutTokens()
    {
        const TaskShape shape{3, 3};
        const auto tokens = evaluationSequence(shape, 3, 1, 0).tokens;
        QCOMPARE(parseSequence(shape, {}).n_keys, std::int64_t{0});
        for (std::size_t length = 1; length < tokens.size(); ++length)
            QVERIFY_THROWS_EXCEPTION(Error, parseSequence(shape, std::span(tokens).first(length)));
    }

    void tokenNames()
    {
        QCOMPARE(tokenCharacter(7), '7');
        QCOMPARE(tokenCharacter(10), 'K');
        QCOMPARE(tokenCharacter(11), 'V');
        QCOMPARE(tokenWord(0), std::string("0"));
        QCOMPARE(tokenWord(10), std::string("StartKey"));
        QCOMPARE(tokenWord(11), std::string("StartValue"));
    }
};

QTEST_GUILESS_MAIN(TestTask)
#include "test_task.moc"
