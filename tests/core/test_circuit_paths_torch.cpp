// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <stop_token>

#include <ATen/core/Tensor.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/analysis/attention_probe.h"
#include "core/circuit/by_context.h"
#include "core/circuit/circuit_probe.h"
#include "core/circuit/failures_torch.h"
#include "core/circuit/head_cache.h"
#include "core/circuit/patching_torch.h"
#include "core/circuit/removal_torch.h"
#include "core/circuit/sequence_torch.h"
#include "core/circuit/timeline.h"
#include "core/error.h"
#include "core/run/checkpoint_store.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/file.h"
#include "core/run/record_stamp.h"
#include "core/torch_thread.h"
#include "tests/core/hand_built_torch.h"
#include "tests/core/model_helpers_torch.h"

using namespace lookback;
using namespace lookback::circuit;

/// Patching and failures on models whose heads are known, and all of it on a run folder.
class TestCircuitPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void pairsDifferInOneThing_data();
    void pairsDifferInOneThing();
    void patchingMovesTheAnswerWhereItIsMade_data();
    void patchingMovesTheAnswerWhereItIsMade();
    void patchingLeavesTheModelIntact();
    void failuresAreWhatTheyAre_data() { helpers::eachVariant(); }
    void failuresAreWhatTheyAre();
    void anIntactModelHasNoFailures();
    void mistakenEntriesAreNamed();
    void probeMeasuresOnce();
    void lossByEntryIsMeasuredOnce();
    void headsAtSeveralLengths();
    void probeShowsExamplesAndMaps();
    void attentionProbeRemovesTheSameWay_data();
    void attentionProbeRemovesTheSameWay();
    void uniformHeadShowsItsUniformMap();
    void timelineFollowsTheCheckpoints();

private:
    run::RunFolder makeRun(const std::vector<std::int64_t> &steps);
    QTemporaryDir m_folder;
};

void TestCircuitPaths::initTestCase()
{
    QVERIFY(m_folder.isValid());
    enterTorchThread(1);
}

/// A run whose checkpoints hold the built model; before step 100 without its reading head.
run::RunFolder TestCircuitPaths::makeRun(const std::vector<std::int64_t> &steps)
{
    const RunConfig config = hand_built::config();
    const run::RunFolder folder =
        run::RunFolder::create(m_folder.path().toStdString(), "run", run::newRunRecord(config, {}, "cpu", 1));
    run::CheckpointStore store(folder);
    for (const std::int64_t step : steps) {
        const at::NoGradGuard noGrad;
        const model::Transformer model = hand_built::model();
        run::Checkpoint checkpoint;
        checkpoint.config = config;
        checkpoint.step = step;
        for (const auto &[name, tensor] : model.parameters()) {
            if (step < 100 && name == "layers.2.Wq.weight")
                tensor.narrow(0, 0, 32).zero_();
            checkpoint.weights.push_back(run::storedTensor(name, tensor));
        }
        store.save(checkpoint, run::CheckpointPurpose::Asked);
    }
    return folder;
}

void TestCircuitPaths::pairsDifferInOneThing_data()
{
    QTest::addColumn<int>("difference");
    QTest::newRow("key") << static_cast<int>(PatchDifference::Key);
    QTest::newRow("value") << static_cast<int>(PatchDifference::Value);
}

void TestCircuitPaths::pairsDifferInOneThing()
{
    QFETCH(int, difference);
    RunConfig config = helpers::smallConfig("rope");
    config.value_digits = 3;
    int made = 0;
    for (std::int64_t index = 0; index < 40; ++index) {
        const std::optional<PatchPair> pair = patchPair(config, static_cast<PatchDifference>(difference), 12, index);
        if (!pair)
            continue;
        ++made;
        QCOMPARE(pair->a, evaluationSequenceOf(config, 12, index));
        QVERIFY(pair->tokenA != pair->tokenB);
        const std::int64_t entry = pair->position / config.entryTokens();
        const task::Entry &asked = pair->a.entries[static_cast<std::size_t>(entry)];
        QVERIFY(asked.isSecondOccurrence);
        QCOMPARE(static_cast<int>(pair->a.tokens[static_cast<std::size_t>(pair->position + 1)]), pair->tokenA);
        std::vector<std::int64_t> changed;
        for (std::int64_t i = 0; i < std::ssize(pair->a.tokens); ++i) {
            if (pair->a.tokens[static_cast<std::size_t>(i)] != pair->b.tokens[static_cast<std::size_t>(i)])
                changed.push_back(i);
        }
        if (static_cast<PatchDifference>(difference) == PatchDifference::Value) {
            // the same digit of both occurrences; B is a whole sequence itself
            const std::int64_t there = pair->position + 1 - (entry - asked.partner) * config.entryTokens();
            QCOMPARE(changed, (std::vector<std::int64_t>{there, pair->position + 1}));
            QCOMPARE(task::parseSequence(pair->b.shape, pair->b.tokens).entries, pair->b.entries);
        } else {
            for (const std::int64_t position : changed)
                QVERIFY(position / config.entryTokens() == entry && position % config.entryTokens() <= 2);
            // the key that is now asked for stands before, with that value
            bool isThere = false;
            for (std::int64_t other = 0; other < entry; ++other) {
                bool isSame = true;
                for (std::int64_t i = 1; i <= 2; ++i)
                    isSame = isSame
                        && pair->b.tokens[static_cast<std::size_t>(other * config.entryTokens() + i)]
                            == pair->b.tokens[static_cast<std::size_t>(entry * config.entryTokens() + i)];
                if (isSame) {
                    isThere = true;
                    QCOMPARE(static_cast<int>(
                                 pair->b.tokens[static_cast<std::size_t>(pair->b.predictionPosition(other, 0) + 1)]),
                             pair->tokenB);
                }
            }
            QVERIFY(isThere);
        }
    }
    QVERIFY(made > 30);
}

void TestCircuitPaths::patchingMovesTheAnswerWhereItIsMade_data()
{
    QTest::addColumn<int>("part");
    QTest::addColumn<int>("difference");
    QTest::addColumn<QString>("moving"); // heads that move all of the answer; the others move nothing
    const auto row = [](const char *name, PatchPart part, PatchDifference difference, const char *moving) {
        QTest::newRow(name) << static_cast<int>(part) << static_cast<int>(difference) << QString::fromLatin1(moving);
    };
    // which position is read follows from the key alone, what is read there from the value
    row("value, pattern", PatchPart::Pattern, PatchDifference::Value, "");
    row("value, output", PatchPart::Output, PatchDifference::Value, "1:0");
    row("key, pattern", PatchPart::Pattern, PatchDifference::Key, "1:0");
    // the asked key reaches the reading head through the previous-token head
    row("key, output", PatchPart::Output, PatchDifference::Key, "0:0 1:0");
}

void TestCircuitPaths::patchingMovesTheAnswerWhereItIsMade()
{
    QFETCH(int, part);
    QFETCH(int, difference);
    QFETCH(QString, moving);
    model::Transformer model = hand_built::model();
    const PatchResult result = patchHeads(model, 0,
                                          {.part = static_cast<PatchPart>(part),
                                           .difference = static_cast<PatchDifference>(difference),
                                           .n_keys = 6,
                                           .sequences = 16});
    QCOMPARE(result.effects.size(), 8U);
    QVERIFY(result.sequences > 10 && result.sequences == result.tried);
    QVERIFY(result.logitDifference > 1.0);
    for (const PatchEffect &effect : result.effects) {
        const bool isMoving = moving.split(QLatin1Char(' ')).contains(QString::fromStdString(headsText(effect.heads)));
        QVERIFY(effect.moved.has_value());
        const QString text =
            QStringLiteral("%1: %2").arg(QString::fromStdString(headsText(effect.heads))).arg(effect.moved->value);
        QVERIFY2(std::abs(effect.moved->value - (isMoving ? 1.0 : 0.0)) < 0.02, qPrintable(text));
        QCOMPARE(effect.flipped, isMoving ? result.sequences : 0);
    }
}

void TestCircuitPaths::patchingLeavesTheModelIntact()
{
    model::Transformer model = hand_built::model();
    const at::NoGradGuard noGrad;
    const at::Tensor tokens = helpers::tokens({1, 40}, 3);
    const at::Tensor before = model.forward(tokens);
    for (const PatchPart part : {PatchPart::Pattern, PatchPart::Output}) {
        const PatchResult together =
            patchHeads(model, 0, {.heads = {{1, 0}, {0, 2}}, .part = part, .n_keys = 6, .sequences = 4});
        QCOMPARE(together.effects.size(), 1U);
        QVERIFY(model.forward(tokens).equal(before));
    }
    QVERIFY_THROWS_EXCEPTION(Error, patchHeads(model, 0, {.heads = {{2, 0}}}));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY_THROWS_EXCEPTION(Cancelled, patchHeads(model, 0, {.n_keys = 6}, {}, stop.get_token()));
}

void TestCircuitPaths::failuresAreWhatTheyAre()
{
    const RunConfig config = helpers::fetchedConfig();
    const model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    const FailureRequest request{.n_keys = 9, .sequences = 3, .readers = {{1, 2}, {2, 4}}, .mostListed = 25};
    const Failures failures = findFailures(model, 4, request);
    QCOMPARE(failures.answers, 27);
    QCOMPARE(failures.digits, 54);
    QCOMPARE(std::ssize(failures.list), std::min<std::int64_t>(25, failures.wrongDigits));
    std::int64_t byDistance = failures.unknownOrigin;
    for (const std::int64_t count : failures.byKeyDistance)
        byDistance += count;
    QCOMPARE(byDistance, failures.wrongDigits);
    std::int64_t asked = 0;
    std::int64_t wrong = 0;
    for (const FailureCount &count : failures.byPlace) {
        asked += count.asked;
        wrong += count.wrong;
    }
    QCOMPARE(asked, failures.answers);
    QCOMPARE(wrong, failures.wrongAnswers);

    for (const WrongDigit &digit : failures.list) {
        const task::Sequence sequence = evaluationSequenceOf(config, 9, digit.sequence);
        const at::Tensor tokens = inputTokens(sequence, at::kCPU);
        const at::Tensor logits = model.forward(tokens.unsqueeze(0))[0][digit.position];
        QCOMPARE(logits.argmax().item<std::int64_t>(), static_cast<std::int64_t>(digit.predicted));
        QCOMPARE(static_cast<int>(sequence.tokens[static_cast<std::size_t>(digit.position + 1)]), digit.truth);
        QVERIFY(digit.truth != digit.predicted);
        QVERIFY(std::abs(logits[digit.predicted].item<double>() - logits[digit.truth].item<double>() - digit.margin)
                < 1e-9);
        QVERIFY(std::abs(logits.softmax(-1)[digit.truth].item<double>() - digit.probability) < 1e-9);
        // slowly: the weights of both readers
        const std::vector<at::Tensor> inputs = model.attentionInputs(tokens);
        at::Tensor mean = at::zeros({tokens.numel()}, at::kDouble);
        for (const HeadId &id : request.readers) {
            at::Tensor row = model.attentionMap(id.layer, inputs[static_cast<std::size_t>(id.layer)], digit.position,
                                                digit.position + 1)[id.head][0];
            if (!model.sublayer(id.layer).hasSoftmaxMap)
                row = row.abs() / row.abs().sum();
            mean += row / 2.0;
        }
        std::int64_t best = -1;
        for (std::int64_t position = 0; position < digit.entry * 6; ++position) {
            if (position % 6 >= 4 && sequence.tokens[static_cast<std::size_t>(position)] == digit.predicted
                && (best < 0 || mean[position].item<double>() > mean[best].item<double>()))
                best = position;
        }
        const bool isKnown = best >= 0 && mean[best].item<double>() >= kTakenWeight;
        QCOMPARE(digit.from.has_value(), isKnown);
        if (!isKnown)
            continue;
        QCOMPARE(digit.from->position, best);
        QCOMPARE(digit.from->entry, best / 6);
        const std::int64_t key = sequence.entries[static_cast<std::size_t>(best / 6)].key;
        QCOMPARE(digit.from->key, key);
        QCOMPARE(digit.from->keyDistance,
                 std::int64_t{key / 10 != digit.key / 10} + std::int64_t{key % 10 != digit.key % 10});
    }
    QVERIFY_THROWS_EXCEPTION(Error, findFailures(model, 4, {.n_keys = 9, .sequences = 3}));
}

void TestCircuitPaths::anIntactModelHasNoFailures()
{
    const Failures failures = findFailures(hand_built::model(), 0, {.n_keys = 8, .sequences = 8, .readers = {{1, 0}}});
    QCOMPARE(failures.wrongDigits, 0);
    QCOMPARE(failures.answers, 64);
    QVERIFY(failures.list.empty());
}

void TestCircuitPaths::mistakenEntriesAreNamed()
{
    // a reading head that takes each key digit for the next one: 3 finds the entry of 4
    const at::NoGradGuard noGrad;
    const model::Transformer model = hand_built::model();
    for (const auto &[name, tensor] : model.parameters()) {
        if (name == "layers.2.Wq.weight")
            tensor.narrow(0, 0, 10).copy_(tensor.narrow(0, 0, 10).roll(1, 0));
    }
    const Failures failures = findFailures(model, 0, {.n_keys = 10, .sequences = 8, .readers = {{1, 0}}});
    QVERIFY(failures.wrongDigits > 20);
    int known = 0;
    for (const WrongDigit &digit : failures.list) {
        if (!digit.from || digit.from->weight < 0.4) // the other entry stands there once or twice
            continue;
        ++known;
        QCOMPARE(digit.from->keyDistance, 1);
        QCOMPARE(digit.from->key, (digit.key + 1) % 10);
    }
    QVERIFY(known > 20);
    // with one digit every other key differs in one; at random the right key comes up too
    QVERIFY(failures.expectedByKeyDistance[0] > 0.0 && failures.expectedByKeyDistance[0] < 0.3);
    QVERIFY(std::abs(failures.expectedByKeyDistance[0] + failures.expectedByKeyDistance[1] - 1.0) < 1e-9);
}

void TestCircuitPaths::probeMeasuresOnce()
{
    const run::RunFolder folder = makeRun({100});
    const std::string path = folder.path().string();
    CircuitProbe probe(path, -1, {});
    QCOMPARE(probe.step(), 100);
    int calls = 0;
    const auto count = [&](const Progress &) { ++calls; };
    std::vector<std::string> notes;
    const HeadRequest request{.n_keys = 5, .sequences = 6};
    const HeadTable first = probe.heads(request, count, {}, &notes);
    QCOMPARE(calls, 6);
    QVERIFY(QFile::exists(QString::fromStdString(headCacheFile(folder, 100).string())));
    QVERIFY(CircuitProbe(path, 100, {}).heads(request, count, {}, &notes) == first);
    QCOMPARE(calls, 6);
    QVERIFY(notes.empty());
    run::writeFileWhole(headCacheFile(folder, 100), "damaged");
    QVERIFY(probe.heads(request, count, {}, &notes) == first);
    QCOMPARE(calls, 12);
    QCOMPARE(notes.size(), 1U);
    QVERIFY(retrievalHeads(first) == (std::vector<HeadId>{{1, 0}}));
    QCOMPARE(probe.failures({.n_keys = 5, .sequences = 2}).request.readers, (std::vector<HeadId>{{1, 0}}));
    QVERIFY_THROWS_EXCEPTION(Error, CircuitProbe(path, 7, {}));
}

/// The built model answers every second occurrence: no loss there, and that of a guess at first ones.
void TestCircuitPaths::lossByEntryIsMeasuredOnce()
{
    const run::RunFolder folder = makeRun({100});
    const std::string path = folder.path().string();
    int calls = 0;
    const auto count = [&](const Progress &) { ++calls; };
    std::vector<std::string> notes;
    const eval::PerIndexRequest request{.n_keys = 5, .sequences = 6};
    const eval::PerIndexTable first = CircuitProbe(path, -1, {}).perIndex(request, count, {}, &notes);
    QCOMPARE(calls, 6);
    QVERIFY(notes.empty());
    for (std::size_t i = 0; i < first.all.size(); ++i) {
        QCOMPARE(first.all[i].entries, 6);
        if (first.second[i].entries > 0)
            QVERIFY2(first.second[i].mean < 0.1, qPrintable(QString::number(first.second[i].mean)));
        if (first.first[i].entries > 0)
            QVERIFY2(first.first[i].mean > 1.0, qPrintable(QString::number(first.first[i].mean)));
    }
    const std::filesystem::path file = folder.path() / "circuit" / "per-index-00000100.json";
    QVERIFY(std::filesystem::exists(file));
    const std::string kept = run::readFileWhole(file);
    CircuitProbe(path, 100, {}).perIndex(request, count, {}, &notes);
    QCOMPARE(calls, 6);
    CircuitProbe(path, 100, {}).perIndex({.n_keys = 4, .sequences = 2}, count, {}, &notes); // stands beside it
    QCOMPARE(calls, 8);
    CircuitProbe(path, 100, {}).perIndex(request, count, {}, &notes);
    QCOMPARE(calls, 8);
    QVERIFY(notes.empty());
    run::writeFileWhole(file, "damaged");
    CircuitProbe(path, 100, {}).perIndex(request, count, {}, &notes);
    QCOMPARE(calls, 14);
    QCOMPARE(notes.size(), 1U);
    QCOMPARE(run::readFileWhole(file), kept);
}

void TestCircuitPaths::headsAtSeveralLengths()
{
    const run::RunFolder folder = makeRun({100});
    CircuitProbe probe(folder.path().string(), -1, {});
    std::vector<std::int64_t> told;
    std::vector<std::int64_t> done;
    const ContextHeads lengths = headsByContext(
        probe, {.lengths = {{.n_keys = 8, .sequences = 4}, {.n_keys = 3, .sequences = 4}}},
        [&](const Progress &progress) {
            done.push_back(progress.done);
            QCOMPARE(progress.total, 4 * (3 + 8));
        },
        [&](const ContextHeads &known) { told.push_back(known.tables.back().request.n_keys); });
    QCOMPARE(told, (std::vector<std::int64_t>{3, 8}));
    QVERIFY(std::ranges::is_sorted(done));
    QCOMPARE(done.back(), 44);
    QCOMPARE(lengths.tables.size(), 2U);
    for (const HeadTable &table : lengths.tables) {
        QVERIFY(table == probe.heads({.n_keys = table.request.n_keys, .sequences = 4})); // each as by itself
        // The five shares of every head add up to one.
        for (const HeadScores &head : table.heads) {
            double sum = 0.0;
            for (const HeadMeasure measure : {HeadMeasure::SourceWeight, HeadMeasure::OwnEntry, HeadMeasure::FirstToken,
                                              HeadMeasure::OtherValues, HeadMeasure::Elsewhere}) {
                QVERIFY(head.scores[measure]);
                sum += head.scores[measure]->value;
            }
            QVERIFY(std::abs(sum - 1.0) < 1e-5);
        }
    }
    QVERIFY_THROWS_EXCEPTION(Error, headsByContext(probe, {}));
    std::stop_source stop;
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             headsByContext(
                                 probe, {.lengths = {{.n_keys = 4}, {.n_keys = 6}}},
                                 [&](const Progress &) { stop.request_stop(); }, {}, stop.get_token()));
}

void TestCircuitPaths::probeShowsExamplesAndMaps()
{
    CircuitProbe probe(makeRun({100}).path().string(), -1, {});
    const Intervention without{.heads = {{0, 0}}, .removal = Removal::Mean};
    const ExampleUnder example = probe.example(8, 2, without);
    QCOMPARE(example.before.key.sequence, 2);
    QCOMPARE(example.before.key.step, 100);
    QVERIFY(std::ranges::all_of(example.before.answers, &analysis::Answer::isExact));
    QVERIFY(!std::ranges::all_of(example.after.answers, &analysis::Answer::isExact));
    QCOMPARE(example.after.sequence, example.before.sequence);
    const analysis::HeadMap intact = probe.headMap(8, 2, {}, {1, 0});
    const analysis::HeadMap after = probe.headMap(8, 2, without, {1, 0});
    QCOMPARE(intact.queries, after.queries);
    QVERIFY(intact.weights != after.weights);
    QVERIFY(probe.headMap(8, 2, {}, {1, 0}) == intact);
    QVERIFY_THROWS_EXCEPTION(Error, probe.example(11, 0, {}));
    QVERIFY_THROWS_EXCEPTION(Error, probe.example(8, -1, {}));
    QVERIFY_THROWS_EXCEPTION(Error, probe.example(8, 0, {.heads = {{7, 7}}}));
    QVERIFY_THROWS_EXCEPTION(Error, probe.headMap(8, 0, {}, {7, 7}));
}

void TestCircuitPaths::attentionProbeRemovesTheSameWay_data()
{
    QTest::addColumn<Removal>("removal");
    for (const Removal removal : {Removal::Zero, Removal::Mean, Removal::Uniform})
        QTest::newRow(std::string(removalName(removal)).c_str()) << removal;
}

/// What the viewer shows without a head is what the circuit's own tools say, to the last bit.
void TestCircuitPaths::attentionProbeRemovesTheSameWay()
{
    QFETCH(Removal, removal);
    const std::string path = makeRun({100}).path().string();
    const Intervention without{.heads = {{1, 0}, {0, 0}, {1, 0}}, .removal = removal};
    CircuitProbe circuit(path, -1, {});
    analysis::AttentionProbe probe(path, -1, {});
    const ExampleUnder under = circuit.example(8, 2, without);
    QVERIFY(probe.example(8, 2) == under.before);
    const analysis::Example after = probe.example(8, 2, {}, {}, without);
    QVERIFY(after == under.after);
    QCOMPARE(after.key.intervention.heads, (std::vector<HeadId>{{0, 0}, {1, 0}}));
    for (const analysis::HeadMap &map : probe.layerMaps(1))
        QVERIFY(map == circuit.headMap(8, 2, without, {1, map.head}));
    const std::vector<float> row = probe.headRow(1, 0, 20);
    const analysis::HeadMap map = probe.headMap(1, 0);
    for (std::int64_t key = 0; key < map.keys; ++key) // 1e-6: a row alone is multiplied in another order
        QVERIFY(std::abs(row[static_cast<std::size_t>(key)] - map.at(20, key)) <= 1e-6F);
    QVERIFY(probe.example(5, 0, {}, {}, without) == circuit.example(5, 0, without).after); // means of another length
    QVERIFY(probe.example(8, 2) == under.before); // intact again
    QVERIFY(probe.headMap(1, 0) == circuit.headMap(8, 2, {}, {1, 0}));
    QVERIFY_THROWS_EXCEPTION(Error, probe.example(8, 2, {}, {}, {.heads = {{7, 7}}}));
    QVERIFY(probe.headMap(1, 0) == circuit.headMap(8, 2, {}, {1, 0})); // a refused question changes nothing
}

void TestCircuitPaths::uniformHeadShowsItsUniformMap()
{
    analysis::AttentionProbe probe(makeRun({100}).path().string(), -1, {});
    probe.example(4, 0, {}, {}, {.heads = {{1, 0}}, .removal = Removal::Uniform});
    const analysis::HeadMap map = probe.headMap(1, 0);
    for (std::int64_t query = 0; query < map.queries; ++query) {
        const std::int64_t visible = map.window == 0 ? query + 1 : std::min(query + 1, map.window);
        for (std::int64_t key = 0; key < map.keys; ++key) {
            const float expected = map.isVisible(query, key) ? 1.0F / static_cast<float>(visible) : 0.0F;
            QVERIFY(std::abs(map.at(query, key) - expected) <= 1e-7F); // one float32 division
        }
    }
    // A head that adds nothing keeps the pattern that it has: only what comes out of it is dropped.
    probe.example(4, 0);
    const analysis::HeadMap intact = probe.headMap(1, 0);
    probe.example(4, 0, {}, {}, {.heads = {{1, 0}}, .removal = Removal::Zero});
    QVERIFY(probe.headMap(1, 0) == intact);
}

void TestCircuitPaths::timelineFollowsTheCheckpoints()
{
    const run::RunFolder folder = makeRun({0, 4, 100, 200});
    const std::string path = folder.path().string();
    std::vector<std::int64_t> told;
    std::vector<Progress> seen;
    const std::vector<HeadTable> timeline = measureTimeline(
        path, {.heads = {.n_keys = 5, .sequences = 4}}, {}, [&](const Progress &progress) { seen.push_back(progress); },
        [&](const HeadTable &table) { told.push_back(table.step); });
    QCOMPARE(told, (std::vector<std::int64_t>{0, 4, 100, 200}));
    QCOMPARE(timeline.size(), 4U);
    QCOMPARE(seen.back().done, 16);
    QCOMPARE(seen.back().total, 16);
    QVERIFY(stepOfForming(timeline, {1, 0}, HeadMeasure::SourceWeight, 0.5) == 100);
    QVERIFY(stepOfForming(timeline, {0, 0}, HeadMeasure::PreviousToken, 0.5) == 0);
    QVERIFY(!stepOfForming(timeline, {1, 2}, HeadMeasure::SourceWeight, 0.5));
    // a damaged checkpoint is passed over, unless it was asked for
    run::writeFileWhole(folder.checkpointFile(4), "damaged");
    std::vector<std::string> notes;
    QCOMPARE(measureTimeline(path, {.heads = {.n_keys = 5, .sequences = 4}}, {}, {}, {}, {}, &notes).size(), 3U);
    QCOMPARE(notes.size(), 1U);
    QVERIFY_THROWS_EXCEPTION(Error, measureTimeline(path, {.heads = {.n_keys = 5}, .steps = {4}}, {}));
}

QTEST_GUILESS_MAIN(TestCircuitPaths)
#include "test_circuit_paths_torch.moc"
