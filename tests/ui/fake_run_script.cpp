// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The scripted numbers of FakeRunService: pure functions of configuration, step and index.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ui/fake_run_service.h"

namespace lookback::tests {

namespace {

/// Uniform in [0, 1), a pure function of its arguments (splitmix64).
double uniform(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0)
{
    std::uint64_t x = a * 0x9E3779B97F4A7C15U ^ b * 0xBF58476D1CE4E5B9U ^ c * 0x94D049BB133111EBU;
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// How fast a variant learns (share of the run until the loss fell to 1/e) and how far it generalises (n with 50 %).
struct Character {
    const char *variant;
    double tau;
    double halfKeys;
    double slope;
};
constexpr Character kCharacters[] = {
    {"rope", 0.16, 14.0, 3.0},
    {"rope_square", 0.12, 45.0, 2.6},
    {"partial_rope", 0.15, 22.0, 3.0},
    {"partial_rope_square", 0.12, 38.0, 2.9},
    {"hybrid", 0.07, 1500.0, 1.4},
    {"hybrid_square", 0.05, 20000.0, 1.2},
    {"hybrid_nowindow", 0.11, 40.0, 3.2},
    {"hybrid_square_nowindow", 0.10, 37.0, 3.0},
    {"hybrid_square_kda", 0.045, 520.0, 1.7},
};

const Character &characterOf(const std::string &variant)
{
    for (const Character &character : kCharacters) {
        if (variant == character.variant)
            return character;
    }
    return kCharacters[0];
}

std::int64_t keysAt(const RunConfig &config, std::int64_t step)
{
    for (const CurriculumStage &stage : config.curriculum) {
        if (step <= stage.until_step)
            return stage.n_keys;
    }
    return config.n_keys;
}

model::SublayerInfo sublayer(double rotary, bool isWindowed, bool isSquared)
{
    model::SublayerInfo info;
    info.rotaryFraction = rotary;
    info.isWindowed = isWindowed;
    info.logits = isSquared ? model::LogitForm::Squared : model::LogitForm::Plain;
    return info;
}

model::VariantInfo variant(const char *id, model::Family family, bool isSquared, const char *explanation,
                           std::vector<model::SublayerInfo> pattern)
{
    model::VariantInfo info;
    info.id = id;
    info.family = family;
    info.logits = isSquared ? model::LogitForm::Squared : model::LogitForm::Plain;
    info.explanation = explanation;
    info.source = "kvbench, July 2026";
    info.pattern = std::move(pattern);
    return info;
}

} // namespace

std::vector<model::VariantInfo> FakeRunService::nineVariants()
{
    using model::Family;
    model::SublayerInfo kda;
    kda.design = "kda";
    kda.hasSoftmaxMap = false;
    const auto hybrid = [](bool isWindowed, bool isSquared) {
        return std::vector{sublayer(1.0, isWindowed, isSquared), sublayer(0.0, false, isSquared)};
    };
    return {
        variant("rope", Family::FullRope, false, "RoPE on every channel, sees all tokens",
                {sublayer(1.0, false, false)}),
        variant("rope_square", Family::FullRope, true, "As rope, logits squared", {sublayer(1.0, false, true)}),
        variant("partial_rope", Family::PartialRope, false, "RoPE on half of each head, sees all tokens",
                {sublayer(0.5, false, false)}),
        variant("partial_rope_square", Family::PartialRope, true, "As partial_rope, logits squared",
                {sublayer(0.5, false, true)}),
        variant("hybrid", Family::HybridWindow, false, "Short window with RoPE, then all tokens, no position",
                hybrid(true, false)),
        variant("hybrid_square", Family::HybridWindow, true, "As hybrid, logits squared", hybrid(true, true)),
        variant("hybrid_nowindow", Family::HybridNoWindow, false, "As hybrid, but RoPE layers see all tokens",
                hybrid(false, false)),
        variant("hybrid_square_nowindow", Family::HybridNoWindow, true, "The same without window, logits squared",
                hybrid(false, true)),
        variant("hybrid_square_kda", Family::Kda, true, "Delta attention, then all tokens, no position, squared",
                {kda, sublayer(0.0, false, true)}),
    };
}

RunConfig FakeRunService::smallConfig(const std::string &variant, std::uint64_t seed, std::int64_t steps)
{
    RunConfig config;
    config.variant = variant;
    config.seed = seed;
    config.d_model = 32;
    config.query_heads = 4;
    config.kv_heads = 4;
    config.pairs = 2;
    config.ffn_hidden = 64;
    config.steps = steps;
    config.curriculum = {{2, steps / 8}, {4, steps / 4}, {6, steps / 2}};
    config.log_every = std::max<std::int64_t>(1, steps / 40);
    config.checkpoint_every = std::max<std::int64_t>(1, steps / 4);
    config.evaluation_n = {8, 16, 32, 64, 128};
    config.evaluation_sequences = 32;
    return config;
}

run::MetricsRecord FakeRunService::scriptedRecord(const RunConfig &config, std::int64_t step)
{
    const Character &character = characterOf(config.variant);
    const double tau =
        character.tau * static_cast<double>(config.steps) * (1.0 + 0.1 * static_cast<double>(config.seed % 5));
    const double t = static_cast<double>(step);
    double loss = 2.4 * std::exp(-t / tau) + 0.0008 + 0.01 * std::exp(-t / (4.0 * tau));
    for (const CurriculumStage &stage : config.curriculum) {
        if (step > stage.until_step) // more keys are harder at first
            loss += 0.25 * std::exp(-t / (6.0 * tau))
                * std::exp(-static_cast<double>(step - stage.until_step) / (0.5 * tau));
    }
    const std::uint64_t noiseKey = config.seed * 131 + static_cast<std::uint64_t>(&character - kCharacters);
    loss *= std::exp(0.5 * (uniform(noiseKey, static_cast<std::uint64_t>(step)) - 0.5));
    run::MetricsRecord record;
    record.step = step;
    record.n_keys = keysAt(config, step);
    record.loss = loss;
    record.retrievalAcc = std::clamp(1.0 - 0.9 * (1.0 - std::exp(-loss / 1.1)), 0.0, 1.0);
    record.learningRate = step <= config.warmup_steps
        ? config.learning_rate * t / static_cast<double>(std::max<std::int64_t>(1, config.warmup_steps))
        : config.learning_rate * 0.5 * (1.0 + std::cos(M_PI * t / static_cast<double>(config.steps)));
    record.gradientNorm = 0.2 + loss;
    record.tokensPerSecond = 12.0 * static_cast<double>(config.batch * config.contextTokens(record.n_keys));
    record.elapsedSeconds = t / 12.0;
    return record;
}

eval::AccuracyCurve FakeRunService::scriptedAccuracy(const RunConfig &config, std::int64_t step,
                                                     const std::vector<std::int64_t> &n_keys, std::int64_t sequences)
{
    const Character &character = characterOf(config.variant);
    eval::AccuracyCurve curve;
    curve.variant = config.variant;
    curve.step = step;
    curve.totalSteps = config.steps;
    std::int64_t trainedKeys = config.n_keys;
    for (const CurriculumStage &stage : config.curriculum)
        trainedKeys = std::max(trainedKeys, stage.n_keys);
    curve.trainedTokens = config.contextTokens(trainedKeys);
    curve.evaluationSeed = config.evaluation_seed;
    const double learned = 1.0 - std::exp(-6.0 * static_cast<double>(step) / static_cast<double>(config.steps));
    for (const std::int64_t n : n_keys) {
        const double expected =
            learned / (1.0 + std::pow(static_cast<double>(n) / character.halfKeys, character.slope));
        eval::AccuracyPoint point;
        point.n_keys = n;
        point.contextTokens = config.contextTokens(n);
        point.sequences = sequences;
        point.answers = sequences * n;
        for (std::int64_t s = 0; s < sequences; ++s) {
            const double wobble =
                uniform(config.seed + 17, static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(n));
            const double share =
                std::clamp(expected + 0.12 * (wobble - 0.5) * 4.0 * expected * (1.0 - expected), 0.0, 1.0);
            const auto exact = static_cast<std::int64_t>(std::lround(share * static_cast<double>(n)));
            point.exactBySequence.push_back(exact);
            point.exact += exact;
        }
        point.digitsRight = std::min(point.answers * config.value_digits,
                                     point.exact * config.value_digits + (point.answers - point.exact) / 3);
        point.accuracy = static_cast<double>(point.exact) / static_cast<double>(point.answers);
        const double half = 1.96
            * std::sqrt((point.accuracy * (1.0 - point.accuracy) + 0.001)
                        / static_cast<double>(std::max<std::int64_t>(1, sequences)));
        point.low = std::max(0.0, point.accuracy - half);
        point.high = std::min(1.0, point.accuracy + half);
        point.meanLoss = 2.3 * (1.0 - point.accuracy);
        curve.points.push_back(std::move(point));
    }
    return curve;
}

analysis::Example FakeRunService::scriptedExample(const RunConfig &config, const analysis::ExampleKey &key)
{
    analysis::Example example;
    example.key = key;
    example.variant = config.variant;
    task::Sequence &sequence = example.sequence;
    sequence.shape = {config.key_digits, config.value_digits};
    sequence.n_keys = key.n_keys;
    const auto n = static_cast<std::size_t>(key.n_keys);
    const auto index = static_cast<std::uint64_t>(key.sequence);
    const auto keyCount = static_cast<std::int64_t>(std::pow(10.0, static_cast<double>(config.key_digits)));
    const auto valueCount = static_cast<std::int64_t>(std::pow(10.0, static_cast<double>(config.value_digits)));
    // Order: a Fisher-Yates shuffle of 0, 0, 1, 1, ...; keys: equally spaced with an offset, so they are distinct.
    std::vector<std::size_t> order(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i)
        order[i] = i / 2;
    for (std::size_t i = 2 * n; i-- > 1;)
        std::swap(order[i], order[static_cast<std::size_t>(uniform(index, i, 7) * static_cast<double>(i + 1))]);
    std::vector<std::int64_t> firstAt(n, -1);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const std::size_t pair = order[i];
        task::Entry entry;
        const std::int64_t stride = std::max<std::int64_t>(1, keyCount / key.n_keys);
        const auto jitter = static_cast<std::int64_t>(uniform(index, pair, 11) * static_cast<double>(stride));
        entry.key = (static_cast<std::int64_t>(pair) * stride + jitter) % keyCount;
        entry.value = static_cast<std::int64_t>(uniform(index, pair, 13) * static_cast<double>(valueCount));
        if (firstAt[pair] < 0) {
            firstAt[pair] = static_cast<std::int64_t>(i);
        } else {
            entry.isSecondOccurrence = true;
            entry.partner = firstAt[pair];
            sequence.entries[static_cast<std::size_t>(firstAt[pair])].partner = static_cast<std::int64_t>(i);
        }
        sequence.entries.push_back(entry);
    }
    const auto digits = [](std::int64_t number, std::int64_t count) {
        std::vector<int> result(static_cast<std::size_t>(count));
        for (std::size_t d = result.size(); d-- > 0; number /= 10)
            result[d] = static_cast<int>(number % 10);
        return result;
    };
    for (const task::Entry &entry : sequence.entries) {
        sequence.tokens.push_back(task::kStartKeyToken);
        for (const int digit : digits(entry.key, config.key_digits))
            sequence.tokens.push_back(static_cast<std::uint8_t>(digit));
        sequence.tokens.push_back(task::kStartValueToken);
        for (const int digit : digits(entry.value, config.value_digits))
            sequence.tokens.push_back(static_cast<std::uint8_t>(digit));
    }
    example.positions = static_cast<std::int64_t>(sequence.tokens.size()) - 1;
    example.heads = config.query_heads;
    example.kvHeads = config.kv_heads;
    example.window = config.window;
    for (const model::VariantInfo &info : nineVariants()) {
        if (info.id != config.variant)
            continue;
        for (std::int64_t layer = 0; layer < config.pairs; ++layer)
            example.layers.push_back(info.pattern[static_cast<std::size_t>(layer) % info.pattern.size()]);
    }
    for (std::size_t e = 0; e < sequence.entries.size(); ++e) {
        const task::Entry &entry = sequence.entries[e];
        if (!entry.isSecondOccurrence)
            continue;
        analysis::Answer answer;
        answer.entry = static_cast<std::int64_t>(e);
        answer.firstEntry = entry.partner;
        answer.key = entry.key;
        answer.truth = digits(entry.value, config.value_digits);
        for (std::size_t d = 0; d < answer.truth.size(); ++d) {
            const double share = key.intervention.heads.empty() ? 0.08 : 0.6; // of the digits that are wrong
            const bool isWrong = uniform(index + 3, e, d) < share;
            const int winner = isWrong ? (answer.truth[d] + 3) % 10 : answer.truth[d];
            std::vector<float> probabilities(task::kVocabulary, 0.01F);
            probabilities[static_cast<std::size_t>(winner)] = 0.89F;
            answer.predicted.push_back(winner);
            answer.probabilities.push_back(std::move(probabilities));
        }
        example.answers.push_back(std::move(answer));
    }
    return example;
}

analysis::HeadRows FakeRunService::scriptedRows(const analysis::Example &example, std::int64_t layer, std::int64_t head,
                                                std::int64_t firstQuery, std::int64_t count)
{
    constexpr float kBright = 0.93F;
    const model::SublayerInfo &info = example.layers.at(static_cast<std::size_t>(layer));
    analysis::HeadRows rows;
    rows.layer = layer;
    rows.head = head;
    rows.kind = info.hasSoftmaxMap ? analysis::MapKind::AttentionWeights : analysis::MapKind::RecurrenceMatrix;
    rows.positions = example.positions;
    rows.window = info.isWindowed ? example.window : 0;
    rows.firstQuery = firstQuery;
    rows.rows = count;
    rows.firstKey = rows.window > 0 ? std::max<std::int64_t>(0, firstQuery - rows.window + 1) : 0;
    rows.keys = firstQuery + count - rows.firstKey;
    rows.weights.assign(static_cast<std::size_t>(rows.rows * rows.keys), 0.0F);
    std::vector<std::int64_t> target(static_cast<std::size_t>(rows.positions), -1);
    const std::int64_t entryTokens = example.sequence.shape.entryTokens();
    const std::int64_t startValue = 1 + example.sequence.shape.key_digits;
    for (const analysis::Answer &answer : example.answers) {
        for (std::int64_t d = 0; d < example.sequence.shape.value_digits; ++d)
            target[static_cast<std::size_t>(answer.entry * entryTokens + startValue + d)] =
                answer.firstEntry * entryTokens + startValue + 1 + d;
    }
    for (std::int64_t q = firstQuery; q < firstQuery + count; ++q) {
        float *row = rows.weights.data() + (q - firstQuery) * rows.keys;
        const std::int64_t first = rows.window > 0 ? std::max<std::int64_t>(0, q - rows.window + 1) : 0;
        const std::int64_t bright = target[static_cast<std::size_t>(q)];
        const bool hasBright = bright >= first && bright <= q;
        double sum = 0.0;
        for (std::int64_t k = first; k <= q; ++k) {
            const double drawn = uniform(static_cast<std::uint64_t>(layer * 64 + head), static_cast<std::uint64_t>(q),
                                         static_cast<std::uint64_t>(k));
            const double value = drawn * drawn * drawn * drawn * drawn * drawn + 1e-4;
            row[k - rows.firstKey] = k == bright ? 0.0F : static_cast<float>(value);
            sum += row[k - rows.firstKey];
        }
        const double rest = hasBright ? 1.0 - static_cast<double>(kBright) : 1.0;
        for (std::int64_t k = first; k <= q; ++k) {
            float &weight = row[k - rows.firstKey];
            weight = static_cast<float>(static_cast<double>(weight) / sum * rest);
        }
        if (hasBright)
            row[bright - rows.firstKey] = kBright;
    }
    return rows;
}

analysis::HeadMap FakeRunService::scriptedMap(const analysis::Example &example, std::int64_t layer, std::int64_t head)
{
    const std::int64_t positions = example.positions;
    analysis::HeadMap map;
    map.layer = layer;
    map.head = head;
    map.queries = positions;
    map.keys = positions;
    map.weights.assign(static_cast<std::size_t>(positions * positions), 0.0F);
    for (std::int64_t q = 0; q < positions; ++q) {
        const analysis::HeadRows row = scriptedRows(example, layer, head, q, 1);
        map.kind = row.kind;
        map.window = row.window;
        std::ranges::copy(row.weights, map.weights.begin() + q * positions + row.firstKey);
    }
    return map;
}

} // namespace lookback::tests
