// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/options.h"

#include <array>
#include <cstdlib>
#include <string_view>

namespace lookback::desktop {

namespace {

/// Qt's own options that take a value; QApplication removes them later.
constexpr std::array<std::string_view, 9> kQtOptions{"-platform", "-platformpluginpath", "-platformtheme",
                                                     "-plugin",   "-qwindowgeometry",    "-qwindowtitle",
                                                     "-style",    "-stylesheet",         "-display"};

bool isSet(const char *variable)
{
    const char *value = std::getenv(variable);
    return value && *value != '\0';
}

std::string_view withOneDash(std::string_view argument)
{
    return argument.starts_with("--") ? argument.substr(1) : argument;
}

bool isQtOption(std::string_view argument)
{
    for (const std::string_view option : kQtOptions) {
        if (withOneDash(argument) == option)
            return true;
    }
    return false;
}

} // namespace

Options parseOptions(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const auto takeValue = [&](std::string &target, std::string_view name) {
            if (argument.size() > name.size()) {
                target = argument.substr(name.size() + 1); // --name=value
            } else if (i + 1 < argc) {
                target = argv[++i];
            }
            if (target.empty() && options.fault.empty())
                options.fault = std::string(name) + ": it needs a folder. Write " + std::string(name) + " DIR.";
        };
        const auto is = [&](std::string_view name) {
            return argument == name || argument.starts_with(std::string(name) + "=");
        };
        if (argument == "--help" || argument == "-h")
            options.isHelpWanted = true;
        else if (argument == "--version")
            options.isVersionWanted = true;
        else if (is("--runs"))
            takeValue(options.runsFolder, "--runs");
        else if (is("--screenshots"))
            takeValue(options.screenshotsFolder, "--screenshots");
        else if (isQtOption(argument))
            ++i;
        else if (argument.starts_with('-') && argument.size() > 1)
            options.fault = std::string(argument)
                + ": there is no such option. \"lookback --help\" lists them; "
                  "training from the command line is done by lookback-cli.";
        else
            options.toOpen.emplace_back(argument);
    }
    return options;
}

std::string helpText()
{
    return "Lookback: train attention designs side by side and see which one finds a value in a long context.\n"
           "\n"
           "Usage: lookback [options] [folder or set-up]\n"
           "\n"
           "  folder               a runs folder, or the folder of one run, to show at start\n"
           "  set-up               a .json file that was written by \"Save set-up\"\n"
           "\n"
           "  --runs DIR           keep runs in DIR (otherwise the folder used last)\n"
           "  --screenshots DIR    train three tiny runs, draw every page light and dark into DIR, and end;\n"
           "                       works without a display\n"
           "  --version            say the version\n"
           "  --help               say this\n"
           "\n"
           "The window needs a display. Without one use lookback-cli, which trains, evaluates and draws the same\n"
           "figures: lookback-cli --help.\n";
}

std::string displayProblem(int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        if (withOneDash(argv[i]) == "-platform" || withOneDash(argv[i]) == "-display")
            return {};
    }
    if (isSet("QT_QPA_PLATFORM") || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY"))
        return {};
    return "Lookback needs a display and there is none here (DISPLAY and WAYLAND_DISPLAY are not set); use "
           "lookback-cli, "
           "which does the same without a window, for example: lookback-cli train --help";
}

} // namespace lookback::desktop
