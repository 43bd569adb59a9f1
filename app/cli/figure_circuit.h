// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/compute_choice.h"
#include "app/cli/run_selection.h"
#include "core/circuit/knockout.h"
#include "core/progress.h"
#include "ui/figures/circuit_figures.h"
#include "ui/figures/per_index_figure.h"

namespace lookback::cli {

/// The figures of the command `figure` that are measured with models: per-index, heads, knockout, timeline and measure.
class CircuitFigureChoice {
public:
    void declare(CLI::App &app);
    /// Throws UsageError for values that are wrong whatever the run, and for options that were given although they do
    /// not belong to `figure`.
    void check(const std::string &figure);
    /// Measures what the figure shows of one run, and makes it; all but per-index. Throws Cancelled soon after `stop`
    /// was asked for.
    std::unique_ptr<ui::Figure> measure(const std::string &figure, const SelectedRun &run,
                                        const ProgressFunction &progress, std::stop_token stop) const;
    /// Losses by entry index of a run, measured and, of a kvbench folder, also as recorded.
    std::vector<ui::PerIndexFigureCurve> perIndex(const ui::FigureRun &run, const SelectedRun &selected,
                                                  const ProgressFunction &progress, std::stop_token stop) const;
    /// The figure is made of frames.
    bool hasFrames() const { return !m_frames.empty(); }
    /// CPU threads, also of figures that compute without a model.
    int threads() const;

private:
    std::unique_ptr<ui::Figure> byLength(const SelectedRun &run, const ProgressFunction &progress,
                                         std::stop_token stop) const;

    std::string m_step;
    std::vector<std::string> m_nKeys;
    std::string m_sequences;
    std::string m_measure;
    std::string m_mode;
    std::string m_frames;
    std::vector<std::string> m_heads;
    ComputeChoice m_compute;
    std::int64_t m_stepValue = -1;
    std::vector<std::int64_t> m_nKeysValue; ///< None = the default of the figure.
    std::int64_t m_sequencesValue = 0;
    circuit::HeadMeasure m_measureValue = circuit::HeadMeasure::Retrieval;
    circuit::Removal m_modeValue = circuit::Removal::Zero;
    std::vector<circuit::HeadId> m_headsValue;
};

/// True for those of one run: heads, knockout, timeline and measure.
bool isCircuitFigure(const std::string &figure);

} // namespace lookback::cli
