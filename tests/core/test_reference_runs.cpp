// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/run/record_stamp.h"
#include "core/run/reference_runs.h"
#include "core/run/run_folder.h"
#include "core/run/run_scan.h"
#include "tests/core/unprivileged.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

class TestReferenceRuns : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_directory;

    fs::path root(const char *name) const { return fs::path(m_directory.path().toStdString()) / name; }

    /// A folder with two runs and something else.
    static fs::path sourceAt(const fs::path &from)
    {
        for (const char *run : {"rope-seed0", "hybrid-seed0"}) {
            RunRecord record = newRunRecord(presetConfig("tiny"), "tiny", "cpu", 1);
            record.state = RunState::Finished;
            RunFolder::create(from, run, record);
        }
        std::ofstream(from / "README.md") << "no run";
        fs::create_directories(from / "empty");
        return from;
    }

    static std::size_t entriesIn(const fs::path &folder)
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

private Q_SLOTS:
    void runsAreCopiedOnce()
    {
        const fs::path from = sourceAt(root("from"));
        const fs::path to = root("not") / "there yet";
        QCOMPARE(copyRuns(from, to), (std::vector<fs::path>{to / "hybrid-seed0", to / "rope-seed0"}));
        QCOMPARE(entriesIn(to), std::size_t{2});
        const auto runs = scanRuns(to);
        QCOMPARE(runs.size(), std::size_t{2});
        for (const RunSnapshot &run : runs) {
            QVERIFY(run.isReadable);
            QCOMPARE(run.state, RunState::Finished);
        }
        QVERIFY(copyRuns(from, to).empty());
    }

    void ownRunsStay()
    {
        const fs::path from = sourceAt(root("from-own"));
        const fs::path to = root("own");
        fs::create_directories(to / "rope-seed0");
        std::ofstream(to / "rope-seed0" / "notes.txt") << "mine";
        QCOMPARE(copyRuns(from, to), std::vector<fs::path>{to / "hybrid-seed0"});
        QCOMPARE(entriesIn(to / "rope-seed0"), std::size_t{1});
    }

    void nothingHalfIsLeft()
    {
        const test::Unprivileged user;
        if (!user.isInForce())
            QSKIP("This process reads every file.");
        const QTemporaryDir directory;
        const fs::path home(directory.path().toStdString());
        const fs::path from = sourceAt(home / "from");
        const fs::path to = home / "to";
        fs::create_directories(to);
        fs::permissions(from / "rope-seed0" / "run.json", fs::perms::none);
        QVERIFY_THROWS_EXCEPTION(Error, copyRuns(from, to));
        QCOMPARE(entriesIn(to), std::size_t{1}); // the other one, whole
        QVERIFY(fs::exists(to / "hybrid-seed0" / "run.json"));
        QVERIFY_THROWS_EXCEPTION(Error, copyRuns(home / "nowhere", to));
        fs::permissions(from / "rope-seed0" / "run.json", fs::perms::owner_all);
    }
};

QTEST_GUILESS_MAIN(TestReferenceRuns)
#include "test_reference_runs.moc"
