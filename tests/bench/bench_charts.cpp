// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Nine runs of 150,000 points, one of them still training. Figures, no assertions:
//   QT_QPA_PLATFORM=offscreen build/tests/bench_charts
#include <QApplication>
#include <QPixmap>

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "ui/charts/line_chart.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/training_figure.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

constexpr int kPoints = 150000;
constexpr int kRuns = 9;

std::vector<CurvePoint> curve(int seed)
{
    std::mt19937 generator(static_cast<std::mt19937::result_type>(seed));
    std::normal_distribution<double> noise(0.0, 0.2);
    std::vector<CurvePoint> points;
    points.reserve(kPoints);
    for (int i = 1; i <= kPoints; ++i)
        points.push_back({double(i), 0.001 + 2.3 * std::exp(-i / (kPoints / (4.0 + seed)) + noise(generator))});
    return points;
}

struct Desk {
    Desk()
    {
        view.setAutomaticRange({0, 200000});
        LineChart::Abscissa steps;
        steps.axis = [](const Range &range, Scale scale, int most) { return stepAxis(range, scale, most); };
        steps.widestNumber = u"100,000"_s;
        steps.text = [](double step) { return countText(std::llround(step)); };
        LineChart::Quantity loss;
        loss.axis = [](const Range &range, int most) { return quantityAxis(range, most, u"Loss"_s); };
        loss.range = lossRange;
        loss.text = quantityText;
        loss.widestNumber = u"0.0001"_s;
        chart = std::make_unique<LineChart>(&view, steps, loss);
        chart->resize(1060, 300);
        std::vector<ChartCurve> curves;
        for (int i = 0; i < kRuns; ++i) {
            ChartCurve one;
            one.id = QString::number(i);
            one.label = u"run %1"_s.arg(i);
            one.style = Theme::light().seriesStyle(model::Family(i % 5), model::LogitForm(i % 2), i / 5);
            curves.push_back(one);
        }
        chart->setCurves(curves);
        for (int i = 0; i < kRuns; ++i)
            chart->setPoints(QString::number(i), curve(i));
        chart->show();
        settle();
    }
    void settle()
    {
        bool isRefreshed = false;
        QObject context;
        QObject::connect(chart.get(), &LineChart::refreshed, &context, [&isRefreshed] { isRefreshed = true; });
        chart->setBottomNumbers(true);
        while (!isRefreshed)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        chart->grab();
    }

    XView view;
    std::unique_ptr<LineChart> chart;
};

Desk &desk()
{
    static Desk shared;
    return shared;
}

/// Filling a chart with all nine logs: opening the page.
void openPage(benchmark::State &state)
{
    for ([[maybe_unused]] auto step : state)
        Desk fresh;
}
BENCHMARK(openPage)->Unit(benchmark::kMillisecond);

/// Ten new points of the running run, and the picture that follows: what happens each 50 ms.
void tick(benchmark::State &state)
{
    double last = kPoints;
    for ([[maybe_unused]] auto step : state) {
        std::vector<CurvePoint> points;
        for (int i = 0; i < 10; ++i)
            points.push_back({++last, 0.01});
        desk().chart->appendPoints(u"0"_s, points);
        desk().settle();
    }
}
BENCHMARK(tick)->Unit(benchmark::kMillisecond);

/// Moving the cross-hair: only the overlay is painted.
void crossHair(benchmark::State &state)
{
    double at = 0;
    for ([[maybe_unused]] auto step : state) {
        desk().view.setCrossHair(at += 100);
        desk().chart->grab();
    }
}
BENCHMARK(crossHair)->Unit(benchmark::kMillisecond);

/// Zooming: all nine curves are thinned anew.
void zoom(benchmark::State &state)
{
    double from = 0;
    for ([[maybe_unused]] auto step : state) {
        from += 10;
        desk().view.setRange({from, from + 100000});
        desk().settle();
    }
    desk().view.setFollowing(true);
}
BENCHMARK(zoom)->Unit(benchmark::kMillisecond);

/// Points for a hidden chart.
void hidden(benchmark::State &state)
{
    desk().chart->hide();
    double last = 1e6;
    for ([[maybe_unused]] auto step : state) {
        const CurvePoint point{++last, 0.01};
        desk().chart->appendPoints(u"1"_s, std::span(&point, 1));
    }
    desk().chart->show();
}
BENCHMARK(hidden)->Unit(benchmark::kMicrosecond);

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
