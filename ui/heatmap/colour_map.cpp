// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/colour_map.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "ui/heatmap/colour_tables.h"

namespace lookback::ui {

namespace {

constexpr double kLogDecades = 4.0; // below 1e-4 of the maximum a weight moves nothing that can be seen

const std::array<std::uint32_t, 256> &tableOf(ColourMap map)
{
    switch (map) {
    case ColourMap::Viridis:
        return tables::kViridis;
    case ColourMap::Cividis:
        return tables::kCividis;
    case ColourMap::Magma:
        return tables::kMagma;
    case ColourMap::Grey:
        return tables::kGrey;
    case ColourMap::DivergingLight:
        return tables::kDivergingLight;
    case ColourMap::DivergingDark:
        return tables::kDivergingDark;
    }
    return tables::kViridis;
}

/// A round step that gives two to five intervals over `span`.
double niceStep(double span)
{
    const double rough = span / 4.0;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        if (factor * power >= rough * (1.0 - 1e-9)) // 1e-9: 0.25 must not become 0.5 by rounding
            return factor * power;
    }
    return 10.0 * power;
}

} // namespace

bool isDiverging(ColourMap map)
{
    return map == ColourMap::DivergingLight || map == ColourMap::DivergingDark;
}

QString colourMapTitle(ColourMap map)
{
    const auto tr = [](const char *text) { return QCoreApplication::translate("ColourMap", text); };
    switch (map) {
    case ColourMap::Viridis:
        return tr("Viridis");
    case ColourMap::Cividis:
        return tr("Cividis");
    case ColourMap::Magma:
        return tr("Magma");
    case ColourMap::Grey:
        return tr("Grey");
    case ColourMap::DivergingLight:
        return tr("Diverging, light");
    case ColourMap::DivergingDark:
        return tr("Diverging, dark");
    }
    return {};
}

QList<ColourMap> colourMapsFor(bool isSigned, bool isDark)
{
    if (isSigned) {
        return isDark ? QList{ColourMap::DivergingDark, ColourMap::DivergingLight}
                      : QList{ColourMap::DivergingLight, ColourMap::DivergingDark};
    }
    return isDark ? QList{ColourMap::Magma, ColourMap::Viridis, ColourMap::Cividis, ColourMap::Grey}
                  : QList{ColourMap::Viridis, ColourMap::Cividis, ColourMap::Magma, ColourMap::Grey};
}

QRgb colourAt(ColourMap map, double fraction)
{
    if (std::isnan(fraction))
        return kNotANumber;
    const auto &table = tableOf(map);
    const double place = std::clamp(fraction, 0.0, 1.0) * 255.0;
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min<std::size_t>(low + 1, 255);
    const double part = place - static_cast<double>(low);
    const auto channel = [&](int shift) {
        const double a = (table[low] >> shift) & 0xFFU;
        const double b = (table[high] >> shift) & 0xFFU;
        return static_cast<int>(std::lround(a + (b - a) * part));
    };
    return qRgb(channel(16), channel(8), channel(0));
}

ColourScale ColourScale::withMaximum(double newMaximum) const
{
    ColourScale scale = *this;
    scale.maximum = newMaximum > 0.0 && std::isfinite(newMaximum) ? newMaximum : 1.0;
    if (minimum < 0.0)
        scale.minimum = -scale.maximum;
    else if (form == Form::Log)
        scale.minimum = scale.maximum * std::pow(10.0, -kLogDecades);
    return scale;
}

ColourScale ColourScale::asLog() const
{
    ColourScale scale = *this;
    scale.form = Form::Log;
    scale.minimum = maximum * std::pow(10.0, -kLogDecades);
    return scale;
}

double ColourScale::fractionOf(double value) const
{
    if (std::isnan(value))
        return value;
    double place = 0.0;
    if (form == Form::Log) {
        if (value <= minimum)
            return 0.0;
        place = std::log(value / minimum) / std::log(maximum / minimum);
    } else {
        place = (value - minimum) / (maximum - minimum);
    }
    return std::clamp(place, 0.0, 1.0);
}

QList<double> ColourScale::ticks() const
{
    QList<double> values;
    if (form == Form::Log) {
        const double first = std::ceil(std::log10(minimum) - 1e-9);
        for (double power = first; std::pow(10.0, power) <= maximum * (1.0 + 1e-9); power += 1.0)
            values.append(std::pow(10.0, power));
        return values;
    }
    const double step = niceStep(maximum - minimum);
    for (double i = std::ceil(minimum / step - 1e-9); i * step <= maximum + step * 1e-6; i += 1.0)
        values.append(i == 0.0 ? 0.0 : i * step);
    return values;
}

int decimalsFor(double step)
{
    for (int decimals = 0; decimals < 8; ++decimals) {
        const double scaled = step * std::pow(10.0, decimals);
        if (std::abs(scaled - std::round(scaled)) < 1e-6)
            return decimals;
    }
    return 8;
}

ColourTable::ColourTable(ColourMap map, const ColourScale &scale, QRgb notANumber)
    : m_map(map), m_scale(scale), m_notANumber(notANumber)
{
    for (int level = 0; level <= kLastLevel; ++level)
        m_colours[static_cast<std::size_t>(level)] = colourAt(map, level / static_cast<double>(kLastLevel));
    const bool isLog = scale.form == ColourScale::Form::Log;
    const double low = isLog ? std::log(scale.minimum) : scale.minimum;
    const double high = isLog ? std::log(scale.maximum) : scale.maximum;
    m_factor = static_cast<float>(kLastLevel / (high - low));
    // Counted from 0 on a symmetric scale, so that opposite values round alike.
    const bool isSymmetric = low == -high;
    m_firstLevel = isSymmetric ? kLastLevel / 2 : 0;
    m_offset = isSymmetric ? 0.0F : static_cast<float>(low);
}

int ColourTable::levelOf(float value) const
{
    float place = value;
    if (m_scale.form == ColourScale::Form::Log) {
        if (value <= static_cast<float>(m_scale.minimum))
            return 0;
        place = std::log(value);
    }
    const float steps = (place - m_offset) * m_factor;
    if (std::isnan(steps)) // 0 times the infinite factor of a range too small to divide by
        return m_firstLevel;
    // Adding 1.5 x 2^23 leaves no room for a fraction, so the addition itself rounds to the nearest, half to even.
    // (steps + 0.5) cut to an integer would take the largest value below a half to 1.
    constexpr float kNoFraction = 12'582'912.0F;
    const float within =
        std::clamp(steps, static_cast<float>(-m_firstLevel), static_cast<float>(kLastLevel - m_firstLevel));
    return m_firstLevel + static_cast<int>(within + kNoFraction - kNoFraction);
}

double ColourTable::valueOf(int level) const
{
    const double fraction = level / static_cast<double>(kLastLevel);
    if (m_scale.form == ColourScale::Form::Log)
        return m_scale.minimum * std::pow(m_scale.maximum / m_scale.minimum, fraction);
    return m_scale.minimum + (m_scale.maximum - m_scale.minimum) * fraction;
}

QRgb ColourTable::colourOf(float value) const
{
    return std::isnan(value) ? m_notANumber : m_colours[static_cast<std::size_t>(levelOf(value))];
}

double luminance(QRgb colour)
{
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(colour)) + 0.7152 * linear(qGreen(colour)) + 0.0722 * linear(qBlue(colour));
}

} // namespace lookback::ui
