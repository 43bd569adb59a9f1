// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/run/checkpoint_store.h"
#include "core/run/export.h"
#include "core/run/file.h"
#include "core/run/finished_run.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSteps = 40;

RunConfig config()
{
    RunConfig config;
    config.steps = kSteps;
    return config;
}

Checkpoint checkpointOf(std::int64_t step)
{
    Checkpoint checkpoint;
    checkpoint.config = config();
    checkpoint.step = step;
    checkpoint.elapsedSeconds = 12.5;
    const StoredTensor weight{
        .name = "E.weight", .dtype = "F32", .shape = {2048}, .bytes = std::vector<std::byte>(8192, std::byte(step))};
    checkpoint.weights.push_back(weight);
    checkpoint.moments.push_back(weight);
    checkpoint.moments.back().name = "optimizer.exp_avg.E.weight";
    return checkpoint;
}

} // namespace

class TestFinishedRun : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_directory;

    fs::path root() const { return fs::path(m_directory.path().toStdString()); }

    RunFolder runIn(RunState state, const std::string &name = "rope-seed0") const
    {
        RunRecord record;
        record.config = config();
        record.state = state;
        record.step = kSteps;
        const RunFolder folder = RunFolder::create(root() / "runs", name, record);
        writeFileWhole(folder.metricsFile(), "{\"step\": 1, \"n_keys\": 2, \"loss\": 2.5}\n");
        CheckpointStore store(folder);
        for (const std::int64_t step : {std::int64_t{1}, std::int64_t{8}, kSteps})
            store.save(checkpointOf(step), step == kSteps ? CheckpointPurpose::Final : CheckpointPurpose::Early);
        for (const std::int64_t step : {std::int64_t{8}, kSteps}) {
            eval::AccuracyCurve curve;
            curve.variant = record.config.variant;
            curve.step = step;
            folder.writeAccuracy(curve);
        }
        return folder;
    }

private Q_SLOTS:
    void keepsAllButOlderCheckpointsAndMoments()
    {
        const RunFolder folder = runIn(RunState::Finished);
        const fs::path target = root() / "not" / "there yet";
        const RunFolder copy = RunFolder::open(copyFinishedRun(folder, target));
        QCOMPARE(copy.path(), target / "rope-seed0");
        QCOMPARE(copy.readRecord(), folder.readRecord());
        QCOMPARE(readFileWhole(copy.metricsFile()), readFileWhole(folder.metricsFile()));
        QVERIFY(copy.readAccuracy() == folder.readAccuracy());
        QCOMPARE(copy.checkpoints().size(), std::size_t{1});
        std::vector<std::string> notes;
        const Checkpoint last = newestCheckpoint(copy, CheckpointParts::All, &notes).value();
        QVERIFY(notes.empty());
        QCOMPARE(last.step, kSteps);
        QCOMPARE(last.elapsedSeconds, 12.5);
        QVERIFY(last.moments.empty());
        QCOMPARE(last.weights.size(), std::size_t{1});
        QCOMPARE(last.weights.front().bytes, checkpointOf(kSteps).weights.front().bytes);
        QVERIFY(copy.checkpoints().front().bytes < folder.checkpoints().back().bytes * 2 / 3);
        QCOMPARE(std::distance(fs::directory_iterator(target), fs::directory_iterator()), 1);
    }

    void earlierCheckpointsAreKeptOnRequest()
    {
        const RunFolder folder = runIn(RunState::Finished, "early");
        const RunFolder copy = RunFolder::open(copyFinishedRun(folder, root() / "early", {1, 8}));
        std::vector<std::int64_t> steps;
        for (const CheckpointInfo &info : copy.checkpoints()) {
            steps.push_back(info.step);
            QVERIFY(checkpointAt(copy, info.step).moments.empty());
            QCOMPARE(checkpointAt(copy, info.step).weights.front().bytes,
                     checkpointOf(info.step).weights.front().bytes);
        }
        QCOMPARE(steps, (std::vector<std::int64_t>{1, 8, kSteps}));
        QVERIFY_THROWS_EXCEPTION(Error, copyFinishedRun(folder, root() / "none", {2}));
        QVERIFY(!fs::exists(root() / "none"));
    }

    void aTakenNameIsLeftAlone()
    {
        const RunFolder folder = runIn(RunState::Finished, "hybrid-seed0");
        const fs::path target = root() / "taken";
        QCOMPARE(copyFinishedRun(folder, target), target / "hybrid-seed0");
        QCOMPARE(copyFinishedRun(folder, target), target / "hybrid-seed0-2");
        QCOMPARE(exportRun(folder, ExportFormat::Run, target), std::vector<fs::path>{target / "hybrid-seed0-3"});
    }

    void runsThatHaveNotFinishedAreRefused()
    {
        for (const RunState state : {RunState::Queued, RunState::Running, RunState::Stopped, RunState::Failed}) {
            const RunFolder folder = runIn(state, "unfinished");
            const fs::path target = root() / "unfinished";
            QVERIFY_THROWS_EXCEPTION(Error, copyFinishedRun(folder, target));
            QVERIFY(!fs::exists(target));
        }
    }

    void aMissingLastCheckpointIsSaid()
    {
        const RunFolder folder = runIn(RunState::Finished, "lost");
        fs::remove(folder.checkpointFile(kSteps));
        QVERIFY_THROWS_EXCEPTION(Error, copyFinishedRun(folder, root() / "lost"));
        QVERIFY(!fs::exists(root() / "lost"));
    }
};

QTEST_GUILESS_MAIN(TestFinishedRun)
#include "test_finished_run.moc"
