// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

#include "core/error.h"

class QObject;
class QThreadPool;

namespace lookback::ui {

/// What a path turned out to be; NoAnswer: the machine that holds it was silent for a second.
enum class PathKind { Folder, File, Missing, NoAnswer };

/// Finds out on another thread what lies there, so that the window never waits for a disk, and tells it on the GUI
/// thread, once, never before this returns; not at all if `context` goes before that.
void whenPathIsKnown(const QString &path, QObject *context, std::function<void(PathKind)> then);

/// Does `work` on another thread, so that the window never waits for the file that it reads or writes; then, on the GUI
/// thread, `then` with what went wrong, null if nothing did; not if `context` is gone by then. `subject` names the
/// file.
void workOnDisk(const QString &subject, QObject *context, std::function<void()> work,
                std::function<void(const Error *)> then);

/// The threads that ask disks. They are never waited for, also not at the end of the program.
QThreadPool *diskThreads();

} // namespace lookback::ui
