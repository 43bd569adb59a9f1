// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lookback {

/// One stage of the curriculum: batches hold `n_keys` unique keys up to and including step `until_step`.
struct CurriculumStage {
    std::int64_t n_keys = 0;
    std::int64_t until_step = 0;
    bool operator==(const CurriculumStage &) const = default;
};

/// Everything that decides the numbers of a run, beside the machine it runs on.
///
/// Member names are the names used everywhere: in run.json, `--set name=value`, tooltips and specs. That is why they
/// are spelt with underscores. The defaults are those of the published configuration (preset "paper").
/// configFields() describes each member: unit, range and a sentence for a newcomer.
struct RunConfig {
    std::string variant = "hybrid_square"; ///< Id of a VariantInfo.

    // model
    std::int64_t d_model = 128; ///< Width of the residual stream.
    std::int64_t query_heads = 4; ///< d_model must be divisible by it; head width = d_model / query_heads.
    std::int64_t kv_heads = 4; ///< query_heads must be divisible by it.
    std::int64_t pairs = 8; ///< Pairs of one attention and one feed-forward sublayer.
    std::int64_t ffn_hidden = 512; ///< Hidden width of the SwiGLU feed-forward sublayer.
    std::int64_t window = 10; ///< Keys that a windowed sublayer sees, the query's own included.
    double rope_base = 10000.0; ///< Base of the rotary angles.

    // task
    std::int64_t key_digits = 3;
    std::int64_t value_digits = 3;
    std::int64_t n_keys = 8; ///< Unique keys of a training sequence after the curriculum.
    std::vector<CurriculumStage> curriculum{{2, 750}, {4, 1500}, {6, 2500}}; ///< Written "2:750,4:1500,6:2500".
    double promotion_accuracy = 0.0; ///< Digit accuracy at which a stage is left before its step; 0 = never.
    std::int64_t promotion_steps = 1; ///< Steps over whose mean promotion_accuracy is to be reached.
    double clustered_share =
        0.0; ///< Of the sequences of a training batch, the first ones: their keys come in clusters.
    std::int64_t cluster_keys = 8; ///< Keys of a cluster: one and others that differ from it in one digit.
    double evaluation_mutated = 0.0; ///< Share of the evaluated keys that differ from another one in one digit.

    // training
    std::int64_t batch = 64; ///< Sequences of a batch.
    std::int64_t batch_keys = 0; ///< Unique keys that a batch may hold in all; 0 = no limit. See batchOf.
    std::int64_t steps = 15000;
    double learning_rate = 3e-4; ///< Peak, reached at step warmup_steps.
    std::int64_t warmup_steps = 500;
    double decay_start = 0.0; ///< Share of the steps after the warm-up before the learning rate begins to fall.
    double dropout = 0.0; ///< Share of the numbers that each sublayer adds which are dropped in training.
    double weight_decay = 0.1; ///< AdamW, on every parameter.
    double beta1 = 0.9; ///< AdamW: how slowly the mean of the gradients forgets.
    double beta2 = 0.999; ///< AdamW: how slowly the mean of their squares forgets.
    double epsilon = 1e-8; ///< AdamW: added to the root of the mean of squares.
    double gradient_clip = 0.0; ///< Largest norm of the whole gradient; a longer one is shortened to it. 0 = never.
    double recovery_factor = 1.0; ///< On the learning rate, after a run went back from values that were not finite.
    std::uint64_t seed = 0; ///< Initial weights and training batches.

    // records
    std::int64_t log_every = 100; ///< Steps between two metrics lines; step 1 and the last are always logged.
    std::int64_t checkpoint_every = 1000; ///< Steps between two checkpoints; the last step always has one.
    std::int64_t evaluate_every = 0; ///< Steps between two evaluations; 0 = only when the run ends.
    std::vector<std::int64_t> evaluation_n{8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256}; ///< Unique keys.
    std::int64_t evaluation_sequences = 128; ///< Sequences of each evaluation point.
    std::uint64_t evaluation_seed = 1; ///< Evaluation sequences; the same for every variant and seed.

    /// Width of one head: d_model / query_heads (0 if query_heads is 0).
    std::int64_t headWidth() const { return query_heads > 0 ? d_model / query_heads : 0; }
    /// Tokens of one entry: StartKey, key digits, StartValue, value digits.
    std::int64_t entryTokens() const { return 2 + key_digits + value_digits; }
    /// Tokens of a sequence of n unique keys: 2 * n * entryTokens().
    std::int64_t contextTokens(std::int64_t n) const { return 2 * n * entryTokens(); }
    /// Unique keys in force at `step` (1-based): the first stage whose until_step >= step, else n_keys. With
    /// promotion_accuracy that is the least; what is in force also depends on what was learned (train::Curriculum).
    std::int64_t nKeysAtStep(std::int64_t step) const;
    /// Sequences of a batch of n unique keys each: `batch`, or as many as batch_keys allows, at least 1.
    std::int64_t batchOf(std::int64_t n) const;
    /// The largest context that training shows: contextTokens of the largest n of curriculum and n_keys.
    std::int64_t trainedTokens() const;

    bool operator==(const RunConfig &) const = default;
};

enum class FieldKind { Text, Integer, UnsignedInteger, Real, IntegerList, Curriculum };
enum class FieldGroup { Model, Task, Training, Records };

/// One member of RunConfig as data: what JSON, `--set`, the advanced settings and the specs are made from.
struct ConfigField {
    std::string_view name; ///< The member's name.
    std::string_view title; ///< In words, sentence case: "Query heads".
    std::string_view unit; ///< "tokens", "steps", "digits", or empty.
    std::string_view explanation; ///< One sentence for a newcomer.
    FieldGroup group;
    FieldKind kind;
    double minimum; ///< Inclusive; for lists: of each item.
    double maximum; ///< Inclusive.
    bool changesModel; ///< True if weights trained with another value cannot be used.
};

/// All fields except `variant`, in the order in which they are shown.
std::span<const ConfigField> configFields();

/// The field of that name. Throws Error that lists near names.
const ConfigField &configField(std::string_view name);

/// The value as text: integers plainly, reals by the shortest form that reads back exactly, lists "8,16,32",
/// a curriculum "2:750,4:1500" or "none". Independent of the locale.
std::string fieldText(const RunConfig &config, std::string_view name);

/// Sets one field from text as written by fieldText. A decimal comma is refused with a sentence, never read as
/// something else. Throws Error naming field, value and allowed range; `config` is unchanged then.
void setField(RunConfig &config, std::string_view name, std::string_view text);

/// "name=value" of `--set`.
void applySetting(RunConfig &config, std::string_view assignment);

/// A fault of a configuration: the field and one sentence with the reason and the remedy.
struct ConfigProblem {
    std::string field;
    std::string message;
    bool operator==(const ConfigProblem &) const = default;
};

/// All reasons why this configuration cannot run (ranges, width not divisible by heads, more keys than the digits
/// allow, curriculum not rising, nothing to evaluate, more memory than the machine has, ...), at most one a field.
/// Empty = it can. What depends on the variant is added by model::problemsOfRun.
std::vector<ConfigProblem> problemsOf(const RunConfig &config);

/// Memory of the weights, their gradients and the optimiser's moments, in bytes; an estimate without the small parts.
double estimatedWeightBytes(const RunConfig &config);

/// Memory of training with the largest n, in bytes: a low estimate (weights, and activations without attention maps).
double estimatedTrainingBytes(const RunConfig &config);

/// Memory of evaluating one sequence of n unique keys, in bytes: a low estimate (tokens, hidden states, and queries,
/// keys and values of one sublayer).
double estimatedEvaluationBytes(const RunConfig &config, std::int64_t n_keys);

/// Names of the presets, smallest first: "tiny", "laptop", "paper".
std::span<const std::string_view> presetNames();

/// One sentence that says what a preset is for.
std::string_view presetExplanation(std::string_view name);

/// The preset's configuration, with the default variant and seed 0. Throws Error for an unknown name.
RunConfig presetConfig(std::string_view name);

/// The preset that this configuration equals but for variant and seed; empty if none.
std::string_view presetOf(const RunConfig &config);

/// JSON text of a configuration: one object, every field by its name. Reals round-trip exactly, 64-bit seeds too.
std::string configToJson(const RunConfig &config);

/// Reads configToJson's text; a missing field keeps its default, an unknown one is an Error that names it.
RunConfig configFromJson(std::string_view json);

} // namespace lookback
