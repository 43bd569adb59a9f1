// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::tests {

/// A RunService in one thread without LibTorch, for tests of the window: deterministic, no clock, no disk.
///
/// Runs follow scripted curves that depend on variant, seed and step only. Nothing moves by itself: advance() makes
/// steps, or setAutomatic() makes some in each turn of the event loop. Questions about examples and maps are answered
/// at once unless holdAnswers(true).
class FakeRunService : public QObject, public run::RunService {
public:
    explicit FakeRunService(std::filesystem::path folder = "/runs");

    // --- the script ---
    /// Every active run that has a place makes up to `steps` steps; each active evaluation finishes one point.
    void advance(std::int64_t steps = 1);
    /// Advances until nothing is active that could move (paused runs stay).
    void advanceToEnd(std::int64_t stepsAtOnce = 100);
    /// In each turn of the event loop, as long as something is active, advance(stepsAtOnce). 0 = off.
    void setAutomatic(std::int64_t stepsAtOnce);
    /// The next run of that variant fails after `step` steps.
    void failAt(const std::string &variant, std::int64_t step, const std::string &reason);
    /// The loss of runs of that variant is not a number from `step` on.
    void breakLossAt(const std::string &variant, std::int64_t step) { m_brokenLoss[variant] = step; }
    /// A run that is there already, in that state at that step, with its log, checkpoints and (if finished) accuracy.
    run::RunId addRun(const RunConfig &config, run::RunState state, std::int64_t step);
    /// The process of that run goes away: back to the newest checkpoint, log as far as it got.
    void interrupt(const run::RunId &run);
    /// A folder that cannot be shown.
    run::RunId addUnreadable(const std::string &name, const std::string &reason);
    /// Further runs get that refusal from problemsOf.
    void refuse(const std::string &field, const std::string &message) { m_refusals.push_back({field, message}); }
    void setEstimate(std::optional<double> seconds) { m_estimate = seconds; }
    void setMachine(const MachineInfo &machine) { m_machine = machine; }
    /// Tells it as an event, too.
    void tellMachine(const MachineInfo &machine);
    void tellNotice(const run::Notice &notice);
    /// Questions about circuits fail from now on with that sentence; empty = they succeed again.
    void failCircuit(const std::string &sentence) { m_circuitFailure = sentence; }
    /// No run can be deleted from now on; that sentence says why.
    void refuseDeletions(const std::string &sentence) { m_deletionRefusal = sentence; }
    void holdAnswers(bool isHeld);
    /// Answers the oldest of the held questions only.
    void answerOldest();
    /// How far a question is, as the real service tells from time to time.
    void reportProbe(const run::ProbeStatus &status);
    /// The question asked last of those whose answers are held; 0 if there is none.
    run::JobId newestHeldJob() const;
    /// True when all events were taken.
    bool takesNothing() const { return m_events.isEmpty(); }
    /// Id of the run that was added last.
    run::RunId newestRun() const { return m_runs.empty() ? run::RunId() : m_runs.back().snapshot.id; }
    /// What was asked for, in order: "train hybrid_square seed 0", "pause <name>", ...
    const std::vector<std::string> &calls() const { return m_calls; }
    void clearCalls() { m_calls.clear(); }

    /// Values that the script gives to a run at a step.
    static run::MetricsRecord scriptedRecord(const RunConfig &config, std::int64_t step);
    static eval::AccuracyCurve scriptedAccuracy(const RunConfig &config, std::int64_t step,
                                                const std::vector<std::int64_t> &n_keys, std::int64_t sequences);
    static analysis::Example scriptedExample(const RunConfig &config, const analysis::ExampleKey &key);
    /// Row sums are 1. Each row that predicts a value digit of a second occurrence has one cell of 0.93, on the same
    /// digit of the first occurrence, if the layer sees it.
    static analysis::HeadMap scriptedMap(const analysis::Example &example, std::int64_t layer, std::int64_t head);
    /// Rows of scriptedMap.
    static analysis::HeadRows scriptedRows(const analysis::Example &example, std::int64_t layer, std::int64_t head,
                                           std::int64_t firstQuery, std::int64_t rows);
    /// One head of the first layer looks at the token before, one of the first layer that sees all matches keys, two of
    /// the last such layer retrieve; they form in this order. The rest does little. Removing them costs what they do.
    static circuit::HeadTable scriptedHeads(const RunConfig &config, std::int64_t step,
                                            const circuit::HeadRequest &request);
    /// Retrieving heads move most of the answer, others nothing to speak of.
    static circuit::PatchResult scriptedPatch(const RunConfig &config, std::int64_t step,
                                              const circuit::PatchRequest &request);
    /// The loss by entry index; "rope" has eight times as much.
    static eval::PerIndexTable scriptedPerIndex(const RunConfig &config, std::int64_t step,
                                                const eval::PerIndexRequest &request);
    /// `heads` removed together.
    static circuit::KnockoutPoint scriptedEffect(const RunConfig &config, std::int64_t step, std::int64_t n_keys,
                                                 std::int64_t sequences, const std::vector<circuit::HeadId> &heads);
    static std::vector<model::VariantInfo> nineVariants();
    /// A configuration that the fake finishes in `steps` steps: width 32, two pairs.
    static RunConfig smallConfig(const std::string &variant, std::uint64_t seed = 0, std::int64_t steps = 400);

    // --- RunService ---
    void setWakeFunction(std::function<void()> wake) override;
    run::ServiceEvents takeEvents() override;
    std::vector<model::VariantInfo> variants() const override { return nineVariants(); }
    MachineInfo machine() const override { return m_machine; }
    std::vector<ConfigProblem> problemsOf(const run::TrainRequest &request) const override;
    std::int64_t parameterCount(const RunConfig &config) const override;
    std::optional<double> estimatedSeconds(const run::TrainRequest &request) const override;
    void openFolder(const std::filesystem::path &folder) override;
    void addReferenceRuns() override { m_calls.push_back("add reference runs"); }
    std::filesystem::path folder() const override { return m_folder; }
    void setParallelRuns(int count) override;
    void train(const std::vector<run::TrainRequest> &requests) override;
    void pause(const run::RunId &run) override;
    void resume(const run::RunId &run) override;
    void stop(const run::RunId &run) override;
    void removeFromView(const run::RunId &run) override;
    void deleteRun(const run::RunId &run) override;
    void restoreDeleted(const run::RunId &id) override;
    void saveNow(const run::RunId &run) override;
    bool isActive() const override;
    void stopAll() override;
    void loadRun(const run::RunId &run) override;
    run::JobId evaluate(const run::EvaluationRequest &request) override;
    void cancelEvaluation(run::JobId job) override;
    run::JobId requestExample(const analysis::ExampleKey &key) override;
    run::JobId requestHeadMaps(const analysis::ExampleKey &key, std::int64_t layer) override;
    run::JobId requestHead(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                           std::int64_t query) override;
    run::JobId requestRow(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                          std::int64_t query) override;
    run::JobId askCircuit(const run::CircuitQuestion &question) override;
    void cancelProbe(run::JobId job) override;

private:
    struct Run {
        run::RunSnapshot snapshot;
        std::vector<run::MetricsRecord> metrics;
        std::vector<eval::AccuracyCurve> accuracy;
        bool evaluateAtEnd = true;
        bool isStopAsked = false;
        std::int64_t failStep = -1;
        std::string failReason;
    };
    struct Evaluation {
        run::EvaluationStatus status;
        std::vector<std::int64_t> n_keys;
        std::int64_t sequences = 0;
    };

    Run *find(const run::RunId &id);
    Run &add(const RunConfig &config, const std::string &name);
    void note(const std::string &call, const run::RunId &id);
    void step(Run &run, std::int64_t steps);
    void log(Run &run, std::int64_t step);
    void end(Run &run, run::RunState state, const std::string &reason = {});
    void advanceEvaluation();
    void changed(const Run &run);
    /// Every change of the events goes through here, so that the wake function is called exactly when there is
    /// something after there was nothing.
    template <typename Change> void post(Change change)
    {
        const bool wasEmpty = m_events.isEmpty();
        change(m_events);
        if (wasEmpty && !m_events.isEmpty() && m_wake)
            m_wake();
    }
    template <typename T, typename Member> static void replaceOrAdd(std::vector<T> &list, const T &value, Member member)
    {
        const auto known = std::ranges::find(list, std::invoke(member, value), member);
        if (known == list.end())
            list.push_back(value);
        else
            *known = value;
    }
    void answer(run::JobId job, std::function<void()> reply);
    run::CircuitResult circuitResult(const Run &run, const run::CircuitQuestion &question) const;

    std::filesystem::path m_folder;
    std::function<void()> m_wake;
    run::ServiceEvents m_events;
    std::deque<Run> m_runs; // references stay valid when runs are added
    std::vector<Run> m_deleted;
    std::deque<Evaluation> m_evaluations;
    std::map<std::string, std::pair<std::int64_t, std::string>> m_failures;
    std::map<std::string, std::int64_t> m_brokenLoss;
    std::vector<ConfigProblem> m_refusals;
    std::optional<double> m_estimate = 30.0;
    MachineInfo m_machine;
    std::vector<std::string> m_calls;
    std::vector<std::pair<run::JobId, std::function<void()>>> m_held;
    QTimer m_timer;
    std::int64_t m_automaticSteps = 0;
    int m_parallelRuns = 2;
    run::JobId m_jobs = 0;
    std::string m_deletionRefusal;
    std::string m_circuitFailure;
    bool m_isHolding = false;
};

} // namespace lookback::tests
