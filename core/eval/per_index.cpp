// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/per_index.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"

namespace lookback::eval {

namespace {

constexpr std::size_t kWords = task::kVocabulary;

template <typename Real> double crossEntropyOf(std::span<const Real> logits, int token)
{
    const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0.0;
    for (const Real logit : logits)
        sum += std::exp(static_cast<double>(logit) - largest);
    return std::log(sum) + largest - static_cast<double>(logits[static_cast<std::size_t>(token)]);
}

template <typename Real> void requireSize(const task::Sequence &sequence, std::span<const Real> logits)
{
    const std::size_t expected = sequence.tokens.empty() ? 0 : (sequence.tokens.size() - 1) * kWords;
    if (logits.size() != expected)
        throw Error("Logits",
                    std::to_string(logits.size()) + " numbers do not fit a sequence of "
                        + std::to_string(sequence.tokens.size()) + " tokens, which needs " + std::to_string(expected)
                        + ".");
}

/// The 12 logits that predict value digit `digit` of entry `entry`, and the true token.
template <typename Real>
std::pair<std::span<const Real>, int> predictionOf(const task::Sequence &sequence, std::span<const Real> logits,
                                                   std::size_t entry, std::int64_t digit)
{
    const auto position =
        static_cast<std::size_t>(sequence.predictionPosition(static_cast<std::int64_t>(entry), digit));
    return {logits.subspan(position * kWords, kWords), sequence.tokens[position + 1]};
}

template <typename Real> LogitScore scoreOf(const task::Sequence &sequence, std::span<const Real> logits)
{
    requireSize(sequence, logits);
    LogitScore score;
    for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry) {
        if (!sequence.entries[entry].isSecondOccurrence)
            continue;
        std::int64_t right = 0;
        for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit) {
            const auto [words, truth] = predictionOf(sequence, logits, entry, digit);
            score.lossSum += crossEntropyOf(words, truth);
            right += std::max_element(words.begin(), words.end()) - words.begin() == truth ? 1 : 0;
        }
        score.digits += sequence.shape.value_digits;
        score.digitsRight += right;
        score.answers += 1;
        score.exact += right == sequence.shape.value_digits ? 1 : 0;
    }
    return score;
}

} // namespace

double crossEntropy(std::span<const float> logits, int token)
{
    return crossEntropyOf(logits, token);
}

double crossEntropy(std::span<const double> logits, int token)
{
    return crossEntropyOf(logits, token);
}

LogitScore scoreLogits(const task::Sequence &sequence, std::span<const float> logits)
{
    return scoreOf(sequence, logits);
}

LogitScore scoreLogits(const task::Sequence &sequence, std::span<const double> logits)
{
    return scoreOf(sequence, logits);
}

template <typename Real> void PerIndexLoss::addAny(const task::Sequence &sequence, std::span<const Real> logits)
{
    requireSize(sequence, logits);
    const std::size_t entries = sequence.entries.size();
    if (m_sequences == 0) {
        m_shape = sequence.shape;
        m_allSums.assign(entries, 0.0);
        m_secondSums.assign(entries, 0.0);
        m_secondCounts.assign(entries, 0);
    } else if (sequence.shape != m_shape || entries != m_allSums.size()) {
        throw Error("Cross-entropy by entry", "A sequence of another shape or length cannot be added.",
                    "Take sequences of one n and one number of digits.");
    }
    for (std::size_t entry = 0; entry < entries; ++entry) {
        double sum = 0.0;
        for (std::int64_t digit = 0; digit < m_shape.value_digits; ++digit) {
            const auto [words, truth] = predictionOf(sequence, logits, entry, digit);
            sum += crossEntropyOf(words, truth);
        }
        m_allSums[entry] += sum;
        if (sequence.entries[entry].isSecondOccurrence) {
            m_secondSums[entry] += sum;
            ++m_secondCounts[entry];
        }
    }
    ++m_sequences;
}

void PerIndexLoss::add(const task::Sequence &sequence, std::span<const float> logits)
{
    addAny(sequence, logits);
}

void PerIndexLoss::add(const task::Sequence &sequence, std::span<const double> logits)
{
    addAny(sequence, logits);
}

std::vector<double> PerIndexLoss::allEntries() const
{
    std::vector<double> means = m_allSums;
    for (double &mean : means)
        mean /= static_cast<double>(m_sequences * m_shape.value_digits);
    return means;
}

std::vector<double> PerIndexLoss::secondOccurrences() const
{
    std::vector<double> means = m_secondSums;
    for (std::size_t entry = 0; entry < means.size(); ++entry) {
        if (m_secondCounts[entry] > 0)
            means[entry] /= static_cast<double>(m_secondCounts[entry] * m_shape.value_digits);
    }
    return means;
}

} // namespace lookback::eval
