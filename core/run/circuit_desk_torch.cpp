// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/circuit_desk.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/run/run_folder.h"

namespace lookback::run {

CircuitDesk::CircuitDesk(EventQueue &events, std::function<int()> freeThreads)
    : m_events(events), m_freeThreads(std::move(freeThreads))
{
    m_thread.start([this] { work(); });
}

CircuitDesk::~CircuitDesk()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosing = true;
        m_stop.request_stop();
    }
    m_changed.notify_one();
    m_thread.join();
}

void CircuitDesk::ask(JobId job, const CircuitQuestion &question)
{
    Request request{.job = job, .question = question};
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_requests, [&](const Request &older) { return older.isSupersededBy(request); });
        if (m_current && m_current->isSupersededBy(request)) {
            m_isMakingWay = false;
            m_stop.request_stop();
        } else if (m_current && m_current->canMakeWay() && !m_stop.stop_requested()) {
            m_isMakingWay = true;
            m_stop.request_stop();
        }
        m_requests.push_front(std::move(request));
    }
    m_changed.notify_one();
}

void CircuitDesk::cancel(JobId job)
{
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_requests, [job](const Request &request) { return request.job == job; });
    if (m_current && m_current->job == job) {
        m_isMakingWay = false;
        m_stop.request_stop();
    }
}

void CircuitDesk::work()
{
    enterTorchThread(1);
    while (true) {
        Request request;
        std::stop_token stop;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_isClosing || !m_requests.empty(); });
            if (m_isClosing)
                return;
            request = std::move(m_requests.front());
            m_requests.pop_front();
            m_current = request;
            m_isMakingWay = false;
            m_stop = {};
            stop = m_stop.get_token();
        }
        const bool isServed = serve(request, stop);
        {
            const std::scoped_lock lock(m_mutex);
            if (!isServed && m_isMakingWay)
                m_requests.push_back(std::move(request));
            m_isMakingWay = false;
            m_current.reset();
        }
        m_events.wakeIfNeeded();
    }
}

bool CircuitDesk::serve(const Request &request, const std::stop_token &stop)
{
    CircuitAnswer answer;
    answer.job = request.job;
    try {
        const auto tell = [&](const Progress &progress) {
            m_events.probeChanged({.job = request.job, .progress = progress});
            m_events.wakeIfNeeded();
        };
        answer.result = std::make_shared<const CircuitResult>(resultOf(request, answer, tell, stop));
    } catch (const Cancelled &) {
        return false; // nobody waits for it any more, or it comes back
    } catch (...) {
        m_probe.reset();
        answer.failure = currentError(request.question.run).sentence();
    }
    m_events.answered(std::move(answer));
    return true;
}

circuit::CircuitProbe &CircuitDesk::probeOf(const CircuitQuestion &question)
{
    const CheckpointStamp checkpoint(RunFolder(question.run), question.step);
    const ComputeOptions compute{.device = "cpu", .threads = m_freeThreads()};
    if (!m_probe || m_probeRun != question.run || !checkpoint.isStill(m_probeCheckpoint) || m_probeCompute != compute) {
        m_probe.reset(); // before the next one takes memory
        m_probe = std::make_unique<circuit::CircuitProbe>(question.run, question.step, compute);
        m_probeRun = question.run;
        m_probeCheckpoint = checkpoint;
        m_probeCompute = compute;
    }
    return *m_probe;
}

CircuitResult CircuitDesk::resultOf(const Request &request, CircuitAnswer &answer, const ProgressFunction &progress,
                                    const std::stop_token &stop)
{
    const CircuitQuestion &question = request.question;
    const auto tellSoFar = [&](CircuitResult result) {
        m_events.answered(CircuitAnswer{.job = request.job,
                                        .result = std::make_shared<const CircuitResult>(std::move(result)),
                                        .isComplete = false,
                                        .notes = {},
                                        .failure = {}});
        m_events.wakeIfNeeded();
    };
    return std::visit(
        [&](const auto &task) -> CircuitResult {
            using Task = std::decay_t<decltype(task)>;
            if constexpr (std::is_same_v<Task, circuit::TimelineRequest>) {
                std::vector<circuit::HeadTable> known;
                return circuit::measureTimeline(
                    question.run, task, {.device = "cpu", .threads = m_freeThreads()}, progress,
                    [&](const circuit::HeadTable &table) {
                        known.push_back(table);
                        tellSoFar(known);
                    },
                    stop, &answer.notes);
            } else if constexpr (std::is_same_v<Task, circuit::HeadRequest>) {
                return probeOf(question).heads(task, progress, stop, &answer.notes);
            } else if constexpr (std::is_same_v<Task, eval::PerIndexRequest>) {
                return probeOf(question).perIndex(task, progress, stop, &answer.notes);
            } else if constexpr (std::is_same_v<Task, circuit::GridRequest>) {
                return probeOf(question).knockOutEach(task, progress, stop);
            } else if constexpr (std::is_same_v<Task, circuit::KnockoutRequest>) {
                return probeOf(question).knockOut(
                    task, progress, [&](const circuit::Knockout &known) { tellSoFar(known); }, stop);
            } else if constexpr (std::is_same_v<Task, ExampleUnderRequest>) {
                return probeOf(question).example(task.n_keys, task.sequence, task.intervention, stop);
            } else if constexpr (std::is_same_v<Task, circuit::SearchRequest>) {
                return probeOf(question).smallestSets(
                    task, progress, [&](const circuit::SmallestSets &known) { tellSoFar(known); }, stop);
            } else if constexpr (std::is_same_v<Task, circuit::FailureRequest>) {
                return probeOf(question).failures(task, progress, stop);
            } else if constexpr (std::is_same_v<Task, circuit::ContextRequest>) {
                return circuit::headsByContext(
                    probeOf(question), task, progress, [&](const circuit::ContextHeads &known) { tellSoFar(known); },
                    stop, &answer.notes);
            } else if constexpr (std::is_same_v<Task, circuit::PatchRequest>) {
                return probeOf(question).patch(task, progress, stop);
            } else {
                return probeOf(question).headMap(task.n_keys, task.sequence, {}, task.head, stop);
            }
        },
        question.task);
}

} // namespace lookback::run
