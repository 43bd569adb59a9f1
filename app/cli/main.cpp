// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/help.h"
#include "app/cli/interrupt.h"
#include "app/passive_waiting.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback::cli {

namespace {

constexpr const char *kHelpGroup = "Help";

std::string versionText()
{
    return "lookback-cli " LOOKBACK_VERSION "\n";
}

const CommandEntry &commandNamed(const std::string &name)
{
    std::vector<std::string> known;
    for (const CommandEntry &entry : commands()) {
        if (entry.name == name)
            return entry;
        known.emplace_back(entry.name);
    }
    throw UsageError(inQuotes(name), "There is no such command.",
                     didYouMean(name, known) + "lookback-cli --help lists the commands.");
}

[[noreturn]] void refuseLeftOver(const CLI::App &app, const CommandEntry &entry, const std::vector<std::string> &rest)
{
    const std::string help = "lookback-cli " + std::string(entry.name) + " --help explains the options.";
    const std::string option = rest.front().substr(0, rest.front().find('='));
    if (!option.starts_with('-'))
        throw UsageError(inQuotes(option), "This argument has no meaning here.", help);
    std::vector<std::string> known;
    for (const CLI::Option *each : app.get_options()) {
        for (const std::string &name : each->get_lnames())
            known.push_back("--" + name);
    }
    throw UsageError(option, "There is no such option.", didYouMean(option, known) + help);
}

/// CLI11's own refusals, of which only a missing or a doubled value can happen here.
[[noreturn]] void refuse(const CLI::ParseError &error, const CLI::App &app, const CommandEntry &entry)
{
    const std::string what = error.what();
    const std::string option = what.substr(0, what.find(':'));
    const std::string help = "lookback-cli " + std::string(entry.name) + " --help explains the options.";
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) && option.starts_with('-')) {
        const bool isMissing = app.get_option(option)->count() == 0;
        throw UsageError(option, isMissing ? "It needs a value." : "It is given more than once.", help);
    }
    throw UsageError(entry.name.empty() ? "" : std::string(entry.name), "The options cannot be understood.", help,
                     what);
}

/// An empty value is mostly a variable of the shell that is not set; it must not count as an option left out.
void refuseEmptyValues(const CLI::App &app)
{
    for (const CLI::Option *option : app.get_options()) {
        if (std::ranges::count(option->results(), std::string()) > 0)
            throw UsageError(option->get_name(), "Its value is empty.", "Give it a value or leave it out.");
    }
}

int runCommand(const CommandEntry &entry, const std::vector<std::string> &arguments, Session &session)
{
    const auto command = entry.make();
    CLI::App app;
    app.set_help_flag();
    bool isHelpWanted = false;
    command->declare(app);
    app.add_flag("-h,--help", isHelpWanted, "This text.")->group(kHelpGroup);
    app.add_flag("--verbose", session.isVerbose, "Show the technical details of an error.")->group(kHelpGroup);
    app.allow_extras();
    if (std::any_of(arguments.begin(), arguments.end(), [](const auto &a) { return a == "-h" || a == "--help"; })) {
        print(commandHelp(app, entry)); // also beside options that cannot be understood
        return kDone;
    }
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // CLI11 takes them last first
    } catch (const CLI::ParseError &error) {
        refuse(error, app, entry);
    }
    if (const std::vector<std::string> rest = app.remaining(); !rest.empty())
        refuseLeftOver(app, entry, rest);
    refuseEmptyValues(app);
    return command->run(session);
}

int runProgram(std::vector<std::string> arguments, Session &session)
{
    while (!arguments.empty() && arguments.front().starts_with('-')) {
        const std::string option = arguments.front();
        if (option == "-h" || option == "--help") {
            print(programHelp());
            return kDone;
        }
        if (option == "--version") {
            print(versionText());
            return kDone;
        }
        if (option != "--verbose") {
            throw UsageError(option, "There is no such option.",
                             didYouMean(option, {"--help", "--version", "--verbose"})
                                 + "A command comes first; lookback-cli --help lists them.");
        }
        session.isVerbose = true;
        arguments.erase(arguments.begin());
    }
    if (arguments.empty()) {
        printError(programHelp());
        return kBadUsage;
    }
    if (arguments.front() == "help") {
        if (arguments.size() == 1) {
            print(programHelp());
            return kDone;
        }
        arguments = {arguments[1], "--help"};
    }
    const CommandEntry &entry = commandNamed(arguments.front());
    arguments.erase(arguments.begin());
    return runCommand(entry, arguments, session);
}

/// Gives closed standard descriptors a place, so that no file of a run gets their number and is printed into. Writing
/// to them still fails.
void fillStandardDescriptors()
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
            static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)); // the lowest free
    }
}

int guarded(int argc, char **argv)
{
    fillStandardDescriptors();
    std::signal(SIGPIPE, SIG_IGN); // a reader that has seen enough ends nothing; print() notices
    Session session;
    session.arguments = argv;
    try {
        const int code = runProgram(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), session);
        finishOutput();
        return code;
    } catch (const UsageError &error) {
        printError(error, session.isVerbose);
        return kBadUsage;
    } catch (const Error &error) {
        printError(error, session.isVerbose);
    } catch (const Cancelled &) {
        printError("Stopped before the end.\n");
        return exitCodeOfSignal() != 0 ? exitCodeOfSignal() : kFailed;
    } catch (const std::bad_alloc &) {
        printError("error: The memory of this machine does not suffice. Choose smaller sizes or fewer runs at once.\n");
    } catch (const std::exception &error) {
        printError(Error("lookback-cli", "Something failed that should not.", "Please report it with the line below.",
                         error.what()),
                   true);
    }
    return kFailed;
}

} // namespace

void Session::beginComputing() const
{
    ensurePassiveWaiting(arguments);
}

} // namespace lookback::cli

int main(int argc, char **argv)
{
    return lookback::cli::guarded(argc, argv);
}
