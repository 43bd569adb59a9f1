// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/evaluation_desk.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/eval/evaluator.h"
#include "core/run/checkpoint.h"
#include "core/run/run_folder.h"
#include "core/torch_thread.h"

namespace lookback::run {

namespace {

/// The n that the curve of `step` lacks with that number of sequences.
std::vector<std::int64_t> missingPoints(const RunFolder &run, const RunConfig &config, std::int64_t step,
                                        const std::vector<std::int64_t> &n_keys, std::int64_t sequences)
{
    std::vector<std::int64_t> missing = n_keys;
    for (const eval::AccuracyCurve &curve : run.readAccuracy()) {
        if (curve.step != step || curve.evaluationSeed != config.evaluation_seed)
            continue;
        for (const eval::AccuracyPoint &point : curve.points) {
            if (point.sequences == sequences)
                std::erase(missing, point.n_keys);
        }
    }
    return missing;
}

} // namespace

EvaluationDesk::EvaluationDesk(Surroundings surroundings) : m_surroundings(std::move(surroundings)) { }

EvaluationDesk::~EvaluationDesk()
{
    cancelAll();
    m_tasks.close();
}

void EvaluationDesk::tell(const EvaluationStatus &status)
{
    m_surroundings.events.evaluationChanged(status);
    m_surroundings.events.wakeIfNeeded();
}

void EvaluationDesk::evaluate(JobId job, const EvaluationRequest &request)
{
    std::stop_token stop;
    {
        const std::scoped_lock lock(m_mutex);
        stop = m_jobs[job].get_token();
    }
    EvaluationStatus status;
    status.job = job;
    status.run = request.run;
    status.step = request.step;
    status.isQueued = true;
    tell(status);
    m_tasks.post([this, job, request, stop] { work(job, request, stop); });
}

void EvaluationDesk::cancel(JobId job)
{
    const std::stop_source source = [&] {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_jobs.find(job);
        return found != m_jobs.end() ? found->second : std::stop_source(std::nostopstate);
    }();
    source.request_stop(); // without the lock: it calls back
}

void EvaluationDesk::cancelAll()
{
    std::vector<std::stop_source> sources;
    {
        const std::scoped_lock lock(m_mutex);
        for (const auto &[job, source] : m_jobs)
            sources.push_back(source);
    }
    for (std::stop_source &source : sources)
        source.request_stop();
}

bool EvaluationDesk::isActive() const
{
    const std::scoped_lock lock(m_mutex);
    return !m_jobs.empty();
}

void EvaluationDesk::work(JobId job, const EvaluationRequest &request, const std::stop_token &stop)
{
    EvaluationStatus status;
    status.job = job;
    status.run = request.run;
    status.step = request.step;
    try {
        if (stop.stop_requested())
            throw Cancelled();
        const RunFolder run = RunFolder::open(request.run);
        const RunRecord record = run.readRecord();
        const std::vector<std::int64_t> n_keys = request.n_keys.empty() ? record.config.evaluation_n : request.n_keys;
        const std::int64_t sequences = request.sequences > 0 ? request.sequences : record.config.evaluation_sequences;
        status.step = request.step >= 0 ? request.step : checkpointAt(run, -1, CheckpointParts::Weights).step;
        const std::vector<std::int64_t> missing = missingPoints(run, record.config, status.step, n_keys, sequences);
        tell(status);
        if (!missing.empty() || n_keys.empty()) {
            eval::evaluateCheckpoint(
                run, status.step, missing, sequences, {"auto", m_surroundings.freeThreads()},
                [&](const Progress &progress) {
                    status.progress = progress;
                    tell(status);
                },
                [&](const eval::AccuracyCurve &curve) {
                    run.writeAccuracy(curve);
                    m_surroundings.accuracyChanged(request.run);
                },
                stop);
        } else {
            m_surroundings.accuracyChanged(request.run);
        }
    } catch (const Cancelled &) {
        // What is finished stays; the last status says the rest.
    } catch (...) {
        status.failure = currentError(request.run).sentence();
    }
    returnFreedMemory();
    status.isFinished = true;
    {
        const std::scoped_lock lock(m_mutex); // whoever sees the job gone finds its last status in the queue
        m_jobs.erase(job);
        m_surroundings.events.evaluationChanged(status);
    }
    m_surroundings.events.wakeIfNeeded();
}

} // namespace lookback::run
