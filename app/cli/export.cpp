// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/console.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/near_names.h"
#include "core/run/export.h"

namespace lookback::cli {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000'000;

constexpr std::array kFormats{run::ExportFormat::Csv, run::ExportFormat::Npy, run::ExportFormat::TensorBoard,
                              run::ExportFormat::Kvbench, run::ExportFormat::Run};

run::ExportFormat formatNamed(const std::string &name)
{
    std::vector<std::string> names;
    for (const run::ExportFormat format : kFormats) {
        if (run::exportFormatName(format) == name)
            return format;
        names.emplace_back(run::exportFormatName(format));
    }
    if (name.empty())
        throw UsageError("--format", "Say which format.", "Formats: " + joined(names) + ".");
    throw UsageError("--format " + name, "There is no such format.",
                     didYouMean(name, names) + "Formats: " + joined(names) + ".");
}

class ExportCommand : public Command {
public:
    void declare(CLI::App &app) override
    {
        app.description("Writes runs in the form of other programs: tables of the training log and the evaluations "
                        "(also as NumPy arrays), "
                        "event files for TensorBoard, or folders as the published kvbench code keeps them, with "
                        "weights that PyTorch loads. Or copies of finished runs to give away, which keep the log, "
                        "the evaluations and the last weights. The runs stay as they are.");
        const std::string what = "What to write";
        app.add_option("RUN", m_runs, "Run folder, or a folder of runs.")->group(what);
        app.add_option("--format", m_format, "csv, npy, tensorboard, kvbench or run.")->type_name("NAME")->group(what);
        app.add_option("--checkpoints", m_checkpoints,
                       "run: checkpoints that are kept beside the last one, to see a circuit form: 0,64,512.")
            ->type_name("STEPS")
            ->group(what);
        app.add_option("--out", m_out, "Folder to write into; it is made if need be.")->type_name("DIR")->group(what);
        app.footer("  lookback-cli export lookback-runs/rope-seed0 --format csv --out tables\n"
                   "  lookback-cli export lookback-runs --format tensorboard --out tb\n"
                   "  lookback-cli export lookback-runs/rope-seed0 --format kvbench --out kvbench");
    }

    int run(const Session &session) override
    {
        const run::ExportFormat format = formatNamed(m_format);
        if (m_out.empty())
            throw UsageError("--out", "Say into which folder.", "For example --out exported.");
        if (!m_checkpoints.empty() && format != run::ExportFormat::Run)
            throw UsageError("--checkpoints", "Only copies of runs have checkpoints.",
                             "Add --format run, or leave it out.");
        const std::vector<std::int64_t> steps = m_checkpoints.empty()
            ? std::vector<std::int64_t>()
            : countList("--checkpoints", m_checkpoints, 0, kMostSteps);
        const Selection selection = selectRuns(m_runs, session);
        const std::vector<SelectedRun> &runs = selection.runs;
        int failures = selection.faults;
        for (const SelectedRun &selected : runs) {
            try {
                for (const std::filesystem::path &made : run::exportRun(selected.folder, format, m_out, steps))
                    printWritten(made.string());
            } catch (const Error &error) {
                // the other runs are written all the same
                printError(aboutRun(selected.folder, error), session.isVerbose);
                ++failures;
            }
        }
        return failures > 0 ? kFailed : kDone;
    }

private:
    std::vector<std::string> m_runs;
    std::string m_format;
    std::vector<std::string> m_checkpoints;
    std::string m_out;
};

} // namespace

std::unique_ptr<Command> makeExportCommand()
{
    return std::make_unique<ExportCommand>();
}

} // namespace lookback::cli
