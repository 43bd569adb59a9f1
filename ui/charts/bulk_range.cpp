// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/bulk_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lookback::ui {

namespace {

/// Ascends with the value; 0 for zero. The least positive double has log10 = -323.3.
int binOf(double value)
{
    if (value == 0)
        return 0;
    const int size = 1 + int((std::log10(std::abs(value)) + 324.0) * 64.0);
    return value > 0 ? size : -size;
}

} // namespace

void ValueHistogram::add(double value)
{
    if (!std::isfinite(value))
        return;
    Bin &bin = m_bins[binOf(value)];
    if (bin.count == 0)
        bin.lowest = bin.highest = value;
    ++bin.count;
    bin.lowest = std::min(bin.lowest, value);
    bin.highest = std::max(bin.highest, value);
}

void ValueHistogram::add(const ValueHistogram &other)
{
    for (const auto &[key, added] : other.m_bins) {
        Bin &bin = m_bins[key];
        if (bin.count == 0) {
            bin = added;
            continue;
        }
        bin.count += added.count;
        bin.lowest = std::min(bin.lowest, added.lowest);
        bin.highest = std::max(bin.highest, added.highest);
    }
}

RobustRange ValueHistogram::robustRange(Scale scale) const
{
    const auto first = scale == Scale::Linear ? m_bins.begin() : m_bins.upper_bound(0);
    RobustRange result;
    if (first == m_bins.end())
        return result;
    result.isEmpty = false;
    std::int64_t total = 0;
    for (auto bin = first; bin != m_bins.end(); ++bin)
        total += bin->second.count;
    result.lowest = first->second.lowest;
    result.highest = std::prev(m_bins.end())->second.highest;

    // The bins that hold the 2nd and the 98th percentile bound the bulk.
    const auto quantileBin = [&](double share) {
        const auto rank = std::int64_t(share * double(total - 1) + 0.5);
        std::int64_t seen = 0;
        for (auto bin = first; bin != m_bins.end(); ++bin) {
            seen += bin->second.count;
            if (seen > rank)
                return bin->second;
        }
        return std::prev(m_bins.end())->second;
    };
    const double low = toScale(scale, quantileBin(0.02).lowest);
    const double high = toScale(scale, quantileBin(0.98).highest);
    double air = 3 * (high - low);
    if (scale != Scale::Linear)
        air = std::max(air, scale == Scale::Log10 ? 6.0 : 6.0 / std::log10(2.0));
    else if (air == 0) // a constant: whatever is of its size may be shown
        air = 3 * std::max(std::abs(high), 1e-300);

    bool isFirstShown = true;
    for (auto bin = first; bin != m_bins.end(); ++bin) {
        if (toScale(scale, bin->second.lowest) > high + air) {
            result.above += bin->second.count;
        } else if (toScale(scale, bin->second.highest) < low - air) {
            result.below += bin->second.count;
        } else {
            if (isFirstShown)
                result.range.lower = bin->second.lowest;
            result.range.upper = bin->second.highest;
            isFirstShown = false;
        }
    }
    return result;
}

RobustRange robustRange(std::span<const double> values, Scale scale)
{
    ValueHistogram histogram;
    for (const double value : values)
        histogram.add(value);
    return histogram.robustRange(scale);
}

} // namespace lookback::ui
