// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/experiment_setup.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/train/schedule.h"

namespace lookback::ui {

namespace {

constexpr std::string_view kKind = "lookback-set-up";
constexpr int kVersion = 1;
constexpr std::uint64_t kLargestFile = 1'000'000; // one has some kilobytes
constexpr std::string_view kSeedsRemedy = "Write single seeds and ranges, for example 0-4 or 0,1,7.";

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\n\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string inQuotes(std::string_view text)
{
    return "\"" + std::string(text) + "\"";
}

std::uint64_t parseSeed(std::string_view text)
{
    std::uint64_t seed = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (fault == std::errc::result_out_of_range)
        throw Error("seeds", inQuotes(text) + " is larger than 18446744073709551615.", std::string(kSeedsRemedy));
    if (fault != std::errc() || end != text.data() + text.size() || text.empty())
        throw Error("seeds", text.empty() ? "A seed is missing." : inQuotes(text) + " is not a whole number.",
                    std::string(kSeedsRemedy));
    return seed;
}

} // namespace

std::vector<std::uint64_t> parseSeeds(std::string_view text)
{
    std::vector<std::uint64_t> seeds;
    const auto add = [&](std::uint64_t seed) {
        if (std::ranges::find(seeds, seed) != seeds.end())
            return;
        if (seeds.size() == kMostSeeds)
            throw Error("seeds", "These are more than " + std::to_string(kMostSeeds) + " seeds.",
                        "Train them in several parts.");
        seeds.push_back(seed);
    };
    for (std::string_view rest = text; !rest.empty() || seeds.empty();) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = trimmed(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
        if (comma != std::string_view::npos && trimmed(rest).empty())
            throw Error("seeds", "A seed is missing after the last comma.", std::string(kSeedsRemedy));
        const std::size_t dash = item.find('-');
        if (dash == std::string_view::npos) {
            add(parseSeed(item));
            continue;
        }
        const std::uint64_t first = parseSeed(trimmed(item.substr(0, dash)));
        const std::uint64_t last = parseSeed(trimmed(item.substr(dash + 1)));
        if (last < first)
            throw Error("seeds", "The range " + inQuotes(item) + " runs backwards.", std::string(kSeedsRemedy));
        for (std::uint64_t seed = first;; ++seed) {
            add(seed);
            if (seed == last)
                break;
        }
    }
    return seeds;
}

ExperimentSetup ExperimentSetup::initial()
{
    ExperimentSetup setup = trial();
    setup.usePreset("laptop");
    return setup;
}

ExperimentSetup ExperimentSetup::trial()
{
    ExperimentSetup setup;
    setup.variants = {"rope", "hybrid_square"};
    setup.usePreset("tiny");
    return setup;
}

void ExperimentSetup::usePreset(std::string_view name)
{
    config = presetConfig(name);
    followedWarmup = config.warmup_steps;
}

void ExperimentSetup::followSteps()
{
    if (followedWarmup > 0)
        config.warmup_steps = train::warmupFor(config.steps, followedWarmup);
}

std::vector<run::TrainRequest> ExperimentSetup::requests() const
{
    std::vector<run::TrainRequest> requests;
    for (const std::uint64_t seed : parseSeeds(seeds)) {
        for (const std::string &variant : variants) {
            run::TrainRequest request;
            request.config = config;
            request.config.variant = variant;
            request.config.seed = seed;
            request.preset = presetOf(request.config);
            request.device = device;
            requests.push_back(std::move(request));
        }
    }
    return requests;
}

std::string ExperimentSetup::toJson() const
{
    nlohmann::ordered_json json;
    json["kind"] = kKind;
    json["version"] = kVersion;
    json["variants"] = variants;
    json["seeds"] = seeds;
    json["device"] = device;
    json["followed_warmup"] = followedWarmup;
    json["config"] = parseOrderedJson(configToJson(config), "configuration");
    return json.dump(2) + "\n";
}

ExperimentSetup ExperimentSetup::fromJson(std::string_view text)
{
    const nlohmann::json json = tryParseJson(text).value_or(nullptr);
    if (!json.is_object() || !json.contains("kind") || json["kind"] != kKind)
        throw Error("", "This is not a Lookback set-up.", "Choose a file that was written by \"Save set-up\".");
    try {
        const auto version = integerFromJson(json.at("version"));
        if (!version || *version < 1)
            throw Error("", "The set-up is damaged: its version is not a whole number from 1 on.", "Save it again.");
        if (*version > kVersion)
            throw Error("",
                        "The set-up has format version " + std::to_string(*version) + ", this program reads version "
                            + std::to_string(kVersion) + ".",
                        "Open it with a newer Lookback.");
        ExperimentSetup setup;
        setup.variants = json.at("variants").get<std::vector<std::string>>();
        setup.seeds = json.at("seeds").get<std::string>();
        setup.device = json.at("device").get<std::string>();
        setup.config = configFromJson(json.at("config").dump());
        if (json.contains("followed_warmup")) {
            const auto warmup = integerFromJson(json["followed_warmup"]);
            if (!warmup || *warmup < 0)
                throw Error("followed_warmup", "This is not a number of steps.", "Save the set-up again.");
            setup.followedWarmup = *warmup;
        } else if (const std::string_view preset = presetOf(setup.config); !preset.empty()) {
            setup.followedWarmup = setup.config.warmup_steps;
        }
        parseSeeds(setup.seeds);
        if (setup.device != "auto" && setup.device != "cpu" && setup.device != "cuda")
            throw Error("device", inQuotes(setup.device) + " is not a device.", "Use auto, cpu or cuda.");
        return setup;
    } catch (const nlohmann::json::exception &e) {
        throw Error("", "The set-up is damaged.", "Save it again.", e.what());
    }
}

ExperimentSetup ExperimentSetup::fromFile(const std::filesystem::path &file)
{
    std::string text;
    try {
        text = run::readFileWhole(file, kLargestFile);
    } catch (const Error &error) { // whoever opened it names the file
        throw Error("", error.message(), error.remedy(), error.details());
    }
    return fromJson(text);
}

} // namespace lookback::ui
