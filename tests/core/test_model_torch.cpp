// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <map>
#include <set>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <QTest>

#include "core/error.h"
#include "core/kernels/rotary_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/model_parameters.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_definition.h"
#include "core/model/variant_registry.h"
#include "model_helpers_torch.h"

using namespace lookback;
using helpers::largestDifference;

namespace {

std::map<std::string, at::Tensor> byName(const std::vector<model::NamedTensor> &tensors)
{
    return {tensors.begin(), tensors.end()};
}

} // namespace

class TestModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void nineVariantsInPickerOrder()
    {
        std::vector<std::string> ids;
        for (const model::VariantInfo &info : model::variants()) {
            ids.push_back(info.id);
            QVERIFY(!info.explanation.empty());
            QVERIFY(!info.source.empty());
        }
        const std::vector<std::string> expected{
            "rope",          "rope_square",     "partial_rope",           "partial_rope_square", "hybrid",
            "hybrid_square", "hybrid_nowindow", "hybrid_square_nowindow", "hybrid_square_kda"};
        // Variants that somebody adds come after the published ones.
        QVERIFY(ids.size() >= expected.size());
        ids.resize(expected.size());
        QCOMPARE(ids, expected);
    }

    void publishedSizes()
    {
        RunConfig config;
        for (const model::VariantInfo &info : model::variants()) {
            if (info.family == model::Family::Own)
                continue;
            config.variant = info.id;
            const bool isKda = info.id == "hybrid_square_kda";
            QCOMPARE(model::parameterCount(config), isKda ? 2193168 : 2102400);
            // "The step needs about 115 GFLOP": 3 x (projections + whole attention matrices) of 64 x 127 tokens.
            const double gflop = model::trainingStepFlop(config, 8) / 1e9;
            QVERIFY2(gflop > 114.5 && gflop < 118.0, qPrintable(QString::number(gflop)));
        }
    }

    void countMatchesModel_data() { helpers::eachVariant(); }
    void countMatchesModel()
    {
        const RunConfig config = helpers::fetchedConfig();
        const model::Transformer model(config, at::kFloat, at::kCPU);
        std::int64_t count = 0;
        std::set<std::string> names;
        for (const auto &[name, tensor] : model.parameters()) {
            count += tensor.numel();
            names.insert(name);
            QVERIFY(tensor.is_leaf());
            QVERIFY(tensor.requires_grad());
        }
        QCOMPARE(model::parameterCount(config), count);
        QCOMPARE(names.size(), model.parameters().size());
    }

    void unknownVariantNamesNearOnes()
    {
        RunConfig config;
        config.variant = "hybrid_sqare";
        const std::vector<ConfigProblem> problems = model::problemsOfRun(config);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().field, std::string("variant"));
        QVERIFY(problems.front().message.find("hybrid_square") < problems.front().message.find("partial_rope"));
        QVERIFY_THROWS_EXCEPTION(Error, model::variantInfo("hybrid_sqare"));
        QVERIFY_THROWS_EXCEPTION(Error, model::requireRunnable(config));
    }

    void oddRotatedWidthIsRefused()
    {
        RunConfig config = helpers::smallConfig("rope");
        config.query_heads = 8; // head width 3
        config.kv_heads = 8;
        QCOMPARE(model::problemsOfRun(config).size(), std::size_t{1});
        QCOMPARE(model::problemsOfRun(config).front().field, std::string("query_heads"));
        QVERIFY_THROWS_EXCEPTION(Error, model::Transformer(config, at::kFloat, at::kCPU));
        config.variant = "hybrid_square_kda"; // rotates nothing
        QVERIFY(model::problemsOfRun(config).empty());
        config.variant = "partial_rope"; // 12 heads of 2: half of it is 1
        config.query_heads = 12;
        config.kv_heads = 12;
        QCOMPARE(model::problemsOfRun(config).size(), std::size_t{1});
    }

    void initialValuesAreAFunctionOfSeedAndName()
    {
        RunConfig config;
        config.variant = "hybrid_square_kda";
        model::Transformer first(config, at::kFloat, at::kCPU);
        model::Transformer second(config, at::kFloat, at::kCPU);
        first.initialise(5);
        second.initialise(6);
        const auto other = byName(second.parameters());
        second.initialise(5);
        config.variant = "rope";
        model::Transformer rope(config, at::kFloat, at::kCPU);
        rope.initialise(5);
        const auto again = byName(second.parameters());
        const auto ofRope = byName(rope.parameters());
        for (const auto &[name, tensor] : first.parameters()) {
            QCOMPARE(largestDifference(tensor, again.at(name)), 0.0);
            if (ofRope.contains(name) && ofRope.at(name).sizes() == tensor.sizes())
                QCOMPARE(largestDifference(tensor, ofRope.at(name)), 0.0);
        }
    }

    void initialValuesFollowPyTorch()
    {
        RunConfig config;
        config.variant = "hybrid_square_kda";
        model::Transformer model(config, at::kDouble, at::kCPU);
        model.initialise(1);
        const auto all = byName(model.parameters());
        const auto isUniform = [&](const std::string &name, double fanIn) {
            const at::Tensor tensor = all.at(name).detach();
            const double bound = 1.0 / std::sqrt(fanIn);
            const double count = static_cast<double>(tensor.numel());
            const double mean = tensor.mean().item<double>();
            const double variance = tensor.square().mean().item<double>();
            // Four standard errors of mean and variance of a uniform distribution.
            return tensor.abs().max().item<double>() <= bound && std::abs(mean) < 4 * bound / std::sqrt(3 * count)
                && std::abs(variance - bound * bound / 3) < 4 * bound * bound * std::sqrt(4.0 / 45.0 / count);
        };
        QVERIFY(isUniform("layers.0.Wq.weight", 128));
        QVERIFY(isUniform("layers.0.conv.weight", 4));
        QVERIFY(isUniform("layers.0.Wf2.weight", 16));
        QVERIFY(isUniform("layers.1.Wd.weight", 512));
        QVERIFY(isUniform("W_out.weight", 128));
        const at::Tensor embedding = all.at("E.weight").detach();
        QVERIFY(std::abs(embedding.mean().item<double>()) < 4.0 / std::sqrt(1536.0));
        QVERIFY(std::abs(embedding.square().mean().item<double>() - 1.0) < 4.0 * std::sqrt(2.0 / 1536.0));
        QCOMPARE(all.at("norm_f.weight").min().item<double>(), 1.0);
        QCOMPARE(all.at("layers.0.rms_w").max().item<double>(), 1.0);
        QCOMPARE(all.at("layers.0.A").abs().max().item<double>(), 0.0);
        // softplus of the decay bias lies in [1e-3, 1e-1] and spreads over it.
        const at::Tensor dt = all.at("layers.0.b_alpha").detach().exp().log1p();
        QVERIFY(dt.min().item<double>() >= 1e-3 - 1e-12 && dt.min().item<double>() < 2e-3);
        QVERIFY(dt.max().item<double>() <= 1e-1 + 1e-12 && dt.max().item<double>() > 5e-2);
    }

    void loadChecksEverythingBeforeItChangesAnything()
    {
        const RunConfig config = helpers::smallConfig("rope");
        model::Transformer model = helpers::peakedModel(config);
        const at::Tensor before = model.parameters().front().second.detach().clone();
        std::vector<model::NamedTensor> values;
        for (const auto &[name, tensor] : model.parameters())
            values.emplace_back(name, tensor.detach().clone() + 1.0);
        const auto refused = [&](const std::vector<model::NamedTensor> &given, const std::string &word) {
            try {
                model.load(given);
            } catch (const Error &error) {
                return error.details().find(word) != std::string::npos
                    && largestDifference(before, model.parameters().front().second) == 0.0;
            }
            return false;
        };
        std::vector<model::NamedTensor> given = values;
        given.pop_back();
        QVERIFY(refused(given, "missing"));
        given = values;
        given.emplace_back("layers.9.Wq.weight", at::zeros({2, 2}));
        QVERIFY(refused(given, "layers.9.Wq.weight"));
        given = values;
        given.back().second = at::zeros({2, 2});
        QVERIFY(refused(given, "[2, 2]"));
        given = values;
        given.back().second = at::zeros(given.back().second.sizes(), at::kLong);
        QVERIFY(refused(given, "floating-point"));
        given = values;
        given.push_back(values.front());
        QVERIFY(refused(given, "twice"));
        model.load(values);
        QCOMPARE(largestDifference(before + 1.0, model.parameters().front().second), 0.0);
    }

    void laterTokensChangeNothingBefore_data() { helpers::eachVariant(); }
    void laterTokensChangeNothingBefore()
    {
        const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig());
        const at::NoGradGuard noGrad;
        const at::Tensor tokens = helpers::tokens({1, 41}, 8);
        at::Tensor changed = tokens.clone();
        changed[0][30] = (changed[0][30] + 1).remainder(12);
        const at::Tensor difference = (model.forward(tokens) - model.forward(changed)).abs().amax(-1).squeeze(0);
        QVERIFY(difference.narrow(0, 0, 30).max().item<double>() < 1e-13);
        QVERIFY(difference[30].item<double>() > 1e-6);
    }

    void windowSeesExactlyItsTokens()
    {
        // With windowed layers only, 3 layers of window 7 reach 18 tokens back and no further.
        model::addVariant({.info = {.id = "windows_only",
                                    .explanation = "test",
                                    .source = "test",
                                    .pattern = {{.rotaryFraction = 1.0, .isWindowed = true}}},
                           .makeDesign = model::makeSoftmaxAttention});
        const model::Transformer model = helpers::peakedModel(helpers::smallConfig("windows_only"));
        const at::NoGradGuard noGrad;
        const at::Tensor tokens = helpers::tokens({1, 60}, 9);
        at::Tensor changed = tokens.clone();
        changed[0][20] = (changed[0][20] + 1).remainder(12);
        const at::Tensor difference = (model.forward(tokens) - model.forward(changed)).abs().amax(-1).squeeze(0);
        QVERIFY(difference[38].item<double>() > 1e-12);
        QCOMPARE(difference.narrow(0, 39, 21).max().item<double>(), 0.0);
    }

    void gradientsAgreeWithFiniteDifferences_data() { helpers::eachVariant(); }
    void gradientsAgreeWithFiniteDifferences()
    {
        RunConfig config = helpers::fetchedConfig();
        config.pairs = 2;
        const model::Transformer model = helpers::peakedModel(config);
        const at::Tensor tokens = helpers::tokens({2, 19}, 12);
        const at::Tensor weight = helpers::normal({2, 19, 12}, 13);
        const auto value = [&] { return (model.forward(tokens) * weight).sum(); };
        value().backward();
        std::uint64_t seed = 200;
        for (const auto &[name, tensor] : model.parameters()) {
            const at::NoGradGuard noGrad;
            const at::Tensor direction = helpers::normal(tensor.sizes(), ++seed);
            const double expected = (tensor.grad() * direction).sum().item<double>();
            const double step = 1e-6;
            tensor.add_(direction, step);
            const double above = value().item<double>();
            tensor.sub_(direction, 2 * step);
            const double below = value().item<double>();
            tensor.add_(direction, step);
            const double measured = (above - below) / (2 * step);
            // Central differences: error step^2 times a third derivative of some thousands.
            QVERIFY2(std::abs(measured - expected) < 1e-4 * std::max(1.0, std::abs(expected)), name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestModel)
#include "test_model_torch.moc"
