// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/checks_torch.h"

#include "core/train/schedule.h"
#include "core/verify/comparison_torch.h"

namespace lookback::verify {

namespace {

using nlohmann::json;

void checkSequences(const std::string &file, const std::string &title, const json &groups, VerifyReport &report)
{
    Comparison entries(file, title + ": keys, values and occurrences", "exact", 0.0);
    Comparison positions(file, title + ": scored positions", "exact", 0.0);
    for (const json &group : groups) {
        const task::TaskShape shape{group.at("key_digits").get<std::int64_t>(),
                                    group.at("value_digits").get<std::int64_t>()};
        for (std::size_t row = 0; row < group.at("tokens").size(); ++row) {
            const auto tokens = group["tokens"][row].get<std::vector<std::uint8_t>>();
            const task::Sequence sequence = task::parseSequence(shape, tokens);
            for (std::size_t i = 0; i < sequence.entries.size(); ++i) {
                const task::Entry &entry = sequence.entries[i];
                entries.addExact(entry.key, group.at("keys")[row][i].get<std::int64_t>());
                entries.addExact(entry.value, group.at("values")[row][i].get<std::int64_t>());
                entries.addExact(entry.isSecondOccurrence ? 1 : 0,
                                 group.at("second_occurrence")[row][i].get<std::int64_t>());
            }
            const auto expected = group.at("scored_positions_in_predictions")[row].get<std::vector<std::int64_t>>();
            const std::vector<std::int64_t> scored = sequence.scoredPositions();
            positions.addExact(std::ssize(scored), std::ssize(expected));
            for (std::size_t i = 0; i < std::min(scored.size(), expected.size()); ++i)
                positions.addExact(scored[i], expected[i]);
        }
    }
    entries.finish(report);
    positions.finish(report);
}

void checkRates(const std::string &file, const std::string &title, const json &table, VerifyReport &report)
{
    RunConfig config;
    config.learning_rate = table.at("base").get<double>();
    config.warmup_steps = table.at("warm_up_steps").get<std::int64_t>();
    config.steps = table.at("steps").get<std::int64_t>();
    Comparison rates(file, title, "float64", 1e-12, Comparison::Scale::Relative);
    for (const json &row : table.at("step_rate"))
        rates.add(train::learningRateAt(config, row[0].get<std::int64_t>()), row[1].get<double>());
    rates.finish(report);
}

void checkCurriculum(const std::string &file, const json &table, VerifyReport &report)
{
    RunConfig config;
    config.n_keys = table.at("then_n_keys").get<std::int64_t>();
    config.curriculum.clear();
    for (const json &stage : table.at("until_step_n_keys"))
        config.curriculum.push_back({stage[1].get<std::int64_t>(), stage[0].get<std::int64_t>()});
    Comparison keys(file, "curriculum", "exact", 0.0);
    for (const json &row : table.at("step_n_keys"))
        keys.addExact(config.nKeysAtStep(row[0].get<std::int64_t>()), row[1].get<std::int64_t>());
    keys.finish(report);
}

} // namespace

void checkTask(const std::string &name, const json &tables, VerifyReport &report)
{
    if (tables.contains("three_digit_keys"))
        checkSequences(name, "three-digit keys", tables["three_digit_keys"], report);
    if (tables.contains("seven_digit_keys"))
        checkSequences(name, "seven-digit keys", tables["seven_digit_keys"], report);
    if (tables.contains("curriculum"))
        checkCurriculum(name, tables["curriculum"], report);
    if (tables.contains("learning_rate"))
        checkRates(name, "learning rate", tables["learning_rate"], report);
    if (tables.contains("long_context_run"))
        checkRates(name, "learning rate of the long-context run", tables["long_context_run"].at("learning_rate"),
                   report);
}

} // namespace lookback::verify
