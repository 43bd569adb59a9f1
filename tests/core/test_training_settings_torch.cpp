// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that the published short runs leave alone: promotion by accuracy, dropout, clipping, likeness of keys.
#include <algorithm>
#include <cmath>

#include <QTemporaryDir>
#include <QTest>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "core/model/transformer_torch.h"
#include "core/torch_thread.h"
#include "core/train/adamw_torch.h"
#include "core/train/training_step_torch.h"
#include "training_bits.h"
#include "training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

namespace {

/// Everything at once: what a run of the published long-context configuration uses, at small size.
RunConfig longContextConfig(const std::string &variant, std::int64_t steps)
{
    RunConfig config = smallConfig(variant, steps);
    config.key_digits = 7;
    config.value_digits = 3;
    config.window = 14;
    config.n_keys = 16;
    config.curriculum = {{2, steps}, {4, steps}, {8, steps}};
    config.promotion_accuracy = 0.07; // guessing reaches it now and then
    config.promotion_steps = 3;
    config.batch = 8;
    config.batch_keys = 32;
    config.clustered_share = 0.5;
    config.cluster_keys = 4;
    config.dropout = 0.1;
    config.gradient_clip = 0.3;
    config.beta2 = 0.98;
    config.decay_start = 0.5;
    config.evaluation_mutated = 0.5;
    return config;
}

std::vector<model::NamedTensor> trainable(const model::Transformer &model)
{
    std::vector<model::NamedTensor> parameters = model.parameters();
    for (auto &[name, parameter] : parameters)
        parameter.requires_grad_(true);
    return parameters;
}

/// Loss and gradients of one step.
std::vector<at::Tensor> resultsOf(model::Transformer &model, const train::Batch &batch)
{
    const std::vector<model::NamedTensor> parameters = trainable(model);
    for (const auto &[name, parameter] : parameters)
        parameter.mutable_grad() = at::Tensor();
    const train::StepValues values = train::forwardAndBackward(model, parameters, batch);
    std::vector<at::Tensor> results{at::tensor(values.loss, at::kDouble)};
    for (const auto &[name, parameter] : parameters)
        results.push_back(parameter.grad().to(at::kDouble));
    return results;
}

double largestDifference(const std::vector<at::Tensor> &a, const std::vector<at::Tensor> &b)
{
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, (a[i] - b[i]).abs().max().item<double>());
    return largest;
}

} // namespace

class TestTrainingSettings : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path root(const std::string &name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    void initTestCase() { enterTorchThread(1); }

    void continuedBits_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"hybrid_square", "rope", "hybrid_square_kda"})
            QTest::newRow(variant) << QString::fromLatin1(variant);
    }
    /// Stopped and killed in the middle of a stage: the same stages, bits and log.
    void continuedBits()
    {
        QFETCH(QString, variant);
        const std::string name = variant.toStdString();
        RunConfig config = longContextConfig(name, 40);
        config.log_every = 1;
        const run::RunFolder whole = trainWhole(root("whole-" + name), config);
        QCOMPARE(whole.readRecord().state, RunState::Finished);
        const Bits first = bitsOf(whole);

        std::vector<std::int64_t> stages;
        for (const run::MetricsRecord &record : whole.readMetricsLog().records)
            stages.push_back(record.n_keys);
        QVERIFY(std::ranges::is_sorted(stages));
        QCOMPARE(stages.front(), 2);
        QVERIFY2(stages.back() > 2, "no promotion happened: the test shows nothing");

        const run::RunFolder folder = makeRun(root("cut-" + name), config);
        for (const std::int64_t stopAt : {5, 6, 17, 27}) {
            Recorder recorder;
            Trainer trainer(folder, {"cpu", 1}, &recorder);
            recorder.onStep = [&](std::int64_t step) {
                if (step == stopAt && stopAt % 3 == 0)
                    trainer.abort();
                else if (step == stopAt)
                    trainer.requestStop();
            };
            trainer.start();
            trainer.wait();
            QCOMPARE(recorder.failures(), std::vector<std::string>());
        }
        Trainer trainer(folder, {"cpu", 1}, nullptr);
        trainer.start();
        trainer.wait();
        QVERIFY(bitsOf(folder) == first);
    }

    void promotionEndsAStage()
    {
        RunConfig config = smallConfig("hybrid_square", 12);
        config.curriculum = {{2, 12}};
        config.promotion_accuracy = 1e-9; // whatever the answers are
        config.promotion_steps = 4;
        config.log_every = 1;
        config.n_keys = 3;
        const run::RunFolder folder = trainWhole(root("promotes"), config);
        const auto records = folder.readMetricsLog().records;
        double right = 0.0;
        for (const run::MetricsRecord &record : records) {
            right += record.step <= 4 ? record.retrievalAcc.value() : 0.0;
            if (right > 0.0)
                QCOMPARE(record.n_keys, record.step <= 4 ? 2 : 3);
        }
        QVERIFY(right > 0.0);
    }

    void dropoutDependsOnSeedAndStepOnly()
    {
        RunConfig config = smallConfig("hybrid_square", 10);
        model::Transformer model(config, at::kFloat, at::kCPU);
        model.initialise(3);
        const train::Batch batch = train::trainingBatch(config, 1, at::kCPU);
        const auto plain = resultsOf(model, batch);
        model.setDropout({.share = 0.25, .seed = 5, .step = 7});
        const auto first = resultsOf(model, batch);
        QVERIFY(largestDifference(first, plain) > 1e-3);
        QCOMPARE(largestDifference(resultsOf(model, batch), first), 0.0);
        model.setDropout({.share = 0.25, .seed = 5, .step = 8});
        QVERIFY(largestDifference(resultsOf(model, batch), first) > 1e-3);
        model.setDropout({.share = 0.25, .seed = 6, .step = 7});
        QVERIFY(largestDifference(resultsOf(model, batch), first) > 1e-3);
        model.setDropout({.share = 0.25, .seed = 5, .step = 7});
        QCOMPARE(largestDifference(resultsOf(model, batch), first), 0.0);
        model.setDropout({});
        QCOMPARE(largestDifference(resultsOf(model, batch), plain), 0.0);
    }

    /// Masks are the same whoever computes the sublayers, and nothing is dropped when a model is evaluated.
    void dropoutWithBothKernels_data() { continuedBits_data(); }
    void dropoutWithBothKernels()
    {
        QFETCH(QString, variant);
        RunConfig config = smallConfig(variant.toStdString(), 10);
        model::Transformer model(config, at::kFloat, at::kCPU);
        model.initialise(3);
        const train::Batch batch = train::trainingBatch(config, 1, at::kCPU);
        const at::Tensor tokens_T = batch.tokens_BT[0];
        const at::Tensor positions_S = at::tensor({3L, 11L, 12L}, at::kLong);
        const at::Tensor before = model.evaluateAt(tokens_T, positions_S);
        model.setDropout({.share = 0.25, .seed = 5, .step = 7});
        QVERIFY(model.evaluateAt(tokens_T, positions_S).equal(before));
        const auto fused = resultsOf(model, batch);
        model.setKernels(Kernels::Reference);
        QVERIFY(largestDifference(resultsOf(model, batch), fused) < 1e-4);
    }

    void droppedNumbers()
    {
        const at::Tensor x = at::zeros({50, 64}).add_(2.0);
        const at::Tensor y = x + 1.0;
        const at::Tensor dropped = model::withDropout(x, y, {.share = 0.25, .seed = 1, .step = 1}, 4) - x;
        const double none = dropped.eq(0.0).sum().item<double>() / 3200.0;
        QVERIFY2(std::abs(none - 0.25) < 0.04, qPrintable(QString::number(none))); // five standard errors
        QVERIFY((dropped - 4.0 / 3.0).abs().lt(1e-5).logical_or(dropped.eq(0.0)).all().item<bool>());
        QVERIFY(!dropped[0].equal(dropped[1]));
        QVERIFY(!dropped.equal(model::withDropout(x, y, {.share = 0.25, .seed = 1, .step = 1}, 5) - x));
        QVERIFY(model::withDropout(x, y, {}, 4).equal(y));
    }

    void clipsTheWholeGradient()
    {
        at::Tensor a = at::zeros({2}).requires_grad_(true);
        at::Tensor b = at::zeros({1}).requires_grad_(true);
        const std::vector<model::NamedTensor> parameters{{"a", a}, {"b", b}};
        const auto set = [&] {
            a.mutable_grad() = at::tensor({3.0F, 0.0F});
            b.mutable_grad() = at::tensor({4.0F});
        };
        set();
        for (const double longest : {0.0, 5.1, 1e9}) {
            train::clipGradients(parameters, 5.0, longest);
            QCOMPARE(a.grad()[0].item<float>(), 3.0F);
        }
        train::clipGradients(parameters, 5.0, 1.0);
        QVERIFY(std::abs(a.grad()[0].item<double>() - 0.6) < 1e-6);
        QVERIFY(std::abs(b.grad()[0].item<double>() - 0.8) < 1e-6);
        QVERIFY(train::gradientNorm(parameters).value <= 1.0);
    }

    /// p <- p - lr m' / (sqrt(v') + eps), by hand for two steps.
    void betasOfTheOptimizer()
    {
        RunConfig config;
        config.weight_decay = 0.0;
        config.beta1 = 0.5;
        config.beta2 = 0.75;
        config.epsilon = 0.125;
        at::Tensor p = at::zeros({1}).requires_grad_(true);
        train::AdamW optimizer({{"p", p}}, config);
        p.mutable_grad() = at::tensor({2.0F});
        optimizer.update(0.5, 1);
        const double first = -0.5 * 2.0 / (2.0 + 0.125);
        QVERIFY(std::abs(p[0].item<double>() - first) < 1e-6);
        p.mutable_grad() = at::tensor({-1.0F});
        optimizer.update(0.5, 2);
        const double mean = (0.5 * (0.5 * 2.0) + 0.5 * -1.0) / (1.0 - 0.25);
        const double squares = (0.75 * (0.25 * 4.0) + 0.25 * 1.0) / (1.0 - 0.5625);
        QVERIFY(std::abs(p[0].item<double>() - (first - 0.5 * mean / (std::sqrt(squares) + 0.125))) < 1e-6);
    }

    void clustersInTheFirstSequences()
    {
        RunConfig config = longContextConfig("hybrid_square", 10);
        const auto nearKeys = [&](std::int64_t row, std::int64_t batch) {
            const task::Sequence sequence =
                task::trainingSequence({7, 3}, 16, config.seed, 1, row, task::trainingKeys(config, row, batch));
            std::int64_t near = 0;
            for (const task::Entry &a : sequence.entries) {
                for (const task::Entry &b : sequence.entries) {
                    if (a.key == b.key)
                        continue;
                    std::int64_t different = 0;
                    for (std::int64_t unit = 1; unit < 10'000'000; unit *= 10)
                        different += a.key / unit % 10 != b.key / unit % 10 ? 1 : 0;
                    near += different == 1 ? 1 : 0;
                }
            }
            return near;
        };
        for (const std::int64_t row : {0, 1})
            QVERIFY(nearKeys(row, 4) > 0);
        for (const std::int64_t row : {2, 3})
            QCOMPARE(nearKeys(row, 4), 0);
        QVERIFY(nearKeys(0, 1) > 0); // a batch of one holds clusters only
        config.clustered_share = 0.0;
        QCOMPARE(nearKeys(0, 1), 0);
    }
};

QTEST_GUILESS_MAIN(TestTrainingSettings)
#include "test_training_settings_torch.moc"
