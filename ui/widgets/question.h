// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QMessageBox;
class QWidget;

namespace lookback::ui {

/// A question in the look of the window, without buttons yet; deletes itself when it is closed. Show it with open(), so
/// that nothing waits for the answer.
QMessageBox *makeQuestion(const QString &name, const QString &title, const QString &text, QWidget *parent);

} // namespace lookback::ui
