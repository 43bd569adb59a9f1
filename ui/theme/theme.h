// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QList>
#include <QPalette>
#include <QString>

#include <array>

#include "core/model/variant_info.h"

class QPainter;

namespace lookback::ui {

enum class Marker { Circle, Square, Triangle, Diamond, Cross, Star, Plus, Hourglass, Ring };

/// How one curve is drawn: hue = family, dash = logit form, marker = family; never colour alone.
struct SeriesStyle {
    QColor line; ///< Line and marker, on Base only.
    QColor label; ///< Text in the series colour, contrast at least 4.5:1.
    QList<qreal> dashes; ///< In units of the pen width (3-2 is 6-4 px on screen); empty = solid.
    Marker marker = Marker::Circle;
    bool isHollow = false; ///< Published curves.
    bool hasDot = false; ///< Hollow with a dot in it: published, logits squared.
    qreal width = 2.0; ///< Pixels on screen.
    bool operator==(const SeriesStyle &) const = default;
};

/// A hue of the palette: the colour of lines and markers, and its darker or lighter shade for text.
struct SeriesShade {
    QColor line;
    QColor label;
    bool operator==(const SeriesShade &) const = default;
};

/// All colours of the window and of figures, light or dark; read from resources/palettes/*.json, nowhere else.
struct Theme {
    bool isDark = false;
    QColor window, base, alternateBase, text, secondText, disabledText, hairline, control, controlBorder;
    QColor selection, accent, accentText, focus, right, warning, wrong;
    QColor mask; ///< Heat map cells that the attention mask forbids.
    QColor occurrence; ///< Outline of first and other occurrences on heat maps.

    /// Per family (in the order of model::Family): the first run's shade, then those of further runs.
    std::array<std::array<SeriesShade, 3>, 8> shades;

    static const Theme &light();
    static const Theme &dark();
    /// By the palette's lightness.
    static const Theme &forPalette(const QPalette &palette);

    /// The application palette that goes with this theme (used under Fusion and in tests and screenshots).
    QPalette palette() const;

    /// Style number `index` (0 = first run) of a variant; further runs take the next free shade, dash or marker.
    SeriesStyle seriesStyle(model::Family family, model::LogitForm logits, int index = 0) const;
    /// Dotted, hollow; squared logits have close dots and a dot in the marker, plain ones dots far apart.
    SeriesStyle publishedStyle(model::Family family, model::LogitForm logits) const;
};

/// Draws a marker of `size` pixels centred on `centre`.
void drawMarker(QPainter &painter, const QPointF &centre, qreal size, const SeriesStyle &style, const QColor &base);
/// Draws the 28 px line-with-marker swatch of a series into `rect`.
void drawSwatch(QPainter &painter, const QRectF &rect, const SeriesStyle &style, const QColor &base);

} // namespace lookback::ui
