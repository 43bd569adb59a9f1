// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figure_circuit.h"

#include <algorithm>
#include <array>
#include <utility>

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/values.h"
#include "core/circuit/by_context.h"
#include "core/circuit/circuit_probe.h"
#include "core/circuit/timeline.h"
#include "core/json.h"
#include "core/model/variant_registry.h"
#include "ui/figures/measure_figure.h"
#include "ui/models/context_words.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMost = 1'000'000;
constexpr const char *kGroup = "per-index, heads, knockout, timeline, measure";
constexpr std::int64_t kPublishedKeys = 50; // of the losses by entry index

using Figures = std::vector<std::string>;

std::int64_t defaultSequences(const std::string &figure)
{
    return figure == "knockout" ? 128 : figure == "timeline" ? 64 : 256;
}

/// `the figure "a"`, `the figures "a", "b" and "c"`.
std::string inWords(const Figures &figures)
{
    std::string text = figures.size() == 1 ? "the figure " : "the figures ";
    for (std::size_t i = 0; i < figures.size(); ++i)
        text += (i == 0 ? "" : i + 1 == figures.size() ? " and " : ", ") + inQuotes(figures[i]);
    return text;
}

} // namespace

bool isCircuitFigure(const std::string &figure)
{
    return figure == "heads" || figure == "knockout" || figure == "timeline" || figure == "measure";
}

void CircuitFigureChoice::declare(CLI::App &app)
{
    const auto list = [&](const char *option, std::vector<std::string> &value, const char *type, const char *help) {
        app.add_option(option, value, help)
            ->type_name(type)
            ->group(kGroup)
            ->expected(1)
            ->allow_extra_args(false) // what follows is the run
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    app.add_option("--step", m_step, "heads, knockout, measure: checkpoint of this step (default: the newest).")
        ->type_name("N")
        ->group(kGroup);
    list("--n", m_nKeys, "N",
         "Unique keys of a sequence (default: as at the end of training; per-index: 50). measure: a list (default: "
         "8, 16, ... 256, and that of the end of training).");
    app.add_option("--sequences", m_sequences,
                   "Evaluation sequences (default: 256; knockout: 128, timeline: 64). measure without --n: of the "
                   "shortest; longer ones take fewer.")
        ->type_name("N")
        ->group(kGroup);
    app.add_option("--measure", m_measure,
                   "heads, frames of timeline: what colours the grid. measure: what is drawn against n (default: "
                   "retrieval).")
        ->type_name("NAME")
        ->group(kGroup);
    list("--head", m_heads, "LAYER:HEAD",
         "measure: head to draw; may be repeated (default: the eight with most of the measure at the smallest n).");
    app.add_option("--mode", m_mode, "knockout: zero, mean or uniform (default: zero).")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option(
           "--frames", m_frames,
           "timeline: strip draws the grid of heads at each checkpoint, coloured by --measure, with the loss and "
           "a marker on it; .apng is the same one after another.")
        ->type_name("strip")
        ->group(kGroup);
    m_compute.declare(app, kGroup, "CPU threads, also of variance (default: all cores).");
}

void CircuitFigureChoice::check(const std::string &figure)
{
    struct Option {
        const char *name;
        bool isGiven;
        Figures figures;
    };
    const Figures measured{"per-index", "heads", "knockout", "timeline", "measure"};
    const std::array<Option, 9> options{
        Option{"--n", !m_nKeys.empty(), measured},
        Option{"--sequences", !m_sequences.empty(), measured},
        Option{"--device", m_compute.hasDevice(), measured},
        Option{
            "--threads", m_compute.hasThreads(), {"per-index", "heads", "knockout", "timeline", "measure", "variance"}},
        Option{"--measure", !m_measure.empty(), {"heads", "timeline", "measure"}},
        Option{"--head", !m_heads.empty(), {"measure"}},
        Option{"--mode", !m_mode.empty(), {"knockout"}},
        Option{"--frames", !m_frames.empty(), {"timeline"}},
        Option{"--step", !m_step.empty(), {"heads", "knockout", "measure"}},
    };
    for (const Option &option : options) {
        if (option.isGiven && std::ranges::find(option.figures, figure) == option.figures.end())
            throw UsageError(option.name, "It belongs to " + inWords(option.figures) + ".");
    }
    if (!m_step.empty())
        m_stepValue = countValue("--step", m_step, 0, 1'000'000'000'000);
    m_nKeysValue = countList("--n", m_nKeys, 1, kMost);
    if (m_nKeysValue.size() > 1 && figure != "measure")
        throw UsageError("--n", "The figure " + inQuotes(figure) + " shows one length.", "Name one.");
    m_sequencesValue =
        m_sequences.empty() ? defaultSequences(figure) : countValue("--sequences", m_sequences, 1, kMost);
    if (!m_measure.empty())
        m_measureValue = asUsage([&] { return circuit::measureFromId(m_measure); });
    if (!m_frames.empty())
        choiceValue("--frames", m_frames, {"strip"});
    if (figure == "timeline" && !m_measure.empty() && m_frames.empty())
        throw UsageError("--measure", "The time line shows several measures.", "Add --frames strip, or leave it out.");
    if (!m_mode.empty())
        m_modeValue = asUsage([&] { return circuit::removalFromName(m_mode, "--mode"); });
    if (!m_heads.empty()) {
        for (const std::string &name : nameList("--head", m_heads)) {
            const circuit::HeadId id = asUsage([&] { return circuit::headFromText(name, "--head"); });
            if (std::ranges::find(m_headsValue, id) == m_headsValue.end())
                m_headsValue.push_back(id);
        }
    }
}

int CircuitFigureChoice::threads() const
{
    return m_compute.options(machineInfo().cores).threads;
}

std::unique_ptr<ui::Figure> CircuitFigureChoice::byLength(const SelectedRun &run, const ProgressFunction &progress,
                                                          std::stop_token stop) const
{
    const RunConfig &config = run.record.config;
    asUsage([&] { circuit::requireHeads(m_headsValue, config.pairs, config.query_heads); });
    circuit::CircuitProbe probe(run.folder.path().string(), m_stepValue, m_compute.options(machineInfo().cores));
    if (m_stepValue < 0)
        noteOlderCheckpoint(run.folder, probe.step());
    std::vector<circuit::HeadRequest> lengths;
    for (const std::int64_t n : m_nKeysValue)
        lengths.push_back({.n_keys = n, .sequences = m_sequencesValue});
    if (lengths.empty()) {
        std::int64_t mostKeys = 1;
        for (std::int64_t digit = 0; digit < config.key_digits && mostKeys < kMost; ++digit)
            mostKeys *= 10;
        lengths = ui::contextLengths(config.n_keys, m_sequencesValue, mostKeys); // as in the window
    }
    return ui::makeMeasureFigure(
        {.tables = headsByContext(probe, {.lengths = std::move(lengths)}, progress, {}, std::move(stop)).tables,
         .measure = m_measureValue,
         .chosen = m_headsValue,
         .run = ui::figureRuns({{QString::fromStdString(run.folder.name()), run.record}}, model::variants()).front()});
}

std::unique_ptr<ui::Figure> CircuitFigureChoice::measure(const std::string &figure, const SelectedRun &run,
                                                         const ProgressFunction &progress, std::stop_token stop) const
{
    if (figure == "measure")
        return byLength(run, progress, std::move(stop));
    const std::string folder = run.folder.path().string();
    const ComputeOptions compute = m_compute.options(machineInfo().cores);
    const circuit::HeadRequest request{.n_keys = m_nKeysValue.empty() ? run.record.config.n_keys : m_nKeysValue.front(),
                                       .sequences = m_sequencesValue};
    ui::CircuitFigureInput input;
    input.run = ui::figureRuns({{QString::fromStdString(run.folder.name()), run.record}}, model::variants()).front();
    if (figure == "timeline") {
        auto tables = std::make_shared<const std::vector<circuit::HeadTable>>(
            circuit::measureTimeline(folder, {.heads = request}, compute, progress, {}, stop));
        input.heads = {tables, &tables->back()};
        input.timeline = std::move(tables);
        input.metrics = run.folder.readMetricsLog().records;
        input.quantity = m_measureValue;
        return m_frames.empty() ? ui::makeTimelineFigure(std::move(input))
                                : ui::makeTimelineStripFigure(std::move(input));
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
    return ui::makeHeadGridFigure(std::move(input));
}

std::vector<ui::PerIndexFigureCurve> CircuitFigureChoice::perIndex(const ui::FigureRun &run,
                                                                   const SelectedRun &selected,
                                                                   const ProgressFunction &progress,
                                                                   std::stop_token stop) const
{
    const std::int64_t n = m_nKeysValue.empty() ? kPublishedKeys : m_nKeysValue.front();
    const std::filesystem::path folder = selected.folder.path();
    std::vector<ui::PerIndexFigureCurve> curves;
    if (std::optional<eval::PerIndexTable> recorded = ui::recordedPerIndex(selected.record, folder, n))
        curves.push_back({.run = run, .table = std::move(*recorded), .isRecorded = true});
    if (!curves.empty() && selected.folder.checkpoints().empty())
        return curves; // its record is all that there is of it
    circuit::CircuitProbe probe(folder.string(), -1, m_compute.options(machineInfo().cores));
    noteOlderCheckpoint(selected.folder, probe.step());
    std::vector<std::string> notes;
    ui::PerIndexFigureCurve own{
        .run = run,
        .table = probe.perIndex({.n_keys = n, .sequences = m_sequencesValue}, progress, std::move(stop), &notes)};
    for (const std::string &sentence : notes)
        note(sentence);
    curves.insert(curves.begin(), std::move(own));
    return curves;
}

} // namespace lookback::cli
