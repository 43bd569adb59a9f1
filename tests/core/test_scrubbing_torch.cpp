// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Stepping through many checkpoints, and continuing a run many times, leaves nothing behind.
#include <filesystem>

#include <malloc.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/attention_probe.h"
#include "core/run/checkpoint.h"
#include "tests/core/sanitizer_memory.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
namespace fs = std::filesystem;

namespace {

std::size_t openFiles()
{
    return std::size_t(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

/// Memory that is in use, not what the allocator keeps.
std::size_t usedBytes()
{
    if (const auto bytes = sanitizerBytesInUse())
        return *bytes;
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace

class TestScrubbing : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }

    /// Does `act` many times and compares the last half of them with what was in use after the first tenth.
    template <typename Act> static void repeat(int times, Act &&act)
    {
        std::size_t files = 0;
        std::size_t bytes = 0;
        for (int i = 0; i < times; ++i) {
            act(i);
            if (i == times / 10) {
                files = openFiles();
                bytes = usedBytes();
            }
        }
        QCOMPARE(openFiles(), files);
        // One checkpoint of this model has about 40 kB; less than a tenth of one may stay for each time.
        const std::size_t now = usedBytes();
        QVERIFY2(now < bytes + std::size_t(times) * 4000,
                 qPrintable(QString::number(now) + QStringLiteral(" after ") + QString::number(bytes)));
    }

private Q_SLOTS:
    void twoHundredCheckpoints()
    {
        const run::RunFolder folder = trainWhole(root("run"), smallConfig("hybrid_square_kda", 23));
        const std::vector<run::CheckpointInfo> found = folder.checkpoints();
        QVERIFY(found.size() >= 7);
        repeat(200, [&](int i) {
            const std::int64_t step = found[std::size_t(i) % found.size()].step;
            analysis::AttentionProbe probe(folder.path().string(), step, {"cpu", 1});
            const analysis::Example example = probe.example(3, i);
            QCOMPARE(example.key.step, step);
            QVERIFY(!probe.layerMaps(0).empty() && !probe.layerMaps(1).empty());
        });
    }

    void damagedOnesToo()
    {
        const run::RunFolder folder = trainWhole(root("damaged"), smallConfig("rope", 9));
        fs::resize_file(folder.checkpointFile(9), fs::file_size(folder.checkpointFile(9)) / 2);
        repeat(200, [&](int) {
            std::vector<std::string> notes;
            QCOMPARE(run::newestCheckpoint(folder, run::CheckpointParts::All, &notes)->step, 8);
            QCOMPARE(notes.size(), std::size_t{1});
        });
    }

    void continuedManyTimes()
    {
        const RunConfig config = smallConfig("hybrid_square", 61);
        const run::RunFolder whole = trainWhole(root("whole"), config);
        const run::RunFolder folder = makeRun(root("continued"), config);
        repeat(60, [&](int i) {
            Recorder recorder;
            train::Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t) { trainer.requestStop(); };
            trainer.start();
            trainer.wait();
            QCOMPARE(folder.readRecord().step, i + 1);
        });
        train::Trainer trainer(folder, {"cpu", 1}, nullptr);
        trainer.start();
        trainer.wait();
        QVERIFY(bitsOf(folder) == bitsOf(whole));
        QVERIFY(loggedSteps(folder) == loggedSteps(whole));
    }
};

QTEST_GUILESS_MAIN(TestScrubbing)
#include "test_scrubbing_torch.moc"
