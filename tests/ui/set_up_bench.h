// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>

#include <string>

#include "tests/ui/fake_run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/docks/experiment_panel.h"
#include "ui/models/run_collection.h"
#include "ui/widgets/field_edit.h"

namespace lookback::tests {

struct SetUpBench {
    FakeRunService service;
    ui::RunBridge bridge{&service};
    ui::RunCollection runs{&bridge};
    QUndoStack undo;
    ui::ExperimentPanel panel{&bridge, &runs, &undo};

    void type(const std::string &field, const QString &text)
    {
        QLineEdit *edit = panel.fieldEdit(field)->lineEdit();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    /// At once, as a paste, without the texts on the way.
    void paste(const std::string &field, const QString &text)
    {
        QLineEdit *edit = panel.fieldEdit(field)->lineEdit();
        edit->selectAll();
        QGuiApplication::clipboard()->setText(text);
        text.isEmpty() ? QTest::keyClick(edit, Qt::Key_Delete) : edit->paste();
    }
    QString problem(const std::string &field) const { return panel.fieldEdit(field)->problem(); }
};

} // namespace lookback::tests
