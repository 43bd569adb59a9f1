// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/console.h"
#include "app/cli/figure_circuit.h"
#include "app/cli/interrupt.h"
#include "app/cli/offscreen.h"
#include "app/cli/progress_printer.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/json.h"
#include "core/model/variant_registry.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/figures/seed_curves.h"
#include "ui/figures/training_figure.h"

namespace lookback::cli {

namespace {

const std::vector<std::string> kFigures{"training", "accuracy", "heads", "knockout", "timeline"};
const std::vector<std::string> kSeeds{"lines", "band"};
const std::vector<std::string> kExtensions{"png", "svg", "pdf", "csv"};

class FigureCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    int drawCircuit(const std::string &name, const ui::ExportOptions &options, const Session &session);

    std::string m_figure;
    CircuitFigureChoice m_circuit;
    std::vector<std::string> m_runs;
    std::vector<std::string> m_out;
    PictureOptions m_picture;
    std::string m_seeds = "lines";
    bool m_isLogStep = false;
    bool m_isErrorRate = false;
    bool m_isWithoutPublished = false;
};

void FigureCommand::declare(CLI::App &app)
{
    app.description(
        "Draws a figure of one or more runs, with the code that draws it in the window; no display is "
        "needed.\n\n"
        "training: loss and accuracy by step. accuracy: exact match by context length, with 95 % intervals "
        "and the published curves (three-digit keys and values, 16 tokens a key). heads: a measure of every "
        "head of a checkpoint. knockout: what removing each head costs. timeline: head scores over the "
        "checkpoints. The last three are of one run and measure what they show.");
    app.add_option("FIGURE", m_figure, "training, accuracy, heads, knockout or timeline.")->group("What to draw");
    app.add_option("RUN", m_runs, "Run folders, or folders of runs.")->group("What to draw");
    app.add_option("--seeds", m_seeds,
                   "lines: a curve for each run. band: runs that differ only in their seed as one curve, their median "
                   "with a band from the lowest to the highest; says how many learned.")
        ->type_name("lines|band")
        ->group("What to draw");
    app.add_flag("--log-steps", m_isLogStep, "training: logarithmic step axis.")->group("What to draw");
    app.add_flag("--error-rate", m_isErrorRate, "accuracy: share of wrong answers on a logarithmic axis.")
        ->group("What to draw");
    app.add_flag("--no-published", m_isWithoutPublished, "accuracy: without the published curves.")
        ->group("What to draw");
    m_circuit.declare(app);
    app.add_option("--out", m_out, "File to write: .png, .svg, .pdf, or .csv (the numbers); may be repeated.")
        ->type_name("FILE")
        ->group("Output")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    m_picture.declare(app);
    app.footer("  lookback-cli figure accuracy --out published.png\n"
               "      Without a run: the published curves alone.\n"
               "  lookback-cli figure accuracy lookback-runs --out accuracy.png\n"
               "  lookback-cli figure accuracy lookback-runs --seeds band --out seeds.png\n"
               "  lookback-cli figure training lookback-runs/rope-seed0 \\\n"
               "      lookback-runs/hybrid_square-seed0 --out training.pdf --width 1600 \\\n"
               "      --height 1000 --dpi 200 --theme light\n"
               "  lookback-cli figure knockout lookback-runs/hybrid_square-seed0 --n 8 \\\n"
               "      --out knockout.png");
}

/// The runs that can be drawn; what is wrong with the others is told and counted.
std::vector<run::RunFolder> drawable(Selection &selection, bool isTraining, const Session &session)
{
    std::vector<run::RunFolder> folders;
    for (const SelectedRun &run : selection.runs) {
        try {
            if (isTraining) {
                const run::MetricsLog log = run.folder.readMetricsLog();
                for (const std::string &sentence : log.notes)
                    note(run.folder.metricsFile().string() + ": " + sentence);
                if (log.records.empty())
                    note(inQuotes(run.folder.path().string()) + " has logged nothing yet: it has no curve.");
            } else if (run.folder.readAccuracy().empty()) {
                note(inQuotes(run.folder.path().string())
                     + " was not evaluated yet: it has no curve (lookback-cli evaluate).");
            }
            folders.push_back(run.folder);
        } catch (const Error &error) {
            const Error told = aboutRun(run.folder, error);
            printError(
                Error(told.subject(), told.message(), told.remedy() + " It is left out of the figure.", told.details()),
                session.isVerbose);
            ++selection.faults;
        }
    }
    return folders;
}

int FigureCommand::drawCircuit(const std::string &name, const ui::ExportOptions &options, const Session &session)
{
    session.beginComputing();
    const Selection selection = selectRuns(m_runs, session);
    if (selection.runs.empty())
        return kFailed;
    if (selection.runs.size() > 1)
        throw UsageError("RUN", "The figure " + inQuotes(name) + " is of one run.", "Name one.");
    const SelectedRun &run = selection.runs.front();
    Interrupt interrupt;
    ProgressPrinter printer(false);
    ui::CircuitFigureInput input;
    try {
        const auto show = [&](const Progress &progress) {
            printer.show({{run.folder.name(), progress.done, progress.total, progressText(progress)}});
        };
        input = m_circuit.measure(name, run, show, interrupt.token());
    } catch (const Cancelled &) {
        printer.clear();
        interrupt.settle();
        printError("Stopped; no file was written.\n");
        return interrupt.exitCode();
    }
    printer.clear();
    const Offscreen offscreen(session.isVerbose);
    const std::unique_ptr<ui::Figure> figure =
        name == "timeline" ? ui::makeTimelineFigure(std::move(input)) : ui::makeHeadGridFigure(std::move(input));
    for (const std::string &file : m_out) {
        writeFigure(*figure, file, options);
        printWritten(file);
    }
    return selection.exitCode();
}

int FigureCommand::run(const Session &session)
{
    if (m_figure.empty())
        throw UsageError("FIGURE", "Say which figure: training, accuracy, heads, knockout or timeline.");
    const std::string name = choiceValue("FIGURE", m_figure, kFigures);
    const bool isTraining = name == "training";
    const bool hasSeedBands = choiceValue("--seeds", m_seeds, kSeeds) == "band";
    if (m_out.empty())
        throw UsageError("--out", "Say which file to write, for example --out " + name + ".png.");
    for (const std::string &file : m_out)
        extensionOf("--out", file, kExtensions);
    const bool isAccuracy = name == "accuracy";
    m_circuit.check(name);
    if (!isAccuracy && (m_isErrorRate || m_isWithoutPublished))
        throw UsageError(m_isErrorRate ? "--error-rate" : "--no-published", "It belongs to the figure \"accuracy\".");
    if (!isTraining && m_isLogStep)
        throw UsageError("--log-steps", "It belongs to the figure \"training\".");
    if (isCircuitFigure(name) && hasSeedBands)
        throw UsageError("--seeds", "It belongs to the figures \"training\" and \"accuracy\".");
    const ui::ExportOptions options = m_picture.options();
    if (isCircuitFigure(name))
        return drawCircuit(name, options, session);
    std::vector<run::RunFolder> folders; // none with "accuracy" means the published curves alone
    Selection selection;
    if (isTraining || !m_runs.empty() || m_isWithoutPublished) {
        selection = selectRuns(m_runs, session);
        folders = drawable(selection, isTraining, session);
        if (folders.empty())
            return kFailed; // the reasons are told; a figure without a run would only hide them
    }

    const Offscreen offscreen(session.isVerbose);
    std::unique_ptr<ui::Figure> figure;
    const std::vector<model::VariantInfo> variants = model::variants();
    if (isTraining) {
        ui::TrainingFigureInput input = ui::trainingInput(folders, variants);
        if (m_isLogStep)
            input.stepScale = ui::Scale::Log10;
        input.hasSeedBands = hasSeedBands;
        figure = ui::makeTrainingFigure(std::move(input));
    } else {
        ui::AccuracyFigureInput input = ui::accuracyInput(folders, variants, !m_isWithoutPublished);
        input.isErrorRate = m_isErrorRate;
        if (hasSeedBands)
            input.curves = ui::withSeedBands(std::move(input.curves));
        figure = ui::makeAccuracyFigure(std::move(input));
    }
    for (const std::string &file : m_out) {
        writeFigure(*figure, file, options);
        printWritten(file);
    }
    return selection.exitCode();
}

} // namespace

std::unique_ptr<Command> makeFigureCommand()
{
    return std::make_unique<FigureCommand>();
}

} // namespace lookback::cli
