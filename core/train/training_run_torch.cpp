// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a run, first to last; what is kept of them is in training_session_torch.cpp.
#include "core/train/training_run_torch.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include <ATen/core/grad_mode.h>

#include "core/model/variant_registry.h"
#include "core/run/checkpoint_torch.h"
#include "core/torch_thread.h"
#include "core/train/schedule.h"
#include "core/train/training_session_torch.h"

namespace lookback::train {

namespace {

using Clock = std::chrono::steady_clock;

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

} // namespace

using run::RunState;

void Session::run()
{
    m_control.setState(RunState::Initialising, {});
    run::requireTrainable(m_folder.readRecord(), m_folder.path().string());
    if (m_waitingLock) {
        m_lock.emplace(std::move(*m_waitingLock));
        m_lock->beginTraining();
    } else {
        m_lock.emplace(m_folder.path());
    }
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
    if (!m_hasCheckpoint)
        save(run::CheckpointPurpose::Early); // step 0, the initial weights
    makeUpEvaluations();

    const std::optional<std::string> fault = trainSteps();
    if (fault) {
        end(RunState::Failed, *fault);
        return;
    }
    if (m_control.isAbortRequested()) {
        m_log->flush();
        end(RunState::Stopped, "Ended without saving; " + keptWords());
        return;
    }
    if (m_step < m_config.steps) {
        m_control.setState(RunState::Stopping, {});
        if (m_step > m_savedStep && m_skippedInARow == 0) // weights that just failed replace no good ones
            saveOrThrow(run::CheckpointPurpose::Progress);
        end(RunState::Stopped, {});
        return;
    }
    if (m_step > m_savedStep)
        saveOrThrow(run::CheckpointPurpose::Final);
    m_evaluationFault.reset(); // what failed on the way is tried once more
    if (!makeUpEvaluations() || (m_isEvaluatingAtEnd && !evaluate())) {
        const bool isStopped = m_control.isStopRequested();
        end(isStopped ? RunState::Stopped : RunState::Finished, "All steps are trained; the evaluation was stopped.");
        return;
    }
    if (m_evaluationFault && !isFullyEvaluated()) {
        const std::string what =
            "All steps are trained, but the evaluation is not complete: " + m_evaluationFault->message();
        m_observer.evaluationLost(
            Error(m_folder.path().string(), what, "Evaluate the run once more.", m_evaluationFault->details()));
        end(RunState::Finished, what);
        return;
    }
    end(RunState::Finished, {});
}

void Session::fail(const Error &error)
{
    if (m_hasRecord)
        end(RunState::Failed, error.sentence());
    else
        m_control.setState(RunState::Failed, error.sentence());
    m_observer.failed(error);
}

void Session::decline(const run::RunOccupied &error)
{
    m_observer.occupied(error);
    m_control.setState(RunState::Stopped, error.message());
}

void Session::refuse(const NewerFormat &error)
{
    m_observer.failed(error);
    m_control.setState(RunState::Failed, error.sentence());
}

std::optional<std::string> Session::trainSteps()
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
        const double rate = learningRateAt(m_config, step) * m_rateFactor;
        const Batch batch = trainingBatch(m_config, m_curriculum.beginStep(step), step, m_device);
        m_optimizer->clearGradients();
        m_model->setDropout({.share = m_config.dropout, .seed = m_config.seed, .step = step});
        const StepValues values = forwardAndBackward(*m_model, m_parameters, batch);
        if (values.nonFinite.empty()) {
            clipGradients(m_parameters, values.gradientNorm, m_config.gradient_clip);
            m_optimizer->update(rate, step - m_skipped);
            m_curriculum.stepFinished(values.digitAccuracy);
        }
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
            m_step = step;
            if (auto fault = skip(values, step, rate))
                return fault;
            continue;
        }
        m_step = step;
        m_provenStep = step - 1;
        m_skippedInARow = 0;
        if (step == 1 || step == m_config.steps || (m_config.log_every > 0 && step % m_config.log_every == 0))
            log(record);
        m_observer.stepFinished(record);
        hint(batch.targets_S.numel(), values.digitAccuracy);
        afterStep();
    }
    return std::nullopt;
}

void Session::log(const run::MetricsRecord &record)
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

void Session::hint(std::int64_t digits, double digitAccuracy)
{
    const std::optional<double> share = m_chance.stepFinished(m_step, digits, digitAccuracy);
    if (!share)
        return;
    m_observer.noticed(Error(m_folder.name(),
                             "At step " + std::to_string(m_step) + " the answers are no better than chance: "
                                 + shortReal(std::round(*share * 1000.0) / 10.0)
                                 + " % of the digits are right, and guessing gives 10 %.",
                             "Training goes on; if it stays so, try another learning rate (now "
                                 + shortReal(m_config.learning_rate) + ") or an easier curriculum."));
}

void Session::afterStep()
{
    if (m_step == m_config.steps)
        return; // the last step is saved and evaluated by the end of the run
    const bool isRetry = m_isSavePending && (m_config.log_every <= 0 || m_step % m_config.log_every == 0);
    if (m_control.takeSaveRequest())
        save(run::CheckpointPurpose::Asked);
    else if (run::isCheckpointDue(m_config, m_step) || isRetry)
        save(run::purposeOf(m_config, m_step));
    if (m_config.evaluate_every > 0 && m_step % m_config.evaluate_every == 0)
        evaluate();
}

std::optional<std::string> Session::skip(const StepValues &values, std::int64_t step, double rate)
{
    constexpr std::int64_t kMostInARow = 5;
    ++m_skipped;
    ++m_skippedInARow;
    const std::string words = faultWords(values, step, rate);
    if (m_skippedInARow == 1) {
        m_observer.noticed(
            Error(m_folder.name(), words + ". The step was skipped; " + std::to_string(m_skipped) + " so far."));
    }
    const bool isLast = step == m_config.steps;
    if (m_skippedInARow < kMostInARow && !isLast)
        return std::nullopt;
    const std::string several =
        words + (m_skippedInARow > 1 ? "; " + std::to_string(m_skippedInARow) + " steps in a row were skipped" : "");
    m_log->flush();
    if (!isLast && goBack()) {
        m_observer.noticed(Error(m_folder.name(),
                                 several + ". The run went back to step " + std::to_string(m_step)
                                     + ", with the learning rate times " + shortReal(m_rateFactor) + ".",
                                 "It does so once."));
        return std::nullopt;
    }
    return several + ". Training stopped; " + keptWords();
}

std::string Session::faultWords(const StepValues &values, std::int64_t step, double rate) const
{
    const std::string what = values.nonFinite == "loss"
        ? "The loss became " + std::string(values.loss != values.loss ? "NaN" : "infinite")
        : "The gradient of \"" + values.nonFinite + "\" was not finite";
    return what + " at step " + std::to_string(step) + " (learning rate " + shortReal(rate) + ")";
}

std::string Session::keptWords() const
{
    return m_savedStep > 0 ? "step " + std::to_string(m_savedStep) + " is kept." : "no step is kept.";
}

void trainRun(const TrainingJob &job, RunControl &control, RunObserver &observer)
{
    {
        Session session(job, control, observer);
        try {
            enterTorchThread(job.compute.threads);
            const at::AutoGradMode withGraph(true);
            session.run();
        } catch (const run::RunOccupied &error) {
            session.decline(error);
        } catch (const NewerFormat &error) {
            session.refuse(error);
        } catch (...) {
            try {
                session.fail(currentError(job.folder.name()));
            } catch (...) { // no memory even for saying what went wrong
                control.setState(run::RunState::Failed, "Too little memory.");
            }
        }
    }
    returnFreedMemory();
}

} // namespace lookback::train
