// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/probe_desk.h"

#include <algorithm>
#include <utility>

#include "core/run/run_folder.h"

namespace lookback::run {

ProbeDesk::ProbeDesk(EventQueue &events) : m_events(events)
{
    m_thread.start([this] { work(); });
}

ProbeDesk::~ProbeDesk()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosing = true;
        m_stop.request_stop();
    }
    m_changed.notify_one();
    m_thread.join();
}

void ProbeDesk::requestExample(JobId job, const analysis::ExampleKey &key)
{
    add({.job = job, .key = key});
}

void ProbeDesk::requestHeadMaps(JobId job, const analysis::ExampleKey &key, std::int64_t layer)
{
    add({.job = job, .key = key, .kind = Request::Kind::Layer, .layer = layer});
}

void ProbeDesk::requestHead(JobId job, const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                            std::int64_t query)
{
    add({.job = job, .key = key, .kind = Request::Kind::Head, .layer = layer, .head = head, .query = query});
}

void ProbeDesk::requestRow(JobId job, const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                           std::int64_t query)
{
    add({.job = job, .key = key, .kind = Request::Kind::Row, .layer = layer, .head = head, .query = query});
}

void ProbeDesk::add(Request request)
{
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_requests, [&](const Request &older) { return older.isSupersededBy(request); });
        if (m_current && m_current->isSupersededBy(request))
            m_stop.request_stop();
        m_requests.push_front(std::move(request));
    }
    m_changed.notify_one();
}

void ProbeDesk::cancel(JobId job)
{
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_requests, [job](const Request &request) { return request.job == job; });
    if (m_current && m_current->job == job)
        m_stop.request_stop();
}

void ProbeDesk::cancelAll(analysis::Pane pane)
{
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_requests, [pane](const Request &request) { return request.key.pane == pane; });
    if (m_current && m_current->key.pane == pane)
        m_stop.request_stop();
}

void ProbeDesk::work()
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
            m_stop = {};
            stop = m_stop.get_token();
        }
        serve(request, stop);
        {
            const std::scoped_lock lock(m_mutex);
            m_current.reset();
        }
        m_events.wakeIfNeeded();
    }
}

void ProbeDesk::serve(const Request &request, const std::stop_token &stop)
{
    const auto tell = [&](const Progress &progress) {
        m_events.probeChanged({.job = request.job, .progress = progress});
        m_events.wakeIfNeeded();
    };
    Looking &looking = lookingOf(request.key.pane);
    try {
        auto example = exampleOf(request.key, stop, tell);
        switch (request.kind) {
        case Request::Kind::Example:
            m_events.answered(ExampleAnswer{.job = request.job, .example = std::move(example), .failure = {}});
            return;
        case Request::Kind::Layer: {
            auto maps = std::make_shared<const std::vector<analysis::HeadMap>>(
                looking.probe->layerMaps(request.layer, stop, tell));
            m_events.answered(
                HeadMapsAnswer{.job = request.job, .maps = std::move(maps), .layer = request.layer, .failure = {}});
            return;
        }
        case Request::Kind::Head:
            servePieces(request, stop);
            return;
        case Request::Kind::Row: {
            auto row = std::make_shared<const analysis::HeadRows>(
                looking.probe->exactRow(request.layer, request.head, request.query));
            m_events.answered(
                HeadRowsAnswer{.job = request.job, .rows = std::move(row), .isLast = true, .failure = {}});
            return;
        }
        }
    } catch (const Cancelled &) {
        return; // nobody waits for it any more
    } catch (...) {
        looking.exampleKey.reset();
        answer(request, currentError(request.key.runFolder).sentence());
    }
}

void ProbeDesk::servePieces(const Request &request, const std::stop_token &stop)
{
    std::int64_t done = 0;
    const auto send = [&](analysis::HeadRows rows) {
        done += rows.rows;
        const bool isLast = done == rows.positions;
        const Progress progress{.what =
                                    "layer " + std::to_string(request.layer) + ", head " + std::to_string(request.head),
                                .done = done,
                                .total = rows.positions,
                                .remainingSeconds = {}};
        m_events.answered(HeadRowsAnswer{.job = request.job,
                                         .rows = std::make_shared<const analysis::HeadRows>(std::move(rows)),
                                         .isLast = isLast,
                                         .failure = {}});
        m_events.probeChanged({.job = request.job, .progress = progress});
        m_events.wakeIfNeeded();
        if (!isLast)
            serveRows(request.key);
    };
    lookingOf(request.key.pane).probe->headPieces(request.layer, request.head, request.query, send, stop);
}

void ProbeDesk::serveRows(const analysis::ExampleKey &served)
{
    while (true) {
        Request row;
        {
            const std::scoped_lock lock(m_mutex);
            const auto found = std::ranges::find_if(m_requests, [&](const Request &request) {
                return request.kind == Request::Kind::Row
                    && (request.key == served || lookingOf(request.key.pane).exampleKey == request.key);
            });
            if (found == m_requests.end())
                return;
            row = std::move(*found);
            m_requests.erase(found);
        }
        try {
            auto exact = std::make_shared<const analysis::HeadRows>(
                lookingOf(row.key.pane).probe->exactRow(row.layer, row.head, row.query));
            m_events.answered(HeadRowsAnswer{.job = row.job, .rows = std::move(exact), .isLast = true, .failure = {}});
        } catch (...) {
            answer(row, currentError(row.key.runFolder).sentence());
        }
        m_events.wakeIfNeeded();
    }
}

void ProbeDesk::answer(const Request &request, std::string failure)
{
    switch (request.kind) {
    case Request::Kind::Example:
        m_events.answered(ExampleAnswer{.job = request.job, .example = nullptr, .failure = std::move(failure)});
        return;
    case Request::Kind::Layer:
        m_events.answered(
            HeadMapsAnswer{.job = request.job, .maps = nullptr, .layer = request.layer, .failure = std::move(failure)});
        return;
    case Request::Kind::Head:
    case Request::Kind::Row:
        m_events.answered(
            HeadRowsAnswer{.job = request.job, .rows = nullptr, .isLast = true, .failure = std::move(failure)});
        return;
    }
}

std::shared_ptr<const analysis::Example>
ProbeDesk::exampleOf(const analysis::ExampleKey &key, const std::stop_token &stop, const ProgressFunction &progress)
{
    analysis::ExampleKey found = key;
    const CheckpointStamp checkpoint(RunFolder(key.runFolder), key.step);
    found.step = checkpoint.step();
    found.intervention = circuit::normalised(found.intervention);
    Looking &looking = lookingOf(found.pane);
    const bool isSameModel =
        looking.probe && looking.folder == found.runFolder && checkpoint.isStill(looking.checkpoint);
    if (isSameModel && looking.exampleKey == found && looking.example)
        return looking.example;
    looking.exampleKey.reset();
    if (!isSameModel) {
        looking.example.reset();
        looking.probe.reset(); // before the next one takes memory
        looking.probe = std::make_unique<analysis::AttentionProbe>(key.runFolder, key.step, ComputeOptions{"cpu", 1});
        looking.folder = found.runFolder;
        looking.checkpoint = checkpoint;
    }
    analysis::Example example =
        looking.probe->example(found.n_keys, found.sequence, stop, progress, found.intervention);
    example.key.pane = found.pane; // further questions about it are that pane's
    looking.example = std::make_shared<const analysis::Example>(std::move(example));
    looking.exampleKey = found;
    return looking.example;
}

} // namespace lookback::run
