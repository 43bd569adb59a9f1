// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>

namespace lookback::kernels::fused {

/// Calls work(i) for each i below `count`, in any order, on `threads` threads: the calling one and others that belong
/// to it. They wait without computing, so that those of several runs do not hold each other up. (at::parallel_for is
/// parallel only in sources that are compiled with the OpenMP of LibTorch's own library.) When all have ended, throws
/// what one of the calls threw.
void runTogether(int threads, std::int64_t count, const std::function<void(std::int64_t)> &work);

} // namespace lookback::kernels::fused
