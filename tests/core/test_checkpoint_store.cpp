// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/newer_format.h"
#include "core/run/checkpoint_store.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

Checkpoint checkpointOf(const RunConfig &config, std::int64_t step)
{
    Checkpoint checkpoint;
    checkpoint.config = config;
    checkpoint.step = step;
    checkpoint.weights.push_back(
        {.name = "E.weight", .dtype = "F32", .shape = {2}, .bytes = std::vector<std::byte>(8, std::byte(step))});
    return checkpoint;
}

std::vector<std::int64_t> stepsOf(const RunFolder &folder)
{
    std::vector<std::int64_t> steps;
    for (const CheckpointInfo &info : folder.checkpoints())
        steps.push_back(info.step);
    return steps;
}

std::vector<std::int64_t> stepsOf(const std::vector<ManifestEntry> &entries)
{
    std::vector<std::int64_t> steps;
    for (const ManifestEntry &entry : entries)
        steps.push_back(entry.step);
    return steps;
}

/// Saves every checkpoint that is due up to `last`.
void trainTo(CheckpointStore &store, const RunConfig &config, std::int64_t last)
{
    for (std::int64_t step = 0; step <= last; ++step) {
        if (isCheckpointDue(config, step))
            store.save(checkpointOf(config, step), purposeOf(config, step));
    }
}

} // namespace

class TestCheckpointStore : public QObject {
    Q_OBJECT

    QTemporaryDir m_temporary;
    int m_count = 0;

    RunFolder newRun(const RunConfig &config)
    {
        RunRecord record;
        record.config = config;
        return RunFolder::create(m_temporary.path().toStdString(), "run" + std::to_string(++m_count), record);
    }

private Q_SLOTS:
    void planIsWhatARunKeeps_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("evaluate");
        for (const int steps : {1, 2, 3, 20, 512, 513, 1000, 1400})
            for (const int every : {0, 1, 7, 100, 250, 5000})
                for (const int evaluate : {0, 50, 300})
                    QTest::addRow("%d steps, every %d, evaluated every %d", steps, every, evaluate)
                        << steps << every << evaluate;
    }
    void planIsWhatARunKeeps()
    {
        QFETCH(int, steps);
        QFETCH(int, every);
        QFETCH(int, evaluate);
        RunConfig config;
        config.steps = steps;
        config.checkpoint_every = every;
        config.evaluate_every = evaluate;
        // By the rule itself: of those for progress the newest two of all stay.
        std::vector<std::int64_t> kept;
        for (std::int64_t step = 0; step <= steps; ++step) {
            if (!isCheckpointDue(config, step))
                continue;
            kept.push_back(step);
            for (std::size_t i = 0; i + 2 < kept.size();) {
                if (purposeOf(config, kept[i]) == CheckpointPurpose::Progress)
                    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
                else
                    ++i;
            }
        }
        QCOMPARE(checkpointPlan(config).count, static_cast<std::int64_t>(kept.size()));
        if (kept.size() > 8 && !(steps == 1000 && every == 250 && evaluate == 300))
            return; // every file is flushed to the disk; a few dozen say enough
        const RunFolder folder = newRun(config);
        CheckpointStore store(folder);
        trainTo(store, config, steps);
        QCOMPARE(stepsOf(folder), kept);
        QCOMPARE(stepsOf(store.entries()), kept);
    }

    void paperRunKeepsTheEarlySeries()
    {
        const RunConfig config;
        QCOMPARE(checkpointPlan(config).count, 13); // 0, 1, 2 ... 512, 14,000, 15,000
        QVERIFY(checkpointPlan(config).bytesEach > 24e6 && checkpointPlan(config).bytesEach < 26e6);
    }

    void whatWasAskedForOrEvaluatedStays()
    {
        RunConfig config;
        config.steps = 10000;
        config.checkpoint_every = 600;
        const RunFolder folder = newRun(config);
        CheckpointStore store(folder);
        store.save(checkpointOf(config, 600), CheckpointPurpose::Asked);
        store.save(checkpointOf(config, 1200), CheckpointPurpose::Progress);
        eval::AccuracyCurve curve;
        curve.variant = config.variant;
        curve.step = 1200;
        folder.writeAccuracy(curve);
        for (const std::int64_t step : {1800, 2400, 3000})
            store.save(checkpointOf(config, step), CheckpointPurpose::Progress);
        QCOMPARE(stepsOf(folder), (std::vector<std::int64_t>{600, 1200, 2400, 3000}));
    }

    void aSecondLifeGoesOnWithTheList()
    {
        RunConfig config;
        config.steps = 10000;
        config.checkpoint_every = 600;
        const RunFolder folder = newRun(config);
        {
            CheckpointStore store(folder);
            trainTo(store, config, 1300);
        }
        CheckpointStore store(folder);
        store.save(checkpointOf(config, 1800), CheckpointPurpose::Progress);
        QCOMPARE(stepsOf(folder).size(), std::size_t{13}); // 0 ... 512, 1,200, 1,800
        QCOMPARE(newestCheckpoint(folder)->step, 1800);
    }

    void anUnknownFileIsNeverRemoved()
    {
        RunConfig config;
        const RunFolder folder = newRun(config);
        for (const std::int64_t step : {700, 800, 900})
            writeCheckpoint(folder.checkpointFile(step), checkpointOf(config, step));
        CheckpointStore store(folder);
        for (const std::int64_t step : {1000, 1100, 1200})
            store.save(checkpointOf(config, step), CheckpointPurpose::Progress);
        QCOMPARE(stepsOf(folder), (std::vector<std::int64_t>{700, 800, 900, 1100, 1200}));
    }

    void aDamagedListIsToldAndWrittenAnew_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("half") << QByteArray("{\"format\": \"lookback-checkpoints\", \"format_ver");
        QTest::newRow("other kind") << QByteArray(R"({"format": "else", "format_version": 1, "checkpoints": []})");
        QTest::newRow("no steps") << QByteArray(
            R"({"format": "lookback-checkpoints", "format_version": 1, "checkpoints": [{"bytes": 3}]})");
    }
    void aDamagedListIsToldAndWrittenAnew()
    {
        QFETCH(QByteArray, text);
        RunConfig config;
        const RunFolder folder = newRun(config);
        const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
        {
            CheckpointStore store(folder);
            store.save(checkpointOf(config, 600), CheckpointPurpose::Progress);
        }
        writeFileWhole(list, text.toStdString());
        QCOMPARE(newestCheckpoint(folder)->step, 600); // the file speaks for itself
        std::vector<std::string> notes;
        CheckpointStore store(folder, &notes);
        QCOMPARE(notes.size(), std::size_t{1});
        store.save(checkpointOf(config, 700), CheckpointPurpose::Progress);
        QCOMPARE(stepsOf(manifestFromJson(readFileWhole(list), "list")), std::vector<std::int64_t>{700});
        QCOMPARE(stepsOf(folder), (std::vector<std::int64_t>{600, 700}));
    }

    void aNewerListIsRefusedAndLeftAlone()
    {
        const RunFolder folder = newRun(RunConfig());
        const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
        const std::string text = R"({"format": "lookback-checkpoints", "format_version": 9, "kept": [1]})";
        writeFileWhole(list, text);
        std::vector<std::string> notes;
        QVERIFY_THROWS_EXCEPTION(NewerFormat, CheckpointStore(folder, &notes));
        QCOMPARE(readFileWhole(list), text);
    }

    void listReadsBack()
    {
        const std::vector<ManifestEntry> entries{
            {0, 10, "crc32:00000000", CheckpointPurpose::Early},
            {5, std::uint64_t{1} << 40U, "crc32:12345678", CheckpointPurpose::Asked},
            {9, 7, "crc32:ffffffff", CheckpointPurpose::Final}};
        QVERIFY(manifestFromJson(manifestToJson(entries), "list") == entries);
    }

    /// Another file under a checkpoint's name, whole in itself, is not the one that was saved.
    void anExchangedFileIsPassedOver()
    {
        RunConfig config;
        const RunFolder folder = newRun(config);
        CheckpointStore store(folder);
        store.save(checkpointOf(config, 600), CheckpointPurpose::Progress);
        store.save(checkpointOf(config, 700), CheckpointPurpose::Progress);
        Checkpoint other = checkpointOf(config, 700);
        other.weights[0].bytes[0] = std::byte{77};
        writeCheckpoint(folder.checkpointFile(700), other);
        std::vector<std::string> notes;
        QCOMPARE(newestCheckpoint(folder, CheckpointParts::All, &notes)->step, 600);
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY_THROWS_EXCEPTION(Error, checkpointAt(folder, 700));
    }

    /// A run that went back writes a step again; killed between file and list it still has that file.
    void writingAStepAgainNeverContradictsTheList()
    {
        RunConfig config;
        const RunFolder folder = newRun(config);
        CheckpointStore store(folder);
        store.save(checkpointOf(config, 600), CheckpointPurpose::Progress);
        const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
        // A folder in the way of the list: the first thing that a second save of the step must write.
        fs::remove(list);
        fs::create_directories(list / "in the way");
        QVERIFY_THROWS_EXCEPTION(Error, store.save(checkpointOf(config, 600), CheckpointPurpose::Progress));
        QCOMPARE(newestCheckpoint(folder)->step, 600);
    }

    void oldOnesStayUntilTheNewOneWasReadBack()
    {
        RunConfig config;
        const RunFolder folder = newRun(config);
        CheckpointStore store(folder);
        for (const std::int64_t step : {600, 700})
            store.save(checkpointOf(config, step), CheckpointPurpose::Progress);
        const fs::path list = folder.checkpointFile(0).parent_path() / "manifest.json";
        fs::remove(list);
        fs::create_directories(list / "in the way"); // nothing can be recorded
        std::vector<std::string> notes;
        store.save(checkpointOf(config, 800), CheckpointPurpose::Progress, &notes);
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(stepsOf(folder), (std::vector<std::int64_t>{600, 700, 800}));
    }
};

QTEST_GUILESS_MAIN(TestCheckpointStore)
#include "test_checkpoint_store.moc"
