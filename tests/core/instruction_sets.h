// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hwy/targets.h>

namespace lookback::testing {

/// The fused kernels are compiled once for each instruction set, and each is code of its own: what is tested takes
/// turns with those of this processor.
class InstructionSets {
public:
    ~InstructionSets() { choose(0); }
    void next() { choose(m_targets[m_turn++ % m_targets.size()]); }
    /// How many times as far from float64 as LibTorch's path this set may be: without fused multiply and add, and with
    /// few sums side by side, roundings add up.
    static double allowedTimes()
    {
        return (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)) != 0 ? 2.0 : 4.0;
    }
    /// "AVX2", ...
    static const char *name() { return hwy::TargetName(hwy::SupportedTargets()); }

private:
    static void choose(std::int64_t target)
    {
        hwy::SetSupportedTargetsForTest(target); // 0: as usual
        hwy::GetChosenTarget().DeInit();
    }

    const std::vector<std::int64_t> m_targets = hwy::SupportedAndGeneratedTargets();
    std::size_t m_turn = 0;
};

} // namespace lookback::testing
