// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/thinned_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace lookback::run {

namespace {

/// Most records kept of a stretch, and so many times fewer than its lines at first.
constexpr std::size_t kKept = 7;
/// Newest lines that stay whole: what is said of the end of a run looks at single lines.
constexpr std::size_t kWholeTail = 64;

bool isFinite(const std::optional<double> &value)
{
    return value && std::isfinite(*value);
}

/// Adds the records of a stretch that are kept to `kept`.
void select(std::span<const MetricsRecord> stretch, std::vector<MetricsRecord> &kept)
{
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::array<std::size_t, kKept> chosen{};
    chosen.fill(kNone);
    auto &[first, lowLoss, highLoss, lowAccuracy, highAccuracy, best, broken] = chosen;
    first = 0;
    const auto keep = [&](std::size_t &known, std::size_t i, auto &&isBetter) {
        if (known == kNone || isBetter(stretch[i], stretch[known]))
            known = i;
    };
    for (std::size_t i = 0; i < stretch.size(); ++i) {
        const MetricsRecord &record = stretch[i];
        if (isFinite(record.loss)) {
            keep(lowLoss, i, [](const auto &a, const auto &b) { return *a.loss < *b.loss; });
            keep(highLoss, i, [](const auto &a, const auto &b) { return *a.loss > *b.loss; });
        }
        if (isFinite(record.retrievalAcc)) {
            const auto isHigher = [](const auto &a, const auto &b) { return *a.retrievalAcc > *b.retrievalAcc; };
            keep(lowAccuracy, i, [](const auto &a, const auto &b) { return *a.retrievalAcc < *b.retrievalAcc; });
            keep(highAccuracy, i, isHigher);
            keep(best, i, [&](const auto &a, const auto &b) {
                return a.n_keys > b.n_keys || (a.n_keys == b.n_keys && isHigher(a, b));
            });
        }
        if (broken == kNone && (!isFinite(record.loss) || !isFinite(record.retrievalAcc)))
            broken = i;
    }
    std::ranges::sort(chosen);
    std::size_t last = kNone;
    for (const std::size_t i : chosen) {
        if (i == kNone || i == last)
            continue;
        kept.push_back(stretch[i]);
        last = i;
    }
}

} // namespace

ThinnedLog::ThinnedLog(std::size_t most) : m_most(std::max(most, 16 * kWholeTail)) { }

bool ThinnedLog::add(const MetricsRecord &record)
{
    const std::size_t before = m_records.size();
    while (!m_records.empty() && m_records.back().step >= record.step)
        m_records.pop_back();
    const bool isShorter = m_records.size() < before;
    for (; m_selected > m_records.size(); --m_selected) {
        if (--m_keptOf.back() == 0)
            m_keptOf.pop_back();
    }
    m_records.push_back(record);
    if (m_records.size() <= m_most)
        return isShorter;
    thin();
    return true;
}

void ThinnedLog::clear()
{
    take();
}

std::vector<MetricsRecord> ThinnedLog::take()
{
    m_keptOf.clear();
    m_selected = 0;
    m_stretch = 1;
    return std::exchange(m_records, {});
}

void ThinnedLog::thin()
{
    // What was selected stays as dense as what is selected now: once that is too much, both become half as dense.
    const std::size_t lines = m_records.size() - m_selected - kWholeTail;
    const std::size_t expected =
        m_stretch == 1 ? m_records.size() : m_selected + lines * kKept / static_cast<std::size_t>(m_stretch);
    const bool isSame = expected * 4 <= m_most * 3 && lines >= 4 * static_cast<std::size_t>(m_stretch);
    const std::span<const MetricsRecord> all(m_records);
    std::vector<MetricsRecord> kept;
    std::vector<std::uint8_t> keptOf;
    const auto selectFrom = [&](std::size_t from, std::size_t count) {
        const std::size_t before = kept.size();
        select(all.subspan(from, count), kept);
        keptOf.push_back(static_cast<std::uint8_t>(kept.size() - before));
    };
    if (isSame) {
        kept.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m_selected));
        keptOf = std::move(m_keptOf);
    } else {
        m_stretch = m_stretch == 1 ? std::int64_t{2} * kKept : 2 * m_stretch;
        std::size_t from = 0;
        for (std::size_t i = 0; i < m_keptOf.size(); i += 2) {
            const std::size_t count = m_keptOf[i] + (i + 1 < m_keptOf.size() ? std::size_t{m_keptOf[i + 1]} : 0);
            selectFrom(from, count);
            from += count;
        }
    }
    const auto stretch = static_cast<std::size_t>(m_stretch);
    std::size_t from = m_selected;
    for (; from + stretch + kWholeTail <= all.size(); from += stretch)
        selectFrom(from, stretch);
    m_selected = kept.size();
    kept.insert(kept.end(), all.begin() + static_cast<std::ptrdiff_t>(from), all.end());
    m_records = std::move(kept);
    m_keptOf = std::move(keptOf);
}

} // namespace lookback::run
