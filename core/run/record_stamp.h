// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/run/run_record.h"

namespace lookback::run {

/// Name of the processor and the vector features that decide the bits of a sum: "AMD EPYC, AVX2, AVX-512".
std::string processorWords();

/// A record for a new run, with this program's version, this processor and the time now.
RunRecord newRunRecord(const RunConfig &config, const std::string &preset, const std::string &device, int threads,
                       Kernels kernels = Kernels::Fused, Precision precision = Precision::Float32);

} // namespace lookback::run
