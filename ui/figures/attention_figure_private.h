// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QImage>
#include <QPainter>
#include <QRectF>

#include <memory>
#include <utility>
#include <vector>

#include "ui/figures/attention_figure.h"
#include "ui/figures/map_parts.h"
#include "ui/heatmap/cell_axis.h"
#include "ui/heatmap/map_labels.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Draws the figure of one head; see attention_figure.h.
class AttentionFigure final : public Figure {
public:
    explicit AttentionFigure(AttentionFigureInput input)
        : m_input(std::move(input)),
          m_values(m_input.values ? m_input.values
                                  : std::make_shared<const ValuePyramid>(m_input.map,
                                                                         m_input.range == RangeChoice::RowMaximum
                                                                             ? ValuePyramid::Rows::ToTheirMaximum
                                                                             : ValuePyramid::Rows::AsTheyAre))
    {
    }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QByteArray npy() const override;
    QString fileName() const override;
    QString title() const override;
    QStringList provenance() const override;
    std::unique_ptr<Figure> withoutCaption() const override;

private:
    /// Throws Error if only the picture is at hand.
    const analysis::HeadMap &exactMap() const;

    /// What all parts of one drawing share.
    struct Drawing {
        QPainter &painter;
        const Theme &theme;
        const ColourTable &colours;
    };

    /// Where the parts stand on a page, in points.
    struct Layout {
        enum class Place { Nowhere, Beside, Below };
        double left = 0.0; ///< Width of the labels at the left.
        double top = 0.0; ///< Height of those above.
        double side = 0.0; ///< Of the map, a square; what is not positive has no room.
        LabelStyle labels;
        Place legend = Place::Beside; ///< Colour bar and key of the frames.
        Place caption = Place::Nowhere;
        QFont captionFont;
        QString words; ///< The caption, whole or short.
    };

    ColourTable table(const Theme &theme) const;
    /// What head of what run this is, and the reading of the chosen cell.
    QString caption() const;
    /// One line for small pages; the whole one travels in the file.
    QString shortCaption() const;
    QString runName() const;
    Layout layOut(const Drawing &drawing, const QRectF &page, const QString &words, const LabelStyle &labels) const;
    Layout bestLayout(const Drawing &drawing, const QRectF &page, const LabelStyle &labels) const;
    std::vector<LegendItem> legendItems() const;
    MapLines lines() const;
    QImage cells(const MapRaster &raster, const ColourTable &colours, const Theme &theme) const;
    void drawBare(QPainter &painter, const QSizeF &size, const Theme &theme) const;
    void drawAround(const Drawing &drawing, const MapRaster &raster, const Layout &layout) const;
    /// Colour bar with its words, then the key of the frames; returns the height used.
    double drawSide(const Drawing &drawing, const QRectF &area, const QString &reduction, bool isDrawn) const;
    double leastSideWidth(const Drawing &drawing) const;

    const MapShape &shape() const { return m_values->shape(); }
    const task::Sequence &sequence() const { return m_input.example->sequence; }

    AttentionFigureInput m_input;
    PyramidPointer m_values;
};

} // namespace lookback::ui
