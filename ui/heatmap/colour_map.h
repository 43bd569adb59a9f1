// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QList>
#include <QString>

#include <array>

namespace lookback::ui {

/// Colours of a heat map. The first four rise in lightness from 0 to the maximum; the diverging one (a light and a dark
/// centre, chosen by the theme) is for signed values and symmetric about 0.
enum class ColourMap { Viridis, Cividis, Magma, Grey, DivergingLight, DivergingDark };

bool isDiverging(ColourMap map);

/// "Viridis", "Magma", "Diverging, light".
QString colourMapTitle(ColourMap map);

/// The maps to choose from for values of that kind, default first: magma in a dark window, viridis in a light one.
QList<ColourMap> colourMapsFor(bool isSigned, bool isDark);

/// What stands for a value that is not a number, unless the theme says otherwise.
constexpr QRgb kNotANumber = qRgb(255, 0, 255);

/// Colour at `fraction` (0..1, clamped; NaN: kNotANumber) of a map; linear between the 256 stored colours.
QRgb colourAt(ColourMap map, double fraction);

/// What the colours of a map mean: range and form. Shared by all heads unless the user chose otherwise.
struct ColourScale {
    enum class Form { Linear, Log };

    Form form = Form::Linear;
    double minimum = 0.0; ///< Value of the first colour. Log: above 0; what lies below has the first colour.
    double maximum = 1.0; ///< Value of the last colour.

    /// 0..1 shared by all heads, linear.
    static ColourScale shared() { return {}; }
    /// The shared scale of signed recurrence matrices, -1..1: query and key have length 1 there and nothing grows, so
    /// no weight leaves it.
    static ColourScale sharedSigned() { return {.minimum = -1.0}; }
    /// The same up to another maximum; symmetric about 0 if this one is. A maximum that spans no range (0 of an empty
    /// map, less, not a number, infinite) gives 1.
    ColourScale withMaximum(double newMaximum) const;
    /// Four decades below the maximum, logarithmic.
    ColourScale asLog() const;

    /// Where `value` lies, 0..1, clamped. NaN gives NaN.
    double fractionOf(double value) const;
    /// Values at which the colour bar carries numbers, ascending.
    QList<double> ticks() const;
    bool operator==(const ColourScale &) const = default;
};

/// Decimals that numbers at a distance of `step` need.
int decimalsFor(double step);

/// A scale and a map turned into a table of 1,025 colours: what tiles are coloured through.
///
/// Level i stands for the value at i / 1024 of the scale: the first for its minimum, the last for its maximum, 512 for
/// 0 on a scale that is symmetric about 0. A value gets the nearest level; half-way between two, the even one, so that
/// opposite values stay opposite. -0 is 0, values beyond the range and infinities have the end levels.
class ColourTable {
public:
    static constexpr int kLastLevel = 1024;

    ColourTable(ColourMap map, const ColourScale &scale, QRgb notANumber = kNotANumber);

    /// The level of a value that is a number.
    int levelOf(float value) const;
    /// The value that a level stands for.
    double valueOf(int level) const;
    /// The colour of a value, opaque: that of its level; NaN has a colour of its own.
    QRgb colourOf(float value) const;

    ColourMap map() const { return m_map; }
    const ColourScale &scale() const { return m_scale; }
    bool operator==(const ColourTable &other) const
    {
        return m_map == other.m_map && m_scale == other.m_scale && m_notANumber == other.m_notANumber;
    }

private:
    ColourMap m_map;
    ColourScale m_scale;
    QRgb m_notANumber;
    int m_firstLevel = 0; ///< Level of m_offset.
    float m_offset = 0.0F; ///< Where levels are counted from, in units of the (logarithmic) value.
    float m_factor = 0.0F;
    std::array<QRgb, kLastLevel + 1> m_colours{};
};

/// Relative luminance 0..1 of a colour (WCAG 2.1).
double luminance(QRgb colour);

} // namespace lookback::ui
