// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/compute.h"

namespace lookback::ui {

class ActionSet;

/// The guide: what the experiment is and how the window works. Not modal.
QDialog *makeGuide(QWidget *parent);

/// Every shortcut of the action table, then the keys of charts and heat maps. Not modal.
QDialog *makeShortcutList(QWidget *parent);

/// Version, licence, libraries.
QDialog *makeAbout(const MachineInfo &machine, QWidget *parent);

} // namespace lookback::ui
