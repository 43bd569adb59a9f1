// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compute_choice.h"

#include <CLI/App.hpp>

#include "app/cli/console.h"
#include "app/cli/values.h"

namespace lookback::cli {

namespace {

constexpr int kMostThreads = 1024;

} // namespace

void ComputeChoice::declare(CLI::App &app, const std::string &group, const std::string &threadsHelp)
{
    app.add_option("--threads", m_threads, threadsHelp)->type_name("N")->group(group);
    app.add_option("--device", m_device,
                   "auto, cpu or cuda. auto takes the GPU if there is one; cuda fails if there is "
                   "none (default: auto).")
        ->type_name("NAME")
        ->group(group);
}

void ComputeChoice::declareKernels(CLI::App &app, const std::string &group)
{
    app.add_option(
           "--kernels", m_kernels,
           "fused or reference: one pass a sublayer, or plain LibTorch operations; equal to rounding. Float32 on "
           "the CPU only (default: fused).")
        ->type_name("NAME")
        ->group(group);
}

ComputeOptions ComputeChoice::options(int defaultThreads) const
{
    ComputeOptions options;
    const std::string device = m_device.empty() ? "auto" : choiceValue("--device", m_device, {"auto", "cpu", "cuda"});
    options.threads =
        m_threads.empty() ? defaultThreads : static_cast<int>(countValue("--threads", m_threads, 1, kMostThreads));
    options.kernels = m_kernels.empty()
        ? Kernels::Fused
        : kernelsFromName(choiceValue("--kernels", m_kernels, {"fused", "reference"}), "--kernels");
    options.device = resolvedDevice(device);
    const int cores = machineInfo().cores;
    if (options.threads > cores) {
        note(grouped(options.threads) + " threads share " + grouped(cores) + (cores == 1 ? " core" : " cores")
             + ", which is slower than one thread a core.");
    }
    return options;
}

} // namespace lookback::cli
