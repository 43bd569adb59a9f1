// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/attention_compare.h"
#include "app/cli/attention_text.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/offscreen.h"
#include "app/cli/retrieving_head.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/memory.h"
#include "core/analysis/attention_probe.h"
#include "core/json.h"
#include "ui/figures/attention_compare_figure.h"
#include "ui/figures/attention_figure.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMostKeys = 1'000'000;
const std::vector<std::string> kExtensions{"png", "svg", "pdf", "csv", "npy", "json"};
constexpr double kMostMapBytes = 2e9; // of one head; a larger one would neither be seen nor fit

class AttentionCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    /// --layer and --head; -1 = not named.
    circuit::HeadId askedHead(std::int64_t layers, std::int64_t heads) const;
    /// Throws UsageError if maps and files of that size cannot be held.
    void requireMemory(std::int64_t nKeys, std::int64_t positions) const;
    void writeFile(const std::string &file, const ui::AttentionFigureInput &input) const;
    void writeComparison(const std::string &file, const ui::CompareFigureInput &input) const;

    std::string m_run;
    std::string m_step;
    std::string m_nKeys;
    std::string m_sequence = "0";
    std::string m_layer;
    std::string m_head;
    std::string m_query;
    std::vector<std::string> m_out;
    AttentionCompareChoice m_compare;
    PictureOptions m_picture;
    ComputeChoice m_compute;
    bool m_isBare = false;
    bool m_hasNoCaption = false;
    bool m_isJson = false;
};

void AttentionCommand::declare(CLI::App &app)
{
    app.description(
        "Shows where one attention head looks while the model retrieves values in one sequence, and what the "
        "model answers. Layers are the attention sublayers, numbered from 0; heads are numbered from 0.");
    const std::string what = "What to look at";
    app.add_option("RUN", m_run, "Run folder.")->group(what);
    app.add_option("--step", m_step, "Checkpoint of this step (default: the newest).")->type_name("N")->group(what);
    app.add_option("--n", m_nKeys, "Unique keys of the sequence (default: as at the end of training).")
        ->type_name("N")
        ->group(what);
    app.add_option("--sequence", m_sequence, "Which evaluation sequence, from 0 (default: 0).")
        ->type_name("N")
        ->group(what);
    app.add_option(
           "--layer", m_layer,
           "Attention sublayer (default: layer and head that put most weight on the digits to be retrieved; with "
           "--compare-removed, those after the removed heads whose map changes most, if there are any).")
        ->type_name("N")
        ->group(what);
    app.add_option("--head", m_head, "Query head, also as LAYER:HEAD (default: as for --layer).")
        ->type_name("[LAYER:]HEAD")
        ->group(what);
    app.add_option("--query", m_query,
                   "Position whose row is read out in words (default: the retrieving one that this head "
                   "sees most clearly).")
        ->type_name("N")
        ->group(what);
    m_compare.declare(app);
    m_compute.declare(app, "How", "CPU threads (default: all cores).");
    app.add_option(
           "--out", m_out,
           "File to write: .png, .svg or .pdf (picture), .csv, .npy ([query, key], float32) or .json (numbers); "
           "may be repeated.")
        ->type_name("FILE")
        ->group("Output")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--json", m_isJson, "What would be written to a .json file, without the weights, on standard output.")
        ->group("Output");
    m_picture.declare(app);
    app.add_flag("--bare", m_isBare, "Only the cells, one pixel each, instead of a figure of the size above.")
        ->group("Picture");
    app.add_flag("--no-caption", m_hasNoCaption,
                 "The map with its labels and legend, without the sentences about it; they stay in the file's "
                 "description.")
        ->group("Picture");
    app.footer("  lookback-cli attention lookback-runs/hybrid_square-seed0 --n 8 --sequence 0 \\\n"
               "      --layer 3 --head 1 --out head.png\n"
               "  lookback-cli attention lookback-runs/rope-seed0 --out head.json --out head.csv\n"
               "  lookback-cli attention lookback-runs/hybrid_square-seed0 \\\n"
               "      --compare-step 512 --out both.png\n"
               "  lookback-cli attention lookback-runs/hybrid_square-seed0 \\\n"
               "      --remove 1:2 --mode uniform --compare-removed --out both.csv");
}

void AttentionCommand::writeFile(const std::string &file, const ui::AttentionFigureInput &input) const
{
    if (extensionOf("--out", file, kExtensions) == "json") {
        run::writeFileWhole(file, attentionJson(*input.example, *input.map, true) + "\n");
        return;
    }
    ui::ExportOptions options = m_picture.options();
    if (input.isBare) {
        // a picture is at least 10 mm wide, so few cells need fewer dots an inch
        const QSize cells = ui::onePixelACell(input);
        options.dpi = std::clamp(static_cast<int>(cells.width() * 2.54), 10, options.dpi);
        const bool isTransparent = options.isTransparent;
        const bool isDark = options.isDark;
        options = ui::ExportOptions::ofPixels(cells, options.dpi);
        options.isTransparent = isTransparent;
        options.isDark = isDark;
    }
    writeFigure(*ui::makeAttentionFigure(input), file, options);
}

void AttentionCommand::writeComparison(const std::string &file, const ui::CompareFigureInput &input) const
{
    if (extensionOf("--out", file, kExtensions) == "json") {
        run::writeFileWhole(
            file,
            comparisonJson(*input.left.example, *input.left.map, *input.right.example, *input.right.map, true) + "\n");
        return;
    }
    writeFigure(*ui::makeCompareFigure(input), file, m_picture.options());
}

circuit::HeadId AttentionCommand::askedHead(std::int64_t layers, std::int64_t heads) const
{
    circuit::HeadId asked{-1, -1};
    if (!m_layer.empty())
        asked.layer = countValue("--layer", m_layer, 0, layers - 1);
    if (m_head.find(':') == std::string::npos) {
        if (!m_head.empty())
            asked.head = countValue("--head", m_head, 0, heads - 1);
        return asked;
    }
    const circuit::HeadId both = asUsage([&] { return circuit::headFromText(m_head, "--head"); });
    asUsage([&] { circuit::requireHeads({both}, layers, heads); });
    if (asked.layer >= 0 && asked.layer != both.layer) {
        throw UsageError("--head " + m_head,
                         "--layer says " + std::to_string(asked.layer) + ", which is another layer.",
                         "Leave one of them out.");
    }
    return both;
}

void AttentionCommand::requireMemory(std::int64_t nKeys, std::int64_t positions) const
{
    const double cells = static_cast<double>(positions) * static_cast<double>(positions);
    const double maps = m_compare.isComparing() ? 3.0 : 1.0;
    double most = 0.0; // bytes a cell while a file is written: files of numbers are made whole in memory
    for (const std::string &file : m_out) {
        const std::string extension = extensionOf("--out", file, kExtensions);
        const double perCell = extension == "csv" ? 25.0 + 30.0 * maps
            : extension == "json"                 ? 35.0 + 10.0 * maps
            : extension == "npy"                  ? 20.0 * maps
                                                  : 2.0 * maps;
        most = std::max(most, perCell);
    }
    const double bytes = cells * (sizeof(float) * maps + most);
    const double usable = usableMemoryBytes();
    if (usable > 0.0 && bytes > 0.8 * usable) {
        throw UsageError("--n " + std::to_string(nKeys),
                         "The maps of " + grouped(positions) + " x " + grouped(positions)
                             + " positions and the files of their numbers would take about " + fixed(bytes / 1e9, 1)
                             + " GB of memory; this machine has " + fixed(usable / 1e9, 1) + " GB.",
                         "Choose a smaller n, a picture, or .npy instead of .csv and .json.");
    }
}

int AttentionCommand::run(const Session &session)
{
    const std::int64_t asked = m_nKeys.empty() ? 0 : countValue("--n", m_nKeys, 1, kMostKeys);
    const std::int64_t sequence = countValue("--sequence", m_sequence, 0, 1'000'000'000);
    const std::int64_t step = m_step.empty() ? -1 : countValue("--step", m_step, 0, 1'000'000'000'000);
    bool isPicture = false;
    for (const std::string &file : m_out)
        isPicture = extensionOf("--out", file, kExtensions) != "json" || isPicture;
    m_compare.check();
    if (m_isBare && m_compare.isComparing())
        throw UsageError("--bare", "A comparison has no bare picture.", "Leave --bare out.");
    m_picture.options(); // refuses bad ones before anything is computed
    session.beginComputing();
    const Selection selection = selectRuns(m_run.empty() ? std::vector<std::string>{} : std::vector{m_run}, session);
    const std::vector<SelectedRun> &runs = selection.runs;
    if (runs.empty())
        return kFailed;
    if (runs.size() != 1) {
        throw UsageError("RUN",
                         inQuotes(m_run) + " holds " + grouped(static_cast<std::int64_t>(runs.size())) + " runs.",
                         "Name one of them.");
    }
    const SelectedRun &run = runs.front();
    m_compare.requireHeads(run.record.config);
    const std::optional<SelectedRun> right =
        m_compare.isComparing() ? m_compare.rightRun(run, session) : std::optional(run);
    if (!right)
        return kFailed;
    const std::int64_t nKeys = asked > 0 ? asked : run.record.config.n_keys;
    const std::int64_t layers = run.record.config.pairs;
    const std::int64_t heads = run.record.config.query_heads;
    const auto [layer, head] = askedHead(layers, heads);
    const std::int64_t positions = run.record.config.contextTokens(nKeys) - 1;
    const std::int64_t query = m_query.empty() ? -1 : countValue("--query", m_query, 0, positions - 1);
    const double bytes = static_cast<double>(positions) * static_cast<double>(positions) * sizeof(float);
    if (bytes > kMostMapBytes) {
        throw UsageError("--n " + std::to_string(nKeys),
                         "One head's map of " + grouped(positions) + " x " + grouped(positions)
                             + " positions would take " + fixed(bytes / 1e9, 1) + " GB.",
                         "Choose a smaller n.");
    }
    requireMemory(nKeys, positions);
    const ComputeOptions compute = m_compute.options(machineInfo().cores);

    Interrupt interrupt;
    analysis::AttentionProbe probe(run.folder.path().string(), step, compute);
    const auto example = std::make_shared<const analysis::Example>(
        probe.example(nKeys, sequence, interrupt.token(), {}, m_compare.leftIntervention()));
    if (step < 0)
        noteOlderCheckpoint(run.folder, example->key.step);
    std::optional<circuit::HeadId> shown;
    if (layer >= 0 && head >= 0)
        shown = {layer, head};
    else
        shown = m_compare.mostChangedHead(probe, *example, layer, head, compute, interrupt.token());
    const auto map = std::make_shared<const analysis::HeadMap>(
        shown ? probe.headMap(shown->layer, shown->head, interrupt.token())
              : retrievingHead(probe, *example, layer, head, interrupt.token()));

    std::optional<Offscreen> offscreen;
    const auto beginDrawing = [&] {
        if (isPicture)
            offscreen.emplace(session.isVerbose);
    };
    if (m_compare.isComparing()) {
        const AttentionCompareChoice::Right seen =
            m_compare.seeRight(*right, *example, {map->layer, map->head}, compute, interrupt.token());
        const Cell cell = clearestDifference(*example, *map, *seen.map, query);
        const ui::CompareFigureInput both{.left = {.example = example, .map = map, .record = run.record},
                                          .right = {.example = seen.example, .map = seen.map, .record = right->record},
                                          .cell = {cell.query, cell.key},
                                          .hasCaption = !m_hasNoCaption};
        beginDrawing();
        for (const std::string &file : m_out)
            writeComparison(file, both);
        print(m_isJson ? comparisonJson(*example, *map, *seen.example, *seen.map, false) + "\n"
                       : comparisonText(*example, *map, *seen.example, *seen.map, cell));
        if (!m_isJson) {
            for (const std::string &file : m_out)
                printWritten(file);
        } else if (const std::string same = whySame(*example, *map, *seen.example, *seen.map); !same.empty()) {
            note(same);
        }
        return selection.exitCode();
    }

    const std::int64_t row = query >= 0 ? query : clearestQuery(*example, *map);
    ui::AttentionFigureInput input;
    input.example = example;
    input.map = map;
    input.cell = {row, strongestKey(*map, row)};
    input.isBare = m_isBare;
    input.hasCaption = !m_hasNoCaption;
    input.record = run.record;
    beginDrawing();
    for (const std::string &file : m_out)
        writeFile(file, input);
    print(m_isJson ? attentionJson(*example, *map, false) + "\n" : attentionText(*example, *map, row));
    if (!m_isJson) {
        for (const std::string &file : m_out)
            printWritten(file);
    }
    return selection.exitCode();
}

} // namespace

std::unique_ptr<Command> makeAttentionCommand()
{
    return std::make_unique<AttentionCommand>();
}

} // namespace lookback::cli
