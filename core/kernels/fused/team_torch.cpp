// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/team_torch.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include <c10/core/thread_pool.h>

namespace lookback::kernels::fused {

namespace {

/// Of the calling thread; ends with it.
c10::ThreadPool &poolOf(int helpers)
{
    thread_local std::unique_ptr<c10::ThreadPool> pool;
    if (!pool || pool->size() != static_cast<std::size_t>(helpers)) {
        pool.reset();
        pool = std::make_unique<c10::ThreadPool>(helpers);
    }
    return *pool;
}

} // namespace

void runTogether(int threads, std::int64_t count, const std::function<void(std::int64_t)> &work)
{
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto takeTurns = [&] {
        try {
            for (std::int64_t i = next++; i < count; i = next++)
                work(i);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            failure = std::current_exception();
            next = count; // nobody begins another
        }
    };
    // The pool keeps its size whatever the count, or it would be made anew again and again.
    c10::ThreadPool &pool = poolOf(threads - 1);
    const std::int64_t helpers = std::min<std::int64_t>(threads - 1, count - 1);
    for (std::int64_t i = 0; i < helpers; ++i)
        pool.run(takeTurns);
    takeTurns();
    pool.waitWorkComplete();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace lookback::kernels::fused
