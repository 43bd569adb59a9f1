// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/compute_choice.h"
#include "app/cli/run_selection.h"
#include "core/circuit/head_id.h"
#include "core/progress.h"

namespace lookback::cli {

enum class OutputForm { Text, Json, Csv };

/// RUN, --step, --n, --sequences, --head, --device, --threads, --json, --csv, --npy and --quiet of the commands that
/// look into the heads of one run.
class CircuitChoice {
public:
    /// `defaultN`: as the help says it. `csvHelp`: the columns.
    void declare(CLI::App &app, const std::string &defaultN, std::int64_t defaultSequences, const std::string &jsonHelp,
                 const std::string &csvHelp);
    /// --step.
    void declareStep(CLI::App &app);
    /// --head, which may be repeated.
    void declareHeads(CLI::App &app, const std::string &help);

    /// Checks what needs no run. Throws UsageError.
    void check();
    /// The run; nothing if it cannot be used, which was told then. Throws UsageError if RUN is none or several.
    std::vector<SelectedRun> run(const Session &session) const;

    OutputForm form() const { return m_isJson ? OutputForm::Json : m_isCsv ? OutputForm::Csv : OutputForm::Text; }
    bool isQuiet() const { return m_isQuiet; }
    /// Writes these lines, header first, to the file of --npy, if there is one. Throws Error.
    void writeNpy(const std::string &csv) const;
    std::int64_t step() const { return m_stepValue; }
    /// As asked for, ascending; empty = the default.
    const std::vector<std::int64_t> &nKeys() const { return m_nKeysValue; }
    std::int64_t sequences() const { return m_sequencesValue; }
    std::int64_t sequencesOr(std::int64_t otherDefault) const
    {
        return m_sequences.empty() ? otherDefault : m_sequencesValue;
    }
    const std::vector<circuit::HeadId> &heads() const { return m_headsValue; }
    ComputeOptions compute() const;

private:
    std::string m_run;
    std::string m_step;
    std::vector<std::string> m_nKeys;
    std::string m_sequences;
    std::vector<std::string> m_heads;
    ComputeChoice m_compute;
    std::string m_npy;
    bool m_isJson = false;
    bool m_isCsv = false;
    bool m_isQuiet = false;
    std::int64_t m_stepValue = -1;
    std::vector<std::int64_t> m_nKeysValue;
    std::int64_t m_sequencesValue;
    std::vector<circuit::HeadId> m_headsValue;
};

} // namespace lookback::cli
