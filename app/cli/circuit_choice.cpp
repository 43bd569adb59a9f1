// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/circuit_choice.h"

#include <algorithm>

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/offscreen.h"
#include "app/cli/values.h"
#include "core/json.h"
#include "core/run/npy.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMostKeys = 1'000'000;
constexpr std::int64_t kMostSequences = 1'000'000;
constexpr const char *kWhat = "What to look at";

} // namespace

void CircuitChoice::declare(CLI::App &app, const std::string &defaultN, std::int64_t defaultSequences,
                            const std::string &jsonHelp, const std::string &csvHelp)
{
    m_sequencesValue = defaultSequences;
    app.add_option("RUN", m_run, "Run folder.")->group(kWhat);
    app.add_option("--n", m_nKeys, "Unique keys of a sequence (default: " + defaultN + ").")
        ->type_name("LIST")
        ->group(kWhat)
        ->expected(1)
        ->allow_extra_args(false) // what follows is the run
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--sequences", m_sequences,
                   "Evaluation sequences; more narrow the intervals (default: " + std::to_string(defaultSequences)
                       + ").")
        ->type_name("N")
        ->group(kWhat);
    m_compute.declare(app, "How", "CPU threads (default: all cores).");
    app.add_flag("--json", m_isJson, jsonHelp)->group("Output");
    app.add_flag("--csv", m_isCsv, csvHelp)->group("Output");
    app.add_option(
           "--npy", m_npy,
           "Write the columns of --csv to a file for NumPy as well: a structured array, a record for each line.")
        ->type_name("FILE")
        ->group("Output");
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
}

void CircuitChoice::declareStep(CLI::App &app)
{
    app.add_option("--step", m_step, "Checkpoint of this step (default: the newest).")->type_name("N")->group(kWhat);
}

void CircuitChoice::declareHeads(CLI::App &app, const std::string &help)
{
    app.add_option("--head", m_heads, help)
        ->type_name("LAYER:HEAD")
        ->group(kWhat)
        ->expected(1)
        ->allow_extra_args(false) // what follows is the run
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void CircuitChoice::check()
{
    if (m_isJson && m_isCsv)
        throw UsageError("--csv", "It does not go together with --json.", "Choose one of them.");
    if (!m_npy.empty())
        extensionOf("--npy", m_npy, {"npy"});
    m_nKeysValue = countList("--n", m_nKeys, 1, kMostKeys);
    if (!m_sequences.empty())
        m_sequencesValue = countValue("--sequences", m_sequences, 1, kMostSequences);
    if (!m_step.empty())
        m_stepValue = countValue("--step", m_step, 0, 1'000'000'000'000);
    if (m_heads.empty())
        return;
    for (const std::string &name : nameList("--head", m_heads)) {
        const circuit::HeadId id = asUsage([&] { return circuit::headFromText(name, "--head"); });
        if (std::find(m_headsValue.begin(), m_headsValue.end(), id) == m_headsValue.end())
            m_headsValue.push_back(id);
    }
}

std::vector<SelectedRun> CircuitChoice::run(const Session &session) const
{
    std::vector<SelectedRun> runs =
        selectRuns(m_run.empty() ? std::vector<std::string>{} : std::vector{m_run}, session).runs;
    if (runs.size() > 1) {
        throw UsageError("RUN",
                         inQuotes(m_run) + " holds " + grouped(static_cast<std::int64_t>(runs.size())) + " runs.",
                         "Name one of them.");
    }
    if (!runs.empty()) {
        const RunConfig &config = runs.front().record.config;
        asUsage([&] { circuit::requireHeads(m_headsValue, config.pairs, config.query_heads); });
    }
    return runs;
}

void CircuitChoice::writeNpy(const std::string &csv) const
{
    if (m_npy.empty())
        return;
    ui::writeFigureFile(m_npy, QByteArray::fromStdString(run::npyTable(csv)));
    if (form() == OutputForm::Text)
        printWritten(m_npy);
}

ComputeOptions CircuitChoice::compute() const
{
    return m_compute.options(machineInfo().cores);
}

} // namespace lookback::cli
