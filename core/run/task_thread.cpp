// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/task_thread.h"

#include <utility>

namespace lookback::run {

TaskThread::TaskThread(Task begin, Task idle, std::chrono::milliseconds period)
    : m_thread([this, begin = std::move(begin), idle = std::move(idle), period] { work(begin, idle, period); })
{
}

TaskThread::~TaskThread()
{
    close();
}

void TaskThread::post(Task task)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (m_isClosing)
            return;
        m_tasks.push_back(std::move(task));
    }
    m_changed.notify_one();
}

void TaskThread::close()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isClosing = true;
    }
    m_changed.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void TaskThread::work(const Task &begin, const Task &idle, std::chrono::milliseconds period)
{
    if (begin)
        begin();
    while (true) {
        Task task;
        {
            std::unique_lock lock(m_mutex);
            const auto hasWork = [this] { return m_isClosing || !m_tasks.empty(); };
            if (!idle)
                m_changed.wait(lock, hasWork);
            else if (!m_changed.wait_for(lock, period, hasWork))
                task = idle;
            if (!task) {
                if (m_tasks.empty())
                    return;
                task = std::move(m_tasks.front());
                m_tasks.pop_front();
            }
        }
        task();
    }
}

} // namespace lookback::run
