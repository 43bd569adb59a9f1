// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "app/cli/compute_choice.h"
#include "app/cli/run_selection.h"
#include "core/circuit/knockout.h"
#include "core/progress.h"
#include "ui/figures/circuit_figures.h"

namespace lookback::cli {

/// The figures heads, knockout and timeline of the command `figure`: what is measured for them, and how.
class CircuitFigureChoice {
public:
    void declare(CLI::App &app);
    /// Throws UsageError for values that are wrong whatever the run. `figure`: one of the three, or another one, to
    /// which none of these options belongs.
    void check(const std::string &figure);
    /// Measures what the figure shows of one run. Throws Cancelled soon after `stop` was asked for.
    ui::CircuitFigureInput measure(const std::string &figure, const SelectedRun &run, const ProgressFunction &progress,
                                   std::stop_token stop) const;

private:
    std::string m_step;
    std::string m_nKeys;
    std::string m_sequences;
    std::string m_measure;
    std::string m_mode;
    ComputeChoice m_compute;
    std::int64_t m_stepValue = -1;
    std::int64_t m_nKeysValue = 0; ///< 0 = as at the end of training.
    std::int64_t m_sequencesValue = 0; ///< 0 = as the command of that name.
    circuit::HeadMeasure m_measureValue = circuit::HeadMeasure::Retrieval;
    circuit::Removal m_modeValue = circuit::Removal::Zero;
};

/// True for heads, knockout and timeline.
bool isCircuitFigure(const std::string &figure);

} // namespace lookback::cli
