// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/platform/notification.h"

#include <QDBusMessage>
#include <QGuiApplication>
#include <QVariantMap>

#include "ui/platform/bus.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void showNotification(const QString &title, const QString &text)
{
    const QDBusConnection bus = sessionBus();
    if (!bus.isConnected())
        return;
    QDBusMessage call =
        QDBusMessage::createMethodCall(u"org.freedesktop.Notifications"_s, u"/org/freedesktop/Notifications"_s,
                                       u"org.freedesktop.Notifications"_s, u"Notify"_s);
    const QString id = QGuiApplication::desktopFileName(); // also the name of the icon
    constexpr quint32 kNew = 0;
    constexpr int kUsualTime = -1;
    // The body may hold markup.
    call << QGuiApplication::applicationDisplayName() << kNew << id << title << text.toHtmlEscaped() << QStringList()
         << QVariantMap{{u"desktop-entry"_s, id}} << kUsualTime;
    bus.send(call);
}

} // namespace lookback::ui
