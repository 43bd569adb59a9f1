// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_group.h"
#include "app/cli/run_selection.h"
#include "app/cli/values.h"
#include "core/json.h"
#include "core/model/variant_registry.h"
#include "core/run/run_lock.h"

namespace lookback::cli {

namespace {

class ResumeCommand : public Command {
public:
    void declare(CLI::App &app) override
    {
        app.description(
            "Continues unfinished runs from their newest checkpoint (from the start where there is none). "
            "A folder means all unfinished runs anywhere below it. A continued run gives the same numbers as "
            "one that was never stopped.");
        app.add_option("RUN", m_runs, "Run folder, or a folder with runs below it.")->group("What to continue");
        const std::string how = "How";
        app.add_option("--jobs", m_jobs, "Runs that train side by side; the others wait (default: as many as cores).")
            ->type_name("N")
            ->group(how);
        m_compute.declare(app, how,
                          "CPU threads of each run (default: as before, so that the numbers stay the same to "
                          "the last digit).");
        app.add_flag("--no-evaluation", m_isWithoutEvaluation, "Do not evaluate at the end.")->group(how);
        app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
        app.add_flag("--json", m_isJson,
                     "At the end one JSON object a run and line on standard output instead of the "
                     "table.")
            ->group("Output");
        app.footer("  lookback-cli resume lookback-runs/hybrid_square-seed0\n"
                   "  lookback-cli resume lookback-runs");
    }

    int run(const Session &session) override
    {
        session.beginComputing();
        if (m_compute.hasDevice())
            m_compute.options(1); // a device that is not there is the command line's fault, told once
        int faults = 0;
        const std::vector<PlannedRun> runs = plannedRuns(session, faults);
        if (runs.empty()) {
            if (!m_isJson && faults == 0)
                print("Nothing to continue: all these runs are finished.\n");
            return faults > 0 ? kFailed : kDone;
        }
        const int cores = machineInfo().cores;
        int most = 1; // threads of the run that has most
        for (const PlannedRun &run : runs)
            most = std::max(most, run.compute.threads);
        const int jobs =
            m_jobs.empty() ? std::max(1, cores / most) : static_cast<int>(countValue("--jobs", m_jobs, 1, 1024));
        Interrupt interrupt;
        ProgressPrinter printer(m_isQuiet);
        for (const PlannedRun &run : runs)
            printer.say(run.folder.path().string() + ": " + beginningOf(run.folder));
        const std::vector<RunOutcome> outcomes =
            trainSideBySide(runs, jobs, !m_isWithoutEvaluation, printer, interrupt.token());
        interrupt.settle();
        const int code = reportOutcomes(runs, outcomes, m_isJson, session.isVerbose, interrupt.exitCode());
        return code == kDone && faults > 0 ? kFailed : code;
    }

private:
    /// Where a continued run begins, in words.
    static std::string beginningOf(const run::RunFolder &folder)
    {
        const std::vector<run::CheckpointInfo> checkpoints = folder.checkpoints();
        return checkpoints.empty() ? "no checkpoint was kept, starts again at step 0"
                                   : "continues from step " + grouped(checkpoints.back().step);
    }

    /// The unfinished ones. One that cannot be continued costs only itself; it is told and counted.
    std::vector<PlannedRun> plannedRuns(const Session &session, int &faults) const
    {
        const Selection selection = selectRuns(m_runs, session, SearchDepth::Below);
        faults = selection.faults;
        std::vector<PlannedRun> runs;
        for (const SelectedRun &selected : selection.runs) {
            if (selected.record.state == run::RunState::Finished) {
                if (!selected.isFound)
                    note("\"" + selected.folder.path().string() + "\" is finished.");
                continue;
            }
            if (selected.record.origin == run::RunOrigin::Kvbench && selected.isFound)
                continue; // such runs are for looking at
            try {
                run::requireTrainable(selected.record, inQuotes(selected.folder.path().string()));
                runs.push_back(planned(selected));
            } catch (const UsageError &) {
                throw; // the same for every run
            } catch (const Error &error) {
                printError(aboutRun(selected.folder, error), session.isVerbose);
                ++faults;
            }
        }
        return runs;
    }

    PlannedRun planned(const SelectedRun &selected) const
    {
        model::requireRunnable(selected.record.config);
        ComputeOptions compute{selected.record.device, selected.record.threads};
        if (m_compute.hasThreads() || m_compute.hasDevice()) {
            const ComputeOptions asked = m_compute.options(selected.record.threads);
            compute.threads = asked.threads;
            if (m_compute.hasDevice())
                compute.device = asked.device;
        }
        if (!m_compute.hasDevice()) {
            try {
                compute.device = resolvedDevice(compute.device);
            } catch (const Error &error) {
                throw Error(selected.folder.path().string(),
                            "Its run.json says that it was trained on " + inQuotes(compute.device) + ". "
                                + error.message(),
                            "With --device cpu it goes on here, with other last bits.");
            }
        }
        return {selected.folder, selected.record, compute, run::RunLock::forQueue(selected.folder.path())};
    }

    std::vector<std::string> m_runs;
    std::string m_jobs;
    ComputeChoice m_compute;
    bool m_isWithoutEvaluation = false;
    bool m_isQuiet = false;
    bool m_isJson = false;
};

} // namespace

std::unique_ptr<Command> makeResumeCommand()
{
    return std::make_unique<ResumeCommand>();
}

} // namespace lookback::cli
