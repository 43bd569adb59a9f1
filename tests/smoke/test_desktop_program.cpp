// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The built `lookback` in other environments: no display, a display that is not there, signals, odd options.
#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include "tests/patience.h"

using namespace Qt::StringLiterals;

namespace {

struct Outcome {
    int code = -1;
    QString out;
    QString err;
};

class Program {
public:
    Program()
    {
        for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "LANG", "LC_ALL"})
            m_environment.remove(QLatin1StringView(name));
        m_environment.insert(u"HOME"_s, m_home.path());
        m_environment.insert(u"XDG_CONFIG_HOME"_s, m_home.filePath(u"config"_s));
    }
    void set(const QString &name, const QString &value) { m_environment.insert(name, value); }
    QString home(const QString &file) const { return m_home.filePath(file); }
    void start(QProcess &process, const QStringList &arguments) const
    {
        process.setProcessEnvironment(m_environment);
        process.start(QStringLiteral(LOOKBACK_BIN_DIR "/lookback"), arguments);
    }
    Outcome run(const QStringList &arguments) const
    {
        QProcess process;
        start(process, arguments);
        return outcomeOf(process);
    }
    static Outcome outcomeOf(QProcess &process)
    {
        Outcome outcome;
        if (process.waitForFinished(lookback::testing::kLongPatience) && process.exitStatus() == QProcess::NormalExit)
            outcome.code = process.exitCode();
        process.kill();
        process.waitForFinished();
        outcome.out = QString::fromUtf8(process.readAllStandardOutput());
        outcome.err = QString::fromUtf8(process.readAllStandardError()).trimmed();
        return outcome;
    }

private:
    QTemporaryDir m_home;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();
};

} // namespace

class TestDesktopProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpAndVersionNeedNoDisplay()
    {
        const Program program;
        const Outcome help = program.run({u"--help"_s});
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.contains(u"--runs DIR"_s));
        QVERIFY(help.out.contains(u"lookback-cli"_s));
        const Outcome version = program.run({u"--version"_s});
        QCOMPARE(version.code, 0);
        QCOMPARE(version.out, QStringLiteral("Lookback " LOOKBACK_VERSION "\n"));
    }

    void withoutADisplayOneSentence_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("value");
        QTest::newRow("nothing is set") << QString() << QString();
        QTest::newRow("an empty one") << u"DISPLAY"_s << u""_s;
        QTest::newRow("one that is not there") << u"DISPLAY"_s << u":4242"_s;
        QTest::newRow("a plug-in that is not there") << u"QT_QPA_PLATFORM"_s << u"abacus"_s;
    }

    void withoutADisplayOneSentence()
    {
        QFETCH(QString, variable);
        QFETCH(QString, value);
        Program program;
        if (!variable.isEmpty())
            program.set(variable, value);
        const Outcome outcome = program.run({});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.startsWith(u"Lookback "_s) && !outcome.err.contains(u'\n'), qPrintable(outcome.err));
        QVERIFY(outcome.err.contains(u"lookback-cli"_s));
    }

    void wrongOptionsAreNamed()
    {
        const Program program;
        const Outcome unknown = program.run({u"--frobnicate"_s});
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.err.startsWith(u"--frobnicate: "_s), qPrintable(unknown.err));
        QCOMPARE(program.run({u"--runs"_s}).code, 2);
    }

    void aSignalEndsItInOrder()
    {
        Program program;
        program.set(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
            QProcess process;
            program.start(process, {u"--runs"_s, program.home(u"runs"_s)});
            QVERIFY(process.waitForStarted());
            // Its settings are written once the event loop turns.
            const QString settings = program.home(u"config/lookback/window.ini"_s);
            QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(settings), lookback::testing::kLongPatience);
            ::kill(static_cast<pid_t>(process.processId()), number);
            const Outcome outcome = Program::outcomeOf(process);
            QCOMPARE(outcome.code, 0);
            QCOMPARE(outcome.err, QString());
            QVERIFY(QSettings(settings, QSettings::IniFormat).contains(u"window/geometry"_s)); // the window remembered
            QVERIFY(QFile::remove(settings));
        }
    }

    /// While it trains: the tour does not go on to its end.
    void aSignalEndsTheScreenshots()
    {
        Program program;
        program.set(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        QProcess process;
        program.start(process, {u"--screenshots"_s, program.home(u"pictures"_s)});
        QVERIFY(process.waitForStarted());
        const QString atWork = program.home(u"pictures/training-at-work-light-1440.png"_s);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(atWork), lookback::testing::kLongPatience);
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        const Outcome outcome = Program::outcomeOf(process);
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains(u"Ended by a signal"_s), qPrintable(outcome.err));
        QVERIFY(!QFileInfo::exists(program.home(u"pictures/reference-circuit-dark-1024.png"_s)));
    }

    /// A thread that reads a folder which never answers does not keep the program.
    void aSilentFolderDoesNotHoldUpTheEnd()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer must be loaded first");
#endif
        Program program;
        program.set(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        program.set(u"LD_PRELOAD"_s, QStringLiteral(LOOKBACK_HANGING_LIBRARY));
        const QString runs = program.home(u"runs"_s);
        QVERIFY(QDir().mkpath(runs));
        program.set(u"LOOKBACK_HANGING_FOLDER"_s, runs);
        QProcess process;
        program.start(process, {u"--runs"_s, runs});
        QVERIFY(process.waitForStarted());
        const QString settings = program.home(u"config/lookback/window.ini"_s);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(settings), lookback::testing::kLongPatience);
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        const Outcome outcome = Program::outcomeOf(process);
        QCOMPARE(outcome.code, 0);
        QCOMPARE(outcome.err, QString());
        QVERIFY(QSettings(settings, QSettings::IniFormat).contains(u"window/geometry"_s));
    }
};

QTEST_GUILESS_MAIN(TestDesktopProgram)
#include "test_desktop_program.moc"
