// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/platform/sleep_inhibition.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#include <QGuiApplication>
#include <QObject>

#include "ui/platform/bus.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QDBusMessage callOfDesktop(const QString &method)
{
    return QDBusMessage::createMethodCall(u"org.freedesktop.PowerManagement"_s,
                                          u"/org/freedesktop/PowerManagement/Inhibit"_s,
                                          u"org.freedesktop.PowerManagement.Inhibit"_s, method);
}

} // namespace

struct SleepInhibition::Private : QObject {
    QString why;
    quint32 cookie = 0;
    bool hasCookie = false;
    QDBusUnixFileDescriptor lock; ///< Of the system; given back when closed.

    void askDesktop()
    {
        const QDBusConnection bus = sessionBus();
        if (!bus.isConnected()) {
            askSystem();
            return;
        }
        QDBusMessage call = callOfDesktop(u"Inhibit"_s);
        call << QGuiApplication::applicationDisplayName() << why;
        auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call)); // may outlive us: see leave()
        watch(watcher, [this](QDBusPendingCallWatcher *answered) {
            const QDBusPendingReply<quint32> reply = *answered;
            hasCookie = reply.isValid();
            if (hasCookie)
                cookie = reply.value();
            else
                askSystem();
        });
    }

    void askSystem()
    {
        const QDBusConnection bus = systemBus();
        if (!bus.isConnected())
            return;
        QDBusMessage call = QDBusMessage::createMethodCall(u"org.freedesktop.login1"_s, u"/org/freedesktop/login1"_s,
                                                           u"org.freedesktop.login1.Manager"_s, u"Inhibit"_s);
        call << u"sleep"_s << QGuiApplication::applicationDisplayName() << why << u"block"_s;
        watch(new QDBusPendingCallWatcher(bus.asyncCall(call)), [this](QDBusPendingCallWatcher *answered) {
            const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *answered;
            if (reply.isValid())
                lock = reply.value();
        });
    }

    /// Hands the answer to `take` while we live; an answer that comes later is given back.
    template <typename Take> void watch(QDBusPendingCallWatcher *watcher, Take take)
    {
        QObject::connect(watcher, &QDBusPendingCallWatcher::finished, this, take);
        QObject::connect(watcher, &QDBusPendingCallWatcher::finished, watcher, &QObject::deleteLater);
        QObject::connect(this, &QObject::destroyed, watcher, [watcher] {
            if (watcher->isFinished())
                return;
            QObject::connect(watcher, &QDBusPendingCallWatcher::finished, watcher, [watcher] {
                const QDBusPendingReply<quint32> late = *watcher; // the system's lock closes with its message
                if (late.isValid())
                    giveBack(late.value());
            });
        });
    }

    static void giveBack(quint32 given)
    {
        QDBusMessage call = callOfDesktop(u"UnInhibit"_s);
        call << given;
        sessionBus().send(call);
    }
};

SleepInhibition::SleepInhibition(const QString &why) : d(std::make_unique<Private>())
{
    d->why = why;
    d->askDesktop();
}

SleepInhibition::~SleepInhibition()
{
    if (d->hasCookie)
        Private::giveBack(d->cookie);
}

bool SleepInhibition::isHeld() const
{
    return d->hasCookie || d->lock.isValid();
}

} // namespace lookback::ui
