// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace lookback {

/// How a model computes in float32 on the CPU. In other types and on other devices it is always Reference.
enum class Kernels {
    Reference, ///< Plain LibTorch operations.
    Fused, ///< One pass a sublayer, the same bits for any number of threads; equal to Reference to rounding.
};
std::string_view kernelsName(Kernels kernels); ///< "reference", "fused"
/// Throws Error about `subject` for another name.
Kernels kernelsFromName(std::string_view name, const std::string &subject);

/// In which precision training multiplies matrices: weights, and everything beside products with weights, are always
/// float32, sums too.
enum class Precision {
    Float32,
    Bfloat16, ///< Factors of products with weights and of weight gradients are rounded; fused kernels only.
};
std::string_view precisionName(Precision precision); ///< "float32", "bfloat16"
/// Throws Error about `subject` for another name.
Precision precisionFromName(std::string_view name, const std::string &subject);

/// Where and with how many threads a computation runs.
struct ComputeOptions {
    std::string device = "auto"; ///< "auto", "cpu" or "cuda".
    int threads = 1; ///< CPU threads, 1 or more; fixed for a run's life because bits depend on it.
    Kernels kernels = Kernels::Fused; ///< As the threads: fixed for a run's life.
    Precision precision = Precision::Float32; ///< Likewise.
    bool operator==(const ComputeOptions &) const = default;
};

/// What this machine offers; gathered once, without blocking anything but the calling thread.
struct MachineInfo {
    int cores = 1; ///< Cores that this process may use.
    bool hasCuda = false;
    std::string cudaDevice; ///< "NVIDIA H100, 80 GB" or empty.
    std::string cudaReason; ///< Why there is no CUDA, one sentence; empty if there is.
    std::string libtorchVersion;
    std::string programVersion;
    bool operator==(const MachineInfo &) const = default;
};

/// Cores that this process may use: those of its affinity mask, fewer if its control group grants less time.
int usableCores();

/// Gathers MachineInfo; the first call loads the CUDA part of LibTorch if an NVIDIA driver and the library are there.
MachineInfo machineInfo();

/// "cpu" or "cuda" for a device option. Throws Error with one sentence if "cuda" is asked for and not there, or the
/// name is unknown.
std::string resolvedDevice(const std::string &device);

} // namespace lookback
