// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/json_text.h"
#include "app/cli/progress_printer.h"
#include "core/compute.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/run/run_folder.h"
#include "core/run/run_lock.h"

namespace lookback::cli {

/// A run folder that is to be trained to its end.
struct PlannedRun {
    run::RunFolder folder;
    run::RunRecord record;
    ComputeOptions compute;
    std::shared_ptr<run::RunLock> lock = nullptr; ///< Held from now on, while the run waits for its turn.
};

/// How one run ended.
struct RunOutcome {
    run::RunState state = run::RunState::Queued; ///< Finished, Stopped, Failed, or Queued if it never began.
    std::int64_t step = 0; ///< Last finished step.
    std::optional<run::MetricsRecord> last; ///< Values of that step.
    std::optional<eval::AccuracyCurve> accuracy;
    std::optional<Error> failure;
    bool isEvaluationLost = false; ///< All steps are trained, but points are missing; `failure` says why.
    bool isElsewhere = false; ///< Another process trains it; nothing was done, and `failure` names it.
};

/// Trains the runs, at most `jobs` side by side, recurrent designs first, else in their order, and shows their
/// progress. A stop asked for through `stop` ends each after its current step, with a checkpoint. Outcomes in the order
/// of `runs`.
std::vector<RunOutcome> trainSideBySide(const std::vector<PlannedRun> &runs, int jobs, bool evaluateAtEnd,
                                        ProgressPrinter &printer, const std::stop_token &stop);

/// A table of the outcomes in words, or one JSON object a line.
std::string outcomeTable(const std::vector<PlannedRun> &runs, const std::vector<RunOutcome> &outcomes);
Json outcomeJson(const PlannedRun &run, const RunOutcome &outcome);

/// Prints outcomes, failures and how to go on; returns the exit code. `exitCodeOfSignal`: of an Interrupt, else 0.
int reportOutcomes(const std::vector<PlannedRun> &runs, const std::vector<RunOutcome> &outcomes, bool isJson,
                   bool isVerbose, int exitCodeOfSignal);

} // namespace lookback::cli
