// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_group.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "app/cli/accuracy_text.h"
#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/run_selection.h"
#include "core/model/variant_registry.h"
#include "core/run/run_scan.h"
#include "core/run/run_meter.h"
#include "core/train/trainer.h"

namespace lookback::cli {

namespace {

using namespace std::chrono_literals;

bool hasEnded(run::RunState state)
{
    return state == run::RunState::Finished || state == run::RunState::Stopped || state == run::RunState::Failed
        || state == run::RunState::Interrupted;
}

/// In a table and in JSON: what another process trains is running.
std::string_view stateOf(const RunOutcome &outcome)
{
    return run::stateWord(outcome.isElsewhere ? run::RunState::Running : outcome.state);
}

/// The newest values of a run that had no step left to train, only its evaluation.
std::optional<run::MetricsRecord> loggedBefore(const run::RunFolder &folder)
{
    try {
        return run::lastMetrics(folder.metricsFile());
    } catch (const Error &) {
        return std::nullopt; // the table has a dash then; what the run did is told all the same
    }
}

/// What one trainer told so far. The trainer's thread writes, the main thread reads, both under `mutex`.
class Watched : public train::RunObserver {
public:
    Watched(const PlannedRun &run, std::mutex &mutex, std::condition_variable_any &changed)
        : m_run(run), m_mutex(mutex), m_changed(changed)
    {
        outcome.step = run.record.step; // known before the first step where a run is continued
    }

    void stateChanged(run::RunState state, const std::string &reason) override
    {
        const std::scoped_lock lock(m_mutex);
        outcome.state = state;
        if (state == run::RunState::Failed && !outcome.failure)
            outcome.failure = Error(m_run.folder.path().string(), reason); // failed() may say more later
        m_changed.notify_all();
    }
    void stepFinished(const run::MetricsRecord &record) override
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_meter)
            m_meter.emplace(m_run.record.config);
        m_meter->stepFinished(record.step, record.n_keys, record.elapsedSeconds.value_or(0.0));
        outcome.step = record.step;
        outcome.last = record;
        m_evaluation.reset();
    }
    void wentBack(std::int64_t step) override
    {
        const std::scoped_lock lock(m_mutex);
        m_meter.reset();
        outcome.step = step;
        if (outcome.accuracy && outcome.accuracy->step > step)
            outcome.accuracy.reset();
    }
    void evaluationProgressed(const Progress &progress) override
    {
        const std::scoped_lock lock(m_mutex);
        m_evaluation = progress;
    }
    void evaluated(const eval::AccuracyCurve &curve) override
    {
        const std::scoped_lock lock(m_mutex);
        outcome.accuracy = curve;
    }
    void failed(const Error &error) override
    {
        const std::scoped_lock lock(m_mutex);
        outcome.failure = error;
    }
    void occupied(const Error &error) override
    {
        const std::scoped_lock lock(m_mutex);
        outcome.failure = error;
        outcome.isElsewhere = true;
    }
    void evaluationLost(const Error &error) override
    {
        const std::scoped_lock lock(m_mutex);
        outcome.failure = error;
        outcome.isEvaluationLost = true;
    }
    void noticed(const Error &notice) override
    {
        const std::scoped_lock lock(m_mutex);
        notices.push_back(notice.sentence());
        m_changed.notify_all();
    }

    /// Called under the mutex.
    ProgressLine line() const
    {
        const RunConfig &config = m_run.record.config;
        ProgressLine line{m_run.folder.name(), outcome.step, config.steps, {}};
        if (outcome.isElsewhere) {
            line.text = "trained by another process";
            return line;
        }
        if (hasEnded(outcome.state)) {
            line.text = std::string(run::stateWord(outcome.state)) + " at step " + grouped(outcome.step);
            return line;
        }
        if (m_evaluation) {
            line.text = "evaluating, " + progressText(*m_evaluation);
            return line;
        }
        if (!outcome.last) {
            line.text = std::string(run::stateWord(run::RunState::Initialising));
            return line;
        }
        line.text =
            "step " + grouped(outcome.step) + " of " + grouped(config.steps) + ", n = " + grouped(outcome.last->n_keys);
        if (outcome.last->loss)
            line.text += ", loss " + significant(*outcome.last->loss);
        if (outcome.last->retrievalAcc)
            line.text += ", digits right " + percent(*outcome.last->retrievalAcc);
        if (outcome.state == run::RunState::Stopping)
            line.text += ", saving";
        else if (const auto left = m_meter->remainingSeconds())
            line.text += ", " + duration(*left) + " left";
        return line;
    }

    RunOutcome outcome;
    std::vector<std::string> notices;

private:
    const PlannedRun &m_run;
    std::mutex &m_mutex;
    std::condition_variable_any &m_changed;
    std::optional<run::RunMeter> m_meter;
    std::optional<Progress> m_evaluation;
};

/// Indices of the runs in the order in which they begin: those with recurrent sublayers first, because their steps take
/// longest and the last run has the machine to itself; else as given.
std::vector<std::size_t> beginningOrder(const std::vector<PlannedRun> &runs)
{
    const std::vector<model::VariantInfo> variants = model::variants();
    const auto takesLong = [&](std::size_t i) {
        const auto info = std::ranges::find(variants, runs[i].record.config.variant, &model::VariantInfo::id);
        return info != variants.end() && info->family == model::Family::Kda;
    };
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_partition(order.begin(), order.end(), takesLong);
    return order;
}

} // namespace

std::vector<RunOutcome> trainSideBySide(const std::vector<PlannedRun> &runs, int jobs, bool evaluateAtEnd,
                                        ProgressPrinter &printer, const std::stop_token &stop)
{
    std::mutex mutex;
    std::condition_variable_any changed;
    std::deque<Watched> watched; // outlives the trainers
    for (const PlannedRun &run : runs)
        watched.emplace_back(run, mutex, changed);
    std::vector<std::unique_ptr<train::Trainer>> trainers(runs.size());
    const std::vector<std::size_t> order = beginningOrder(runs);
    std::size_t begun = 0;
    std::size_t endedCount = 0;
    bool isStopping = false;

    while (true) {
        int active = 0;
        std::vector<std::size_t> ended;
        std::vector<ProgressLine> lines; // of the active ones
        std::vector<std::string> sentences;
        {
            std::unique_lock lock(mutex);
            changed.wait_for(lock, stop, 100ms, [] { return false; }); // also wakes for redrawing
            for (std::size_t i = 0; i < runs.size(); ++i) {
                Watched &each = watched[i];
                for (const std::string &notice : std::exchange(each.notices, {}))
                    sentences.push_back("note: " + notice);
                if (!trainers[i])
                    continue;
                const ProgressLine line = each.line();
                if (hasEnded(each.outcome.state)) {
                    ended.push_back(i);
                    sentences.push_back(line.name + ": " + line.text);
                } else {
                    ++active;
                    lines.push_back(line);
                }
            }
        }
        for (const std::string &sentence : sentences)
            printer.say(sentence);
        for (const std::size_t i : ended) {
            trainers[i]->wait();
            trainers[i].reset();
            ++endedCount;
        }
        if (stop.stop_requested() && !isStopping) {
            isStopping = true;
            printer.say("Stopping: finishing the current step and saving a checkpoint. Once more stops at once.");
            for (const auto &trainer : trainers) {
                if (trainer)
                    trainer->requestStop();
            }
        }
        while (!isStopping && active < jobs && begun < runs.size()) {
            const std::size_t next = order[begun++];
            trainers[next] = std::make_unique<train::Trainer>(runs[next].folder, runs[next].compute, &watched[next],
                                                              evaluateAtEnd, runs[next].lock);
            trainers[next]->start();
            ++active;
        }
        if (active == 0)
            break;
        if (begun < runs.size()) {
            lines.push_back({"all runs", static_cast<std::int64_t>(endedCount), static_cast<std::int64_t>(runs.size()),
                             std::to_string(endedCount) + " ended, " + std::to_string(active) + " active, "
                                 + std::to_string(runs.size() - begun) + " waiting"});
        }
        printer.show(lines);
    }
    printer.clear();
    std::vector<RunOutcome> outcomes;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        outcomes.push_back(std::move(watched[i].outcome));
        if (!outcomes.back().last)
            outcomes.back().last = loggedBefore(runs[i].folder);
    }
    return outcomes;
}

std::string outcomeTable(const std::vector<PlannedRun> &runs, const std::vector<RunOutcome> &outcomes)
{
    using Align = TextTable::Align;
    TextTable table({{"run", Align::Left},
                     {"state", Align::Left},
                     {"step", Align::Right},
                     {"loss", Align::Right},
                     {"digits right", Align::Right}});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunOutcome &outcome = outcomes[i];
        const auto text = [&](std::optional<double> value, std::string (*format)(double)) {
            return value ? format(*value) : std::string("-");
        };
        const auto &last = outcome.last;
        table.addRow({runs[i].folder.path().string(), std::string(stateOf(outcome)), grouped(outcome.step),
                      text(last ? last->loss : std::nullopt, significant),
                      text(last ? last->retrievalAcc : std::nullopt, percent)});
    }
    return table.text();
}

Json outcomeJson(const PlannedRun &run, const RunOutcome &outcome)
{
    const RunConfig &config = run.record.config;
    Json points = Json::array();
    if (outcome.accuracy) {
        for (const eval::AccuracyPoint &point : outcome.accuracy->points)
            points.push_back(pointJson(point));
    }
    const auto &last = outcome.last;
    Json json = {{"run", run.folder.path().string()},
                 {"variant", config.variant},
                 {"seed", config.seed},
                 {"state", stateOf(outcome)},
                 {"step", outcome.step},
                 {"steps", config.steps},
                 {"n_keys", last ? Json(last->n_keys) : Json(nullptr)},
                 {"loss", jsonNumber(last ? last->loss : std::nullopt)},
                 {"retrieval_acc", jsonNumber(last ? last->retrievalAcc : std::nullopt)},
                 {"elapsed_seconds", jsonNumber(last ? last->elapsedSeconds : std::nullopt)},
                 {"threads", run.compute.threads},
                 {"accuracy", points}};
    if (outcome.failure)
        json["failure"] = outcome.failure->sentence();
    return json;
}

int reportOutcomes(const std::vector<PlannedRun> &runs, const std::vector<RunOutcome> &outcomes, bool isJson,
                   bool isVerbose, int exitCodeOfSignal)
{
    if (isJson) {
        for (std::size_t i = 0; i < runs.size(); ++i)
            print(jsonLine(outcomeJson(runs[i], outcomes[i])) + "\n");
    } else {
        print(outcomeTable(runs, outcomes));
    }
    std::string finished;
    std::string unfinished; // and still there: a folder that was removed cannot be continued
    bool isFailed = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (outcomes[i].failure)
            printError(aboutRun(runs[i].folder, *outcomes[i].failure), isVerbose);
        isFailed = isFailed || outcomes[i].isEvaluationLost || outcomes[i].state != run::RunState::Finished;
        if (outcomes[i].isElsewhere)
            isFailed = true; // and nothing to continue
        else if (outcomes[i].state == run::RunState::Finished)
            finished += " " + shellQuoted(runs[i].folder.path().string());
        else if (run::isRunFolder(runs[i].folder.path()))
            unfinished += " " + shellQuoted(runs[i].folder.path().string());
    }
    if (!isJson) {
        if (!finished.empty())
            print("\nSee the curves with: lookback-cli figure accuracy" + finished + " --out accuracy.png\n");
        if (!unfinished.empty())
            print("\nContinue with: lookback-cli resume" + unfinished + "\n");
    }
    if (exitCodeOfSignal != 0)
        return exitCodeOfSignal;
    return isFailed ? kFailed : kDone;
}

} // namespace lookback::cli
