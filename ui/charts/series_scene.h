// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <memory>

#include "ui/charts/axis.h"
#include "ui/charts/thinning.h"
#include "ui/theme/theme.h"

class QPainter;

namespace lookback::ui {

/// Lines drawn by Qt Charts, which is named nowhere else: each curve as one series per finite segment, in the
/// coordinates of the scales (logarithms are taken here, the chart's own axes are linear and invisible). Series are
/// filled by `replace`, never by `append`, and there is no animation. Axes, labels, markers and everything else are
/// PlotPainter's.
class SeriesScene {
public:
    SeriesScene();
    ~SeriesScene();
    SeriesScene(const SeriesScene &) = delete;
    SeriesScene &operator=(const SeriesScene &) = delete;

    /// Size of the chart and its plot area, in logical pixels.
    void setGeometry(const QSizeF &size, const QRectF &plotArea);
    void setAxes(const Axis &x, const Axis &y);

    /// The lines of one curve, by a key of the caller's choice (later keys lie above). Nothing happens if `revision`,
    /// style and axes are those of the last call with that key.
    void setLine(int key, const ThinnedCurve &curve, int revision, const SeriesStyle &style, qreal width,
                 qreal opacity);
    /// Removes the lines of all keys from `first` on.
    void truncate(int first);

    void render(QPainter &painter, const QRectF &rect);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::ui
