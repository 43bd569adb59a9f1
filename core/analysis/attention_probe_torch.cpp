// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/attention_probe.h"

#include <optional>
#include <utility>

#include "core/analysis/example_torch.h"
#include "core/circuit/removal_torch.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/run_folder.h"
#include "core/torch_thread.h"

namespace lookback::analysis {

struct AttentionProbe::Private {
    Private(const std::string &folder, std::int64_t step, const ComputeOptions &options)
        : runFolder(folder), compute(options),
          loaded(run::loadModel(run::RunFolder::open(folder), step, at::Device(resolvedDevice(options.device)),
                                options.kernels))
    {
    }

    const SeenSequence &lastExample() const
    {
        if (!seen)
            throw Error(runFolder, "No example has been chosen yet.", "Choose a sequence first.");
        return *seen;
    }

    std::string runFolder;
    ComputeOptions compute;
    run::LoadedModel loaded;
    std::pair<std::int64_t, circuit::HeadMeans> means; ///< For so many keys; of the intact model.
    std::optional<circuit::HeadRemoval> removal; ///< In force for `seen`; changes `loaded`, so ends before it.
    std::optional<SeenSequence> seen;
};

AttentionProbe::AttentionProbe(const std::string &runFolder, std::int64_t step, const ComputeOptions &compute)
{
    enterTorchThread(compute.threads);
    d = std::make_unique<Private>(runFolder, step, compute);
}

AttentionProbe::~AttentionProbe() = default;

Example AttentionProbe::example(std::int64_t n_keys, std::int64_t sequence, std::stop_token stop,
                                const ProgressFunction &progress, const circuit::Intervention &intervention)
{
    enterTorchThread(d->compute.threads);
    const RunConfig &config = d->loaded.config;
    eval::requireEvaluable(config, {n_keys}, 1);
    if (sequence < 0)
        throw Error("sequence " + std::to_string(sequence), "Evaluation sequences are numbered from 0.");
    const circuit::Intervention without = circuit::normalised(intervention);
    circuit::requireHeads(without.heads, d->loaded.model.attentionLayers(), config.query_heads);
    d->seen.reset(); // its memory first
    d->removal.reset();
    if (!without.heads.empty()) {
        const bool needsMeans = without.removal == circuit::Removal::Mean;
        if (needsMeans && d->means.first != n_keys)
            d->means = {n_keys, circuit::meanOutputs(d->loaded.model, n_keys, stop)};
        d->removal.emplace(d->loaded.model, without.removal, needsMeans ? d->means.second : circuit::HeadMeans());
        d->removal->set(without.heads);
    }
    const task::TaskShape shape{.key_digits = config.key_digits, .value_digits = config.value_digits};
    d->seen = seeSequence(
        d->loaded.model,
        task::evaluationSequence(shape, n_keys, config.evaluation_seed, sequence, task::evaluationKeys(config)),
        std::move(stop), progress);
    d->seen->example.key = {.runFolder = d->runFolder,
                            .step = d->loaded.step,
                            .n_keys = n_keys,
                            .sequence = sequence,
                            .intervention = without};
    return d->seen->example;
}

HeadMap AttentionProbe::headMap(std::int64_t layer, std::int64_t head, std::stop_token stop,
                                const ProgressFunction &progress)
{
    enterTorchThread(d->compute.threads);
    return std::move(
        headMaps(d->loaded.model, d->lastExample(), layer, head, head + 1, std::move(stop), progress).front());
}

std::vector<HeadMap> AttentionProbe::layerMaps(std::int64_t layer, std::stop_token stop,
                                               const ProgressFunction &progress)
{
    enterTorchThread(d->compute.threads);
    return headMaps(d->loaded.model, d->lastExample(), layer, 0, d->loaded.config.query_heads, std::move(stop),
                    progress);
}

void AttentionProbe::headPieces(std::int64_t layer, std::int64_t head, std::int64_t query,
                                const std::function<void(HeadRows)> &onRows, std::stop_token stop)
{
    enterTorchThread(d->compute.threads);
    analysis::headPieces(d->loaded.model, d->lastExample(), layer, head, query, onRows, std::move(stop));
}

HeadRows AttentionProbe::exactRow(std::int64_t layer, std::int64_t head, std::int64_t query)
{
    enterTorchThread(d->compute.threads);
    return analysis::exactRow(d->loaded.model, d->lastExample(), layer, head, query);
}

std::vector<float> AttentionProbe::headRow(std::int64_t layer, std::int64_t head, std::int64_t query)
{
    enterTorchThread(d->compute.threads);
    return analysis::headRow(d->loaded.model, d->lastExample(), layer, head, query);
}

} // namespace lookback::analysis
