// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Every call below the file layer, and every allocation, fails once at each point in turn while a run is saved: the
// state before stays readable, nothing half-written is left, and the same save succeeds when the fault is over.
#include <cerrno>
#include <filesystem>
#include <functional>
#include <new>

#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/run/checkpoint_store.h"
#include "core/run/export.h"
#include "core/run/metrics_writer.h"
#include "tests/core/failing_calls.h"

using namespace lookback;
using namespace lookback::run;
using lookback::testing::CallFaults;
using lookback::testing::FailingCalls;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBefore = 10;
constexpr std::int64_t kAfter = 20;

RunConfig config()
{
    RunConfig config;
    config.steps = 100;
    config.checkpoint_every = 10;
    config.evaluate_every = 20;
    return config;
}

Checkpoint checkpointOf(std::int64_t step)
{
    Checkpoint checkpoint;
    checkpoint.config = config();
    checkpoint.step = step;
    for (const char *name : {"E.weight", "out.weight"}) {
        const StoredTensor tensor{
            .name = name, .dtype = "F32", .shape = {2048}, .bytes = std::vector<std::byte>(8192, std::byte(step))};
        checkpoint.weights.push_back(tensor);
        checkpoint.moments.push_back(tensor);
        checkpoint.moments.back().name = std::string("optimizer.exp_avg.") + name;
    }
    return checkpoint;
}

RunRecord recordAt(std::int64_t step)
{
    RunRecord record;
    record.config = config();
    record.state = RunState::Running;
    record.step = step;
    return record;
}

eval::AccuracyCurve curveAt(std::int64_t step)
{
    eval::AccuracyCurve curve;
    curve.variant = config().variant;
    curve.step = step;
    eval::AccuracyPoint point;
    point.n_keys = 8;
    point.contextTokens = 112;
    point.sequences = 4;
    point.answers = 32;
    point.exact = step;
    point.digitsRight = step;
    point.accuracy = static_cast<double>(step) / 32.0;
    curve.points = {point};
    return curve;
}

MetricsRecord lineAt(std::int64_t step)
{
    MetricsRecord record;
    record.step = step;
    record.n_keys = 2;
    record.loss = 1.0 / static_cast<double>(step);
    return record;
}

/// What a training does at a step where everything is due.
void saveAll(const RunFolder &folder)
{
    MetricsWriter log(folder.metricsFile());
    for (std::int64_t step = kBefore + 1; step <= kAfter; ++step)
        log.append(lineAt(step));
    if (!log.flush())
        throw Error(folder.metricsFile().string(), log.reason() + ".", "Free some space.");
    CheckpointStore store(folder);
    std::vector<std::string> notes;
    store.save(checkpointOf(kAfter), CheckpointPurpose::Evaluation, &notes);
    if (!notes.empty())
        throw Error(folder.name(), notes.front(), "Try again.");
    folder.writeAccuracy(curveAt(kAfter));
    folder.writeRecord(recordAt(kAfter));
}

std::vector<std::string> filesIn(const fs::path &folder)
{
    std::vector<std::string> files;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        files.push_back(fs::relative(entry.path(), folder).string());
    std::ranges::sort(files);
    return files;
}

std::string sentence; // of the last refusal; room for it is there before memory gets short

/// True if `act` ended as it should; false if it refused with a sentence or for want of memory.
bool succeeds(const std::function<void()> &act)
{
    sentence.reserve(2000);
    sentence.clear();
    try {
        act();
        return true;
    } catch (const Error &error) {
        sentence = error.sentence();
        return false;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

/// Does `act` with each of its calls (or allocations) failing in turn, until one attempt meets no fault any more.
/// `prepare` comes before, `check` after each attempt and is told whether the act succeeded.
void withEachFault(FailingCalls kind, int systemError, const std::function<void()> &prepare,
                   const std::function<void()> &act, const std::function<void(bool)> &check)
{
    for (std::int64_t at = 0;; ++at) {
        prepare();
        bool hasSucceeded = false;
        std::int64_t calls = 0;
        {
            const CallFaults faults(kind, at, systemError);
            hasSucceeded = succeeds(act);
            calls = faults.count();
        }
        check(hasSucceeded);
        if (systemError == EDQUOT && !sentence.empty()) { // whose limit it is, and what helps
            QVERIFY2(sentence.find("the disk quota is used up") != std::string::npos, sentence.c_str());
            QVERIFY2(sentence.find("full") == std::string::npos && sentence.ends_with('.'), sentence.c_str());
        }
        if (QTest::currentTestFailed()) {
            qWarning("fault number %lld of kind %d", static_cast<long long>(at), static_cast<int>(kind));
            return;
        }
        if (at >= calls) {
            QVERIFY(hasSucceeded);
            QVERIFY(calls > 0); // the faults were really met
            return;
        }
    }
}

void addKinds()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("systemError");
    QTest::newRow("disk full, once") << int(FailingCalls::Once) << ENOSPC;
    QTest::newRow("disk full, from then on") << int(FailingCalls::Onwards) << ENOSPC;
    QTest::newRow("half a write") << int(FailingCalls::HalfWrite) << ENOSPC;
    QTest::newRow("quota, once") << int(FailingCalls::Once) << EDQUOT;
    QTest::newRow("quota, from then on") << int(FailingCalls::Onwards) << EDQUOT;
    QTest::newRow("quota, half a write") << int(FailingCalls::HalfWrite) << EDQUOT;
    QTest::newRow("medium") << int(FailingCalls::Once) << EIO;
    QTest::newRow("read-only from then on") << int(FailingCalls::Onwards) << EROFS;
    QTest::newRow("no memory") << int(FailingCalls::Allocation) << 0;
}

} // namespace

class TestWriteFaults : public QObject {
    Q_OBJECT

    QTemporaryDir m_temporary;
    int m_count = 0;

    fs::path root() const { return m_temporary.path().toStdString(); }
    fs::path fresh() { return root() / std::to_string(++m_count); }

    /// A run that was saved at kBefore.
    RunFolder savedRun(const std::string &name)
    {
        RunFolder folder = RunFolder::create(root(), name, recordAt(kBefore));
        MetricsWriter log(folder.metricsFile());
        for (std::int64_t step = 1; step <= kBefore; ++step)
            log.append(lineAt(step));
        CheckpointStore store(folder);
        for (const std::int64_t step : {std::int64_t{4}, std::int64_t{8}, kBefore})
            store.save(checkpointOf(step), step == kBefore ? CheckpointPurpose::Progress : CheckpointPurpose::Early);
        folder.writeAccuracy(curveAt(4));
        return folder;
    }

private Q_SLOTS:
    void savingARun_data() { addKinds(); }
    void savingARun()
    {
        QFETCH(int, kind);
        QFETCH(int, systemError);
        const RunFolder model = savedRun("model-" + std::to_string(m_count++));
        const RunFolder whole(fresh());
        fs::copy(model.path(), whole.path(), fs::copy_options::recursive);
        saveAll(whole);
        const std::vector<std::string> wholeFiles = filesIn(whole.path());

        std::optional<RunFolder> folder;
        withEachFault(
            FailingCalls(kind), systemError,
            [&] {
                folder.emplace(fresh());
                fs::copy(model.path(), folder->path(), fs::copy_options::recursive);
            },
            [&] { saveAll(*folder); },
            [&](bool hasSucceeded) {
                const RunRecord record = folder->readRecord();
                QVERIFY(record.step == kBefore || record.step == kAfter);
                const Checkpoint newest = newestCheckpoint(*folder).value();
                QVERIFY(newest.step == kBefore || newest.step == kAfter);
                QVERIFY(newest.weights.at(1).bytes == checkpointOf(newest.step).weights.at(1).bytes);
                for (const CheckpointInfo &info : folder->checkpoints())
                    QCOMPARE(checkpointAt(*folder, info.step).step, info.step);
                const MetricsLog log = folder->readMetricsLog();
                QVERIFY(log.records.size() >= std::size_t(newest.step));
                for (std::size_t i = 0; i < log.records.size(); ++i)
                    QVERIFY(log.records[i] == lineAt(std::int64_t(i) + 1));
                QVERIFY(folder->readAccuracy().front() == curveAt(4));
                for (const std::string &file : filesIn(folder->path()))
                    QVERIFY2(!file.ends_with(".tmp"), file.c_str());
                if (hasSucceeded)
                    QCOMPARE(newest.step, kAfter);
                // The fault is over: cut back to the newest checkpoint and do it once more.
                cutMetrics(folder->metricsFile(), kBefore);
                saveAll(*folder);
                QCOMPARE(folder->readRecord(), recordAt(kAfter));
                QVERIFY(folder->readAccuracy() == whole.readAccuracy());
                QVERIFY(folder->readMetricsLog().records == whole.readMetricsLog().records);
                QCOMPARE(newestCheckpoint(*folder)->step, kAfter);
                QCOMPARE(filesIn(folder->path()), wholeFiles);
            });
    }

    void makingARun_data() { addKinds(); }
    void makingARun()
    {
        QFETCH(int, kind);
        QFETCH(int, systemError);
        fs::path parent;
        withEachFault(
            FailingCalls(kind), systemError, [&] { parent = fresh(); },
            [&] { RunFolder::create(parent / "deep" / "er", "run", recordAt(0)); },
            [&](bool hasSucceeded) {
                QCOMPARE(fs::exists(parent), hasSucceeded); // all of it or nothing
                if (hasSucceeded)
                    QCOMPARE(RunFolder::open(parent / "deep" / "er" / "run").readRecord(), recordAt(0));
            });
    }

    void cuttingTheLog_data() { addKinds(); }
    void cuttingTheLog()
    {
        QFETCH(int, kind);
        QFETCH(int, systemError);
        const RunFolder folder = savedRun("cut-" + std::to_string(m_count++));
        std::string text = readFileWhole(folder.metricsFile()) + "{\"step\": 11, \"n_ke";
        withEachFault(
            FailingCalls(kind), systemError, [&] { writeFileWhole(folder.metricsFile(), text); },
            [&] { cutMetrics(folder.metricsFile(), 7); },
            [&](bool hasSucceeded) {
                QCOMPARE(folder.readMetricsLog().records.size(), std::size_t(hasSucceeded ? 7 : 10));
            });
    }

    void exportingARun_data()
    {
        QTest::addColumn<int>("format");
        QTest::newRow("csv") << int(ExportFormat::Csv);
        QTest::newRow("npy") << int(ExportFormat::Npy);
        QTest::newRow("tensorboard") << int(ExportFormat::TensorBoard);
        QTest::newRow("run") << int(ExportFormat::Run);
        QTest::newRow("kvbench") << int(ExportFormat::Kvbench); // whole or not there at all
    }
    void exportingARun()
    {
        QFETCH(int, format);
        const RunFolder folder = savedRun("export-" + std::to_string(m_count++));
        RunRecord finished = folder.readRecord();
        finished.state = RunState::Finished;
        finished.config.steps = kBefore;
        folder.writeRecord(finished);
        const fs::path whole = fresh();
        exportRun(folder, ExportFormat(format), whole);
        for (const FailingCalls kind : {FailingCalls::Once, FailingCalls::HalfWrite, FailingCalls::Allocation}) {
            fs::path target;
            withEachFault(
                kind, ENOSPC, [&] { target = fresh(); }, [&] { exportRun(folder, ExportFormat(format), target); },
                [&](bool hasSucceeded) {
                    if (hasSucceeded)
                        QCOMPARE(filesIn(target).size(), filesIn(whole).size());
                    else if (fs::exists(target)) {
                        for (const std::string &file : filesIn(target)) // what is there is whole
                            QVERIFY2(!file.ends_with(".tmp") && !file.starts_with('.'), file.c_str());
                        if (ExportFormat(format) == ExportFormat::Kvbench)
                            QCOMPARE(filesIn(target), std::vector<std::string>());
                    }
                });
        }
    }
};

QTEST_GUILESS_MAIN(TestWriteFaults)
#include "test_write_faults.moc"
