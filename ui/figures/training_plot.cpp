// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the live training charts and the training figure have in common.
#include <algorithm>
#include <limits>

#include "ui/charts/nice_range.h"
#include "ui/figures/training_figure.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

std::vector<CurvePoint> pointsOf(std::span<const run::MetricsRecord> metrics,
                                 std::optional<double> run::MetricsRecord::*quantity)
{
    std::vector<CurvePoint> points;
    points.reserve(metrics.size());
    for (const run::MetricsRecord &record : metrics)
        points.push_back({double(record.step), record.*quantity});
    return points;
}

} // namespace

TrainingFigureInput trainingInput(const std::vector<run::RunFolder> &folders,
                                  std::span<const model::VariantInfo> variants)
{
    std::vector<std::pair<QString, run::RunRecord>> records;
    for (const run::RunFolder &folder : folders)
        records.emplace_back(QString::fromStdString(folder.name()), folder.readRecord());
    TrainingFigureInput input;
    std::vector<FigureRun> runs = figureRuns(records, variants);
    for (std::size_t i = 0; i < runs.size(); ++i)
        input.runs.push_back({std::move(runs[i]), folders[i].readMetricsLog().records});
    return input;
}

std::vector<CurvePoint> lossPoints(std::span<const run::MetricsRecord> metrics)
{
    return pointsOf(metrics, &run::MetricsRecord::loss);
}

std::vector<CurvePoint> accuracyPoints(std::span<const run::MetricsRecord> metrics)
{
    return pointsOf(metrics, &run::MetricsRecord::retrievalAcc);
}

Range stepRange(double last, Scale scale)
{
    if (scale != Scale::Linear)
        return {1.0, std::max(10.0, last)};
    return {0.0, std::max(niceRange({0.0, std::max(last, 1.0)}, 5).upper, 1.0)};
}

Range lossRange(const RobustRange &values, bool hasFullRange)
{
    if (values.isEmpty)
        return niceLogRange({0.001, kChanceLoss});
    const Range data = hasFullRange ? Range{values.lowest, values.highest} : values.range;
    // A little air, so that no marker sits on the axis.
    return niceLogRange({std::min(data.lower, kChanceLoss) * 0.92, std::max(data.upper, kChanceLoss) * 1.08});
}

std::vector<Stage> curriculumStages(const RunConfig &config, std::span<const run::MetricsRecord> metrics)
{
    std::vector<Stage> stages;
    if (config.promotion_accuracy > 0.0) {
        double before = 0;
        std::int64_t keys = 0;
        for (const run::MetricsRecord &record : metrics) {
            if (record.n_keys != keys) {
                if (!stages.empty())
                    stages.back().to = before;
                stages.push_back({before, std::numeric_limits<double>::infinity(), u"n = %1"_s.arg(record.n_keys)});
            }
            keys = record.n_keys;
            before = double(record.step);
        }
        return config.curriculum.empty() ? std::vector<Stage>() : stages;
    }
    double from = 0;
    for (const CurriculumStage &stage : config.curriculum) {
        stages.push_back({from, double(stage.until_step), u"n = %1"_s.arg(stage.n_keys)});
        from = double(stage.until_step);
    }
    if (!stages.empty())
        stages.push_back({from, std::numeric_limits<double>::infinity(), u"n = %1"_s.arg(config.n_keys)});
    return stages;
}

} // namespace lookback::ui
