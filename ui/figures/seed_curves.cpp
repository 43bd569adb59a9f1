// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/seed_curves.h"

#include <algorithm>
#include <limits>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

eval::AccuracyCurve medianCurve(std::span<const AccuracyFigureCurve *const> seeds)
{
    std::vector<std::vector<analysis::SeedValue>> values;
    for (const AccuracyFigureCurve *seed : seeds) {
        std::vector<analysis::SeedValue> &own = values.emplace_back();
        for (const eval::AccuracyPoint &point : seed->curve.points)
            own.push_back({double(point.contextTokens), point.accuracy});
    }
    eval::AccuracyCurve median = seeds.front()->curve;
    median.points.clear();
    for (const analysis::SeedBandPoint &at : analysis::seedBand(values)) {
        eval::AccuracyPoint point;
        point.contextTokens = std::int64_t(at.x);
        point.sequences = std::numeric_limits<std::int64_t>::max();
        for (const AccuracyFigureCurve *seed : seeds) {
            const auto own =
                std::ranges::find(seed->curve.points, point.contextTokens, &eval::AccuracyPoint::contextTokens);
            if (own == seed->curve.points.end())
                continue;
            point.n_keys = own->n_keys;
            point.sequences = std::min(point.sequences, own->sequences);
        }
        point.accuracy = at.median;
        point.low = at.low;
        point.high = at.high;
        median.points.push_back(point);
    }
    return median;
}

bool isOneGroup(const AccuracyFigureCurve &a, const AccuracyFigureCurve &b)
{
    return !a.run.isPublished && !b.run.isPublished && !a.curve.points.empty() && !b.curve.points.empty()
        && a.curve.step == b.curve.step && a.curve.evaluationSeed == b.curve.evaluationSeed
        && analysis::isSameButSeed(a.run.record.config, b.run.record.config);
}

} // namespace

SeedCurve seedCurve(std::span<const std::vector<CurvePoint>> curves)
{
    std::vector<std::vector<analysis::SeedValue>> values;
    for (const std::vector<CurvePoint> &curve : curves) {
        std::vector<analysis::SeedValue> &own = values.emplace_back();
        own.reserve(curve.size());
        for (const CurvePoint &point : curve)
            own.push_back({point.x, point.y});
    }
    SeedCurve result;
    for (const analysis::SeedBandPoint &point : analysis::seedBand(values)) {
        result.medians.push_back({point.x, point.median});
        result.range.push_back({point.x, point.low, point.high});
    }
    return result;
}

QString seedsTitle(const QString &variant, std::int64_t seeds, std::int64_t known)
{
    return u"%1 · %2 of %3 seeds"_s.arg(variant).arg(seeds).arg(known);
}

QString learnedText(const QString &variant, const LearnedFlags &seeds)
{
    const auto judged = std::ranges::count_if(seeds, [](const auto &flag) { return flag.has_value(); });
    const auto learned = std::ranges::count(seeds, std::optional(true));
    return judged == 0 ? QString() : u"%1 of %2 seeds of %3 learned"_s.arg(learned).arg(judged).arg(variant);
}

std::optional<bool> hasLearned(std::span<const run::MetricsRecord> metrics)
{
    std::vector<std::optional<double>> newest;
    for (const run::MetricsRecord &record : metrics.last(std::min(metrics.size(), analysis::kLearnedValues)))
        newest.push_back(record.retrievalAcc);
    return analysis::hasLearned(newest);
}

QString learnedRule(bool isTraining)
{
    const QString share = QString::number(100 * analysis::kLearned) + QChar(0x202F) + u'%';
    return isTraining
        ? u"Learned: at least %1 of the digits right, median of the newest %2 logged values."_s.arg(share).arg(
            analysis::kLearnedValues)
        : u"Learned: at least %1 exact match at the longest context inside the training length."_s.arg(share);
}

std::vector<AccuracyFigureCurve> withSeedBands(std::vector<AccuracyFigureCurve> curves)
{
    // Each curve once, in groups that begin with their first curve; a seed counts once.
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto group = std::ranges::find_if(
            groups, [&](const auto &members) { return isOneGroup(curves[members.front()], curves[i]); });
        if (group == groups.end())
            groups.push_back({i});
        else if (std::ranges::none_of(*group, [&](std::size_t j) {
                     return curves[j].run.record.config.seed == curves[i].run.record.config.seed;
                 }))
            group->push_back(i);
    }
    std::vector<AccuracyFigureCurve> result;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const auto group = std::ranges::find(groups, i, [](const auto &members) { return members.front(); });
        if (group != groups.end() && group->size() > 1) {
            std::vector<const AccuracyFigureCurve *> seeds;
            LearnedFlags learned;
            for (const std::size_t member : *group) {
                seeds.push_back(&curves[member]);
                learned.push_back(analysis::hasLearned(curves[member].curve));
            }
            const auto count = std::ssize(*group);
            const QString variant = QString::fromStdString(curves[i].run.record.config.variant);
            AccuracyFigureCurve band = curves[i];
            band.curve = medianCurve(seeds);
            band.run.isSeedBand = true;
            band.run.isSelected = false;
            band.run.id = u"seeds/"_s + curves[i].run.id;
            band.run.title = seedsTitle(variant, count, std::max<std::int64_t>(count, curves[i].run.seedsKnown));
            band.learned = learnedText(variant, learned);
            for (const std::size_t member : *group)
                curves[member].run.isFaint = true;
            result.push_back(std::move(band));
        }
        result.push_back(curves[i]);
    }
    return result;
}

} // namespace lookback::ui
