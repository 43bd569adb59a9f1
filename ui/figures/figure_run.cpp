// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/figure_run.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ui/models/run_collection.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString variantOf(const FigureRun &run)
{
    return QString::fromStdString(run.record.config.variant);
}

} // namespace

SeriesStyle FigureRun::style(const Theme &theme) const
{
    return isPublished ? theme.publishedStyle(family, logits) : theme.seriesStyle(family, logits, styleIndex);
}

std::vector<FigureRun> figureRuns(const std::vector<std::pair<QString, run::RunRecord>> &runs,
                                  std::span<const model::VariantInfo> variants)
{
    std::vector<FigureRun> result;
    QHash<QString, int> seen;
    QSet<QString> titles;
    for (const auto &[id, record] : runs) {
        FigureRun figure;
        figure.id = id;
        figure.record = record;
        const auto info = std::ranges::find(variants, record.config.variant, &model::VariantInfo::id);
        if (info != variants.end()) {
            figure.family = info->family;
            figure.logits = info->logits;
        }
        figure.styleIndex = seen[variantOf(figure)]++;
        const QString title = u"%1 · seed %2"_s.arg(variantOf(figure)).arg(record.config.seed);
        figure.title = title;
        for (int suffix = 2; titles.contains(figure.title); ++suffix)
            figure.title = u"%1 (%2)"_s.arg(title).arg(suffix);
        titles.insert(figure.title);
        result.push_back(std::move(figure));
    }
    return result;
}

FigureRun figureRunOf(const RunCollection &runs, const std::string &id)
{
    const RunCollection::Run &run = *runs.find(id);
    FigureRun figure;
    figure.id = QString::fromStdString(run.snapshot.name);
    figure.title = run.title;
    figure.styleIndex = run.styleIndex;
    figure.record = run.snapshot.record;
    figure.record.state = run.snapshot.state;
    figure.record.step = run.snapshot.step;
    if (const model::VariantInfo *variant = runs.variant(run.snapshot.record.config.variant)) {
        figure.family = variant->family;
        figure.logits = variant->logits;
    }
    return figure;
}

QStringList labelNames(std::span<const FigureRun> runs)
{
    QHash<QString, int> count;
    for (const FigureRun &run : runs) {
        if (!run.isPublished && !run.isSeedBand)
            ++count[variantOf(run)];
    }
    QStringList names;
    for (const FigureRun &run : runs) {
        if (run.isPublished)
            names << u"%1, published"_s.arg(variantOf(run));
        else
            names << (run.isSeedBand || count[variantOf(run)] > 1 ? run.title : variantOf(run));
    }
    return names;
}

QString reproduceCommand(const run::RunRecord &record)
{
    const RunConfig &config = record.config;
    QString command = u"lookback-cli train --variant %1"_s.arg(QString::fromStdString(config.variant));
    RunConfig base;
    if (const auto known = presetNames(); std::ranges::find(known, record.preset) != known.end()) {
        base = presetConfig(record.preset);
        command += u" --preset %1"_s.arg(QString::fromStdString(record.preset));
    } else {
        base = presetConfig("paper");
        command += u" --preset paper"_s;
    }
    command += u" --seed %1"_s.arg(config.seed);
    for (const ConfigField &field : configFields()) {
        if (field.name == "seed")
            continue;
        // Left out, the warm-up would follow the steps.
        const bool isFollowing = field.name == "warmup_steps" && config.steps != base.steps;
        if (const std::string text = fieldText(config, field.name); isFollowing || text != fieldText(base, field.name))
            command += u" --set %1=%2"_s.arg(QString::fromUtf8(field.name.data(), qsizetype(field.name.size())),
                                             QString::fromStdString(text));
    }
    if (record.threads != 1)
        command += u" --threads %1"_s.arg(record.threads);
    return command;
}

QStringList provenanceLines(std::span<const FigureRun> runs)
{
    QStringList lines;
    for (const FigureRun &run : runs) {
        if (run.isSeedBand)
            continue;
        if (run.isPublished) {
            lines << u"%1: published curve, kvbench preprint, July 2026"_s.arg(variantOf(run));
            continue;
        }
        const run::RunRecord &record = run.record;
        const std::string_view state = run::stateWord(record.state);
        lines << u"%1: %2, seed %3, %4 at step %5 of %6, %7 (%8 threads), Lookback %9"_s.arg(run.id, variantOf(run))
                     .arg(record.config.seed)
                     .arg(QString::fromUtf8(state.data(), qsizetype(state.size())))
                     .arg(record.step)
                     .arg(record.config.steps)
                     .arg(QString::fromStdString(record.device))
                     .arg(record.threads)
                     .arg(QString::fromStdString(record.programVersion));
        lines << reproduceCommand(record);
    }
    lines << u"drawn by Lookback "_s + QLatin1StringView(LOOKBACK_VERSION);
    return lines;
}

QString csvField(const QString &text)
{
    const bool isPlain =
        std::ranges::none_of(text, [](QChar c) { return c == u',' || c == u'"' || c == u'\n' || c == u'\r'; });
    return isPlain ? text : QString(u'"' + QString(text).replace(u'"', u"\"\""_s) + u'"');
}

QString csvNumber(double value)
{
    if (std::isnan(value))
        return u"NaN"_s;
    if (std::isinf(value))
        return value > 0 ? u"Infinity"_s : u"-Infinity"_s;
    char buffer[32];
    const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
    return QString::fromLatin1(buffer, end - buffer);
}

} // namespace lookback::ui
