// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/analysis/attention_probe.h"
#include "core/run/event_queue.h"
#include "core/torch_thread.h"

namespace lookback::run {

/// Looks into checkpoints on a thread of its own; the newest request is served first. A request is dropped without an
/// answer when a newer one asks for the same thing or for another example, or when it is cancelled; one that has begun
/// ends between two blocks of rows. The model of the newest checkpoint looked into stays in memory.
class ProbeDesk {
public:
    explicit ProbeDesk(EventQueue &events);
    /// Ends the work at hand soon and waits.
    ~ProbeDesk();

    void requestExample(JobId job, const analysis::ExampleKey &key);
    void requestHeadMaps(JobId job, const analysis::ExampleKey &key, std::int64_t layer);
    /// Any thread; returns at once.
    void cancel(JobId job);
    /// The same for all.
    void cancelAll();

private:
    struct Request {
        JobId job = 0;
        analysis::ExampleKey key;
        std::optional<std::int64_t> layer; ///< Nothing: the example itself.

        bool isSupersededBy(const Request &newer) const { return !(key == newer.key) || layer == newer.layer; }
    };
    void add(Request request);
    void work();
    void serve(const Request &request, const std::stop_token &stop);
    /// The example of the key, computed unless it is the one at hand.
    std::shared_ptr<const analysis::Example> exampleOf(const analysis::ExampleKey &key, const std::stop_token &stop,
                                                       const ProgressFunction &progress);

    EventQueue &m_events;

    std::mutex m_mutex; // guards the next five
    std::condition_variable m_changed;
    std::deque<Request> m_requests; ///< Newest first.
    bool m_isClosing = false;
    std::optional<Request> m_current; ///< What is being served,
    std::stop_source m_stop; ///< and what ends it early.

    // The worker's own.
    std::unique_ptr<analysis::AttentionProbe> m_probe;
    std::string m_probeFolder;
    std::int64_t m_probeStep = -1; ///< As found in the folder's list.
    std::optional<analysis::ExampleKey> m_exampleKey; ///< As asked for, with the step found.
    std::shared_ptr<const analysis::Example> m_example;

    WorkerThread m_thread; // last: it uses all of the above
};

} // namespace lookback::run
