// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Fused kernels at the lengths where chunked computations go wrong: shorter than a chunk, at its borders, and beyond
// 65,536 tokens; and sweeps over many lengths.
#include <algorithm>
#include <fstream>
#include <string>

#include <QTest>

#include "core/kernels/attention_torch.h"
#include "core/kernels/fused/attention_stream_torch.h"
#include "core/kernels/fused/kda_stream_torch.h"
#include "core/model/kda_layer_torch.h"
#include "core/model/transformer_torch.h"
#include "core/torch_thread.h"
#include "core/train/training_step_torch.h"
#include "tests/core/fused_helpers_torch.h"
#include "tests/core/sanitizer_memory.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;

namespace {

constexpr std::int64_t kLongTokens = 65536 + 19;

RunConfig kdaConfig(std::int64_t heads, std::int64_t headWidth)
{
    RunConfig config;
    config.d_model = heads * headWidth;
    config.query_heads = heads;
    config.kv_heads = heads;
    return config;
}

Tensors kdaParameters(Draws &draws, const model::KdaLayer &layer, at::ScalarType type)
{
    Tensors parameters;
    for (const model::ParameterInfo &parameter : layer.parameters()) {
        const at::Tensor drawn = draws.normal(parameter.shape, 0.4);
        parameters.push_back((parameter.name == "rms_w" ? 1.0 + drawn : drawn).to(type));
    }
    return parameters;
}

double relativeDistance(const at::Tensor &ours, const at::Tensor &right)
{
    return distance(ours.to(at::kDouble), right.to(at::kDouble)) / (right.norm().item<double>() + 1e-12);
}

double residentBytes()
{
    if (const auto bytes = sanitizerBytesInUse())
        return double(*bytes);
    std::ifstream statm("/proc/self/statm");
    double pages = 0.0;
    double resident = 0.0;
    statm >> pages >> resident;
    return resident * 4096.0;
}

} // namespace

class TestFusedLong : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chunkTails_data()
    {
        QTest::addColumn<int>("tokens");
        for (const int tokens : {1, 2, 3, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49})
            QTest::addRow("%d", tokens) << tokens;
    }
    void chunkTails()
    {
        QFETCH(int, tokens);
        Draws draws(static_cast<std::uint64_t>(tokens));
        const RunConfig config = kdaConfig(2, 8);
        model::KdaLayer layer(config);
        Tensors in{draws.normal({3, tokens, 16}, 1.0), 1.0 + draws.normal({16}, 0.2)};
        const Tensors parameters = kdaParameters(draws, layer, at::kDouble);
        in.insert(in.end(), parameters.begin(), parameters.end());
        const at::Tensor dOutput = draws.normal({3, tokens, 16}, 1.0);
        const auto plain = [&](const Tensors &x) {
            model::KdaLayer own(config);
            own.bind({x.begin() + 2, x.end()});
            return x[0] + own.forward(plainNorm(x[0], x[1]), {});
        };
        const auto fused = [&](const Tensors &x) {
            model::KdaLayer own(config);
            own.bind({x.begin() + 2, x.end()});
            return own.fusedSublayer(x[0], x[1], {}, Precision::Float32);
        };
        const Outcome exact = outcomeOf(in, dOutput, at::kDouble, plain);
        compare(exact, outcomeOf(in, dOutput, at::kFloat, plain), outcomeOf(in, dOutput, at::kFloat, fused), 30.0);
        // The last token's row counts as every other does.
        QVERIFY(exact.gradients[0].select(1, tokens - 1).abs().max().item<double>() > 0.0);
    }

    void recurrenceBeyond65536Tokens()
    {
        const at::NoGradGuard noGrad;
        Draws draws(1);
        model::KdaLayer layer(kdaConfig(1, 4));
        Tensors parameters = kdaParameters(draws, layer, at::kFloat);
        layer.bind(parameters);
        const at::Tensor normed_TD = draws.normal({kLongTokens, 4}, 1.0).to(at::kFloat);
        model::KdaLayer exact(kdaConfig(1, 4));
        for (at::Tensor &parameter : parameters)
            parameter = parameter.to(at::kDouble);
        exact.bind(parameters);
        const at::Tensor right_TD = exact.forward(normed_TD.to(at::kDouble).unsqueeze(0), {}).squeeze(0);
        const auto stream = layer.fusedStream(kLongTokens);
        Tensors pieces;
        for (std::int64_t first = 0; first < kLongTokens; first += 1000)
            pieces.push_back(
                stream->feed(normed_TD.narrow(0, first, std::min<std::int64_t>(1000, kLongTokens - first)), {}));
        const at::Tensor found_TD = at::cat(pieces);
        QCOMPARE(found_TD.size(0), kLongTokens);
        QVERIFY(relativeDistance(found_TD, right_TD) < 1e-5);
        QVERIFY(relativeDistance(found_TD.narrow(0, kLongTokens - 19, 19), right_TD.narrow(0, kLongTokens - 19, 19))
                < 1e-5);
    }

    void attentionBeyond65536Tokens_data()
    {
        QTest::addColumn<int>("window");
        QTest::addColumn<bool>("isSquared");
        QTest::addRow("full") << 0 << false;
        QTest::addRow("full, squared") << 0 << true;
        QTest::addRow("window") << 13 << true;
    }
    void attentionBeyond65536Tokens()
    {
        QFETCH(int, window);
        QFETCH(bool, isSquared);
        const at::NoGradGuard noGrad;
        Draws draws(2);
        const std::int64_t width = 8;
        const kernels::fused::AttentionForm form{
            .heads = 2, .groups = 1, .headWidth = 4, .window = window, .isSquared = isSquared, .queryScale = 0.5};
        const auto weight = [&](std::int64_t rows, std::int64_t columns) {
            return draws.normal({rows, columns}, 0.5).to(at::kFloat);
        };
        const kernels::fused::AttentionWeights weights{
            {}, weight(8, width), weight(4, width), weight(4, width), weight(width, 8)};
        const at::Tensor normed_TD = draws.normal({kLongTokens, width}, 1.0).to(at::kFloat);
        kernels::fused::StreamedAttention stream(weights, form, kLongTokens);
        // Only the last rows are asked for, in two pieces across the border.
        const std::int64_t before = 65500;
        stream.feed(normed_TD.narrow(0, 0, before), {}, {}, at::zeros({1}, at::kLong));
        const at::Tensor found_QD = stream.feed(normed_TD.narrow(0, before, kLongTokens - before), {}, {}, {});

        const auto project = [&](const at::Tensor &x, const at::Tensor &w, std::int64_t heads) {
            return at::linear(x.to(at::kDouble), w.to(at::kDouble)).unflatten(1, {heads, 4}).transpose(0, 1);
        };
        const std::int64_t queries = kLongTokens - before;
        const at::Tensor query = project(normed_TD.narrow(0, before, queries), weights.query, 2).unsqueeze(0) * 0.5;
        const at::Tensor key = project(normed_TD, weights.key, 1).unsqueeze(0);
        const at::Tensor value = project(normed_TD, weights.value, 1).unsqueeze(0);
        const at::Tensor mask = kernels::visibilityMask(at::arange(before, kLongTokens, at::kLong), 0, kLongTokens,
                                                        window, query.options());
        const at::Tensor mixed = kernels::mixValues(kernels::attentionWeights(query, key, mask, isSquared), value);
        const at::Tensor right_QD =
            at::linear(mixed.squeeze(0).transpose(0, 1).flatten(1), weights.output.to(at::kDouble));
        QVERIFY(relativeDistance(found_QD, right_QD) < 1e-5);
    }

    /// The second sweep over many lengths finds all buffers that it needs.
    void memoryDoesNotGrowWithTheVarietyOfLengths_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"hybrid_square", "rope", "hybrid_square_kda"})
            QTest::addRow("%s", variant) << QString::fromLatin1(variant);
    }
    void memoryDoesNotGrowWithTheVarietyOfLengths()
    {
        QFETCH(QString, variant);
        RunConfig config = smallConfig(variant.toStdString(), 10);
        config.batch = 8;
        config.curriculum.clear();
        model::Transformer model(config, at::kFloat, at::kCPU);
        model.initialise(1);
        const auto parameters = model.parameters();
        for (const auto &[name, parameter] : parameters)
            parameter.requires_grad_(true);
        const auto sweep = [&] {
            for (std::int64_t n = 1; n <= 40; ++n) {
                RunConfig one = config;
                one.n_keys = n;
                const train::Batch batch = train::trainingBatch(one, n, at::kCPU);
                for (const auto &[name, parameter] : parameters)
                    parameter.mutable_grad() = at::Tensor();
                train::forwardAndBackward(model, parameters, batch);
                const at::NoGradGuard noGrad;
                model.evaluateAt(batch.tokens_BT[0], at::arange(batch.tokens_BT.size(1)));
            }
            returnFreedMemory();
            return residentBytes();
        };
        sweep();
        const double first = sweep();
        double last = first;
        for (int i = 0; i < 3; ++i)
            last = sweep();
        QVERIFY2(last - first < 8e6, qPrintable(QString::number(last - first)));
    }
};

QTEST_GUILESS_MAIN(TestFusedLong)
#include "test_fused_long_torch.moc"
