// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <filesystem>
#include <memory>

#include "ui/theme/figure_font.h"
#include "ui/theme/theme.h"

class QPainter;

namespace lookback::ui {

/// How a figure is written. Independent of screen, theme and window.
struct ExportOptions {
    QSizeF millimetres{170.0, 110.0}; ///< Size on paper.
    int dpi = 300; ///< PNG resolution, stored in the file; 1 px = 25.4 / dpi mm.
    bool isDark = false;
    bool isTransparent = false;
    /// Size in pixels of the PNG.
    QSize pixels() const;
    /// The options whose PNG has exactly that many pixels.
    static ExportOptions ofPixels(const QSize &pixels, int dpi);
};

/// A finished figure as a value: numbers and texts, no widget. The window, the export and the command line draw it with
/// the same code. Implementations copy what they need; draw may be called on any thread that has a QGuiApplication.
class Figure {
public:
    virtual ~Figure() = default;

    /// Draws into a page of `size` points (1/72 inch); text is 8-9 pt, lines 1.2 pt.
    virtual void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const = 0;
    /// The figure's numbers, RFC 4180, with a header line; dot decimals.
    virtual QString csv() const = 0;
    /// The same as a NumPy file (specs/formats/npy.md): the table of csv() as a structured array, if not said
    /// otherwise.
    virtual QByteArray npy() const;
    /// "accuracy_vs_context": default file name without extension.
    virtual QString fileName() const = 0;
    virtual QString title() const = 0;
    /// Run ids, seeds, command to reproduce, version: stored in the file as text.
    virtual QStringList provenance() const = 0;
    /// How many pictures it has as an animation; 0 if it is none.
    virtual std::size_t frames() const { return 0; }
    /// One of them, from 0.
    virtual std::unique_ptr<Figure> frame(std::size_t) const { return nullptr; }
    /// The same without the sentences that explain it; null if it has none that can go.
    virtual std::unique_ptr<Figure> withoutCaption() const { return nullptr; }
};

/// The figure as PNG, SVG, PDF, CSV or NumPy file by the extension of `file`, which is not touched; with frames() also
/// as an animated PNG (.apng). Throws Error for an unknown or missing extension and an absurd size.
QByteArray figureFile(const Figure &figure, const QString &file, const ExportOptions &options);

/// Writes what figureFile() gave, on any thread: a complete file or an Error with path and reason; never half a picture
/// (temporary name, rename).
void writeFigureFile(const std::filesystem::path &file, const QByteArray &bytes);

/// Both.
void exportFigure(const Figure &figure, const QString &file, const ExportOptions &options);

/// Pages narrower than this (points; about a text column) say less: short titles, no notes on reference lines.
constexpr qreal kSmallPage = 300.0;

/// The picture itself, for preview and clipboard.
QImage renderFigure(const Figure &figure, const ExportOptions &options);

} // namespace lookback::ui
