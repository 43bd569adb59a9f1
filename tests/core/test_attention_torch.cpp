// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tril.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/attention_probe.h"
#include "core/analysis/example_torch.h"
#include "core/error.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/kda_layer_torch.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/run_folder.h"
#include "core/run/safetensors.h"
#include "model_helpers_torch.h"
#include "tests/reference/kda_steps_torch.h"

using namespace lookback;
using helpers::largestDifference;
namespace fs = std::filesystem;

namespace {

const ComputeOptions kOneThread{.device = "cpu", .threads = 1};

at::Tensor parameter(const model::Transformer &model, const std::string &name)
{
    for (const auto &[known, tensor] : model.parameters()) {
        if (known == name)
            return tensor.detach();
    }
    return {};
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

run::RunFolder runWithCheckpoint(const QTemporaryDir &parent, const RunConfig &config, const model::Transformer &model,
                                 std::int64_t step)
{
    run::RunRecord record;
    record.config = config;
    const run::RunFolder folder = run::RunFolder::create(parent.path().toStdString(), "probe", record);
    run::Checkpoint checkpoint;
    checkpoint.config = config;
    checkpoint.step = step;
    for (const auto &[name, tensor] : model.parameters())
        checkpoint.weights.push_back(run::storedTensor(name, tensor));
    fs::create_directories(folder.checkpointFile(step).parent_path());
    run::writeCheckpoint(folder.checkpointFile(step), checkpoint);
    return folder;
}

/// One head and all heads are products of other shapes, so they may round differently.
bool isSameToRounding(const analysis::HeadMap &one, const analysis::HeadMap &other)
{
    return one.layer == other.layer && one.head == other.head && one.kind == other.kind && one.window == other.window
        && std::ranges::equal(one.weights, other.weights, [](float a, float b) { return std::abs(a - b) < 1e-5F; });
}

} // namespace

class TestAttention : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }

    // S32: what is shown is what the model computed. The maps, the values and the sublayer's output side rebuild every
    // hidden state of the forward pass, and the logits.
    void mapsRebuildTheModel_data() { helpers::eachVariant(); }
    void mapsRebuildTheModel()
    {
        const at::NoGradGuard noGrad;
        for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
            const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig(), type);
            const double tolerance = type == at::kDouble ? 1e-12 : 1e-5;
            for (const std::int64_t length : {1, 2, 7, 8, 33, 79}) {
                const at::Tensor tokens = helpers::tokens({length}, 50 + static_cast<std::uint64_t>(length));
                const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
                const at::Tensor logits = model.forward(tokens.unsqueeze(0)).squeeze(0);
                for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
                    const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
                    const at::Tensor normed = model.normedInput(layer, input);
                    const model::AttentionDesign &design = model.attention(layer);
                    const at::Tensor map = model.attentionMap(layer, input, 0, length);
                    const at::Tensor mixed = at::matmul(map, design.values(normed));
                    const at::Tensor x = feedForward(model, layer, input + design.outputFromMixed(mixed, normed));
                    if (layer + 1 < model.attentionLayers()) {
                        QVERIFY(largestDifference(x, inputs[static_cast<std::size_t>(layer + 1)]) < tolerance);
                        continue;
                    }
                    const at::Tensor gain = parameter(model, "norm_f.weight");
                    const at::Tensor rebuilt =
                        at::linear(at::layer_norm(x, gain.sizes(), gain, {}, 1e-5), parameter(model, "W_out.weight"));
                    QVERIFY(largestDifference(rebuilt, logits) < tolerance);
                }
            }
        }
    }

    // The same for softmax layers with nothing of the design's own: weights x (x Wv) through Wo.
    void weightsTimesValuesThroughTheOutputProjection_data() { helpers::eachVariant(); }
    void weightsTimesValuesThroughTheOutputProjection()
    {
        const at::NoGradGuard noGrad;
        const RunConfig config = helpers::fetchedConfig();
        const model::Transformer model = helpers::peakedModel(config, at::kFloat);
        const at::Tensor tokens = helpers::tokens({41}, 51);
        const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
            if (!model.sublayer(layer).hasSoftmaxMap)
                continue;
            const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
            const at::Tensor normed = model.normedInput(layer, input);
            const std::string prefix = "layers." + std::to_string(2 * layer) + ".";
            const at::Tensor value = at::matmul(normed, parameter(model, prefix + "Wv.weight").t());
            const at::Tensor map = model.attentionMap(layer, input, 0, 41);
            const std::int64_t width = config.headWidth();
            at::Tensor joined = at::empty({41, config.d_model});
            for (std::int64_t head = 0; head < config.query_heads; ++head) {
                const std::int64_t group = head / (config.query_heads / (value.size(1) / width));
                joined.narrow(1, head * width, width)
                    .copy_(at::matmul(map[head], value.narrow(1, group * width, width)));
            }
            const at::Tensor output = at::matmul(joined, parameter(model, prefix + "Wo.weight").t());
            const at::Tensor trained = model.attention(layer).forward(normed.unsqueeze(0), {}).squeeze(0);
            QVERIFY(largestDifference(output, trained) < 1e-5);
            // Rows are probabilities of what the mask lets through, and nothing else.
            QVERIFY(largestDifference(map.sum(-1), at::ones({config.query_heads, 41})) < 1e-5);
            const std::int64_t window = model.sublayer(layer).isWindowed ? config.window : 41;
            QCOMPARE((map - map.tril().triu(1 - window)).abs().max().item<double>(), 0.0);
            QVERIFY(map.min().item<double>() >= 0.0);
        }
    }

    // The signed matrix of a recurrence against the definition: row t is the output for unit values, token by token.
    void recurrenceMatrixFollowsItsDefinition()
    {
        const at::NoGradGuard noGrad;
        const model::Transformer model = helpers::peakedModel(helpers::smallConfig("hybrid_square_kda"));
        for (const std::int64_t length : {1, 15, 16, 17, 50, 300}) {
            const at::Tensor tokens = helpers::tokens({length}, 52);
            const at::Tensor input = model.attentionInputs(tokens)[0];
            const auto &layer = dynamic_cast<const model::KdaLayer &>(model.attention(0));
            const model::KdaInputs in = layer.scanInputsOfWhole(model.normedInput(0, input).unsqueeze(0));
            const at::Tensor unit = at::eye(length, input.options()).expand({1, 6, length, length});
            const at::Tensor expected =
                reference::kdaSteps(in.query_BHTC, in.key_BHTC, unit, in.logDecay_BHTC, in.beta_BHT)
                    .output_BHTV.squeeze(0);
            const at::Tensor map = model.attentionMap(0, input, 0, length);
            QVERIFY(largestDifference(map, expected) < 1e-12);
            QCOMPARE((map - map.tril()).abs().max().item<double>(), 0.0);
            QVERIFY(length < 50 || map.min().item<double>() < 0.0);
        }
    }

    void rowsWithoutTheRest_data() { helpers::eachVariant(); }
    void rowsWithoutTheRest()
    {
        const model::Transformer model = helpers::peakedModel(helpers::fetchedConfig());
        const at::Tensor tokens = helpers::tokens({290}, 53);
        const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
        for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
            const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
            const at::Tensor whole = model.attentionMap(layer, input, 0, 290);
            const std::pair<std::int64_t, std::int64_t> parts[] = {{0, 1}, {289, 290}, {100, 133}, {250, 260}};
            for (const auto &[begin, end] : parts)
                QVERIFY(
                    largestDifference(model.attentionMap(layer, input, begin, end), whole.narrow(1, begin, end - begin))
                    < 1e-13);
        }
    }

    // Any heads alone, whether or not they fill key-value groups, in any cut, with codecs that look at all groups.
    void headsWithoutTheRest_data() { helpers::eachVariant(); }
    void headsWithoutTheRest()
    {
        const at::NoGradGuard noGrad;
        const RunConfig config = helpers::fetchedConfig();
        model::Transformer model = helpers::peakedModel(config);
        const at::Tensor tokens = helpers::tokens({290}, 54);
        for (const bool hasCodec : {false, true}) {
            model::EvaluationChanges changes;
            if (hasCodec)
                changes.keyCodec = [](const at::Tensor &key) { return key / key.abs().max(); };
            const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
            for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
                model.setChanges(layer, changes);
                const at::Tensor &input = inputs[static_cast<std::size_t>(layer)];
                const at::Tensor whole = model.attentionMap(layer, input, 0, 290);
                for (const model::HeadRange heads : {model::HeadRange{0, 1}, {5, 6}, {1, 3}, {2, 4}, {0, 6}}) {
                    const auto reader = model.mapReader(layer, input, 7, heads);
                    const at::Tensor read = at::cat({reader->next(1), reader->next(270), reader->next(12)}, 1);
                    const at::Tensor expected = whole.narrow(0, heads.begin, heads.count()).narrow(1, 7, 283);
                    QVERIFY(largestDifference(read, expected) < 1e-13);
                }
            }
        }
    }

    // A map that is not wanted any more ends between two blocks of rows, of a softmax and of a recurrence.
    void mapsStopBetweenBlocks()
    {
        RunConfig config = helpers::smallConfig("hybrid_square_kda");
        config.key_digits = 3;
        const model::Transformer model = helpers::peakedModel(config, at::kFloat);
        const task::Sequence sequence = task::evaluationSequence({3, config.value_digits}, 130, 1, 0);
        const analysis::SeenSequence seen = analysis::seeSequence(model, sequence);
        for (const std::int64_t layer : {0, 1}) {
            std::stop_source stop;
            std::int64_t calls = 0;
            std::int64_t rows = 0;
            const auto stopAtOnce = [&](const Progress &progress) {
                ++calls;
                rows = progress.done;
                stop.request_stop();
            };
            QVERIFY_THROWS_EXCEPTION(Cancelled,
                                     analysis::headMaps(model, seen, layer, 0, 6, stop.get_token(), stopAtOnce));
            QCOMPARE(calls, 1);
            QVERIFY(rows > 0 && rows < seen.example.positions);

            std::vector<std::int64_t> told;
            analysis::headMaps(model, seen, layer, 0, 6, {}, [&](const Progress &progress) {
                QCOMPARE(progress.total, seen.example.positions);
                told.push_back(progress.done);
            });
            QVERIFY(told.size() > 2);
            QVERIFY(std::is_sorted(told.begin(), told.end()));
            QCOMPARE(told.back(), seen.example.positions);
        }
    }

    // The facts of the picture that the attention page follows: layer 3, head 2, query 52 of the hybrid_square fixture.
    void fixtureReadsAsKnown()
    {
        const fs::path file = fs::path(LOOKBACK_TEST_FIXTURES) / "hybrid_square.safetensors";
        RunConfig config;
        config.variant = "hybrid_square";
        config.d_model = 32;
        config.kv_heads = 2;
        config.pairs = 4;
        config.ffn_hidden = 64;
        model::Transformer model(config, at::kFloat, at::kCPU);
        std::vector<model::NamedTensor> weights;
        const run::SafetensorsFile content = run::readSafetensors(file);
        for (const auto &[name, tensor] : model.parameters())
            weights.emplace_back(name, run::tensorOf(*content.find(name)));
        model.load(weights);
        const at::Tensor tokens = run::tensorOf(*content.find("tokens"))[0];
        std::vector<std::uint8_t> bytes;
        for (std::int64_t t = 0; t < tokens.size(0); ++t)
            bytes.push_back(static_cast<std::uint8_t>(tokens[t].item<std::int64_t>()));
        const analysis::SeenSequence seen = analysis::seeSequence(model, task::parseSequence({}, bytes));

        const analysis::Example &example = seen.example;
        QCOMPARE(example.positions, 79);
        QCOMPARE(example.heads, 4);
        QCOMPARE(example.layers.size(), std::size_t{4});
        QCOMPARE(example.layers[3].words(), std::string("no position, sees all tokens, logits squared"));
        QCOMPARE(example.answers.size(), std::size_t{5});
        const analysis::Answer &answer = example.answers[1];
        QCOMPARE(answer.entry, 6);
        QCOMPARE(answer.firstEntry, 4);
        QCOMPARE(answer.key, 442);
        QCOMPARE(answer.truth, (std::vector<int>{3, 6, 9}));
        QCOMPARE(answer.predicted, (std::vector<int>{2, 9, 6}));
        QVERIFY(!answer.isExact());
        const double first[] = {0.173, 0.101, 0.365, 0.029, 0.052, 0.089, 0.056, 0.015, 0.040, 0.036, 0.036, 0.008};
        for (std::size_t token = 0; token < 12; ++token)
            QVERIFY(std::abs(static_cast<double>(answer.probabilities[0][token]) - first[token]) < 6e-4);

        const std::vector<analysis::HeadMap> maps = analysis::headMaps(model, seen, 3, 0, 4);
        const analysis::HeadMap &map = maps[2];
        QCOMPARE(map.head, 2);
        QVERIFY(std::abs(map.at(52, 37) - 0.25466F) < 1e-4F);
        const std::vector<float> row = analysis::headRow(model, seen, 3, 2, 52);
        for (std::int64_t key = 0; key < 79; ++key)
            QVERIFY(std::abs(row[static_cast<std::size_t>(key)] - map.at(52, key)) < 1e-5F);
        QCOMPARE(
            analysis::sentenceFor(example, map, 52, 37),
            std::string("Query 52 predicts the first value digit of key 442 (entry 6, second occurrence). It puts "
                        "0.25 on position 37, the same digit (3) at its first occurrence (entry 4). More weight, "
                        "0.32, goes to position 0, the StartKey of entry 0; 0.24 goes to position 5, the first value "
                        "digit (7) of entry 0."));
    }

    void probeOfARun_data() { helpers::eachVariant(); }
    void probeOfARun()
    {
        const RunConfig config = helpers::fetchedConfig();
        QTemporaryDir parent;
        const model::Transformer model = helpers::peakedModel(config, at::kFloat);
        const run::RunFolder folder = runWithCheckpoint(parent, config, model, 7);
        analysis::AttentionProbe probe(folder.path().string(), -1, kOneThread);
        QVERIFY_THROWS_EXCEPTION(Error, probe.headMap(0, 0));
        const analysis::Example example = probe.example(5, 2);
        QCOMPARE(example.key.step, 7);
        QCOMPARE(example.key.n_keys, 5);
        QCOMPARE(example.sequence, task::evaluationSequence({2, 2}, 5, config.evaluation_seed, 2));
        QCOMPARE(example.positions, 59);
        QCOMPARE(example.answers.size(), std::size_t{5});
        const at::Tensor tokens = [&] {
            at::Tensor values = at::empty({1, 59}, at::kLong);
            std::copy(example.sequence.tokens.begin(), example.sequence.tokens.end() - 1,
                      values.mutable_data_ptr<std::int64_t>());
            return values;
        }();
        const at::Tensor probabilities = model.forward(tokens).detach().softmax(-1)[0];
        for (const analysis::Answer &answer : example.answers) {
            QVERIFY(example.sequence.entries[static_cast<std::size_t>(answer.entry)].isSecondOccurrence);
            for (std::size_t digit = 0; digit < 2; ++digit) {
                const std::int64_t position =
                    example.sequence.predictionPosition(answer.entry, static_cast<std::int64_t>(digit));
                QCOMPARE(answer.truth[digit], int(example.sequence.tokens[static_cast<std::size_t>(position + 1)]));
                const at::Tensor row = probabilities[position];
                QCOMPARE(answer.predicted[digit], int(row.argmax().item<std::int64_t>()));
                for (std::int64_t token = 0; token < 12; ++token)
                    QVERIFY(std::abs(answer.probabilities[digit][static_cast<std::size_t>(token)]
                                     - row[token].item<float>())
                            < 1e-5F);
            }
        }
        for (std::int64_t layer = 0; layer < 3; ++layer) {
            const std::vector<analysis::HeadMap> maps = probe.layerMaps(layer);
            QCOMPARE(maps.size(), std::size_t{6});
            QVERIFY(isSameToRounding(probe.headMap(layer, 4), maps[4]));
            QCOMPARE(maps[1].layer, layer);
            QCOMPARE(maps[1].window, example.layers[static_cast<std::size_t>(layer)].isWindowed ? 7 : 0);
            const bool isSoftmax = example.layers[static_cast<std::size_t>(layer)].hasSoftmaxMap;
            QCOMPARE(maps[1].kind == analysis::MapKind::AttentionWeights, isSoftmax);
            for (std::int64_t query = 0; query < 59; ++query) {
                for (std::int64_t key = 0; key < 59; ++key)
                    QVERIFY(maps[1].isVisible(query, key) || maps[1].at(query, key) == 0.0F);
            }
            const std::vector<float> row = probe.headRow(layer, 1, 40);
            for (std::int64_t key = 0; key < 59; ++key)
                QVERIFY(std::abs(row[static_cast<std::size_t>(key)] - maps[1].at(40, key)) < 1e-5F);
        }
        QVERIFY_THROWS_EXCEPTION(Error, probe.headMap(3, 0));
        QVERIFY_THROWS_EXCEPTION(Error, probe.headMap(0, 6));
        QVERIFY_THROWS_EXCEPTION(Error, probe.headRow(0, 0, 59));
        QVERIFY_THROWS_EXCEPTION(Error, probe.example(101, 0)); // two digits allow 100 keys
        QVERIFY_THROWS_EXCEPTION(Error, probe.example(5, -1));
        std::stop_source source;
        source.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, probe.example(5, 0, source.get_token()));
    }

    void probeOfWhatIsNoRun()
    {
        QTemporaryDir parent;
        QVERIFY_THROWS_EXCEPTION(Error, analysis::AttentionProbe(parent.path().toStdString(), -1, kOneThread));
    }
};

QTEST_GUILESS_MAIN(TestAttention)
#include "test_attention_torch.moc"
