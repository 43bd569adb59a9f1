// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Fused Kimi delta attention against its plain LibTorch operations: values and every gradient, over random shapes.
#include <cmath>
#include <map>

#include <ATen/Parallel.h>
#include <QTest>

#include "core/kernels/fused/kda_chunk.h"
#include "core/kernels/fused/kda_stream_torch.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/model/kda_layer_torch.h"
#include "tests/core/fused_helpers_torch.h"
#include "tests/core/instruction_sets.h"

using namespace lookback;
using namespace lookback::testing;

static_assert(kernels::fused::kChunkTokens == kernels::kKdaChunk);

namespace {

struct KdaCase {
    std::int64_t sequences = 1;
    std::int64_t tokens = 1;
    std::int64_t heads = 1;
    std::int64_t headWidth = 1;
    at::Tensor queries_BQ;
    Precision precision = Precision::Float32;

    std::int64_t width() const { return heads * headWidth; }
    std::int64_t outputs() const { return queries_BQ.defined() ? queries_BQ.size(1) : tokens; }
    model::KdaLayer layer() const
    {
        RunConfig config;
        config.d_model = width();
        config.query_heads = heads;
        config.kv_heads = heads;
        return model::KdaLayer(config);
    }
    /// x, the gain of the norm, and the parameters; decays from weak to as strong as can be.
    Tensors inputs(Draws &draws) const
    {
        Tensors in{draws.normal({sequences, tokens, width()}, 1.0), 1.0 + draws.normal({width()}, 0.2)};
        for (const model::ParameterInfo &parameter : layer().parameters()) {
            const double scale = parameter.name == "conv.weight" ? 0.5
                : parameter.name == "b_alpha"                    ? 4.0
                : parameter.shape.size() == 1                    ? 0.5
                                                                 : 1.5 / std::sqrt(double(parameter.shape.back()));
            const at::Tensor drawn = draws.normal(parameter.shape, scale);
            in.push_back(parameter.name == "rms_w" ? 1.0 + drawn : drawn);
        }
        return in;
    }
    static Tensors parametersOf(const Tensors &in) { return {in.begin() + 2, in.end()}; }

    at::Tensor plain(const Tensors &in) const
    {
        model::KdaLayer design = layer();
        design.bind(parametersOf(in));
        const at::Tensor x =
            queries_BQ.defined() ? in[0].gather(1, queries_BQ.unsqueeze(2).expand({-1, -1, width()})) : in[0];
        return x + design.forward(plainNorm(in[0], in[1]), queries_BQ);
    }
    at::Tensor fused(const Tensors &in) const
    {
        model::KdaLayer design = layer();
        design.bind(parametersOf(in));
        return design.fusedSublayer(in[0], in[1], queries_BQ, precision);
    }
};

KdaCase drawCase(Draws &draws, int seed)
{
    KdaCase c;
    c.sequences = draws.between(1, 10);
    c.tokens = seed % 6 == 0 ? draws.between(1, 5) : draws.between(1, 100);
    c.heads = draws.between(1, 4);
    c.headWidth = seed % 3 == 0 ? draws.between(1, 4) * 8 : draws.between(1, 40);
    if (seed % 4 == 1) {
        c.queries_BQ = at::empty({c.sequences, draws.between(1, c.tokens)}, at::kLong);
        for (std::int64_t i = 0; i < c.queries_BQ.numel(); ++i) // in any order, also twice
            c.queries_BQ.mutable_data_ptr<std::int64_t>()[i] = draws.between(0, c.tokens - 1);
    }
    return c;
}

Tensors floatsOf(const Tensors &in)
{
    Tensors floats;
    for (const at::Tensor &tensor : in)
        floats.push_back(tensor.to(at::kFloat));
    return floats;
}

} // namespace

class TestFusedKda : public QObject {
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

    /// Gradients of a few numbers are left over from large terms that cancel, so that one case says little: each may be
    /// 30 times as far from float64 as the plain path is (one number may be right by luck), all together (geometric
    /// mean) not twice as far.
    void equalsPlainOperations()
    {
        constexpr int kCases = 100;
        std::map<std::string, double> logarithms;
        for (int seed = 0; seed < kCases; ++seed) {
            m_instructions.next();
            Draws draws(static_cast<std::uint64_t>(seed));
            const KdaCase c = drawCase(draws, seed);
            const Tensors in = c.inputs(draws);
            const at::Tensor dOutput = draws.normal({c.sequences, c.outputs(), c.width()}, 1.0);
            const auto plain = [&c](const Tensors &tensors) { return c.plain(tensors); };
            const auto ours = [&c](const Tensors &tensors) { return c.fused(tensors); };
            const Outcome fused = outcomeOf(in, dOutput, at::kFloat, ours);
            const auto errors =
                errorsOf(outcomeOf(in, dOutput, at::kDouble, plain), outcomeOf(in, dOutput, at::kFloat, plain), fused);
            for (const Errors &one : errors) {
                const double times = one.times();
                QVERIFY2(times <= 30.0,
                         qPrintable(QStringLiteral("case %1, %2: %3, plain %4")
                                        .arg(seed)
                                        .arg(QString::fromStdString(one.name))
                                        .arg(one.fused)
                                        .arg(one.plain)));
                logarithms[one.name] += std::log(std::max(times, 1e-3)) / kCases;
            }
            const at::NoGradGuard noGrad;
            QVERIFY(isSame(c.fused(floatsOf(in)).to(at::kDouble), fused.value));
        }
        for (const auto &[name, logarithm] : logarithms) {
            qInfo("%s: %.2f times the plain error", name.c_str(), std::exp(logarithm));
            QVERIFY2(std::exp(logarithm) <= 2.0, name.c_str());
        }
    }

    void piecesEqualTheWhole_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 0; seed < 20; ++seed)
            QTest::addRow("%d", seed) << seed;
    }
    void piecesEqualTheWhole()
    {
        QFETCH(int, seed);
        const at::NoGradGuard noGrad;
        Draws draws(static_cast<std::uint64_t>(seed));
        KdaCase c = drawCase(draws, 0);
        c.sequences = 1;
        c.tokens = draws.between(1, 150);
        const Tensors in = c.inputs(draws);
        model::KdaLayer design = c.layer();
        design.bind(KdaCase::parametersOf(floatsOf(in)));
        model::KdaLayer exact = c.layer();
        exact.bind(KdaCase::parametersOf(in));
        const at::Tensor normed_TD = plainNorm(in[0], in[1]).squeeze(0);
        const at::Tensor right_TD = exact.forward(normed_TD.unsqueeze(0), {}).squeeze(0);
        const double usual =
            distance(design.forward(normed_TD.to(at::kFloat).unsqueeze(0), {}).squeeze(0).to(at::kDouble), right_TD);
        const auto stream = design.fusedStream(c.tokens);
        double squares = 0.0;
        for (std::int64_t first = 0; first < c.tokens;) {
            const std::int64_t piece = std::min(draws.between(1, 40), c.tokens - first);
            const at::Tensor normed_PD = normed_TD.narrow(0, first, piece).to(at::kFloat);
            at::Tensor rows_Q = at::arange(piece, at::kLong);
            const bool isChosen = draws.between(0, 1) == 1;
            if (isChosen)
                rows_Q = rows_Q.slice(0, 0, piece, 3);
            const at::Tensor found = stream->feed(normed_PD, isChosen ? rows_Q : at::Tensor());
            const double away =
                distance(found.to(at::kDouble), right_TD.narrow(0, first, piece).index_select(0, rows_Q));
            squares += away * away;
            first += piece;
        }
        const double allowed =
            2.0 * usual + 4.0 * std::numeric_limits<float>::epsilon() * right_TD.norm().item<double>();
        QVERIFY2(std::sqrt(squares) <= allowed, qPrintable(QString::number(std::sqrt(squares) / allowed)));
    }

    void sameBitsForAnyNumberOfThreads()
    {
        const int usual = at::get_num_threads();
        Draws draws(5);
        KdaCase c;
        c.sequences = 13;
        c.tokens = 50;
        c.heads = 3;
        c.headWidth = 8;
        const Tensors in = c.inputs(draws);
        const at::Tensor dOutput = draws.normal({c.sequences, c.tokens, c.width()}, 1.0);
        const auto ours = [&c](const Tensors &tensors) { return c.fused(tensors); };
        const auto streamed = [&] {
            const at::NoGradGuard noGrad;
            model::KdaLayer design = c.layer();
            design.bind(KdaCase::parametersOf(floatsOf(in)));
            return design.fusedStream(650)->feed(in[0].reshape({650, c.width()}).to(at::kFloat), {});
        };
        at::set_num_threads(1);
        const Outcome alone = outcomeOf(in, dOutput, at::kFloat, ours);
        const at::Tensor aloneStreamed = streamed();
        for (const int threads : {2, 3, 5}) {
            at::set_num_threads(threads);
            const Outcome together = outcomeOf(in, dOutput, at::kFloat, ours);
            QVERIFY(isSame(alone.value, together.value));
            for (std::size_t i = 0; i < alone.gradients.size(); ++i)
                QVERIFY2(isSame(alone.gradients[i], together.gradients[i]), qPrintable(QString::number(i)));
            QVERIFY(isSame(aloneStreamed, streamed()));
        }
        at::set_num_threads(usual);
    }
};

QTEST_GUILESS_MAIN(TestFusedKda)
#include "test_fused_kda_torch.moc"
