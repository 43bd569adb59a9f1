// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <CLI/App.hpp>

#include "app/cli/accuracy_text.h"
#include "app/cli/all_commands.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_printer.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/eval/evaluator.h"
#include "core/json.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMostKeys = 10'000'000;
constexpr std::int64_t kMostSequences = 1'000'000;

/// The folder's name, or the path as it was given where another run has the same name.
std::string nameAmong(const std::vector<SelectedRun> &runs, const SelectedRun &run)
{
    const auto alike = std::ranges::count_if(
        runs, [&run](const SelectedRun &other) { return other.folder.name() == run.folder.name(); });
    return alike > 1 ? run.folder.path().string() : run.folder.name();
}

/// Says which points stay because they were made from more sequences than the new ones.
void noteKeptPoints(const run::RunFolder &folder, const eval::AccuracyCurve &evaluated)
{
    for (const eval::AccuracyCurve &curve : folder.readAccuracy()) {
        if (curve.step != evaluated.step)
            continue;
        for (const eval::AccuracyPoint &point : evaluated.points) {
            const auto kept = std::ranges::find(curve.points, point.n_keys, &eval::AccuracyPoint::n_keys);
            if (kept != curve.points.end() && kept->sequences > point.sequences)
                note(folder.name() + ", n = " + grouped(point.n_keys) + ": the run keeps its point of "
                     + grouped(kept->sequences) + " sequences.");
        }
    }
}

class EvaluateCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    std::vector<std::string> m_runs;
    std::vector<std::string> m_nKeys;
    std::string m_sequences;
    std::string m_step;
    ComputeChoice m_compute;
    bool m_isPrintOnly = false;
    bool m_isQuiet = false;
    bool m_isJson = false;
};

void EvaluateCommand::declare(CLI::App &app)
{
    app.description(
        "Measures how often a trained run retrieves the whole value (exact match), by the number of unique keys in the "
        "context. Every run sees the same sequences. The points are kept in the run's accuracy_vs_context.json; points "
        "that are already there for other n stay.");
    const std::string what = "What to evaluate";
    app.add_option("RUN", m_runs, "Run folder, or a folder of runs.")->group(what);
    app.add_option("--n", m_nKeys, "Numbers of unique keys: 8,16,32 (default: the run's evaluation_n).")
        ->type_name("LIST")
        ->group(what)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--sequences", m_sequences,
                   "Sequences of each point; more narrow the interval (default: the run's "
                   "evaluation_sequences).")
        ->type_name("N")
        ->group(what);
    app.add_option("--step", m_step, "Checkpoint of this step (default: the newest).")->type_name("N")->group(what);
    m_compute.declare(app, "How", "CPU threads (default: all cores).");
    m_compute.declareKernels(app, "How");
    app.add_flag("--print-only", m_isPrintOnly, "Do not write to the run folder.")->group("Output");
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
    app.add_flag("--json", m_isJson,
                 "One JSON object a point and line instead of the table: run, variant, step, n_keys, "
                 "context_tokens, accuracy, low, high (95 % interval), sequences, answers, exact.")
        ->group("Output");
    app.footer("  lookback-cli evaluate lookback-runs/rope-seed0 --n 8,16,32 --sequences 128\n"
               "  lookback-cli evaluate lookback-runs --json > points.jsonl");
}

int EvaluateCommand::run(const Session &session)
{
    const std::vector<std::int64_t> nKeys = countList("--n", m_nKeys, 1, kMostKeys);
    const std::int64_t sequences = m_sequences.empty() ? 0 : countValue("--sequences", m_sequences, 1, kMostSequences);
    const std::int64_t step = m_step.empty() ? -1 : countValue("--step", m_step, 0, 1'000'000'000'000);
    session.beginComputing();
    const Selection selection = selectRuns(m_runs, session);
    int failures = selection.faults;
    std::vector<SelectedRun> runs;
    for (const SelectedRun &run : selection.runs) {
        if (m_isPrintOnly || access(run.folder.path().c_str(), W_OK) == 0) {
            runs.push_back(run);
            continue;
        }
        printError(Error(inQuotes(run.folder.path().string()), "The run folder cannot be written to.",
                         "Evaluate with --print-only, which keeps the points out of it, or copy the run."),
                   session.isVerbose);
        ++failures;
    }
    if (runs.empty())
        return kFailed;
    const ComputeOptions compute = m_compute.options(machineInfo().cores);

    Interrupt interrupt;
    ProgressPrinter printer(m_isQuiet);
    TextTable table = accuracyTable();
    for (const SelectedRun &run : runs) {
        eval::AccuracyCurve curve;
        const auto show = [&](const Progress &progress) {
            printer.show({{run.folder.name(), progress.done, progress.total, progressText(progress)}});
        };
        try {
            const auto onPoint = [&](const eval::AccuracyCurve &soFar) {
                curve = soFar;
                if (!m_isPrintOnly)
                    run.folder.writeAccuracy(soFar);
            };
            eval::evaluateCheckpoint(run.folder, step, nKeys.empty() ? run.record.config.evaluation_n : nKeys,
                                     sequences > 0 ? sequences : run.record.config.evaluation_sequences, compute, show,
                                     onPoint, interrupt.token());
        } catch (const Cancelled &) {
        } catch (const Error &error) {
            printer.clear();
            printError(aboutRun(run.folder, error), session.isVerbose); // the others are evaluated all the same
            ++failures;
        }
        printer.clear();
        if (step < 0 && !curve.points.empty())
            noteOlderCheckpoint(run.folder, curve.step);
        if (!m_isPrintOnly)
            noteKeptPoints(run.folder, curve);
        for (const eval::AccuracyPoint &point : curve.points) {
            if (m_isJson)
                print(jsonLine(accuracyJson(run.folder.path(), curve, point)) + "\n");
            else
                addAccuracyRow(table, nameAmong(runs, run), curve, point);
        }
        if (interrupt.isAsked())
            break;
    }
    interrupt.settle();
    if (!m_isJson && !table.isEmpty())
        print(table.text());
    if (interrupt.isAsked()) {
        printError(m_isPrintOnly ? "Stopped; the points above are finished.\n"
                                 : "Stopped; the finished points are kept in the run folder.\n");
        return interrupt.exitCode();
    }
    return failures > 0 ? kFailed : kDone;
}

} // namespace

std::unique_ptr<Command> makeEvaluateCommand()
{
    return std::make_unique<EvaluateCommand>();
}

} // namespace lookback::cli
