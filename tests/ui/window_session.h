// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPushButton>
#include <QTest>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/docks/experiment_panel.h"
#include "ui/docks/runs_panel.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/settings/settings.h"
#include "ui/widgets/message_bar.h"

namespace lookback::tests {

/// One session of the program: a window on a fake service, with settings in a file.
struct WindowSession {
    FakeRunService service;
    ui::Settings settings;
    ui::RunBridge bridge{&service};
    ui::RunCollection runs{&bridge};
    std::unique_ptr<ui::MainWindow> window;

    explicit WindowSession(const QString &file) : settings(file) { }

    void open()
    {
        window = std::make_unique<ui::MainWindow>(&bridge, &runs, &settings);
        service.openFolder("/runs");
        window->show();
        deliver();
    }
    void deliver()
    {
        QTRY_VERIFY(service.takesNothing());
        QCoreApplication::processEvents();
    }
    QAction *action(ui::ActionId id) const { return window->actions()->action(id); }
    bool hasCall(const std::string &call) const
    {
        return std::ranges::find(service.calls(), call) != service.calls().end();
    }
    qsizetype count(const std::string &start) const
    {
        return std::ranges::count_if(service.calls(), [&](const std::string &call) { return call.starts_with(start); });
    }
    QString stateOf(const run::RunId &id) const { return ui::RunsModel::stateTitle(runs.find(id)->snapshot.state); }
    QPushButton *barButton() const { return window->messages()->findChild<QPushButton *>(); }
};

inline ui::ExperimentSetup smallSetup(std::vector<std::string> variants)
{
    ui::ExperimentSetup setup;
    setup.variants = std::move(variants);
    setup.config = FakeRunService::smallConfig("rope");
    return setup;
}

} // namespace lookback::tests
