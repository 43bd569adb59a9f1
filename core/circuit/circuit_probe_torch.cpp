// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/circuit_probe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include "core/analysis/example_torch.h"
#include "core/circuit/failures_torch.h"
#include "core/circuit/head_cache.h"
#include "core/circuit/head_measures_torch.h"
#include "core/circuit/knockout_torch.h"
#include "core/circuit/measure_cache.h"
#include "core/circuit/patching_torch.h"
#include "core/circuit/removal_torch.h"
#include "core/circuit/sequence_torch.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/eval/per_index_torch.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/run_folder.h"
#include "core/torch_thread.h"

namespace lookback::circuit {

namespace {

/// Keys of all sequences over which the heads that tell where digits came from are found.
constexpr std::int64_t kReaderKeys = 1024;

/// FNV-1a, 64 bits, over the names and the float32 values of all parameters, eight bytes at a time.
std::string fingerprintOf(const model::Transformer &model)
{
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto add = [&hash](std::uint64_t word) {
        hash ^= word;
        hash *= 0x100000001b3U;
    };
    for (const auto &[name, tensor] : model.parameters()) {
        for (const char character : name)
            add(static_cast<unsigned char>(character));
        const at::Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
        const auto *words = static_cast<const std::uint32_t *>(values.const_data_ptr());
        for (std::int64_t i = 0; i < values.numel(); ++i)
            add(words[i]);
    }
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    return "fnv64:" + std::string(digits.data(), end.ptr);
}

} // namespace

struct CircuitProbe::Private {
    Private(const std::string &runFolder, std::int64_t step, const ComputeOptions &options)
        : folder(run::RunFolder::open(runFolder)), compute(options),
          loaded(run::loadModel(folder, step, at::Device(resolvedDevice(options.device)), options.kernels)),
          fingerprint(fingerprintOf(loaded.model))
    {
    }

    /// Runs `work` as the work of this probe: on its threads, and with LibTorch's errors as Error.
    template <typename Work> auto guarded(Work &&work)
    {
        enterTorchThread(compute.threads);
        try {
            const at::NoGradGuard noGrad;
            return work();
        } catch (const Cancelled &) {
            throw;
        } catch (...) {
            throw currentError(folder.path().string());
        }
    }

    task::Sequence sequenceAt(std::int64_t n_keys, std::int64_t sequence) const
    {
        eval::requireEvaluable(loaded.config, {n_keys}, 1);
        if (sequence < 0)
            throw Error("sequence " + std::to_string(sequence), "Evaluation sequences are numbered from 0.");
        return evaluationSequenceOf(loaded.config, n_keys, sequence);
    }

    /// What the model sees with some heads removed; `work` gets it while they are.
    template <typename Work>
    auto whileRemoved(std::int64_t n_keys, std::int64_t sequence, const Intervention &intervention,
                      const std::stop_token &stop, Work &&work)
    {
        const task::Sequence read = sequenceAt(n_keys, sequence);
        const bool needsMeans = intervention.removal == Removal::Mean && !intervention.heads.empty();
        if (needsMeans && means.first != n_keys)
            means = {n_keys, meanOutputs(loaded.model, n_keys, stop)};
        HeadRemoval removal(loaded.model, intervention.removal, means.second);
        removal.set(intervention.heads);
        analysis::SeenSequence seen = analysis::seeSequence(loaded.model, read, stop);
        seen.example.key = {.runFolder = folder.path().string(),
                            .step = loaded.step,
                            .n_keys = n_keys,
                            .sequence = sequence,
                            .intervention = normalised(intervention)};
        return work(seen);
    }

    run::RunFolder folder;
    ComputeOptions compute;
    run::LoadedModel loaded;
    std::string fingerprint;
    std::pair<std::int64_t, HeadMeans> means; ///< For so many keys; of the intact model.
};

CircuitProbe::CircuitProbe(const std::string &runFolder, std::int64_t step, const ComputeOptions &compute)
{
    enterTorchThread(compute.threads);
    d = std::make_unique<Private>(runFolder, step, compute);
}

CircuitProbe::~CircuitProbe() = default;

std::int64_t CircuitProbe::step() const
{
    return d->loaded.step;
}

HeadTable CircuitProbe::heads(const HeadRequest &request, const ProgressFunction &progress, std::stop_token stop,
                              std::vector<std::string> *notes)
{
    std::optional<HeadTable> kept =
        keptHeads(d->folder, d->loaded.step, d->fingerprint, request, d->loaded.config.evaluation_seed, notes);
    if (kept)
        return std::move(*kept);
    HeadTable table =
        d->guarded([&] { return measureHeads(d->loaded.model, d->loaded.step, request, progress, stop); });
    keepHeads(d->folder, d->fingerprint, table, notes);
    return table;
}

eval::PerIndexTable CircuitProbe::perIndex(const eval::PerIndexRequest &request, const ProgressFunction &progress,
                                           std::stop_token stop, std::vector<std::string> *notes)
{
    const MeasureCache<eval::PerIndexTable> cache(measureFile(d->folder, "per-index", d->loaded.step), d->fingerprint,
                                                  eval::perIndexFromJson, eval::perIndexToJson);
    const std::uint64_t seed = d->loaded.config.evaluation_seed;
    std::optional<eval::PerIndexTable> kept = cache.find(
        [&](const eval::PerIndexTable &table) {
            return table.request == request && table.step == d->loaded.step && table.evaluationSeed == seed;
        },
        notes);
    if (kept)
        return std::move(*kept);
    eval::PerIndexTable table =
        d->guarded([&] { return eval::measurePerIndex(d->loaded.model, d->loaded.step, request, progress, stop); });
    cache.keep(
        table,
        [&](const eval::PerIndexTable &other) { return other.request == request || other.evaluationSeed != seed; },
        notes);
    return table;
}

Knockout CircuitProbe::knockOut(const KnockoutRequest &request, const ProgressFunction &progress,
                                const std::function<void(const Knockout &)> &onPoint, std::stop_token stop)
{
    return d->guarded(
        [&] { return circuit::knockOut(d->loaded.model, d->loaded.step, request, progress, onPoint, stop); });
}

KnockoutGrid CircuitProbe::knockOutEach(const GridRequest &request, const ProgressFunction &progress,
                                        std::stop_token stop)
{
    return d->guarded([&] { return circuit::knockOutEach(d->loaded.model, d->loaded.step, request, progress, stop); });
}

SmallestSets CircuitProbe::smallestSets(const SearchRequest &request, const ProgressFunction &progress,
                                        const std::function<void(const SmallestSets &)> &onStep, std::stop_token stop)
{
    return d->guarded(
        [&] { return searchSmallestSets(d->loaded.model, d->loaded.step, request, progress, onStep, stop); });
}

ExampleUnder CircuitProbe::example(std::int64_t n_keys, std::int64_t sequence, const Intervention &intervention,
                                   std::stop_token stop)
{
    return d->guarded([&] {
        const auto seen = [&](const Intervention &which) {
            return d->whileRemoved(n_keys, sequence, which, stop,
                                   [](analysis::SeenSequence &of) { return std::move(of.example); });
        };
        return ExampleUnder{.before = seen({}), .after = seen(intervention)};
    });
}

analysis::HeadMap CircuitProbe::headMap(std::int64_t n_keys, std::int64_t sequence, const Intervention &intervention,
                                        const HeadId &head, std::stop_token stop, const ProgressFunction &progress)
{
    return d->guarded([&] {
        return d->whileRemoved(n_keys, sequence, intervention, stop, [&](analysis::SeenSequence &seen) {
            return std::move(
                analysis::headMaps(d->loaded.model, seen, head.layer, head.head, head.head + 1, stop, progress)
                    .front());
        });
    });
}

Failures CircuitProbe::failures(FailureRequest request, const ProgressFunction &progress, std::stop_token stop)
{
    if (request.readers.empty()) {
        const std::int64_t sequences =
            std::clamp<std::int64_t>(kReaderKeys / std::max<std::int64_t>(1, request.n_keys), 8, 64);
        request.readers = retrievalHeads(heads({.n_keys = request.n_keys, .sequences = sequences}, progress, stop));
    }
    return d->guarded([&] { return findFailures(d->loaded.model, d->loaded.step, request, progress, stop); });
}

PatchResult CircuitProbe::patch(const PatchRequest &request, const ProgressFunction &progress, std::stop_token stop)
{
    return d->guarded([&] { return patchHeads(d->loaded.model, d->loaded.step, request, progress, stop); });
}

} // namespace lookback::circuit
