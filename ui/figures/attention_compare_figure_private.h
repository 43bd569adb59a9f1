// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>

#include <optional>
#include <utility>
#include <vector>

#include "ui/figures/attention_compare_figure.h"
#include "ui/figures/map_parts.h"
#include "ui/heatmap/cell_axis.h"
#include "ui/heatmap/map_labels.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Draws a comparison; see attention_compare_figure.h.
class CompareFigure final : public Figure {
public:
    explicit CompareFigure(CompareFigureInput input);

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QByteArray npy() const override;
    QString fileName() const override;
    QString title() const override;
    QStringList provenance() const override;
    std::unique_ptr<Figure> withoutCaption() const override;

private:
    /// Throws Error if only the pictures are at hand.
    void requireExactMaps() const;

    /// One of the maps with its title and colours.
    struct Panel {
        const ValuePyramid *values = nullptr;
        QString title;
        QString words;
        ColourTable colours;
    };
    /// Where everything stands, in points.
    struct Layout {
        int columns = 3;
        double side = 0.0; ///< Of a map.
        double left = 0.0; ///< Labels of the queries.
        double top = 0.0; ///< Labels of the keys.
        double title = 0.0; ///< Height of a map's title.
        double legend = 0.0; ///< Height of bars and key.
        double caption = 0.0;
        LabelStyle labels;
    };
    struct Bar {
        ColourTable colours;
        QString words;
    };

    std::vector<Panel> panels(const Theme &theme) const;
    std::vector<Bar> bars(const Theme &theme) const;
    ColourTable weightColours(const ValuePyramid &values, const Theme &theme) const;
    ColourTable differenceColours(const Theme &theme) const;
    QString caption() const;
    std::int64_t windowEdgeOf(const Panel &panel) const;
    QString reductionOf(const CellAxis &axis) const;
    Layout layOut(QPainter &painter, const QSizeF &page, const std::vector<Panel> &panels, const LabelStyle &labels,
                  bool hasCaption, const Theme &theme) const;
    double drawLegend(QPainter &painter, const QRectF &area, const QString &reduction, const Theme &theme,
                      bool isDrawn) const;
    MapRaster drawMap(QPainter &painter, const QPointF &at, const Panel &panel, const Layout &layout,
                      const Theme &theme) const;
    /// What a side is, for its title.
    static QString wordsOf(const CompareFigureSide &side);
    static QString nameOf(const CompareFigureSide &side);
    static circuit::HeadId headOf(const CompareFigureSide &side)
    {
        return {side.picture->shape().layer, side.picture->shape().head};
    }
    const task::Sequence &sequence() const { return m_input.left.example->sequence; }

    CompareFigureInput m_input;
    const ValuePyramid &leftPicture() const { return *m_input.left.picture; }
    const ValuePyramid &rightPicture() const { return *m_input.right.picture; }

    QString m_noDifference;
    PyramidPointer m_difference; ///< Null where there is none.
};

} // namespace lookback::ui
