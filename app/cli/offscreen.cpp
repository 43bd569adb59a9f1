// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/offscreen.h"

#include <algorithm>
#include <clocale>
#include <filesystem>

#include <CLI/App.hpp>

#include <QApplication>
#include <QFontDatabase>
#include <QLocale>

#include "app/cli/command.h"
#include "app/cli/console.h"
#include "app/cli/values.h"
#include "core/json.h"

namespace lookback::cli {

namespace {

bool g_isVerbose = false;

void handleQtMessage(QtMsgType type, const QMessageLogContext &, const QString &message)
{
    if (g_isVerbose || type == QtFatalMsg) // what a desktop would offer and is missing here concerns nobody
        printError("Qt: " + message.toStdString() + "\n");
}

} // namespace

Offscreen::Offscreen(bool isVerbose)
{
    g_isVerbose = isVerbose;
    qInstallMessageHandler(handleQtMessage);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    for (const char *variable :
         {"QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_QPA_PLATFORMTHEME", "QT_STYLE_OVERRIDE"})
        qunsetenv(variable); // the desktop's taste must not change a figure
    m_arguments = {m_name.data(), nullptr};
    m_application = std::make_unique<QApplication>(m_argumentCount, m_arguments.data());
    std::setlocale(LC_ALL, "C"); // QApplication took the user's
    QLocale::setDefault(QLocale::c());
    if (QFontDatabase::families().isEmpty()) {
        throw Error("Fonts", "This machine has none, so pictures would hold no text.",
                    "Install one, on Debian: apt install fonts-dejavu-core.");
    }
}

Offscreen::~Offscreen() = default;

void PictureOptions::declare(CLI::App &app)
{
    const std::string group = "Picture";
    app.add_option("--width", m_width, "Width in pixels (default: 1600).")->type_name("PX")->group(group);
    app.add_option("--height", m_height, "Height in pixels (default: five eighths of the width).")
        ->type_name("PX")
        ->group(group);
    app.add_option("--dpi", m_dpi,
                   "Pixels per inch (default: 200). Decides how large text is in the picture, and the "
                   "size on paper.")
        ->type_name("N")
        ->group(group);
    app.add_option("--theme", m_theme, "light or dark (default: light).")->type_name("NAME")->group(group);
    app.add_flag("--transparent", m_isTransparent, "No background.")->group(group);
}

ui::ExportOptions PictureOptions::options() const
{
    const std::int64_t width = countValue("--width", m_width, 16, 30000);
    const std::int64_t height =
        m_height.empty() ? std::max<std::int64_t>(16, width * 5 / 8) : countValue("--height", m_height, 16, 30000);
    const std::int64_t dpi = countValue("--dpi", m_dpi, 10, 2400);
    ui::ExportOptions options =
        ui::ExportOptions::ofPixels(QSize(static_cast<int>(width), static_cast<int>(height)), static_cast<int>(dpi));
    options.isDark = choiceValue("--theme", m_theme, {"light", "dark"}) == "dark";
    options.isTransparent = m_isTransparent;
    return options;
}

std::string extensionOf(const std::string &option, const std::string &file, const std::vector<std::string> &known)
{
    std::string extension = std::filesystem::path(file).extension().string();
    if (!extension.empty())
        extension.erase(0, 1);
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(known.begin(), known.end(), extension) == known.end()) {
        std::string all;
        for (const std::string &each : known)
            all += (all.empty() ? "." : ", .") + each;
        throw UsageError(option + " " + inQuotes(file),
                         extension.empty() ? "The name has no extension that says what to write."
                                           : "This kind of file cannot be written.",
                         "End it in one of: " + all + ".");
    }
    return extension;
}

void writeFigure(const ui::Figure &figure, const std::string &file, const ui::ExportOptions &options)
{
    // Only its extension is looked at as a QString, which cannot hold a name that is not UTF-8.
    ui::writeFigureFile(file, ui::figureFile(figure, QString::fromStdString(file), options));
}

} // namespace lookback::cli
