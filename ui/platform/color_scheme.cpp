// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/platform/color_scheme.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

#include "ui/platform/bus.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

const QString kService = u"org.freedesktop.portal.Desktop"_s;
const QString kPath = u"/org/freedesktop/portal/desktop"_s;
const QString kInterface = u"org.freedesktop.portal.Settings"_s;
const QString kGroup = u"org.freedesktop.appearance"_s;
const QString kKey = u"color-scheme"_s;

} // namespace

ColorScheme::ColorScheme(QObject *parent) : QObject(parent)
{
    QDBusConnection bus = sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kService, kPath, kInterface, u"SettingChanged"_s, this,
                SLOT(takeChange(QString, QString, QDBusVariant))); // QtDBus has no other form
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kInterface, u"Read"_s);
    call << kGroup << kKey;
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher *answered) {
        const QDBusPendingReply<QDBusVariant> reply = *answered;
        if (reply.isValid())
            take(reply.value().variant());
        answered->deleteLater();
    });
}

void ColorScheme::takeChange(const QString &group, const QString &key, const QDBusVariant &value)
{
    if (group == kGroup && key == kKey)
        take(value.variant());
}

void ColorScheme::take(const QVariant &value)
{
    // "Read" wraps the value twice.
    const QVariant inner = value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    constexpr uint kDark = 1;
    constexpr uint kLight = 2;
    const uint wish = inner.toUInt();
    if (wish == kDark || wish == kLight)
        Q_EMIT wished(wish == kDark);
}

} // namespace lookback::ui
