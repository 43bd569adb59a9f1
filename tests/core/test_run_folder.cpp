// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include "core/error.h"
#include "core/run/run_folder.h"
#include "unprivileged.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

RunRecord exampleRecord()
{
    RunRecord record;
    record.config = presetConfig("laptop");
    record.config.seed = 18446744073709551615ULL;
    record.config.evaluation_seed = 9007199254740993ULL; // 2^53 + 1: no double holds it
    record.config.learning_rate = 0.1 + 0.2;
    record.config.curriculum = {};
    record.preset = "laptop";
    record.programVersion = "0.1.0";
    record.libtorchVersion = "2.11.0";
    record.processor = "Prozessor \"№ 5\" \\ 3";
    record.device = "cuda";
    record.threads = 3;
    record.created = "2026-07-31T14:05:09Z";
    record.started = "2026-07-31T14:05:10Z";
    record.ended = "2026-07-31T14:06:00Z";
    record.state = RunState::Failed;
    record.endReason = "The loss became NaN at step 1,240.";
    record.step = 1240;
    return record;
}

void writeText(const fs::path &file, const std::string &text)
{
    std::ofstream(file, std::ios::binary) << text;
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

class TestRunFolder : public QObject {
    Q_OBJECT

    std::unique_ptr<test::Unprivileged> m_user;
    std::unique_ptr<QTemporaryDir> m_directory;
    fs::path m_root;

private Q_SLOTS:
    void init()
    {
        m_user = std::make_unique<test::Unprivileged>();
        m_directory = std::make_unique<QTemporaryDir>();
        m_root = m_directory->path().toStdString();
    }
    void cleanup()
    {
        fs::permissions(m_root, fs::perms::owner_all);
        m_directory.reset();
        m_user.reset();
    }

    void recordRoundTrip()
    {
        const RunRecord record = exampleRecord();
        QVERIFY(recordFromJson(recordToJson(record), "run.json") == record);
        for (const RunState state :
             {RunState::Queued, RunState::Initialising, RunState::Running, RunState::Paused, RunState::Stopping,
              RunState::Stopped, RunState::Finished, RunState::Interrupted, RunState::Failed}) {
            RunRecord other = record;
            other.state = state;
            QVERIFY(recordFromJson(recordToJson(other), "run.json") == other);
        }
    }

    void createAndOpen()
    {
        const RunFolder folder = RunFolder::create(m_root / "runs" / "deep", "rope-seed0", exampleRecord());
        QCOMPARE(folder.name(), std::string("rope-seed0"));
        QVERIFY(RunFolder::open(folder.path()).readRecord() == exampleRecord());
        QVERIFY(RunFolder::open(folder.path().string() + "/").name() == "rope-seed0");
        QVERIFY(folder.checkpoints().empty());
        QVERIFY(folder.readAccuracy().empty());
        QVERIFY(folder.readMetricsLog().records.empty());
        for (const auto &entry : fs::directory_iterator(folder.path()))
            QVERIFY(entry.path().filename() == "run.json" || entry.path().filename() == "checkpoints");
    }

    void equalNamesGetDistinctFolders()
    {
        constexpr int kPrograms = 8;
        std::vector<std::string> names(kPrograms);
        std::vector<std::thread> threads;
        for (std::string &name : names)
            threads.emplace_back([&] { name = RunFolder::create(m_root, "rope", exampleRecord()).name(); });
        for (std::thread &thread : threads)
            thread.join();
        std::sort(names.begin(), names.end());
        QVERIFY(std::unique(names.begin(), names.end()) == names.end());
        QCOMPARE(names.front(), std::string("rope"));
        QCOMPARE(findRuns(m_root).size(), std::size_t{kPrograms});
    }

    void strangePlaces_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("space") << QStringLiteral("my first run");
        QTest::newRow("other script") << QStringLiteral("опыт 実験 🔬");
        QTest::newRow("long") << QString(250, QLatin1Char('x'));
        QTest::newRow("percent") << QStringLiteral("100% %s %n");
        QTest::newRow("quotes") << QStringLiteral("it's \"the\" `best` $HOME \\ run; *?");
        QTest::newRow("line end") << QStringLiteral("two\nlines");
        QTest::newRow("right to left") << QStringLiteral("تجربة ١");
    }
    void strangePlaces()
    {
        QFETCH(QString, name);
        const fs::path parent = m_root / name.toStdString();
        const RunFolder folder = RunFolder::create(parent, name.toStdString(), exampleRecord());
        QCOMPARE(QString::fromStdString(folder.name()), name);
        folder.writeRecord(exampleRecord());
        QVERIFY(RunFolder::open(folder.path()).readRecord() == exampleRecord());
        QCOMPARE(findRuns(parent).size(), std::size_t{1});
    }

    /// A path as long as the system allows works; a longer one is refused, and nothing of it is left.
    void longPaths()
    {
        const fs::path folder = [&] {
            fs::path path = m_root;
            while (path.native().size() < 3800)
                path /= std::string(100, 'x');
            return path;
        }();
        const RunFolder run = RunFolder::create(folder, "run", exampleRecord());
        QVERIFY(RunFolder::open(run.path()).readRecord() == exampleRecord());
        QCOMPARE(findRuns(folder).size(), std::size_t{1});
        const fs::path longer = m_root / "y";
        fs::path tooLong = longer;
        while (tooLong.native().size() < 5000)
            tooLong /= std::string(100, 'x');
        try {
            RunFolder::create(tooLong, "run", exampleRecord());
            QFAIL("a path of 5,000 characters was made");
        } catch (const Error &error) {
            QVERIFY2(error.message().find("too long") != std::string::npos, error.what());
        }
        QVERIFY(!fs::exists(longer));
    }

    void impossibleNames()
    {
        for (const std::string &name : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                        std::string(".trash"), std::string("a\0b", 3)})
            QVERIFY(sentenceOf([&] {
                        RunFolder::create(m_root, name, exampleRecord());
                    }).contains(QLatin1String("name of a run")));
        QVERIFY(sentenceOf([&] {
                    RunFolder::create(m_root, std::string(300, 'x'), exampleRecord());
                }).contains(QLatin1String("too long")));
        QVERIFY(fs::is_empty(m_root));
    }

    void createWhereNothingMayBeWritten()
    {
        writeText(m_root / "file", "x");
        QVERIFY(sentenceOf([&] {
                    RunFolder::create(m_root / "file", "rope", exampleRecord());
                }).contains(QLatin1String("folder cannot be made")));
        // Nobody may write below /proc, not even root.
        QVERIFY(sentenceOf([&] {
                    RunFolder::create("/proc", "rope", exampleRecord());
                }).contains(QLatin1String("folder cannot be made")));
        if (!m_user->isInForce())
            QSKIP("permissions do not bind this user");
        fs::permissions(m_root, fs::perms::owner_read | fs::perms::owner_exec);
        QVERIFY(sentenceOf([&] {
                    RunFolder::create(m_root / "a" / "b", "rope", exampleRecord());
                }).contains(QLatin1String("permission denied")));
    }

    void openFailures_data()
    {
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("words");
        QTest::newRow("empty") << QString() << "empty";
        QTest::newRow("no JSON") << "hello"
                                 << "not valid JSON";
        QTest::newRow("cut") << QString::fromStdString(recordToJson(exampleRecord())).left(300) << "not valid JSON";
        QTest::newRow("list") << "[1, 2]"
                              << "not the record of a run";
        QTest::newRow("other object") << "{\"a\": 1}"
                                      << "not the record of a run";
        QTest::newRow("other kind") << "{\"format\": \"cake\", \"format_version\": 1}"
                                    << "of the kind \"cake\"";
        QTest::newRow("newer") << "{\"format_version\": 7, \"program_version\": \"9.2\", \"config\": {\"new\": []}}"
                               << "in format 7, written by Lookback 9.2; this Lookback (" LOOKBACK_VERSION
                                  ") reads up to format 1";
        QTest::newRow("version zero") << "{\"format_version\": 0}"
                                      << "never existed";
        QTest::newRow("version text") << "{\"format_version\": \"1\"}"
                                      << "\"format_version\" is not a number";
        QTest::newRow("no configuration") << "{\"format_version\": 1}"
                                          << "has no configuration";
        QTest::newRow("unknown state") << "{\"format_version\": 1, \"state\": \"lost\"}"
                                       << "unknown state \"lost\"";
        QTest::newRow("threads") << "{\"format_version\": 1, \"threads\": 0}"
                                 << "0 threads";
        QTest::newRow("unknown setting") << "{\"format_version\": 1, \"config\": {\"windoww\": 3}}"
                                         << "windoww: There is no setting of this name. Did you mean \"window\"?";
        QTest::newRow("wrong value") << "{\"format_version\": 1, \"config\": {\"window\": \"ten\"}}"
                                     << "window:";
        QTest::newRow("twice") << "{\"format_version\": 1, \"format_version\": 1}"
                               << "not valid JSON";
    }
    void openFailures()
    {
        QFETCH(QString, content);
        QFETCH(QString, words);
        fs::create_directory(m_root / "run");
        writeText(m_root / "run" / "run.json", content.toStdString());
        RunFolder::create(m_root, "good", exampleRecord());
        const QString sentence = sentenceOf([&] { RunFolder::open(m_root / "run"); });
        QVERIFY2(sentence.contains(words), qPrintable(sentence));
        QVERIFY2(sentence.contains(QLatin1String("run.json")), qPrintable(sentence));
        QVERIFY(!sentence.contains(QLatin1Char('\n')));

        const auto runs = findRuns(m_root);
        QCOMPARE(runs.size(), std::size_t{2});
        QVERIFY(runs[0].record.has_value());
        QCOMPARE(QString::fromStdString(runs[1].problem), sentence);
        QFile file(QString::fromStdString((m_root / "run" / "run.json").string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), content); // the file was left alone
    }

    void openWhatIsNoRun()
    {
        writeText(m_root / "file", "x");
        fs::create_directories(m_root / "empty");
        QVERIFY(sentenceOf([&] { RunFolder::open(m_root / "missing"); }).contains(QLatin1String("no such folder")));
        QVERIFY(
            sentenceOf([&] { RunFolder::open(m_root / "file"); }).contains(QLatin1String("a file, not the folder")));
        QVERIFY(sentenceOf([&] { RunFolder::open(m_root / "empty"); }).contains(QLatin1String("has no run.json")));
    }

    void strayThingsAreNoRuns()
    {
        RunFolder::create(m_root, "b", exampleRecord());
        RunFolder::create(m_root, "a", exampleRecord());
        writeText(m_root / "notes.txt", "x");
        writeText(m_root / "run.json.bak", "x");
        fs::create_directories(m_root / "folder" / "below");
        fs::create_directories(m_root / ".trash" / "old");
        fs::create_symlink(m_root / "nowhere", m_root / "link");
        fs::create_directories(m_root / "c" / "run.json"); // a folder where a file should be
        fs::create_directories(m_root / "d");
        QVERIFY(mkfifo((m_root / "d" / "run.json").c_str(), 0600) == 0); // must not be waited for
        const auto runs = findRuns(m_root);
        QCOMPARE(runs.size(), std::size_t{4});
        QCOMPARE(runs[0].folder.filename().string(), std::string("a"));
        QCOMPARE(runs[1].folder.filename().string(), std::string("b"));
        QVERIFY(QString::fromStdString(runs[2].problem).contains(QLatin1String("is a folder")));
        QVERIFY(QString::fromStdString(runs[3].problem).contains(QLatin1String("not a regular file")));
        QVERIFY(findRuns(m_root / "missing").empty());
        QCOMPARE(findRuns(m_root / "a").size(), std::size_t{1});
    }

    void unreadableRun()
    {
        if (!m_user->isInForce())
            QSKIP("permissions do not bind this user");
        RunFolder::create(m_root, "good", exampleRecord());
        const RunFolder locked = RunFolder::create(m_root, "locked", exampleRecord());
        fs::permissions(locked.path(), fs::perms::none);
        const auto runs = findRuns(m_root);
        fs::permissions(locked.path(), fs::perms::owner_all);
        QCOMPARE(runs.size(), std::size_t{2});
        QVERIFY(QString::fromStdString(runs[1].problem).contains(QLatin1String("permission denied")));
    }

    void movedAndReadOnlyRunsOpen()
    {
        const RunFolder folder = RunFolder::create(m_root, "rope", exampleRecord());
        QVERIFY(recordToJson(folder.readRecord()).find(m_root.string()) == std::string::npos);
        fs::rename(folder.path(), m_root / "moved");
        fs::permissions(m_root / "moved", fs::perms::owner_read | fs::perms::owner_exec);
        QVERIFY(RunFolder::open(m_root / "moved").readRecord() == exampleRecord());
        if (geteuid() != 0)
            QVERIFY(sentenceOf([&] {
                        RunFolder(m_root / "moved").writeRecord(exampleRecord());
                    }).contains(QLatin1String("permission denied")));
        fs::permissions(m_root / "moved", fs::perms::owner_all);
    }

    void checkpointNames()
    {
        const RunFolder folder = RunFolder::create(m_root, "rope", exampleRecord());
        QCOMPARE(folder.checkpointFile(500).filename().string(), std::string("step-00000500.safetensors"));
        for (const std::int64_t step : {1000, 20, 123456789})
            writeText(folder.checkpointFile(step), "abc");
        for (const char *stray : {"step-1.safetensors", "step-0000012x.safetensors", "step-00000030.safetensors.tmp",
                                  "step--0000001.safetensors", "step-000000040.safetensors", "other"})
            writeText(folder.path() / "checkpoints" / stray, "abc");
        fs::create_directory(folder.checkpointFile(77));
        const auto found = folder.checkpoints();
        QCOMPARE(found.size(), std::size_t{3});
        QVERIFY((found[0] == CheckpointInfo{20, folder.checkpointFile(20), 3}));
        QCOMPARE(found[2].step, std::int64_t{123456789});
    }
};

QTEST_GUILESS_MAIN(TestRunFolder)
#include "test_run_folder.moc"
