// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/head_words.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;
using circuit::Measured;

namespace {

constexpr double kMostly = 0.5; // of the weight
constexpr double kOften = 0.3;

QString tr(const char *text)
{
    return QCoreApplication::translate("Heads", text);
}

int decimalsOf(HeadMeasure measure)
{
    return measure == HeadMeasure::MeanDistance ? 1 : 2;
}

double halfOf(const Measured &value)
{
    return std::max(value.high - value.value, value.value - value.low);
}

double valueOf(const circuit::Scores &scores, HeadMeasure measure)
{
    return scores[measure] ? scores[measure]->value : 0.0;
}

QString tokensBack(std::int64_t count)
{
    static const char *const kNumbers[] = {
        QT_TRANSLATE_NOOP("Heads", "itself"), QT_TRANSLATE_NOOP("Heads", "previous token"),
        QT_TRANSLATE_NOOP("Heads", "two tokens back"), QT_TRANSLATE_NOOP("Heads", "three tokens back"),
        QT_TRANSLATE_NOOP("Heads", "four tokens back")};
    return count >= 0 && count < std::ssize(kNumbers) ? tr(kNumbers[count]) : tr("%1 tokens back").arg(count);
}

} // namespace

QString headName(const circuit::HeadId &id)
{
    return u"L%1 H%2"_s.arg(id.layer).arg(id.head);
}

QString headPhrase(const circuit::HeadId &id)
{
    return tr("layer %1, head %2").arg(id.layer).arg(id.head);
}

QString seesText(const model::SublayerInfo &layer, std::int64_t window)
{
    if (!layer.hasSoftmaxMap)
        return tr("delta");
    if (layer.isWindowed)
        return tr("window %1").arg(window);
    if (layer.rotaryFraction <= 0.0)
        return tr("no position");
    return layer.rotaryFraction >= 1.0 ? tr("RoPE") : tr("RoPE on %1 %").arg(std::lround(100.0 * layer.rotaryFraction));
}

QString headReading(const circuit::Scores &scores)
{
    const bool isResting = valueOf(scores, HeadMeasure::FirstToken) >= kOften;
    if (valueOf(scores, HeadMeasure::KeyMatching) >= kOften
        && valueOf(scores, HeadMeasure::KeyMatching) >= valueOf(scores, HeadMeasure::Retrieval))
        return tr("matches the key");
    if (valueOf(scores, HeadMeasure::Retrieval) > circuit::kRetrievalHead)
        return isResting ? tr("copies, often rests") : tr("copies the value");
    if (valueOf(scores, HeadMeasure::PreviousToken) >= kMostly)
        return tokensBack(1);
    if (valueOf(scores, HeadMeasure::FixedOffset) >= kMostly)
        return tokensBack(scores.strongestOffset);
    if (valueOf(scores, HeadMeasure::FirstToken) >= kMostly)
        return tr("rests on the first token");
    if (valueOf(scores, HeadMeasure::OwnEntry) >= kMostly)
        return tr("looks within its entry");
    return {};
}

QString headReading(const circuit::Scores &scores, bool isDistinguishable)
{
    const QString reading = headReading(scores);
    if (isDistinguishable)
        return reading.isEmpty() ? tr("nothing clear") : reading;
    return reading.isEmpty() ? tr("nothing clear; removal not distinguishable here")
                             : tr("%1; not distinguishable here").arg(reading);
}

QStringList headReadings()
{
    QStringList all{tr("matches the key"), tr("copies, often rests"), tr("copies the value"),
                    tr("rests on the first token"), tr("looks within its entry")};
    for (std::int64_t offset = 0; offset < circuit::kOffsets; ++offset)
        all << tokensBack(offset);
    const qsizetype count = all.size();
    for (qsizetype i = 0; i < count; ++i)
        all << tr("%1; not distinguishable here").arg(all[i]);
    return all << tr("nothing clear") << tr("nothing clear; removal not distinguishable here");
}

QString emptyReason(const circuit::HeadTable &table, const circuit::HeadScores &head, HeadMeasure measure)
{
    if (head.scores[measure])
        return {};
    const model::SublayerInfo &layer = table.layers[static_cast<std::size_t>(head.id.layer)];
    if (!circuit::isMeant(measure, layer)) {
        return layer.isWindowed && measure != HeadMeasure::NegativeLogits
            ? tr("This layer sees %1 tokens; what is looked up stands farther back.").arg(table.window)
            : tr("The logits of this layer are not squared.");
    }
    if (table.answers == 0)
        return tr("Nothing was asked: every value stands within the window.");
    if (measure == HeadMeasure::Retrieval && table.rightAnswers == 0)
        return tr("None of the %1 answers is right at this step, and only right ones count; the weight on the source "
                  "is told all the same.")
            .arg(table.answers);
    return {};
}

QString readingRule()
{
    return tr("The first that holds: key matching of at least 0.3 and above retrieval; retrieval above 0.1 (resting: "
              "0.3 or more on the first token); at least 0.5 on the previous token, at another fixed offset, on the "
              "first token, or within the own entry. Removal that changes exact match by less than two standard errors "
              "is not distinguishable here.");
}

QString measuredText(HeadMeasure measure, double value)
{
    return QString::number(value, 'f', decimalsOf(measure));
}

QString halfText(HeadMeasure measure, const Measured &value)
{
    const double half = halfOf(value);
    return std::isfinite(half) ? u"± "_s % QString::number(half, 'f', decimalsOf(measure)) : QString();
}

namespace {

/// "mean 0.25 ± 0.02; its key-value heads 0.31 ± 0.02, 0.19 ± 0.02"; empty if the measure means nothing there.
QString layerMeans(const circuit::HeadTable &table, const circuit::LayerScores &layer, HeadMeasure measure)
{
    const auto text = [&](const circuit::Scores &scores) {
        const std::optional<Measured> &value = scores[measure];
        return value ? QString(measuredText(measure, value->value) % u' ' % halfText(measure, *value)).trimmed()
                     : u"–"_s;
    };
    if (!layer.scores[measure])
        return {};
    const QString mean = tr("mean %1").arg(text(layer.scores));
    QStringList groups;
    for (const circuit::GroupScores &group : table.groups) {
        if (group.layer == layer.layer)
            groups << text(group.scores);
    }
    const auto heads =
        std::ranges::count(table.heads, layer.layer, [](const circuit::HeadScores &head) { return head.id.layer; });
    return groups.size() < 2 || groups.size() == heads ? mean
                                                       : tr("%1; key-value heads %2").arg(mean, groups.join(u", "_s));
}

} // namespace

HeadCells headCells(const circuit::HeadTable &table, const circuit::KnockoutGrid *grid, GridQuantity quantity)
{
    HeadCells cells;
    for (const model::SublayerInfo &layer : table.layers)
        cells.layers.push_back(seesText(layer, table.window));
    std::int64_t most = -1;
    for (const circuit::HeadScores &head : table.heads)
        most = std::max(most, head.id.head);
    cells.heads = most + 1;
    cells.cells.resize(table.layers.size() * static_cast<std::size_t>(cells.heads));
    const auto cellOf = [&](const circuit::HeadId &id) -> HeadCell & {
        return cells.cells.at(static_cast<std::size_t>(id.layer * cells.heads + id.head));
    };
    double largest = 0.0;
    if (quantity) {
        const circuit::MeasureInfo &info = circuit::measureInfo(*quantity);
        cells.decimals = decimalsOf(*quantity);
        for (const circuit::HeadScores &head : table.heads) {
            const std::optional<Measured> &value = head.scores[*quantity];
            cellOf(head.id).why = emptyReason(table, head, *quantity);
            if (!value)
                continue;
            cellOf(head.id).value = value->value;
            cellOf(head.id).half = std::isfinite(halfOf(*value)) ? halfOf(*value) : 0.0;
            largest = std::max(largest, value->value);
        }
        cells.maximum = info.isShare() ? 1.0 : std::max(1.0, std::ceil(largest));
        for (const circuit::LayerScores &mean : table.layerMeans)
            cells.means.push_back(layerMeans(table, mean, *quantity));
        return cells;
    }
    cells.isSigned = true;
    cells.decimals = 1;
    for (std::size_t i = 0; grid && i < grid->heads.size(); ++i) {
        const circuit::HeadEffect &effect = grid->heads[i];
        if (effect.id.head >= cells.heads || effect.id.layer >= std::ssize(table.layers))
            continue;
        HeadCell &cell = cellOf(effect.id);
        const eval::PairedDifference &difference = effect.point.difference;
        cell.value = 100.0 * difference.difference;
        cell.half = 50.0 * (difference.interval.high - difference.interval.low);
        cell.isDistinguishable = difference.isDistinguishable;
        if (difference.isDistinguishable)
            largest = std::max(largest, std::abs(*cell.value));
    }
    cells.maximum = pointsMaximum(largest);
    return cells;
}

QString quantityTitle(GridQuantity quantity)
{
    if (!quantity)
        return tr("Change in exact match when removed");
    const std::string_view title = circuit::measureInfo(*quantity).title;
    return QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
}

QString quantityUnit(GridQuantity quantity)
{
    if (!quantity)
        return tr("points, root scale");
    const circuit::MeasureInfo &info = circuit::measureInfo(*quantity);
    return info.isShare() ? tr("share") : QString::fromUtf8(info.unit.data(), static_cast<qsizetype>(info.unit.size()));
}

QString removalWords(circuit::Removal removal)
{
    switch (removal) {
    case circuit::Removal::Zero:
        return tr("output zero");
    case circuit::Removal::Mean:
        return tr("mean output");
    case circuit::Removal::Uniform:
        return tr("uniform pattern");
    }
    return {};
}

} // namespace lookback::ui
