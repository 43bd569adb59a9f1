// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/analysis/attention_view.h"
#include "core/circuit/by_context.h"
#include "core/circuit/failures.h"
#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"
#include "core/circuit/patching.h"
#include "core/circuit/timeline.h"
#include "core/compute.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/eval/per_index_table.h"
#include "core/progress.h"
#include "core/run/metrics.h"
#include "core/run/run_record.h"

namespace lookback::run {

/// A run within one program: the absolute path of its folder.
using RunId = std::string;

/// Number of a request; answers carry it, so that a late answer to an older question can be dropped.
using JobId = std::uint64_t;

/// A run as the list shows it. Immutable value.
struct RunSnapshot {
    RunId id;
    std::string name; ///< Folder name, unique within its parent: "hybrid_square-seed0".
    RunRecord record; ///< Configuration, device, threads.
    RunState state = RunState::Queued;
    std::string reason; ///< Why it failed, is interrupted or cannot be shown; one sentence.
    bool isReadable = true; ///< False: only name and reason are meant.
    bool isForeign = false; ///< Another process trains it; here it can only be watched.
    std::int64_t step = 0; ///< Last finished step.
    std::optional<MetricsRecord> last; ///< Newest logged values.
    double stepsPerSecond = 0.0; ///< Smoothed; 0 unless running.
    double elapsedSeconds = 0.0; ///< Training time without pauses.
    std::optional<double> remainingSeconds;
    std::vector<std::int64_t> checkpointSteps; ///< Ascending.
    bool operator==(const RunSnapshot &) const = default;
};

/// What to train.
struct TrainRequest {
    RunConfig config;
    std::string preset;
    std::string name; ///< Folder name; empty = "<variant>-seed<seed>".
    std::string device = "auto";
    int threads = 1;
    bool evaluateAtEnd = true;
};

/// What to evaluate. Existing points of that checkpoint are kept and merged.
struct EvaluationRequest {
    RunId run;
    std::int64_t step = -1; ///< -1 = newest checkpoint.
    std::vector<std::int64_t> n_keys; ///< Empty = the run's evaluation_n.
    std::int64_t sequences = 0; ///< 0 = the run's evaluation_sequences.
};

/// Progress of an evaluation.
struct EvaluationStatus {
    JobId job = 0;
    RunId run;
    std::int64_t step = 0;
    Progress progress;
    bool isQueued = false;
    bool isFinished = false; ///< True once, in its last status: finished, cancelled or failed.
    std::string failure; ///< One sentence; empty unless failed.
    bool operator==(const EvaluationStatus &) const = default;
};

/// New log lines of one run.
struct MetricsUpdate {
    RunId run;
    bool isWhole = false; ///< True: `records` is the whole log and replaces what was known.
    std::vector<MetricsRecord> records;
};

struct AccuracyUpdate {
    RunId run;
    std::vector<eval::AccuracyCurve> curves; ///< All evaluated checkpoints of that run.
};

struct ExampleAnswer {
    JobId job = 0;
    std::shared_ptr<const analysis::Example> example; ///< Null if failed.
    std::string failure;
};

struct HeadMapsAnswer {
    JobId job = 0;
    std::shared_ptr<const std::vector<analysis::HeadMap>> maps; ///< Of one layer, all heads; null if failed.
    std::int64_t layer = 0;
    std::string failure;
};

/// Some rows of one head: a piece of a large map, or one exact row.
struct HeadRowsAnswer {
    JobId job = 0;
    std::shared_ptr<const analysis::HeadRows> rows; ///< Null if failed.
    bool isLast = true; ///< False: more pieces of the same job follow.
    std::string failure;
};

/// How far a question about heads or their circuit is: rows of a layer, sequences measured.
struct ProbeStatus {
    JobId job = 0;
    Progress progress;
    bool operator==(const ProbeStatus &) const = default;
};

/// One evaluation sequence before and after some heads are removed.
struct ExampleUnderRequest {
    std::int64_t n_keys = 8;
    std::int64_t sequence = 0;
    circuit::Intervention intervention;
    bool operator==(const ExampleUnderRequest &) const = default;
};

/// The map of one head of the intact model on an evaluation sequence.
struct ExampleMapRequest {
    std::int64_t n_keys = 8;
    std::int64_t sequence = 0;
    circuit::HeadId head;
    bool operator==(const ExampleMapRequest &) const = default;
};

/// What can be asked about the circuit of a checkpoint, and what answers it: alternatives of the same index.
using CircuitTask =
    std::variant<circuit::HeadRequest, circuit::GridRequest, circuit::KnockoutRequest, ExampleUnderRequest,
                 circuit::SearchRequest, circuit::TimelineRequest, circuit::FailureRequest, circuit::ContextRequest,
                 circuit::PatchRequest, ExampleMapRequest, eval::PerIndexRequest>;
using CircuitResult = std::variant<circuit::HeadTable, circuit::KnockoutGrid, circuit::Knockout, circuit::ExampleUnder,
                                   circuit::SmallestSets, std::vector<circuit::HeadTable>, circuit::Failures,
                                   circuit::ContextHeads, circuit::PatchResult, analysis::HeadMap, eval::PerIndexTable>;

/// A question about what the heads of a checkpoint do and whether it matters, or about its loss by entry index.
struct CircuitQuestion {
    RunId run;
    std::int64_t step = -1; ///< -1 = newest checkpoint; a timeline is about all of them.
    CircuitTask task;
    bool operator==(const CircuitQuestion &) const = default;
};

struct CircuitAnswer {
    JobId job = 0;
    std::shared_ptr<const CircuitResult> result; ///< Null if failed.
    bool isComplete = true; ///< False: what is known so far, more of the same job follows.
    std::vector<std::string> notes; ///< What did not go as it should, a sentence each.
    std::string failure;
};

/// A message for the user that belongs to no job: "Cannot delete ...: permission denied. ...".
struct Notice {
    RunId run; ///< May be empty.
    std::string sentence;
    std::string details;
};

/// Everything that changed since the last call; merged, so that it stays small however fast training is.
struct ServiceEvents {
    bool isListWhole = false; ///< True: `runs` is the whole list and replaces what was known (a folder was opened).
    std::vector<RunSnapshot> runs; ///< Newest snapshot of each run that changed, oldest change first.
    std::vector<RunId> removed;
    std::vector<MetricsUpdate> metrics;
    std::vector<AccuracyUpdate> accuracy;
    std::vector<EvaluationStatus> evaluations;
    std::vector<ExampleAnswer> examples;
    std::vector<HeadMapsAnswer> headMaps;
    std::vector<HeadRowsAnswer> headRows;
    std::vector<CircuitAnswer> circuit; ///< Of each job the newest.
    std::vector<ProbeStatus> probes; ///< Newest of each question under way.
    std::vector<Notice> notices;
    std::optional<MachineInfo> machine; ///< Once, when it is known what the machine offers.
    bool isEmpty() const
    {
        return !machine && !isListWhole && runs.empty() && removed.empty() && metrics.empty() && accuracy.empty()
            && evaluations.empty() && examples.empty() && headMaps.empty() && headRows.empty() && circuit.empty()
            && probes.empty() && notices.empty();
    }
};

/// Trains, evaluates and looks into runs of one runs folder, on threads of its own.
///
/// Every function returns at once (a short lock at most), may be called from any thread, and never touches disk or
/// torch on the calling thread; what goes wrong arrives as an event. Runs beyond `parallelRuns` wait in line, first
/// come, first served. The destructor stops everything (with a checkpoint) and waits.
class RunService {
public:
    virtual ~RunService() = default;

    /// What to call, from any thread, when takeEvents has something after having had nothing. Must be quick.
    virtual void setWakeFunction(std::function<void()> wake) = 0;
    virtual ServiceEvents takeEvents() = 0;

    virtual std::vector<model::VariantInfo> variants() const = 0;
    /// What is known so far: whether there is a GPU comes some moments after the start, as an event.
    virtual MachineInfo machine() const = 0;
    /// Reasons why such a run cannot start (problemsOfRun plus device). Quick.
    virtual std::vector<ConfigProblem> problemsOf(const TrainRequest &request) const = 0;
    virtual std::int64_t parameterCount(const RunConfig &config) const = 0;
    /// Estimated seconds of training on this machine, from measured rates; empty while nothing was measured.
    virtual std::optional<double> estimatedSeconds(const TrainRequest &request) const = 0;

    /// Opens another runs folder: lists its runs. Running ones of the former folder go on and stay listed.
    virtual void openFolder(const std::filesystem::path &folder) = 0;
    virtual std::filesystem::path folder() const = 0;
    /// Copies the runs that come with the program into the folder and lists them, or says why not.
    virtual void addReferenceRuns() = 0;
    /// How many runs train side by side (default: cores).
    virtual void setParallelRuns(int count) = 0;

    virtual void train(const std::vector<TrainRequest> &requests) = 0;
    virtual void pause(const RunId &run) = 0;
    /// Continues a paused run, or a stopped or interrupted one from its newest checkpoint.
    virtual void resume(const RunId &run) = 0;
    /// Ends the run after the current step, with a checkpoint.
    virtual void stop(const RunId &run) = 0;
    /// Takes it out of the list; files stay. Only for runs that are not active.
    virtual void removeFromView(const RunId &run) = 0;
    /// Moves the folder to the trash folder of the runs folder (".trash"), or says why not.
    virtual void deleteRun(const RunId &run) = 0;
    /// Undoes deleteRun of that run, or says why not.
    virtual void restoreDeleted(const RunId &run) = 0;
    /// Writes a checkpoint now if running.
    virtual void saveNow(const RunId &run) = 0;
    /// True while a run is queued, running, paused or stopping, or an evaluation is active.
    virtual bool isActive() const = 0;
    /// Stops all runs with a checkpoint and cancels evaluations; events tell when all is quiet.
    virtual void stopAll() = 0;

    /// Asks for the whole metrics log and all accuracy curves of a run (they arrive as events).
    virtual void loadRun(const RunId &run) = 0;

    virtual JobId evaluate(const EvaluationRequest &request) = 0;
    virtual void cancelEvaluation(JobId job) = 0;

    /// Newest request first. An older one is dropped without an answer if it asks for the same or of another example;
    /// so all layers of one example can be asked for at once. One that has begun ends between two blocks of rows. The
    /// two panes (ExampleKey::pane) leave each other's questions alone.
    virtual JobId requestExample(const analysis::ExampleKey &key) = 0;
    /// Maps of all heads of one layer of that example.
    virtual JobId requestHeadMaps(const analysis::ExampleKey &key, std::int64_t layer) = 0;
    /// One head of that example in pieces of analysis::kPieceRows rows, those around `query` first. Meant for maps too
    /// large to be asked for by layers. A newer one about the same head replaces it.
    virtual JobId requestHead(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                              std::int64_t query) = 0;
    /// One exact row of a head. Does not wait for the pieces of a head of the same example: it comes between two of
    /// them. A newer one about the same head replaces it.
    virtual JobId requestRow(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                             std::int64_t query) = 0;
    /// Measures heads or removes some. Newest request first; an older one of the same kind about a run of the same
    /// folder is dropped without an answer. Removing a set of heads, examples under it, the map of a head on one, and
    /// patching do not wait for the long measurements. A timeline, and heads at several lengths, make way for other
    /// long ones and go on afterwards.
    virtual JobId askCircuit(const CircuitQuestion &question) = 0;
    /// Takes a question about heads or their circuit back: it gets no answer, unless it was just given.
    virtual void cancelProbe(JobId job) = 0;
};

/// The real service, with LibTorch behind it. `folder` is made on first use.
std::unique_ptr<RunService> makeRunService(const std::filesystem::path &folder);

} // namespace lookback::run
