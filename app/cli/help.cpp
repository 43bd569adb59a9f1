// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/help.h"

#include <CLI/App.hpp>

#include "app/cli/command.h"
#include "app/cli/console.h"

namespace lookback::cli {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 24; // where explanations begin

std::string entryLines(std::string_view name, std::string_view explanation)
{
    std::string line = "  " + std::string(name);
    if (line.size() + 2 > kTextColumn)
        line += "\n" + std::string(kTextColumn, ' ');
    else
        line.append(kTextColumn - line.size(), ' ');
    return line + wrapped(explanation, kWidth, kTextColumn) + "\n";
}

std::string optionLines(const CLI::Option &option)
{
    std::string names;
    if (option.get_positional()) {
        names = option.get_name(true, false);
        if (option.get_expected_max() > 1)
            names += "...";
    } else {
        for (const std::string &name : option.get_snames())
            names += (names.empty() ? "" : ", ") + ("-" + name);
        for (const std::string &name : option.get_lnames())
            names += (names.empty() ? "" : ", ") + ("--" + name);
        if (option.get_type_size() != 0 && !option.get_type_name().empty())
            names += " " + option.get_type_name();
    }
    return entryLines(names, option.get_description());
}

} // namespace

std::string programHelp()
{
    std::string text = wrapped("Trains small transformers with different attention designs to look up values in a list "
                               "of key-value pairs, and shows how far beyond the trained length each design still "
                               "finds them.",
                               kWidth, 0);
    text += "\n\nUsage: lookback-cli COMMAND [options]\n\nCommands:\n";
    for (const CommandEntry &entry : commands())
        text += entryLines(entry.name, entry.summary);
    text += "\nOptions:\n" + entryLines("-h, --help", "This text; after a command, the help of that command.")
        + entryLines("--version", "Version of the program.")
        + entryLines("--verbose", "Show the technical details of an error.");
    text += "\nExamples:\n"
            "  lookback-cli demo\n"
            "      Trains two designs in about a minute and writes pictures of the result.\n"
            "  lookback-cli train --help\n"
            "      How to train one yourself.\n"
            "\nExit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped by Ctrl-C.\n";
    return text;
}

std::string commandHelp(const CLI::App &app, const CommandEntry &entry)
{
    std::string text = wrapped(app.get_description(), kWidth, 0) + "\n\nUsage: lookback-cli " + std::string(entry.name);
    if (!entry.arguments.empty())
        text += " " + std::string(entry.arguments);
    text += "\n";
    for (const std::string &group : app.get_groups()) {
        std::string lines;
        for (const CLI::Option *option : app.get_options()) {
            if (option->get_group() == group)
                lines += optionLines(*option);
        }
        if (!lines.empty() && !group.empty())
            text += "\n" + group + ":\n" + lines;
    }
    if (!app.get_footer().empty())
        text += "\nExamples:\n" + app.get_footer() + "\n";
    return text;
}

} // namespace lookback::cli
