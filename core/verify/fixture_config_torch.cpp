// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/fixture_torch.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include <ATen/TensorOperators.h>

#include "core/error.h"
#include "core/model/model_parameters.h"
#include "core/model/variant_registry.h"

namespace lookback::verify {

namespace {

std::string attentionMapName(std::int64_t pair)
{
    return "attention." + std::to_string(2 * pair);
}

/// Query heads and their width from the first attention map or KDA vector; nothing if the fixture has none.
std::optional<std::int64_t> queryHeadsOf(const Fixture &fixture, std::int64_t pairs)
{
    for (std::int64_t i = 0; i < pairs; ++i) {
        if (fixture.has(attentionMapName(i)))
            return fixture.at(attentionMapName(i)).size(1);
        const std::string decayScale = model::layerPrefix(2 * i) + "A";
        if (fixture.has(decayScale))
            return fixture.at(decayScale).size(0);
    }
    return {};
}

/// Most keys with weight in any row of the map of a windowed sublayer; nothing if the fixture has no such map.
std::optional<std::int64_t> windowOf(const Fixture &fixture, const RunConfig &config)
{
    const model::VariantInfo info = model::variantInfo(config.variant);
    for (std::int64_t i = 0; i < config.pairs; ++i) {
        if (info.sublayer(i).isWindowed && fixture.has(attentionMapName(i)))
            return fixture.at(attentionMapName(i)).ne(0).sum(-1).max().item<std::int64_t>();
    }
    return {};
}

/// The variant whose id the file name or the metadata holds, the longest id first.
std::optional<std::string> variantByName(const Fixture &fixture)
{
    const auto described = fixture.metadata().find("variant");
    if (described != fixture.metadata().end())
        return described->second;
    const std::string stem = fixture.path().stem().string();
    std::string best;
    for (const model::VariantInfo &info : model::variants()) {
        if (stem.find(info.id) != std::string::npos && info.id.size() > best.size())
            best = info.id;
    }
    if (best.empty())
        return {};
    return best;
}

/// True if the fixture's weights have exactly the names and shapes that the configuration asks for.
bool fits(const Fixture &fixture, const RunConfig &config)
{
    const std::vector<model::ParameterInfo> parameters = model::modelParameters(config);
    return std::all_of(parameters.begin(), parameters.end(), [&](const model::ParameterInfo &info) {
        return fixture.has(info.name) && fixture.at(info.name).sizes() == at::IntArrayRef(info.shape);
    });
}

/// The variant whose logits come nearest, among those that the weights fit: for files whose name says nothing.
std::optional<std::string> variantByTrying(const Fixture &fixture, RunConfig config)
{
    if (!fixture.has("tokens") || !fixture.has("logits"))
        return {};
    const at::Tensor tokens = fixture.at("tokens");
    std::optional<std::string> best;
    double smallest = std::numeric_limits<double>::infinity();
    for (const model::VariantInfo &info : model::variants()) {
        config.variant = info.id;
        config.window = windowOf(fixture, config).value_or(config.window);
        if (!fits(fixture, config) || !model::problemsOfRun(config).empty())
            continue;
        const model::Transformer model = modelOf(fixture, config, at::kDouble, at::kCPU, Kernels::Reference);
        const at::Tensor logits = model.forward(tokens.narrow(1, 0, tokens.size(1) - 1).to(at::kLong)).detach();
        const double difference = (logits - fixture.at("logits")).abs().max().item<double>();
        if (difference < smallest) {
            smallest = difference;
            best = info.id;
        }
    }
    return best;
}

std::int64_t countPairs(const Fixture &fixture)
{
    std::int64_t pairs = 0;
    while (fixture.has(model::layerPrefix(2 * pairs) + "norm.weight"))
        ++pairs;
    return pairs;
}

} // namespace

RunConfig modelConfigOf(const Fixture &fixture, std::vector<std::string> &notes)
{
    const nlohmann::json described = fixture.description().value("config", nlohmann::json::object());
    RunConfig config;
    config.d_model = fixture.at("E.weight").size(-1);
    config.pairs = countPairs(fixture);
    config.ffn_hidden = fixture.at(model::layerPrefix(1) + "Wg.weight").size(0);
    config.rope_base = realOf(described, "rope_base", config.rope_base);

    const std::int64_t heads = integerOf(described, "query_heads", queryHeadsOf(fixture, config.pairs).value_or(0));
    if (heads < 1)
        throw Error(fixture.path().string(), "The number of query heads cannot be told from this fixture.",
                    "Put a fixtures.json with its configuration beside it, or store an attention map.");
    config.query_heads = heads;
    const std::int64_t width = std::max<std::int64_t>(1, config.d_model / heads);
    std::int64_t keyWidth = 0;
    for (std::int64_t i = 0; i < config.pairs; ++i) {
        const std::string prefix = model::layerPrefix(2 * i);
        if (!fixture.has(prefix + "A") && fixture.has(prefix + "Wk.weight")) // KDA has as many as query heads
            keyWidth = fixture.at(prefix + "Wk.weight").size(0);
    }
    config.kv_heads = integerOf(described, "kv_heads", keyWidth > 0 ? keyWidth / width : heads);

    if (described.contains("window"))
        config.window = integerOf(described, "window", config.window);
    if (fixture.has("tokens")) {
        const task::TaskShape shape = taskShapeOf(fixture.at("tokens"));
        config.key_digits = shape.key_digits;
        config.value_digits = shape.value_digits;
        config.n_keys = fixture.at("tokens").size(1) / (2 * shape.entryTokens());
        config.curriculum.clear();
        config.evaluation_n = {config.n_keys};
    }
    if (fixture.description().contains("variant") && fixture.description()["variant"].is_string()) {
        config.variant = fixture.description()["variant"].get<std::string>();
    } else if (const std::optional<std::string> named = variantByName(fixture)) {
        config.variant = *named;
        notes.push_back(fixture.name() + ": variant " + config.variant + ", from the file");
    } else if (const std::optional<std::string> tried = variantByTrying(fixture, config)) {
        config.variant = *tried;
        notes.push_back(fixture.name() + ": variant " + config.variant + ", whose logits come nearest");
    } else {
        throw Error(fixture.path().string(), "The variant cannot be told from this fixture.",
                    "Name the file after its variant, or put a fixtures.json beside it.");
    }
    if (!described.contains("window")) {
        if (const std::optional<std::int64_t> seen = windowOf(fixture, config)) {
            config.window = *seen;
            notes.push_back(fixture.name() + ": window " + std::to_string(*seen) + ", from an attention map");
        }
    }
    return config;
}

} // namespace lookback::verify
