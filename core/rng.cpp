// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rng.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace lookback {

namespace {

// Multipliers and key increments of Philox4x32 (Salmon et al. 2011, section 4.3).
constexpr std::uint64_t kMultiplier0 = 0xD2511F53U;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
constexpr int kRounds = 10;

// Last counter word of derived keys, so that they never meet a block that yields numbers (last word 0).
constexpr std::uint32_t kSubstreamDomain = 1;
constexpr std::uint32_t kPurposeDomain = 2;

constexpr std::uint32_t lowWord(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value & 0xFFFFFFFFU);
}

constexpr std::uint32_t highWord(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value >> 32U);
}

} // namespace

std::array<std::uint32_t, 4> Philox::block(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t product0 = kMultiplier0 * counter[0];
        const std::uint64_t product1 = kMultiplier1 * counter[2];
        counter = {highWord(product1) ^ counter[1] ^ key[0], lowWord(product1),
                   highWord(product0) ^ counter[3] ^ key[1], lowWord(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

Philox::Philox(std::uint64_t key, std::uint64_t stream, std::uint64_t substream) : m_key{}, m_stream(stream)
{
    const auto derived =
        block({lowWord(substream), highWord(substream), 0, kSubstreamDomain}, {lowWord(key), highWord(key)});
    m_key = {derived[0], derived[1]};
}

std::uint32_t Philox::next()
{
    if (m_used == m_words.size()) {
        m_words = block({m_index, lowWord(m_stream), highWord(m_stream), 0}, m_key);
        ++m_index;
        m_used = 0;
    }
    return m_words[m_used++];
}

std::uint64_t Philox::next64()
{
    const std::uint64_t low = next();
    const std::uint64_t high = next();
    return low | (high << 32U);
}

std::uint64_t Philox::below(std::uint64_t bound)
{
    if (bound <= 1)
        return 0;
    if (bound <= std::numeric_limits<std::uint32_t>::max()) {
        // Lemire, "Fast random integer generation in an interval" (2019): the high word of a product, without bias
        // once the products below 2^32 mod bound are rejected.
        const std::uint64_t threshold = (std::uint64_t{1} << 32U) % bound;
        std::uint64_t product = 0;
        do {
            product = next() * bound;
        } while (lowWord(product) < threshold);
        return highWord(product);
    }
    const std::uint64_t surplus = (std::numeric_limits<std::uint64_t>::max() % bound + 1) % bound; // 2^64 mod bound
    std::uint64_t value = 0;
    do {
        value = next64();
    } while (value > std::numeric_limits<std::uint64_t>::max() - surplus);
    return value % bound;
}

double Philox::uniform()
{
    const std::uint64_t high = next() >> 5U; // 27 bits
    const std::uint64_t low = next() >> 6U; // 26 bits
    return static_cast<double>((high << 26U) | low) * 0x1.0p-53;
}

double Philox::normal()
{
    if (m_hasSpareNormal) {
        m_hasSpareNormal = false;
        return m_spareNormal;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform())); // 1 - u lies in (0, 1]
    const double angle = 2.0 * std::numbers::pi * uniform();
    m_spareNormal = radius * std::sin(angle);
    m_hasSpareNormal = true;
    return radius * std::cos(angle);
}

Philox generatorFor(RandomPurpose purpose, std::uint64_t seed, std::uint64_t stream, std::uint64_t substream)
{
    const auto derived =
        Philox::block({static_cast<std::uint32_t>(purpose), 0, 0, kPurposeDomain}, {lowWord(seed), highWord(seed)});
    const std::uint64_t key = derived[0] | (static_cast<std::uint64_t>(derived[1]) << 32U);
    return Philox(key, stream, substream);
}

} // namespace lookback
