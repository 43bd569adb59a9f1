// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/checks_torch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>

#include "core/eval/evaluator_torch.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/kernels/rotary_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/kda_layer_torch.h"
#include "core/train/training_step_torch.h"
#include "core/verify/comparison_torch.h"

namespace lookback::verify {

namespace {

/// Sums in float32 differ by order: about 80 terms of size 1 leave 1e-6, see the README of the fixtures.
struct Tolerances {
    double logits;
    double loss;
    double gradients;
    double attention;
    double kda;
    double state;
};
constexpr Tolerances kFloat32{1e-5, 5e-6, 1e-4, 3e-5, 1e-5, 1e-5};
/// Gradients, maps and KDA intermediates are stored in float32, hence 1e-7 and more.
constexpr Tolerances kFloat64{1e-10, 1e-10, 2e-7, 1e-7, 1e-7, 1e-10};

class VariantCheck {
public:
    VariantCheck(const Fixture &fixture, const CheckContext &context, const RunConfig &config, at::ScalarType type)
        : m_fixture(fixture), m_context(context), m_precision(precisionName(type)),
          m_fallback(type == at::kFloat ? kFloat32 : kFloat64),
          m_model(modelOf(fixture, config, type, context.device, context.kernels)),
          m_sequences(sequencesOf(fixture.at("tokens"), {config.key_digits, config.value_digits})),
          m_batch(train::batchOf(m_sequences, context.device))
    {
    }

    void occurrences() const
    {
        if (!m_fixture.has("second_occurrence"))
            return;
        Comparison comparison(m_fixture.name(), "second occurrences", "exact", 0.0);
        const at::Tensor expected = m_fixture.at("second_occurrence").to(at::kLong).contiguous();
        for (std::size_t b = 0; b < m_sequences.size(); ++b) {
            for (std::size_t entry = 0; entry < m_sequences[b].entries.size(); ++entry) {
                const auto row = static_cast<std::int64_t>(b);
                const auto column = static_cast<std::int64_t>(entry);
                comparison.addExact(m_sequences[b].entries[entry].isSecondOccurrence ? 1 : 0,
                                    expected[row][column].item<std::int64_t>());
            }
        }
        comparison.finish(m_context.report);
    }

    void logits() const
    {
        if (!m_fixture.has("logits"))
            return;
        const at::NoGradGuard noGrad;
        const at::Tensor expected = m_fixture.at("logits");
        Comparison whole = comparison("logits", "logits", m_fallback.logits);
        whole.add(m_model.forward(m_batch.tokens_BT), expected);
        whole.finish(m_context.report);

        // The evaluation path takes query blocks, bands and streams instead of whole matrices.
        Comparison pieces = comparison("logits, evaluated in pieces", "logits", m_fallback.logits);
        const std::int64_t positions = m_batch.tokens_BT.size(1);
        for (std::int64_t b = 0; b < m_batch.tokens_BT.size(0); ++b) {
            const at::Tensor all = at::arange(0, positions, m_batch.positions_S.options());
            pieces.add(m_model.evaluateAt(m_batch.tokens_BT[b], all), expected[b]);
        }
        pieces.finish(m_context.report);
    }

    /// The published tables were made in float32: the same model with such tables, the rest in float64.
    void logitsWithPublishedTables()
    {
        if (!m_fixture.has("logits_float32_angles"))
            return;
        const at::NoGradGuard noGrad;
        model::EvaluationChanges changes;
        changes.rotaryTable = [](const at::Tensor &positions, std::int64_t width, double base,
                                 const at::TensorOptions &options) {
            return kernels::rotaryTable(positions, width, base, options, kernels::AnglePrecision::Single);
        };
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer)
            m_model.setChanges(layer, changes);
        Comparison published = comparison("logits, with tables made in float32", "logits", m_fallback.logits);
        published.add(m_model.forward(m_batch.tokens_BT), m_fixture.at("logits_float32_angles"));
        published.finish(m_context.report);
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer)
            m_model.setChanges(layer, {});
    }

    void lossAndGradients()
    {
        const std::vector<model::NamedTensor> parameters = m_model.parameters();
        const train::StepValues values = train::forwardAndBackward(m_model, parameters, m_batch);
        scalar("loss", "loss", values.loss, m_fallback.loss);
        // Shares of a few dozen digits: exact up to the division.
        scalar("digit_accuracy", "digit accuracy", values.digitAccuracy, 1e-12);
        Comparison gradients = comparison("gradients (% tensors)", "gradients_relative", m_fallback.gradients,
                                          Comparison::Scale::Relative);
        for (const auto &[name, tensor] : parameters) {
            if (m_fixture.has("grad." + name))
                gradients.add(tensor.grad(), m_fixture.at("grad." + name), name);
        }
        gradients.finish(m_context.report);
    }

    void exactMatch() const
    {
        std::int64_t exact = 0;
        std::int64_t answers = 0;
        for (const eval::SequenceScore &score : eval::scoreSequences(m_model, m_context.device, m_sequences))
            exact += score.exact;
        for (const task::Sequence &sequence : m_sequences)
            answers += sequence.n_keys;
        scalar("exact_match", "exact match", static_cast<double>(exact) / static_cast<double>(answers), 1e-12);
    }

    void maps() const
    {
        const std::vector<at::Tensor> inputs = m_model.attentionInputs(m_batch.tokens_BT[0]);
        const std::int64_t positions = m_batch.tokens_BT.size(1);
        Comparison all = comparison("attention maps (% layers)", "attention", m_fallback.attention);
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer) {
            const std::string name = "attention." + std::to_string(2 * layer);
            if (!m_fixture.has(name))
                continue;
            const at::Tensor &input = inputs.at(static_cast<std::size_t>(layer));
            all.add(m_model.attentionMap(layer, input, 0, positions).unsqueeze(0), m_fixture.at(name), name);
        }
        all.finish(m_context.report);
    }

    void kda() const
    {
        const at::NoGradGuard noGrad;
        std::vector<std::vector<at::Tensor>> inputs;
        for (std::int64_t b = 0; b < m_batch.tokens_BT.size(0); ++b)
            inputs.push_back(m_model.attentionInputs(m_batch.tokens_BT[b]));
        for (std::int64_t layer = 0; layer < m_model.attentionLayers(); ++layer) {
            const auto *design = dynamic_cast<const model::KdaLayer *>(&m_model.attention(layer));
            const std::string prefix = "kda." + std::to_string(2 * layer) + ".";
            if (!design || !m_fixture.has(prefix + "state"))
                continue;
            Comparison inner = comparison("KDA inner values, layer " + std::to_string(layer) + " (% tensors)", "kda",
                                          m_fallback.kda, Comparison::Scale::Relative);
            inner.setFloor(1.0);
            Comparison states = comparison("KDA state, layer " + std::to_string(layer), "state", m_fallback.state,
                                           Comparison::Scale::Relative);
            states.setFloor(1.0);
            const at::Tensor expectedStates = m_fixture.at(prefix + "state");
            for (std::size_t b = 0; b < inputs.size(); ++b) {
                const at::Tensor normed =
                    m_model.normedInput(layer, inputs[b].at(static_cast<std::size_t>(layer))).unsqueeze(0);
                const model::KdaInputs in = design->scanInputsOfWhole(normed);
                const kernels::KdaScanResult scan =
                    kernels::kdaScan(in.query_BHTC, in.key_BHTC, in.value_BHTC, in.logDecay_BHTC, in.beta_BHT);
                states.add(scan.state_BHKV, expectedStates.narrow(0, static_cast<std::int64_t>(b), 1));
                if (b > 0)
                    continue; // only the first sequence's inner values are stored
                const std::pair<const char *, at::Tensor> parts[] = {
                    {"query", in.query_BHTC},        {"key", in.key_BHTC},  {"value", in.value_BHTC},
                    {"log_decay", in.logDecay_BHTC}, {"beta", in.beta_BHT}, {"output", scan.output_BHTV},
                };
                for (const auto &[name, tensor] : parts) {
                    if (m_fixture.has(prefix + name))
                        inner.add(tensor.transpose(1, 2), m_fixture.at(prefix + name), prefix + name);
                }
            }
            inner.finish(m_context.report);
            states.finish(m_context.report);
        }
    }

private:
    Comparison comparison(const std::string &title, const std::string &quantity, double fallback,
                          Comparison::Scale scale = Comparison::Scale::Absolute) const
    {
        return Comparison(m_fixture.name(), title, m_precision, m_fixture.tolerance(m_precision, quantity, fallback),
                          scale);
    }

    void scalar(const std::string &tensor, const std::string &title, double computed, double fallback) const
    {
        if (!m_fixture.has(tensor))
            return;
        Comparison one = comparison(title, tensor, fallback);
        one.add(computed, m_fixture.at(tensor).item<double>());
        one.finish(m_context.report);
    }

    const Fixture &m_fixture;
    const CheckContext &m_context;
    std::string m_precision;
    Tolerances m_fallback;
    model::Transformer m_model;
    std::vector<task::Sequence> m_sequences;
    train::Batch m_batch;
};

} // namespace

void checkVariant(const Fixture &fixture, const CheckContext &context)
{
    const RunConfig config = modelConfigOf(fixture, context.report.notes);
    std::int64_t done = 0;
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        context.step(fixture.name() + " in " + precisionName(type), done++, 2);
        VariantCheck check(fixture, context, config, type);
        if (type == at::kFloat)
            check.occurrences();
        check.logits();
        if (type == at::kDouble)
            check.logitsWithPublishedTables();
        check.lossAndGradients();
        check.exactMatch();
        check.maps();
        check.kda();
    }
}

} // namespace lookback::verify
