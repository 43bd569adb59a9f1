// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/variant_registry.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/error.h"
#include "core/model/attention_design_torch.h"
#include "core/model/model_parameters.h"
#include "core/model/variant_definition.h"
#include "core/near_names.h"
#include "core/task/key_value_task.h"

namespace lookback::model {

#define VARIANT(id) VariantDefinition variant_##id();
#include "core/model/variants.def"
#undef VARIANT

namespace {

/// A deque: references to its entries stay good when addVariant appends.
std::deque<VariantDefinition> &registry()
{
    static std::deque<VariantDefinition> entries = {
#define VARIANT(id) variant_##id(),
#include "core/model/variants.def"
#undef VARIANT
    };
    return entries;
}

const VariantDefinition *find(std::string_view id)
{
    for (const VariantDefinition &definition : registry()) {
        if (definition.info.id == id)
            return &definition;
    }
    return nullptr;
}

/// "Did you mean ...? Known variants are ...", those spelt alike first.
std::string knownVariants(std::string_view wanted)
{
    std::vector<std::string> ids;
    for (const VariantDefinition &definition : registry())
        ids.push_back(definition.info.id);
    return didYouMean(wanted, ids) + "Known variants are " + joined(nearestFirst(wanted, ids)) + ".";
}

std::string unknownVariant(std::string_view id)
{
    return "There is no variant \"" + std::string(id) + "\".";
}

} // namespace

std::vector<VariantInfo> variants()
{
    std::vector<VariantInfo> infos;
    for (const VariantDefinition &definition : registry())
        infos.push_back(definition.info);
    return infos;
}

VariantInfo variantInfo(std::string_view id)
{
    return variantDefinition(id).info;
}

const VariantDefinition &variantDefinition(std::string_view id)
{
    if (const VariantDefinition *definition = find(id))
        return *definition;
    throw Error("variant", unknownVariant(id), knownVariants(id));
}

void addVariant(VariantDefinition definition)
{
    if (find(definition.info.id))
        throw Error("variant", "A variant \"" + definition.info.id + "\" exists already.", "Give it another id.");
    if (definition.info.pattern.empty() || !definition.makeDesign)
        throw Error("variant", "The variant \"" + definition.info.id + "\" has no sublayers.",
                    "Give it a pattern and a function that builds them.");
    registry().push_back(std::move(definition));
}

std::vector<ConfigProblem> problemsOfRun(const RunConfig &config)
{
    std::vector<ConfigProblem> problems;
    const VariantDefinition *definition = find(config.variant);
    if (!definition)
        problems.push_back({"variant", unknownVariant(config.variant) + " " + knownVariants(config.variant)});
    const std::vector<ConfigProblem> general = problemsOf(config);
    problems.insert(problems.end(), general.begin(), general.end());
    if (!definition || config.headWidth() < 1)
        return problems;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(config.pairs, std::ssize(definition->info.pattern)); ++i) {
        const SublayerInfo &sublayer = definition->info.sublayer(i);
        const double rotated = sublayer.rotaryFraction * static_cast<double>(config.headWidth());
        if (rotated <= 0.0 || std::fmod(rotated, 2.0) == 0.0)
            continue;
        const std::int64_t multiple = std::llround(2.0 / sublayer.rotaryFraction);
        problems.push_back({"query_heads",
                            "RoPE turns channels in pairs, so variant " + config.variant
                                + " needs a head width (d_model / "
                                  "query_heads) divisible by "
                                + std::to_string(multiple) + "; here it is " + std::to_string(config.headWidth())
                                + ". Choose another width or number of heads."});
        break;
    }
    return problems;
}

void requireRunnable(const RunConfig &config)
{
    const std::vector<ConfigProblem> problems = problemsOfRun(config);
    if (!problems.empty())
        throw Error(problems.front().field, problems.front().message);
}

std::string layerPrefix(std::int64_t sublayer)
{
    return "layers." + std::to_string(sublayer) + ".";
}

std::vector<ParameterInfo> modelParameters(const RunConfig &config)
{
    const VariantDefinition &definition = variantDefinition(config.variant);
    std::vector<ParameterInfo> all{{"E.weight", {task::kVocabulary, config.d_model}, initialNormal},
                                   {"norm_f.weight", {config.d_model}, initialOne},
                                   {"W_out.weight", {task::kVocabulary, config.d_model}}};
    for (std::int64_t i = 0; i < config.pairs; ++i) {
        const std::string attention = layerPrefix(2 * i);
        all.push_back({attention + "norm.weight", {config.d_model}, initialOne});
        for (ParameterInfo &info : definition.makeDesign(config, definition.info.sublayer(i), i)->parameters()) {
            info.name.insert(0, attention);
            all.push_back(std::move(info));
        }
        const std::string feedForward = layerPrefix(2 * i + 1);
        all.push_back({feedForward + "norm.weight", {config.d_model}, initialOne});
        all.push_back({feedForward + "Wg.weight", {config.ffn_hidden, config.d_model}});
        all.push_back({feedForward + "Wu.weight", {config.ffn_hidden, config.d_model}});
        all.push_back({feedForward + "Wd.weight", {config.d_model, config.ffn_hidden}});
    }
    return all;
}

std::int64_t parameterCount(const RunConfig &config)
{
    std::int64_t count = 0;
    for (const ParameterInfo &info : modelParameters(config))
        count += info.count();
    return count;
}

double trainingStepFlop(const RunConfig &config, std::int64_t n_keys)
{
    const VariantDefinition &definition = variantDefinition(config.variant);
    const std::int64_t tokens = config.contextTokens(n_keys) - 1; // the last token is only predicted
    double forward = 2.0 * static_cast<double>(task::kVocabulary * config.d_model * tokens);
    for (std::int64_t i = 0; i < config.pairs; ++i) {
        forward += definition.makeDesign(config, definition.info.sublayer(i), i)->forwardFlop(tokens);
        forward += 6.0 * static_cast<double>(config.d_model * config.ffn_hidden * tokens);
    }
    return 3.0 * forward * static_cast<double>(config.batchOf(n_keys));
}

} // namespace lookback::model
