// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

// One function a command, each in the file of its name.

namespace lookback::cli {

std::unique_ptr<Command> makeVariantsCommand();
std::unique_ptr<Command> makeSettingsCommand();
std::unique_ptr<Command> makeTrainCommand();
std::unique_ptr<Command> makeResumeCommand();
std::unique_ptr<Command> makeEvaluateCommand();
std::unique_ptr<Command> makeAttentionCommand();
std::unique_ptr<Command> makeHeadsCommand();
std::unique_ptr<Command> makeKnockoutCommand();
std::unique_ptr<Command> makePatchCommand();
std::unique_ptr<Command> makeTimelineCommand();
std::unique_ptr<Command> makeFailuresCommand();
std::unique_ptr<Command> makeFigureCommand();
std::unique_ptr<Command> makeExportCommand();
std::unique_ptr<Command> makeVerifyCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeDemoCommand();

} // namespace lookback::cli
