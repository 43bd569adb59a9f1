// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figure_circuit.h"

#include <utility>

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/values.h"
#include "core/circuit/circuit_probe.h"
#include "core/circuit/timeline.h"
#include "core/model/variant_registry.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMost = 1'000'000;
constexpr const char *kGroup = "heads, knockout, timeline";

std::int64_t defaultSequences(const std::string &figure)
{
    return figure == "heads" ? 256 : figure == "knockout" ? 128 : 64;
}

} // namespace

bool isCircuitFigure(const std::string &figure)
{
    return figure == "heads" || figure == "knockout" || figure == "timeline";
}

void CircuitFigureChoice::declare(CLI::App &app)
{
    app.add_option("--step", m_step, "heads, knockout: checkpoint of this step (default: the newest).")
        ->type_name("N")
        ->group(kGroup);
    app.add_option("--n", m_nKeys, "Unique keys of a sequence (default: as at the end of training).")
        ->type_name("N")
        ->group(kGroup);
    app.add_option("--sequences", m_sequences, "Evaluation sequences (default: 256, 128, 64).")
        ->type_name("N")
        ->group(kGroup);
    app.add_option("--measure", m_measure, "heads: what colours the grid (default: retrieval).")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option("--mode", m_mode, "knockout: zero, mean or uniform (default: zero).")
        ->type_name("NAME")
        ->group(kGroup);
    m_compute.declare(app, kGroup, "CPU threads (default: all cores).");
}

void CircuitFigureChoice::check(const std::string &figure)
{
    const auto refuse = [&](const std::string &option, bool isGiven, const std::string &figures) {
        if (isGiven)
            throw UsageError(option, "It belongs to " + figures + ".");
    };
    if (!isCircuitFigure(figure)) {
        const std::string all = "the figures \"heads\", \"knockout\" and \"timeline\"";
        refuse("--n", !m_nKeys.empty(), all);
        refuse("--sequences", !m_sequences.empty(), all);
        refuse("--device", m_compute.hasDevice(), all);
        refuse("--threads", m_compute.hasThreads(), all);
    }
    if (figure != "heads")
        refuse("--measure", !m_measure.empty(), "the figure \"heads\"");
    if (figure != "knockout")
        refuse("--mode", !m_mode.empty(), "the figure \"knockout\"");
    if (figure != "heads" && figure != "knockout")
        refuse("--step", !m_step.empty(), "the figures \"heads\" and \"knockout\"");
    if (!m_step.empty())
        m_stepValue = countValue("--step", m_step, 0, 1'000'000'000'000);
    if (!m_nKeys.empty())
        m_nKeysValue = countValue("--n", m_nKeys, 1, kMost);
    m_sequencesValue =
        m_sequences.empty() ? defaultSequences(figure) : countValue("--sequences", m_sequences, 1, kMost);
    if (!m_measure.empty())
        m_measureValue = asUsage([&] { return circuit::measureFromId(m_measure); });
    if (!m_mode.empty())
        m_modeValue = asUsage([&] { return circuit::removalFromName(m_mode, "--mode"); });
}

ui::CircuitFigureInput CircuitFigureChoice::measure(const std::string &figure, const SelectedRun &run,
                                                    const ProgressFunction &progress, std::stop_token stop) const
{
    const std::string folder = run.folder.path().string();
    const ComputeOptions compute = m_compute.options(machineInfo().cores);
    const circuit::HeadRequest request{.n_keys = m_nKeysValue > 0 ? m_nKeysValue : run.record.config.n_keys,
                                       .sequences = m_sequencesValue};
    ui::CircuitFigureInput input;
    input.run = ui::figureRuns({{QString::fromStdString(run.folder.name()), run.record}}, model::variants()).front();
    if (figure == "timeline") {
        auto tables = std::make_shared<const std::vector<circuit::HeadTable>>(
            circuit::measureTimeline(folder, {.heads = request}, compute, progress, {}, stop));
        input.heads = {tables, &tables->back()};
        input.timeline = std::move(tables);
        input.metrics = run.folder.readMetricsLog().records;
        return input;
    }
    circuit::CircuitProbe probe(folder, m_stepValue, compute);
    if (m_stepValue < 0)
        noteOlderCheckpoint(run.folder, probe.step());
    input.heads = std::make_shared<const circuit::HeadTable>(probe.heads(request, progress, stop));
    if (figure == "heads")
        input.quantity = m_measureValue;
    else
        input.grid = std::make_shared<const circuit::KnockoutGrid>(probe.knockOutEach(
            {.removal = m_modeValue, .n_keys = request.n_keys, .sequences = request.sequences}, progress, stop));
    return input;
}

} // namespace lookback::cli
