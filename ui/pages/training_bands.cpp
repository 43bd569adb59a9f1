// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/training_bands.h"

#include <algorithm>
#include <set>

#include "ui/figures/training_lines.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

std::int64_t TrainingBands::seedsKnown(const RunCollection &runs, const run::RunId &run)
{
    const RunConfig &config = runs.find(run)->snapshot.record.config;
    std::set<std::uint64_t> seeds;
    for (const run::RunId &id : runs.order()) {
        const run::RunSnapshot &other = runs.find(id)->snapshot;
        if (other.isReadable && analysis::isSameButSeed(other.record.config, config))
            seeds.insert(other.record.config.seed);
    }
    return std::ssize(seeds);
}

void TrainingBands::setRuns(const RunCollection &runs)
{
    m_bands.clear();
    std::vector<run::RunId> shown;
    std::vector<RunConfig> configs;
    for (const run::RunId &id : runs.order()) {
        const RunCollection::Run *run = runs.find(id);
        if (!run->isShown || !run->snapshot.isReadable)
            continue;
        shown.push_back(id);
        configs.push_back(run->snapshot.record.config);
    }
    for (const std::vector<std::size_t> &group : analysis::seedGroups(configs)) {
        if (group.size() < 2)
            continue;
        Band band;
        std::int64_t begun = 0;
        for (const std::size_t member : group) {
            band.seeds.push_back(shown[member]);
            begun += runs.find(shown[member])->metrics().empty() ? 0 : 1;
        }
        band.id = u"seeds/"_s + QString::fromStdString(band.seeds.front());
        band.title = seedsTitle(QString::fromStdString(configs[group.front()].variant), begun,
                                seedsKnown(runs, band.seeds.front()));
        m_bands.push_back(std::move(band));
    }
}

const TrainingBands::Band *TrainingBands::bandOf(const run::RunId &run) const
{
    const auto found = std::ranges::find_if(
        m_bands, [&](const Band &band) { return std::ranges::find(band.seeds, run) != band.seeds.end(); });
    return found == m_bands.end() ? nullptr : &*found;
}

std::vector<ChartCurve> TrainingBands::withBands(std::vector<ChartCurve> curves) const
{
    std::vector<ChartCurve> bands;
    for (const Band &band : m_bands) {
        for (const run::RunId &seed : band.seeds) {
            const auto curve = std::ranges::find(curves, QString::fromStdString(seed), &ChartCurve::id);
            if (curve == curves.end())
                continue;
            if (seed == band.seeds.front()) {
                bands.push_back(*curve);
                bands.back().id = band.id;
                bands.back().label = band.title;
                bands.back().isSelected = false;
            }
            curve->isFaint = true;
            if (!curve->isSelected)
                curve->label.clear();
        }
    }
    std::ranges::move(bands, std::back_inserter(curves));
    return curves;
}

void TrainingBands::pass(const Band &band, const RunCollection &runs, LineChart &loss, LineChart &accuracy)
{
    const auto passOne = [&](LineChart &chart, LoggedPoints points) {
        std::vector<std::vector<CurvePoint>> curves;
        for (const run::RunId &seed : band.seeds)
            curves.push_back(points(runs.find(seed)->metrics()));
        SeedCurve median = seedCurve(curves);
        chart.setPoints(band.id, std::move(median.medians));
        chart.setIntervals(band.id, std::move(median.range));
    };
    passOne(loss, lossPoints);
    passOne(accuracy, accuracyPoints);
}

} // namespace lookback::ui
