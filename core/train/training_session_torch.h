// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/eval/accuracy.h"
#include "core/model/transformer_torch.h"
#include "core/newer_format.h"
#include "core/run/checkpoint_store.h"
#include "core/run/metrics_writer.h"
#include "core/run/run_lock.h"
#include "core/train/adamw_torch.h"
#include "core/train/chance_watch.h"
#include "core/train/curriculum.h"
#include "core/train/training_run_torch.h"
#include "core/train/training_step_torch.h"

namespace lookback::train {

/// One life of a run in one thread: from its newest checkpoint to its last step, a wish to stop or a fault. Members
/// live in the order in which they are made, all on the training thread.
class Session {
public:
    Session(const TrainingJob &job, RunControl &control, RunObserver &observer)
        : m_folder(job.folder), m_compute(job.compute), m_isEvaluatingAtEnd(job.evaluateAtEnd), m_waitingLock(job.lock),
          m_control(control), m_observer(observer)
    {
    }

    void run();
    /// After run() threw.
    void fail(const Error &error);
    /// After run() found that another trainer has the run: its record and files are that trainer's.
    void decline(const run::RunOccupied &error);
    /// After run() found files of a newer Lookback, before anything was written: nothing is.
    void refuse(const NewerFormat &error);

private:
    // training_run_torch.cpp: the steps
    /// Until the last step, a wish to stop, or a fault, which is returned as a sentence.
    std::optional<std::string> trainSteps();
    void log(const run::MetricsRecord &record);
    /// Says once that the answers are no better than chance.
    void hint(std::int64_t digits, double digitAccuracy);
    /// A checkpoint if one is due, was asked for or failed before; an evaluation if one is due.
    void afterStep();
    /// The step's values were not finite: it is skipped, or the run goes back, or (a sentence) it must end.
    std::optional<std::string> skip(const StepValues &values, std::int64_t step, double rate);
    std::string faultWords(const StepValues &values, std::int64_t step, double rate) const;
    std::string keptWords() const;
    // training_session_torch.cpp: what is kept of them
    void prepareRecord();
    void noteChange(const std::string &what, const std::string &before, const std::string &now);
    void load();
    /// Brings the run to that checkpoint, or to its beginning.
    void restore(const run::Checkpoint *checkpoint);
    /// To the newest checkpoint whose weights have proved good; false if there is none or it was done before.
    bool goBack();
    /// Makes what lies on the disk that of a run that is at m_step and went back there.
    void abandonLaterSteps();
    /// Writes a checkpoint; a failure is told and tried again later, because the run itself is well.
    void save(run::CheckpointPurpose purpose);
    void saveOrThrow(run::CheckpointPurpose purpose);
    // training_evaluation_torch.cpp: evaluations of them
    /// Evaluates the points that this step's curve still lacks. False if it was stopped before the last one.
    bool evaluate();
    /// The points that are missing at the steps so far at which an evaluation was due, from their checkpoints: those of
    /// an evaluation that a stop or a kill cut short. False if it was stopped.
    bool makeUpEvaluations();
    bool evaluateAt(const model::Transformer &model, std::int64_t step, const std::vector<std::int64_t> &missing);
    /// Those of evaluation_n that the curve of `step` lacks.
    std::vector<std::int64_t> missingPoints(const std::vector<eval::AccuracyCurve> &known, std::int64_t step) const;
    std::vector<eval::AccuracyCurve> knownCurves() const;
    bool isFullyEvaluated() const;
    void keep(const eval::AccuracyCurve &curve);
    /// Writes the curves that are not on the disk yet; `isTold`: a failure is said.
    void writeEvaluations(bool isTold);
    void noticeEvaluation(const Error &error);
    /// run.json is for readers; the run goes on without it.
    void writeRecord();
    void end(run::RunState state, const std::string &reason);

    const run::RunFolder m_folder;
    const ComputeOptions m_compute;
    const bool m_isEvaluatingAtEnd;
    const std::shared_ptr<run::RunLock> m_waitingLock; ///< Given by whoever let the run wait; may be null.
    RunControl &m_control;
    RunObserver &m_observer;

    std::optional<run::RunLock> m_lock;
    run::RunRecord m_record;
    bool m_hasRecord = false;
    RunConfig m_config;
    at::Device m_device = at::kCPU;
    std::optional<run::MetricsWriter> m_log;
    std::optional<run::CheckpointStore> m_store;
    std::optional<model::Transformer> m_model;
    std::vector<model::NamedTensor> m_parameters;
    std::optional<AdamW> m_optimizer;
    ChanceWatch m_chance;
    Curriculum m_curriculum;

    std::int64_t m_step = 0; ///< Last finished step.
    std::int64_t m_savedStep = 0; ///< Step of the newest checkpoint.
    std::int64_t m_provenStep = -1; ///< Newest step whose weights gave a finite loss and gradient.
    std::int64_t m_skipped = 0; ///< Steps without an update.
    std::int64_t m_skippedInARow = 0;
    double m_rateFactor = 1.0;
    bool m_hasGoneBack = false;
    bool m_hasCheckpoint = false; ///< The run has one, of whatever step.
    bool m_isSavePending = false;
    std::optional<Error> m_evaluationFault; ///< Newest one.
    std::vector<eval::AccuracyCurve> m_unwrittenCurves; ///< Points that the disk refused.
    double m_elapsedSeconds = 0.0;
    double m_stretchSeconds = 0.0; ///< Since the last log line.
    std::int64_t m_stretchTokens = 0;
};

} // namespace lookback::train
