// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/speed_estimate.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include "core/compute.h"
#include "core/error.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_registry.h"
#include "core/run/run_meter.h"
#include "core/torch_thread.h"
#include "core/train/adamw_torch.h"
#include "core/train/training_step_torch.h"

namespace lookback::run {

namespace {

/// About 0.1 s on one core.
constexpr double kStepFlop = 6e9;
/// A single sequence of more than this would take seconds: not measured.
constexpr double kMostFlop = 40e9;

double secondsOfStep(const RunConfig &config, at::Device device)
{
    model::Transformer model(config, at::kFloat, device);
    model.initialise(config.seed);
    std::vector<model::NamedTensor> parameters = model.parameters();
    for (auto &[name, parameter] : parameters)
        parameter.requires_grad_(true);
    train::AdamW optimizer(parameters, config);
    double best = 0.0;
    for (std::int64_t step = 1; step <= 3; ++step) { // the first warms up; the fastest of all counts
        const auto begin = std::chrono::steady_clock::now();
        optimizer.clearGradients();
        train::forwardAndBackward(model, parameters, train::trainingBatch(config, step, device));
        optimizer.update(1e-4, step);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        best = best > 0.0 ? std::min(best, seconds) : seconds;
    }
    return best;
}

/// Nominal arithmetic a second. Empty if it would take long or fails: an estimate is a service, and the training itself
/// will say what is wrong.
std::optional<double> measuredRate(const TrainRequest &request)
{
    try {
        RunConfig config = request.config;
        config.curriculum.clear();
        const double whole = model::trainingStepFlop(config, config.n_keys);
        const double sequence = whole / static_cast<double>(config.batchOf(config.n_keys));
        if (sequence > kMostFlop)
            return std::nullopt;
        config.batch = config.batchOf(config.n_keys);
        config.batch_keys = 0;
        config.batch = std::clamp<std::int64_t>(static_cast<std::int64_t>(kStepFlop / sequence), 1, config.batch);
        enterTorchThread(request.threads);
        const at::AutoGradMode withGraph(true);
        const double seconds = secondsOfStep(config, at::Device(resolvedDevice(request.device)));
        return model::trainingStepFlop(config, config.n_keys) / seconds;
    } catch (...) {
        return std::nullopt;
    }
}

} // namespace

std::optional<double> measuredTrainingSeconds(const TrainRequest &request)
{
    const std::optional<double> rate = measuredRate(request);
    return rate ? std::optional(trainingFlop(request.config) / *rate) : std::nullopt;
}

SpeedEstimate::SpeedEstimate(std::function<bool()> mayMeasure, std::function<void()> measured)
    : m_mayMeasure(std::move(mayMeasure)), m_measured(std::move(measured))
{
}

SpeedEstimate::~SpeedEstimate()
{
    close();
}

void SpeedEstimate::close()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosing = true;
    }
    m_tasks.close();
}

std::string SpeedEstimate::keyOf(const RunConfig &config, const std::string &device, int threads)
{
    std::string key = config.variant + " " + (device == "auto" ? "cpu" : device) + " " + std::to_string(threads);
    for (const std::int64_t number :
         {config.d_model, config.query_heads, config.kv_heads, config.pairs, config.ffn_hidden, config.window,
          config.key_digits, config.value_digits, config.n_keys, config.batch})
        key.append(1, ' ').append(std::to_string(number));
    return key;
}

std::optional<double> SpeedEstimate::seconds(const TrainRequest &request)
{
    if (!model::problemsOfRun(request.config).empty())
        return std::nullopt;
    const std::string key = keyOf(request.config, request.device, request.threads);
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_flopPerSecond.find(key);
        if (found != m_flopPerSecond.end())
            return trainingFlop(request.config) / found->second;
        if (!m_asked.insert(key).second)
            return std::nullopt;
    }
    m_tasks.post([this, key, request] { measure(key, request); });
    return std::nullopt;
}

void SpeedEstimate::seen(const RunRecord &record, double flopPerSecond)
{
    const std::scoped_lock lock(m_mutex);
    m_flopPerSecond[keyOf(record.config, record.device, record.threads)] = flopPerSecond;
}

void SpeedEstimate::measure(const std::string &key, const TrainRequest &request)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_isClosing || m_flopPerSecond.contains(key))
            return;
        if (!m_mayMeasure()) { // beside trainings it would measure them; asked again later, it may be tried again
            m_asked.erase(key);
            return;
        }
    }
    const std::optional<double> rate = measuredRate(request);
    if (!rate)
        return;
    {
        const std::scoped_lock lock(m_mutex);
        m_flopPerSecond.emplace(key, *rate);
    }
    m_measured();
}

} // namespace lookback::run
