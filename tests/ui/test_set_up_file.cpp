// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

#include <sys/stat.h>

#include "core/error.h"
#include "core/run/file.h"
#include "ui/settings/experiment_setup.h"

using namespace lookback;
using ui::ExperimentSetup;
namespace fs = std::filesystem;

/// Whatever is opened as a set-up is one, or is refused with a sentence, at once.
class TestSetUpFile : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    static QString sentenceOf(const fs::path &file)
    {
        try {
            ExperimentSetup::fromFile(file);
        } catch (const Error &error) {
            return QString::fromStdString(error.sentence());
        }
        return {};
    }

private Q_SLOTS:
    void whatIsNoSmallFileIsRefused()
    {
        const fs::path root = m_folder.path().toStdString();
        const fs::path sparse = root / "sparse.json";
        run::writeFileWhole(sparse, "{");
        fs::resize_file(sparse, 7'000'000'000);
        QVERIFY(sentenceOf(sparse).startsWith(QLatin1String("It has 7.0 GB, but such a file has at most 1.0 MB.")));
        const fs::path pipe = root / "pipe.json";
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        for (const fs::path &file : {pipe, fs::path("/dev/zero")})
            QVERIFY2(sentenceOf(file).contains(QLatin1String("not a regular file")), file.c_str());
        QVERIFY(sentenceOf(root).contains(QLatin1String("folder")));
        QVERIFY(sentenceOf(root / "missing.json").contains(QLatin1String("does not exist")));
    }

    void versionsAreWholeNumbers_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("words");
        for (const char *version : {"1e300", "-1e300", "1.5", "0", "-1", "true", "\"1\"", "null"})
            QTest::newRow(version) << QString::fromUtf8(version) << QStringLiteral("not a whole number");
        for (const char *version : {"2", "4294967297", "18446744073709551615"})
            QTest::newRow(version) << QString::fromUtf8(version) << QStringLiteral("");
        QTest::newRow("accepted") << QStringLiteral("1") << QString();
    }
    void versionsAreWholeNumbers()
    {
        QFETCH(QString, version);
        QFETCH(QString, words);
        std::string text = ExperimentSetup::initial().toJson();
        const std::string member = "\"version\": 1";
        text.replace(text.find(member), member.size(), "\"version\": " + version.toStdString());
        const fs::path file = fs::path(m_folder.path().toStdString()) / "set-up.json";
        run::writeFileWhole(file, text);
        const QString sentence = sentenceOf(file);
        QCOMPARE(sentence.isEmpty(), version == QLatin1String("1"));
        QVERIFY2(sentence.contains(words), qPrintable(sentence));
    }

    void otherNumbersAndDepthsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("warmup");
        for (const char *warmup : {"1e300", "-5", "1.5", "\"1\"", "18446744073709551616"})
            QTest::newRow(warmup) << QByteArray(warmup);
        QTest::newRow("nested") << QByteArray(100'000, '[') + "1" + QByteArray(100'000, ']');
    }
    void otherNumbersAndDepthsAreRefused()
    {
        QFETCH(QByteArray, warmup);
        std::string text = ExperimentSetup::initial().toJson();
        const std::string member = "\"followed_warmup\": ";
        const std::size_t begin = text.find(member) + member.size();
        text.replace(begin, text.find(',', begin) - begin, warmup.toStdString());
        QVERIFY_THROWS_EXCEPTION(Error, ExperimentSetup::fromJson(text));
    }
};

QTEST_GUILESS_MAIN(TestSetUpFile)
#include "test_set_up_file.moc"
