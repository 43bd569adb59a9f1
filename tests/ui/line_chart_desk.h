// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <cmath>
#include <limits>
#include <memory>

#include "tests/patience.h"
#include "ui/charts/line_chart.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/training_figure.h"

namespace lookback::tests {

using namespace lookback::ui;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline LineChart::Abscissa steps()
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [](const Range &range, Scale scale, int most) { return stepAxis(range, scale, most); };
    abscissa.widestNumber = QStringLiteral("10,000");
    abscissa.text = [](double step) { return countText(std::llround(step)); };
    abscissa.name = QStringLiteral("Step");
    return abscissa;
}

inline LineChart::Quantity loss()
{
    LineChart::Quantity quantity;
    quantity.axis = [](const Range &range, int most) { return quantityAxis(range, most, QStringLiteral("Loss")); };
    quantity.range = lossRange;
    quantity.limits = {1e-12, 1e12};
    quantity.text = quantityText;
    quantity.widestNumber = QStringLiteral("0.0001");
    return quantity;
}

/// A chart of 600 x 400 pixels with some solid curves of 100 logged steps each, value 0.5 unless changed.
struct Desk {
    explicit Desk(int count = 3)
    {
        view.setAutomaticRange({0, 10000});
        chart = std::make_unique<LineChart>(&view, steps(), loss());
        chart->resize(600, 400);
        std::vector<ChartCurve> curves;
        const model::Family families[] = {model::Family::FullRope, model::Family::Kda, model::Family::HybridWindow};
        for (int i = 0; i < count; ++i) {
            ChartCurve curve;
            curve.id = QString(QChar(u'a' + i));
            curve.label = QStringLiteral("curve %1").arg(curve.id);
            curve.style = Theme::light().seriesStyle(families[i % 3], model::LogitForm::Squared, i / 3);
            curves.push_back(curve);
        }
        chart->setCurves(curves);
        for (int i = 0; i < count; ++i)
            chart->setPoints(curves[std::size_t(i)].id, points(0.5 / (i + 1)));
        show();
    }
    static std::vector<CurvePoint> points(double value, double from = 100, double to = 10000)
    {
        std::vector<CurvePoint> list;
        for (double step = from; step <= to; step += 100)
            list.push_back({step, value});
        return list;
    }
    void show()
    {
        chart->show();
        settle();
    }
    /// Until what was asked for is on screen.
    void settle()
    {
        QSignalSpy refreshed(chart.get(), &LineChart::refreshed);
        chart->setBottomNumbers(true); // asks for a refresh
        QTRY_VERIFY(!refreshed.isEmpty());
    }
    QImage picture() { return chart->grab().toImage(); }
    QColor colourAt(double x, double y)
    {
        const QImage image = picture();
        // Between logged steps, where no two pieces of the line meet. The pixel that holds the place: a line of 2 px
        // covers it whole, wherever in it the place lies.
        const QPointF place = chart->positionOf(x, y) * image.devicePixelRatio();
        return image.pixelColor(int(std::floor(place.x())), int(std::floor(place.y())));
    }
    QPoint at(double xShare, double yShare) const
    {
        const QRectF area = chart->plotArea();
        return QPointF(area.left() + xShare * area.width(), area.bottom() - yShare * area.height()).toPoint();
    }
    void wheel(const QPoint &position, int turns, Qt::KeyboardModifiers modifiers = {})
    {
        QWheelEvent event(position, chart->mapToGlobal(position), {}, {0, 120 * turns}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(chart.get(), &event);
    }

    XView view;
    std::unique_ptr<LineChart> chart;
};

} // namespace lookback::tests
