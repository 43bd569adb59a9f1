// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>
#include <limits>

#include <QTest>

#include "core/error.h"
#include "core/eval/per_index.h"
#include "core/run/safetensors.h"

using namespace lookback;
using namespace lookback::eval;

namespace {

template <typename Number> std::vector<Number> numbersOf(const run::SafetensorsFile &file, const std::string &name)
{
    const run::StoredTensor *tensor = file.find(name);
    if (tensor == nullptr)
        return {};
    std::vector<Number> numbers(tensor->bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), tensor->bytes.data(), tensor->bytes.size());
    return numbers;
}

/// Logits that predict the next token of `sequence` with certainty, up to the given size.
std::vector<double> perfectLogits(const task::Sequence &sequence, double size)
{
    std::vector<double> logits((sequence.tokens.size() - 1) * task::kVocabulary, 0.0);
    for (std::size_t position = 0; position + 1 < sequence.tokens.size(); ++position)
        logits[position * task::kVocabulary + sequence.tokens[position + 1]] = size;
    return logits;
}

} // namespace

class TestPerIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givenLogits()
    {
        const run::SafetensorsFile fixture = run::readSafetensors(LOOKBACK_TEST_FIXTURES "/metrics.safetensors");
        const auto tokens = numbersOf<std::int64_t>(fixture, "tokens");
        const auto logits = numbersOf<float>(fixture, "logits");
        const auto second = numbersOf<std::uint8_t>(fixture, "second_occurrence");
        const auto rows = static_cast<std::size_t>(fixture.find("tokens")->shape[0]);
        const std::size_t length = tokens.size() / rows;
        const std::size_t rowLogits = (length - 1) * task::kVocabulary;
        PerIndexLoss byEntry;
        LogitScore sum;
        for (std::size_t row = 0; row < rows; ++row) {
            const std::vector<std::uint8_t> rowTokens(tokens.begin() + static_cast<std::ptrdiff_t>(row * length),
                                                      tokens.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
            const task::Sequence sequence = task::parseSequence({3, 3}, rowTokens);
            for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry)
                QCOMPARE(sequence.entries[entry].isSecondOccurrence,
                         second[row * sequence.entries.size() + entry] != 0);
            const auto ofRow = std::span(logits).subspan(row * rowLogits, rowLogits);
            byEntry.add(sequence, ofRow);
            const LogitScore score = scoreLogits(sequence, ofRow);
            sum.lossSum += score.lossSum;
            sum.digits += score.digits;
            sum.digitsRight += score.digitsRight;
            sum.answers += score.answers;
            sum.exact += score.exact;
        }
        const auto expect = [&](const char *name) { return numbersOf<double>(fixture, name).at(0); };
        QVERIFY(std::abs(sum.lossSum / static_cast<double>(sum.digits) - expect("loss")) < 1e-12);
        QCOMPARE(static_cast<double>(sum.digitsRight) / static_cast<double>(sum.digits), expect("digit_accuracy"));
        QCOMPARE(static_cast<double>(sum.exact) / static_cast<double>(sum.answers), expect("exact_match"));
        QVERIFY(byEntry.secondOccurrenceCounts()
                == numbersOf<std::int64_t>(fixture, "per_index.second_occurrence_count"));
        const auto all = numbersOf<double>(fixture, "per_index.all_entries");
        const auto seconds = numbersOf<double>(fixture, "per_index.second_occurrences");
        for (std::size_t entry = 0; entry < all.size(); ++entry) {
            QVERIFY(std::abs(byEntry.allEntries()[entry] - all[entry]) < 1e-12);
            QVERIFY(std::abs(byEntry.secondOccurrences()[entry] - seconds[entry]) < 1e-12);
        }
    }

    void closedForms()
    {
        const task::Sequence sequence = task::evaluationSequence({2, 4}, 5, 1, 0);
        const LogitScore perfect = scoreLogits(sequence, std::span<const double>(perfectLogits(sequence, 50.0)));
        QCOMPARE(perfect.answers, std::int64_t{5});
        QCOMPARE(perfect.exact, std::int64_t{5});
        QCOMPARE(perfect.digitsRight, std::int64_t{20});
        QVERIFY(perfect.lossSum < 1e-18);
        // Equal logits: ln 12 a digit.
        const LogitScore even = scoreLogits(sequence, std::span<const double>(perfectLogits(sequence, 0.0)));
        QVERIFY(std::abs(even.lossSum - 20.0 * std::log(12.0)) < 1e-12);
        // One wrong digit costs its answer.
        std::vector<double> logits = perfectLogits(sequence, 50.0);
        const auto position = static_cast<std::size_t>(sequence.scoredPositions().front());
        logits[position * task::kVocabulary + sequence.tokens[position + 1]] = -1000.0;
        const LogitScore oneWrong = scoreLogits(sequence, std::span<const double>(logits));
        QCOMPARE(oneWrong.digitsRight, std::int64_t{19});
        QCOMPARE(oneWrong.exact, std::int64_t{4});
        QVERIFY(std::abs(oneWrong.lossSum - (1000.0 + std::log(11.0))) < 1e-9);
        // First occurrences count nowhere.
        logits = perfectLogits(sequence, 50.0);
        for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry) {
            if (sequence.entries[entry].isSecondOccurrence)
                continue;
            const auto start = static_cast<std::size_t>(sequence.predictionPosition(static_cast<std::int64_t>(entry), 0)
                                                        * task::kVocabulary);
            std::fill_n(logits.begin() + static_cast<std::ptrdiff_t>(start), 4 * task::kVocabulary, 0.0);
        }
        QVERIFY(scoreLogits(sequence, std::span<const double>(logits)) == perfect);
        PerIndexLoss byEntry;
        byEntry.add(sequence, std::span<const double>(logits));
        for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry) {
            const bool isSecond = sequence.entries[entry].isSecondOccurrence;
            QVERIFY(std::abs(byEntry.allEntries()[entry] - (isSecond ? 0.0 : std::log(12.0))) < 1e-12);
            QVERIFY(byEntry.secondOccurrences()[entry] < 1e-12);
            QCOMPARE(byEntry.secondOccurrenceCounts()[entry], std::int64_t{isSecond ? 1 : 0});
        }
    }

    void largeLogits()
    {
        std::vector<float> logits(task::kVocabulary, 0.0F);
        logits[3] = 3e38F;
        QCOMPARE(crossEntropy(std::span<const float>(logits), 3), 0.0);
        QVERIFY(crossEntropy(std::span<const float>(logits), 4) > 2.9e38);
        logits[3] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(std::isnan(crossEntropy(std::span<const float>(logits), 4)));
    }

    void sizesThatDoNotFit()
    {
        const task::Sequence sequence = task::evaluationSequence({2, 2}, 3, 1, 0);
        const task::Sequence other = task::evaluationSequence({2, 2}, 4, 1, 0);
        std::vector<double> logits = perfectLogits(sequence, 1.0);
        PerIndexLoss byEntry;
        byEntry.add(sequence, std::span<const double>(logits));
        const std::vector<double> otherLogits = perfectLogits(other, 1.0);
        QVERIFY_THROWS_EXCEPTION(Error, byEntry.add(other, std::span<const double>(otherLogits)));
        logits.pop_back();
        QVERIFY_THROWS_EXCEPTION(Error, byEntry.add(sequence, std::span<const double>(logits)));
        QVERIFY_THROWS_EXCEPTION(Error, scoreLogits(sequence, std::span<const double>(logits)));
        QCOMPARE(byEntry.sequences(), std::int64_t{1});
    }
};

QTEST_GUILESS_MAIN(TestPerIndex)
#include "test_per_index.moc"
