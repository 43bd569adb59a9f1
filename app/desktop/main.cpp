// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// `lookback`: makes the application, the service and the window, connects them, and runs.
#include <QDir>
#include <QFileInfo>
#include <QThreadPool>
#include <QTimer>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <thread>

#include "app/desktop/application.h"
#include "app/desktop/options.h"
#include "app/desktop/screenshots.h"
#include "app/passive_waiting.h"
#include "core/run/reference_runs.h"
#include "core/run/run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/platform/color_scheme.h"
#include "ui/platform/notification.h"
#include "ui/platform/sleep_inhibition.h"
#include "ui/settings/settings.h"
#include "ui/theme/house_style.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/message_bar.h"

using namespace Qt::StringLiterals;

namespace {

using namespace lookback;

constexpr int kFilesMs = 2000; // for a file that is being written; others ask folders that may never answer

/// Once the window is closed all is saved, or the user did not want to wait: what is still under way then waits for a
/// folder that may never answer, and does not hold up the end for long.
void endAnyway(int code)
{
    std::thread([code] {
        std::this_thread::sleep_for(std::chrono::seconds(10));
        std::_Exit(code);
    }).detach();
}

int runWindow(desktop::Application &application, const desktop::Options &options)
{
    ui::applyHouseStyle();
    ui::Settings settings;
    QString folder = settings.runsFolder.value();
    if (!options.runsFolder.empty())
        folder = QDir::cleanPath(QFileInfo(QString::fromStdString(options.runsFolder)).absoluteFilePath());
    settings.runsFolder.setValue(folder);

    // They end in the opposite order: window, values, bridge, service.
    const std::unique_ptr<run::RunService> service = run::makeRunService(folder.toStdString());
    ui::RunBridge bridge(service.get());
    ui::RunCollection runs(&bridge);
    const ui::ColorScheme scheme; // other styles than ours follow by themselves
    std::unique_ptr<ui::SleepInhibition> awake;
    ui::MainWindow window(&bridge, &runs, &settings);
    QObject::connect(&application, &desktop::Application::endRequested, &window, &ui::MainWindow::quitOrderly);
    QObject::connect(&application, &desktop::Application::failed, &window, [&window](const QString &sentence) {
        window.messages()->showMessage(ui::MessageBar::Kind::Error, sentence);
    });
    QObject::connect(&scheme, &ui::ColorScheme::wished, &window, [](bool isDark) { ui::applyHouseStyle(isDark); });
    QObject::connect(&window, &ui::MainWindow::endedUnseen, &window, &ui::showNotification);
    QObject::connect(&window, &ui::MainWindow::workChanged, &window, [&awake](const QString &what) {
        awake = what.isEmpty() ? nullptr : std::make_unique<ui::SleepInhibition>(what);
    });
    service->openFolder(folder.toStdString());
    const bool isFirstStart = settings.isWelcomeWanted.value() && settings.areReferenceRunsWanted.value();
    if (isFirstStart && options.runsFolder.empty() && options.toOpen.empty() && !run::referenceRunsFolder().empty()) {
        settings.areReferenceRunsWanted.setValue(false);
        window.introduceReferenceRuns();
    }
    for (const std::string &name : options.toOpen)
        window.openPath(QFileInfo(QString::fromStdString(name)).absoluteFilePath());
    window.show();
    const int code = application.exec();
    endAnyway(code);
    ui::diskThreads()->waitForDone(kFilesMs);
    return code;
}

} // namespace

int main(int argc, char **argv)
{
    const desktop::Options options = desktop::parseOptions(argc, argv);
    if (options.isHelpWanted) {
        std::fputs(desktop::helpText().c_str(), stdout);
        return 0;
    }
    if (options.isVersionWanted) {
        std::puts("Lookback " LOOKBACK_VERSION);
        return 0;
    }
    if (!options.fault.empty()) {
        std::fprintf(stderr, "%s\n", options.fault.c_str());
        return 2;
    }
    std::string problem = desktop::displayProblem(argc, argv);
    if (!problem.empty() && !options.screenshotsFolder.empty()) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        problem.clear();
    }
    if (!problem.empty()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        return 1;
    }
    ensurePassiveWaiting(argv);
    desktop::installMessageHandler();
    try {
        desktop::Application application(argc, argv);
        if (!options.screenshotsFolder.empty())
            return desktop::takeScreenshots(application, QString::fromStdString(options.screenshotsFolder));
        return runWindow(application, options);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "lookback: %s\n", e.what());
        return 1;
    }
}
