// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torch_thread.h"

#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include <malloc.h>
#include <pthread.h>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "core/compute.h"

namespace lookback {

void enterTorchThread(int threads)
{
    static std::once_flag once;
    std::call_once(once, [] {
        machineInfo();
        try {
            at::set_num_interop_threads(1);
        } catch (const c10::Error &) {
            // Another part of the program computed first; its count stands, and it does not change any bits.
        }
    });
    // The first question in a thread sets its count to the one that any thread set last; asking first makes that happen
    // now, not in the middle of the work.
    at::get_num_threads();
    at::set_num_threads(threads);
}

void returnFreedMemory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

Error currentError(const std::string &subject)
{
    try {
        throw;
    } catch (const c10::OutOfMemoryError &error) {
        return Error(subject, "The device has too little free memory for this.",
                     "Use a smaller batch, fewer keys or a narrower model, or stop other runs.",
                     error.what_without_backtrace());
    } catch (const c10::Error &error) {
        const std::string text = error.what_without_backtrace();
        if (text.find("allocate memory") != std::string::npos) {
            return Error(subject, "There is too little free memory for this.",
                         "Use a smaller batch, fewer keys or a narrower model, or stop other runs.", text);
        }
        return Error(subject, "LibTorch refused a computation.", "The details say which; they belong in a report.",
                     text);
    } catch (...) {
        return caughtError(subject);
    }
}

struct WorkerThread::Private {
    std::function<void()> body;
    pthread_t thread{};
    bool isStarted = false;
    bool isJoined = false;
};

WorkerThread::WorkerThread() : d(std::make_unique<Private>()) { }

WorkerThread::~WorkerThread()
{
    join();
}

void WorkerThread::start(std::function<void()> body)
{
    constexpr std::size_t kStackBytes = std::size_t{8} << 20;
    d->body = std::move(body);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const auto entry = [](void *self) -> void * {
        static_cast<Private *>(self)->body();
        return nullptr;
    };
    const int failure = pthread_create(&d->thread, &attributes, entry, d.get());
    pthread_attr_destroy(&attributes);
    if (failure != 0)
        throw Error("thread", "The system gives no further thread.", "Stop other runs or programs.");
    d->isStarted = true;
}

void WorkerThread::join()
{
    if (!d->isStarted || d->isJoined)
        return;
    pthread_join(d->thread, nullptr);
    d->isJoined = true;
}

bool WorkerThread::isStarted() const
{
    return d->isStarted;
}

bool WorkerThread::isCurrent() const
{
    return d->isStarted && pthread_equal(d->thread, pthread_self());
}

} // namespace lookback
