// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace lookback {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter-based generator.
/// Every value is a pure function of (key, stream, substream, index); there is no global state and no warm-up.
/// Copyable; not for use by two threads at once. One stream holds 2^34 words.
class Philox {
public:
    /// `key`: usually the seed. `stream`, `substream`: which independent sequence of that key (a step and a row, ...).
    /// Block i of the sequence is block({i, stream low, stream high, 0}, key'), where key' is the first two words of
    /// block({substream low, substream high, 0, 1}, key).
    explicit Philox(std::uint64_t key, std::uint64_t stream = 0, std::uint64_t substream = 0);

    /// The next 32 uniform bits.
    std::uint32_t next();
    /// The next 64 uniform bits: two words, low one first.
    std::uint64_t next64();
    /// Uniform in 0..bound-1 without bias (rejection). bound >= 1.
    std::uint64_t below(std::uint64_t bound);
    /// Uniform in [0, 1) with 53 bits.
    double uniform();
    /// Standard normal (Box-Muller; two uniforms a pair).
    double normal();

    /// The raw block function: 4 output words of `counter` under `key`. Known answers are in the Random123 test set.
    static std::array<std::uint32_t, 4> block(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

private:
    std::array<std::uint32_t, 2> m_key;
    std::uint64_t m_stream;
    std::uint32_t m_index = 0;
    unsigned m_used = 4;
    std::array<std::uint32_t, 4> m_words{};
    bool m_hasSpareNormal = false;
    double m_spareNormal = 0.0;
};

/// What a stream of random numbers is for; part of the Philox key so that purposes never share numbers.
enum class RandomPurpose : std::uint32_t {
    InitialWeights = 1,
    TrainingBatch = 2,
    Evaluation = 3,
    Resampling = 4,
    Variance = 5,
    Dropout = 6
};

/// A generator for one purpose of one seed; pure function of its arguments. Its key is the first two words of
/// block({purpose, 0, 0, 2}, seed).
Philox generatorFor(RandomPurpose purpose, std::uint64_t seed, std::uint64_t stream, std::uint64_t substream = 0);

} // namespace lookback
