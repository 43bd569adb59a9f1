// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/nice_range.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ui/charts/number_text.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr QChar kNarrowSpace(0x202F);

/// A tick a rounding error outside a range is inside.
double slackOf(const Range &range)
{
    return range.width() * 1e-9;
}

int decimalsOf(double step)
{
    return std::max(0, -int(std::floor(std::log10(step) + 1e-9)));
}

QString plainNumber(double value, int decimals)
{
    if (value == 0)
        return u"0"_s;
    QString text = QString::number(value, 'f', decimals);
    if (text.startsWith(u'-'))
        text.replace(0, 1, QChar(0x2212));
    return text;
}

/// Decade label: plain digits from 0.0001 to 10,000, powers of ten outside.
QString decadeText(int exponent)
{
    if (exponent < -4 || exponent > 4)
        return powerOfTen(exponent);
    return exponent < 0 ? plainNumber(std::pow(10.0, exponent), -exponent)
                        : countText(std::llround(std::pow(10.0, exponent)));
}

/// Ticks of a logarithmic axis: decades; below two decades 1-2-5 as well; below half a decade linear steps.
/// `label(value, step)` gets the distance of linear steps, or the value's own decade.
template <typename Label> std::vector<Tick> logTicks(const Range &range, int most, Label label)
{
    std::vector<Tick> ticks;
    if (!(range.lower > 0 && range.upper > range.lower && std::isfinite(range.upper)))
        return ticks;
    const double lower = std::log10(range.lower);
    const double upper = std::log10(range.upper);
    if (upper - lower < 0.5) {
        const double step = niceStep(range.width(), most);
        for (const double value : niceTicks(range, most)) {
            if (value > 0)
                ticks.push_back({value, label(value, step)});
        }
        return ticks;
    }
    const int first = int(std::floor(lower - 1e-9));
    const int last = int(std::ceil(upper + 1e-9));
    const int every = std::max(1, int(std::ceil((upper - lower) / std::max(most, 1))));
    const bool hasHalves = upper - lower < 2 && most >= 4;
    for (int exponent = first; exponent <= last; ++exponent) {
        const double decade = std::pow(10.0, exponent);
        for (const int factor : {1, 2, 5}) {
            const double value = factor * decade;
            if (value < range.lower * (1 - 1e-9) || value > range.upper * (1 + 1e-9) || (factor > 1 && !hasHalves))
                continue;
            const bool isLabelled = exponent % every == 0;
            if (isLabelled)
                ticks.push_back({value, label(value, decade)});
        }
    }
    return ticks;
}

} // namespace

double niceStep(double width, int intervals)
{
    if (!(width > 0) || !std::isfinite(width))
        return 1.0;
    const double least = width / std::max(intervals, 1);
    const double decade = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * decade >= least * (1 - 1e-9))
            return factor * decade;
    }
    return 10 * decade;
}

std::vector<double> niceTicks(const Range &range, int most)
{
    std::vector<double> ticks;
    if (!(range.width() > 0) || !std::isfinite(range.width()))
        return ticks;
    const double step = niceStep(range.width(), most);
    const double first = std::ceil((range.lower - slackOf(range)) / step);
    // A step far below the values' own precision would never end.
    for (double number = first; number * step <= range.upper + slackOf(range) && ticks.size() < 1000; ++number)
        ticks.push_back(number == 0 ? 0.0 : number * step);
    return ticks;
}

Range niceRange(const Range &data, int most)
{
    if (!std::isfinite(data.lower) || !std::isfinite(data.upper) || data.lower > data.upper)
        return {};
    Range range = data;
    if (range.width() <= std::max(std::abs(range.lower), std::abs(range.upper)) * 1e-12) {
        if (range.lower == 0)
            return {};
        const double air = std::abs(range.lower) * 0.5;
        range = {range.lower - air, range.lower + air};
    }
    const double step = niceStep(range.width(), most);
    return {std::floor(range.lower / step + 1e-9) * step, std::ceil(range.upper / step - 1e-9) * step};
}

Range niceLogRange(const Range &data)
{
    if (!(data.lower > 0) || !std::isfinite(data.upper) || data.upper < data.lower)
        return {0.001, 5.0};
    const auto below = [](double value) {
        const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-12));
        for (const double factor : {5.0, 2.0}) {
            if (factor * decade <= value * (1 + 1e-9))
                return factor * decade;
        }
        return decade;
    };
    Range range{below(data.lower), 0.0};
    range.upper = below(data.upper);
    while (range.upper < data.upper * (1 - 1e-9)) {
        const double decade = std::pow(10.0, std::floor(std::log10(range.upper) + 1e-12));
        const int lead = int(std::lround(range.upper / decade));
        range.upper = lead == 1 ? 2 * decade : lead == 2 ? 5 * decade : 10 * decade;
    }
    if (range.upper < 10 * range.lower) {
        const double middle = std::sqrt(data.lower * data.upper);
        return niceLogRange({middle / 3.2, middle * 3.2});
    }
    return range;
}

Axis stepAxis(const Range &steps, Scale scale, int most)
{
    Axis axis{scale, steps, {}, u"Step"_s, {}};
    const auto label = [](double value, double) {
        constexpr double kLongest = 1e12; // more digits than anyone reads, and in the end more than an integer has
        return value < kLongest ? countText(std::llround(value)) : quantityText(value);
    };
    if (scale == Scale::Linear) {
        for (const double value : niceTicks(steps, most)) {
            if (value == std::floor(value)) // between two steps there is nothing
                axis.ticks.push_back({value, label(value, 1)});
        }
        return axis;
    }
    for (Tick tick : logTicks(steps, most, label)) {
        if (tick.value == std::floor(tick.value))
            axis.ticks.push_back(std::move(tick));
    }
    return axis;
}

Axis shareAxis(const Range &range, int most, const QString &title, bool hasUnit)
{
    Axis axis{Scale::Linear, range, {}, title, {}};
    const QString unit = hasUnit ? QString(kNarrowSpace + u"%"_s) : QString();
    const Range inside{std::max(range.lower, 0.0), std::min(range.upper, 1.0)}; // the air has no numbers
    const int decimals = decimalsOf(100 * niceStep(inside.width(), most));
    for (const double value : niceTicks(inside, most)) {
        // An exact end needs no decimals; everything else has the same number of them.
        const bool isEnd = value <= 0 || std::abs(value - 1) < 1e-12;
        axis.ticks.push_back({value, plainNumber(100 * value, isEnd ? 0 : decimals) + unit});
    }
    return axis;
}

Axis quantityAxis(const Range &range, int most, const QString &title)
{
    const auto label = [](double value, double step) -> QString {
        const double exponent = std::log10(value);
        if (std::abs(exponent - std::round(exponent)) < 1e-9)
            return decadeText(int(std::round(exponent)));
        if (value < 1e-4 || value >= 1e5)
            return plainNumber(value / std::pow(10.0, std::floor(exponent)),
                               decimalsOf(step / std::pow(10.0, std::floor(exponent))))
                + kNarrowSpace + u'×' + kNarrowSpace + powerOfTen(int(std::floor(exponent)));
        return plainNumber(value, decimalsOf(step));
    };
    return {Scale::Log10, range, logTicks(range, most, label), title, {}};
}

Axis errorRateAxis(const Range &range, const QString &title)
{
    const auto label = [](double value, double step) -> QString {
        return QString(plainNumber(100 * value, decimalsOf(100 * step)) + kNarrowSpace + u'%');
    };
    return {Scale::Log10, range, logTicks(range, 8, label), title, {}};
}

Axis contextAxis(const Range &tokens, int most)
{
    Axis axis{Scale::Log2, tokens, {}, u"Context length (tokens)"_s, {}};
    if (!(tokens.lower > 0 && tokens.upper > tokens.lower && std::isfinite(tokens.upper)))
        return axis;
    const int first = int(std::ceil(std::log2(tokens.lower) - 1e-9));
    const int last = int(std::floor(std::log2(tokens.upper) + 1e-9));
    const double octave = 1 / std::log2(tokens.upper / tokens.lower);
    const int every = std::max(1, int(std::ceil(1.0 / std::max(most, 1) / octave - 1e-9)));
    for (int exponent = first; exponent <= last; ++exponent) {
        const double value = std::exp2(exponent);
        axis.ticks.push_back({value, (exponent - first) % every == 0 ? countText(std::llround(value)) : QString()});
    }
    return axis;
}

Axis keysAxis(const Range &tokens, const std::vector<std::int64_t> &n_keys, std::int64_t tokensPerKey, int most)
{
    Axis axis{Scale::Log2, tokens, {}, u"Unique keys n, %1 tokens each"_s.arg(countText(tokensPerKey)), {}};
    // Round numbers of this benchmark first: 8, 16, 32, then 12, 24, 48, then the others.
    const auto rankOf = [](std::int64_t n) {
        const auto isPower = [](std::int64_t m) { return m > 0 && std::has_single_bit(std::uint64_t(m)); };
        return isPower(n) ? 0 : n % 3 == 0 && isPower(n / 3) ? 1 : 2;
    };
    for (const std::int64_t n : n_keys)
        axis.ticks.push_back({double(n * tokensPerKey), {}});
    // Each only if it keeps its distance from those already labelled.
    const double distance = 1.0 / std::max(most, 1);
    for (const int rank : {0, 1, 2}) {
        for (std::size_t i = 0; i < n_keys.size(); ++i) {
            if (rankOf(n_keys[i]) != rank)
                continue;
            const double place = axis.share(axis.ticks[i].value);
            const bool isFree = std::ranges::none_of(axis.ticks, [&](const Tick &tick) {
                return !tick.label.isEmpty() && std::abs(axis.share(tick.value) - place) < distance * (1 - 1e-9);
            });
            if (isFree)
                axis.ticks[i].label = countText(n_keys[i]);
        }
    }
    return axis;
}

} // namespace lookback::ui
