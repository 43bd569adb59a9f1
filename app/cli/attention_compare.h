// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/run_selection.h"
#include "core/analysis/attention_view.h"
#include "core/compute.h"

namespace CLI {
class App;
}

namespace lookback::analysis {
class AttentionProbe;
}

namespace lookback::cli {

/// The right side of a comparison, and heads to remove: --remove, --mode, --compare, --compare-step, --compare-removed
/// and --compare-head of the command "attention".
class AttentionCompareChoice {
public:
    void declare(CLI::App &app);
    /// Checks what needs no run. Throws UsageError.
    void check();

    bool isComparing() const { return !m_run.empty() || m_stepValue || m_isRemoved; }
    /// Of the side that is not compared with anything, or of the left one.
    circuit::Intervention leftIntervention() const { return m_isRemoved ? circuit::Intervention() : m_intervention; }

    /// Heads that `run` must have. Throws UsageError.
    void requireHeads(const RunConfig &config) const;
    /// The run at the right; nothing if it cannot be used, which was told then. Throws UsageError if it has no sequence
    /// in common with `left`.
    std::optional<SelectedRun> rightRun(const SelectedRun &left, const Session &session) const;
    /// What stands at the right beside an example: seen by `right`; the map of the head that was asked for or else of
    /// `same`. Throws Error, Cancelled.
    struct Right {
        std::shared_ptr<const analysis::Example> example;
        std::shared_ptr<const analysis::HeadMap> map;
    };
    /// With --compare-removed: the head after the removed ones whose map changes most, in the rows that retrieve; of
    /// one layer, or with one number, if these are not negative. Nothing if there is none, or the right side has a head
    /// of its own. Throws Error, Cancelled.
    std::optional<circuit::HeadId> mostChangedHead(analysis::AttentionProbe &leftProbe, const analysis::Example &left,
                                                   std::int64_t onlyLayer, std::int64_t onlyHead,
                                                   const ComputeOptions &compute, const std::stop_token &stop) const;
    Right seeRight(const SelectedRun &right, const analysis::Example &left, circuit::HeadId same,
                   const ComputeOptions &compute, std::stop_token stop) const;

private:
    std::vector<std::string> m_heads;
    std::string m_mode;
    std::string m_run;
    std::string m_step;
    std::string m_head;
    bool m_isRemoved = false;
    std::optional<std::int64_t> m_stepValue;
    std::optional<circuit::HeadId> m_headValue;
    circuit::Intervention m_intervention;
};

/// A query and a key.
struct Cell {
    std::int64_t query = 0;
    std::int64_t key = 0;
};
/// Where the two maps differ most: among the digits to be retrieved and the same digits at the first occurrence, or, if
/// `query` is not negative, in that row. By the right map alone where the two have no difference.
Cell clearestDifference(const analysis::Example &example, const analysis::HeadMap &left, const analysis::HeadMap &right,
                        std::int64_t query);

/// Why the two maps are the same by construction, in words; empty if they can differ.
std::string whySame(const analysis::Example &leftExample, const analysis::HeadMap &left,
                    const analysis::Example &rightExample, const analysis::HeadMap &right);

/// Both sides in words and a table of the answers; one cell is read out.
std::string comparisonText(const analysis::Example &leftExample, const analysis::HeadMap &left,
                           const analysis::Example &rightExample, const analysis::HeadMap &right, Cell cell);

/// The same as one JSON object, with or without the three matrices (specs/command-line.md).
std::string comparisonJson(const analysis::Example &leftExample, const analysis::HeadMap &left,
                           const analysis::Example &rightExample, const analysis::HeadMap &right, bool hasWeights);

} // namespace lookback::cli
