// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <fstream>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/eval/evaluator.h"
#include "core/eval/evaluator_torch.h"
#include "core/eval/per_index.h"
#include "core/eval/per_index_torch.h"
#include "core/run/checkpoint_torch.h"
#include "core/torch_thread.h"
#include "core/train/training_step_torch.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;

namespace {

model::Transformer makeModel(const RunConfig &config, std::uint64_t seed = 3)
{
    model::Transformer model(config, at::kFloat, at::kCPU);
    model.initialise(seed);
    return model;
}

/// The same figures from the logits of all positions, sequence by sequence, by the words of the specification.
eval::AccuracyPoint slowPoint(const model::Transformer &model, std::int64_t n, std::int64_t sequences)
{
    const RunConfig &config = model.config();
    eval::AccuracyPoint point;
    double loss = 0.0;
    for (std::int64_t index = 0; index < sequences; ++index) {
        const task::Sequence sequence =
            task::evaluationSequence({config.key_digits, config.value_digits}, n, config.evaluation_seed, index);
        const train::Batch batch = train::batchOf(std::span(&sequence, 1), at::kCPU);
        const at::Tensor logs_TV = at::log_softmax(model.forward(batch.tokens_BT)[0].to(at::kDouble), -1);
        std::int64_t exact = 0;
        for (std::size_t entry = 0; entry < sequence.entries.size(); ++entry) {
            if (!sequence.entries[entry].isSecondOccurrence)
                continue;
            std::int64_t right = 0;
            for (std::int64_t digit = 0; digit < config.value_digits; ++digit) {
                const std::int64_t at = sequence.predictionPosition(static_cast<std::int64_t>(entry), digit);
                const int truth = sequence.tokens[static_cast<std::size_t>(at + 1)];
                loss -= logs_TV[at][truth].item<double>();
                right += logs_TV[at].argmax().item<std::int64_t>() == truth ? 1 : 0;
            }
            point.digitsRight += right;
            exact += right == config.value_digits ? 1 : 0;
        }
        point.exact += exact;
        point.exactBySequence.push_back(exact);
    }
    point.answers = n * sequences;
    point.meanLoss = loss / static_cast<double>(point.answers * config.value_digits);
    return point;
}

std::string messageOf(const std::function<void()> &action)
{
    try {
        action();
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

} // namespace

class TestEvaluator : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path root() const { return m_folder.path().toStdString(); }

private Q_SLOTS:
    /// Losses by entry index against those of the logits of all positions, added up by eval::PerIndexLoss.
    void lossByEntryIsThatOfWholeLogits_data()
    {
        QTest::addColumn<std::string>("variant");
        for (const char *variant : {"rope", "hybrid_square", "hybrid_square_kda"})
            QTest::newRow(variant) << std::string(variant);
    }
    void lossByEntryIsThatOfWholeLogits()
    {
        QFETCH(std::string, variant);
        enterTorchThread(1);
        RunConfig config = smallConfig(variant, 10);
        const model::Transformer model = makeModel(config);
        constexpr std::int64_t kKeys = 5;
        constexpr std::int64_t kSequences = 7;
        std::vector<std::int64_t> told;
        const eval::PerIndexTable table =
            eval::measurePerIndex(model, 12, {.n_keys = kKeys, .sequences = kSequences},
                                  [&](const Progress &progress) { told.push_back(progress.done); });
        QCOMPARE(table.step, 12);
        QCOMPARE(told, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}));
        eval::PerIndexLoss whole;
        const at::NoGradGuard noGrad;
        for (std::int64_t index = 0; index < kSequences; ++index) {
            const task::Sequence sequence = task::evaluationSequence({config.key_digits, config.value_digits}, kKeys,
                                                                     config.evaluation_seed, index);
            const train::Batch batch = train::batchOf(std::span(&sequence, 1), at::kCPU);
            const at::Tensor logits = model.forward(batch.tokens_BT)[0].contiguous();
            whole.add(sequence, std::span(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())));
        }
        QCOMPARE(table.all.size(), 2U * kKeys);
        for (std::size_t i = 0; i < table.all.size(); ++i) {
            // 1e-5: float32 logits of another path, sums in another order
            QVERIFY(std::abs(table.all[i].mean - whole.allEntries()[i]) < 1e-5);
            QCOMPARE(table.all[i].entries, kSequences);
            const std::int64_t second = whole.secondOccurrenceCounts()[i];
            QCOMPARE(table.second[i].entries, second);
            QCOMPARE(table.first[i].entries, kSequences - second);
            if (second > 0)
                QVERIFY(std::abs(table.second[i].mean - whole.secondOccurrences()[i]) < 1e-5);
            else
                QVERIFY(std::isnan(table.second[i].mean));
        }
    }

    void lossByEntryStopsAndRefuses()
    {
        enterTorchThread(1);
        const model::Transformer model = makeModel(smallConfig("rope", 10));
        std::stop_source stop;
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 eval::measurePerIndex(
                                     model, 1, {.n_keys = 3, .sequences = 50},
                                     [&](const Progress &) { stop.request_stop(); }, stop.get_token()));
        QVERIFY_THROWS_EXCEPTION(Error, eval::measurePerIndex(model, 1, {.n_keys = 0, .sequences = 2}));
        QVERIFY_THROWS_EXCEPTION(Error, eval::measurePerIndex(model, 1, {.n_keys = 2, .sequences = 0}));
    }

    void initTestCase() { enterTorchThread(1); }

    void equalsTheSlowTwin_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"rope", "partial_rope_square", "hybrid_square", "hybrid_square_kda"})
            QTest::newRow(variant) << QString::fromLatin1(variant);
    }
    /// Few keys are computed in batches, many as single sequences: both paths and a short last batch.
    void equalsTheSlowTwin()
    {
        QFETCH(QString, variant);
        RunConfig config = smallConfig(variant.toStdString(), 10);
        config.value_digits = 1; // so that an untrained model gets some right
        const model::Transformer model = makeModel(config);
        const at::NoGradGuard noGrad;
        const std::int64_t sequences = 5;
        const std::vector<std::int64_t> n_keys{1, 2, 7, 100};
        const eval::AccuracyCurve curve = eval::evaluateModel(model, at::kCPU, 42, {100, 7, 1, 2, 7}, sequences);
        QCOMPARE(curve.variant, config.variant);
        QCOMPARE(curve.step, 42);
        QCOMPARE(curve.totalSteps, 10);
        QCOMPARE(curve.trainedTokens, config.trainedTokens());
        QCOMPARE(curve.evaluationSeed, config.evaluation_seed);
        QCOMPARE(curve.points.size(), n_keys.size());
        for (std::size_t i = 0; i < n_keys.size(); ++i) {
            const eval::AccuracyPoint &point = curve.points[i];
            const eval::AccuracyPoint slow = slowPoint(model, n_keys[i], sequences);
            QCOMPARE(point.n_keys, n_keys[i]);
            QCOMPARE(point.contextTokens, config.contextTokens(n_keys[i]));
            QCOMPARE(point.sequences, sequences);
            QCOMPARE(point.answers, slow.answers);
            QCOMPARE(point.exact, slow.exact);
            QCOMPARE(point.digitsRight, slow.digitsRight);
            QVERIFY(point.exactBySequence == slow.exactBySequence);
            QVERIFY2(std::abs(point.meanLoss - slow.meanLoss) < 1e-5,
                     qPrintable(QString::number(point.meanLoss - slow.meanLoss)));
            QVERIFY(point.low <= point.accuracy && point.accuracy <= point.high);
            QVERIFY(point.low >= 0.0 && point.high <= 1.0);
        }
    }

    /// A model that always answers 7 is right as often as the values say.
    void constantAnswerScoresByTheSequences()
    {
        RunConfig config = smallConfig("hybrid_square", 10);
        config.value_digits = 1;
        model::Transformer model = makeModel(config);
        std::vector<model::NamedTensor> weights;
        for (const auto &[name, tensor] : model.parameters()) {
            at::Tensor value = tensor.detach().clone();
            if (name == "norm_f.weight")
                value.fill_(0.0); // the last states vanish: all logits are equal, the first token wins
            weights.emplace_back(name, value);
        }
        model.load(weights);
        const eval::AccuracyCurve curve = eval::evaluateModel(model, at::kCPU, 1, {20}, 30);
        std::int64_t zeros = 0;
        for (std::int64_t index = 0; index < 30; ++index) {
            for (const task::Entry &entry : task::evaluationSequence({2, 1}, 20, config.evaluation_seed, index).entries)
                zeros += entry.isSecondOccurrence && entry.value == 0 ? 1 : 0;
        }
        QCOMPARE(curve.points[0].exact, zeros);
        QVERIFY(std::abs(curve.points[0].meanLoss - std::log(12.0)) < 1e-6);
    }

    void allVariantsSeeTheSameSequences()
    {
        // Exact counts of two models with equal weights in the parts that matter: both answer with token 0.
        std::vector<eval::AccuracyPoint> points;
        for (const char *variant : {"rope", "hybrid"}) {
            RunConfig config = smallConfig(variant, 10);
            config.value_digits = 1;
            config.seed = points.size(); // the training seed has no say
            const model::Transformer zero(config, at::kFloat, at::kCPU); // all parameters are zero
            points.push_back(eval::evaluateModel(zero, at::kCPU, 1, {30}, 10).points[0]);
        }
        QVERIFY(points[0].exact > 0);
        QVERIFY(points[0].exactBySequence == points[1].exactBySequence);
    }

    void tellsProgressAndPoints()
    {
        const model::Transformer model = makeModel(smallConfig("hybrid_square", 10));
        std::vector<Progress> reports;
        std::vector<std::size_t> points;
        eval::evaluateModel(
            model, at::kCPU, 1, {2, 50}, 3, [&](const Progress &progress) { reports.push_back(progress); },
            [&](const eval::AccuracyCurve &curve) { points.push_back(curve.points.size()); });
        QCOMPARE(points, (std::vector<std::size_t>{1, 2}));
        QVERIFY(reports.size() >= 4);
        QCOMPARE(reports.front().done, 0);
        QCOMPARE(reports.front().what, std::string("n = 2: 0 of 3 sequences"));
        QCOMPARE(reports.back().what, std::string("n = 50: 3 of 3 sequences"));
        QCOMPARE(reports.back().done, reports.back().total);
        for (std::size_t i = 1; i < reports.size(); ++i) {
            QVERIFY(reports[i].done >= reports[i - 1].done);
            QCOMPARE(reports[i].total, reports[0].total);
        }
        QVERIFY(reports.back().remainingSeconds.has_value());
    }

    void stopsSoonAndKeepsFinishedPoints()
    {
        const model::Transformer model = makeModel(smallConfig("hybrid_square", 10));
        std::stop_source source;
        std::size_t points = 0;
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 eval::evaluateModel(
                                     model, at::kCPU, 1, {2, 100}, 1000,
                                     [&](const Progress &progress) {
                                         if (progress.what.starts_with("n = 100: 1 "))
                                             source.request_stop();
                                     },
                                     [&](const eval::AccuracyCurve &curve) { points = curve.points.size(); },
                                     source.get_token()));
        QCOMPARE(points, std::size_t{1});
    }

    void impossibleIsRefusedBeforehand()
    {
        const RunConfig config = smallConfig("hybrid_square", 10); // two key digits
        int reports = 0;
        const model::Transformer model = makeModel(config);
        const auto evaluate = [&](std::vector<std::int64_t> n_keys, std::int64_t sequences) {
            return messageOf([&] {
                eval::evaluateModel(model, at::kCPU, 1, std::move(n_keys), sequences,
                                    [&](const Progress &) { ++reports; });
            });
        };
        QCOMPARE(evaluate({2, 101}, 3),
                 std::string("n = 101: This run was trained with keys of 2 digits, of which there are only 100. "
                             "Ask for at most so many."));
        QVERIFY(!evaluate({0}, 3).empty());
        QVERIFY(!evaluate({-5, 2}, 3).empty());
        QVERIFY(!evaluate({}, 3).empty());
        QVERIFY(!evaluate({2}, 0).empty());
        RunConfig wide = config;
        wide.key_digits = 9;
        QVERIFY(!messageOf([&] { eval::requireEvaluable(wide, {900000000}, 1); }).empty());
        QCOMPARE(reports, 0);
        QVERIFY(evaluate({2, 3}, 1).empty());
    }

    void evaluatesCheckpointsOfAFolder()
    {
        const RunConfig config = smallConfig("hybrid_square", 10);
        const run::RunFolder run = makeRun(root(), config);
        QVERIFY(!messageOf([&] { eval::evaluateCheckpoint(run, -1, {2}, 2, {"cpu", 1}); }).empty());
        run::Checkpoint checkpoint;
        checkpoint.config = config;
        checkpoint.step = 6;
        const model::Transformer model = makeModel(config);
        for (const auto &[name, tensor] : model.parameters())
            checkpoint.weights.push_back(run::storedTensor(name, tensor));
        run::writeCheckpoint(run.checkpointFile(6), checkpoint);
        const eval::AccuracyCurve curve = eval::evaluateCheckpoint(run, -1, {2, 9}, 4, {"cpu", 1});
        QVERIFY(curve == eval::evaluateModel(model, at::kCPU, 6, {2, 9}, 4));
        QVERIFY(!messageOf([&] { eval::evaluateCheckpoint(run, 5, {2}, 2, {"cpu", 1}); }).empty());
        QVERIFY(!messageOf([&] { eval::evaluateCheckpoint(run, -1, {200}, 2, {"cpu", 1}); }).empty());
        QVERIFY(!messageOf([&] { eval::evaluateCheckpoint(run, -1, {2}, 2, {"tpu", 1}); }).empty());
        QVERIFY(run.readAccuracy().empty()); // writing is the caller's
    }

    void memoryOfABatchIsBounded()
    {
        for (const std::string_view preset : presetNames()) {
            const RunConfig config = presetConfig(preset);
            for (const std::int64_t n : {1, 2, 8, 16, 32, 64}) {
                const std::int64_t rows = eval::sequencesAtOnce(config, n);
                QVERIFY(rows == 1 || rows * config.contextTokens(n) * config.d_model * 4 <= 128 << 10);
            }
        }
        QCOMPARE(eval::sequencesAtOnce(presetConfig("paper"), 256), 1);
        QVERIFY(eval::sequencesAtOnce(presetConfig("tiny"), 2) > 8);
    }
};

QTEST_GUILESS_MAIN(TestEvaluator)
#include "test_evaluator_torch.moc"
