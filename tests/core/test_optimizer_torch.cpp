// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <QTest>

#include "core/run/checkpoint_torch.h"
#include "core/run/safetensors.h"
#include "core/task/key_value_task.h"
#include "core/torch_thread.h"
#include "core/train/adamw_torch.h"
#include "core/train/training_step_torch.h"

using namespace lookback;
using run::SafetensorsFile;

namespace {

SafetensorsFile fixture(const std::string &name)
{
    return run::readSafetensors(std::string(LOOKBACK_TEST_FIXTURES) + "/" + name + ".safetensors");
}

at::Tensor tensorIn(const SafetensorsFile &file, const std::string &name)
{
    const run::StoredTensor *stored = file.find(name);
    if (!stored)
        throw Error(name, "The fixture lacks this tensor.");
    return run::tensorOf(*stored);
}

double at_(const SafetensorsFile &file, const std::string &name, std::int64_t index)
{
    return tensorIn(file, name)[index].item<double>();
}

/// The configuration of the optimizer fixture (tests/fixtures/README.md).
RunConfig fixtureConfig(const std::string &variant)
{
    RunConfig config;
    config.variant = variant;
    config.d_model = 32;
    config.query_heads = 4;
    config.kv_heads = 2;
    config.pairs = 4;
    config.ffn_hidden = 64;
    config.window = 10;
    config.weight_decay = 0.1;
    return config;
}

train::Batch batchOfTokens(const RunConfig &config, const at::Tensor &tokens_BT)
{
    std::vector<task::Sequence> sequences;
    for (std::int64_t b = 0; b < tokens_BT.size(0); ++b) {
        std::vector<std::uint8_t> tokens;
        for (std::int64_t t = 0; t < tokens_BT.size(1); ++t)
            tokens.push_back(static_cast<std::uint8_t>(tokens_BT[b][t].item<std::int64_t>()));
        sequences.push_back(task::parseSequence({config.key_digits, config.value_digits}, tokens));
    }
    return train::batchOf(sequences, at::kCPU);
}

} // namespace

class TestOptimizer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { enterTorchThread(1); }

    void equalsTheFixture_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<bool>("isDouble");
        QTest::newRow("hybrid_square, float32") << QStringLiteral("hybrid_square") << false;
        QTest::newRow("hybrid_square, float64") << QStringLiteral("hybrid_square") << true;
        QTest::newRow("hybrid_square_kda, float32") << QStringLiteral("hybrid_square_kda") << false;
        QTest::newRow("hybrid_square_kda, float64") << QStringLiteral("hybrid_square_kda") << true;
    }

    /// 24 steps on the fixture's batches and learning rates: loss and gradient norm before each update, and where
    /// every weight ends. Without the decay of a gain or of the embedding the weights miss their tolerance.
    void equalsTheFixture()
    {
        QFETCH(QString, variant);
        QFETCH(bool, isDouble);
        const std::string name = variant.toStdString();
        const SafetensorsFile file = fixture("optimizer");
        const SafetensorsFile initial = fixture(name);
        const RunConfig config = fixtureConfig(name);
        const at::ScalarType type = isDouble ? at::kDouble : at::kFloat;
        // Tolerances of the fixture; the norm's follows from that of the gradients.
        const double lossTolerance = isDouble ? 1e-8 : 2e-5;
        const double normTolerance = isDouble ? 1e-7 : 1e-3;
        const double weightTolerance = isDouble ? 1e-8 : 5e-5;

        model::Transformer model(config, type, at::kCPU);
        std::vector<model::NamedTensor> parameters = model.parameters();
        std::vector<model::NamedTensor> weights;
        for (const auto &[parameter, tensor] : parameters)
            weights.emplace_back(parameter, tensorIn(initial, parameter).to(type));
        model.load(weights);
        for (auto &[parameter, tensor] : parameters)
            tensor.requires_grad_(true);
        train::AdamW optimizer(parameters, config);
        for (std::int64_t step = 1; step <= 24; ++step) {
            const train::Batch batch = batchOfTokens(config, tensorIn(file, "tokens." + std::to_string(step)));
            QCOMPARE(batch.n_keys, static_cast<std::int64_t>(at_(file, "n_keys", step - 1)));
            optimizer.clearGradients();
            const train::StepValues values = train::forwardAndBackward(model, parameters, batch);
            QVERIFY(values.nonFinite.empty());
            const double lossError = std::abs(values.loss - at_(file, name + ".loss", step - 1));
            const double norm = at_(file, name + ".grad_norm", step - 1);
            QVERIFY2(lossError < lossTolerance, qPrintable(QString::number(lossError)));
            QVERIFY(std::abs(values.gradientNorm - norm) < normTolerance * std::max(1.0, norm));
            optimizer.update(at_(file, "learning_rate", step - 1), step);
        }
        for (const auto &[parameter, tensor] : parameters) {
            const at::Tensor wanted = tensorIn(file, name + ".final." + parameter).to(at::kDouble);
            const double error = tensor.detach().to(at::kDouble).sub(wanted).abs().max().item<double>();
            QVERIFY2(error < weightTolerance, (parameter + " " + std::to_string(error)).c_str());
        }
    }

    /// One parameter without a gradient still decays; moments travel by name.
    void decaysWithoutGradientAndKeepsMoments()
    {
        at::Tensor p = at::ones_like(at::zeros({3})).requires_grad_(true);
        train::AdamW optimizer({{"p", p}}, RunConfig());
        optimizer.update(0.5, 1);
        QCOMPARE(p[1].item<float>(), 0.95f);

        p.mutable_grad() = at::tensor({1.0f, 2.0f, -3.0f});
        optimizer.update(0.0, 2);
        const std::vector<model::NamedTensor> moments = optimizer.moments();
        QCOMPARE(moments.size(), std::size_t{2});
        QCOMPARE(moments[0].first, std::string("optimizer.exp_avg.p"));
        QCOMPARE(moments[1].first, std::string("optimizer.exp_avg_sq.p"));
        QVERIFY(std::abs(moments[0].second[2].item<double>() + 0.3) < 1e-6);
        QVERIFY(std::abs(moments[1].second[2].item<double>() - 0.009) < 1e-7);

        at::Tensor q = at::zeros({3}).requires_grad_(true);
        train::AdamW other({{"p", q}}, RunConfig());
        other.loadMoments(moments);
        QVERIFY(other.moments()[1].second.equal(moments[1].second));
        QVERIFY(other.moments()[1].second.data_ptr() != moments[1].second.data_ptr());
        QVERIFY_THROWS_EXCEPTION(Error, other.loadMoments({moments[0]}));
        QVERIFY_THROWS_EXCEPTION(Error, other.loadMoments({moments[0], {"optimizer.exp_avg_sq.p", at::zeros({4})}}));
        QVERIFY_THROWS_EXCEPTION(Error, other.loadMoments({moments[0], moments[1], {"optimizer.exp_avg.q", p}}));
    }

    void normNamesTheFirstBrokenGradient()
    {
        at::Tensor a = at::zeros({2}).requires_grad_(true);
        at::Tensor b = at::zeros({2}).requires_grad_(true);
        a.mutable_grad() = at::tensor({3.0f, 0.0f});
        b.mutable_grad() = at::tensor({0.0f, 4.0f});
        QCOMPARE(train::gradientNorm({{"a", a}, {"b", b}}).value, 5.0);
        QVERIFY(train::gradientNorm({{"a", a}, {"b", b}}).nonFinite.empty());
        b.mutable_grad() = at::tensor({0.0f, std::numeric_limits<float>::infinity()});
        QCOMPARE(train::gradientNorm({{"a", a}, {"b", b}}).nonFinite, std::string("b"));
        // Squares of float32 numbers that float32 cannot hold.
        a.mutable_grad() = at::tensor({3e30f, 4e30f});
        QVERIFY(std::abs(train::gradientNorm({{"a", a}}).value / 5e30 - 1.0) < 1e-6);
    }

    /// The loss sees the value digits of second occurrences and nothing else.
    void scoresSecondOccurrencesOnly()
    {
        RunConfig config = fixtureConfig("hybrid_square");
        config.n_keys = 5;
        config.curriculum.clear();
        config.batch = 3;
        const train::Batch batch = train::trainingBatch(config, 7, at::kCPU);
        QCOMPARE(batch.tokens_BT.sizes().vec(), (std::vector<std::int64_t>{3, 79}));
        QCOMPARE(batch.positions_S.numel(), 3 * 5 * 3);
        QCOMPARE(batch.tokens, 3 * 80);
        std::int64_t scored = 0;
        for (std::int64_t row = 0; row < 3; ++row) {
            const task::Sequence sequence = task::trainingSequence({3, 3}, 5, config.seed, 7, row);
            for (std::int64_t entry = 0; entry < 10; ++entry) {
                if (!sequence.entries[static_cast<std::size_t>(entry)].isSecondOccurrence)
                    continue;
                std::int64_t value = sequence.entries[static_cast<std::size_t>(entry)].value;
                for (std::int64_t digit = 0; digit < 3; ++digit, ++scored) {
                    QCOMPARE(batch.positions_S[scored].item<std::int64_t>(), row * 79 + entry * 8 + 4 + digit);
                    QCOMPARE(batch.targets_S[scored].item<std::int64_t>(), value / 100);
                    value = value % 100 * 10;
                }
            }
        }
        QCOMPARE(scored, batch.targets_S.numel());
    }
};

QTEST_GUILESS_MAIN(TestOptimizer)
#include "test_optimizer_torch.moc"
