// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How long the head map takes: preparing (worker), first paint, paint from kept tiles, zoom, all thumbnails.
// With --viewer [RUN FOLDER [PICTURES]]: the whole Attention page at n = 256 with the real service instead.
// Run with QT_QPA_PLATFORM=offscreen. Times are printed, never asserted.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QScrollBar>

#include <cmath>
#include <memory>

#include "tests/bench/viewer_bench.h"
#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/head_map_view.h"

namespace {

using namespace lookback;
using namespace lookback::ui;

/// An example of n keys whose sequence is regular; its contents do not matter for the time.
std::shared_ptr<const analysis::Example> exampleOf(std::int64_t n)
{
    auto example = std::make_shared<analysis::Example>();
    example->sequence.n_keys = n;
    for (std::int64_t i = 0; i < 2 * n; ++i) {
        example->sequence.entries.push_back(
            {.key = i % n, .value = 7 * i % 1000, .isSecondOccurrence = i >= n, .partner = (i + n) % (2 * n)});
        for (const int token : {10, 1, 2, 3, 11, 4, 5, 6})
            example->sequence.tokens.push_back(static_cast<std::uint8_t>(token));
    }
    example->positions = 16 * n - 1;
    example->heads = 4;
    example->layers.resize(8);
    return example;
}

std::shared_ptr<const analysis::HeadMap> mapOf(std::int64_t positions)
{
    auto map = std::make_shared<analysis::HeadMap>();
    map->queries = map->keys = positions;
    map->weights.resize(static_cast<std::size_t>(positions * positions));
    std::uint32_t state = 1;
    for (std::int64_t query = 0; query < positions; ++query) {
        for (std::int64_t key = 0; key <= query; ++key) {
            state = state * 1664525U + 1013904223U;
            map->weights[static_cast<std::size_t>(query * positions + key)] =
                std::pow(static_cast<float>(state >> 8U) * 0x1p-24F, 8.0F);
        }
    }
    return map;
}

void benchPyramid(benchmark::State &state)
{
    const auto map = mapOf(state.range(0) * 16 - 1);
    for ([[maybe_unused]] auto step : state)
        benchmark::DoNotOptimize(ValuePyramid(map).maximum());
}

/// `Cold` paints with no tile kept, as after a change of head, colours or zoom.
template <bool Cold> void benchPaint(benchmark::State &state)
{
    HeadMapView view;
    view.resize(900, 640);
    const auto example = exampleOf(state.range(0));
    view.setExample(example);
    const auto values = std::make_shared<const ValuePyramid>(mapOf(example->positions));
    view.setValues(values);
    view.setFit(state.range(1) == 0 ? HeadMapView::Fit::Whole : HeadMapView::Fit::Width);
    if (state.range(1) == 2)
        view.setCellPixels(12.0, {300.0, 300.0});
    view.setCell({example->positions / 2, example->positions / 3});
    const ColourTable linear(ColourMap::Viridis, ColourScale::shared());
    const ColourTable log(ColourMap::Viridis, ColourScale::shared().asLog());
    QImage image(view.viewport()->size(), QImage::Format_RGB32);
    view.viewport()->render(&image);
    bool isLog = false;
    for ([[maybe_unused]] auto step : state) {
        if constexpr (Cold) {
            isLog = !isLog;
            view.setColours(isLog ? log : linear);
        }
        view.viewport()->render(&image);
    }
}

void benchThumbnails(benchmark::State &state)
{
    const auto example = exampleOf(state.range(0));
    const auto values = std::make_shared<const ValuePyramid>(mapOf(example->positions));
    const std::vector<PyramidPointer> heads(4, values);
    HeadGrid grid;
    grid.setExample(example);
    grid.resize(grid.sizeHint());
    QImage image(grid.size(), QImage::Format_RGB32);
    for ([[maybe_unused]] auto step : state) {
        for (std::int64_t layer = 0; layer < 8; ++layer)
            grid.setLayer(layer, heads);
        grid.render(&image);
    }
}

} // namespace

BENCHMARK(benchPyramid)->Name("pyramid/keys")->Arg(8)->Arg(32)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond);
// Second argument: 0 the whole map, 1 its width, 2 twelve pixels a cell.
BENCHMARK(benchPaint<true>)
    ->Name("paint_cold/keys/zoom")
    ->ArgsProduct({{8, 32, 256}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(benchPaint<false>)
    ->Name("paint_kept/keys/zoom")
    ->ArgsProduct({{8, 32, 256}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(benchThumbnails)->Name("thumbnails_32_heads/keys")->Arg(8)->Arg(32)->Arg(256)->Unit(benchmark::kMillisecond);

int main(int argc, char **argv)
{
    QApplication app(argc, argv);
    const QStringList arguments = app.arguments();
    if (arguments.value(1) == QStringLiteral("--viewer"))
        return lookback::bench::printViewerFigures(arguments.value(2), arguments.value(3));
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
