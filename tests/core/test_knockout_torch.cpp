// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stop_token>

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>

#include <QTest>

#include "core/circuit/knockout_torch.h"
#include "core/circuit/removal_torch.h"
#include "core/circuit/sequence_torch.h"
#include "core/error.h"
#include "core/eval/evaluator_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/torch_thread.h"
#include "tests/core/hand_built_torch.h"
#include "tests/core/model_helpers_torch.h"

using namespace lookback;
using namespace lookback::circuit;

/// Removing heads: that every form of every design does the same, that what is removed is what was said, and what it
/// does to a model whose heads are known.
class TestKnockout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { enterTorchThread(1); }
    void allFormsHonourChanges_data();
    void allFormsHonourChanges();
    void fusedKernelsAreNotUsedWhereTheyWouldNotKnow_data() { helpers::eachVariant(); }
    void fusedKernelsAreNotUsedWhereTheyWouldNotKnow();
    void zeroIsNoShare();
    void uniformIsUniform_data() { helpers::eachVariant(); }
    void uniformIsUniform();
    void meanIsTheMeanOfThatPlace();
    void theModelIsIntactAfterwards();
    void effectEqualsWholeRecomputation_data();
    void effectEqualsWholeRecomputation();
    void neededHeadsCarryRetrieval();
    void smallestSetsAreFound();
    void nothingIsSearchedWithoutRetrieval();
    void differencesHaveWords();
    void progressAndCancel();
    void impossibleRequestsAreRefused();
};

namespace {

const std::vector<HeadId> kSomeHeads{{0, 1}, {0, 4}, {1, 0}, {2, 5}};

HeadMeans someMeans(const RunConfig &config)
{
    HeadMeans means;
    for (std::int64_t layer = 0; layer < config.pairs; ++layer)
        means.layers.push_back(helpers::normal({config.entryTokens(), config.query_heads, config.headWidth()},
                                               static_cast<std::uint64_t>(50 + layer)));
    return means;
}

KnockoutRequest removing(const HeadId &head, std::vector<std::int64_t> n_keys)
{
    KnockoutRequest request;
    request.intervention.heads.push_back(head);
    request.n_keys = std::move(n_keys);
    return request;
}

std::vector<std::int64_t> ofLayer(const std::vector<HeadId> &ids, std::int64_t layer)
{
    std::vector<std::int64_t> heads;
    for (const HeadId &id : ids) {
        if (id.layer == layer)
            heads.push_back(id.head);
    }
    return heads;
}

} // namespace

void TestKnockout::allFormsHonourChanges_data()
{
    QTest::addColumn<QString>("variant");
    QTest::addColumn<int>("removal");
    for (const model::VariantInfo &info : model::variants()) {
        for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform})
            QTest::addRow("%s %s", info.id.c_str(), std::string(removalName(removal)).c_str())
                << QString::fromStdString(info.id) << static_cast<int>(removal);
    }
}

void TestKnockout::allFormsHonourChanges()
{
    QFETCH(int, removal);
    const RunConfig config = helpers::fetchedConfig();
    model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    const at::Tensor tokens_T = helpers::tokens({601}, 7); // several pieces of every stream
    const at::Tensor positions = at::arange(601, tokens_T.options());
    const at::Tensor intact = model.forward(tokens_T.unsqueeze(0))[0];
    const std::vector<at::Tensor> inputs = model.attentionInputs(tokens_T);
    HeadRemoval removed(model, static_cast<Removal>(removal), someMeans(config));
    removed.set(kSomeHeads);

    const at::Tensor whole = model.forward(tokens_T.unsqueeze(0))[0];
    QVERIFY(helpers::largestDifference(whole, intact) > 1e-3);
    // batched, at some positions, in pieces, and as it arrives
    const at::Tensor other_T = helpers::tokens({601}, 8);
    QVERIFY(helpers::largestDifference(model.forward(at::stack({other_T, tokens_T}))[1], whole) < 1e-9);
    at::Tensor some = at::arange(0, 601, 50, tokens_T.options());
    QVERIFY(
        helpers::largestDifference(model.forwardAt(at::stack({tokens_T, other_T}), some), whole.index_select(0, some))
        < 1e-9);
    QVERIFY(helpers::largestDifference(model.evaluateAt(tokens_T, positions), whole) < 1e-9);
    QVERIFY(helpers::largestDifference(model.evaluateAt(tokens_T, some), whole.index_select(0, some)) < 1e-9);
    const auto stream = model.stream(601);
    const at::Tensor first = stream->feed(tokens_T.narrow(0, 0, 100));
    QVERIFY(helpers::largestDifference(first, whole.narrow(0, 0, 100)) < 1e-9);
    QVERIFY(helpers::largestDifference(stream->feed(tokens_T.narrow(0, 100, 501)), whole.narrow(0, 100, 501)) < 1e-9);

    // shown weights x values, through the rest of the sublayer, are its output
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        const at::Tensor normed = model.normedInput(layer, inputs[static_cast<std::size_t>(layer)]);
        const model::AttentionDesign &design = model.attention(layer);
        const at::Tensor map_HTT = design.mapReader(normed, 0, {0, config.query_heads})->next(601);
        const at::Tensor shown = design.outputFromMixed(at::matmul(map_HTT, design.values(normed)), normed);
        QVERIFY(helpers::largestDifference(shown, design.forward(normed.unsqueeze(0), {})[0]) < 1e-9);
        const model::HeadRange heads{1, 5};
        QVERIFY(helpers::largestDifference(design.mapRows(normed, some, heads).weights_HQT,
                                           map_HTT.narrow(0, 1, 4).index_select(1, some))
                < 1e-9);
        QVERIFY(helpers::largestDifference(design.mapReader(normed, 300, heads)->next(40),
                                           map_HTT.narrow(0, 1, 4).narrow(1, 300, 40))
                < 1e-9);
    }
}

void TestKnockout::fusedKernelsAreNotUsedWhereTheyWouldNotKnow()
{
    const RunConfig config = helpers::fetchedConfig();
    model::Transformer model = helpers::peakedModel(config, at::kFloat);
    QVERIFY(model.isWhollyFused());
    const at::NoGradGuard noGrad;
    const at::Tensor tokens_T = helpers::tokens({90}, 7);
    for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform}) {
        HeadMeans means = someMeans(config);
        for (at::Tensor &of : means.layers)
            of = of.to(at::kFloat);
        HeadRemoval removed(model, removal, means);
        removed.set(kSomeHeads);
        for (std::int64_t layer = 0; layer < config.pairs; ++layer)
            QVERIFY(!model.attention(layer).hasFusedKernels());
        model.setKernels(Kernels::Fused);
        const at::Tensor fused = model.forward(tokens_T.unsqueeze(0));
        model.setKernels(Kernels::Reference);
        QVERIFY(helpers::largestDifference(fused, model.forward(tokens_T.unsqueeze(0))) < 1e-4);
        model.setKernels(Kernels::Fused);
    }
    QVERIFY(model.isWhollyFused());
}

void TestKnockout::zeroIsNoShare()
{
    // without its columns of the output projection a head adds nothing either
    const RunConfig config = helpers::smallConfig("rope_square");
    model::Transformer model = helpers::peakedModel(config);
    model::Transformer without = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    for (const auto &[name, tensor] : without.parameters()) {
        if (name == "layers.2.Wo.weight")
            tensor.narrow(1, 2 * config.headWidth(), config.headWidth()).zero_();
    }
    HeadRemoval removed(model, Removal::Zero);
    removed.set({{1, 2}});
    const at::Tensor tokens = helpers::tokens({1, 60}, 3);
    QVERIFY(helpers::largestDifference(model.forward(tokens), without.forward(tokens)) < 1e-12);
}

void TestKnockout::uniformIsUniform()
{
    const RunConfig config = helpers::fetchedConfig();
    model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    HeadRemoval removed(model, Removal::Uniform);
    const at::Tensor input = helpers::normal({30, config.d_model}, 5);
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        const at::Tensor before = model.attentionMap(layer, input, 0, 30);
        removed.set({{layer, 3}});
        const at::Tensor after = model.attentionMap(layer, input, 0, 30);
        const std::int64_t window = model.sublayer(layer).isWindowed ? config.window : 30;
        for (std::int64_t query = 0; query < 30; ++query) {
            const std::int64_t seen = std::min(query + 1, window);
            for (std::int64_t key = 0; key < 30; ++key) {
                const bool isSeen = key <= query && key > query - window;
                const double expected = isSeen ? 1.0 / static_cast<double>(seen) : 0.0;
                QVERIFY(std::abs(after[3][query][key].item<double>() - expected) < 1e-12);
            }
        }
        QVERIFY(helpers::largestDifference(before[2], after[2]) < 1e-12);
        removed.clear();
    }
}

void TestKnockout::meanIsTheMeanOfThatPlace()
{
    const RunConfig config = helpers::smallConfig("hybrid");
    model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    const std::int64_t n = 90; // 512 keys: six sequences
    const HeadMeans means = meanOutputs(model, n);
    QCOMPARE(std::ssize(means.layers), config.pairs);
    QVERIFY(model.attention(0).hasFusedKernels()); // no changes are left
    // slowly: weights x values of whole maps of layer 1, head 4, at the second value digit
    at::Tensor sum = at::zeros({config.headWidth()}, at::kDouble);
    double count = 0.0;
    for (std::int64_t i = 0; i < 6; ++i) {
        const task::Sequence sequence = evaluationSequenceOf(config, n, 1'000'000'000 + i);
        const at::Tensor input = model.attentionInputs(inputTokens(sequence, at::kCPU))[1];
        const at::Tensor mixed_HTC = at::matmul(model.attentionMap(1, input, 0, input.size(0)),
                                                model.attention(1).values(model.normedInput(1, input)));
        for (std::int64_t position = 5; position < input.size(0); position += 6) {
            sum += mixed_HTC[4][position];
            count += 1.0;
        }
    }
    QVERIFY(helpers::largestDifference(means.layers[1][5][4], sum / count) < 1e-10);

    HeadRemoval removed(model, Removal::Mean, means);
    removed.set({{1, 4}});
    const at::Tensor input = helpers::normal({1, 20, config.d_model}, 4);
    // what the layer gives differs from the intact one only by that head's mean
    const at::Tensor after = model.attention(1).forward(input, {});
    removed.clear();
    model::EvaluationChanges recording;
    recording.headOutput = [&](const at::Tensor &heads_BQHC, const at::Tensor &positions_BQ) {
        at::Tensor replaced = heads_BQHC.clone();
        for (std::int64_t q = 0; q < heads_BQHC.size(1); ++q)
            replaced[0][q][4].copy_(means.layers[1][positions_BQ[0][q].item<std::int64_t>() % 6][4]);
        return replaced;
    };
    model.setChanges(1, recording);
    QVERIFY(helpers::largestDifference(model.attention(1).forward(input, {}), after) < 1e-12);
}

void TestKnockout::theModelIsIntactAfterwards()
{
    model::Transformer model = hand_built::model();
    const at::NoGradGuard noGrad;
    const at::Tensor tokens = helpers::tokens({1, 40}, 3);
    const at::Tensor before = model.forward(tokens);
    KnockoutRequest request = removing({1, 0}, {4});
    request.intervention.removal = Removal::Mean;
    knockOut(model, 0, request);
    QVERIFY(model.forward(tokens).equal(before));
    std::stop_source stop;
    const auto stopAtOnce = [&](const Progress &) { stop.request_stop(); };
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             knockOutEach(model, 0, {.removal = Removal::Uniform, .n_keys = 4, .sequences = 9},
                                          stopAtOnce, stop.get_token()));
    QVERIFY(model.forward(tokens).equal(before));
}

void TestKnockout::effectEqualsWholeRecomputation_data()
{
    QTest::addColumn<int>("removal");
    for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform})
        QTest::newRow(std::string(removalName(removal)).c_str()) << static_cast<int>(removal);
}

void TestKnockout::effectEqualsWholeRecomputation()
{
    QFETCH(int, removal);
    RunConfig config = helpers::smallConfig("hybrid_square_kda");
    config.value_digits = 1; // random weights hit one digit sometimes
    model::Transformer model = helpers::peakedModel(config);
    const Intervention intervention{.heads = {{1, 2}, {2, 0}}, .removal = static_cast<Removal>(removal)};
    const Knockout knockout = knockOut(model, 5, {.intervention = intervention, .n_keys = {6, 3}, .sequences = 20});
    QCOMPARE(knockout.step, 5);
    QCOMPARE(knockout.points.size(), 2U);
    const KnockoutGrid grid = knockOutEach(model, 5, {.removal = intervention.removal, .n_keys = 6, .sequences = 20});
    QCOMPARE(grid.heads.size(), 18U);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t n = i == 0 ? 3 : 6;
        const KnockoutPoint &point = knockout.points[i];
        const eval::AccuracyPoint before = eval::evaluateModel(model, at::kCPU, 5, {n}, 20).points.front();
        QVERIFY(before.exact > 0);
        QCOMPARE(point.before.exactBySequence, before.exactBySequence);
        HeadRemoval removed(model, intervention.removal,
                            intervention.removal == Removal::Mean ? meanOutputs(model, n) : HeadMeans());
        removed.set(intervention.heads);
        const eval::AccuracyPoint after = eval::evaluateModel(model, at::kCPU, 5, {n}, 20).points.front();
        QCOMPARE(point.after.exactBySequence, after.exactBySequence);
        QCOMPARE(point.after.digitsRight, after.digitsRight);
        QVERIFY(std::abs(point.after.meanLoss - after.meanLoss) < 1e-9);
        QVERIFY(point.difference == eval::pairedDifference(before, after));
        QCOMPARE(point.mcNemar.gained - point.mcNemar.lost, after.exact - before.exact);
        if (n != 6)
            continue;
        QVERIFY(grid.intact == point.before);
        for (const HeadEffect &effect : grid.heads) {
            removed.set({effect.id});
            const eval::AccuracyPoint alone = eval::evaluateModel(model, at::kCPU, 5, {n}, 20).points.front();
            QCOMPARE(effect.point.after.exactBySequence, alone.exactBySequence);
            QVERIFY(std::abs(effect.point.after.meanLoss - alone.meanLoss) < 1e-9);
        }
    }
    QVERIFY(ofLayer(intervention.heads, 1) == std::vector<std::int64_t>{2});
}

void TestKnockout::neededHeadsCarryRetrieval()
{
    model::Transformer model = hand_built::model();
    const double chance = 1.0 / 8.0; // a value of the context; a digit is 1 of 10
    const KnockoutGrid grid = knockOutEach(model, 0, {.n_keys = 8, .sequences = 24});
    QCOMPARE(grid.intact.accuracy, 1.0);
    for (const HeadEffect &effect : grid.heads) {
        const bool isNeeded = std::ranges::find(hand_built::kNeeded, effect.id) != hand_built::kNeeded.end();
        const QString text =
            QStringLiteral("%1: %2").arg(QString::fromStdString(headText(effect.id))).arg(effect.point.after.accuracy);
        QVERIFY2(isNeeded ? effect.point.after.low <= chance : effect.point.after.accuracy > 0.99, qPrintable(text));
        QCOMPARE(effect.point.difference.isDistinguishable, isNeeded);
        QVERIFY(isNeeded ? effect.point.mcNemar.p < 1e-9 : effect.point.mcNemar.p == 1.0);
    }
    // all others together are not missed either, whichever way they are removed
    for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform}) {
        const Knockout others =
            knockOut(model, 0,
                     {.intervention = {.heads = {{0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}}, .removal = removal},
                      .n_keys = {8},
                      .sequences = 24});
        QVERIFY(others.points.front().after.accuracy > 0.99);
    }
}

void TestKnockout::smallestSetsAreFound()
{
    model::Transformer model = hand_built::model();
    for (const Removal removal : {Removal::Zero, Removal::Mean}) {
        std::vector<SmallestSets> steps;
        const SmallestSets sets = searchSmallestSets(model, 0, {.removal = removal, .n_keys = 8, .sequences = 8}, {},
                                                     [&](const SmallestSets &soFar) { steps.push_back(soFar); });
        QVERIFY(sets.isBroken);
        const HeadId first = sets.breaking.front().head;
        QVERIFY(std::ranges::find(hand_built::kNeeded, first) != hand_built::kNeeded.end());
        if (removal == Removal::Zero)
            QCOMPARE(sets.breaking.size(), 1U);
        QCOMPARE(headsText(sets.kept), headsText(hand_built::kNeeded));
        QCOMPARE(sets.sparing.size(), 5U);
        QVERIFY(sets.sparing.back().point.accuracy > 0.9);
        QCOMPARE(steps.size(), sets.breaking.size() + sets.sparing.size());
    }
}

void TestKnockout::nothingIsSearchedWithoutRetrieval()
{
    RunConfig config = helpers::smallConfig("rope");
    model::Transformer model = helpers::peakedModel(config);
    const SmallestSets sets = searchSmallestSets(model, 0, {.n_keys = 4, .sequences = 4});
    QVERIFY(!sets.isBroken && sets.breaking.empty() && sets.sparing.empty() && sets.kept.empty());
}

void TestKnockout::differencesHaveWords()
{
    eval::PairedDifference difference{.difference = -0.9844, .interval = {-0.99, -0.97}, .isDistinguishable = true};
    QCOMPARE(differenceText(difference), std::string("-98.44 points"));
    difference.difference = 0.02;
    QCOMPARE(differenceText(difference), std::string("+2.00 points"));
    difference.isDistinguishable = false;
    QCOMPARE(differenceText(difference), std::string("not distinguishable here"));
    for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform})
        QVERIFY(removalFromName(removalName(removal), "--mode") == removal);
    QVERIFY_THROWS_EXCEPTION(Error, removalFromName("zer0", "--mode"));
}

void TestKnockout::progressAndCancel()
{
    model::Transformer model = hand_built::model();
    std::vector<Progress> seen;
    const auto note = [&](const Progress &progress) { seen.push_back(progress); };
    std::vector<std::size_t> points;
    KnockoutRequest request = removing({0, 0}, {2, 6});
    request.sequences = 3;
    knockOut(model, 0, request, note, [&](const Knockout &soFar) { points.push_back(soFar.points.size()); });
    QCOMPARE(seen.size(), 6U);
    QCOMPARE(seen.back().done, seen.back().total);
    QCOMPARE(points, (std::vector<std::size_t>{1, 2}));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(Cancelled, knockOut(model, 0, removing({0, 0}, {8}), {}, {}, stop.get_token()));
    QVERIFY_THROWS_EXCEPTION(Cancelled, searchSmallestSets(model, 0, {}, {}, {}, stop.get_token()));
    QVERIFY_THROWS_EXCEPTION(Cancelled, meanOutputs(model, 4, stop.get_token()));
}

void TestKnockout::impossibleRequestsAreRefused()
{
    model::Transformer model = hand_built::model();
    QVERIFY_THROWS_EXCEPTION(Error, knockOut(model, 0, removing({2, 0}, {8})));
    QVERIFY_THROWS_EXCEPTION(Error, knockOut(model, 0, removing({0, 4}, {8})));
    QVERIFY_THROWS_EXCEPTION(Error, knockOut(model, 0, removing({0, 0}, {11})));
    QVERIFY_THROWS_EXCEPTION(Error, knockOut(model, 0, removing({0, 0}, {})));
    QVERIFY_THROWS_EXCEPTION(Error, knockOutEach(model, 0, {.n_keys = 8, .sequences = 0}));
    QVERIFY_THROWS_EXCEPTION(Error, searchSmallestSets(model, 0, {.keptShare = 0.0}));
}

QTEST_GUILESS_MAIN(TestKnockout)
#include "test_knockout_torch.moc"
