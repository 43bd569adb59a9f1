// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/training_lines.h"

#include <algorithm>
#include <map>

using namespace Qt::StringLiterals;

namespace lookback::ui {

SeedCurve TrainingLine::curve(std::span<const TrainingFigureRun> runs, LoggedPoints points) const
{
    std::vector<std::vector<CurvePoint>> curves;
    for (const std::size_t member : members)
        curves.push_back(points(runs[member].metrics));
    return run.isSeedBand ? seedCurve(curves) : SeedCurve{std::move(curves.front()), {}};
}

std::vector<TrainingLine> trainingLines(std::span<const TrainingFigureRun> runs, bool hasSeedBands)
{
    std::vector<TrainingLine> lines;
    std::vector<RunConfig> configs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        lines.push_back({runs[i].run, {i}});
        configs.push_back(runs[i].run.record.config);
    }
    if (!hasSeedBands)
        return lines;
    for (std::vector<std::size_t> &group : analysis::seedGroups(configs)) {
        if (group.size() < 2)
            continue;
        LearnedFlags learned;
        std::int64_t begun = 0;
        for (const std::size_t member : group) {
            lines[member].run.isFaint = true;
            learned.push_back(hasLearned(runs[member].metrics));
            begun += runs[member].metrics.empty() ? 0 : 1;
        }
        const FigureRun &first = runs[group.front()].run;
        const QString variant = QString::fromStdString(first.record.config.variant);
        const auto known = std::max<std::int64_t>(std::ssize(group), first.seedsKnown);
        TrainingLine band{first, std::move(group), learnedText(variant, learned)};
        band.run.isSeedBand = true;
        band.run.isSelected = false;
        band.run.id = u"seeds/"_s + first.id;
        band.run.title = seedsTitle(variant, begun, known);
        lines.push_back(std::move(band));
    }
    return lines;
}

QString trainingCsv(std::span<const TrainingFigureRun> runs, std::span<const TrainingLine> lines)
{
    const bool hasBands = std::ranges::any_of(lines, [](const TrainingLine &line) { return line.run.isSeedBand; });
    QString text = u"run,title,variant,seed,step,n_keys,loss,retrieval_acc,lr,gradient_norm,tokens_per_second,"
                   "elapsed_seconds"_s;
    text += hasBands ? u",loss_low,loss_high,retrieval_acc_low,retrieval_acc_high\r\n"_s : u"\r\n"_s;
    const auto number = [](const std::optional<double> &value) { return value ? csvNumber(*value) : QString(); };
    const auto head = [](const FigureRun &run, const QString &seed) -> QString {
        return csvField(run.id) + u',' + csvField(run.title) + u','
            + csvField(QString::fromStdString(run.record.config.variant)) + u',' + seed + u',';
    };
    for (const TrainingFigureRun &run : runs) {
        const QString start = head(run.run, QString::number(run.run.record.config.seed));
        for (const run::MetricsRecord &record : run.metrics) {
            text += start + QString::number(record.step) + u',' + QString::number(record.n_keys) + u','
                + number(record.loss) + u',' + number(record.retrievalAcc) + u',' + number(record.learningRate) + u','
                + number(record.gradientNorm) + u',' + number(record.tokensPerSecond) + u','
                + number(record.elapsedSeconds) + (hasBands ? u",,,,\r\n"_s : u"\r\n"_s);
        }
    }
    for (const TrainingLine &line : lines) {
        if (!line.run.isSeedBand)
            continue;
        struct Both {
            QString medians[2];
            QString ranges[2];
        };
        std::map<double, Both> rows; // by step: a step may have one of the two alone
        for (const int kind : {0, 1}) {
            const SeedCurve curve = line.curve(runs, kind == 0 ? lossPoints : accuracyPoints);
            for (std::size_t k = 0; k < curve.medians.size(); ++k) {
                const IntervalPoint &range = curve.range[k];
                rows[range.x].medians[kind] = number(curve.medians[k].y);
                rows[range.x].ranges[kind] = csvNumber(range.low) + u',' + csvNumber(range.high);
            }
        }
        const QString start = head(line.run, {});
        for (const auto &[step, row] : rows) {
            const auto range = [&row](int kind) -> QString {
                return row.ranges[kind].isEmpty() ? u","_s : row.ranges[kind];
            };
            text += start + QString::number(std::int64_t(step)) + u",,"_s + row.medians[0] + u',' + row.medians[1]
                + u",,,,,"_s + range(0) + u',' + range(1) + u"\r\n"_s;
        }
    }
    return text;
}

} // namespace lookback::ui
