// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// A run that an older version wrote goes on, with what that version computed with.
#include <cmath>
#include <cstring>
#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint_store.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
namespace fs = std::filesystem;

namespace {

std::vector<float> valuesOf(const run::Checkpoint &checkpoint)
{
    std::vector<float> values;
    for (const run::StoredTensor &tensor : checkpoint.weights) {
        const std::size_t known = values.size();
        values.resize(known + tensor.bytes.size() / sizeof(float));
        std::memcpy(values.data() + known, tensor.bytes.data(), tensor.bytes.size());
    }
    return values;
}

} // namespace

class TestOldRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Of format 1: taken back to step 2 and continued, it arrives where it did when it was written, up to the
    /// differences between processors.
    void aRunOfFormat1GoesOn()
    {
        const QTemporaryDir place;
        const fs::path copy = fs::path(place.path().toStdString()) / "run";
        fs::copy(LOOKBACK_TEST_SOURCE_DIR "/formats/run-1-whole", copy, fs::copy_options::recursive);
        const run::RunFolder folder(copy);
        const std::vector<float> before = valuesOf(run::checkpointAt(folder, 3));
        const std::vector<run::MetricsRecord> log = folder.readMetricsLog().records;
        fs::remove(folder.checkpointFile(3));
        run::RunRecord record = folder.readRecord();
        QVERIFY(record.kernels == Kernels::Reference); // there were no others
        record.state = run::RunState::Running; // as after a kill
        folder.writeRecord(record);

        Recorder recorder;
        train::Trainer trainer(folder, {"cpu", 1}, &recorder);
        trainer.start();
        trainer.wait();
        QVERIFY2(trainer.state() == run::RunState::Finished, recorder.reason().c_str());
        QCOMPARE(recorder.steps().front().step, 3);
        QVERIFY(folder.readRecord().kernels == Kernels::Reference);
        const std::vector<float> after = valuesOf(run::checkpointAt(folder, 3));
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i)
            QVERIFY(std::abs(after[i] - before[i]) < 1e-5F);
        const std::vector<run::MetricsRecord> again = folder.readMetricsLog().records;
        QCOMPARE(again.size(), log.size());
        QVERIFY(std::abs(*again.back().loss - *log.back().loss) < 1e-5);
        QCOMPARE(run::CheckpointStore(folder).entries().size(), std::size_t{4});
    }
};

QTEST_GUILESS_MAIN(TestOldRuns)
#include "test_old_runs_torch.moc"
