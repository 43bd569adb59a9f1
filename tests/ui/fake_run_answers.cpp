// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluations, examples and maps of FakeRunService, and runs that leave its list.
#include <algorithm>

#include "tests/ui/fake_run_service.h"

namespace lookback::tests {

run::JobId FakeRunService::evaluate(const run::EvaluationRequest &request)
{
    note("evaluate", request.run);
    const run::JobId job = ++m_jobs;
    Evaluation evaluation;
    evaluation.status.job = job;
    evaluation.status.run = request.run;
    const Run *run = find(request.run);
    if (!run || run->snapshot.checkpointSteps.empty()) {
        evaluation.status.isFinished = true;
        evaluation.status.failure = "There is no checkpoint yet.";
        post([&](run::ServiceEvents &events) { events.evaluations.push_back(evaluation.status); });
        return job;
    }
    const RunConfig &config = run->snapshot.record.config;
    evaluation.status.step = request.step < 0 ? run->snapshot.checkpointSteps.back() : request.step;
    evaluation.n_keys = request.n_keys.empty() ? config.evaluation_n : request.n_keys;
    evaluation.sequences = request.sequences > 0 ? request.sequences : config.evaluation_sequences;
    evaluation.status.isQueued = !m_evaluations.empty();
    evaluation.status.progress.total = static_cast<std::int64_t>(evaluation.n_keys.size()) * evaluation.sequences;
    m_evaluations.push_back(evaluation);
    post([&](run::ServiceEvents &events) {
        replaceOrAdd(events.evaluations, evaluation.status, &run::EvaluationStatus::job);
    });
    setAutomatic(m_automaticSteps);
    return job;
}

void FakeRunService::advanceEvaluation()
{
    if (m_evaluations.empty())
        return;
    Evaluation &evaluation = m_evaluations.front();
    run::EvaluationStatus &status = evaluation.status;
    status.isQueued = false;
    Run *run = find(status.run);
    const auto point = static_cast<std::size_t>(status.progress.done / evaluation.sequences);
    if (run && point < evaluation.n_keys.size()) {
        const RunConfig &config = run->snapshot.record.config;
        const std::int64_t n = evaluation.n_keys[point];
        eval::AccuracyCurve fresh = scriptedAccuracy(config, status.step, {n}, evaluation.sequences);
        auto known = std::ranges::find(run->accuracy, status.step, &eval::AccuracyCurve::step);
        if (known == run->accuracy.end()) {
            known = run->accuracy.insert(
                std::ranges::upper_bound(run->accuracy, status.step, {}, &eval::AccuracyCurve::step), std::move(fresh));
        } else {
            std::erase_if(known->points, [n](const eval::AccuracyPoint &old) { return old.n_keys == n; });
            known->points.insert(std::ranges::upper_bound(known->points, n, {}, &eval::AccuracyPoint::n_keys),
                                 fresh.points.front());
        }
        status.progress.done += evaluation.sequences;
        status.progress.what = "n = " + std::to_string(n) + ": " + std::to_string(evaluation.sequences) + " of "
            + std::to_string(evaluation.sequences) + " sequences";
        post([&](run::ServiceEvents &events) {
            replaceOrAdd(events.accuracy, run::AccuracyUpdate{run->snapshot.id, run->accuracy},
                         &run::AccuracyUpdate::run);
        });
    }
    status.isFinished = !run || status.progress.done >= status.progress.total;
    post([&](run::ServiceEvents &events) { replaceOrAdd(events.evaluations, status, &run::EvaluationStatus::job); });
    if (status.isFinished)
        m_evaluations.pop_front();
}

void FakeRunService::cancelEvaluation(run::JobId job)
{
    m_calls.push_back("cancel " + std::to_string(job));
    const auto found =
        std::ranges::find_if(m_evaluations, [job](const Evaluation &one) { return one.status.job == job; });
    if (found == m_evaluations.end())
        return;
    found->status.isFinished = true;
    post([&](run::ServiceEvents &events) {
        replaceOrAdd(events.evaluations, found->status, &run::EvaluationStatus::job);
    });
    m_evaluations.erase(found);
}

void FakeRunService::holdAnswers(bool isHeld)
{
    m_isHolding = isHeld;
    if (isHeld)
        return;
    for (const auto &[job, reply] : std::exchange(m_held, {}))
        reply();
}

void FakeRunService::answer(run::JobId job, std::function<void()> reply)
{
    if (m_isHolding)
        m_held.emplace_back(job, std::move(reply));
    else
        reply();
}

void FakeRunService::answerOldest()
{
    if (m_held.empty())
        return;
    const std::function<void()> reply = std::move(m_held.front().second);
    m_held.erase(m_held.begin());
    reply();
}

void FakeRunService::reportProbe(const run::ProbeStatus &status)
{
    post([&](run::ServiceEvents &events) { replaceOrAdd(events.probes, status, &run::ProbeStatus::job); });
}

run::JobId FakeRunService::newestHeldJob() const
{
    return m_held.empty() ? 0 : m_held.back().first;
}

void FakeRunService::cancelProbe(run::JobId job)
{
    m_calls.push_back("cancel probe " + std::to_string(job));
    std::erase_if(m_held, [job](const auto &held) { return held.first == job; });
}

run::JobId FakeRunService::requestExample(const analysis::ExampleKey &key)
{
    note("example", key.runFolder);
    const run::JobId job = ++m_jobs;
    answer(job, [this, job, key] {
        run::ExampleAnswer reply{job, {}, {}};
        const Run *run = find(key.runFolder);
        if (run && !run->snapshot.checkpointSteps.empty()) {
            analysis::ExampleKey used = key;
            if (used.step < 0)
                used.step = run->snapshot.checkpointSteps.back();
            reply.example =
                std::make_shared<const analysis::Example>(scriptedExample(run->snapshot.record.config, used));
        } else {
            reply.failure = "There is no checkpoint yet.";
        }
        post([&](run::ServiceEvents &events) { events.examples.push_back(reply); });
    });
    return job;
}

run::JobId FakeRunService::requestHeadMaps(const analysis::ExampleKey &key, std::int64_t layer)
{
    note("maps", key.runFolder);
    const run::JobId job = ++m_jobs;
    answer(job, [this, job, key, layer] {
        run::HeadMapsAnswer reply{job, {}, layer, {}};
        const Run *run = find(key.runFolder);
        if (run && !run->snapshot.checkpointSteps.empty() && layer >= 0 && layer < run->snapshot.record.config.pairs) {
            const analysis::Example example = scriptedExample(run->snapshot.record.config, key);
            std::vector<analysis::HeadMap> maps;
            for (std::int64_t head = 0; head < example.heads; ++head)
                maps.push_back(scriptedMap(example, layer, head));
            reply.maps = std::make_shared<const std::vector<analysis::HeadMap>>(std::move(maps));
        } else {
            reply.failure = "There is no checkpoint yet.";
        }
        post([&](run::ServiceEvents &events) { events.headMaps.push_back(reply); });
    });
    return job;
}

run::JobId FakeRunService::requestHead(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                                       std::int64_t query)
{
    note("head " + std::to_string(layer) + ":" + std::to_string(head), key.runFolder);
    const run::JobId job = ++m_jobs;
    const Run *run = find(key.runFolder);
    if (!run || run->snapshot.checkpointSteps.empty()) {
        answer(job, [this, job] {
            post([&](run::ServiceEvents &events) {
                events.headRows.push_back({job, {}, true, "There is no checkpoint yet."});
            });
        });
        return job;
    }
    const auto example = std::make_shared<const analysis::Example>(scriptedExample(run->snapshot.record.config, key));
    // From the piece above the query's (or its own) downwards, then the first ones, as the real service does.
    std::vector<std::int64_t> pieces;
    const std::int64_t own = query / analysis::kPieceRows;
    const std::int64_t first =
        query % analysis::kPieceRows < analysis::kPieceRows / 2 ? std::max<std::int64_t>(own - 1, 0) : own;
    for (std::int64_t piece = first; piece * analysis::kPieceRows < example->positions; ++piece)
        pieces.push_back(piece);
    for (std::int64_t piece = 0; piece < first; ++piece)
        pieces.push_back(piece);
    for (const std::int64_t piece : pieces) {
        const bool isLast = piece == pieces.back();
        answer(job, [this, job, layer, head, example, piece, isLast] {
            const std::int64_t begin = piece * analysis::kPieceRows;
            const std::int64_t rows = std::min(analysis::kPieceRows, example->positions - begin);
            auto made = std::make_shared<const analysis::HeadRows>(scriptedRows(*example, layer, head, begin, rows));
            post([&](run::ServiceEvents &events) { events.headRows.push_back({job, std::move(made), isLast, {}}); });
        });
    }
    return job;
}

run::JobId FakeRunService::requestRow(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                                      std::int64_t query)
{
    note("row " + std::to_string(layer) + ":" + std::to_string(head) + " " + std::to_string(query), key.runFolder);
    const run::JobId job = ++m_jobs;
    answer(job, [this, job, key, layer, head, query] {
        run::HeadRowsAnswer reply{job, {}, true, {}};
        const Run *run = find(key.runFolder);
        if (run && !run->snapshot.checkpointSteps.empty()) {
            const analysis::Example example = scriptedExample(run->snapshot.record.config, key);
            reply.rows = std::make_shared<const analysis::HeadRows>(scriptedRows(example, layer, head, query, 1));
        } else {
            reply.failure = "There is no checkpoint yet.";
        }
        post([&](run::ServiceEvents &events) { events.headRows.push_back(reply); });
    });
    return job;
}

void FakeRunService::removeFromView(const run::RunId &id)
{
    note("remove", id);
    std::erase_if(m_runs, [&](const Run &run) { return run.snapshot.id == id; });
    post([&](run::ServiceEvents &events) { events.removed.push_back(id); });
}

void FakeRunService::deleteRun(const run::RunId &id)
{
    note("delete", id);
    Run *run = find(id);
    if (!run)
        return;
    if (!m_deletionRefusal.empty()) {
        tellNotice({id, m_deletionRefusal, {}});
        return;
    }
    m_deleted.push_back(*run);
    std::erase_if(m_runs, [&](const Run &other) { return other.snapshot.id == id; });
    post([&](run::ServiceEvents &events) { events.removed.push_back(id); });
}

void FakeRunService::restoreDeleted(const run::RunId &id)
{
    note("restore", id);
    const auto found = std::ranges::find(m_deleted, id, [](const Run &run) { return run.snapshot.id; });
    if (found == m_deleted.end())
        return;
    m_runs.push_back(*found);
    m_deleted.erase(found);
    changed(m_runs.back());
}

} // namespace lookback::tests
