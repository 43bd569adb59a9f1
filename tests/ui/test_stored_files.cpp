// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include "core/error.h"
#include "tests/core/file_size_limit.h"
#include "ui/settings/experiment_setup.h"
#include "ui/settings/settings.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using ui::ExperimentSetup;

/// What the window ever wrote, it reads.
class TestStoredFiles : public QObject {
    Q_OBJECT

private:
    static QByteArray bytesOf(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void setUpOfVersion1()
    {
        const ExperimentSetup setup = ExperimentSetup::fromFile(LOOKBACK_TEST_SOURCE_DIR "/formats/set-up-1.json");
        QVERIFY((setup.variants == std::vector<std::string>{"rope", "hybrid_square"}));
        QCOMPARE(setup.seeds, std::string("0-4"));
        QCOMPARE(setup.device, std::string("cpu"));
        QCOMPARE(setup.followedWarmup, 300);
        QCOMPARE(setup.config.steps, 500);
        QCOMPARE(setup.config.learning_rate, 0.0003);
        QCOMPARE(setup.config.window, RunConfig().window); // what is not in the file is as published
        QCOMPARE(setup.requests().size(), std::size_t{10});
    }

    void settingsOfVersion1()
    {
        const QTemporaryDir place;
        const QString file = place.filePath(u"window.ini"_s);
        QVERIFY(QFile::copy(QStringLiteral(LOOKBACK_TEST_SOURCE_DIR "/formats/window-1.ini"), file));
        const ui::Settings settings(file);
        QCOMPARE(settings.page.value(), u"accuracy"_s);
        QVERIFY(!settings.isWelcomeWanted.value());
        QVERIFY(settings.isAdvancedOpen.value());
        QCOMPARE(settings.runsFolder.value(), u"/srv/lab/runs"_s);
        QCOMPARE(settings.recentFolders.value(), (QStringList{u"/srv/lab/runs"_s, u"/srv/lab/older"_s}));
        QCOMPARE(settings.hiddenRuns.value(), (QStringList{u"a"_s, u"b"_s}));
        QCOMPARE(settings.selectedRun.value(), u"a"_s);
        QCOMPARE(settings.parallelRuns.value(), 3);
        QVERIFY(!settings.keepsAwake.value());
        QVERIFY(!settings.alertsAtEnd.value());
        QCOMPARE(ExperimentSetup::fromJson(settings.setup.value().toStdString()).config.steps, 500);
    }

    /// The settings of a newer window: known values are used, and the version stays the newer one.
    void settingsOfANewerVersion()
    {
        const QTemporaryDir place;
        const QString file = place.filePath(u"window.ini"_s);
        QFile stored(QStringLiteral(LOOKBACK_TEST_SOURCE_DIR "/formats/window-1.ini"));
        QVERIFY(stored.open(QIODevice::ReadOnly));
        QFile newer(file);
        QVERIFY(newer.open(QIODevice::WriteOnly));
        newer.write(stored.readAll().replace("version=1", "version=7"));
        newer.close();
        {
            ui::Settings settings(file);
            QCOMPARE(settings.parallelRuns.value(), 3);
            settings.parallelRuns.setValue(4);
        }
        QCOMPARE(QSettings(file, QSettings::IniFormat).value("version"_L1).toInt(), 7);
        QCOMPARE(ui::Settings(file).parallelRuns.value(), 4);
    }

    /// A full disk leaves what was remembered before, and is said.
    void fullDisk()
    {
        const QTemporaryDir place;
        const QString file = place.filePath(u"window.ini"_s);
        ui::Settings settings(file);
        settings.runsFolder.setValue(u"/srv/lab/runs"_s);
        QCOMPARE(settings.sync(), QString());
        const QByteArray before = bytesOf(file);
        settings.setup.setValue(QString(100'000, u'x'));
        std::signal(SIGXFSZ, SIG_IGN);
        QString sentence;
        {
            const test::FileSizeLimit limit(4096);
            sentence = settings.sync();
        }
        QVERIFY2(sentence.contains(u"window.ini"_s) && sentence.contains(u"cannot be written"_s), qPrintable(sentence));
        QCOMPARE(bytesOf(file), before);
        QCOMPARE(QDir(place.path()).entryList(QDir::Files | QDir::Hidden), QStringList{u"window.ini"_s});
        QCOMPARE(settings.sync(), QString()); // with room again, nothing was forgotten
        QVERIFY(bytesOf(file).size() > 100'000);
    }

    /// Everything that a window stores comes back, and Qt's own format reads it.
    void everyKindOfValue()
    {
        const QTemporaryDir place;
        const QString file = place.filePath(u"window.ini"_s);
        const QByteArray bytes("\0\1\xFFx;\"=\n", 9);
        const QVariantMap state{{u"scale"_s, 2}, {u"names"_s, QStringList{u"a, b"_s, u"\"c\""_s}}, {u"on"_s, true}};
        {
            ui::Settings settings(file);
            settings.geometry.setValue(bytes);
            settings.page.setValue(u"größe 実験 = ; , \\ \"x\""_s);
            settings.setViewStateOf(u"training"_s, state);
            settings.hiddenRuns.setValue({});
            settings.recentFolders.setValue({u"/srv/a, b"_s});
            QCOMPARE(settings.sync(), QString());
        }
        ui::Settings again(file);
        QCOMPARE(again.geometry.value(), bytes);
        QCOMPARE(again.page.value(), u"größe 実験 = ; , \\ \"x\""_s);
        QCOMPARE(again.viewStateOf(u"training"_s), state);
        QCOMPARE(again.recentFolders.value(), QStringList{u"/srv/a, b"_s});
        QCOMPARE(QSettings(file, QSettings::IniFormat).value("window/page"_L1).toString(), again.page.value());
    }
};

QTEST_GUILESS_MAIN(TestStoredFiles)
#include "test_stored_files.moc"
