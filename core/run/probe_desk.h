// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/analysis/attention_probe.h"
#include "core/run/checkpoint_stamp.h"
#include "core/run/event_queue.h"
#include "core/torch_thread.h"

namespace lookback::run {

/// Looks into checkpoints on a thread of its own; the newest request is served first. A request is dropped without an
/// answer when a newer one asks for the same thing or for another example, or when it is cancelled; one that has begun
/// ends between two blocks of rows. Exact rows come between the pieces of a head, where their example is at hand, so
/// that a large map does not keep a reading waiting. The two panes (ExampleKey::pane) drop only their own requests, and
/// each keeps the model and the example that it looked into last: two models at most stay in memory.
class ProbeDesk {
public:
    explicit ProbeDesk(EventQueue &events);
    /// Ends the work at hand soon and waits.
    ~ProbeDesk();

    void requestExample(JobId job, const analysis::ExampleKey &key);
    void requestHeadMaps(JobId job, const analysis::ExampleKey &key, std::int64_t layer);
    void requestHead(JobId job, const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                     std::int64_t query);
    void requestRow(JobId job, const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                    std::int64_t query);
    /// Any thread; returns at once.
    void cancel(JobId job);
    /// The same for all of a pane.
    void cancelAll(analysis::Pane pane);

private:
    struct Request {
        enum class Kind { Example, Layer, Head, Row };
        JobId job = 0;
        analysis::ExampleKey key;
        Kind kind = Kind::Example;
        std::int64_t layer = -1; ///< Of what follows: as far as the kind has it.
        std::int64_t head = -1;
        std::int64_t query = -1;

        bool isSupersededBy(const Request &newer) const
        {
            return key.pane == newer.key.pane
                && (!(key == newer.key) || (kind == newer.kind && layer == newer.layer && head == newer.head));
        }
    };
    /// What a pane looks into.
    struct Looking {
        std::unique_ptr<analysis::AttentionProbe> probe;
        std::string folder;
        CheckpointStamp checkpoint;
        std::optional<analysis::ExampleKey> exampleKey; ///< As asked for, with the step found.
        std::shared_ptr<const analysis::Example> example;
    };
    Looking &lookingOf(analysis::Pane pane) { return m_looking[static_cast<std::size_t>(pane)]; }
    void add(Request request);
    void work();
    void serve(const Request &request, const std::stop_token &stop);
    void servePieces(const Request &request, const std::stop_token &stop);
    /// Rows that were asked for meanwhile, of the example whose head is being served and of others at hand.
    void serveRows(const analysis::ExampleKey &served);
    void answer(const Request &request, std::string failure);
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

    std::array<Looking, 2> m_looking; // the worker's own

    WorkerThread m_thread; // last: it uses all of the above
};

} // namespace lookback::run
