// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/knockout_text.h"

#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "app/cli/line_forms.h"

namespace lookback::cli {

namespace {

using circuit::HeadId;
using circuit::KnockoutPoint;
using Align = TextTable::Align;

std::string points(double share)
{
    return fixed(100.0 * share, 2);
}

std::string intervalText(const eval::PairedDifference &difference)
{
    return points(difference.interval.low) + ".." + points(difference.interval.high);
}

/// "0.0312", "1.2e-09", "<1e-300".
std::string pText(double p)
{
    return p >= 0.0001 ? fixed(p, 4) : p > 0.0 ? significantDigits(p, 2) : "<1e-300";
}

Json headList(const std::vector<HeadId> &heads)
{
    Json list = Json::array();
    for (const HeadId &id : heads)
        list.push_back(circuit::headText(id));
    return list;
}

/// What every line of these commands begins with.
Json lineBegin(const std::string &run, const std::string &variant, std::int64_t step, std::int64_t n,
               const std::vector<HeadId> &heads, circuit::Removal removal)
{
    return {{"run", run},  {"variant", variant},       {"step", step},
            {"n_keys", n}, {"heads", headList(heads)}, {"mode", circuit::removalName(removal)}};
}

void addDifference(Json &line, const eval::AccuracyPoint &before, const eval::AccuracyPoint &after,
                   const eval::PairedDifference &difference)
{
    line["sequences"] = after.sequences;
    line["answers"] = after.answers;
    line["before"] = jsonNumber(before.accuracy);
    line["before_low"] = jsonNumber(before.low);
    line["before_high"] = jsonNumber(before.high);
    line["after"] = jsonNumber(after.accuracy);
    line["after_low"] = jsonNumber(after.low);
    line["after_high"] = jsonNumber(after.high);
    line["before_loss"] = jsonNumber(before.meanLoss);
    line["after_loss"] = jsonNumber(after.meanLoss);
    line["difference"] = jsonNumber(difference.difference);
    line["low"] = jsonNumber(difference.interval.low);
    line["high"] = jsonNumber(difference.interval.high);
    line["distinguishable"] = difference.isDistinguishable;
}

void addPoint(Json &line, const KnockoutPoint &point)
{
    addDifference(line, point.before, point.after, point.difference);
    line["lost"] = point.mcNemar.lost;
    line["gained"] = point.mcNemar.gained;
    line["p"] = jsonNumber(point.mcNemar.p);
    line["p_exact"] = point.mcNemar.isExact;
}

std::vector<Json> knockoutLines(const std::string &run, const circuit::Knockout &knockout)
{
    std::vector<Json> lines;
    for (const KnockoutPoint &point : knockout.points) {
        Json line = lineBegin(run, knockout.variant, knockout.step, point.before.n_keys, knockout.intervention.heads,
                              knockout.intervention.removal);
        addPoint(line, point);
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<Json> gridLines(const std::string &run, const circuit::KnockoutGrid &grid)
{
    std::vector<Json> lines;
    for (const circuit::HeadEffect &effect : grid.heads) {
        Json line = lineBegin(run, grid.variant, grid.step, grid.request.n_keys, {effect.id}, grid.request.removal);
        line["layer"] = effect.id.layer;
        line["head"] = effect.id.head;
        addPoint(line, effect.point);
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<Json> smallestLines(const std::string &run, const circuit::SmallestSets &sets)
{
    std::vector<Json> lines;
    const auto add = [&](const char *search, const std::vector<circuit::SearchStep> &steps) {
        std::vector<HeadId> removed;
        for (const circuit::SearchStep &step : steps) {
            removed.push_back(step.head);
            Json line = lineBegin(run, sets.variant, sets.step, sets.request.n_keys, removed, sets.request.removal);
            line["search"] = search;
            line["removed"] = circuit::headText(step.head);
            addDifference(line, sets.intact, step.point, step.difference);
            lines.push_back(std::move(line));
        }
    };
    add("breaking", sets.breaking);
    add("sparing", sets.sparing);
    return lines;
}

std::string pathText(const circuit::SmallestSets &sets, const std::vector<circuit::SearchStep> &steps)
{
    TextTable table({{"step", Align::Right},
                     {"removed"},
                     {"exact match", Align::Right},
                     {"95 %", Align::Right},
                     {"loss", Align::Right},
                     {"change"}});
    table.addRow({"0", "-", percent(sets.intact.accuracy), points(sets.intact.low) + ".." + points(sets.intact.high),
                  significant(sets.intact.meanLoss), ""});
    std::int64_t number = 0;
    for (const circuit::SearchStep &step : steps)
        table.addRow({std::to_string(++number), circuit::headText(step.head), percent(step.point.accuracy),
                      points(step.point.low) + ".." + points(step.point.high), significant(step.point.meanLoss),
                      circuit::differenceText(step.difference)});
    return table.text();
}

} // namespace

std::string knockoutText(const circuit::Knockout &knockout)
{
    TextTable table({{"n", Align::Right},
                     {"before", Align::Right},
                     {"after", Align::Right},
                     {"change"},
                     {"95 % (points)", Align::Right},
                     {"lost", Align::Right},
                     {"gained", Align::Right},
                     {"McNemar p", Align::Right}});
    for (const KnockoutPoint &point : knockout.points)
        table.addRow({grouped(point.before.n_keys), percent(point.before.accuracy), percent(point.after.accuracy),
                      circuit::differenceText(point.difference), intervalText(point.difference),
                      grouped(point.mcNemar.lost), grouped(point.mcNemar.gained), pText(point.mcNemar.p)});
    const std::int64_t sequences = knockout.points.empty() ? 0 : knockout.points.front().before.sequences;
    return knockout.variant + ", step " + grouped(knockout.step) + ", without "
        + circuit::headsText(knockout.intervention.heads) + " ("
        + std::string(circuit::removalName(knockout.intervention.removal)) + "), " + grouped(sequences) + " sequences\n"
        + table.text();
}

std::string knockoutJson(const std::string &run, const circuit::Knockout &knockout)
{
    return linesOf(knockoutLines(run, knockout));
}

std::string knockoutCsv(const std::string &run, const circuit::Knockout &knockout)
{
    return csvOf(knockoutLines(run, knockout));
}

std::string gridText(const circuit::KnockoutGrid &grid)
{
    TextTable table({{"head"},
                     {"after", Align::Right},
                     {"change"},
                     {"95 % (points)", Align::Right},
                     {"loss", Align::Right},
                     {"lost", Align::Right},
                     {"gained", Align::Right},
                     {"McNemar p", Align::Right}});
    for (const circuit::HeadEffect &effect : grid.heads)
        table.addRow({circuit::headText(effect.id), percent(effect.point.after.accuracy),
                      circuit::differenceText(effect.point.difference), intervalText(effect.point.difference),
                      significant(effect.point.after.meanLoss), grouped(effect.point.mcNemar.lost),
                      grouped(effect.point.mcNemar.gained), pText(effect.point.mcNemar.p)});
    return grid.variant + ", step " + grouped(grid.step) + ", n = " + grouped(grid.request.n_keys) + ", "
        + grouped(grid.request.sequences) + " sequences, each head alone ("
        + std::string(removalName(grid.request.removal)) + "): intact " + percent(grid.intact.accuracy) + ", loss "
        + significant(grid.intact.meanLoss) + "\n" + table.text();
}

std::string gridJson(const std::string &run, const circuit::KnockoutGrid &grid)
{
    return linesOf(gridLines(run, grid));
}

std::string gridCsv(const std::string &run, const circuit::KnockoutGrid &grid)
{
    return csvOf(gridLines(run, grid));
}

std::string smallestText(const circuit::SmallestSets &sets)
{
    const std::string head = sets.variant + ", step " + grouped(sets.step) + ", n = " + grouped(sets.request.n_keys)
        + ", " + grouped(sets.request.sequences) + " sequences, " + std::string(removalName(sets.request.removal));
    if (sets.breaking.empty() && sets.sparing.empty() && sets.kept.empty())
        return head + ": exact match is " + percent(sets.intact.accuracy)
            + ", not above that of copying any value; there is no retrieval to take away.\n";
    std::vector<HeadId> broken;
    for (const circuit::SearchStep &step : sets.breaking)
        broken.push_back(step.head);
    return head + "\n\n"
        + (sets.isBroken
               ? "Removing " + circuit::headsText(broken) + " ends retrieval. Path, the costliest head first:\n"
               : std::string("Removing all heads does not end it. Path, the costliest head first:\n"))
        + pathText(sets, sets.breaking) + "\n" + circuit::headsText(sets.kept) + " alone "
        + (sets.kept.size() == 1 ? "keeps" : "keep") + " at least " + fixed(100.0 * sets.request.keptShare, 0)
        + " % of it. Path, the cheapest head first:\n" + pathText(sets, sets.sparing);
}

std::string smallestJson(const std::string &run, const circuit::SmallestSets &sets)
{
    Json line = lineBegin(run, sets.variant, sets.step, sets.request.n_keys, {}, sets.request.removal);
    line.erase("heads");
    line["sequences"] = sets.request.sequences;
    line["intact"] = jsonNumber(sets.intact.accuracy);
    std::vector<HeadId> broken;
    for (const circuit::SearchStep &step : sets.breaking)
        broken.push_back(step.head);
    line["breaking"] = sets.isBroken ? headList(broken) : Json(nullptr);
    line["kept"] = headList(sets.kept);
    line["kept_share"] = jsonNumber(sets.request.keptShare);
    return linesOf(smallestLines(run, sets)) + jsonLine(line) + "\n";
}

std::string smallestCsv(const std::string &run, const circuit::SmallestSets &sets)
{
    if (!sets.breaking.empty() || !sets.sparing.empty())
        return csvOf(smallestLines(run, sets));
    circuit::SmallestSets one = sets; // nothing was searched: the header alone
    one.breaking.emplace_back();
    const std::string text = csvOf(smallestLines(run, one));
    return text.substr(0, text.find('\n') + 1);
}

} // namespace lookback::cli
