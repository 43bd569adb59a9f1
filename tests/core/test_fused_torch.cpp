// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Fused kernels against plain LibTorch operations: values and every gradient, over random shapes, with the error of the
// plain float32 path against float64 as the yardstick.

#include <cmath>

#include <ATen/Parallel.h>
#include <QTest>
#include <torch/torch.h>

#include "core/kernels/attention_torch.h"
#include "core/kernels/fused/attention_sublayer_torch.h"
#include "core/kernels/fused/bfloat_products.h"
#include "core/kernels/fused/feed_forward_torch.h"
#include "core/kernels/fused/matrix_panels.h"
#include "core/kernels/rotary_torch.h"
#include "tests/core/fused_helpers_torch.h"
#include "tests/core/instruction_sets.h"

using namespace lookback;
using namespace lookback::testing;
using namespace lookback::kernels;

namespace {

at::Tensor plainFeedForward(const Tensors &in)
{
    const at::Tensor normed = plainNorm(in[0], in[1]);
    return in[0] + at::linear(at::silu(at::linear(normed, in[2])) * at::linear(normed, in[3]), in[4]);
}

at::Tensor fusedFeedForward(const Tensors &in)
{
    return fused::feedForward(in[0], in[1], in[2], in[3], in[4]);
}

struct AttentionCase {
    fused::AttentionForm form;
    std::int64_t tokens = 1;
    std::int64_t rotated = 0; ///< Numbers of a head that are rotated.
    at::Tensor queries_BQ;

    RotaryTable table(const at::TensorOptions &options) const
    {
        return rotaryTable(at::arange(tokens, at::kLong), rotated, 10000.0, options);
    }

    at::Tensor plain(const Tensors &in) const
    {
        const at::Tensor normed = plainNorm(in[0], in[1]);
        const auto split = [&](const at::Tensor &joined, std::int64_t heads) {
            return joined.unflatten(2, {heads, form.headWidth}).transpose(1, 2);
        };
        at::Tensor query = split(at::linear(normed, in[2] * form.queryScale), form.heads);
        at::Tensor key = split(at::linear(normed, in[3]), form.groups);
        const at::Tensor value = split(at::linear(normed, in[4]), form.groups);
        if (rotated > 0) {
            const RotaryTable turned = table(in[0].options().requires_grad(false));
            query = rotate(query, turned);
            key = rotate(key, turned);
        }
        const at::Tensor mask =
            visibilityMask(at::arange(tokens, at::kLong), 0, tokens, form.window, in[0].options().requires_grad(false));
        const at::Tensor mixed = mixValues(attentionWeights(query, key, mask, form.isSquared), value);
        const at::Tensor y = in[0] + at::linear(mixed.transpose(1, 2).flatten(2), in[5]);
        if (!queries_BQ.defined())
            return y;
        return y.gather(1, queries_BQ.unsqueeze(2).expand({-1, -1, y.size(2)}));
    }

    at::Tensor fused(const Tensors &in) const
    {
        RotaryTable turned;
        if (rotated > 0)
            turned = table(in[0].options().requires_grad(false));
        return fused::attentionSublayer(in[0], {in[1], in[2], in[3], in[4], in[5]}, turned.cos_TR, turned.sin_TR,
                                        queries_BQ, form);
    }
};

} // namespace

class TestFused : public QObject {
    Q_OBJECT

private:
    InstructionSets m_instructions;

private Q_SLOTS:
    void init() { m_instructions.next(); }
    void cleanup()
    {
        if (QTest::currentTestFailed())
            qInfo("with %s", InstructionSets::name());
    }

    void products_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 60; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void products()
    {
        QFETCH(int, seed);
        Draws draws(static_cast<std::uint64_t>(seed));
        const std::int64_t rows = draws.between(1, 70);
        const std::int64_t depth = draws.between(1, 300);
        const std::int64_t columns = draws.between(1, 200);
        const at::Tensor a = draws.normal({rows, depth}, 1.0).to(at::kFloat);
        const at::Tensor b = draws.normal({depth, columns}, 1.0).to(at::kFloat);
        const at::Tensor before = draws.normal({rows, columns}, 1.0).to(at::kFloat);
        const at::Tensor exact = at::mm(a.to(at::kDouble), b.to(at::kDouble));
        const double allowed = 1e-6 * std::sqrt(double(depth)) * std::sqrt(double(rows * columns)) + 1e-6;
        // Rows of b are read in whole panels.
        const at::Tensor padded = at::zeros({depth, fused::rowStride(columns)}, at::kFloat);
        padded.narrow(1, 0, columns).copy_(b);
        for (const bool accumulates : {false, true}) {
            const at::Tensor right = accumulates ? exact + before.to(at::kDouble) : exact;
            const auto check = [&](const auto &multiply, const char *what) {
                at::Tensor c = before.clone();
                multiply(c.mutable_data_ptr<float>());
                QVERIFY2(distance(c.to(at::kDouble), right) <= allowed, what);
            };
            fused::Panels panels;
            check(
                [&](float *c) {
                    panels.pack(b.const_data_ptr<float>(), columns, depth, columns);
                    fused::multiply(rows, a.const_data_ptr<float>(), depth, panels, c, columns, accumulates);
                },
                "packed");
            check(
                [&](float *c) {
                    const at::Tensor turned = b.t().contiguous();
                    panels.packTransposed(turned.const_data_ptr<float>(), depth, depth, columns);
                    fused::multiply(rows, a.const_data_ptr<float>(), depth, panels, c, columns, accumulates);
                },
                "packed from the transpose");
            check(
                [&](float *c) {
                    fused::multiplyRows(rows, columns, depth, a.const_data_ptr<float>(), depth,
                                        padded.const_data_ptr<float>(), padded.size(1), c, columns, accumulates);
                },
                "rows");
            check(
                [&](float *c) {
                    const at::Tensor turned = a.t().contiguous();
                    fused::multiplyTransposed(rows, columns, depth, turned.const_data_ptr<float>(), rows,
                                              padded.const_data_ptr<float>(), padded.size(1), c, columns, accumulates);
                },
                "transposed");
        }
    }

    /// bfloat16 products are those of the rounded factors, in float32 to rounding.
    void bfloatProducts_data() { products_data(); }
    void bfloatProducts()
    {
        QFETCH(int, seed);
        Draws draws(static_cast<std::uint64_t>(seed));
        const std::int64_t rows = draws.between(1, 210);
        const std::int64_t depth = draws.between(1, 300);
        const std::int64_t columns = draws.between(1, 200);
        const at::Tensor a = draws.normal({rows, depth}, 1.0).to(at::kFloat);
        const at::Tensor b = draws.normal({depth, columns}, 1.0).to(at::kFloat);
        const at::Tensor before = draws.normal({rows, columns}, 1.0).to(at::kFloat);
        const auto rounded = [](const at::Tensor &x) { return x.to(at::kBFloat16).to(at::kDouble); };
        const at::Tensor exact = at::mm(rounded(a), rounded(b));
        const double allowed = 2e-6 * std::sqrt(double(depth)) * std::sqrt(double(rows * columns)) + 1e-6;
        const at::Tensor padded = at::zeros({depth, fused::rowStride(columns)}, at::kFloat);
        padded.narrow(1, 0, columns).copy_(b);
        for (const bool accumulates : {false, true}) {
            const at::Tensor right = accumulates ? exact + before.to(at::kDouble) : exact;
            const auto check = [&](const auto &multiply, const char *what) {
                at::Tensor c = before.clone();
                multiply(c.mutable_data_ptr<float>());
                QVERIFY2(distance(c.to(at::kDouble), right) <= allowed, what);
            };
            fused::Panels panels(Precision::Bfloat16);
            check(
                [&](float *c) {
                    panels.pack(b.const_data_ptr<float>(), columns, depth, columns);
                    fused::multiply(rows, a.const_data_ptr<float>(), depth, panels, c, columns, accumulates);
                },
                "packed");
            check(
                [&](float *c) {
                    const at::Tensor turned = b.t().contiguous();
                    panels.packTransposed(turned.const_data_ptr<float>(), depth, depth, columns);
                    fused::multiply(rows, a.const_data_ptr<float>(), depth, panels, c, columns, accumulates);
                },
                "packed from the transpose");
            check(
                [&](float *c) {
                    const at::Tensor turned = a.t().contiguous();
                    fused::multiplyTransposed(rows, columns, depth, turned.const_data_ptr<float>(), rows,
                                              padded.const_data_ptr<float>(), padded.size(1), c, columns, accumulates,
                                              Precision::Bfloat16);
                },
                "transposed");
        }
    }

    void portableBfloatProductsAreThoseOfTheProcessor()
    {
        if (!fused::multipliesBfloat16())
            QSKIP("This processor does not multiply bfloat16.");
        Draws draws(9);
        for (int i = 0; i < 40; ++i) {
            const std::int64_t rows = draws.between(1, 40);
            const std::int64_t depth = draws.between(1, 90);
            const std::int64_t columns = draws.between(1, 64);
            const std::int64_t pairs = fused::pairsOf(depth);
            const std::int64_t stride = fused::rowStride(64);
            const at::Tensor a = draws.normal({rows, depth}, 1.0).to(at::kFloat);
            const at::Tensor turned = a.t().contiguous();
            const at::Tensor b = draws.normal({depth, columns}, 1.0).to(at::kFloat);
            const auto product = [&](const fused::PairKernels &kernels, bool isTransposed) {
                std::vector<std::uint32_t> left(static_cast<std::size_t>(std::max(rows, pairs) * stride));
                std::vector<std::uint32_t> right(static_cast<std::size_t>(pairs * stride));
                if (isTransposed)
                    kernels.pairAcrossRows(depth, rows, turned.const_data_ptr<float>(), rows, left.data(), stride);
                else
                    kernels.pairAlongRows(rows, depth, a.const_data_ptr<float>(), depth, left.data(), stride);
                kernels.pairAcrossRows(depth, columns, b.const_data_ptr<float>(), columns, right.data(), stride);
                at::Tensor c = at::ones({rows, columns}, at::kFloat);
                kernels.multiply(isTransposed, rows, left.data(), stride, right.data(), stride,
                                 c.mutable_data_ptr<float>(), columns, pairs, columns, true);
                return c.to(at::kDouble);
            };
            for (const bool isTransposed : {false, true}) {
                const at::Tensor own = product(fused::pairKernels(), isTransposed);
                const at::Tensor portable = product(fused::portablePairKernels(), isTransposed);
                QVERIFY(distance(own, portable) <= 1e-6 * std::sqrt(double(depth * rows * columns)) + 1e-6);
            }
        }
    }

    void roundsToTheNearestBfloat16()
    {
        Draws draws(3);
        for (int i = 0; i < 2000; ++i) {
            const auto value =
                static_cast<float>(draws.normal({1}, std::pow(10.0, double(i % 60 - 30))).item<double>());
            QCOMPARE(fused::roundedToBfloat16(value), at::full({}, value).to(at::kBFloat16).item<float>());
        }
        QCOMPARE(fused::roundedToBfloat16(1.0F + 1.0F / 256.0F), 1.0F); // ties to even
        QCOMPARE(fused::roundedToBfloat16(1.0F + 3.0F / 256.0F), 1.0F + 4.0F / 256.0F);
        QVERIFY(std::isnan(fused::roundedToBfloat16(std::numeric_limits<float>::quiet_NaN())));
        QVERIFY(std::isinf(fused::roundedToBfloat16(std::numeric_limits<float>::infinity())));
    }

    /// A sublayer in bfloat16 is near the exact one: some roundings to 8 bits of mantissa, no more.
    void bfloatSublayers_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void bfloatSublayers()
    {
        QFETCH(int, seed);
        Draws draws(static_cast<std::uint64_t>(seed));
        const std::int64_t width = draws.between(8, 140);
        const std::int64_t hidden = draws.between(8, 200);
        const std::int64_t tokens = draws.between(1, 90);
        const double scale = 1.0 / std::sqrt(double(width));
        const auto isNear = [](const Outcome &exact, const Outcome &ours) {
            constexpr double kMost = 0.03; // relative; half a unit in the last place is 0.002
            if (distance(ours.value, exact.value) > kMost * exact.value.norm().item<double>())
                return false;
            for (std::size_t i = 0; i < exact.gradients.size(); ++i) {
                if (distance(ours.gradients[i], exact.gradients[i])
                    > kMost * exact.gradients[i].norm().item<double>() + 1e-6)
                    return false;
            }
            return true;
        };
        const at::Tensor dOutput = draws.normal({3, tokens, width}, 1.0);
        const Tensors in{draws.normal({3, tokens, width}, 1.0), 1.0 + draws.normal({width}, 0.2),
                         draws.normal({hidden, width}, scale), draws.normal({hidden, width}, scale),
                         draws.normal({width, hidden}, scale)};
        const auto bfloat = [](const Tensors &x) {
            return fused::feedForward(x[0], x[1], x[2], x[3], x[4], Precision::Bfloat16);
        };
        const Outcome ours = outcomeOf(in, dOutput, at::kFloat, bfloat);
        QVERIFY(isNear(outcomeOf(in, dOutput, at::kDouble, plainFeedForward), ours));
        QVERIFY(!isSame(ours.value, outcomeOf(in, dOutput, at::kFloat, fusedFeedForward).value));
        AttentionCase c;
        c.form = {.heads = 2, .groups = 1, .headWidth = 16, .window = 0, .isSquared = seed % 2 == 0};
        c.form.queryScale = 0.25;
        c.form.precision = Precision::Bfloat16;
        c.tokens = tokens;
        c.rotated = 8;
        const Tensors attention{in[0],
                                in[1],
                                draws.normal({32, width}, scale),
                                draws.normal({16, width}, scale),
                                draws.normal({16, width}, scale),
                                draws.normal({width, 32}, scale)};
        QVERIFY(isNear(
            outcomeOf(attention, dOutput, at::kDouble, [&c](const Tensors &tensors) { return c.plain(tensors); }),
            outcomeOf(attention, dOutput, at::kFloat, [&c](const Tensors &tensors) { return c.fused(tensors); })));
    }

    void feedForward_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 40; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void feedForward()
    {
        QFETCH(int, seed);
        Draws draws(static_cast<std::uint64_t>(seed));
        const std::int64_t width = draws.between(1, 140);
        const std::int64_t hidden = draws.between(1, 200);
        const std::int64_t sequences = draws.between(1, 5);
        const std::int64_t tokens = draws.between(1, 90);
        const double scale = 1.0 / std::sqrt(double(width));
        const Tensors in{draws.normal({sequences, tokens, width}, 1.0), 1.0 + draws.normal({width}, 0.2),
                         draws.normal({hidden, width}, scale), draws.normal({hidden, width}, scale),
                         draws.normal({width, hidden}, scale)};
        const at::Tensor dOutput = draws.normal({sequences, tokens, width}, 1.0);
        const Outcome ours = outcomeOf(in, dOutput, at::kFloat, fusedFeedForward);
        compare(outcomeOf(in, dOutput, at::kDouble, plainFeedForward),
                outcomeOf(in, dOutput, at::kFloat, plainFeedForward), ours, InstructionSets::allowedTimes());
        const at::NoGradGuard noGrad;
        Tensors floats;
        for (const at::Tensor &tensor : in)
            floats.push_back(tensor.to(at::kFloat));
        QVERIFY(isSame(fusedFeedForward(floats).to(at::kDouble), ours.value));
    }

    void attention_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 120; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void attention()
    {
        QFETCH(int, seed);
        Draws draws(static_cast<std::uint64_t>(seed));
        AttentionCase c;
        c.form.groups = draws.between(1, 3);
        c.form.heads = c.form.groups * draws.between(1, 3);
        c.form.headWidth = draws.between(1, 40);
        c.form.window = seed % 3 == 0 ? draws.between(1, 20) : 0;
        c.form.isSquared = seed % 2 == 0;
        c.form.queryScale = 1.0 / std::sqrt(double(c.form.headWidth));
        c.tokens = draws.between(1, 130);
        c.rotated = seed % 5 < 2 ? 0 : draws.between(0, c.form.headWidth / 2) * 2;
        const std::int64_t width = draws.between(1, 100);
        const std::int64_t sequences = draws.between(1, 10);
        std::int64_t outputs = c.tokens;
        if (seed % 4 == 1) {
            outputs = draws.between(1, c.tokens);
            at::Tensor rows = at::empty({sequences, outputs}, at::kLong);
            for (std::int64_t i = 0; i < rows.numel(); ++i)
                rows.mutable_data_ptr<std::int64_t>()[i] = draws.between(0, c.tokens - 1); // in any order, also twice
            c.queries_BQ = rows;
        }
        const double scale = 1.5 / std::sqrt(double(width));
        const std::int64_t joined = c.form.heads * c.form.headWidth;
        const std::int64_t grouped = c.form.groups * c.form.headWidth;
        const Tensors in{draws.normal({sequences, c.tokens, width}, 1.0),
                         1.0 + draws.normal({width}, 0.2),
                         draws.normal({joined, width}, scale),
                         draws.normal({grouped, width}, scale),
                         draws.normal({grouped, width}, scale),
                         draws.normal({width, joined}, scale)};
        const at::Tensor dOutput = draws.normal({sequences, outputs, width}, 1.0);
        const auto plain = [&c](const Tensors &tensors) { return c.plain(tensors); };
        const auto ours = [&c](const Tensors &tensors) { return c.fused(tensors); };
        const Outcome fusedOutcome = outcomeOf(in, dOutput, at::kFloat, ours);
        compare(outcomeOf(in, dOutput, at::kDouble, plain), outcomeOf(in, dOutput, at::kFloat, plain), fusedOutcome,
                InstructionSets::allowedTimes());
        const at::NoGradGuard noGrad;
        Tensors floats;
        for (const at::Tensor &tensor : in)
            floats.push_back(tensor.to(at::kFloat));
        QVERIFY(isSame(c.fused(floats).to(at::kDouble), fusedOutcome.value));
    }

    void sameBitsForAnyNumberOfThreads()
    {
        const int usual = at::get_num_threads();
        Draws draws(5);
        const Tensors in{draws.normal({13, 50, 24}, 1.0), 1.0 + draws.normal({24}, 0.2), draws.normal({24, 24}, 0.3),
                         draws.normal({12, 24}, 0.3),     draws.normal({12, 24}, 0.3),   draws.normal({24, 24}, 0.3)};
        AttentionCase c;
        c.form = {.heads = 4, .groups = 2, .headWidth = 6, .window = 0, .isSquared = true, .queryScale = 0.4};
        c.tokens = 50;
        c.rotated = 4;
        const at::Tensor dOutput = draws.normal({13, 50, 24}, 1.0);
        const auto ours = [&c](const Tensors &tensors) { return c.fused(tensors); };
        const Tensors forward{in[0], in[1], in[2], in[2], in[5]};
        at::set_num_threads(1);
        const Outcome alone = outcomeOf(in, dOutput, at::kFloat, ours);
        const Outcome aloneForward = outcomeOf(forward, dOutput, at::kFloat, fusedFeedForward);
        for (const int threads : {2, 3, 5}) {
            at::set_num_threads(threads);
            const Outcome together = outcomeOf(in, dOutput, at::kFloat, ours);
            const Outcome togetherForward = outcomeOf(forward, dOutput, at::kFloat, fusedFeedForward);
            QVERIFY(isSame(alone.value, together.value));
            for (std::size_t i = 0; i < alone.gradients.size(); ++i)
                QVERIFY2(isSame(alone.gradients[i], together.gradients[i]), qPrintable(QString::number(i)));
            for (std::size_t i = 0; i < aloneForward.gradients.size(); ++i)
                QVERIFY2(isSame(aloneForward.gradients[i], togetherForward.gradients[i]),
                         qPrintable(QString::number(i)));
        }
        at::set_num_threads(usual);
    }
};

QTEST_GUILESS_MAIN(TestFused)
#include "test_fused_torch.moc"
