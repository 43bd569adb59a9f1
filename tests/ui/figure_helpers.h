// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include <vector>

#include "tests/ui/fake_run_service.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/figures/training_figure.h"

namespace lookback::tests {

/// The published configuration of a variant, trained for `steps` steps.
inline RunConfig paperConfig(const std::string &variant, std::uint64_t seed = 0, std::int64_t steps = 15000)
{
    RunConfig config;
    config.variant = variant;
    config.seed = seed;
    config.steps = steps;
    return config;
}

inline run::RunRecord recordOf(const RunConfig &config)
{
    run::RunRecord record;
    record.config = config;
    record.preset = "paper";
    record.programVersion = "0.1.0";
    record.state = run::RunState::Finished;
    record.step = config.steps;
    return record;
}

/// Figure runs of these configurations, in folders named "<variant>-seed<seed>", further ones with "-2", "-3".
inline std::vector<ui::FigureRun> runsOf(const std::vector<RunConfig> &configs)
{
    std::vector<std::pair<QString, run::RunRecord>> records;
    for (std::size_t i = 0; i < configs.size(); ++i) {
        const QString name = QStringLiteral("%1-seed%2-%3")
                                 .arg(QString::fromStdString(configs[i].variant))
                                 .arg(configs[i].seed)
                                 .arg(i + 1);
        records.emplace_back(name, recordOf(configs[i]));
    }
    const auto variants = FakeRunService::nineVariants();
    return ui::figureRuns(records, variants);
}

inline ui::TrainingFigureInput trainingOf(const std::vector<RunConfig> &configs)
{
    ui::TrainingFigureInput input;
    const auto runs = runsOf(configs);
    for (std::size_t i = 0; i < configs.size(); ++i) {
        ui::TrainingFigureRun run{runs[i], {}};
        for (std::int64_t step = 1; step <= configs[i].steps; step = step == 1 ? 100 : step + 100)
            run.metrics.push_back(FakeRunService::scriptedRecord(configs[i], step));
        input.runs.push_back(std::move(run));
    }
    return input;
}

inline ui::AccuracyFigureInput accuracyOf(const std::vector<RunConfig> &configs)
{
    ui::AccuracyFigureInput input;
    const auto runs = runsOf(configs);
    for (std::size_t i = 0; i < configs.size(); ++i) {
        input.curves.push_back(
            {runs[i],
             FakeRunService::scriptedAccuracy(configs[i], configs[i].steps, configs[i].evaluation_n, 128),
             {}});
    }
    return input;
}

/// Pixels of exactly that colour.
inline int countPixels(const QImage &image, const QColor &colour)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    }
    return count;
}

} // namespace lookback::tests
