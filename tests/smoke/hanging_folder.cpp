// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/smoke/hanging_folder.h"

#include <condition_variable>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace {

struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::string folder; ///< Empty: none hangs.
    std::string asked;
    int waiting = 0;
    bool isOtherProgram = false; ///< That loaded this as a library.
};

State &state()
{
    static auto *const only = [] { // never destroyed: calls come until the very end of the program
        auto *made = new State;
        if (const char *folder = std::getenv("LOOKBACK_HANGING_FOLDER")) {
            made->folder = folder;
            made->isOtherProgram = true;
        }
        return made;
    }();
    return *only;
}

void waitFor(const char *call, const char *path)
{
    State &known = state();
    std::unique_lock lock(known.mutex);
    if (known.folder.empty() || !path || !std::string_view(path).starts_with(known.folder))
        return;
    if (gettid() == getpid()) {
        known.asked += std::string(call) + " " + path + "\n";
        if (known.isOtherProgram)
            static_cast<void>(!write(STDERR_FILENO, known.asked.data(), known.asked.size()));
        return;
    }
    ++known.waiting;
    known.changed.wait(lock, [&] { return known.folder.empty(); });
    --known.waiting;
}

template <typename Call> Call realCall(const char *name)
{
    return reinterpret_cast<Call>(dlsym(RTLD_NEXT, name));
}

} // namespace

namespace lookback::testing {

HangingFolder::HangingFolder(const std::string &folder)
{
    const std::scoped_lock lock(state().mutex);
    state().asked.clear();
    state().folder = folder;
}

HangingFolder::~HangingFolder()
{
    {
        const std::scoped_lock lock(state().mutex);
        state().folder.clear();
    }
    state().changed.notify_all();
}

int HangingFolder::waiting() const
{
    const std::scoped_lock lock(state().mutex);
    return state().waiting;
}

std::string HangingFolder::askedByMainThread() const
{
    const std::scoped_lock lock(state().mutex);
    return state().asked;
}

} // namespace lookback::testing

// The labels are the names of the system's calls, whose declarations differ between versions of the C library.
extern "C" {

int hung_open(const char *path, int flags, ...) asm("open");
int hung_open(const char *path, int flags, ...)
{
    static const auto next = realCall<int (*)(const char *, int, ...)>("open");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    waitFor("open", path);
    return next(path, flags, mode);
}

int hung_open64(const char *path, int flags, ...) asm("open64");
int hung_open64(const char *path, int flags, ...)
{
    static const auto next = realCall<int (*)(const char *, int, ...)>("open64");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    waitFor("open64", path);
    return next(path, flags, mode);
}

int hung_openat(int folder, const char *path, int flags, ...) asm("openat");
int hung_openat(int folder, const char *path, int flags, ...)
{
    static const auto next = realCall<int (*)(int, const char *, int, ...)>("openat");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    waitFor("openat", path);
    return next(folder, path, flags, mode);
}

int hung_openat64(int folder, const char *path, int flags, ...) asm("openat64");
int hung_openat64(int folder, const char *path, int flags, ...)
{
    static const auto next = realCall<int (*)(int, const char *, int, ...)>("openat64");
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    waitFor("openat64", path);
    return next(folder, path, flags, mode);
}

std::FILE *hung_fopen(const char *path, const char *mode) asm("fopen");
std::FILE *hung_fopen(const char *path, const char *mode)
{
    static const auto next = realCall<decltype(&hung_fopen)>("fopen");
    waitFor("fopen", path);
    return next(path, mode);
}

std::FILE *hung_fopen64(const char *path, const char *mode) asm("fopen64");
std::FILE *hung_fopen64(const char *path, const char *mode)
{
    static const auto next = realCall<decltype(&hung_fopen64)>("fopen64");
    waitFor("fopen64", path);
    return next(path, mode);
}

int hung_stat(const char *path, struct stat *result) asm("stat");
int hung_stat(const char *path, struct stat *result)
{
    static const auto next = realCall<decltype(&hung_stat)>("stat");
    waitFor("stat", path);
    return next(path, result);
}

int hung_lstat(const char *path, struct stat *result) asm("lstat");
int hung_lstat(const char *path, struct stat *result)
{
    static const auto next = realCall<decltype(&hung_lstat)>("lstat");
    waitFor("lstat", path);
    return next(path, result);
}

int hung_fstatat(int folder, const char *path, struct stat *result, int flags) asm("fstatat");
int hung_fstatat(int folder, const char *path, struct stat *result, int flags)
{
    static const auto next = realCall<decltype(&hung_fstatat)>("fstatat");
    waitFor("fstatat", path);
    return next(folder, path, result, flags);
}

int hung_statx(int folder, const char *path, int flags, unsigned mask, struct statx *result) asm("statx");
int hung_statx(int folder, const char *path, int flags, unsigned mask, struct statx *result)
{
    static const auto next = realCall<decltype(&hung_statx)>("statx");
    waitFor("statx", path);
    return next(folder, path, flags, mask, result);
}

DIR *hung_opendir(const char *path) asm("opendir");
DIR *hung_opendir(const char *path)
{
    static const auto next = realCall<decltype(&hung_opendir)>("opendir");
    waitFor("opendir", path);
    return next(path);
}

int hung_access(const char *path, int mode) asm("access");
int hung_access(const char *path, int mode)
{
    static const auto next = realCall<decltype(&hung_access)>("access");
    waitFor("access", path);
    return next(path, mode);
}

int hung_mkdir(const char *path, mode_t mode) asm("mkdir");
int hung_mkdir(const char *path, mode_t mode)
{
    static const auto next = realCall<decltype(&hung_mkdir)>("mkdir");
    waitFor("mkdir", path);
    return next(path, mode);
}

int hung_unlink(const char *path) asm("unlink");
int hung_unlink(const char *path)
{
    static const auto next = realCall<decltype(&hung_unlink)>("unlink");
    waitFor("unlink", path);
    return next(path);
}

int hung_rename(const char *path, const char *target) asm("rename");
int hung_rename(const char *path, const char *target)
{
    static const auto next = realCall<decltype(&hung_rename)>("rename");
    waitFor("rename", path);
    return next(path, target);
}

ssize_t hung_readlink(const char *path, char *target, size_t size) asm("readlink");
ssize_t hung_readlink(const char *path, char *target, size_t size)
{
    static const auto next = realCall<decltype(&hung_readlink)>("readlink");
    waitFor("readlink", path);
    return next(path, target, size);
}

int hung_statvfs(const char *path, struct statvfs *result) asm("statvfs");
int hung_statvfs(const char *path, struct statvfs *result)
{
    static const auto next = realCall<decltype(&hung_statvfs)>("statvfs");
    waitFor("statvfs", path);
    return next(path, result);
}

int hung_statfs(const char *path, struct statfs *result) asm("statfs");
int hung_statfs(const char *path, struct statfs *result)
{
    static const auto next = realCall<decltype(&hung_statfs)>("statfs");
    waitFor("statfs", path);
    return next(path, result);
}

int hung_stat64(const char *path, struct stat64 *result) asm("stat64");
int hung_stat64(const char *path, struct stat64 *result)
{
    static const auto next = realCall<decltype(&hung_stat64)>("stat64");
    waitFor("stat64", path);
    return next(path, result);
}

int hung_lstat64(const char *path, struct stat64 *result) asm("lstat64");
int hung_lstat64(const char *path, struct stat64 *result)
{
    static const auto next = realCall<decltype(&hung_lstat64)>("lstat64");
    waitFor("lstat64", path);
    return next(path, result);
}

int hung_fstatat64(int folder, const char *path, struct stat64 *result, int flags) asm("fstatat64");
int hung_fstatat64(int folder, const char *path, struct stat64 *result, int flags)
{
    static const auto next = realCall<decltype(&hung_fstatat64)>("fstatat64");
    waitFor("fstatat64", path);
    return next(folder, path, result, flags);
}

int hung_statvfs64(const char *path, struct statvfs64 *result) asm("statvfs64");
int hung_statvfs64(const char *path, struct statvfs64 *result)
{
    static const auto next = realCall<decltype(&hung_statvfs64)>("statvfs64");
    waitFor("statvfs64", path);
    return next(path, result);
}

int hung_statfs64(const char *path, struct statfs64 *result) asm("statfs64");
int hung_statfs64(const char *path, struct statfs64 *result)
{
    static const auto next = realCall<decltype(&hung_statfs64)>("statfs64");
    waitFor("statfs64", path);
    return next(path, result);
}

// Programs built against an older C library, parts of LibTorch among them, ask so.
int hung_xstat(int, const char *path, struct stat *result) asm("__xstat");
int hung_xstat(int, const char *path, struct stat *result)
{
    static const auto next = realCall<decltype(&hung_stat)>("stat");
    waitFor("__xstat", path);
    return next(path, result);
}

int hung_lxstat(int, const char *path, struct stat *result) asm("__lxstat");
int hung_lxstat(int, const char *path, struct stat *result)
{
    static const auto next = realCall<decltype(&hung_lstat)>("lstat");
    waitFor("__lxstat", path);
    return next(path, result);
}

int hung_fxstatat(int, int folder, const char *path, struct stat *result, int flags) asm("__fxstatat");
int hung_fxstatat(int, int folder, const char *path, struct stat *result, int flags)
{
    static const auto next = realCall<decltype(&hung_fstatat)>("fstatat");
    waitFor("__fxstatat", path);
    return next(folder, path, result, flags);
}

int hung_xstat64(int, const char *path, struct stat64 *result) asm("__xstat64");
int hung_xstat64(int, const char *path, struct stat64 *result)
{
    static const auto next = realCall<decltype(&hung_stat64)>("stat64");
    waitFor("__xstat64", path);
    return next(path, result);
}

int hung_lxstat64(int, const char *path, struct stat64 *result) asm("__lxstat64");
int hung_lxstat64(int, const char *path, struct stat64 *result)
{
    static const auto next = realCall<decltype(&hung_lstat64)>("lstat64");
    waitFor("__lxstat64", path);
    return next(path, result);
}

int hung_fxstatat64(int, int folder, const char *path, struct stat64 *result, int flags) asm("__fxstatat64");
int hung_fxstatat64(int, int folder, const char *path, struct stat64 *result, int flags)
{
    static const auto next = realCall<decltype(&hung_fstatat64)>("fstatat64");
    waitFor("__fxstatat64", path);
    return next(folder, path, result, flags);
}

} // extern "C"
