// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lookback::run {

/// A thread that does posted tasks one after the other, first come, first served. Tasks may post; they may not throw.
class TaskThread {
public:
    using Task = std::function<void()>;

    /// `begin` is done first. `idle`, if given, is done whenever `period` has passed without a task.
    explicit TaskThread(Task begin = {}, Task idle = {}, std::chrono::milliseconds period = std::chrono::seconds(2));
    /// close().
    ~TaskThread();
    TaskThread(const TaskThread &) = delete;
    TaskThread &operator=(const TaskThread &) = delete;

    /// Any thread; returns at once. Dropped after close().
    void post(Task task);
    /// Does what is in line, then ends the thread. Not from a task.
    void close();

private:
    void work(const Task &begin, const Task &idle, std::chrono::milliseconds period);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Task> m_tasks;
    bool m_isClosing = false;
    std::thread m_thread; // last: it uses all of the above
};

} // namespace lookback::run
