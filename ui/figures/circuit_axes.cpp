// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/circuit_axes.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;

namespace {

constexpr HeadMeasure kFollowed[] = {HeadMeasure::Retrieval, HeadMeasure::KeyMatching, HeadMeasure::PreviousToken};
constexpr double kWorthALook = 0.2;
constexpr std::size_t kBest = 2; // heads of a measure
constexpr std::size_t kMostOthers = 6; // more could not be told apart

double valueOf(const circuit::HeadScores &head, HeadMeasure measure)
{
    return head.scores[measure] ? head.scores[measure]->value : -1.0;
}

} // namespace

double stepPlace(double step)
{
    return std::log2(std::max(step, 0.0) + 1.0);
}

double stepAt(double place)
{
    return std::exp2(place) - 1.0;
}

Axis logStepAxis(const Range &places, int most)
{
    Axis axis;
    axis.range = places;
    axis.title = u"Step, logarithmic"_s;
    axis.brief = u"Step"_s;
    const int last = static_cast<int>(std::floor(places.upper + 1e-9));
    const int every = std::max(1, (last + most - 1) / std::max(most, 1));
    axis.ticks.push_back({0.0, u"0"_s});
    for (int power = 0; power <= last; ++power) {
        const double step = std::exp2(power);
        const double place = stepPlace(step);
        if (places.contains(place))
            axis.ticks.push_back({place, power % every == 0 && power > 0 ? countText(std::llround(step)) : QString()});
    }
    std::erase_if(axis.ticks, [&](const Tick &tick) { return !places.contains(tick.value); });
    return axis;
}

Axis scoreAxis(int most, const QString &title)
{
    Axis axis;
    axis.range = kScoreRange;
    axis.title = title;
    axis.brief = title;
    const int parts = most >= 4 ? 4 : most >= 2 ? 2 : 1;
    for (int i = 0; i <= parts; ++i) {
        const double value = static_cast<double>(i) / parts;
        axis.ticks.push_back({value, QString::number(value, 'f', 2)});
    }
    return axis;
}

std::vector<ScoreLine> scoreLines(const std::vector<circuit::HeadTable> &timeline,
                                  const std::vector<circuit::HeadId> &also)
{
    std::vector<ScoreLine> lines;
    if (timeline.empty())
        return lines;
    const auto add = [&lines](const circuit::HeadId &id, HeadMeasure measure) {
        const bool isThere =
            std::ranges::any_of(lines, [&](const ScoreLine &line) { return line.id == id && line.measure == measure; });
        if (!isThere)
            lines.push_back({.id = id, .measure = measure, .points = {}});
    };
    std::vector<circuit::HeadScores> last = timeline.back().heads;
    for (const HeadMeasure measure : kFollowed) {
        std::ranges::stable_sort(last, std::greater(),
                                 [&](const circuit::HeadScores &head) { return valueOf(head, measure); });
        for (std::size_t i = 0; i < std::min(kBest, last.size()); ++i) {
            if (valueOf(last[i], measure) >= kWorthALook)
                add(last[i].id, measure);
        }
    }
    std::vector<std::pair<double, ScoreLine>> others; // with their last value
    for (const circuit::HeadId &id : also) {
        const circuit::HeadScores *head = timeline.back().find(id);
        const bool hasLine = std::ranges::any_of(lines, [&](const ScoreLine &line) { return line.id == id; });
        if (!head || hasLine)
            continue;
        const HeadMeasure best =
            *std::ranges::max_element(kFollowed, {}, [&](HeadMeasure measure) { return valueOf(*head, measure); });
        if (head->scores[best])
            others.emplace_back(valueOf(*head, best), ScoreLine{.id = id, .measure = best, .points = {}});
    }
    if (others.size() > kMostOthers)
        std::ranges::stable_sort(others, std::greater(), &std::pair<double, ScoreLine>::first);
    for (std::size_t i = 0; i < std::min(kMostOthers, others.size()); ++i)
        add(others[i].second.id, others[i].second.measure);
    for (ScoreLine &line : lines) {
        for (const circuit::HeadTable &table : timeline) {
            const circuit::HeadScores *head = table.find(line.id);
            CurvePoint point{.x = stepPlace(static_cast<double>(table.step)), .y = {}};
            if (head && head->scores[line.measure])
                point.y = head->scores[line.measure]->value;
            line.points.push_back(point);
        }
    }
    return lines;
}

SeriesStyle scoreStyle(HeadMeasure measure, const SeriesShade &colour)
{
    SeriesStyle style;
    style.line = colour.line;
    style.label = colour.label;
    style.marker = Marker::Circle;
    if (measure == HeadMeasure::KeyMatching)
        style.dashes = {3.0, 2.0};
    else if (measure != HeadMeasure::Retrieval)
        style.dashes = {1.0, 2.0};
    return style;
}

QString scoreLabel(const ScoreLine &line)
{
    const std::string_view heading = circuit::measureInfo(line.measure).heading;
    return headName(line.id) % u' ' % QString::fromUtf8(heading.data(), static_cast<qsizetype>(heading.size()));
}

} // namespace lookback::ui
