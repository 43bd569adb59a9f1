// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Kills training at random moments, saving included, and goes on: nothing beyond the last checkpoint is lost, and the
// end is that of a run that nothing happened to, bit for bit. LOOKBACK_SOAK=N sets the number of kills (make soak).
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdlib>

#include "core/rng.h"
#include "core/run/checkpoint_store.h"
#include "core/run/run_folder.h"
#include "tests/patience.h"
#include "tests/smoke/cli_program.h"
#include "tests/smoke/cli_runs.h"

using namespace lookback;
using namespace lookback::run;

namespace {

int killCount()
{
    bool isNumber = false;
    const int count = qEnvironmentVariableIntValue("LOOKBACK_SOAK", &isNumber);
    return isNumber && count > 0 ? count : 20;
}

QStringList settings(const QString &variant, int threads)
{
    return {QStringLiteral("train"),
            QStringLiteral("--variant"),
            variant,
            QStringLiteral("--preset"),
            QStringLiteral("tiny"),
            QStringLiteral("--steps"),
            QStringLiteral("600"),
            QStringLiteral("--threads"),
            QString::number(threads),
            QStringLiteral("--quiet"),
            QStringLiteral("--set"),
            QStringLiteral("d_model=16"),
            QStringLiteral("ffn_hidden=16"),
            QStringLiteral("pairs=2"),
            QStringLiteral("batch=4"),
            QStringLiteral("warmup_steps=20"),
            QStringLiteral("log_every=1"),
            QStringLiteral("checkpoint_every=5"), // it is saving most of the time
            QStringLiteral("evaluation_n=2,4"),
            QStringLiteral("evaluation_sequences=4"),
            QStringLiteral("curriculum=2:60")};
}

/// All that must not depend on interruptions.
struct Outcome {
    std::vector<std::vector<std::byte>> tensors;
    std::vector<MetricsRecord> log; ///< Without times.
    std::vector<eval::AccuracyPoint> points;
    bool operator==(const Outcome &) const = default;
};

Outcome outcomeOf(const RunFolder &folder)
{
    Outcome outcome;
    const Checkpoint last = checkpointAt(folder, -1);
    for (const auto *tensors : {&last.weights, &last.moments}) {
        for (const StoredTensor &tensor : *tensors)
            outcome.tensors.push_back(tensor.bytes);
    }
    outcome.log = folder.readMetricsLog().records;
    for (MetricsRecord &record : outcome.log) {
        record.tokensPerSecond.reset();
        record.elapsedSeconds.reset();
    }
    outcome.points = folder.readAccuracy().at(0).points;
    return outcome;
}

/// What must hold on disk after a kill at any moment.
void verifyIsWhole(const RunFolder &folder, std::int64_t recordedStep)
{
    std::vector<std::string> notes;
    const auto newest = newestCheckpoint(folder, CheckpointParts::All, &notes);
    QVERIFY2(notes.empty(), notes.empty() ? "" : notes.front().c_str());
    QVERIFY(newest || recordedStep < 0);
    if (newest) {
        QVERIFY(newest->step >= recordedStep);
        const std::vector<MetricsRecord> log = folder.readMetricsLog().records;
        QVERIFY(newest->step == 0 || (!log.empty() && log.back().step >= newest->step)); // the log never lags behind
    }
    QVERIFY(folder.readRecord().config.steps == 600);
}

std::int64_t newestRecorded(const RunFolder &folder)
{
    const CheckpointStore store(folder);
    return store.entries().empty() ? -1 : store.entries().back().step;
}

} // namespace

class TestSoak : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void killedAnywhereAndContinued_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<int>("threads");
        QTest::newRow("softmax, one thread") << "hybrid_square" << 1;
        QTest::newRow("delta attention, two threads") << "hybrid_square_kda" << 2;
    }
    void killedAnywhereAndContinued()
    {
        QFETCH(QString, variant);
        QFETCH(int, threads);
        try {
            killAndContinue(variant, threads);
        } catch (const std::exception &error) { // what a reader refuses is a finding, not the end of the test program
            QFAIL(error.what());
        }
    }

private:
    static void killAndContinue(const QString &variant, int threads)
    {
        QTemporaryDir temporary;
        const CliProgram program(temporary.path());
        const QString name = variant + QStringLiteral("-seed0");
        QCOMPARE(program.run(settings(variant, threads) << QStringLiteral("--out") << QStringLiteral("whole")).code, 0);
        const RunFolder whole(temporary.filePath(QStringLiteral("whole/%1").arg(name)).toStdString());
        const Outcome expected = outcomeOf(whole);
        const auto elapsed = static_cast<qint64>(expected.log.size());
        QCOMPARE(elapsed, 600);

        const RunFolder folder(temporary.filePath(QStringLiteral("killed/%1").arg(name)).toStdString());
        Philox moments(qEnvironmentVariableIntValue("LOOKBACK_SOAK_SEED"), 0);
        int kills = 0;
        std::int64_t furthest = 0;
        for (int life = 0; kills < killCount() / 2; ++life) {
            QProcess process;
            const bool isBegun = std::filesystem::exists(folder.path() / "run.json");
            program.start(process,
                          isBegun ? QStringList{QStringLiteral("resume"), QString::fromStdString(folder.path()),
                                                QStringLiteral("--quiet")}
                                  : settings(variant, threads) << QStringLiteral("--out") << QStringLiteral("killed"));
            const std::int64_t recorded = isBegun ? newestRecorded(folder) : -1;
            // Wait until it works, then for a random while.
            const auto isAtWork = [&] {
                const auto log = std::filesystem::exists(folder.path()) ? folder.readMetricsLog().records
                                                                        : std::vector<MetricsRecord>{};
                return process.state() == QProcess::NotRunning || (!log.empty() && log.back().step > recorded);
            };
            if (life % 4 != 0)
                QVERIFY(QTest::qWaitFor(isAtWork, lookback::testing::kLongPatience));
            QElapsedTimer timer;
            timer.start();
            const double wait = moments.uniform() * (life % 4 == 0 ? 600.0 : 250.0); // ms; each fourth while it starts
            while (timer.nsecsElapsed() < static_cast<qint64>(wait * 1e6) && process.state() != QProcess::NotRunning)
                process.waitForFinished(1);
            if (process.state() == QProcess::NotRunning) {
                QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
                QVERIFY(outcomeOf(folder) == expected); // it came to its end: once more from the start
                std::filesystem::remove_all(folder.path());
                continue;
            }
            ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            process.waitForFinished();
            ++kills;
            if (!std::filesystem::exists(folder.path() / "run.json"))
                continue;
            verifyIsWhole(folder, std::max(recorded, newestRecorded(folder)));
            if (QTest::currentTestFailed())
                return;
            furthest = std::max(furthest, newestRecorded(folder));
        }
        qInfo("%d kills, furthest checkpoint %lld", kills, static_cast<long long>(furthest));
        const CliOutcome last = std::filesystem::exists(folder.path() / "run.json")
            ? program.run({QStringLiteral("resume"), QString::fromStdString(folder.path()), QStringLiteral("--quiet")})
            : program.run(settings(variant, threads) << QStringLiteral("--out") << QStringLiteral("killed"));
        QVERIFY2(last.code == 0, last.err.constData());
        QVERIFY(outcomeOf(folder) == expected);
        for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path()))
            QVERIFY2(entry.path().extension() != ".tmp", entry.path().c_str()); // what kills left is cleared away
    }
};

QTEST_GUILESS_MAIN(TestSoak)
#include "test_soak.moc"
