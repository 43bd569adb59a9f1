// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <memory>

namespace lookback::ui {

/// While it lives, the machine does not go to sleep by itself: asked of the desktop (org.freedesktop.PowerManagement)
/// or, where that has no such service, of the system (org.freedesktop.login1). Waits for nobody; without a bus nothing
/// happens. A program that dies inhibits no longer.
class SleepInhibition {
public:
    /// `why`: for the user, "2 runs are training".
    explicit SleepInhibition(const QString &why);
    ~SleepInhibition();
    SleepInhibition(const SleepInhibition &) = delete;
    SleepInhibition &operator=(const SleepInhibition &) = delete;

    /// The desktop or the system agreed.
    bool isHeld() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::ui
