// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/console.h"
#include "app/cli/figure_circuit.h"
#include "app/cli/figure_variance.h"
#include "app/cli/interrupt.h"
#include "app/cli/line_forms.h"
#include "app/cli/offscreen.h"
#include "app/cli/progress_printer.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/json.h"
#include "core/model/variant_registry.h"
#include "core/near_names.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/figures/seed_curves.h"
#include "ui/figures/training_figure.h"

namespace lookback::cli {

namespace {

const std::vector<std::string> kFigures{"training", "accuracy", "per-index", "variance",
                                        "heads",    "knockout", "timeline",  "measure"};
const std::vector<std::string> kSeeds{"lines", "band"};
const std::vector<std::string> kExtensions{"png", "svg", "pdf", "csv", "npy", "apng"};

/// Gives the figure once it is measured. Throws Cancelled soon after the stop was asked for.
using Measurement = std::function<std::unique_ptr<ui::Figure>(const ProgressFunction &, std::stop_token)>;

class FigureCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    void check(const std::string &name);
    int drawFiles(const std::string &name, const Session &session);
    int drawCircuit(const std::string &name, const Session &session);
    int drawPerIndex(const Session &session);
    int drawVariance(const Session &session);
    /// 0, or the exit code of what stopped it.
    int drawMeasured(const std::string &label, const Session &session, const Measurement &measure);
    void write(const ui::Figure &figure) const;

    std::string m_figure;
    CircuitFigureChoice m_circuit;
    VarianceChoice m_variance;
    std::vector<std::string> m_runs;
    std::vector<std::string> m_out;
    PictureOptions m_picture;
    ui::ExportOptions m_options;
    std::string m_seeds = "lines";
    bool m_hasSeedBands = false;
    bool m_isLogStep = false;
    bool m_isErrorRate = false;
    bool m_isWithoutPublished = false;
    bool m_isJson = false;
    bool m_isCsv = false;
};

void FigureCommand::declare(CLI::App &app)
{
    app.description(
        "Draws a figure of one or more runs, with the code that draws it in the window; no display is "
        "needed.\n\n"
        "training: loss and accuracy by step. accuracy: exact match by context length, with 95 % intervals "
        "and the published curves (three-digit keys and values, 16 tokens a key). per-index: cross-entropy by entry "
        "index, first and second occurrences. variance: of the attended value by number of keys and power of the "
        "logits, without a run. heads: a measure of every head of a checkpoint. knockout: what removing each head "
        "costs. timeline: head scores over the checkpoints. measure: a measure of heads by number of keys, and where "
        "their weight goes as it grows. The last four are of one run; all but training and accuracy measure what they "
        "show, and keep in the run folders what they measured of heads and entries.");
    app.add_option("FIGURE", m_figure, joined(kFigures) + ".")->group("What to draw");
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
    m_variance.declare(app);
    app.add_option("--out", m_out,
                   "File to write: .png, .svg, .pdf, .csv or .npy (the numbers), .apng (--frames); may be repeated.")
        ->type_name("FILE")
        ->group("Output")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--json", m_isJson, "The numbers on standard output, one JSON object a line.")->group("Output");
    app.add_flag("--csv", m_isCsv, "The numbers on standard output, as CSV.")->group("Output");
    m_picture.declare(app);
    app.footer("  lookback-cli figure accuracy --out published.png\n"
               "      Without a run: the published curves alone.\n"
               "  lookback-cli figure accuracy lookback-runs --out accuracy.png\n"
               "  lookback-cli figure accuracy lookback-runs --seeds band --out seeds.png\n"
               "  lookback-cli figure training lookback-runs/rope-seed0 \\\n"
               "      lookback-runs/hybrid_square-seed0 --out training.pdf --width 1600 \\\n"
               "      --height 1000 --dpi 200 --theme light\n"
               "  lookback-cli figure knockout lookback-runs/hybrid_square-seed0 --n 8 \\\n"
               "      --out knockout.png\n"
               "  lookback-cli figure per-index lookback-runs --n 50 --out entries.pdf\n"
               "  lookback-cli figure measure lookback-runs/hybrid_square-seed0 \\\n"
               "      --n 8,64,256 --measure source_weight --out source.png\n"
               "  lookback-cli figure variance --powers 1,1.5,2 --sampling unit \\\n"
               "      --out variance.png --out variance.npy");
}

void leaveOut(const run::RunFolder &folder, const Error &error, const Session &session)
{
    const Error told = aboutRun(folder, error);
    printError(Error(told.subject(), told.message(), told.remedy() + " It is left out of the figure.", told.details()),
               session.isVerbose);
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
            leaveOut(run.folder, error, session);
            ++selection.faults;
        }
    }
    return folders;
}

void FigureCommand::write(const ui::Figure &figure) const
{
    for (const std::string &file : m_out) {
        writeFigure(figure, file, m_options);
        if (!m_isJson && !m_isCsv)
            printWritten(file);
    }
    if (m_isCsv)
        print(figure.csv()
                  .replace(QLatin1StringView("\r\n"), QLatin1StringView("\n"))
                  .toStdString()); // as the other commands end their lines
    else if (m_isJson)
        print(jsonOfCsv(figure.csv().toStdString()));
}

int FigureCommand::drawMeasured(const std::string &label, const Session &session, const Measurement &measure)
{
    Interrupt interrupt;
    ProgressPrinter printer(false);
    std::unique_ptr<ui::Figure> figure;
    try {
        const auto show = [&](const Progress &progress) {
            printer.show({{label, progress.done, progress.total, progressText(progress)}});
        };
        figure = measure(show, interrupt.token());
    } catch (const Cancelled &) {
        printer.clear();
        interrupt.settle();
        printError("Stopped; no file was written.\n");
        return interrupt.exitCode();
    }
    printer.clear();
    if (!figure)
        return kFailed; // the reasons are told
    const Offscreen offscreen(session.isVerbose);
    write(*figure);
    return kDone;
}

int FigureCommand::drawVariance(const Session &session)
{
    if (!m_runs.empty())
        throw UsageError("RUN", "The figure \"variance\" is of no run.", "Leave it out.");
    const int threads = m_circuit.threads();
    return drawMeasured("variance", session, [&](const ProgressFunction &progress, std::stop_token stop) {
        return ui::makeVarianceFigure(m_variance.measure(threads, progress, stop));
    });
}

int FigureCommand::drawPerIndex(const Session &session)
{
    session.beginComputing();
    Selection selection = selectRuns(m_runs, session);
    std::vector<std::pair<QString, run::RunRecord>> records;
    for (const SelectedRun &run : selection.runs)
        records.emplace_back(QString::fromStdString(run.folder.name()), run.record);
    const std::vector<ui::FigureRun> runs = ui::figureRuns(records, model::variants());
    ui::PerIndexFigureInput input;
    const auto total = static_cast<std::int64_t>(runs.size());
    const Measurement measure = [&](const ProgressFunction &progress, const std::stop_token &stop) {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const SelectedRun &selected = selection.runs[i];
            const auto ofAll = [&](Progress one) {
                one.what = selected.folder.name() + ", " + one.what;
                one.done += static_cast<std::int64_t>(i) * one.total;
                one.total *= total;
                one.remainingSeconds.reset();
                progress(one);
            };
            try {
                for (ui::PerIndexFigureCurve &curve : m_circuit.perIndex(runs[i], selected, ofAll, stop))
                    input.curves.push_back(std::move(curve));
            } catch (const Error &error) {
                leaveOut(selected.folder, error, session);
                ++selection.faults;
            }
        }
        return input.curves.empty() ? nullptr : ui::makePerIndexFigure(std::move(input));
    };
    const int code = drawMeasured("per-index", session, measure);
    return code != kDone ? code : selection.exitCode();
}

int FigureCommand::drawCircuit(const std::string &name, const Session &session)
{
    session.beginComputing();
    const Selection selection = selectRuns(m_runs, session);
    if (selection.runs.empty())
        return kFailed;
    if (selection.runs.size() > 1)
        throw UsageError("RUN", "The figure " + inQuotes(name) + " is of one run.", "Name one.");
    const SelectedRun &run = selection.runs.front();
    const int code =
        drawMeasured(run.folder.name(), session, [&](const ProgressFunction &progress, std::stop_token stop) {
            return m_circuit.measure(name, run, progress, stop);
        });
    return code != kDone ? code : selection.exitCode();
}

int FigureCommand::drawFiles(const std::string &name, const Session &session)
{
    const bool isTraining = name == "training";
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
        input.hasSeedBands = m_hasSeedBands;
        figure = ui::makeTrainingFigure(std::move(input));
    } else {
        ui::AccuracyFigureInput input = ui::accuracyInput(folders, variants, !m_isWithoutPublished);
        input.isErrorRate = m_isErrorRate;
        if (m_hasSeedBands)
            input.curves = ui::withSeedBands(std::move(input.curves));
        figure = ui::makeAccuracyFigure(std::move(input));
    }
    write(*figure);
    return selection.exitCode();
}

void FigureCommand::check(const std::string &name)
{
    m_hasSeedBands = choiceValue("--seeds", m_seeds, kSeeds) == "band";
    if (m_isJson && m_isCsv)
        throw UsageError("--csv", "It does not go together with --json.", "Choose one of them.");
    if (m_out.empty() && !m_isJson && !m_isCsv)
        throw UsageError("--out", "Say which file to write, for example --out " + name + ".png.");
    for (const std::string &file : m_out)
        extensionOf("--out", file, kExtensions);
    m_circuit.check(name);
    for (const std::string &file : m_out) {
        if (!m_circuit.hasFrames() && extensionOf("--out", file, kExtensions) == "apng")
            throw UsageError("--out " + inQuotes(file), "Only frames make an animation.",
                             "Draw the figure \"timeline\" with --frames strip.");
    }
    m_variance.check(name);
    if (name != "accuracy" && (m_isErrorRate || m_isWithoutPublished))
        throw UsageError(m_isErrorRate ? "--error-rate" : "--no-published", "It belongs to the figure \"accuracy\".");
    if (name != "training" && m_isLogStep)
        throw UsageError("--log-steps", "It belongs to the figure \"training\".");
    if (name != "accuracy" && name != "training" && m_hasSeedBands)
        throw UsageError("--seeds", "It belongs to the figures \"training\" and \"accuracy\".");
    m_options = m_picture.options();
}

int FigureCommand::run(const Session &session)
{
    if (m_figure.empty())
        throw UsageError("FIGURE", "Say which figure: " + joined(kFigures) + ".");
    const std::string name = choiceValue("FIGURE", m_figure, kFigures);
    check(name);
    return name == "variance"   ? drawVariance(session)
        : name == "per-index"   ? drawPerIndex(session)
        : isCircuitFigure(name) ? drawCircuit(name, session)
                                : drawFiles(name, session);
}

} // namespace

std::unique_ptr<Command> makeFigureCommand()
{
    return std::make_unique<FigureCommand>();
}

} // namespace lookback::cli
