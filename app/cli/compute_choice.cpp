// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compute_choice.h"

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/values.h"
#include "core/kernels/fused/bfloat_products.h"

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

void ComputeChoice::declarePrecision(CLI::App &app, const std::string &group)
{
    app.add_option(
           "--precision", m_precision,
           "float32, bfloat16 or auto: in which precision training multiplies by weights; weights and sums stay "
           "float32. auto takes bfloat16 if the processor multiplies it (default: float32).")
        ->type_name("NAME")
        ->group(group);
}

Precision ComputeChoice::precisionFor(const ComputeOptions &options) const
{
    const std::string name =
        m_precision.empty() ? "float32" : choiceValue("--precision", m_precision, {"float32", "bfloat16", "auto"});
    const bool isPossible = options.kernels == Kernels::Fused && options.device == "cpu";
    const bool isFast = kernels::fused::multipliesBfloat16();
    if (name == "auto") {
        const Precision chosen = isPossible && isFast ? Precision::Bfloat16 : Precision::Float32;
        note("Trains in " + std::string(precisionName(chosen)) + ".");
        return chosen;
    }
    if (name == "bfloat16") {
        if (!isPossible)
            throw UsageError(Error("--precision bfloat16", "Only the fused kernels on the CPU multiply in bfloat16.",
                                   "Leave out --kernels reference and --device cuda, or --precision."));
        if (!isFast)
            note("This processor does not multiply bfloat16 itself: training is slower than in float32.");
    }
    return precisionFromName(name, "--precision");
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
    options.precision = precisionFor(options);
    const int cores = machineInfo().cores;
    if (options.threads > cores) {
        note(grouped(options.threads) + " threads share " + grouped(cores) + (cores == 1 ? " core" : " cores")
             + ", which is slower than one thread a core.");
    }
    return options;
}

} // namespace lookback::cli
