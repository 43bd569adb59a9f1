// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>

#include <QTest>

#include "core/kernels/attention_torch.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/kernels/rotary_torch.h"
#include "model_helpers_torch.h"
#include "tests/reference/kda_steps_torch.h"

using namespace lookback;
using helpers::largestDifference;
using helpers::normal;

namespace {

/// Inputs of a scan: unit keys and queries, decays from weak to the strongest allowed, every third token at -5.
struct ScanInputs {
    std::vector<at::Tensor> all; // query, key, value, log decay, beta, state

    ScanInputs(std::int64_t tokens, std::uint64_t seed, std::int64_t keyWidth = 5, std::int64_t valueWidth = 3,
               at::ScalarType type = at::kDouble)
    {
        const auto unit = [](const at::Tensor &x) { return x / x.norm(2, -1, true); };
        at::Tensor decay = at::sigmoid(normal({2, 3, tokens, keyWidth}, seed + 3) * 3.0) * -5.0;
        for (std::int64_t t = 0; t < tokens; t += 3)
            decay.select(2, t).fill_(-5.0);
        all = {unit(normal({2, 3, tokens, keyWidth}, seed)),        unit(normal({2, 3, tokens, keyWidth}, seed + 1)),
               normal({2, 3, tokens, valueWidth}, seed + 2),        decay,
               at::sigmoid(normal({2, 3, tokens}, seed + 4) * 2.0), normal({2, 3, keyWidth, valueWidth}, seed + 5)};
        for (at::Tensor &tensor : all)
            tensor = tensor.to(type).set_requires_grad(true);
    }
};

template <typename Scan> std::vector<at::Tensor> outputsAndGradients(const ScanInputs &in, Scan scan)
{
    for (const at::Tensor &tensor : in.all)
        tensor.mutable_grad().reset();
    const kernels::KdaScanResult result = scan(in.all[0], in.all[1], in.all[2], in.all[3], in.all[4], in.all[5]);
    // The final state has a gradient of its own, as in training on pieces.
    ((result.output_BHTV * normal(result.output_BHTV.sizes(), 90)).sum()
     + (result.state_BHKV * normal(result.state_BHKV.sizes(), 91)).sum())
        .backward();
    std::vector<at::Tensor> values{result.output_BHTV, result.state_BHKV};
    for (const at::Tensor &tensor : in.all)
        values.push_back(tensor.grad().clone());
    return values;
}

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    // S43: every length from 1 to 70 and around chunk borders, outputs, state and all gradients.
    void chunkedScanEqualsSteps()
    {
        std::vector<std::int64_t> lengths;
        for (std::int64_t length = 1; length <= 70; ++length)
            lengths.push_back(length);
        for (const std::int64_t length : {127, 128, 129, 257})
            lengths.push_back(length);
        for (const std::int64_t length : lengths) {
            const ScanInputs in(length, static_cast<std::uint64_t>(1000 + 10 * length));
            const auto chunked = outputsAndGradients(in, kernels::kdaScan);
            const auto steps = outputsAndGradients(in, reference::kdaSteps);
            for (std::size_t i = 0; i < chunked.size(); ++i) {
                const double scale = std::max(1.0, steps[i].detach().abs().max().item<double>());
                // exp(-80) x exp(80) keeps 13 digits of a double.
                QVERIFY2(largestDifference(chunked[i], steps[i]) < 1e-10 * scale,
                         qPrintable(QStringLiteral("length %1, tensor %2").arg(length).arg(i)));
            }
        }
    }

    void scanStartsFromZeroWithoutState()
    {
        const ScanInputs in(21, 5);
        const at::NoGradGuard noGrad;
        const auto chunked = kernels::kdaScan(in.all[0], in.all[1], in.all[2], in.all[3], in.all[4]);
        const auto steps = reference::kdaSteps(in.all[0], in.all[1], in.all[2], in.all[3], in.all[4]);
        QVERIFY(largestDifference(chunked.output_BHTV, steps.output_BHTV) < 1e-12);
        QVERIFY(largestDifference(chunked.state_BHKV, steps.state_BHKV) < 1e-12);
    }

    void scanBeyondTwoToTheSixteen()
    {
        const at::NoGradGuard noGrad;
        const ScanInputs in(65536 + 19, 6, 2, 1);
        const auto part = [&](std::int64_t begin, std::int64_t count, const at::Tensor &state) {
            std::vector<at::Tensor> cut;
            for (std::size_t i = 0; i < 5; ++i)
                cut.push_back(in.all[i].narrow(2, begin, count));
            return std::pair(kernels::kdaScan(cut[0], cut[1], cut[2], cut[3], cut[4], state),
                             reference::kdaSteps(cut[0], cut[1], cut[2], cut[3], cut[4], state));
        };
        const auto whole = kernels::kdaScan(in.all[0], in.all[1], in.all[2], in.all[3], in.all[4]);
        QCOMPARE(whole.output_BHTV.size(2), 65536 + 19);
        // The steps are slow: they check the last 100 tokens from the state that a scan of the others left.
        const auto before = kernels::kdaScan(in.all[0].narrow(2, 0, 65455), in.all[1].narrow(2, 0, 65455),
                                             in.all[2].narrow(2, 0, 65455), in.all[3].narrow(2, 0, 65455),
                                             in.all[4].narrow(2, 0, 65455));
        const auto [scanned, stepped] = part(65455, 100, before.state_BHKV);
        QVERIFY(largestDifference(whole.output_BHTV.narrow(2, 65455, 100), stepped.output_BHTV) < 1e-11);
        QVERIFY(largestDifference(scanned.output_BHTV, stepped.output_BHTV) < 1e-11);
        QVERIFY(largestDifference(whole.state_BHKV, stepped.state_BHKV) < 1e-11);
    }

    void scanInFloatAtTheStrongestDecay()
    {
        // 16 tokens at -5 are the limit of float32 (exp(80)); nothing may overflow in outputs or gradients.
        ScanInputs in(64, 7, 5, 3, at::kFloat);
        {
            const at::NoGradGuard noGrad;
            in.all[3].fill_(-5.0);
        }
        const auto chunked = outputsAndGradients(in, kernels::kdaScan);
        const auto steps = outputsAndGradients(in, reference::kdaSteps);
        for (std::size_t i = 0; i < chunked.size(); ++i)
            QVERIFY2(largestDifference(chunked[i], steps[i]) < 2e-5, qPrintable(QString::number(i)));
    }

    void windowInBlocksEqualsMask_data()
    {
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("context");
        for (const int window : {1, 2, 10, 31, 32, 33, 70}) {
            for (const int context : {0, 1, window / 2, window - 1}) {
                if (context < window)
                    QTest::addRow("window %d, context %d", window, context) << window << context;
            }
        }
    }
    void windowInBlocksEqualsMask()
    {
        QFETCH(int, window);
        QFETCH(int, context);
        for (const std::int64_t tokens : {1, 2, 31, 32, 33, 64, 65, 97}) {
            for (const bool isSquared : {false, true}) {
                std::vector<at::Tensor> in{normal({2, 4, tokens, 3}, 1), normal({2, 2, context + tokens, 3}, 2),
                                           normal({2, 2, context + tokens, 3}, 3)};
                for (at::Tensor &tensor : in)
                    tensor.set_requires_grad(true);
                const at::Tensor blocks = kernels::windowAttention(in[0], in[1], in[2], window, isSquared);
                const at::Tensor positions = at::arange(context, context + tokens, at::kLong);
                const at::Tensor mask = kernels::visibilityMask(positions, 0, context + tokens, window,
                                                                in[0].options().requires_grad(false));
                const at::Tensor masked =
                    kernels::mixValues(kernels::attentionWeights(in[0], in[1], mask, isSquared), in[2]);
                QVERIFY(largestDifference(blocks, masked) < 1e-12);
                const at::Tensor weight = normal(masked.sizes(), 4);
                std::vector<at::Tensor> gradients;
                for (const at::Tensor &result : {blocks, masked}) {
                    for (const at::Tensor &tensor : in)
                        tensor.mutable_grad().reset();
                    (result * weight).sum().backward();
                    for (const at::Tensor &tensor : in)
                        gradients.push_back(tensor.grad().clone());
                }
                for (std::size_t i = 0; i < in.size(); ++i)
                    QVERIFY(largestDifference(gradients[i], gradients[i + in.size()]) < 1e-11);
            }
        }
    }

    void masksAreWhatTheyShouldBe()
    {
        const at::Tensor positions = at::arange(0, 6, at::kLong);
        const at::TensorOptions options = at::TensorOptions().dtype(at::kDouble);
        for (const std::int64_t window : {0, 1, 2, 5, 9}) {
            const at::Tensor mask = kernels::visibilityMask(positions, 0, 6, window, options);
            for (std::int64_t i = 0; i < 6; ++i) {
                for (std::int64_t j = 0; j < 6; ++j) {
                    const bool isVisible = j <= i && (window == 0 || j >= i - window + 1);
                    const double value = mask[i][j].item<double>();
                    QVERIFY(isVisible ? value == 0.0 : (std::isinf(value) && value < 0));
                }
            }
        }
    }

    void attentionFollowsItsFormula()
    {
        // One query head of each group by hand: softmax over (q.k)^p, p = 1 or 2, of the visible keys.
        const at::Tensor query = normal({1, 4, 5, 3}, 21);
        const at::Tensor key = normal({1, 2, 5, 3}, 22);
        const at::Tensor positions = at::arange(0, 5, at::kLong);
        const at::Tensor mask = kernels::visibilityMask(positions, 0, 5, 3, query.options());
        for (const bool isSquared : {false, true}) {
            const at::Tensor weights = kernels::attentionWeights(query, key, mask, isSquared);
            for (std::int64_t head = 0; head < 4; ++head) {
                for (std::int64_t i = 0; i < 5; ++i) {
                    std::vector<double> terms(5, 0.0);
                    double sum = 0.0;
                    for (std::int64_t j = std::max<std::int64_t>(0, i - 2); j <= i; ++j) {
                        const double logit = (query[0][head][i] * key[0][head / 2][j]).sum().item<double>();
                        terms[static_cast<std::size_t>(j)] = std::exp(isSquared ? logit * logit : logit);
                        sum += terms[static_cast<std::size_t>(j)];
                    }
                    for (std::int64_t j = 0; j < 5; ++j) {
                        const double expected = terms[static_cast<std::size_t>(j)] / sum;
                        const double weight = weights[0][head][i][j].item<double>();
                        QVERIFY(std::abs(weight - expected) < 1e-14);
                        QVERIFY(expected != 0.0 || weight == 0.0);
                    }
                }
            }
        }
    }

    void rotationTurnsPairsByTheirAngle()
    {
        const at::Tensor positions = at::arange(0, 9, at::kLong);
        const at::Tensor x = normal({9, 7}, 31);
        const kernels::RotaryTable table = kernels::rotaryTable(positions, 4, 100.0, x.options());
        const at::Tensor turned = kernels::rotate(x, table);
        for (std::int64_t t = 0; t < 9; ++t) {
            for (std::int64_t i = 0; i < 2; ++i) {
                const double angle = static_cast<double>(t) / std::pow(100.0, static_cast<double>(2 * i) / 4.0);
                const double a = x[t][i].item<double>();
                const double b = x[t][i + 2].item<double>();
                QVERIFY(std::abs(turned[t][i].item<double>() - (a * std::cos(angle) - b * std::sin(angle))) < 1e-14);
                QVERIFY(std::abs(turned[t][i + 2].item<double>() - (b * std::cos(angle) + a * std::sin(angle)))
                        < 1e-14);
            }
        }
        QCOMPARE(largestDifference(turned.narrow(1, 4, 3), x.narrow(1, 4, 3)), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "test_kernels_torch.moc"
