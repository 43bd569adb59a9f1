// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/platform/bus.h"

#include <QFile>
#include <QString>

using namespace Qt::StringLiterals;

namespace lookback::ui {

QDBusConnection sessionBus()
{
    // Without an address the library would start a bus of its own.
    const bool isThere = !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")
        || QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + u"/bus"_s);
    return isThere ? QDBusConnection::sessionBus() : QDBusConnection(u"no session bus"_s);
}

QDBusConnection systemBus()
{
    const bool isThere = !qEnvironmentVariableIsEmpty("DBUS_SYSTEM_BUS_ADDRESS")
        || QFile::exists(u"/run/dbus/system_bus_socket"_s) || QFile::exists(u"/var/run/dbus/system_bus_socket"_s);
    return isThere ? QDBusConnection::systemBus() : QDBusConnection(u"no system bus"_s);
}

} // namespace lookback::ui
