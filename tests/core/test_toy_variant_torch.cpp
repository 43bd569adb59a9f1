// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>

#include <QTest>

#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_definition.h"
#include "core/model/variant_registry.h"
#include "core/train/adamw_torch.h"
#include "core/train/schedule.h"
#include "core/train/training_step_torch.h"
#include "model_helpers_torch.h"

// A variant in one file, as specs/adding-a-variant.md walks through it: "fading" averages the past with weights that
// fade by a learned factor a head, and mixes it through Wv and Wo. It cannot retrieve, but it can count digits.

using namespace lookback;
using helpers::largestDifference;

namespace {

// Shapes: B sequences, T tokens, H heads, C head width, D model width.
class FadingAverage final : public model::AttentionDesign {
public:
    explicit FadingAverage(const RunConfig &config)
        : m_modelWidth(config.d_model), m_heads(config.query_heads), m_width(config.headWidth())
    {
    }

    std::vector<model::ParameterInfo> parameters() const override
    {
        return {{"Wv.weight", {m_heads * m_width, m_modelWidth}},
                {"Wo.weight", {m_modelWidth, m_heads * m_width}},
                {"fade", {m_heads}, model::initialZero}};
    }

    void bind(const std::vector<at::Tensor> &tensors) override
    {
        m_value = tensors.at(0);
        m_output = tensors.at(1);
        m_fade = tensors.at(2);
    }

    at::Tensor forward(const at::Tensor &normed_BTD, const at::Tensor &queries_BQ) const override
    {
        const at::Tensor mixed_BHTC = at::matmul(weights(normed_BTD.size(1)), split(at::linear(normed_BTD, m_value)));
        const at::Tensor output_BTD = at::linear(mixed_BHTC.transpose(1, 2).flatten(2), m_output);
        if (!queries_BQ.defined())
            return output_BTD;
        return output_BTD.gather(1, queries_BQ.unsqueeze(2).expand({-1, -1, m_modelWidth}));
    }

    std::unique_ptr<model::AttentionStream> stream(std::int64_t) const override
    {
        class Stream final : public model::AttentionStream {
        public:
            explicit Stream(const FadingAverage &design) : m_design(design) { }
            at::Tensor feed(const at::Tensor &normed_PD, const at::Tensor &rows_Q) override
            {
                m_read = m_read.defined() ? at::cat({m_read, normed_PD}) : normed_PD;
                const at::Tensor all_TD = m_design.forward(m_read.unsqueeze(0), {}).squeeze(0);
                const at::Tensor piece_PD = all_TD.narrow(0, all_TD.size(0) - normed_PD.size(0), normed_PD.size(0));
                return rows_Q.defined() ? piece_PD.index_select(0, rows_Q) : piece_PD;
            }
            std::int64_t pieceTokens(std::int64_t) const override { return 64; }

        private:
            const FadingAverage &m_design;
            at::Tensor m_read;
        };
        return std::make_unique<Stream>(*this);
    }

    std::unique_ptr<model::MapReader> mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                                model::HeadRange heads) const override
    {
        class Reader final : public model::MapReader {
        public:
            Reader(at::Tensor weights_HTT, std::int64_t first)
                : m_weights_HTT(std::move(weights_HTT)), m_next(first) { }
            at::Tensor next(std::int64_t rows) override
            {
                m_next += rows;
                return m_weights_HTT.narrow(1, m_next - rows, rows);
            }

        private:
            at::Tensor m_weights_HTT;
            std::int64_t m_next;
        };
        return std::make_unique<Reader>(weights(normed_TD.size(0)).narrow(0, heads.begin, heads.count()), firstQuery);
    }

    at::Tensor values(const at::Tensor &normed_TD) const override
    {
        return split(at::linear(normed_TD.unsqueeze(0), m_value)).squeeze(0);
    }

    at::Tensor outputFromMixed(const at::Tensor &mixed_HTC, const at::Tensor &) const override
    {
        return at::linear(mixed_HTC.transpose(0, 1).flatten(1), m_output);
    }

    double forwardFlop(std::int64_t tokens) const override
    {
        const double inner = static_cast<double>(m_heads * m_width);
        const double length = static_cast<double>(tokens);
        return 4.0 * length * static_cast<double>(m_modelWidth) * inner + 2.0 * length * length * inner;
    }

private:
    at::Tensor split(const at::Tensor &joined_BTE) const
    {
        return joined_BTE.unflatten(2, {m_heads, m_width}).transpose(1, 2);
    }

    /// sigmoid(fade_h)^(i - j) over j <= i, rows scaled to sum 1: [H, T, T].
    at::Tensor weights(std::int64_t tokens) const
    {
        const at::Tensor position_T = at::arange(0, tokens, m_fade.options().requires_grad(false));
        const at::Tensor distance_TT = position_T.unsqueeze(1) - position_T;
        const at::Tensor log_H11 = m_fade.sigmoid().log().view({-1, 1, 1});
        return (log_H11 * distance_TT).masked_fill(distance_TT.lt(0), -INFINITY).softmax(-1);
    }

    std::int64_t m_modelWidth;
    std::int64_t m_heads;
    std::int64_t m_width;
    at::Tensor m_value;
    at::Tensor m_output;
    at::Tensor m_fade;
};

model::VariantDefinition fading()
{
    return {.info = {.id = "toy_fading",
                     .family = model::Family::Own,
                     .logits = model::LogitForm::Plain,
                     .explanation = "An average that fades, then all tokens with RoPE",
                     .source = "this test",
                     .pattern = {{.design = "fading"}, {.rotaryFraction = 1.0}}},
            .makeDesign = [](const RunConfig &config, const model::SublayerInfo &sublayer,
                             std::int64_t layer) -> std::unique_ptr<model::AttentionDesign> {
                if (sublayer.design == "fading")
                    return std::make_unique<FadingAverage>(config);
                return model::makeSoftmaxAttention(config, sublayer, layer);
            }};
}

} // namespace

class TestToyVariant : public QObject {
    Q_OBJECT

    RunConfig m_config = helpers::smallConfig("toy_fading");

private Q_SLOTS:
    void initTestCase()
    {
        at::set_num_threads(1);
        model::addVariant(fading());
        m_config.pairs = 2;
        m_config.batch = 16;
        m_config.steps = 30;
        m_config.warmup_steps = 5;
        m_config.learning_rate = 1e-2;
    }

    void appearsInTheRegistry()
    {
        QCOMPARE(model::variants().back().id, std::string("toy_fading"));
        QCOMPARE(model::variantInfo("toy_fading").sublayer(2).design, std::string("fading"));
        QCOMPARE(model::variantInfo("toy_fading").sublayer(0).words(),
                 std::string("fading: no position, sees all tokens"));
        QVERIFY_THROWS_EXCEPTION(Error, model::addVariant(fading()));
        model::VariantDefinition empty = fading();
        empty.info.id = "empty";
        empty.info.pattern.clear();
        QVERIFY_THROWS_EXCEPTION(Error, model::addVariant(empty));
        QVERIFY(model::problemsOfRun(m_config).empty());
        QVERIFY(model::parameterCount(m_config) > 0);
        QVERIFY(model::trainingStepFlop(m_config, 4) > 0.0);
    }

    void evaluatesAsItTrains()
    {
        const model::Transformer model = helpers::peakedModel(m_config);
        const at::NoGradGuard noGrad;
        const at::Tensor tokens = helpers::tokens({150}, 1);
        const at::Tensor whole = model.forward(tokens.unsqueeze(0)).squeeze(0);
        const at::Tensor some = at::arange(3, 150, 10, at::kLong);
        QVERIFY(largestDifference(model.evaluateAt(tokens, some), whole.index_select(0, some)) < 1e-12);
        QVERIFY(largestDifference(model.forwardAt(tokens.unsqueeze(0), some), whole.index_select(0, some)) < 1e-12);
    }

    void trains()
    {
        model::Transformer model(m_config, at::kFloat, at::kCPU);
        model.initialise(1);
        const std::vector<model::NamedTensor> parameters = model.parameters();
        train::AdamW optimizer(parameters, m_config);
        std::vector<double> losses;
        for (std::int64_t step = 1; step <= m_config.steps; ++step) {
            optimizer.clearGradients();
            losses.push_back(
                train::forwardAndBackward(model, parameters, train::trainingBatch(m_config, step, at::kCPU)).loss);
            optimizer.update(train::learningRateAt(m_config, step), step);
        }
        // From indifference among twelve tokens (ln 12 = 2.48) to digits only (ln 10 = 2.30).
        QVERIFY(losses.front() > 2.4);
        QVERIFY2(losses.back() < 2.35, qPrintable(QString::number(losses.back())));
        QVERIFY(parameters.size() > 5);
        for (const auto &[name, tensor] : parameters) {
            if (name.ends_with(".fade"))
                QVERIFY(tensor.abs().max().item<double>() > 0.0);
        }
        const eval::AccuracyCurve curve = eval::evaluateModel(model, at::kCPU, m_config.steps, {4, 8}, 4);
        QCOMPARE(curve.points.size(), std::size_t{2});
    }
};

QTEST_GUILESS_MAIN(TestToyVariant)
#include "test_toy_variant_torch.moc"
