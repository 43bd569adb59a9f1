// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/attention_view.h"
#include "core/run/safetensors.h"
#include "tests/ui/fake_run_service.h"

namespace lookback::tests {

/// The first sequence of a fixture file (tests/fixtures/README.md) as the attention page sees it: 5 keys, 79 positions,
/// 4 attention sublayers of 4 heads, window 10.
struct FixtureExample {
    std::shared_ptr<const analysis::Example> example;
    std::vector<std::shared_ptr<const std::vector<analysis::HeadMap>>> layers; ///< Empty maps for delta attention.
};

template <typename Number> std::vector<Number> numbersOf(const run::SafetensorsFile &file, const std::string &name)
{
    const run::StoredTensor &tensor = *file.find(name);
    std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
    return numbers;
}

inline FixtureExample fixtureExample(const std::string &variant)
{
    constexpr std::int64_t kTokens = 80;
    constexpr std::int64_t kHeads = 4;
    const run::SafetensorsFile file =
        run::readSafetensors(std::string(LOOKBACK_TEST_FIXTURES) + "/" + variant + ".safetensors");
    analysis::Example example;
    example.key = {.runFolder = "/runs/" + variant + "-fixture", .step = 0, .n_keys = 5, .sequence = 0};
    example.variant = variant;
    std::vector<std::uint8_t> tokens;
    for (const std::int64_t token : numbersOf<std::int64_t>(file, "tokens"))
        tokens.push_back(static_cast<std::uint8_t>(token));
    tokens.resize(kTokens);
    example.sequence = task::parseSequence({}, tokens);
    example.positions = kTokens - 1;
    example.heads = kHeads;
    example.kvHeads = 2;
    example.window = 10;
    for (const model::VariantInfo &info : FakeRunService::nineVariants()) {
        if (info.id == variant) {
            for (std::size_t layer = 0; layer < 4; ++layer)
                example.layers.push_back(info.pattern[layer % info.pattern.size()]);
        }
    }
    const std::vector<double> logits = numbersOf<double>(file, "logits");
    for (std::size_t e = 0; e < example.sequence.entries.size(); ++e) {
        const task::Entry &entry = example.sequence.entries[e];
        if (!entry.isSecondOccurrence)
            continue;
        analysis::Answer answer;
        answer.entry = static_cast<std::int64_t>(e);
        answer.firstEntry = entry.partner;
        answer.key = entry.key;
        for (std::int64_t digit = 0; digit < 3; ++digit) {
            const std::int64_t position = answer.entry * 8 + 4 + digit;
            const double *row = logits.data() + position * task::kVocabulary;
            double sum = 0.0;
            for (int t = 0; t < task::kVocabulary; ++t)
                sum += std::exp(row[t]);
            std::vector<float> probabilities;
            for (int t = 0; t < task::kVocabulary; ++t)
                probabilities.push_back(static_cast<float>(std::exp(row[t]) / sum));
            answer.truth.push_back(tokens[static_cast<std::size_t>(position + 1)]);
            answer.predicted.push_back(static_cast<int>(std::max_element(row, row + task::kVocabulary) - row));
            answer.probabilities.push_back(std::move(probabilities));
        }
        example.answers.push_back(std::move(answer));
    }
    FixtureExample result;
    for (std::size_t layer = 0; layer < example.layers.size(); ++layer) {
        auto maps = std::make_shared<std::vector<analysis::HeadMap>>();
        const std::string name = "attention." + std::to_string(2 * layer);
        if (file.find(name)) {
            const std::vector<float> weights = numbersOf<float>(file, name);
            const std::int64_t size = example.positions * example.positions;
            for (std::int64_t head = 0; head < kHeads; ++head) {
                maps->push_back({.layer = static_cast<std::int64_t>(layer),
                                 .head = head,
                                 .kind = analysis::MapKind::AttentionWeights,
                                 .queries = example.positions,
                                 .keys = example.positions,
                                 .weights = {weights.begin() + head * size, weights.begin() + (head + 1) * size},
                                 .window = example.layers[layer].isWindowed ? example.window : 0});
            }
        }
        result.layers.push_back(std::move(maps));
    }
    result.example = std::make_shared<const analysis::Example>(std::move(example));
    return result;
}

/// One head of it.
inline std::shared_ptr<const analysis::HeadMap> headOf(const FixtureExample &fixture, std::size_t layer,
                                                       std::size_t head)
{
    return {fixture.layers.at(layer), &fixture.layers.at(layer)->at(head)};
}

} // namespace lookback::tests
