// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/run/run_service.h"

namespace lookback::ui {

/// What the experiment dock asks for: which variants, with which seeds, in which configuration. A value; undo keeps
/// whole ones. `config.variant` and `config.seed` are not used: one run is made of each variant and seed.
struct ExperimentSetup {
    std::vector<std::string> variants; ///< Ticked, in picker order.
    std::string seeds = "0"; ///< "0-4", "0,1"; always one that parseSeeds takes.
    std::string device = "auto"; ///< "auto", "cpu" or "cuda".
    RunConfig config;
    /// Warm-up of the preset that was chosen: the configured one follows the steps (train::warmupFor). 0 = it was typed
    /// and stays.
    std::int64_t followedWarmup = 0;

    /// Takes the configuration of a preset.
    void usePreset(std::string_view name);
    /// After a change of the steps: the warm-up follows them unless it was typed.
    void followSteps();
    /// The first start: hybrid_square and rope with the laptop preset.
    static ExperimentSetup initial();
    /// "Try it in a minute": hybrid_square and rope with the tiny preset.
    static ExperimentSetup trial();

    /// One request a variant and seed, variants first; empty without variants.
    std::vector<run::TrainRequest> requests() const;

    /// One JSON object: {"kind", "version", "variants", "seeds", "device", "config"} (specs/formats/set-up.md).
    std::string toJson() const;
    /// Throws Error with one sentence: not a set-up, from a newer version, a field that is unknown or out of range.
    static ExperimentSetup fromJson(std::string_view json);
    /// The set-up in a regular file of at most 1 MB. Throws Error as fromJson does, and if it cannot be read.
    static ExperimentSetup fromFile(const std::filesystem::path &file);

    bool operator==(const ExperimentSetup &) const = default;
};

/// Seeds of "0-4", "0,1" or "3, 7-9", in the order written, each once. Throws Error with one sentence for anything
/// else, for ranges that run backwards and for more than kMostSeeds.
std::vector<std::uint64_t> parseSeeds(std::string_view text);
inline constexpr std::size_t kMostSeeds = 100;

} // namespace lookback::ui
