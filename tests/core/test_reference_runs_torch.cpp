// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that come with the program: all there, small, and what their files say is what their weights do.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <QTest>

#include "core/eval/evaluator.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint.h"
#include "core/run/run_scan.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

class TestReferenceRunFiles : public QObject {
    Q_OBJECT

private:
    static fs::path folder()
    {
        return fs::path(LOOKBACK_TEST_SOURCE_DIR).parent_path() / "resources" / "reference-runs";
    }

private Q_SLOTS:
    void oneOfEachVariantWithThePresetLaptop()
    {
        std::set<std::string> variants;
        for (const RunSnapshot &run : scanRuns(folder())) {
            QVERIFY2(run.isReadable, run.reason.c_str());
            QCOMPARE(run.state, RunState::Finished);
            QCOMPARE(run.record.preset, std::string("laptop"));
            RunConfig preset = presetConfig("laptop");
            preset.variant = run.record.config.variant;
            QVERIFY2(run.record.config == preset, "The preset has changed: \"make reference-runs\" makes them anew.");
            QCOMPARE(run.checkpointSteps.back(), preset.steps);
            QCOMPARE(run.checkpointSteps.size(), preset.variant == "hybrid_square" ? std::size_t{7} : std::size_t{1});
            QVERIFY(!RunFolder(run.id).readMetricsLog().records.empty());
            variants.insert(preset.variant);
        }
        QCOMPARE(variants.size(), model::variants().size());
        std::uintmax_t bytes = 0;
        for (const auto &entry : fs::recursive_directory_iterator(folder())) {
            if (entry.is_regular_file())
                bytes += entry.file_size();
        }
        QVERIFY2(bytes < 12'000'000, std::to_string(bytes).c_str());
    }

    void theirWeightsReachWhatTheySay()
    {
        for (const RunSnapshot &run : scanRuns(folder())) {
            const RunFolder files(run.id);
            const std::vector<eval::AccuracyCurve> curves = files.readAccuracy();
            QCOMPARE(curves.size(), std::size_t{1});
            const eval::AccuracyPoint &said = curves.front().points.at(2);
            const eval::AccuracyCurve found =
                eval::evaluateCheckpoint(files, -1, {said.n_keys}, said.sequences, ComputeOptions{.device = "cpu"});
            // Another processor may round an answer to the other side.
            QVERIFY2(std::abs(found.points.at(0).exact - said.exact) <= 2, run.name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestReferenceRunFiles)
#include "test_reference_runs_torch.moc"
