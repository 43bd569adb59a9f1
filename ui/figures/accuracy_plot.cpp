// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the live accuracy chart and the accuracy figure have in common.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/figures/seed_curves.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Error rates below this are not resolved by any evaluation that fits a lifetime; keeps the log axis finite.
constexpr double kLeastErrorRate = 1e-7;

bool isUnfinished(const AccuracyFigureCurve &curve)
{
    return !curve.run.isPublished && curve.curve.totalSteps > 0 && curve.curve.step < curve.curve.totalSteps;
}

std::int64_t sequencesOf(const eval::AccuracyCurve &curve)
{
    return curve.points.empty() ? 0 : curve.points.front().sequences;
}

/// From the shortest to the longest context of all points and training lengths; 128..4,096 if there are none.
Range shownTokens(std::span<const AccuracyFigureCurve> curves)
{
    Range tokens{std::numeric_limits<double>::infinity(), 0};
    const auto include = [&tokens](std::int64_t count) {
        tokens.lower = std::min(tokens.lower, double(count));
        tokens.upper = std::max(tokens.upper, double(count));
    };
    for (const AccuracyFigureCurve &curve : curves) {
        for (const eval::AccuracyPoint &point : curve.curve.points)
            include(point.contextTokens);
        if (curve.curve.trainedTokens > 0 && !curve.curve.points.empty())
            include(curve.curve.trainedTokens);
    }
    return tokens.upper > 0 ? tokens : Range{128, 4096};
}

/// Of one curve; 16 if it has no point.
std::int64_t tokensPerKeyOf(const eval::AccuracyCurve &curve)
{
    const bool isKnown = !curve.points.empty() && curve.points.front().n_keys > 0;
    return isKnown ? curve.points.front().contextTokens / curve.points.front().n_keys : 16;
}

/// Of the first curve that has points.
std::int64_t tokensPerKey(std::span<const AccuracyFigureCurve> curves)
{
    for (const AccuracyFigureCurve &curve : curves) {
        if (!curve.curve.points.empty())
            return tokensPerKeyOf(curve.curve);
    }
    return 16;
}

} // namespace

std::vector<AccuracyFigureCurve> publishedFigureCurves(std::span<const model::VariantInfo> variants)
{
    std::vector<AccuracyFigureCurve> curves;
    for (eval::AccuracyCurve &published : eval::publishedCurves()) {
        AccuracyFigureCurve curve;
        curve.run.id = u"published/"_s + QString::fromStdString(published.variant);
        curve.run.title = u"%1, published"_s.arg(QString::fromStdString(published.variant));
        curve.run.isPublished = true;
        curve.run.record.config.variant = published.variant;
        const auto info = std::ranges::find(variants, published.variant, &model::VariantInfo::id);
        if (info != variants.end()) {
            curve.run.family = info->family;
            curve.run.logits = info->logits;
        }
        curve.curve = std::move(published);
        curves.push_back(std::move(curve));
    }
    // In picker order, whatever the table's is.
    std::ranges::stable_sort(curves, {}, [&](const AccuracyFigureCurve &curve) {
        return std::ranges::find(variants, curve.curve.variant, &model::VariantInfo::id) - variants.begin();
    });
    return curves;
}

AccuracyFigureInput accuracyInput(const std::vector<run::RunFolder> &folders,
                                  std::span<const model::VariantInfo> variants, bool hasPublished)
{
    AccuracyFigureInput input;
    std::vector<std::pair<QString, run::RunRecord>> records;
    for (const run::RunFolder &folder : folders)
        records.emplace_back(QString::fromStdString(folder.name()), folder.readRecord());
    std::vector<FigureRun> runs = figureRuns(records, variants);
    std::set<std::string> own;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        const std::vector<eval::AccuracyCurve> evaluated = folders[i].readAccuracy();
        if (evaluated.empty())
            continue;
        own.insert(evaluated.back().variant);
        input.curves.push_back({std::move(runs[i]), evaluated.back(), {}});
    }
    if (input.curves.empty() && !folders.empty()) {
        throw Error(folders.front().path().string(), "None of these runs has been evaluated yet.",
                    "Run lookback-cli evaluate on them first.");
    }
    noteDifferences(input.curves);
    if (hasPublished) {
        for (AccuracyFigureCurve &curve : publishedFigureCurves(variants)) {
            if (folders.empty() || own.contains(curve.curve.variant))
                input.curves.push_back(std::move(curve));
        }
    }
    if (input.curves.empty())
        throw Error("figure accuracy", "There is no curve to draw.", "Name at least one run folder.");
    return input;
}

void noteDifferences(std::vector<AccuracyFigureCurve> &curves)
{
    const auto first = std::ranges::find_if(curves, [](const AccuracyFigureCurve &c) { return !c.run.isPublished; });
    for (AccuracyFigureCurve &curve : curves) {
        curve.note.clear();
        if (curve.run.isPublished)
            continue;
        QStringList notes;
        if (isUnfinished(curve))
            notes << u"step %1 of %2"_s.arg(countText(curve.curve.step), countText(curve.curve.totalSteps));
        const RunConfig &config = curve.run.record.config;
        const RunConfig &reference = first->run.record.config;
        if (config.key_digits != reference.key_digits || config.value_digits != reference.value_digits)
            notes << u"%1 key and %2 value digits"_s.arg(config.key_digits).arg(config.value_digits);
        if (curve.curve.evaluationSeed != first->curve.evaluationSeed)
            notes << u"evaluation seed %1"_s.arg(curve.curve.evaluationSeed);
        if (sequencesOf(curve.curve) != sequencesOf(first->curve))
            notes << u"%1 sequences"_s.arg(countText(sequencesOf(curve.curve)));
        curve.note = notes.join(u", "_s);
    }
}

std::vector<CurvePoint> sharePoints(const eval::AccuracyCurve &curve, bool isErrorRate)
{
    std::vector<CurvePoint> points;
    for (const eval::AccuracyPoint &point : curve.points)
        points.push_back({double(point.contextTokens), isErrorRate ? 1 - point.accuracy : point.accuracy});
    return points;
}

std::vector<IntervalPoint> shareIntervals(const eval::AccuracyCurve &curve, bool isErrorRate)
{
    std::vector<IntervalPoint> points;
    for (const eval::AccuracyPoint &point : curve.points) {
        if (isErrorRate)
            points.push_back({double(point.contextTokens), 1 - point.high, 1 - point.low});
        else
            points.push_back({double(point.contextTokens), point.low, point.high});
    }
    return points;
}

AccuracyAxes accuracyAxes(std::span<const AccuracyFigureCurve> curves, bool isErrorRate, int mostTokens, int mostKeys,
                          int mostShares, bool hasUnit)
{
    AccuracyAxes axes;
    axes.tokensPerKey = tokensPerKey(curves);
    std::set<std::int64_t> keys;
    double least = 1.0;
    for (const AccuracyFigureCurve &curve : curves) {
        for (const eval::AccuracyPoint &point : curve.curve.points) {
            if (tokensPerKeyOf(curve.curve) == axes.tokensPerKey)
                keys.insert(point.n_keys);
            // Without an error the interval's end says how small the rate may be.
            const double rate = point.accuracy < 1 ? 1 - point.accuracy : (1 - point.low) / 2;
            if (rate > 0)
                least = std::min(least, rate);
        }
    }
    Range tokens = shownTokens(curves);
    // Air on a log2 axis: room for "trained to" left of the first point, and for markers at the right.
    const double octaves = std::max(1.0, std::log2(tokens.upper / tokens.lower));
    tokens.lower *= std::exp2(-std::clamp(0.1 * octaves, 0.2, 0.7));
    tokens.upper *= std::exp2(0.02 * octaves);
    axes.tokens = contextAxis(tokens, mostTokens);
    // To the end of the axis, whatever the curves with so many tokens a key reach.
    for (std::int64_t n = 1; double(n * axes.tokensPerKey) <= tokens.upper && n < (std::int64_t{1} << 40); n *= 2) {
        if (double(n * axes.tokensPerKey) >= tokens.lower)
            keys.insert(n);
    }
    axes.keys = keysAxis(tokens, {keys.begin(), keys.end()}, axes.tokensPerKey, mostKeys);
    if (isErrorRate) {
        const double lower = std::pow(10.0, std::floor(std::log10(std::max(least, kLeastErrorRate)) + 1e-9));
        axes.share = errorRateAxis({lower * 0.5, 1.7}, u"Wrong answers"_s);
    } else {
        axes.share = hasUnit ? shareAxis(kShareRange, mostShares, u"Exact match on second occurrences"_s)
                             : shareAxis(kShareRange, mostShares, u"Exact match (%)"_s, false);
        axes.share.brief = u"Exact match"_s;
    }
    return axes;
}

std::vector<ReferenceLine> trainedLines(std::span<const AccuracyFigureCurve> curves)
{
    std::set<std::int64_t> lengths;
    for (const AccuracyFigureCurve &curve : curves) {
        if (curve.curve.trainedTokens > 0)
            lengths.insert(curve.curve.trainedTokens);
    }
    std::vector<ReferenceLine> lines;
    for (const std::int64_t tokens : lengths)
        lines.push_back({Qt::Vertical, double(tokens), u"trained to %1 tokens"_s.arg(countText(tokens))});
    return lines;
}

ReferenceLine chanceLine(std::span<const AccuracyFigureCurve> curves, bool isErrorRate)
{
    const std::int64_t digits = curves.empty() ? 3 : curves.front().run.record.config.value_digits;
    const double chance = eval::chanceExactMatch(digits);
    const QString percent = QString::number(100 * chance, 'g', 6) + QChar(0x202F) + u'%';
    if (isErrorRate)
        return {Qt::Horizontal, 1 - chance, u"chance: %1 right"_s.arg(percent), {}};
    // The left end of the chart is where no curve is near 0 %.
    return {Qt::Horizontal, chance, u"chance %1"_s.arg(percent), shownTokens(curves).lower};
}

std::vector<QPointF> anyValueCurve(std::span<const AccuracyFigureCurve> curves, bool isErrorRate)
{
    const Range tokens = shownTokens(curves);
    const auto perKey = double(tokensPerKey(curves));
    std::vector<QPointF> points;
    constexpr int steps = 60; // smooth to the eye on a log axis
    for (int i = 0; i <= steps; ++i) {
        const double at = tokens.lower * std::pow(tokens.upper / tokens.lower, double(i) / steps);
        const double share = std::min(1.0, perKey / at); // anyValueExactMatch for real n
        points.emplace_back(at, isErrorRate ? 1 - share : share);
    }
    return points;
}

QString accuracyCaption(std::span<const AccuracyFigureCurve> curves, bool isErrorRate, bool hasIntervals)
{
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    constexpr std::int64_t kPublishedTokens = 16; // of a key and its value, both occurrences
    bool isOtherTask = false;
    bool hasPublished = false;
    bool hasErrorless = false;
    bool hasRuns = false;
    QStringList learned;
    for (const AccuracyFigureCurve &curve : curves) {
        hasPublished |= curve.run.isPublished;
        isOtherTask |= !curve.run.isPublished && !curve.curve.points.empty()
            && curve.curve.points.front().contextTokens != kPublishedTokens * curve.curve.points.front().n_keys;
        hasRuns |= !curve.run.isPublished && !curve.run.isSeedBand && !curve.run.isHair();
        if (!curve.learned.isEmpty())
            learned << curve.learned;
        for (const eval::AccuracyPoint &point : curve.curve.points) {
            fewest = std::min(fewest, point.sequences);
            most = std::max(most, point.sequences);
            hasErrorless |= point.accuracy >= 1;
        }
    }
    QStringList sentences;
    const bool hasBands =
        std::ranges::any_of(curves, [](const AccuracyFigureCurve &curve) { return curve.run.isSeedBand; });
    if (hasBands) {
        sentences << u"Several seeds: their median%1, each seed as a hair line."_s.arg(
            !hasIntervals     ? QString()
                : isErrorRate ? u", whiskers from the lowest to the highest"_s
                              : u", a band from the lowest to the highest"_s);
    }
    if (!learned.isEmpty())
        sentences << learned.join(u", "_s) + u'.' << learnedRule(false);
    if (hasIntervals && hasRuns)
        sentences << (isErrorRate ? u"Whiskers%1: 95 % interval over sequences."_s
                                  : u"Band%1: 95 % interval over sequences."_s)
                         .arg(hasBands ? u" of a single run"_s : QString());
    if (most > 0) {
        sentences << (fewest == most ? u"%1 sequences a point."_s.arg(countText(most))
                                     : u"%1 to %2 sequences a point."_s.arg(countText(fewest), countText(most)));
    }
    if (hasPublished)
        sentences << (isOtherTask ? u"Dotted with hollow markers: published (16 tokens a key, larger models)."_s
                                  : u"Dotted with hollow markers: published."_s);
    if (isErrorRate && hasErrorless)
        sentences << u"A triangle at the lower edge: no wrong answer seen."_s;
    return sentences.join(u' ');
}

} // namespace lookback::ui
