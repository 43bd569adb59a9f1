// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/resources.h"

#include <QtCore/qglobal.h>
#include <QDir>

// Q_INIT_RESOURCE declares a function of the global namespace.
static void registerCharts()
{
    Q_INIT_RESOURCE(charts);
}

namespace lookback::ui {

void initResources()
{
    registerCharts();
}

} // namespace lookback::ui
