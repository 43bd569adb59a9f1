// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Heads at 4,096 tokens, as they are shown: in pieces, each row once, equal to what the model computed.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <QTest>

#include "core/analysis/example_torch.h"
#include "core/error.h"
#include "core/model/attention_design_torch.h"
#include "core/torch_thread.h"
#include "model_helpers_torch.h"

using namespace lookback;

namespace {

at::Tensor parameter(const model::Transformer &model, const std::string &name)
{
    for (const auto &[known, tensor] : model.parameters()) {
        if (known == name)
            return tensor.detach();
    }
    throw Error(name, "no such parameter");
}

/// The rest of a pair as written down, independent of the model's code: x + SwiGLU(norm(x)).
at::Tensor feedForward(const model::Transformer &model, std::int64_t pair, const at::Tensor &x)
{
    const std::string prefix = "layers." + std::to_string(2 * pair + 1) + ".";
    const at::Tensor gain = parameter(model, prefix + "norm.weight");
    const at::Tensor centred = x - x.mean(-1, true);
    const at::Tensor normed = centred * (centred.square().mean(-1, true) + 1e-5).rsqrt() * gain;
    const at::Tensor gate = at::matmul(normed, parameter(model, prefix + "Wg.weight").t());
    const at::Tensor up = at::matmul(normed, parameter(model, prefix + "Wu.weight").t());
    return x + at::matmul(gate * gate.sigmoid() * up, parameter(model, prefix + "Wd.weight").t());
}

/// The rows of a piece over all keys.
at::Tensor wholeRows(const analysis::HeadRows &rows)
{
    at::Tensor whole = at::zeros({rows.rows, rows.positions}, at::kFloat);
    whole.narrow(1, rows.firstKey, rows.keys)
        .copy_(at::from_blob(const_cast<float *>(rows.weights.data()), {rows.rows, rows.keys}, at::kFloat));
    return whole;
}

struct LargeModel {
    explicit LargeModel(const std::string &variant)
        : model(helpers::peakedModel(configOf(variant), at::kFloat)),
          seen(analysis::seeSequence(model, task::evaluationSequence({3, 3}, 256, 1, 0)))
    {
    }
    static RunConfig configOf(const std::string &variant)
    {
        RunConfig config = helpers::smallConfig(variant);
        config.query_heads = 3;
        config.kv_heads = 3;
        config.key_digits = 3;
        config.value_digits = 3;
        return config;
    }
    model::Transformer model;
    analysis::SeenSequence seen;
};

} // namespace

class TestLargeMaps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { enterTorchThread(1); }

    // S32 at n = 256: weights shown times values, through the output projection, are the layer's output.
    void piecesRebuildTheModel_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::newRow("windowed and full") << QStringLiteral("hybrid");
        QTest::newRow("squared") << QStringLiteral("hybrid_square");
        QTest::newRow("recurrence") << QStringLiteral("hybrid_square_kda");
    }
    void piecesRebuildTheModel()
    {
        QFETCH(QString, variant);
        const at::NoGradGuard noGrad;
        const LargeModel large(variant.toStdString());
        const std::int64_t positions = large.seen.example.positions;
        QCOMPARE(positions, 4095);
        std::set<std::pair<bool, bool>> kinds;
        for (std::int64_t layer = 0; layer + 1 < large.model.attentionLayers(); ++layer) {
            const model::SublayerInfo &info = large.model.sublayer(layer);
            if (!kinds.emplace(info.isWindowed, info.hasSoftmaxMap).second)
                continue; // one layer of a kind
            const at::Tensor &input = large.seen.inputs[static_cast<std::size_t>(layer)];
            const at::Tensor normed = large.model.normedInput(layer, input);
            const model::AttentionDesign &design = large.model.attention(layer);
            const at::Tensor values = design.values(normed);
            at::Tensor mixed = at::zeros_like(values);
            for (std::int64_t head = 0; head < 3; ++head) {
                analysis::headPieces(large.model, large.seen, layer, head, 2000, [&](const analysis::HeadRows &rows) {
                    mixed[head].narrow(0, rows.firstQuery, rows.rows).copy_(at::matmul(wholeRows(rows), values[head]));
                });
            }
            const at::Tensor x = feedForward(large.model, layer, input + design.outputFromMixed(mixed, normed));
            const double difference =
                helpers::largestDifference(x, large.seen.inputs[static_cast<std::size_t>(layer + 1)]);
            QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
        }
        QCOMPARE(kinds.size(), std::size_t{2}); // windowed or recurrent ones, and full ones
    }

    // The rows around the query come first, each row once; a row alone is the row of its piece.
    void pieces_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<qint64>("query");
        for (const QString &variant : {QStringLiteral("hybrid_square"), QStringLiteral("hybrid_square_kda")}) {
            for (const qint64 query : {0, 300, 2047, 4094})
                QTest::newRow(qPrintable(QStringLiteral("%1, query %2").arg(variant).arg(query))) << variant << query;
        }
    }
    void pieces()
    {
        QFETCH(QString, variant);
        QFETCH(qint64, query);
        static std::map<QString, std::unique_ptr<LargeModel>> models;
        std::unique_ptr<LargeModel> &large = models[variant];
        if (!large)
            large = std::make_unique<LargeModel>(variant.toStdString());
        for (const std::int64_t layer : {0, 1}) {
            const model::SublayerInfo &info = large->model.sublayer(layer);
            std::vector<analysis::HeadRows> pieces;
            analysis::headPieces(large->model, large->seen, layer, 1, query,
                                 [&](analysis::HeadRows rows) { pieces.push_back(std::move(rows)); });
            QCOMPARE(pieces.size(), std::size_t{16});
            std::set<std::int64_t> firsts;
            for (const analysis::HeadRows &piece : pieces) {
                QCOMPARE(piece.firstQuery % analysis::kPieceRows, 0);
                QCOMPARE(piece.rows, std::min<std::int64_t>(256, 4095 - piece.firstQuery));
                QCOMPARE(piece.window, info.isWindowed ? 7 : 0);
                firsts.insert(piece.firstQuery);
                if (info.isWindowed)
                    QVERIFY(piece.keys <= 256 + 7);
                if (!piece.hasQuery(query))
                    continue;
                const analysis::HeadRows row = analysis::exactRow(large->model, large->seen, layer, 1, query);
                QCOMPARE(row.rows, 1);
                for (std::int64_t key = 0; key < 4095; ++key)
                    QVERIFY(std::abs(row.at(query, key) - piece.at(query, key)) < 1e-6F);
            }
            QCOMPARE(firsts.size(), std::size_t{16});
            QVERIFY(pieces[0].hasQuery(query) || pieces[1].hasQuery(query));
            if (query % 256 >= 128)
                QVERIFY(pieces[0].hasQuery(query));
        }
    }

    void piecesStop()
    {
        const LargeModel large("hybrid");
        std::stop_source stop;
        int count = 0;
        QVERIFY_THROWS_EXCEPTION(Cancelled,
                                 analysis::headPieces(
                                     large.model, large.seen, 1, 0, 9,
                                     [&](const analysis::HeadRows &) {
                                         ++count;
                                         stop.request_stop();
                                     },
                                     stop.get_token()));
        QCOMPARE(count, 1);
        QVERIFY_THROWS_EXCEPTION(Error, analysis::headPieces(large.model, large.seen, 1, 0, 4095, [](auto) {}));
        QVERIFY_THROWS_EXCEPTION(Error, analysis::headPieces(large.model, large.seen, 1, 3, 0, [](auto) {}));
    }
};

QTEST_GUILESS_MAIN(TestLargeMaps)
#include "test_large_maps_torch.moc"
