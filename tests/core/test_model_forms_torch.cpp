// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Training, evaluation and streaming forms of a model agree, also when it is changed at evaluation.
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

/// Bytes of CPU tensors alive in this thread, and the most there were.
class MemoryMeter final : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void *, std::int64_t bytes, size_t, size_t, c10::Device) override
    {
        now += bytes;
        most = std::max(most, now);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::int64_t now = 0;
    std::int64_t most = 0;
};

template <typename Body> std::int64_t peakBytes(Body body)
{
    const auto meter = std::make_shared<MemoryMeter>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    body();
    return meter->most;
}

} // namespace

class TestModelForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    void forwardAtIsForwardAtThosePositions_data() { helpers::eachVariant(); }
    void forwardAtIsForwardAtThosePositions()
    {
        const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig());
        const at::Tensor tokens = helpers::tokens({3, 23}, 7);
        const at::Tensor all = model.forward(tokens).flatten(0, 1);
        const std::vector<std::vector<std::int64_t>> choices{
            {0, 5, 22, 23, 24, 45, 46, 47, 68}, // three of each sequence
            {4, 4, 30, 29, 68, 46}, // in any order, one twice
            {1, 2, 3, 4}, // one sequence only
            {1, 30, 31, 32, 33, 60}, // as many as three each, but not
            {68},
        };
        for (const std::vector<std::int64_t> &choice : choices) {
            const at::Tensor positions = at::zeros({std::ssize(choice)}, at::kLong);
            for (std::size_t i = 0; i < choice.size(); ++i)
                positions[static_cast<std::int64_t>(i)] = choice[i];
            const at::Tensor wanted = all.index_select(0, positions);
            const at::Tensor chosen = model.forwardAt(tokens, positions);
            QVERIFY(largestDifference(chosen, wanted) < 1e-12);
            const auto gradients = [&](const at::Tensor &logits) {
                for (const auto &[name, tensor] : model.parameters())
                    tensor.mutable_grad().reset();
                (at::log_softmax(logits, -1) * helpers::normal(logits.sizes(), 3)).sum().backward({}, true);
                std::vector<at::Tensor> copies;
                for (const auto &[name, tensor] : model.parameters())
                    copies.push_back(tensor.grad().clone());
                return copies;
            };
            const std::vector<at::Tensor> fromAll = gradients(wanted);
            const std::vector<at::Tensor> fromChosen = gradients(chosen);
            for (std::size_t i = 0; i < fromAll.size(); ++i)
                QVERIFY(largestDifference(fromAll[i], fromChosen[i]) < 1e-11);
        }
    }

    void evaluationEqualsForward_data() { helpers::eachVariant(); }
    void evaluationEqualsForward()
    {
        const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig());
        const at::NoGradGuard noGrad;
        // Around blocks, windows and chunks; 700 tokens take several pieces of full attention.
        for (const std::int64_t length : {1, 2, 6, 7, 8, 15, 16, 17, 31, 32, 33, 100, 511, 513, 700}) {
            const at::Tensor tokens = helpers::tokens({length}, static_cast<std::uint64_t>(length));
            const at::Tensor whole = model.forward(tokens.unsqueeze(0)).squeeze(0);
            const at::Tensor backwards = at::arange(length - 1, -1, -2, at::kLong);
            const at::Tensor chosen = model.evaluateAt(tokens, backwards);
            QVERIFY2(largestDifference(chosen, whole.index_select(0, backwards)) < 1e-11,
                     qPrintable(QString::number(length)));
        }
        const at::Tensor none = model.evaluateAt(helpers::tokens({9}, 1), at::zeros({0}, at::kLong));
        QCOMPARE(none.size(0), 0);
    }

    /// Fused streams in float32, in pieces and with chosen rows, against plain operations in float64.
    void fusedEvaluationEqualsForward_data() { helpers::eachVariant(); }
    void fusedEvaluationEqualsForward()
    {
        RunConfig config = helpers::fetchedConfig();
        const model::Transformer exact = helpers::peakedModel(config);
        model::Transformer plain = helpers::peakedModel(config, at::kFloat);
        const model::Transformer fused = helpers::peakedModel(config, at::kFloat);
        plain.setKernels(Kernels::Reference);
        const at::NoGradGuard noGrad;
        for (const std::int64_t length : {1, 7, 64, 65, 300, 1100}) {
            const at::Tensor tokens = helpers::tokens({length}, static_cast<std::uint64_t>(length));
            const at::Tensor backwards = at::arange(length - 1, -1, -3, at::kLong);
            const at::Tensor right = exact.evaluateAt(tokens, backwards);
            const double usual = largestDifference(plain.evaluateAt(tokens, backwards).to(at::kDouble), right);
            const double ours = largestDifference(fused.evaluateAt(tokens, backwards).to(at::kDouble), right);
            QVERIFY2(ours <= 3 * usual + 1e-5,
                     qPrintable(QStringLiteral("%1 tokens: %2, plain %3").arg(length).arg(ours).arg(usual)));
            const at::Tensor whole = exact.forward(tokens.unsqueeze(0)).squeeze(0);
            const std::unique_ptr<model::TransformerStream> stream = fused.stream(length);
            for (std::int64_t begin = 0, piece = 1; begin < length; begin += piece, piece = piece * 2 + 1) {
                piece = std::min(piece, length - begin);
                const at::Tensor here = stream->feed(tokens.narrow(0, begin, piece)).to(at::kDouble);
                QVERIFY2(largestDifference(here, whole.narrow(0, begin, piece)) <= 3 * usual + 1e-5,
                         qPrintable(QString::number(begin)));
            }
        }
    }

    void evaluationMemoryIsLinear_data() { helpers::eachVariant(); }
    void evaluationMemoryIsLinear()
    {
        RunConfig config = helpers::fetchedConfig();
        config.d_model = 8;
        config.query_heads = 2;
        config.kv_heads = 2;
        config.pairs = 4;
        config.ffn_hidden = 8;
        const auto peak = [&](std::int64_t pairs, std::int64_t length) {
            config.pairs = pairs;
            const model::Transformer model = helpers::peakedModel(config, at::kFloat);
            const at::Tensor tokens = helpers::tokens({length}, 3);
            const at::Tensor positions = at::arange(10, length, 100, at::kLong);
            return peakBytes([&] { model.evaluateAt(tokens, positions); });
        };
        // Full matrices would be 16 times as large at four times the length; 128 MiB of logits pieces are the constant.
        const std::int64_t shorter = peak(4, 2048);
        const std::int64_t longer = peak(4, 8192);
        QVERIFY2(longer < 4 * shorter, qPrintable(QString::number(longer) + u' ' + QString::number(shorter)));
        QVERIFY2(longer < std::int64_t{160} << 20, qPrintable(QString::number(longer)));
        // Each layer keeps a table of rotations, nothing else.
        QVERIFY2(peak(8, 2048) < shorter + shorter / 10 + (1 << 18), "more layers must not need more memory");
    }

    void cancelledEvaluationSaysSo()
    {
        const model::Transformer model = helpers::peakedModel(helpers::smallConfig("hybrid"));
        std::stop_source source;
        source.request_stop();
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, model.evaluateAt(helpers::tokens({9}, 1), at::zeros({1}, at::kLong), source.get_token()));
    }

    // S44: a sequence fed whole equals the same fed in pieces, whatever the cut.
    void piecesEqualTheWhole_data() { helpers::eachVariant(); }
    void piecesEqualTheWhole()
    {
        const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig());
        const at::NoGradGuard noGrad;
        const std::int64_t length = 75;
        const at::Tensor tokens = helpers::tokens({length}, 11);
        const at::Tensor whole = model.forward(tokens.unsqueeze(0)).squeeze(0);
        const auto inPieces = [&](const std::vector<std::int64_t> &pieces) {
            const auto stream = model.stream(length);
            std::vector<at::Tensor> logits;
            std::int64_t begin = 0;
            for (const std::int64_t piece : pieces) {
                logits.push_back(stream->feed(tokens.narrow(0, begin, piece)));
                begin += piece;
            }
            return largestDifference(at::cat(logits), whole.narrow(0, 0, begin));
        };
        for (std::int64_t cut = 1; cut < length; ++cut)
            QVERIFY2(inPieces({cut, length - cut}) < 1e-11, qPrintable(QString::number(cut)));
        QVERIFY(inPieces({length}) < 1e-11);
        QVERIFY(inPieces(std::vector<std::int64_t>(75, 1)) < 1e-11);
        QVERIFY(inPieces({1, 2, 3, 16, 17, 15, 1, 1, 19}) < 1e-11);
        Philox generator(4);
        for (int round = 0; round < 20; ++round) {
            std::vector<std::int64_t> pieces;
            for (std::int64_t left = length; left > 0; left -= pieces.back())
                pieces.push_back(1
                                 + static_cast<std::int64_t>(
                                     generator.below(static_cast<std::uint64_t>(std::min<std::int64_t>(left, 20)))));
            QVERIFY(inPieces(pieces) < 1e-11);
        }
    }

    // What later analyses change at evaluation, in all forms of a sublayer.
    void changesHoldInEveryForm_data() { helpers::eachVariant(); }
    void changesHoldInEveryForm()
    {
        const RunConfig config = helpers::fetchedConfig();
        model::Transformer model = helpers::peakedModel(config);
        const at::NoGradGuard noGrad;
        const at::Tensor tokens = helpers::tokens({45}, 14);
        const at::Tensor all = at::arange(0, 45, at::kLong);
        const at::Tensor unchanged = model.forward(tokens.unsqueeze(0)).squeeze(0);
        model::EvaluationChanges changes;
        changes.rotaryTable = [](const at::Tensor &positions, std::int64_t width, double base,
                                 const at::TensorOptions &options) {
            return kernels::rotaryTable(positions.to(at::kDouble) * 0.5, width, base, options);
        };
        changes.temperature = 1.5;
        changes.keyCodec = [](const at::Tensor &key) { return (key * 8.0).round() / 8.0; };
        changes.valueCodec = [](const at::Tensor &value) { return (value * 4.0).round() / 4.0; };
        changes.headGain_H = at::arange(0, config.query_heads, at::kDouble) / 3.0; // head 0 is gone
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer)
            model.setChanges(layer, changes);
        const at::Tensor changed = model.forward(tokens.unsqueeze(0)).squeeze(0);
        QVERIFY(largestDifference(changed, unchanged) > 1e-3);
        QVERIFY(largestDifference(model.evaluateAt(tokens, all), changed) < 1e-11);
        QVERIFY(largestDifference(model.forwardAt(tokens.unsqueeze(0), all), changed) < 1e-11);
        const auto stream = model.stream(45);
        const at::Tensor first = stream->feed(tokens.narrow(0, 0, 20));
        QVERIFY(largestDifference(at::cat({first, stream->feed(tokens.narrow(0, 20, 25))}), changed) < 1e-11);
        const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
            const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
            const at::Tensor normed = model.normedInput(layer, input);
            const model::AttentionDesign &design = model.attention(layer);
            const at::Tensor mixed = at::matmul(model.attentionMap(layer, input, 0, 45), design.values(normed));
            const at::Tensor output = design.forward(normed.unsqueeze(0), {}).squeeze(0);
            QVERIFY(largestDifference(design.outputFromMixed(mixed, normed), output) < 1e-12);
        }
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer)
            model.setChanges(layer, {});
        QCOMPARE(largestDifference(model.forward(tokens.unsqueeze(0)).squeeze(0), unchanged), 0.0);
    }

    void changesMeanWhatTheySay()
    {
        const at::NoGradGuard noGrad;
        RunConfig config = helpers::smallConfig("hybrid_nowindow");
        const at::Tensor tokens = helpers::tokens({1, 30}, 15);
        model::Transformer changed = helpers::peakedModel(config);
        model::Transformer other = helpers::peakedModel(config);
        const auto changeAll = [&](const model::EvaluationChanges &changes) {
            for (std::int64_t layer = 0; layer < changed.attentionLayers(); ++layer)
                changed.setChanges(layer, changes);
        };
        const auto difference = [&] { return largestDifference(changed.forward(tokens), other.forward(tokens)); };

        // A temperature of 2 is half of every query projection.
        model::EvaluationChanges warmer;
        warmer.temperature = 2.0;
        changeAll(warmer);
        for (const auto &[name, tensor] : other.parameters()) {
            if (name.ends_with("Wq.weight"))
                tensor.mul_(0.5);
        }
        QVERIFY(difference() < 1e-12);

        // A removed head is a part of the output projection that is zero.
        other = helpers::peakedModel(config);
        model::EvaluationChanges without;
        without.headGain_H = at::ones({config.query_heads});
        without.headGain_H[2] = 0.0;
        changeAll(without);
        for (const auto &[name, tensor] : other.parameters()) {
            if (name.ends_with("Wo.weight"))
                tensor.narrow(1, 2 * config.headWidth(), config.headWidth()).zero_();
        }
        QVERIFY(difference() < 1e-12);

        // Another base is another configuration.
        config.rope_base = 500.0;
        other = helpers::peakedModel(config);
        model::EvaluationChanges base;
        base.rotaryTable = [](const at::Tensor &positions, std::int64_t width, double,
                              const at::TensorOptions &options) {
            return kernels::rotaryTable(positions, width, 500.0, options);
        };
        changeAll(base);
        QVERIFY(difference() < 1e-12);
    }
};

QTEST_GUILESS_MAIN(TestModelForms)
#include "test_model_forms_torch.moc"
