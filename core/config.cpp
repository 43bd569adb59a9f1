// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/config_access.h"
#include "core/json.h"
#include "core/memory.h"

namespace lookback {

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double kFloatBytes = 4.0;

double asReal(std::int64_t value)
{
    return static_cast<double>(value);
}

std::string gibibytes(double bytes)
{
    const double value = bytes / kGibibyte;
    if (value < 10.0)
        return realText(std::round(value * 10.0) / 10.0) + " GiB";
    return value < 1e15 ? std::to_string(std::llround(value)) + " GiB" : "far more than 10^15 GiB";
}

double keysAllowed(const RunConfig &config)
{
    return std::pow(10.0, asReal(config.key_digits));
}

std::string tooManyKeys(const RunConfig &config, std::int64_t n, const std::string &where)
{
    const std::string digits =
        std::to_string(config.key_digits) + (config.key_digits == 1 ? " key digit" : " key digits");
    return digits + " allow " + std::to_string(static_cast<std::int64_t>(keysAllowed(config))) + " distinct keys, but "
        + where + " asks for " + std::to_string(n) + "; raise key_digits or lower n.";
}

/// Collects the problems; a field that was already refused is not refused again.
class Inspection {
public:
    explicit Inspection(const RunConfig &config) : m_config(config) { }

    std::vector<ConfigProblem> run()
    {
        checkRanges();
        checkHeads();
        checkTask();
        checkTraining();
        checkEvaluation();
        if (m_problems.empty()) // sizes out of range would give estimates without meaning
            checkMemory();
        return std::move(m_problems);
    }

private:
    bool isSound(std::string_view field) const
    {
        return std::none_of(m_problems.begin(), m_problems.end(),
                            [&](const ConfigProblem &problem) { return problem.field == field; });
    }

    void add(std::string_view field, std::string message)
    {
        if (isSound(field))
            m_problems.push_back({std::string(field), std::move(message)});
    }

    void checkRange(const ConfigField &field, double value, const std::string &shown)
    {
        const std::string fault = configuration::rangeFault(field, value, shown);
        if (!fault.empty())
            add(field.name, fault);
    }

    void checkValue(const ConfigField &field, std::int64_t value)
    {
        checkRange(field, asReal(value), std::to_string(value));
    }
    void checkValue(const ConfigField & /*field*/, std::uint64_t /*value*/) { }
    void checkValue(const ConfigField &field, double value) { checkRange(field, value, realText(value)); }
    void checkValue(const ConfigField &field, const std::vector<std::int64_t> &values)
    {
        for (const std::int64_t value : values)
            checkValue(field, value);
    }
    void checkValue(const ConfigField &field, const std::vector<CurriculumStage> &stages)
    {
        for (const CurriculumStage &stage : stages) {
            checkValue(field, stage.n_keys);
            checkValue(field, stage.until_step);
        }
    }

    void checkRanges()
    {
        for (const ConfigField &field : configFields())
            std::visit([&](auto member) { checkValue(field, m_config.*member); }, configuration::memberOf(field.name));
    }

    void checkHeads()
    {
        if (!isSound("d_model") || !isSound("query_heads") || !isSound("kv_heads"))
            return;
        if (m_config.d_model % m_config.query_heads != 0)
            add("query_heads",
                "Model width " + std::to_string(m_config.d_model) + " is not divisible by "
                    + std::to_string(m_config.query_heads)
                    + " query heads; choose a width that is a multiple of the number of heads.");
        if (m_config.query_heads % m_config.kv_heads != 0)
            add("kv_heads",
                std::to_string(m_config.query_heads) + " query heads cannot share " + std::to_string(m_config.kv_heads)
                    + " key-value heads evenly; choose a number that divides the query heads.");
    }

    void checkTask()
    {
        if (!isSound("key_digits"))
            return;
        if (isSound("n_keys") && asReal(m_config.n_keys) > keysAllowed(m_config))
            add("n_keys", tooManyKeys(m_config, m_config.n_keys, "training"));
        std::int64_t former = 0;
        for (const CurriculumStage &stage : m_config.curriculum) {
            if (asReal(stage.n_keys) > keysAllowed(m_config))
                add("curriculum", tooManyKeys(m_config, stage.n_keys, "a stage of the curriculum"));
            // With promotion the step of a stage is only its latest end: several may share one.
            const bool isAfter =
                stage.until_step > former || (m_config.promotion_accuracy > 0.0 && stage.until_step == former);
            if (!isAfter)
                add("curriculum",
                    "The curriculum ends a stage at step " + std::to_string(stage.until_step)
                        + ", not after the stage before it (step " + std::to_string(former)
                        + "); list the stages by rising steps.");
            former = stage.until_step;
        }
    }

    void checkTraining()
    {
        if (isSound("steps") && m_config.warmup_steps >= m_config.steps)
            add("warmup_steps",
                "A warm-up of " + std::to_string(m_config.warmup_steps) + " steps does not fit into a training of "
                    + std::to_string(m_config.steps) + " steps; choose fewer warm-up steps or more steps.");
    }

    void checkEvaluation()
    {
        if (m_config.evaluation_n.empty())
            add("evaluation_n", "There is nothing to evaluate; list at least one number of keys, as in 8,16,32.");
        std::set<std::int64_t> seen;
        for (const std::int64_t n : m_config.evaluation_n) {
            if (isSound("key_digits") && asReal(n) > keysAllowed(m_config))
                add("evaluation_n", tooManyKeys(m_config, n, "evaluation"));
            if (!seen.insert(n).second)
                add("evaluation_n", "The evaluation lengths name " + std::to_string(n) + " twice; list each once.");
        }
    }

    void checkMemory()
    {
        const double available = usableMemoryBytes();
        if (available <= 0.0)
            return;
        const std::string rest = ", but this machine has " + gibibytes(available) + "; ";
        const double weights = estimatedWeightBytes(m_config);
        if (weights > available)
            add("d_model",
                "The weights and their optimiser state need about " + gibibytes(weights) + rest
                    + "choose a smaller model.");
        const double training = estimatedTrainingBytes(m_config);
        if (training > available) {
            const double ofSequence = (training - weights) / asReal(m_config.batch);
            const double fitting = std::floor((available - weights) / ofSequence);
            add("batch",
                "Training needs about " + gibibytes(training) + " of memory" + rest
                    + (fitting >= 1.0 ? "a batch of " + std::to_string(std::llround(fitting)) + " would fit."
                                      : "choose a smaller model or n."));
        }
        const std::int64_t longest = *std::max_element(m_config.evaluation_n.begin(), m_config.evaluation_n.end());
        const double evaluation = estimatedEvaluationBytes(m_config, longest);
        if (evaluation > available) {
            const double fitting = std::floor(asReal(longest) * (available / evaluation));
            add("evaluation_n",
                "Evaluating n = " + std::to_string(longest) + " needs about " + gibibytes(evaluation) + " of memory"
                    + rest
                    + (fitting >= 1.0 ? "n = " + std::to_string(std::llround(fitting)) + " would fit."
                                      : "choose a smaller model."));
        }
    }

    const RunConfig &m_config;
    std::vector<ConfigProblem> m_problems;
};

} // namespace

std::int64_t RunConfig::nKeysAtStep(std::int64_t step) const
{
    for (const CurriculumStage &stage : curriculum) {
        if (step <= stage.until_step)
            return stage.n_keys;
    }
    return n_keys;
}

std::int64_t RunConfig::batchOf(std::int64_t n) const
{
    if (batch_keys <= 0 || n <= 0)
        return batch;
    return std::max<std::int64_t>(1, std::min(batch, batch_keys / n));
}

std::int64_t RunConfig::trainedTokens() const
{
    std::int64_t largest = n_keys;
    for (const CurriculumStage &stage : curriculum)
        largest = std::max(largest, stage.n_keys);
    return contextTokens(largest);
}

double estimatedWeightBytes(const RunConfig &config)
{
    constexpr double kCopies = 4.0; // weight, gradient and two moments
    const double width = asReal(config.d_model);
    const double keyValueShare = config.query_heads > 0 ? asReal(config.kv_heads) / asReal(config.query_heads) : 1.0;
    const double attention = width * width * (2.0 + 2.0 * keyValueShare);
    const double feedForward = 3.0 * width * asReal(config.ffn_hidden);
    return kCopies * kFloatBytes * asReal(config.pairs) * (attention + feedForward);
}

double estimatedTrainingBytes(const RunConfig &config)
{
    // What the backward pass keeps of each token: in attention two norms, q, k, v and output, in the feed-forward
    // sublayer gate, up and their product. Attention maps are left out: a design may recompute them.
    double tokens = asReal(config.batchOf(config.n_keys)) * asReal(config.contextTokens(config.n_keys));
    for (const CurriculumStage &stage : config.curriculum)
        tokens = std::max(tokens, asReal(config.batchOf(stage.n_keys)) * asReal(config.contextTokens(stage.n_keys)));
    const double ofToken = asReal(config.pairs) * (6.0 * asReal(config.d_model) + 3.0 * asReal(config.ffn_hidden));
    return estimatedWeightBytes(config) + kFloatBytes * tokens * ofToken;
}

double estimatedEvaluationBytes(const RunConfig &config, std::int64_t n_keys)
{
    constexpr double kStates = 5.0; // residual, its norm, queries, keys and values
    return kFloatBytes * kStates * asReal(config.d_model) * asReal(config.contextTokens(n_keys));
}

std::vector<ConfigProblem> problemsOf(const RunConfig &config)
{
    return Inspection(config).run();
}

} // namespace lookback
