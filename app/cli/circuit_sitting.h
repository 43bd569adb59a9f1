// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "app/cli/circuit_choice.h"
#include "app/cli/progress_printer.h"
#include "core/circuit/circuit_probe.h"

namespace lookback::cli {

/// What a command has in hand while it looks into the heads of one run.
struct CircuitSitting {
    const SelectedRun &run;
    circuit::CircuitProbe &probe;
    const ProgressFunction &show; ///< Draws the progress of a question.
    ProgressPrinter &printer; ///< To be cleared before something is printed.
    std::stop_token stop;

    std::string folder() const { return run.folder.path().string(); }
    /// The one length asked for, or that of the end of training.
    std::int64_t length(const CircuitChoice &choice) const
    {
        return choice.nKeys().empty() ? run.record.config.n_keys : choice.nKeys().front();
    }
};

/// Opens the checkpoint that was chosen, says so if newer ones cannot be read, and lets `ask` put its questions. When
/// they are interrupted it prints `stopped`, a line. Returns the exit code of the command.
int lookIntoHeads(const CircuitChoice &choice, const Session &session, const std::string &stopped,
                  const std::function<void(const CircuitSitting &)> &ask);

} // namespace lookback::cli
