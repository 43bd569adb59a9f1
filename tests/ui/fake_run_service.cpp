// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/fake_run_service.h"

#include <algorithm>

namespace lookback::tests {

using run::RunState;

namespace {

bool isMoving(RunState state)
{
    return state == RunState::Queued || state == RunState::Initialising || state == RunState::Running
        || state == RunState::Stopping;
}

} // namespace

FakeRunService::FakeRunService(std::filesystem::path folder) : m_folder(std::move(folder))
{
    m_machine.cores = 2;
    m_machine.cudaReason = "No NVIDIA driver was found.";
    m_machine.libtorchVersion = "2.11.0";
    m_machine.programVersion = "0.1.0";
    connect(&m_timer, &QTimer::timeout, this, [this] { advance(m_automaticSteps); });
}

void FakeRunService::setWakeFunction(std::function<void()> wake)
{
    m_wake = std::move(wake);
}

run::ServiceEvents FakeRunService::takeEvents()
{
    run::ServiceEvents events;
    std::swap(events, m_events);
    return events;
}

FakeRunService::Run *FakeRunService::find(const run::RunId &id)
{
    const auto found = std::ranges::find_if(m_runs, [&](const Run &run) { return run.snapshot.id == id; });
    return found == m_runs.end() ? nullptr : &*found;
}

void FakeRunService::note(const std::string &call, const run::RunId &id)
{
    m_calls.push_back(call + " " + std::filesystem::path(id).filename().string());
}

void FakeRunService::changed(const Run &run)
{
    post([&](run::ServiceEvents &events) { replaceOrAdd(events.runs, run.snapshot, &run::RunSnapshot::id); });
}

FakeRunService::Run &FakeRunService::add(const RunConfig &config, const std::string &name)
{
    std::string free = name.empty() ? config.variant + "-seed" + std::to_string(config.seed) : name;
    const std::string plain = free;
    for (int suffix = 2; find((m_folder / free).string()); ++suffix)
        free = plain + "-" + std::to_string(suffix);
    Run &run = m_runs.emplace_back();
    run.snapshot.id = (m_folder / free).string();
    run.snapshot.name = free;
    run.snapshot.record.config = config;
    run.snapshot.record.programVersion = "0.1.0";
    run.snapshot.record.libtorchVersion = "2.11.0";
    run.snapshot.record.created = "2026-07-01T12:00:00Z";
    return run;
}

run::RunId FakeRunService::addRun(const RunConfig &config, RunState state, std::int64_t step)
{
    Run &run = add(config, {});
    run.snapshot.step = step;
    for (std::int64_t s = 1; s <= step; ++s) {
        if (s == 1 || s % config.log_every == 0 || s == config.steps)
            run.metrics.push_back(scriptedRecord(config, s));
        if (s % config.checkpoint_every == 0 || s == config.steps)
            run.snapshot.checkpointSteps.push_back(s);
    }
    if (!run.metrics.empty())
        run.snapshot.last = run.metrics.back();
    run.snapshot.elapsedSeconds = static_cast<double>(step) / 12.0;
    run.snapshot.state = state;
    if (state == RunState::Finished)
        run.accuracy.push_back(scriptedAccuracy(config, step, config.evaluation_n, config.evaluation_sequences));
    if (state == RunState::Failed)
        run.snapshot.reason = "The disk is full.";
    if (state == RunState::Interrupted)
        run.snapshot.reason = "The program that trained it went away at step " + std::to_string(step) + ".";
    changed(run);
    return run.snapshot.id;
}

run::RunId FakeRunService::addUnreadable(const std::string &name, const std::string &reason)
{
    Run &run = add({}, name);
    run.snapshot.isReadable = false;
    run.snapshot.state = RunState::Failed;
    run.snapshot.reason = reason;
    changed(run);
    return run.snapshot.id;
}

void FakeRunService::failAt(const std::string &variant, std::int64_t step, const std::string &reason)
{
    m_failures[variant] = {step, reason};
}

void FakeRunService::interrupt(const run::RunId &id)
{
    Run *run = find(id);
    run->snapshot.state = RunState::Interrupted;
    run->snapshot.reason = "The program that trained it went away at step " + std::to_string(run->snapshot.step) + ".";
    run->snapshot.stepsPerSecond = 0.0;
    run->snapshot.remainingSeconds.reset();
    changed(*run);
}

void FakeRunService::tellMachine(const MachineInfo &machine)
{
    m_machine = machine;
    post([&](run::ServiceEvents &events) { events.machine = machine; });
}

void FakeRunService::tellNotice(const run::Notice &notice)
{
    post([&](run::ServiceEvents &events) { events.notices.push_back(notice); });
}

void FakeRunService::log(Run &run, std::int64_t step)
{
    run::MetricsRecord record = scriptedRecord(run.snapshot.record.config, step);
    if (const auto broken = m_brokenLoss.find(run.snapshot.record.config.variant);
        broken != m_brokenLoss.end() && step >= broken->second)
        record.loss = std::numeric_limits<double>::quiet_NaN();
    run.metrics.push_back(record);
    run.snapshot.last = record;
    post([&](run::ServiceEvents &events) {
        if (events.metrics.empty() || events.metrics.back().run != run.snapshot.id || events.metrics.back().isWhole)
            events.metrics.push_back({run.snapshot.id, false, {}});
        events.metrics.back().records.push_back(record);
    });
}

void FakeRunService::end(Run &run, RunState state, const std::string &reason)
{
    std::vector<std::int64_t> &checkpoints = run.snapshot.checkpointSteps;
    if (state != RunState::Failed && run.snapshot.step > 0
        && (checkpoints.empty() || checkpoints.back() < run.snapshot.step))
        checkpoints.push_back(run.snapshot.step);
    run.snapshot.state = state;
    run.snapshot.reason = reason;
    run.snapshot.stepsPerSecond = 0.0;
    run.snapshot.remainingSeconds.reset();
    changed(run);
    if (state == RunState::Finished && run.evaluateAtEnd)
        evaluate({run.snapshot.id, -1, {}, 0});
}

void FakeRunService::step(Run &run, std::int64_t steps)
{
    run::RunSnapshot &snapshot = run.snapshot;
    const RunConfig &config = snapshot.record.config;
    if (snapshot.state == RunState::Queued) {
        snapshot.state = RunState::Initialising;
        changed(run);
        return;
    }
    snapshot.state = RunState::Running;
    for (std::int64_t i = 0; i < steps && snapshot.step < config.steps; ++i) {
        ++snapshot.step;
        if (snapshot.step == 1 || snapshot.step % config.log_every == 0 || snapshot.step == config.steps)
            log(run, snapshot.step);
        if (snapshot.step % config.checkpoint_every == 0)
            snapshot.checkpointSteps.push_back(snapshot.step);
        if (snapshot.step == run.failStep) {
            end(run, RunState::Failed, run.failReason);
            return;
        }
    }
    snapshot.stepsPerSecond = 12.0;
    snapshot.elapsedSeconds = static_cast<double>(snapshot.step) / 12.0;
    snapshot.remainingSeconds = static_cast<double>(config.steps - snapshot.step) / 12.0;
    if (run.isStopAsked)
        end(run, RunState::Stopped, {});
    else if (snapshot.step >= config.steps)
        end(run, RunState::Finished);
    else
        changed(run);
}

void FakeRunService::advance(std::int64_t steps)
{
    int places = m_parallelRuns;
    const std::size_t count = m_runs.size(); // runs added meanwhile wait for the next call
    for (std::size_t i = 0; i < count; ++i) {
        Run &run = m_runs[i];
        if (run.snapshot.state == RunState::Paused) {
            if (run.isStopAsked)
                end(run, RunState::Stopped);
            continue;
        }
        if (!isMoving(run.snapshot.state))
            continue;
        if (run.snapshot.state == RunState::Queued && run.isStopAsked) {
            end(run, RunState::Stopped);
            continue;
        }
        if (places-- > 0)
            step(run, steps);
    }
    advanceEvaluation();
    if (m_automaticSteps == 0 || !isActive())
        m_timer.stop();
}

void FakeRunService::advanceToEnd(std::int64_t stepsAtOnce)
{
    const auto canMove = [this] {
        return !m_evaluations.empty()
            || std::ranges::any_of(m_runs, [](const Run &run) { return isMoving(run.snapshot.state); });
    };
    while (canMove())
        advance(stepsAtOnce);
}

void FakeRunService::setAutomatic(std::int64_t stepsAtOnce)
{
    m_automaticSteps = stepsAtOnce;
    if (stepsAtOnce > 0 && isActive())
        m_timer.start(0);
    else
        m_timer.stop();
}

std::vector<ConfigProblem> FakeRunService::problemsOf(const run::TrainRequest &request) const
{
    std::vector<ConfigProblem> problems = m_refusals;
    const RunConfig &config = request.config;
    if (config.query_heads < 1 || config.d_model % config.query_heads != 0)
        problems.push_back({"d_model", "The width must be divisible by the number of query heads."});
    if (request.device == "cuda" && !m_machine.hasCuda)
        problems.push_back({"device", "There is no GPU: no NVIDIA driver was found. Choose the CPU."});
    return problems;
}

std::int64_t FakeRunService::parameterCount(const RunConfig &config) const
{
    const std::int64_t d = config.d_model;
    const std::int64_t kv = config.query_heads > 0 ? d / config.query_heads * config.kv_heads : 0;
    return 2 * 12 * d + d + config.pairs * (2 * d * d + 2 * d * kv + 3 * d * config.ffn_hidden + 2 * d);
}

std::optional<double> FakeRunService::estimatedSeconds(const run::TrainRequest &) const
{
    return m_estimate;
}

void FakeRunService::openFolder(const std::filesystem::path &folder)
{
    m_calls.push_back("open " + folder.string());
    m_folder = folder;
    post([this](run::ServiceEvents &events) {
        events.isListWhole = true;
        events.runs.clear();
        events.removed.clear();
        for (const Run &run : m_runs)
            events.runs.push_back(run.snapshot);
    });
}

void FakeRunService::setParallelRuns(int count)
{
    m_parallelRuns = std::max(1, count);
}

void FakeRunService::train(const std::vector<run::TrainRequest> &requests)
{
    for (const run::TrainRequest &request : requests) {
        Run &run = add(request.config, request.name);
        m_calls.push_back("train " + request.config.variant + " seed " + std::to_string(request.config.seed));
        run.snapshot.record.preset = request.preset;
        run.snapshot.record.threads = request.threads;
        run.evaluateAtEnd = request.evaluateAtEnd;
        if (const auto failure = m_failures.find(request.config.variant); failure != m_failures.end()) {
            run.failStep = failure->second.first;
            run.failReason = failure->second.second;
            m_failures.erase(failure);
        }
        changed(run);
    }
    setAutomatic(m_automaticSteps);
}

void FakeRunService::pause(const run::RunId &id)
{
    note("pause", id);
    Run *run = find(id);
    if (!run || !isMoving(run->snapshot.state) || run->snapshot.state == RunState::Queued)
        return;
    run->snapshot.state = RunState::Paused;
    run->snapshot.stepsPerSecond = 0.0;
    changed(*run);
}

void FakeRunService::resume(const run::RunId &id)
{
    note("resume", id);
    Run *run = find(id);
    if (!run)
        return;
    switch (run->snapshot.state) {
    case RunState::Paused:
        run->snapshot.state = RunState::Running;
        break;
    case RunState::Stopped:
    case RunState::Interrupted:
    case RunState::Failed:
        run->snapshot.state = RunState::Queued;
        run->snapshot.step = run->snapshot.checkpointSteps.empty() ? 0 : run->snapshot.checkpointSteps.back();
        break;
    default:
        return;
    }
    run->isStopAsked = false;
    run->failStep = -1;
    run->snapshot.reason.clear();
    changed(*run);
    setAutomatic(m_automaticSteps);
}

void FakeRunService::stop(const run::RunId &id)
{
    note("stop", id);
    Run *run = find(id);
    if (!run || !(isMoving(run->snapshot.state) || run->snapshot.state == RunState::Paused))
        return;
    run->isStopAsked = true;
    if (run->snapshot.state == RunState::Running || run->snapshot.state == RunState::Initialising)
        run->snapshot.state = RunState::Stopping;
    changed(*run);
    setAutomatic(m_automaticSteps);
}

void FakeRunService::saveNow(const run::RunId &id)
{
    note("save", id);
    Run *run = find(id);
    if (!run || run->snapshot.step == 0)
        return;
    std::vector<std::int64_t> &checkpoints = run->snapshot.checkpointSteps;
    if (checkpoints.empty() || checkpoints.back() < run->snapshot.step)
        checkpoints.push_back(run->snapshot.step);
    changed(*run);
}

bool FakeRunService::isActive() const
{
    return !m_evaluations.empty() || std::ranges::any_of(m_runs, [](const Run &run) {
        return isMoving(run.snapshot.state) || run.snapshot.state == RunState::Paused;
    });
}

void FakeRunService::stopAll()
{
    m_calls.push_back("stop all");
    for (const Run &run : m_runs) {
        if (isMoving(run.snapshot.state) || run.snapshot.state == RunState::Paused)
            stop(run.snapshot.id);
    }
    while (!m_evaluations.empty())
        cancelEvaluation(m_evaluations.front().status.job);
}

void FakeRunService::loadRun(const run::RunId &id)
{
    note("load", id);
    const Run *run = find(id);
    if (!run)
        return;
    post([&](run::ServiceEvents &events) {
        std::erase_if(events.metrics, [&](const run::MetricsUpdate &update) { return update.run == id; });
        events.metrics.push_back({id, true, run->metrics});
        events.accuracy.push_back({id, run->accuracy});
    });
}

} // namespace lookback::tests
