// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/run/record_stamp.h"
#include "core/run/run_folder.h"
#include "core/train/trainer.h"

namespace lookback::testing {

/// A model and task of a few milliseconds a step; every design of the variant occurs at least once.
inline RunConfig smallConfig(const std::string &variant, std::int64_t steps)
{
    RunConfig config = presetConfig("tiny");
    config.variant = variant;
    config.d_model = 16;
    config.query_heads = 2;
    config.kv_heads = 2;
    config.pairs = 2;
    config.ffn_hidden = 24;
    config.window = 6;
    config.key_digits = 2;
    config.value_digits = 2;
    config.n_keys = 3;
    config.curriculum = {{2, 12}};
    config.batch = 4;
    config.steps = steps;
    config.learning_rate = 3e-3;
    config.warmup_steps = 4;
    config.log_every = 5;
    config.checkpoint_every = 10;
    config.evaluate_every = 0;
    config.evaluation_n = {2, 4};
    config.evaluation_sequences = 6;
    return config;
}

inline run::RunFolder makeRun(const std::filesystem::path &parent, const RunConfig &config,
                              const std::string &name = "run")
{
    return run::RunFolder::create(parent, name, run::newRunRecord(config, "", "cpu", 1));
}

/// Trains to the end in one go.
inline run::RunFolder trainWhole(const std::filesystem::path &parent, const RunConfig &config)
{
    run::RunFolder folder = makeRun(parent, config);
    train::Trainer trainer(folder, {"cpu", 1}, nullptr);
    trainer.start();
    trainer.wait();
    return folder;
}

/// Remembers what a trainer tells, and does something when a step has finished.
class Recorder : public train::RunObserver {
public:
    /// Called on the trainer's thread after each step.
    std::function<void(std::int64_t step)> onStep;
    std::function<void(const Progress &)> onEvaluationProgress;

    void stateChanged(run::RunState state, const std::string &reason) override
    {
        const std::scoped_lock lock(m_mutex);
        m_states.push_back(state);
        m_reason = reason;
        m_changed.notify_all();
    }
    void stepFinished(const run::MetricsRecord &record) override
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_steps.push_back(record);
            m_changed.notify_all();
        }
        if (onStep)
            onStep(record.step);
    }
    void logged(const run::MetricsRecord &record) override
    {
        const std::scoped_lock lock(m_mutex);
        m_logged.push_back(record);
    }
    void checkpointWritten(std::int64_t step) override
    {
        const std::scoped_lock lock(m_mutex);
        m_saved.push_back(step);
        m_changed.notify_all();
    }
    void wentBack(std::int64_t step) override
    {
        const std::scoped_lock lock(m_mutex);
        m_goneBackTo.push_back(step);
    }
    void evaluationProgressed(const Progress &progress) override
    {
        if (onEvaluationProgress)
            onEvaluationProgress(progress);
    }
    void evaluated(const eval::AccuracyCurve &curve) override
    {
        const std::scoped_lock lock(m_mutex);
        m_curves.push_back(curve);
    }
    void failed(const Error &error) override
    {
        const std::scoped_lock lock(m_mutex);
        m_failures.push_back(error.sentence());
    }
    void occupied(const Error &error) override
    {
        const std::scoped_lock lock(m_mutex);
        m_refusals.push_back(error.sentence());
    }
    void noticed(const Error &notice) override
    {
        const std::scoped_lock lock(m_mutex);
        m_notices.push_back(notice.sentence());
    }

    std::vector<run::RunState> states() const { return copy(m_states); }
    std::vector<run::MetricsRecord> steps() const { return copy(m_steps); }
    std::vector<run::MetricsRecord> loggedRecords() const { return copy(m_logged); }
    std::vector<std::int64_t> saved() const { return copy(m_saved); }
    std::vector<std::int64_t> goneBackTo() const { return copy(m_goneBackTo); }
    std::vector<eval::AccuracyCurve> curves() const { return copy(m_curves); }
    std::vector<std::string> failures() const { return copy(m_failures); }
    /// Of occupied().
    std::vector<std::string> refusals() const { return copy(m_refusals); }
    std::vector<std::string> notices() const { return copy(m_notices); }
    std::string reason() const { return copy(m_reason); }

    /// Blocks until the newest state is this one.
    void waitForState(run::RunState state)
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return !m_states.empty() && m_states.back() == state; });
    }
    void waitForSave()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [&] { return !m_saved.empty(); });
    }

private:
    template <typename T> T copy(const T &value) const
    {
        const std::scoped_lock lock(m_mutex);
        return value;
    }

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<run::RunState> m_states;
    std::vector<run::MetricsRecord> m_steps;
    std::vector<run::MetricsRecord> m_logged;
    std::vector<std::int64_t> m_saved;
    std::vector<std::int64_t> m_goneBackTo;
    std::vector<eval::AccuracyCurve> m_curves;
    std::vector<std::string> m_failures;
    std::vector<std::string> m_refusals;
    std::vector<std::string> m_notices;
    std::string m_reason;
};

} // namespace lookback::testing
