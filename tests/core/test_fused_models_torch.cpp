// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Whole training steps with fused kernels against plain LibTorch operations, over random small configurations of all
// variants: loss and every gradient.
#include <algorithm>
#include <cmath>
#include <map>

#include <QTest>

#include "core/model/transformer_torch.h"
#include "core/model/variant_registry.h"
#include "core/train/training_step_torch.h"
#include "tests/core/fused_helpers_torch.h"

using namespace lookback;
using namespace lookback::testing;

namespace {

RunConfig drawConfig(Draws &draws, const std::string &variant)
{
    RunConfig config;
    config.variant = variant;
    do {
        const std::int64_t groups = draws.between(1, 3);
        config.query_heads = groups * draws.between(1, 3);
        config.kv_heads = groups;
        config.d_model = config.query_heads * draws.between(1, 10) * 2;
        config.pairs = draws.between(1, 3);
        config.ffn_hidden = draws.between(1, 70);
        config.window = draws.between(1, 20);
        config.key_digits = draws.between(1, 3);
        config.value_digits = draws.between(1, 3);
        config.n_keys = draws.between(1, 8);
        config.curriculum.clear();
        config.batch = draws.between(1, 9);
        config.evaluation_n = {config.n_keys};
        if (draws.between(0, 1) == 0)
            config.kv_heads = config.query_heads;
    } while (!model::problemsOfRun(config).empty());
    return config;
}

struct Step {
    at::Tensor loss;
    std::map<std::string, at::Tensor> gradients;
};

Step stepOf(const RunConfig &config, const std::vector<model::NamedTensor> &weights, const train::Batch &batch,
            at::ScalarType type, Kernels kernels)
{
    model::Transformer model(config, type, at::kCPU);
    model.setKernels(kernels);
    model.load(weights);
    const auto parameters = model.parameters();
    for (const auto &[name, parameter] : parameters)
        parameter.requires_grad_(true);
    Step step;
    step.loss = at::full({}, train::forwardAndBackward(model, parameters, batch).loss, at::kDouble);
    for (const auto &[name, parameter] : parameters) {
        step.gradients[name] =
            parameter.grad().defined() ? parameter.grad().to(at::kDouble) : at::zeros_like(parameter, at::kDouble);
    }
    return step;
}

} // namespace

class TestFusedModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stepsEqualThoseOfPlainOperations()
    {
        constexpr int kCases = 200;
        const auto variants = model::variants();
        std::map<std::string, int> casesOf;
        double logarithms = 0.0;
        int compared = 0;
        for (int seed = 0; seed < kCases; ++seed) {
            Draws draws(static_cast<std::uint64_t>(1000 + seed));
            const RunConfig config = drawConfig(draws, variants[static_cast<std::size_t>(seed) % variants.size()].id);
            ++casesOf[config.variant];
            model::Transformer source(config, at::kFloat, at::kCPU);
            source.initialise(static_cast<std::uint64_t>(seed));
            const auto weights = source.parameters();
            const train::Batch batch = train::trainingBatch(config, 1 + seed, at::kCPU);
            const Step exact = stepOf(config, weights, batch, at::kDouble, Kernels::Reference);
            const Step plain = stepOf(config, weights, batch, at::kFloat, Kernels::Reference);
            const Step fused = stepOf(config, weights, batch, at::kFloat, Kernels::Fused);
            const auto check = [&](const std::string &name, const at::Tensor &right, const at::Tensor &usual,
                                   const at::Tensor &ours) {
                const Errors errors{name, distance(ours, right), distance(usual, right),
                                    std::numeric_limits<float>::epsilon() * right.norm().item<double>() + 1e-12};
                QVERIFY2(errors.times() <= 30.0,
                         qPrintable(QStringLiteral("case %1, %2, %3: %4, plain %5")
                                        .arg(seed)
                                        .arg(QString::fromStdString(config.variant), QString::fromStdString(name))
                                        .arg(errors.fused)
                                        .arg(errors.plain)));
                logarithms += std::log(std::clamp(errors.times(), 0.1, 30.0));
                ++compared;
            };
            check("loss", exact.loss, plain.loss, fused.loss);
            for (const auto &[name, gradient] : exact.gradients)
                check(name, gradient, plain.gradients.at(name), fused.gradients.at(name));
        }
        QCOMPARE(casesOf.size(), variants.size());
        const double mean = std::exp(logarithms / compared);
        qInfo("%.2f times the plain error, geometric mean over %d tensors", mean, compared);
        QVERIFY(mean <= 2.0);
    }
};

QTEST_GUILESS_MAIN(TestFusedModels)
#include "test_fused_models_torch.moc"
