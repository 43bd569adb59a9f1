// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/run_folder.h"
#include "file_size_limit.h"
#include "unprivileged.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

std::size_t entriesOf(const fs::path &folder)
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

template <typename Call> QString sentenceOf(Call call)
{
    try {
        call();
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return QStringLiteral("no error");
}

} // namespace

class TestFile : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_directory;
    fs::path m_root;

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        m_root = m_directory->path().toStdString();
    }

    void writesAndReplaces()
    {
        const std::string large(3'000'001, 'x');
        writeFileWhole(m_root / "file", large);
        QCOMPARE(readFileWhole(m_root / "file").size(), large.size());
        writeFileWhole(m_root / "file", std::string_view("short"));
        QCOMPARE(readFileWhole(m_root / "file"), std::string("short"));
        writeFileWhole(m_root / "file", std::string_view());
        QCOMPARE(readFileWhole(m_root / "file"), std::string());
        QCOMPARE(entriesOf(m_root), std::size_t{1});
    }

    void longestName()
    {
        const fs::path file = m_root / std::string(255, 'n');
        writeFileWhole(file, std::string_view("x"));
        QCOMPARE(readFileWhole(file), std::string("x"));
        QVERIFY(sentenceOf([&] {
                    writeFileWhole(m_root / std::string(256, 'n'), std::string_view("x"));
                }).contains(QLatin1String("name is too long")));
        QCOMPARE(entriesOf(m_root), std::size_t{1});
    }

    void nothingWithoutCommit()
    {
        {
            WholeFileWriter writer(m_root / "file");
            writer.write("abc", 3);
            QVERIFY(!fs::exists(m_root / "file"));
        }
        QVERIFY(fs::is_empty(m_root));
    }

    void unwritablePlaces()
    {
        const auto refusal = [](const fs::path &file) {
            return sentenceOf([&] { writeFileWhole(file, std::string_view("x")); });
        };
        QVERIFY(refusal(m_root / "missing" / "file").contains(QLatin1String("there is no folder")));
        writeFileWhole(m_root / "file", std::string_view("x"));
        QVERIFY(refusal(m_root / "file" / "below").contains(QLatin1String("is not a folder")));
        fs::create_directory(m_root / "folder");
        QVERIFY(refusal(m_root / "folder").contains(QLatin1String("it is a folder")));
        QVERIFY(refusal("/proc/lookback").contains(QLatin1String("cannot be written")));
        QCOMPARE(readFileWhole(m_root / "file"), std::string("x"));
        QCOMPARE(entriesOf(m_root), std::size_t{2});
    }

    void unwritableFolder()
    {
        const test::Unprivileged user;
        if (!user.isInForce())
            QSKIP("permissions do not bind this user");
        const QTemporaryDir directory;
        const fs::path folder = directory.path().toStdString();
        writeFileWhole(folder / "file", std::string_view("former"));
        fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
        const QString sentence = sentenceOf([&] { writeFileWhole(folder / "file", std::string_view("x")); });
        fs::permissions(folder, fs::perms::owner_all);
        QVERIFY2(sentence.contains(QLatin1String("permission denied")), qPrintable(sentence));
        QCOMPARE(readFileWhole(folder / "file"), std::string("former"));
        fs::permissions(folder / "file", fs::perms::none);
        QVERIFY(sentenceOf([&] { readFileWhole(folder / "file"); }).contains(QLatin1String("permission denied")));
    }

    // The file size limit of a process cuts a write short and raises a signal that ends the program by default.
    void sizeLimitIsAMessage()
    {
        writeFileWhole(m_root / "file", std::string_view("former"));
        for (const std::size_t bytes : {5000U, 100000U, 5000000U}) {
            const test::FileSizeLimit limit(4096);
            const QString sentence = sentenceOf([&] { writeFileWhole(m_root / "file", std::string(bytes, 'x')); });
            QVERIFY2(sentence.contains(QLatin1String("size limit")), qPrintable(sentence));
            QVERIFY(sentence.contains(QLatin1String("ulimit")));
        }
        {
            const test::FileSizeLimit limit(4096);
            writeFileWhole(m_root / "small", std::string(4096, 'x'));
        }
        QCOMPARE(readFileWhole(m_root / "file"), std::string("former"));
        QCOMPARE(entriesOf(m_root), std::size_t{2});
        sigset_t pending;
        sigpending(&pending);
        QVERIFY(sigismember(&pending, SIGXFSZ) == 0); // nothing waits to end the program later
    }

    void runFoldersSurviveTheSizeLimit()
    {
        const RunFolder folder = RunFolder::create(m_root, "run", {});
        eval::AccuracyCurve curve;
        curve.variant = "rope";
        {
            const test::FileSizeLimit limit(100);
            QVERIFY(sentenceOf([&] { folder.writeRecord({}); }).contains(QLatin1String("cannot be written")));
            QVERIFY(sentenceOf([&] { folder.writeAccuracy(curve); }).contains(QLatin1String("cannot be written")));
            QVERIFY(sentenceOf([&] {
                        RunFolder::create(m_root / "a" / "b", "run", {});
                    }).contains(QLatin1String("cannot be written")));
        }
        QVERIFY(folder.readRecord() == RunRecord());
        QCOMPARE(entriesOf(m_root), std::size_t{1}); // nothing of the second run is left, nor of the folders above it
        QCOMPARE(entriesOf(folder.path()), std::size_t{2});
    }

    void fullDisk()
    {
        if (mount("lookback", m_root.c_str(), "tmpfs", 0, "size=64k") != 0)
            QSKIP("a small file system cannot be mounted here");
        writeFileWhole(m_root / "file", std::string_view("former"));
        const QString sentence = sentenceOf([&] { writeFileWhole(m_root / "file", std::string(200000, 'x')); });
        const std::string kept = readFileWhole(m_root / "file");
        const std::size_t entries = entriesOf(m_root);
        const QString createSentence = [&] {
            std::ofstream(m_root / "filler") << std::string(100000, 'x');
            return sentenceOf([&] { RunFolder::create(m_root, "run", {}); });
        }();
        const std::size_t entriesAfter = entriesOf(m_root);
        umount(m_root.c_str());
        QVERIFY2(sentence.contains(QLatin1String("the disk is full")), qPrintable(sentence));
        QCOMPARE(kept, std::string("former"));
        QCOMPARE(entries, std::size_t{1});
        QVERIFY2(createSentence.contains(QLatin1String("the disk is full")), qPrintable(createSentence));
        QCOMPARE(entriesAfter, std::size_t{2});
    }

    void readingRefusals()
    {
        writeFileWhole(m_root / "file", std::string(2000, 'x'));
        QVERIFY(sentenceOf([&] {
                    readFileWhole(m_root / "file", 1999);
                }).contains(QLatin1String("has 2.0 kB, but such a file has at most 2.0 kB")));
        QCOMPARE(readFileWhole(m_root / "file", 2000).size(), std::size_t{2000});
        QVERIFY(sentenceOf([&] { readFileWhole(m_root / "missing"); }).contains(QLatin1String("does not exist")));
        QVERIFY(sentenceOf([&] { readFileWhole(m_root); }).contains(QLatin1String("is a folder")));
        fs::create_symlink("loop", m_root / "loop");
        QVERIFY(sentenceOf([&] { readFileWhole(m_root / "loop"); }).contains(QLatin1String("circle")));
    }

    void leftoversOfDeadWriters()
    {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        const std::string dead = ".lookback-" + std::to_string(child) + "-0.tmp";
        const std::string alive = ".lookback-" + std::to_string(getpid()) + "-0.tmp";
        for (const std::string &name : {dead, alive, std::string(".lookback-x.tmp"), std::string("mine.tmp")})
            std::ofstream(m_root / name) << "x";
        removeLeftoverFiles(m_root);
        QVERIFY(!fs::exists(m_root / dead));
        QVERIFY(fs::exists(m_root / alive));
        QVERIFY(fs::exists(m_root / "mine.tmp"));
        removeLeftoverFiles(m_root / "missing");
    }

    void sizesInWords()
    {
        QCOMPARE(bytesInWords(0), std::string("0 bytes"));
        QCOMPARE(bytesInWords(1), std::string("1 byte"));
        QCOMPARE(bytesInWords(999), std::string("999 bytes"));
        QCOMPARE(bytesInWords(12'100'000), std::string("12.1 MB"));
        QCOMPARE(bytesInWords(999'960'000), std::string("1.0 GB"));
        QCOMPARE(bytesInWords(~0ULL), std::string("18.4 EB"));
    }
};

QTEST_GUILESS_MAIN(TestFile)
#include "test_file.moc"
