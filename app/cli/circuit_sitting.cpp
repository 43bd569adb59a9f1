// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/circuit_sitting.h"

#include <vector>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"

namespace lookback::cli {

int lookIntoHeads(const CircuitChoice &choice, const Session &session, const std::string &stopped,
                  const std::function<void(const CircuitSitting &)> &ask)
{
    session.beginComputing();
    const std::vector<SelectedRun> runs = choice.run(session);
    if (runs.empty())
        return kFailed;
    const SelectedRun &run = runs.front();
    const ComputeOptions compute = choice.compute();
    Interrupt interrupt;
    ProgressPrinter printer(choice.isQuiet());
    circuit::CircuitProbe probe(run.folder.path().string(), choice.step(), compute);
    if (choice.step() < 0)
        noteOlderCheckpoint(run.folder, probe.step());
    const ProgressFunction show = [&](const Progress &progress) {
        printer.show({{run.folder.name(), progress.done, progress.total, progressText(progress)}});
    };
    try {
        ask({.run = run, .probe = probe, .show = show, .printer = printer, .stop = interrupt.token()});
    } catch (const Cancelled &) {
        printer.clear();
        interrupt.settle();
        printError(stopped);
        return interrupt.exitCode();
    }
    return kDone;
}

} // namespace lookback::cli
