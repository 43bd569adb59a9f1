// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <map>
#include <span>
#include <vector>

#include "ui/charts/bulk_range.h"
#include "ui/charts/plot_painter.h"
#include "ui/charts/smoothing.h"
#include "ui/charts/thinning.h"

namespace lookback::ui {

/// How a curve of a chart is drawn and named. A curve is its id: its points stay with it whatever else changes.
struct ChartCurve {
    QString id;
    QString label; ///< At its end; empty = none.
    QString brief; ///< If the label does not fit.
    SeriesStyle style;
    bool isShown = true;
    bool isSelected = false; ///< 3 px.
    bool isFaint = false; ///< A hair line without marker unless selected: one seed of a band.
    bool isStrong = true; ///< Semi-bold label.
    bool hasMarkers = false; ///< At every point; else only at the last one.
    bool operator==(const ChartCurve &) const = default;
};

/// The points of one curve as logged, smoothed, counted and thinned; each is brought up to date only as far as needed.
class CurveData {
public:
    void setPoints(std::vector<CurvePoint> points);
    void appendPoints(std::span<const CurvePoint> points);
    void setIntervals(std::vector<IntervalPoint> intervals) { m_intervals = std::move(intervals); }
    void setSmoothing(double strength);

    std::span<const CurvePoint> points() const { return m_points; }
    std::span<const IntervalPoint> intervals() const { return m_intervals; }
    const ValueHistogram &values() const { return m_values; }
    /// The last point with a finite y; null if there is none.
    const CurvePoint *lastFinite() const;
    /// The point at exactly that x; null if there is none.
    const CurvePoint *at(double x) const;
    /// Index of the logged x nearest to it; -1 if there are no points.
    std::ptrdiff_t nearest(double x) const;

    /// Thinned for that view; computed anew only if points or view changed. The reference holds until the next call.
    const ThinnedCurve &raw(const Axis &x, const Axis &y, int columns);
    const ThinnedCurve &smooth(const Axis &x, const Axis &y, int columns);
    /// Counts the times that it was thinned: what changed is drawn anew.
    int rawRevision() const { return m_rawCache.revision; }
    int smoothRevision() const { return m_smoothCache.revision; }

private:
    struct View {
        Scale xScale = Scale::Linear;
        Range x;
        Scale yScale = Scale::Linear;
        Range y;
        int columns = 0;
        bool operator==(const View &) const = default;
    };
    struct Cache {
        View view;
        bool isValid = false;
        int revision = 0;
        ThinnedCurve curve;
    };
    const ThinnedCurve &cached(Cache &cache, std::span<const CurvePoint> points, const Axis &x, const Axis &y,
                               int columns);

    std::vector<CurvePoint> m_points;
    std::vector<CurvePoint> m_smooth; ///< As many as points, or empty if smoothing is off.
    std::vector<IntervalPoint> m_intervals;
    ValueHistogram m_values;
    double m_strength = 0.0;
    Smoother m_smoother{0.0};
    Cache m_rawCache;
    Cache m_smoothCache;
};

} // namespace lookback::ui
