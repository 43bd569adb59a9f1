// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/access/speaking.h"
#include "ui/charts/curve_store.h"
#include "ui/charts/plot_painter.h"
#include "ui/charts/x_view.h"

namespace lookback::ui {

/// A chart of curves over a common x axis, live or not, fully usable by mouse and keyboard.
///
/// Mouse: drag = zoom box, wheel = zoom at the pointer (Ctrl: x only, Shift: y only), middle button or Shift + drag =
/// pan, Esc = cancel, a click on an end label selects its curve, Ctrl + click hides it. Keys: Left/Right move the
/// cross-hair by logged x (Shift: ten), Page Up/Down by a tenth, Home/End to the ends, Up/Down choose the curve, Space
/// hides or shows it, + - zoom, 0 shows all, Esc takes the cross-hair away.
///
/// Redraws at most every 40 ms however often it is told; a hidden chart does nothing until it is shown. Colours and
/// fonts follow palette and system font. GUI thread only.
class LineChart : public QWidget, public Speaking {
    Q_OBJECT

public:
    /// What depends on the quantity: axes for a range, and what a range should be.
    struct Quantity {
        /// The axis for that range with about that many numbers; its scale is fixed.
        std::function<Axis(const Range &, int most)> axis;
        /// The automatic range for the shown values; `isFull`: with those that would be off scale.
        std::function<Range(const RobustRange &, bool isFull)> range;
        /// What zooming may show at most.
        Range limits{-1e300, 1e300};
        /// A value in words, for screen readers: "0.0090 nats".
        std::function<QString(double)> text;
        /// The second line of an end label; empty function = none.
        std::function<QString(double)> labelValue;
        /// The widest number on the axis, so that charts above each other align and nothing jumps: "99.99 %".
        QString widestNumber;
    };
    struct Abscissa {
        std::function<Axis(const Range &, Scale, int most)> axis;
        /// The axis above, if there is one.
        std::function<Axis(const Range &, int most)> top;
        QString widestNumber;
        std::function<QString(double)> text; ///< "2,600", in inverse on the axis.
        QString name; ///< "Step": for screen readers.
    };

    /// `view` is shared with other charts and outlives this one, or is its child.
    LineChart(XView *view, Abscissa abscissa, Quantity quantity, QWidget *parent = nullptr);
    ~LineChart() override;

    /// Another quantity (accuracy or error rate). Follows again.
    void setQuantity(Quantity quantity);

    /// The curves in order, later ones above. Points stay with their id; points of ids that are gone are dropped.
    void setCurves(std::vector<ChartCurve> curves);
    const std::vector<ChartCurve> &curves() const;
    void setPoints(const QString &id, std::vector<CurvePoint> points);
    /// Points with greater x than those known.
    void appendPoints(const QString &id, std::span<const CurvePoint> points);
    void setIntervals(const QString &id, std::vector<IntervalPoint> intervals);
    /// Null if unknown.
    const CurveData *data(const QString &id) const;

    void setStages(std::vector<Stage> stages);
    void setReferences(std::vector<ReferenceLine> lines);
    void setReferenceCurve(ReferenceCurve curve);
    /// Numbers and title below; off for the upper one of two charts with one x axis.
    void setBottomNumbers(bool isOn);
    void setSmoothing(double strength);
    void setIntervalsShown(bool isOn);
    void setWhiskers(bool isOn);
    void setLabelsShown(bool isOn);
    /// The labels get that share of the width, so that charts above each other align; 0 = what they need.
    void setLabelShare(double share);
    /// Also values that would be left off scale. A click on the note does the same.
    void setFullRange(bool isFull);
    bool isFullRange() const;

    /// What is in view now; for figures that export what is seen, and for view histories. Empty while following.
    std::optional<Range> heldYRange() const;
    void holdYRange(std::optional<Range> range);
    Axis xAxis() const;
    Axis yAxis() const;
    /// In widget coordinates.
    QRectF plotArea() const;
    /// Where a value lies, in widget coordinates.
    QPointF positionOf(double x, double y) const;
    /// Rectangles of the end labels as last drawn, by curve id; for tests and accessibility.
    std::vector<std::pair<QString, QRectF>> labelRects() const;
    /// "3 values off scale ..."; empty if all are in view.
    QString offScaleText() const;

    /// Draws that curve at 3 px, as if under the pointer; empty = none.
    void setHovered(const QString &id);

    void zoom(double factor); ///< About the middle; below 1 zooms in.
    void zoomToFit(); ///< All of both axes; follows again.

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    /// "Step 300: curve a 0.500, curve b 0.250"; empty without a cross-hair.
    QString spokenValue() const override;
    /// Axes with their ranges, how many curves, and the value at the cross-hair.
    QString spokenDescription() const override;
    QString spokenHelp() const override;

Q_SIGNALS:
    /// The user clicked a label or chose a curve by key.
    void curveChosen(const QString &id);
    /// The user asked to hide or show it.
    void curveToggled(const QString &id);
    /// Zoom, pan, fit or full range by the user.
    void viewChanged();
    /// Data and axes on screen are those of now.
    void refreshed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::ui
