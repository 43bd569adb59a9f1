// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's services, without a bus and on a bus of the test's own.
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QtTest>

#include "tests/patience.h"
#include "ui/platform/bus.h"
#include "ui/platform/color_scheme.h"
#include "ui/platform/notification.h"
#include "ui/platform/sleep_inhibition.h"

using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// Stands in for a service: remembers the calls and answers them as it was told.
class FakeService : public QDBusVirtualObject {
public:
    QList<QDBusMessage> calls;
    QHash<QString, QVariant> answers;

    QString introspect(const QString &) const override { return {}; }
    bool handleMessage(const QDBusMessage &message, const QDBusConnection &connection) override
    {
        if (message.interface().startsWith(u"org.freedesktop.DBus"_s))
            return false;
        calls.append(message);
        const QVariant answer = answers.value(message.member());
        connection.send(answer.isValid() ? message.createReply(answer) : message.createReply());
        return true;
    }
    QList<QDBusMessage> callsOf(const QString &member) const
    {
        QList<QDBusMessage> found;
        for (const QDBusMessage &call : calls) {
            if (call.member() == member)
                found.append(call);
        }
        return found;
    }
};

} // namespace

class TestPlatform : public QObject {
    Q_OBJECT

    QProcess m_daemon;
    FakeService m_service;
    QDBusConnection m_fake{u"none"_s};

private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        qunsetenv("XDG_RUNTIME_DIR");
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere");
        const QString program = QStandardPaths::findExecutable(u"dbus-daemon"_s);
        if (program.isEmpty())
            return;
        m_daemon.start(program, {u"--session"_s, u"--nofork"_s, u"--print-address=1"_s});
        QVERIFY(m_daemon.waitForReadyRead());
        const QByteArray address = m_daemon.readLine().trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address); // before the library is used: it reads addresses once
        m_fake = QDBusConnection::connectToBus(QString::fromLatin1(address), u"fake desktop"_s);
        QVERIFY(m_fake.isConnected());
        QVERIFY(sessionBus().isConnected());
    }

    void nobodyAnswers()
    {
        if (!m_fake.isConnected())
            QSKIP("there is no bus");
        showNotification(u"A run has ended"_s, {});
        const SleepInhibition inhibition(u"2 runs are training"_s);
        ColorScheme scheme;
        QSignalSpy wished(&scheme, &ColorScheme::wished);
        // Answered after the others, so they have had theirs.
        QDBusMessage call =
            QDBusMessage::createMethodCall(u"org.freedesktop.DBus"_s, u"/"_s, u"org.freedesktop.DBus"_s, u"GetId"_s);
        QVERIFY(sessionBus().call(call).type() == QDBusMessage::ReplyMessage);
        QCoreApplication::processEvents();
        QVERIFY(!inhibition.isHeld());
        QCOMPARE(wished.size(), 0);
    }

    void servicesAreAsked()
    {
        if (!m_fake.isConnected())
            QSKIP("there is no bus");
        m_service.answers = {
            {u"Inhibit"_s, QVariant::fromValue(quint32(7))},
            {u"Read"_s, QVariant::fromValue(QDBusVariant(QVariant::fromValue(QDBusVariant(QVariant::fromValue(1U)))))}};
        QVERIFY(m_fake.registerVirtualObject(u"/org/freedesktop"_s, &m_service, QDBusConnection::SubPath));
        for (const QString &name : {u"org.freedesktop.Notifications"_s, u"org.freedesktop.PowerManagement"_s,
                                    u"org.freedesktop.portal.Desktop"_s})
            QVERIFY(m_fake.registerService(name));

        showNotification(u"rope \u00b7 seed 0 has finished"_s, u"loss < 1"_s);
        QTRY_COMPARE(m_service.callsOf(u"Notify"_s).size(), 1);
        const QVariantList said = m_service.callsOf(u"Notify"_s).front().arguments();
        QCOMPARE(said.at(3).toString(), u"rope \u00b7 seed 0 has finished"_s);
        QCOMPARE(said.at(4).toString(), u"loss &lt; 1"_s);

        {
            const SleepInhibition inhibition(u"2 runs are training"_s);
            QTRY_VERIFY(inhibition.isHeld());
            QCOMPARE(m_service.callsOf(u"Inhibit"_s).front().arguments().at(1).toString(), u"2 runs are training"_s);
            QCOMPARE(m_service.callsOf(u"UnInhibit"_s).size(), 0);
        }
        QTRY_COMPARE(m_service.callsOf(u"UnInhibit"_s).size(), 1);
        QCOMPARE(m_service.callsOf(u"UnInhibit"_s).front().arguments().front().toUInt(), 7U);
        {
            const SleepInhibition brief(u"1 run is training"_s); // over before the answer comes
        }
        QTRY_COMPARE(m_service.callsOf(u"UnInhibit"_s).size(), 2);

        ColorScheme scheme;
        QSignalSpy wished(&scheme, &ColorScheme::wished);
        QTRY_COMPARE(wished.size(), 1);
        QCOMPARE(wished.takeFirst().front().toBool(), true);
        const auto change = [&](const QString &group, uint value) {
            QDBusMessage signal = QDBusMessage::createSignal(u"/org/freedesktop/portal/desktop"_s,
                                                             u"org.freedesktop.portal.Settings"_s, u"SettingChanged"_s);
            signal << group << u"color-scheme"_s << QVariant::fromValue(QDBusVariant(QVariant::fromValue(value)));
            QVERIFY(m_fake.send(signal));
        };
        change(u"org.other"_s, 1);
        change(u"org.freedesktop.appearance"_s, 0); // no preference: things stay as they are
        change(u"org.freedesktop.appearance"_s, 2);
        QTRY_COMPARE(wished.size(), 1);
        QCOMPARE(wished.takeFirst().front().toBool(), false);
    }

    void withoutABusNothingHappens()
    {
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        QVERIFY(!sessionBus().isConnected());
        showNotification(u"A run has ended"_s, u"It took a while."_s);
        {
            const SleepInhibition inhibition(u"2 runs are training"_s);
            QVERIFY(!inhibition.isHeld());
        }
        ColorScheme scheme;
        QSignalSpy wished(&scheme, &ColorScheme::wished);
        QCoreApplication::processEvents();
        QCOMPARE(wished.size(), 0);
    }

    void cleanupTestCase()
    {
        if (m_daemon.state() != QProcess::Running)
            return;
        QDBusConnection::disconnectFromBus(u"fake desktop"_s);
        m_daemon.terminate();
        m_daemon.waitForFinished();
    }
};

QTEST_GUILESS_MAIN(TestPlatform)
#include "test_platform.moc"
