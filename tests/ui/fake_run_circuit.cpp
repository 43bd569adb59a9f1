// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What FakeRunService answers about circuits: pure functions of configuration, step and index.
#include <algorithm>
#include <cmath>

#include "tests/ui/fake_run_service.h"

namespace lookback::tests {

using circuit::HeadId;
using circuit::HeadMeasure;

namespace {

/// Uniform in [0, 1), a pure function of its arguments.
double uniform(std::int64_t a, std::int64_t b, std::int64_t c)
{
    std::uint64_t x = static_cast<std::uint64_t>(a * 1'000'003 + b * 10'007 + c) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

std::vector<model::SublayerInfo> layersOf(const RunConfig &config)
{
    std::vector<model::SublayerInfo> layers;
    for (const model::VariantInfo &info : FakeRunService::nineVariants()) {
        for (std::int64_t layer = 0; info.id == config.variant && layer < config.pairs; ++layer)
            layers.push_back(info.pattern[static_cast<std::size_t>(layer) % info.pattern.size()]);
    }
    return layers;
}

/// The heads that do something.
struct Circuit {
    explicit Circuit(const RunConfig &config)
    {
        const std::vector<model::SublayerInfo> layers = layersOf(config);
        for (std::size_t i = 1; i < layers.size(); ++i) {
            if (layers[i].isWindowed)
                continue;
            if (matching.layer == 0)
                matching.layer = static_cast<std::int64_t>(i);
            retrieving.layer = static_cast<std::int64_t>(i);
        }
        previous.head = matching.head = 1 % config.query_heads;
        retrieving.head = 2 % config.query_heads;
        second = {retrieving.layer, 0};
    }
    HeadId previous, matching, retrieving, second;
};

/// How far something that forms at 2^`from` of 1,024 parts of the run has come, 0..1.
double formed(const RunConfig &config, std::int64_t step, double from)
{
    const double at = std::log2(1024.0 * static_cast<double>(step) / static_cast<double>(config.steps) + 1.0);
    return 1.0 / (1.0 + std::exp(-2.5 * (at - from)));
}

/// What removing a head costs of exact match.
double costOf(const RunConfig &config, std::int64_t step, const HeadId &id)
{
    const Circuit circuit(config);
    const double most = formed(config, step, 6.0);
    if (id == circuit.retrieving)
        return 0.615 * most;
    if (id == circuit.previous)
        return 0.472 * most;
    if (id == circuit.matching)
        return 0.286 * most;
    return id == circuit.second ? 0.129 * most : 0.004 * (uniform(id.layer, id.head, 1) - 0.5);
}

eval::AccuracyPoint pointOf(const RunConfig &config, std::int64_t n_keys, std::int64_t sequences, double accuracy)
{
    eval::AccuracyPoint point;
    point.n_keys = n_keys;
    point.contextTokens = config.contextTokens(n_keys);
    point.sequences = sequences;
    point.answers = sequences * n_keys;
    point.exact = std::llround(accuracy * static_cast<double>(point.answers));
    point.accuracy = static_cast<double>(point.exact) / static_cast<double>(point.answers);
    point.low = std::max(0.0, point.accuracy - 0.01);
    point.high = std::min(1.0, point.accuracy + 0.01);
    point.digitsRight = point.exact * config.value_digits;
    return point;
}

double intact(const RunConfig &config, std::int64_t step)
{
    return 0.001 + 0.995 * formed(config, step, 6.0);
}

} // namespace

circuit::HeadTable FakeRunService::scriptedHeads(const RunConfig &config, std::int64_t step,
                                                 const circuit::HeadRequest &request)
{
    circuit::HeadTable table;
    table.variant = config.variant;
    table.step = step;
    table.request = request;
    table.evaluationSeed = config.evaluation_seed;
    table.window = config.window;
    table.positions = config.contextTokens(request.n_keys) - 1;
    table.answers = request.sequences * std::min(request.n_keys, request.answersOfSequence);
    table.rightAnswers = std::llround(static_cast<double>(table.answers) * intact(config, step));
    table.layers = layersOf(config);
    const Circuit circuit(config);
    for (std::int64_t layer = 0; layer < std::ssize(table.layers); ++layer) {
        const model::SublayerInfo &info = table.layers[static_cast<std::size_t>(layer)];
        for (std::int64_t head = 0; head < config.query_heads; ++head) {
            const HeadId id{layer, head};
            circuit::HeadScores scores;
            scores.id = id;
            scores.kvHead = head * config.kv_heads / config.query_heads;
            const auto noise = [&](std::int64_t which) { return uniform(layer, head, which); };
            const auto set = [&](HeadMeasure measure, double value, double half) {
                const double most = circuit::measureInfo(measure).isShare() ? 1.0 : 1e9;
                scores.scores[measure] = circuit::Measured{std::clamp(value, 0.0, most), std::max(0.0, value - half),
                                                           std::min(most, value + half)};
            };
            double source = 0.0;
            if (!info.isWindowed) {
                const double grown = id == circuit.retrieving ? 0.94 * formed(config, step, 6.0)
                    : id == circuit.second                    ? 0.52 * formed(config, step, 7.5)
                                                              : 0.03 * noise(1);
                // Of early checkpoints no answer is right, and nothing was retrieved.
                if (table.rightAnswers > 0)
                    set(HeadMeasure::Retrieval, grown, 0.012);
                source =
                    0.9 * grown * std::pow(8.0 / static_cast<double>(std::max<std::int64_t>(8, request.n_keys)), 0.2);
                set(HeadMeasure::KeyMatching,
                    id == circuit.matching ? 0.83 * formed(config, step, 5.0) : 0.1 * noise(2), 0.015);
            }
            const double previous = id == circuit.previous ? 0.97 * formed(config, step, 4.0) : 0.1 * noise(3);
            set(HeadMeasure::PreviousToken, previous, 0.004);
            set(HeadMeasure::FixedOffset, std::max(previous, 0.3 * noise(4)), 0.01);
            // Shares of the weight: together 1. What the source loses goes to other values.
            set(HeadMeasure::SourceWeight, source, source > 0.0 ? 0.01 : 0.0);
            const double first = (1.0 - source) * 0.7 * noise(6) * noise(7);
            const double own = (1.0 - source - first) * 0.4 * noise(5);
            const double elsewhere = (1.0 - source - first - own) * 0.3 * noise(9);
            set(HeadMeasure::OwnEntry, own, 0.01);
            set(HeadMeasure::FirstToken, first, 0.01);
            set(HeadMeasure::Elsewhere, elsewhere, 0.01);
            set(HeadMeasure::OtherValues, 1.0 - source - first - own - elsewhere, 0.01);
            set(HeadMeasure::Entropy, 0.1 + 2.0 * noise(10), 0.05);
            set(HeadMeasure::MeanDistance, info.isWindowed ? 1.0 + 4.0 * noise(11) : 40.0 + 30.0 * noise(11), 0.5);
            if (info.logits == model::LogitForm::Squared)
                set(HeadMeasure::NegativeLogits, 0.2 * noise(12), 0.01);
            scores.scores.offsets.assign(circuit::kOffsets, 0.02);
            scores.scores.strongestOffset = id == circuit.previous ? 1 : 2 + static_cast<std::int64_t>(3.0 * noise(13));
            table.heads.push_back(std::move(scores));
        }
    }
    return table;
}

circuit::KnockoutPoint FakeRunService::scriptedEffect(const RunConfig &config, std::int64_t step, std::int64_t n_keys,
                                                      std::int64_t sequences, const std::vector<HeadId> &heads)
{
    double cost = 0.0;
    for (const HeadId &id : heads)
        cost += costOf(config, step, id);
    circuit::KnockoutPoint point;
    point.before = pointOf(config, n_keys, sequences, intact(config, step));
    point.after = pointOf(config, n_keys, sequences, std::clamp(point.before.accuracy - cost, 0.0, 1.0));
    point.difference.difference = point.after.accuracy - point.before.accuracy;
    const double half = 0.003 + 0.03 * std::abs(point.difference.difference);
    point.difference.interval = {point.difference.difference - half, point.difference.difference + half};
    point.difference.isDistinguishable = std::abs(point.difference.difference) > half;
    point.mcNemar.lost = std::max<std::int64_t>(0, point.before.exact - point.after.exact) + 3;
    point.mcNemar.gained = std::max<std::int64_t>(0, point.after.exact - point.before.exact) + 3;
    point.mcNemar.p = point.difference.isDistinguishable ? 1e-9 : 0.8;
    return point;
}

circuit::PatchResult FakeRunService::scriptedPatch(const RunConfig &config, std::int64_t step,
                                                   const circuit::PatchRequest &request)
{
    const Circuit circuit(config);
    circuit::PatchResult result;
    result.variant = config.variant;
    result.step = step;
    result.request = request;
    result.tried = request.sequences;
    result.sequences = std::llround(static_cast<double>(request.sequences) * intact(config, step));
    result.logitDifference = 12.3;
    const auto effectOf = [&](const std::vector<HeadId> &heads) {
        double moved = 0.0;
        for (const HeadId &id : heads)
            moved += id == circuit.retrieving ? 0.62
                : id == circuit.second        ? 0.2
                                              : 0.004 * (uniform(id.layer, id.head, 2) - 0.5);
        circuit::PatchEffect effect{.heads = heads, .moved = {}, .flipped = 0};
        if (result.sequences > 0)
            effect.moved = circuit::Measured{moved, moved - 0.03, moved + 0.03};
        effect.flipped = std::llround(std::max(0.0, moved - 0.1) * static_cast<double>(result.sequences));
        return effect;
    };
    if (!request.heads.empty()) {
        result.effects.push_back(effectOf(request.heads));
        return result;
    }
    for (const circuit::HeadScores &head : scriptedHeads(config, step, {}).heads)
        result.effects.push_back(effectOf({head.id}));
    return result;
}

eval::PerIndexTable FakeRunService::scriptedPerIndex(const RunConfig &config, std::int64_t step,
                                                     const eval::PerIndexRequest &request)
{
    eval::PerIndexTable table{.variant = config.variant,
                              .step = step,
                              .request = request,
                              .evaluationSeed = config.evaluation_seed,
                              .all = {},
                              .first = {},
                              .second = {}};
    const std::int64_t entries = 2 * request.n_keys;
    for (std::int64_t i = 0; i < entries; ++i) {
        // Second occurrences become more along the sequence, and a little harder.
        const double share = static_cast<double>(i) / static_cast<double>(entries - 1);
        const auto second = static_cast<std::int64_t>(share * static_cast<double>(request.sequences));
        const double loss = (0.004 + 0.02 * share) * (config.variant == "rope" ? 8.0 : 1.0)
            * (0.8 + 0.4 * uniform(i, step, config.seed));
        const double guess = 2.30 + 0.01 * uniform(i, step, 7);
        table.first.push_back({guess, 0.01, request.sequences - second});
        table.second.push_back({loss, 0.2 * loss, second});
        table.all.push_back({guess + share * (loss - guess), 0.05, request.sequences});
    }
    return table;
}

run::CircuitResult FakeRunService::circuitResult(const Run &run, const run::CircuitQuestion &question) const
{
    const RunConfig &config = run.snapshot.record.config;
    const std::vector<std::int64_t> &checkpoints = run.snapshot.checkpointSteps;
    const std::int64_t step = question.step < 0 ? checkpoints.back() : question.step;
    const auto example = [&](std::int64_t n_keys, std::int64_t sequence) {
        return scriptedExample(config,
                               {.runFolder = question.run, .step = step, .n_keys = n_keys, .sequence = sequence});
    };
    if (const auto *heads = std::get_if<circuit::HeadRequest>(&question.task))
        return scriptedHeads(config, step, *heads);
    if (const auto *timeline = std::get_if<circuit::TimelineRequest>(&question.task)) {
        std::vector<circuit::HeadTable> tables;
        for (const std::int64_t each : checkpoints)
            tables.push_back(scriptedHeads(config, each, timeline->heads));
        return tables;
    }
    if (const auto *each = std::get_if<circuit::GridRequest>(&question.task)) {
        circuit::KnockoutGrid grid{config.variant, step, config.evaluation_seed, *each, {}, {}};
        for (const circuit::HeadScores &head : scriptedHeads(config, step, {}).heads)
            grid.heads.push_back({head.id, scriptedEffect(config, step, each->n_keys, each->sequences, {head.id})});
        grid.intact = grid.heads.front().point.before;
        return grid;
    }
    if (const auto *knockout = std::get_if<circuit::KnockoutRequest>(&question.task)) {
        circuit::Knockout result{config.variant, step, config.evaluation_seed, knockout->intervention, {}};
        for (const std::int64_t n : knockout->n_keys)
            result.points.push_back(scriptedEffect(config, step, n, knockout->sequences, knockout->intervention.heads));
        return result;
    }
    if (const auto *under = std::get_if<run::ExampleUnderRequest>(&question.task)) {
        circuit::ExampleUnder result{example(under->n_keys, under->sequence), example(under->n_keys, under->sequence)};
        double cost = 0.0;
        for (const HeadId &id : under->intervention.heads)
            cost += costOf(config, step, id);
        for (analysis::Answer &answer : result.after.answers) {
            for (std::size_t digit = 0; cost > 0.05 && digit < answer.predicted.size(); ++digit) {
                std::vector<float> &probabilities = answer.probabilities[digit];
                const auto truth = static_cast<std::size_t>(answer.truth[digit]);
                const std::size_t winner = digit == 0 ? truth : (truth + 2 + digit) % 10;
                std::ranges::fill(probabilities, 0.05F);
                probabilities[truth] = 0.31F;
                probabilities[winner] = digit == 0 ? 0.45F : 0.38F;
                answer.predicted[digit] = static_cast<int>(winner);
            }
        }
        return result;
    }
    if (const auto *search = std::get_if<circuit::SearchRequest>(&question.task)) {
        const Circuit circuit(config);
        circuit::SmallestSets sets;
        sets.variant = config.variant;
        sets.step = step;
        sets.request = *search;
        std::vector<HeadId> removed;
        for (const HeadId &id : {circuit.retrieving, circuit.previous}) {
            removed.push_back(id);
            const circuit::KnockoutPoint point =
                scriptedEffect(config, step, search->n_keys, search->sequences, removed);
            sets.intact = point.before;
            sets.breaking.push_back({id, point.after, point.difference});
        }
        sets.isBroken = true;
        sets.kept = {circuit.previous, circuit.matching, circuit.retrieving};
        return sets;
    }
    if (const auto *lengths = std::get_if<circuit::ContextRequest>(&question.task)) {
        circuit::ContextHeads result;
        for (const circuit::HeadRequest &length : lengths->lengths)
            result.tables.push_back(scriptedHeads(config, step, length));
        return result;
    }
    if (const auto *patch = std::get_if<circuit::PatchRequest>(&question.task))
        return scriptedPatch(config, step, *patch);
    if (const auto *map = std::get_if<run::ExampleMapRequest>(&question.task))
        return scriptedMap(example(map->n_keys, map->sequence), map->head.layer, map->head.head);
    if (const auto *entries = std::get_if<eval::PerIndexRequest>(&question.task))
        return scriptedPerIndex(config, step, *entries);
    const auto &request = std::get<circuit::FailureRequest>(question.task);
    circuit::Failures failures;
    failures.variant = config.variant;
    failures.step = step;
    failures.request = request;
    failures.request.readers = {Circuit(config).retrieving};
    failures.byKeyDistance.assign(static_cast<std::size_t>(config.key_digits) + 1, 0);
    failures.expectedByKeyDistance = {0.0, 0.03, 0.24, 0.73};
    failures.byPlace.assign(circuit::kPlaceBins, {});
    failures.byDistance.assign(circuit::kPlaceBins, {});
    for (std::int64_t sequence = 0; sequence < std::min<std::int64_t>(request.sequences, 8); ++sequence) {
        const analysis::Example one = example(request.n_keys, sequence);
        for (const analysis::Answer &answer : one.answers) {
            ++failures.answers;
            failures.wrongAnswers += answer.isExact() ? 0 : 1;
            const auto place = static_cast<std::size_t>(circuit::kPlaceBins * answer.entry / (2 * request.n_keys));
            const auto back = static_cast<std::size_t>(circuit::kPlaceBins * (answer.entry - answer.firstEntry)
                                                       / (2 * request.n_keys));
            for (circuit::FailureCount *count : {&failures.byPlace[place], &failures.byDistance[back]}) {
                ++count->asked;
                count->wrong += answer.isExact() ? 0 : 1;
            }
            for (std::size_t digit = 0; digit < answer.truth.size(); ++digit) {
                ++failures.digits;
                if (answer.truth[digit] == answer.predicted[digit])
                    continue;
                ++failures.wrongDigits;
                circuit::WrongDigit wrong;
                wrong.sequence = sequence;
                wrong.entry = answer.entry;
                wrong.firstEntry = answer.firstEntry;
                wrong.digit = static_cast<std::int64_t>(digit);
                wrong.position = one.sequence.predictionPosition(answer.entry, wrong.digit);
                wrong.key = answer.key;
                wrong.truth = answer.truth[digit];
                wrong.predicted = answer.predicted[digit];
                wrong.margin = 0.2 + 3.0 * uniform(sequence, answer.entry, wrong.digit);
                wrong.probability = 0.01;
                if (uniform(answer.entry, sequence, 3) < 0.8) {
                    const std::int64_t distance =
                        1 + static_cast<std::int64_t>(2.5 * uniform(sequence, answer.entry, 5));
                    const std::int64_t other = (answer.key + (distance > 1 ? 11 : 1)) % 1000;
                    wrong.from =
                        circuit::TakenFrom{5 + wrong.digit, 0, other, std::min<std::int64_t>(distance, 3), 0.6};
                    ++failures.byKeyDistance[static_cast<std::size_t>(wrong.from->keyDistance)];
                } else {
                    ++failures.unknownOrigin;
                }
                failures.list.push_back(wrong);
            }
        }
    }
    return failures;
}

run::JobId FakeRunService::askCircuit(const run::CircuitQuestion &question)
{
    constexpr const char *kKinds[] = {"heads",    "grid",    "knockout", "example under", "sets",         "timeline",
                                      "failures", "context", "patch",    "map",           "loss by entry"};
    note(std::string("circuit ") + kKinds[question.task.index()], question.run);
    const run::JobId job = ++m_jobs;
    answer(job, [this, job, question] {
        run::CircuitAnswer reply;
        reply.job = job;
        const Run *run = find(question.run);
        if (!m_circuitFailure.empty())
            reply.failure = m_circuitFailure;
        else if (!run || run->snapshot.checkpointSteps.empty())
            reply.failure = "There is no checkpoint yet.";
        else
            reply.result = std::make_shared<const run::CircuitResult>(circuitResult(*run, question));
        post([&](run::ServiceEvents &events) { replaceOrAdd(events.circuit, reply, &run::CircuitAnswer::job); });
    });
    return job;
}

} // namespace lookback::tests
