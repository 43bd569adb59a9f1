// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "core/error.h"

namespace CLI {
class App;
}

namespace lookback::cli {

inline constexpr int kDone = 0; ///< Exit code: all that was asked for was done.
inline constexpr int kFailed = 1; ///< Exit code: it was tried and failed.
inline constexpr int kBadUsage = 2; ///< Exit code: the command line asks for something impossible; nothing was begun.

/// The command line itself is at fault: ends the program with kBadUsage, before anything was written.
class UsageError : public Error {
public:
    using Error::Error;
    explicit UsageError(const Error &error) : Error(error) { }
};

/// Calls `function`; an Error it throws becomes a UsageError. For what is checked before work begins.
template <typename Function> auto asUsage(Function &&function)
{
    try {
        return function();
    } catch (const Error &error) {
        throw UsageError(error);
    }
}

/// What all commands share.
struct Session {
    bool isVerbose = false; ///< --verbose: errors are followed by their details.
    char **arguments = nullptr; ///< Of main.

    /// Makes waiting threads sleep, by starting the program once more where needed (passive_waiting.h). Called by
    /// commands that compute, once their options are checked, before anything is printed or a thread exists.
    void beginComputing() const;
};

/// One command of the program: its options bound to members, and what it does with them. Lives for one call.
class Command {
public:
    virtual ~Command() = default;
    /// Adds options, description and examples (the footer).
    virtual void declare(CLI::App &app) = 0;
    /// Does it; returns the exit code. Throws Error (exit code 1) or UsageError (2).
    virtual int run(const Session &session) = 0;
};

/// A command as the list of commands shows it.
struct CommandEntry {
    std::string_view name;
    std::string_view summary; ///< One line, sentence case, no full stop.
    std::string_view arguments; ///< For the usage line: "RUN... [options]".
    std::unique_ptr<Command> (*make)();
};

/// All commands in the order of the help text.
std::span<const CommandEntry> commands();

} // namespace lookback::cli
