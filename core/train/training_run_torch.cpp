// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/training_run_torch.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include "core/eval/evaluator_torch.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/metrics_writer.h"
#include "core/run/record_stamp.h"
#include "core/run/run_lock.h"
#include "core/torch_thread.h"
#include "core/train/adamw_torch.h"
#include "core/train/schedule.h"
#include "core/train/training_step_torch.h"

namespace lookback::train {

namespace {

using Clock = std::chrono::steady_clock;
using run::RunState;

double secondsBetween(Clock::time_point begin, Clock::time_point end)
{
    return std::chrono::duration<double>(end - begin).count();
}

std::string shortReal(double value)
{
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
    return std::string(buffer, end);
}

/// One life of a run in one thread. Members live in the order in which they are made, all on the training thread.
class Session {
public:
    Session(const TrainingJob &job, RunControl &control, RunObserver &observer)
        : m_folder(job.folder), m_compute(job.compute), m_isEvaluatingAtEnd(job.evaluateAtEnd), m_control(control),
          m_observer(observer)
    {
    }

    void run()
    {
        m_control.setState(RunState::Initialising, {});
        m_lock.emplace(m_folder.path());
        run::removeLeftoverFiles(m_folder.path());
        run::removeLeftoverFiles(m_folder.checkpointFile(0).parent_path());
        m_record = m_folder.readRecord();
        m_hasRecord = true;
        model::requireRunnable(m_record.config);
        prepareRecord();
        load();
        m_record.state = RunState::Running;
        writeRecord();
        m_control.setState(RunState::Running, {});

        const std::optional<std::string> fault = trainSteps();
        if (fault) {
            end(RunState::Failed, *fault);
            return;
        }
        if (m_control.isAbortRequested()) {
            m_log->flush();
            end(RunState::Stopped,
                m_savedStep > 0 ? "Ended without saving; step " + std::to_string(m_savedStep) + " is kept."
                                : "Ended without saving; no step is kept.");
            return;
        }
        if (m_step < m_config.steps) {
            m_control.setState(RunState::Stopping, {});
            if (m_step > m_savedStep)
                saveOrThrow();
            end(RunState::Stopped, {});
            return;
        }
        if (m_step > m_savedStep)
            saveOrThrow();
        if (m_isEvaluatingAtEnd && !evaluate()) {
            const bool isStopped = m_control.isStopRequested();
            end(isStopped ? RunState::Stopped : RunState::Finished,
                "All steps are trained; the evaluation was stopped.");
            return;
        }
        end(RunState::Finished, {});
    }

    /// After run() threw.
    void fail(const Error &error)
    {
        if (m_hasRecord)
            end(RunState::Failed, error.sentence());
        else
            m_control.setState(RunState::Failed, error.sentence());
        m_observer.failed(error);
    }

private:
    void prepareRecord()
    {
        const std::string device = resolvedDevice(m_compute.device);
        const MachineInfo machine = machineInfo();
        const std::string processor = run::processorWords();
        if (!m_record.started.empty()) {
            noteChange("device", m_record.device, device);
            noteChange("thread count", std::to_string(m_record.threads), std::to_string(m_compute.threads));
            noteChange("processor", m_record.processor, processor);
            noteChange("LibTorch", m_record.libtorchVersion, machine.libtorchVersion);
        } else {
            m_record.started = run::currentTime();
        }
        m_record.device = device;
        m_record.threads = m_compute.threads;
        m_record.processor = processor;
        m_record.programVersion = machine.programVersion;
        m_record.libtorchVersion = machine.libtorchVersion;
        m_record.ended.clear();
        m_record.endReason.clear();
        m_config = m_record.config;
        m_device = at::Device(device);
    }

    void noteChange(const std::string &what, const std::string &before, const std::string &now)
    {
        if (before != now && !before.empty()) {
            m_observer.noticed(Error(m_folder.name(),
                                     "The run goes on with another " + what + " (" + now + " instead of " + before
                                         + "): its numbers are not those of an "
                                           "undisturbed run to the last bit."));
        }
    }

    void load()
    {
        std::vector<std::string> notes;
        const std::optional<run::Checkpoint> checkpoint =
            run::newestCheckpoint(m_folder, run::CheckpointParts::All, &notes);
        for (const std::string &note : notes)
            m_observer.noticed(Error(m_folder.name(), "A checkpoint was passed over. " + note));
        if (checkpoint)
            run::requireContinuable(m_config, *checkpoint);
        m_step = m_savedStep = checkpoint ? checkpoint->step : 0;
        m_elapsedSeconds = checkpoint ? checkpoint->elapsedSeconds : 0.0;
        run::cutMetrics(m_folder.metricsFile(), m_step);
        m_log.emplace(m_folder.metricsFile());

        m_model.emplace(m_config, at::kFloat, m_device);
        if (checkpoint)
            m_model->load(run::tensorsOf(checkpoint->weights));
        else
            m_model->initialise(m_config.seed);
        m_parameters = m_model->parameters();
        for (auto &[name, parameter] : m_parameters)
            parameter.requires_grad_(true);
        m_optimizer.emplace(m_parameters, m_config.weight_decay);
        if (checkpoint)
            m_optimizer->loadMoments(run::tensorsOf(checkpoint->moments));
    }

    /// Until the last step, a wish to stop, or a fault, which is returned as a sentence.
    std::optional<std::string> trainSteps()
    {
        while (m_step < m_config.steps) {
            const bool paused = m_control.waitWhilePaused([this] {
                m_log->flush();
                m_record.state = RunState::Paused;
                writeRecord();
            });
            if (paused && !m_control.isStopRequested()) {
                m_record.state = RunState::Running;
                writeRecord();
                m_stretchSeconds = 0.0;
                m_stretchTokens = 0;
            }
            if (m_control.isStopRequested())
                return std::nullopt;

            const std::int64_t step = m_step + 1;
            const auto begin = Clock::now();
            const double rate = learningRateAt(m_config, step);
            const Batch batch = trainingBatch(m_config, step, m_device);
            m_optimizer->clearGradients();
            const StepValues values = forwardAndBackward(*m_model, m_parameters, batch);
            if (values.nonFinite.empty())
                m_optimizer->update(rate, step);
            const double seconds = secondsBetween(begin, Clock::now());
            m_elapsedSeconds += seconds;
            m_stretchSeconds += seconds;
            m_stretchTokens += batch.tokens;

            const run::MetricsRecord record{
                .step = step,
                .n_keys = batch.n_keys,
                .loss = values.loss,
                .retrievalAcc = values.digitAccuracy,
                .learningRate = rate,
                .gradientNorm = values.gradientNorm,
                .tokensPerSecond = static_cast<double>(m_stretchTokens) / std::max(m_stretchSeconds, 1e-9),
                .elapsedSeconds = m_elapsedSeconds,
            };
            if (!values.nonFinite.empty()) {
                log(record);
                m_observer.stepFinished(record);
                m_log->flush();
                return faultSentence(values, step, rate);
            }
            m_step = step;
            if (step == 1 || step == m_config.steps || (m_config.log_every > 0 && step % m_config.log_every == 0))
                log(record);
            m_observer.stepFinished(record);
            afterStep();
        }
        return std::nullopt;
    }

    void log(const run::MetricsRecord &record)
    {
        const bool wasFine = m_log->waitingSince() == 0;
        if (!m_log->append(record) && wasFine) {
            m_observer.noticed(
                Error(m_folder.metricsFile().string(),
                      "Since step " + std::to_string(record.step) + " nothing can be written: " + m_log->reason() + ".",
                      "Training goes on; the lines wait and are written when it works again."));
        }
        m_stretchSeconds = 0.0;
        m_stretchTokens = 0;
        m_observer.logged(record);
    }

    /// A checkpoint if one is due, was asked for or failed before; an evaluation if one is due.
    void afterStep()
    {
        if (m_step == m_config.steps)
            return; // the last step is saved and evaluated by the end of the run
        const bool isDue = m_config.checkpoint_every > 0 && m_step % m_config.checkpoint_every == 0;
        const bool isRetry = m_isSavePending && (m_config.log_every <= 0 || m_step % m_config.log_every == 0);
        if (m_control.takeSaveRequest() || isDue || isRetry)
            save();
        if (m_config.evaluate_every > 0 && m_step % m_config.evaluate_every == 0)
            evaluate();
    }

    /// Writes a checkpoint; a failure is told and tried again later, because the run itself is well.
    void save()
    {
        try {
            saveOrThrow();
        } catch (const Error &error) {
            if (!m_isSavePending) {
                m_observer.noticed(Error(error.subject(), error.message(),
                                         "Training goes on and tries again; the earlier checkpoints are untouched.",
                                         error.details()));
            }
            m_isSavePending = true;
        }
    }

    void saveOrThrow()
    {
        m_log->flush();
        run::Checkpoint checkpoint{.config = m_config,
                                   .step = m_step,
                                   .elapsedSeconds = m_elapsedSeconds,
                                   .programVersion = m_record.programVersion,
                                   .libtorchVersion = m_record.libtorchVersion,
                                   .device = m_record.device,
                                   .threads = m_record.threads,
                                   .weights = {},
                                   .moments = {}};
        for (const auto &[name, parameter] : m_parameters)
            checkpoint.weights.push_back(run::storedTensor(name, parameter));
        for (const auto &[name, moment] : m_optimizer->moments())
            checkpoint.moments.push_back(run::storedTensor(name, moment));
        run::writeCheckpoint(m_folder.checkpointFile(m_step), checkpoint);
        m_isSavePending = false;
        m_savedStep = m_step;
        m_record.step = m_step;
        writeRecord();
        m_observer.checkpointWritten(m_step);
    }

    /// Evaluates the points that this step's curve still lacks. False if it was stopped before the last one.
    bool evaluate()
    {
        std::vector<std::int64_t> missing;
        const eval::AccuracyCurve known = knownCurve();
        for (const std::int64_t n : m_config.evaluation_n) {
            const bool isKnown = std::any_of(known.points.begin(), known.points.end(), [&](const auto &point) {
                return point.n_keys == n && point.sequences == m_config.evaluation_sequences;
            });
            if (!isKnown)
                missing.push_back(n);
        }
        if (missing.empty() || m_config.evaluation_sequences < 1)
            return true;
        try {
            eval::evaluateModel(
                *m_model, m_device, m_step, missing, m_config.evaluation_sequences,
                [this](const Progress &progress) {
                    m_observer.evaluationProgressed(progress);
                    m_control.waitWhilePaused([] {});
                },
                [this](const eval::AccuracyCurve &curve) { keep(curve); }, m_control.beginEvaluation());
        } catch (const Cancelled &) {
            return false;
        } catch (...) {
            m_observer.noticed(currentError(m_folder.name() + ", evaluation")); // the training itself is well
        }
        return true;
    }

    eval::AccuracyCurve knownCurve() const
    {
        try {
            for (const eval::AccuracyCurve &curve : m_folder.readAccuracy()) {
                if (curve.step == m_step && curve.evaluationSeed == m_config.evaluation_seed)
                    return curve;
            }
        } catch (const Error &) {
            // A damaged file is told when the curve is written.
        }
        return {};
    }

    void keep(const eval::AccuracyCurve &curve)
    {
        try {
            m_folder.writeAccuracy(curve);
        } catch (const Error &error) {
            m_observer.noticed(error);
        }
        m_observer.evaluated(curve);
    }

    std::string faultSentence(const StepValues &values, std::int64_t step, double rate) const
    {
        const std::string what = values.nonFinite == "loss"
            ? "The loss became " + std::string(values.loss != values.loss ? "NaN" : "infinite")
            : "The gradient of \"" + values.nonFinite + "\" was not finite";
        return what + " at step " + std::to_string(step) + " (learning rate " + shortReal(rate)
            + "). Training stopped before that update; "
            + (m_savedStep > 0 ? "step " + std::to_string(m_savedStep) + " is kept." : "no checkpoint was kept yet.");
    }

    /// run.json is for readers; the run goes on without it.
    void writeRecord()
    {
        try {
            m_folder.writeRecord(m_record);
        } catch (const Error &error) {
            m_observer.noticed(error);
        }
    }

    void end(RunState state, const std::string &reason)
    {
        if (m_log)
            m_log->flush();
        m_record.state = state;
        m_record.endReason = reason;
        m_record.ended = run::currentTime();
        m_record.step = m_savedStep;
        writeRecord();
        m_lock.reset(); // before the others hear of it: they may want to continue the run
        m_control.setState(state, reason);
    }

    const run::RunFolder m_folder;
    const ComputeOptions m_compute;
    const bool m_isEvaluatingAtEnd;
    RunControl &m_control;
    RunObserver &m_observer;

    std::optional<run::RunLock> m_lock;
    run::RunRecord m_record;
    bool m_hasRecord = false;
    RunConfig m_config;
    at::Device m_device = at::kCPU;
    std::optional<run::MetricsWriter> m_log;
    std::optional<model::Transformer> m_model;
    std::vector<model::NamedTensor> m_parameters;
    std::optional<AdamW> m_optimizer;

    std::int64_t m_step = 0; ///< Last finished step.
    std::int64_t m_savedStep = 0; ///< Step of the newest checkpoint.
    bool m_isSavePending = false;
    double m_elapsedSeconds = 0.0;
    double m_stretchSeconds = 0.0; ///< Since the last log line.
    std::int64_t m_stretchTokens = 0;
};

} // namespace

void trainRun(const TrainingJob &job, RunControl &control, RunObserver &observer)
{
    {
        Session session(job, control, observer);
        try {
            enterTorchThread(job.compute.threads);
            const at::AutoGradMode withGraph(true);
            session.run();
        } catch (...) {
            session.fail(currentError(job.folder.name()));
        }
    }
    returnFreedMemory();
}

} // namespace lookback::train
