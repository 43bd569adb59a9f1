// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/figures/figure.h"

class QApplication;

namespace CLI {
class App;
}

namespace lookback::cli {

/// The application object that drawing text needs, on Qt's offscreen platform: no display is asked for. Made only by
/// commands that draw; the C locale stays in force for everything else. Throws Error if this machine has no font.
class Offscreen {
public:
    explicit Offscreen(bool isVerbose);
    ~Offscreen();
    Offscreen(const Offscreen &) = delete;
    Offscreen &operator=(const Offscreen &) = delete;

private:
    int m_argumentCount = 1;
    std::string m_name = "lookback-cli";
    std::vector<char *> m_arguments;
    std::unique_ptr<QApplication> m_application;
};

/// --width, --height, --dpi, --theme and --transparent of every command that draws.
class PictureOptions {
public:
    void declare(CLI::App &app);
    /// Throws UsageError.
    ui::ExportOptions options() const;

private:
    std::string m_width = "1600";
    std::string m_height;
    std::string m_dpi = "200";
    std::string m_theme = "light";
    bool m_isTransparent = false;
};

/// The extension of `file` in lower case without the dot if it is one of `known`. Throws UsageError otherwise.
std::string extensionOf(const std::string &option, const std::string &file, const std::vector<std::string> &known);

/// exportFigure with a path of the command line.
void writeFigure(const ui::Figure &figure, const std::string &file, const ui::ExportOptions &options);

} // namespace lookback::cli
