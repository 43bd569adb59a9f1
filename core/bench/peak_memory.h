// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lookback::bench {

/// The most memory that this process had resident since the object was made, in bytes.
class PeakMemory {
public:
    PeakMemory();
    /// 0 where the system does not tell, or does not let the peak begin anew.
    double peak() const;
    /// peak() less what was resident at first.
    double added() const;

private:
    double m_before = 0.0;
    bool m_isKnown = false;
};

} // namespace lookback::bench
