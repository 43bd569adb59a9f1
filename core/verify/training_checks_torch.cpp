// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/checks_torch.h"

#include <algorithm>
#include <limits>
#include <span>

#include <ATen/core/grad_mode.h>

#include "core/error.h"
#include "core/eval/per_index.h"
#include "core/train/adamw_torch.h"
#include "core/train/schedule.h"
#include "core/train/training_step_torch.h"
#include "core/verify/comparison_torch.h"

namespace lookback::verify {

namespace {

/// The fixture with the weights that another one starts from.
Fixture weightsBeside(const Fixture &fixture, const std::string &variant)
{
    const std::filesystem::path file = fixture.path().parent_path() / (variant + ".safetensors");
    if (std::error_code fault; !std::filesystem::exists(file, fault)) {
        throw Error(fixture.path().string(), "The weights that it starts from are not there: " + file.string() + ".",
                    "Keep the variant's own fixture in the same folder.");
    }
    return Fixture(file);
}

/// Curriculum, schedule and decay of an optimizer fixture on top of the model's configuration.
RunConfig trainingConfig(const Fixture &fixture, RunConfig config)
{
    const nlohmann::json described = fixture.description().value("optimizer", nlohmann::json::object());
    const at::Tensor n_keys = fixture.at("n_keys").to(at::kLong);
    config.steps = integerOf(described, "steps", n_keys.size(0));
    config.warmup_steps = integerOf(described, "warm_up_steps", config.warmup_steps);
    config.learning_rate = realOf(described, "learning_rate", config.learning_rate);
    config.weight_decay = realOf(described, "weight_decay", config.weight_decay);
    config.n_keys = integerOf(described, "n_keys_after_curriculum", n_keys[-1].item<std::int64_t>());
    config.curriculum.clear();
    if (described.contains("curriculum_until_step_n_keys")) {
        for (const nlohmann::json &stage : described["curriculum_until_step_n_keys"])
            config.curriculum.push_back({stage.at(1).get<std::int64_t>(), stage.at(0).get<std::int64_t>()});
    }
    return config;
}

void checkSchedule(const Fixture &fixture, const RunConfig &config, const CheckContext &context)
{
    Comparison rates(fixture.name(), "learning rate", "float64", 1e-12, Comparison::Scale::Relative);
    Comparison keys(fixture.name(), "curriculum", "exact", 0.0);
    const at::Tensor expectedRates = fixture.at("learning_rate");
    const at::Tensor expectedKeys = fixture.at("n_keys").to(at::kLong);
    for (std::int64_t step = 1; step <= expectedRates.size(0); ++step) {
        rates.add(train::learningRateAt(config, step), expectedRates[step - 1].item<double>());
        keys.addExact(config.nKeysAtStep(step), expectedKeys[step - 1].item<std::int64_t>());
    }
    rates.finish(context.report);
    keys.finish(context.report);
}

void checkSteps(const Fixture &fixture, const std::string &variant, const RunConfig &config, const Fixture &weights,
                at::ScalarType type, const CheckContext &context)
{
    const bool isFloat = type == at::kFloat;
    const std::string precision = precisionName(type);
    const double lossTolerance = fixture.tolerance(precision, "loss", isFloat ? 2e-5 : 1e-8);
    const double weightTolerance = fixture.tolerance(precision, "final_weights", isFloat ? 5e-5 : 1e-8);
    Comparison losses(fixture.name(), variant + ": loss of % steps", precision, lossTolerance);
    // The gradient norm is a sum over all parameters: as exact as the gradients of one variant file.
    Comparison norms(fixture.name(), variant + ": gradient norm of % steps", precision, isFloat ? 1e-4 : 1e-7,
                     Comparison::Scale::Relative);
    Comparison finals(fixture.name(), variant + ": final weights (% tensors)", precision, weightTolerance);

    model::Transformer model = modelOf(weights, config, type, context.device, context.kernels);
    const std::vector<model::NamedTensor> parameters = model.parameters();
    train::AdamW optimizer(parameters, config);
    const task::TaskShape shape{config.key_digits, config.value_digits};
    const at::Tensor expectedLoss = fixture.at(variant + ".loss");
    for (std::int64_t step = 1; step <= expectedLoss.size(0); ++step) {
        context.step(fixture.name() + ": " + variant + " in " + precision, step - 1, expectedLoss.size(0));
        const std::vector<task::Sequence> sequences = sequencesOf(fixture.at("tokens." + std::to_string(step)), shape);
        optimizer.clearGradients();
        const train::StepValues values =
            train::forwardAndBackward(model, parameters, train::batchOf(sequences, context.device));
        losses.add(values.loss, expectedLoss[step - 1].item<double>());
        if (fixture.has(variant + ".grad_norm"))
            norms.add(values.gradientNorm, fixture.at(variant + ".grad_norm")[step - 1].item<double>());
        optimizer.update(train::learningRateAt(config, step), step);
    }
    for (const auto &[name, tensor] : parameters) {
        if (fixture.has(variant + ".final." + name))
            finals.add(tensor, fixture.at(variant + ".final." + name), name);
    }
    losses.finish(context.report);
    norms.finish(context.report);
    finals.finish(context.report);
}

void addCurve(Comparison &comparison, const std::vector<double> &computed, const at::Tensor &expected)
{
    for (std::int64_t i = 0; i < expected.size(0); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double value = index < computed.size() ? computed[index] : std::numeric_limits<double>::infinity();
        comparison.add(value, expected[i].item<double>());
    }
}

/// Loss by entry of all sequences; the logits' own type decides in which precision they are read.
eval::PerIndexLoss lossByEntry(const at::Tensor &logits_BTV, const std::vector<task::Sequence> &sequences)
{
    eval::PerIndexLoss loss;
    const at::Tensor logits = logits_BTV.to(at::kCPU).contiguous();
    const auto size = static_cast<std::size_t>(logits.size(1) * logits.size(2));
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        if (logits.scalar_type() == at::kFloat)
            loss.add(sequences[b], std::span(logits.const_data_ptr<float>() + b * size, size));
        else
            loss.add(sequences[b], std::span(logits.const_data_ptr<double>() + b * size, size));
    }
    return loss;
}

/// What evaluation counts in given logits.
eval::LogitScore scoreOf(const at::Tensor &logits_BTV, const std::vector<task::Sequence> &sequences)
{
    eval::LogitScore sum;
    const at::Tensor logits = logits_BTV.to(at::kCPU).contiguous();
    const auto size = static_cast<std::size_t>(logits.size(1) * logits.size(2));
    for (std::size_t b = 0; b < sequences.size(); ++b) {
        const eval::LogitScore one = logits.scalar_type() == at::kFloat
            ? eval::scoreLogits(sequences[b], std::span(logits.const_data_ptr<float>() + b * size, size))
            : eval::scoreLogits(sequences[b], std::span(logits.const_data_ptr<double>() + b * size, size));
        sum.lossSum += one.lossSum;
        sum.digits += one.digits;
        sum.digitsRight += one.digitsRight;
        sum.answers += one.answers;
        sum.exact += one.exact;
    }
    return sum;
}

void addCounts(Comparison &comparison, const std::vector<std::int64_t> &computed, const at::Tensor &expected)
{
    const at::Tensor wanted = expected.to(at::kLong);
    comparison.addExact(static_cast<std::int64_t>(computed.size()), wanted.size(0));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(wanted.size(0), std::ssize(computed)); ++i)
        comparison.addExact(computed[static_cast<std::size_t>(i)], wanted[i].item<std::int64_t>());
}

} // namespace

void checkOptimizer(const Fixture &fixture, const CheckContext &context)
{
    bool isScheduleChecked = false;
    for (const std::string &variant : fixture.prefixesOf(".loss")) {
        const Fixture weights = weightsBeside(fixture, variant);
        const RunConfig config = trainingConfig(fixture, modelConfigOf(weights, context.report.notes));
        if (!isScheduleChecked)
            checkSchedule(fixture, config, context);
        isScheduleChecked = true;
        for (const at::ScalarType type : {at::kFloat, at::kDouble})
            checkSteps(fixture, variant, config, weights, type, context);
    }
}

void checkEntryLosses(const Fixture &fixture, const CheckContext &context)
{
    const task::TaskShape shape = taskShapeOf(fixture.at("tokens"));
    const std::vector<task::Sequence> sequences = sequencesOf(fixture.at("tokens"), shape);
    const train::Batch batch = train::batchOf(sequences, context.device);
    for (const std::string &variant : fixture.prefixesOf(".all_entries")) {
        const Fixture weights = weightsBeside(fixture, variant);
        const RunConfig config = modelConfigOf(weights, context.report.notes);
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            const std::string precision = precisionName(type);
            context.step(fixture.name() + ": " + variant + " in " + precision, 0, 1);
            const at::NoGradGuard noGrad;
            const at::Tensor logits =
                modelOf(weights, config, type, context.device, context.kernels).forward(batch.tokens_BT);
            const eval::PerIndexLoss losses = lossByEntry(logits, sequences);
            double tolerance = type == at::kFloat ? 5e-6 : 1e-10;
            const nlohmann::json described = fixture.description().value("tolerance", nlohmann::json::object());
            tolerance = realOf(described, precision, tolerance);
            Comparison all(fixture.name(), variant + ": loss by entry, all (% entries)", precision, tolerance);
            addCurve(all, losses.allEntries(), fixture.at(variant + ".all_entries"));
            all.finish(context.report);
            Comparison second(fixture.name(), variant + ": loss by entry, second occurrences (% entries)", precision,
                              tolerance);
            if (fixture.has(variant + ".second_occurrences"))
                addCurve(second, losses.secondOccurrences(), fixture.at(variant + ".second_occurrences"));
            second.finish(context.report);
            if (type == at::kFloat && fixture.has("second_occurrence_count")) {
                Comparison counts(fixture.name(), "second occurrences by entry", "exact", 0.0);
                addCounts(counts, losses.secondOccurrenceCounts(), fixture.at("second_occurrence_count"));
                counts.finish(context.report);
            }
        }
    }
}

void checkMetrics(const Fixture &fixture, const CheckContext &context)
{
    const task::TaskShape shape = taskShapeOf(fixture.at("tokens"));
    const std::vector<task::Sequence> sequences = sequencesOf(fixture.at("tokens"), shape);
    const train::Batch batch = train::batchOf(sequences, context.device);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const std::string precision = precisionName(type);
        context.step(fixture.name() + " in " + precision, 0, 1);
        const at::NoGradGuard noGrad;
        const at::Tensor logits_BTV = fixture.at("logits").to(context.device, type);
        const at::Tensor logits_SV = logits_BTV.flatten(0, 1).index_select(0, batch.positions_S);
        const double tolerance = fixture.tolerance(precision, "loss", type == at::kFloat ? 2e-6 : 1e-12);
        const auto scalar = [&](const std::string &tensor, const std::string &title, double value, double allowed) {
            if (!fixture.has(tensor))
                return;
            Comparison one(fixture.name(), title, precision, allowed);
            one.add(value, fixture.at(tensor).item<double>());
            one.finish(context.report);
        };
        scalar("loss", "loss", train::scoredLoss(logits_SV, batch.targets_S).item<double>(), tolerance);
        // Shares of a few hundred digits: exact up to the division.
        const eval::LogitScore score = scoreOf(logits_BTV, sequences);
        const auto share = [](std::int64_t part, std::int64_t all) {
            return static_cast<double>(part) / static_cast<double>(all);
        };
        scalar("loss", "loss, evaluated", score.lossSum / static_cast<double>(score.digits), tolerance);
        scalar("digit_accuracy", "digit accuracy", share(score.digitsRight, score.digits), 1e-12);
        scalar("exact_match", "exact match", share(score.exact, score.answers), 1e-12);
        const eval::PerIndexLoss losses = lossByEntry(logits_BTV, sequences);
        if (fixture.has("per_index.all_entries")) {
            Comparison all(fixture.name(), "loss by entry, all (% entries)", precision, tolerance);
            addCurve(all, losses.allEntries(), fixture.at("per_index.all_entries"));
            all.finish(context.report);
        }
        if (fixture.has("per_index.second_occurrences")) {
            Comparison second(fixture.name(), "loss by entry, second occurrences (% entries)", precision, tolerance);
            addCurve(second, losses.secondOccurrences(), fixture.at("per_index.second_occurrences"));
            second.finish(context.report);
        }
        if (type == at::kFloat && fixture.has("per_index.second_occurrence_count")) {
            Comparison counts(fixture.name(), "second occurrences by entry", "exact", 0.0);
            addCounts(counts, losses.secondOccurrenceCounts(), fixture.at("per_index.second_occurrence_count"));
            counts.finish(context.report);
        }
    }
}

} // namespace lookback::verify
