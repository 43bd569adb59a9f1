// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// One libFuzzer program for each target: LOOKBACK_FUZZ_TARGET is its place in kTargets.
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, std::size_t size)
{
    lookback::fuzz::accepts(lookback::fuzz::kTargets[LOOKBACK_FUZZ_TARGET],
                            {reinterpret_cast<const char *>(data), size});
    return 0;
}
