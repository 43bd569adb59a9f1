// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/accuracy_text.h"

namespace lookback::cli {

TextTable accuracyTable()
{
    using Align = TextTable::Align;
    return TextTable({{"run", Align::Left},
                      {"step", Align::Right},
                      {"keys (n)", Align::Right},
                      {"tokens", Align::Right},
                      {"exact match", Align::Right},
                      {"95 % interval", Align::Right},
                      {"sequences", Align::Right}});
}

void addAccuracyRow(TextTable &table, const std::string &run, const eval::AccuracyCurve &curve,
                    const eval::AccuracyPoint &point)
{
    table.addRow({run, grouped(curve.step), grouped(point.n_keys), grouped(point.contextTokens),
                  percent(point.accuracy), percent(point.low) + " to " + percent(point.high),
                  grouped(point.sequences)});
}

Json pointJson(const eval::AccuracyPoint &point)
{
    return {{"n_keys", point.n_keys},
            {"context_tokens", point.contextTokens},
            {"accuracy", jsonNumber(point.accuracy)},
            {"low", jsonNumber(point.low)},
            {"high", jsonNumber(point.high)},
            {"sequences", point.sequences},
            {"answers", point.answers},
            {"exact", point.exact},
            {"mean_loss", jsonNumber(point.meanLoss)}};
}

Json accuracyJson(const std::filesystem::path &run, const eval::AccuracyCurve &curve, const eval::AccuracyPoint &point)
{
    Json json = {{"run", run.string()}, {"variant", curve.variant}, {"step", curve.step}};
    json.update(pointJson(point));
    return json;
}

} // namespace lookback::cli
