// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/colour_map.h"
#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/map_labels.h"
#include "ui/access/speaking.h"

namespace lookback::ui {

/// What the end of the colour scale is.
enum class RangeChoice {
    AllHeads, ///< 0 to 1 (or -1 to 1) for every head.
    OwnMaximum, ///< Up to the largest weight of this head.
    RowMaximum, ///< Each row divided by its largest weight.
};

/// "Attention weight, linear, all heads alike"; says the unit, the form and the range.
QString scaleWords(const ColourScale &scale, RangeChoice range, analysis::MapKind kind);
/// "Each pixel = 4 × 4 cells, maximum"; empty where every cell has pixels of its own.
QString reductionWords(const CellAxis &queries, const CellAxis &keys, analysis::MapKind kind);

/// A number of the colour bar: "0.25", "0", "10⁻³", with a real minus sign.
QString tickText(double value, const ColourScale &scale);

/// Draws the gradient with its numbers into `rect`: gradient above, numbers below. `line` = hairline.
void drawColourBar(QPainter &painter, const QRectF &rect, const ColourTable &table, const QFont &font, double line,
                   const Theme &theme);

/// What the frames and the grey of a map mean, as pairs of a swatch and words.
enum class LegendItem {
    NotVisible,
    Query,
    FirstOccurrence,
    AskedOccurrence,
    WindowEdge,
    TrainingLength,
    NotComputed,
};
QString legendText(LegendItem item);
void drawLegendSwatch(QPainter &painter, const QRectF &rect, LegendItem item, const MaskStyle &mask, const QColor &zero,
                      double line, const Theme &theme);

/// The colour bar as a widget: title, gradient, numbers.
class ColourBar : public QWidget, public Speaking {
    Q_OBJECT

public:
    explicit ColourBar(QWidget *parent = nullptr);

    void setScale(const ColourTable &table, const QString &words, const QString &reduction);

    QAccessible::Role spokenRole() const override { return QAccessible::Indicator; }
    QString spokenValue() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QFont smallFont() const;
    int titleHeight(int width) const;

    ColourTable m_table;
    QString m_words;
    QString m_reduction;
};

/// The key of frames and grey as a widget, two columns.
class FrameLegend : public QWidget {
    Q_OBJECT

public:
    explicit FrameLegend(QWidget *parent = nullptr);

    void setColourMap(ColourMap map);
    /// Beside the first four, which always stand there.
    void setFurtherItems(const QList<LegendItem> &items);
    QList<LegendItem> items() const { return m_items; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void nameItems();
    double columnWidth(int column) const;
    bool hasTwoColumns(int width) const;
    int rowHeight() const;

    QList<LegendItem> m_items{LegendItem::NotVisible, LegendItem::Query, LegendItem::FirstOccurrence,
                              LegendItem::AskedOccurrence};
    ColourMap m_map = ColourMap::Viridis;
};

} // namespace lookback::ui
