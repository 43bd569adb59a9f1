// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

namespace lookback::test {

/// Permissions do not bind root: while one of these lives, the process acts as another user if it is root. Make
/// temporary folders while it lives. isInForce() is false only where a root may not change its user.
class Unprivileged {
public:
    Unprivileged() : m_wasRoot(geteuid() == 0), m_isInForce(!m_wasRoot || seteuid(kNobody) == 0) { }
    ~Unprivileged()
    {
        if (m_wasRoot && seteuid(0) != 0)
            _exit(1); // going on as the wrong user would spoil every later test
    }
    Unprivileged(const Unprivileged &) = delete;
    Unprivileged &operator=(const Unprivileged &) = delete;
    bool isInForce() const { return m_isInForce; }

private:
    static constexpr uid_t kNobody = 65534;
    bool m_wasRoot;
    bool m_isInForce;
};

} // namespace lookback::test
