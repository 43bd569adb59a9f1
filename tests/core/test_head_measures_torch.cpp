// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <stop_token>

#include <ATen/core/Tensor.h>

#include <QTest>

#include "core/circuit/head_measures_torch.h"
#include "core/error.h"
#include "core/model/attention_design_torch.h"
#include "core/task/key_value_task.h"
#include "core/torch_thread.h"
#include "tests/core/hand_built_torch.h"
#include "tests/core/model_helpers_torch.h"

using namespace lookback;
using namespace lookback::circuit;

/// Measures of heads: on a model whose heads are known, and against whole maps read number by number.
class TestHeadMeasures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { enterTorchThread(1); }
    void chosenRowsAreThoseOfTheMap_data() { helpers::eachVariant(); }
    void chosenRowsAreThoseOfTheMap();
    void builtHeadsScoreWhatTheyAreBuiltFor();
    void slowReferenceAgrees_data() { helpers::eachVariant(); }
    void slowReferenceAgrees();
    void answersOfASequenceAreChosenEvenly();
    void withoutAskedAnswersNothingIsTold();
    void impossibleRequestsAreRefused();
    void progressAndCancel();
};

namespace {

double valueOf(const HeadTable &table, const HeadId &id, HeadMeasure measure)
{
    const HeadScores *head = table.find(id);
    return head && head->scores[measure] ? head->scores[measure]->value : std::nan("");
}

/// The scores of one head by the words of the specification, from whole maps.
struct Slow {
    std::array<double, kHeadMeasures> sums{};
    std::array<double, kHeadMeasures> counts{};
    std::array<double, kOffsets> offsets{};
    double rows = 0.0;

    void add(HeadMeasure measure, double value)
    {
        sums[static_cast<std::size_t>(measure)] += value;
        counts[static_cast<std::size_t>(measure)] += 1.0;
    }
    double mean(HeadMeasure measure) const
    {
        return sums[static_cast<std::size_t>(measure)] / counts[static_cast<std::size_t>(measure)];
    }
};

/// `map_TT`: of one head. `logits_TT`: undefined, or their sign is that of the logits before the square.
void addSlowly(Slow &slow, const task::Sequence &sequence, at::Tensor map_TT, bool isRecurrent, std::int64_t window,
               const std::vector<bool> &isDigitRight)
{
    const std::int64_t positions = map_TT.size(0);
    const std::int64_t length = sequence.shape.entryTokens();
    map_TT = map_TT.to(at::kDouble).contiguous();
    const double *map = map_TT.const_data_ptr<double>();
    for (std::int64_t j = 0; j < std::ssize(sequence.entries); ++j) {
        const task::Entry &entry = sequence.entries[static_cast<std::size_t>(j)];
        const std::int64_t first = sequence.predictionPosition(entry.partner, 0) + 1;
        if (!entry.isSecondOccurrence || sequence.predictionPosition(j, 0) - first < window)
            continue;
        bool isRight = true;
        for (std::int64_t digit = 0; digit < sequence.shape.value_digits; ++digit)
            isRight = isRight && isDigitRight[static_cast<std::size_t>(sequence.predictionPosition(j, digit))];
        for (std::int64_t query = j * length; query < (j + 1) * length && query < positions; ++query) {
            std::vector<double> row(map + query * positions, map + (query + 1) * positions);
            if (isRecurrent) {
                double total = 0.0;
                for (double &weight : row)
                    total += weight = std::abs(weight);
                for (double &weight : row)
                    weight /= total;
            }
            slow.rows += 1.0;
            for (std::int64_t offset = 0; offset < kOffsets; ++offset)
                slow.offsets[static_cast<std::size_t>(offset)] +=
                    query >= offset ? row[static_cast<std::size_t>(query - offset)] : 0.0;
            slow.add(HeadMeasure::PreviousToken, row[static_cast<std::size_t>(query - 1)]);
            const std::int64_t place = query - j * length;
            const auto former = static_cast<std::size_t>(entry.partner * length + place + 1);
            if (place >= 1 && place <= sequence.shape.key_digits)
                slow.add(HeadMeasure::KeyMatching, row[former]);
            if (place < 1 + sequence.shape.key_digits || place == length - 1)
                continue;
            if (isRight) {
                const auto strongest = std::max_element(row.begin(), row.end()) - row.begin();
                slow.add(HeadMeasure::Retrieval, strongest == static_cast<std::ptrdiff_t>(former) ? 1.0 : 0.0);
            }
            double own = 0.0;
            double others = 0.0;
            double elsewhere = 0.0;
            double entropy = 0.0;
            double distance = 0.0;
            for (std::int64_t key = 0; key < positions; ++key) {
                const double weight = row[static_cast<std::size_t>(key)];
                entropy -= weight > 0.0 ? weight * std::log(weight) : 0.0;
                distance += weight * static_cast<double>(query - key);
                if (key / length == j)
                    own += weight;
                else if (key % length >= 2 + sequence.shape.key_digits)
                    others += static_cast<std::size_t>(key) == former ? 0.0 : weight;
                else if (key != 0)
                    elsewhere += weight;
            }
            slow.add(HeadMeasure::SourceWeight, row[former]);
            slow.add(HeadMeasure::OwnEntry, own);
            slow.add(HeadMeasure::FirstToken, row[0]);
            slow.add(HeadMeasure::OtherValues, others);
            slow.add(HeadMeasure::Elsewhere, elsewhere);
            slow.add(HeadMeasure::Entropy, entropy);
            slow.add(HeadMeasure::MeanDistance, distance);
        }
    }
}

at::Tensor readTokens(const task::Sequence &sequence)
{
    at::Tensor tokens = at::empty({std::ssize(sequence.tokens) - 1}, at::kLong);
    for (std::int64_t i = 0; i < tokens.numel(); ++i)
        tokens[i] = static_cast<std::int64_t>(sequence.tokens[static_cast<std::size_t>(i)]);
    return tokens;
}

} // namespace

void TestHeadMeasures::chosenRowsAreThoseOfTheMap()
{
    const RunConfig config = helpers::fetchedConfig();
    const model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    const at::Tensor inputs_TD = helpers::normal({611, config.d_model}, 5);
    at::Tensor rows = at::empty({5}, at::kLong);
    const std::int64_t chosen[] = {3, 4, 255, 256, 610};
    for (std::int64_t i = 0; i < 5; ++i)
        rows[i] = chosen[i];
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        const at::Tensor map_HTT = model.attentionMap(layer, inputs_TD, 0, 611);
        for (const model::HeadRange heads : {model::HeadRange{0, 6}, model::HeadRange{3, 4}, model::HeadRange{1, 5}}) {
            const at::Tensor some = map_HTT.narrow(0, heads.begin, heads.count()).index_select(1, rows);
            const model::MapRows found = model.mapRows(layer, inputs_TD, rows, heads);
            QVERIFY(helpers::largestDifference(found.weights_HQT, some) < 1e-12);
            const bool isSquared =
                model.sublayer(layer).logits == model::LogitForm::Squared && model.sublayer(layer).hasSoftmaxMap;
            QCOMPARE(found.isNegative_HQT.defined(), isSquared);
        }
    }
}

void TestHeadMeasures::builtHeadsScoreWhatTheyAreBuiltFor()
{
    const model::Transformer model = hand_built::model();
    const HeadTable table = measureHeads(model, 0, {.n_keys = 8, .sequences = 32});
    QCOMPARE(table.answers, table.rightAnswers);
    QVERIFY(table.answers > 150);
    for (const HeadScores &head : table.heads) {
        const auto isAbout = [&](HeadMeasure measure, bool isOne) {
            if (!isMeant(measure, model.sublayer(head.id.layer))) {
                QVERIFY(!head.scores[measure] && !isOne);
                return;
            }
            const double value = valueOf(table, head.id, measure);
            const QString text = QString::fromStdString(headText(head.id)) + QLatin1Char(' ')
                + QString::fromUtf8(measureInfo(measure).id.data()) + QStringLiteral(" %1").arg(value);
            QVERIFY2(isOne ? value > 0.999 : value < 0.5, qPrintable(text));
        };
        isAbout(HeadMeasure::Retrieval, head.id == HeadId{1, 0});
        isAbout(HeadMeasure::SourceWeight, head.id == HeadId{1, 0});
        isAbout(HeadMeasure::KeyMatching, head.id == HeadId{1, 1});
        isAbout(HeadMeasure::PreviousToken, head.id == HeadId{0, 0});
        isAbout(HeadMeasure::FixedOffset, head.id.layer == 0 && head.id.head < 3);
        if (head.id.layer == 0 && head.id.head < 3)
            QCOMPARE(head.scores.strongestOffset, head.id.head + 1);
    }
    // behind the window of layer 0 there is nothing to retrieve
    QVERIFY(!table.layerMeans[0].scores[HeadMeasure::Retrieval] && !table.groups[0].scores[HeadMeasure::KeyMatching]);
    QCOMPARE(table.layerMeans[0].scores[HeadMeasure::SourceWeight]->value, 0.0);
    // means over heads: one of four retrieves; the others hit a source by chance at most
    QCOMPARE(table.layerMeans.size(), 2U);
    QCOMPARE(table.groups.size(), 8U);
    QVERIFY(std::abs(table.layerMeans[1].scores[HeadMeasure::Retrieval]->value - 0.25) < 0.05);
    QVERIFY(table.groups[4].scores[HeadMeasure::Retrieval] == table.find({1, 0})->scores[HeadMeasure::Retrieval]);
    // a head that always hits is not certain to
    const Measured retrieval = *table.find({1, 0})->scores[HeadMeasure::Retrieval];
    QVERIFY(retrieval.low < 0.999 && retrieval.low > 0.8 && retrieval.high == 1.0);
}

void TestHeadMeasures::slowReferenceAgrees()
{
    RunConfig config = helpers::fetchedConfig();
    config.window = 12; // leaves out neighbours only
    const model::Transformer model = helpers::peakedModel(config);
    const at::NoGradGuard noGrad;
    const HeadRequest request{.n_keys = 9, .sequences = 3};
    const HeadTable table = measureHeads(model, 7, request);
    QCOMPARE(table.step, 7);
    QCOMPARE(table.heads.size(), 18U);
    for (const HeadScores &head : table.heads) {
        Slow slow;
        const model::SublayerInfo &info = model.sublayer(head.id.layer);
        const bool isSquared = info.logits == model::LogitForm::Squared && info.hasSoftmaxMap;
        for (std::int64_t index = 0; index < request.sequences; ++index) {
            const task::Sequence sequence = task::evaluationSequence({config.key_digits, config.value_digits},
                                                                     request.n_keys, config.evaluation_seed, index);
            const at::Tensor tokens = readTokens(sequence);
            const at::Tensor predicted = model.forward(tokens.unsqueeze(0))[0].argmax(-1);
            std::vector<bool> isRight;
            for (std::int64_t i = 0; i < tokens.numel(); ++i)
                isRight.push_back(predicted[i].item<std::int64_t>()
                                  == sequence.tokens[static_cast<std::size_t>(i + 1)]);
            const at::Tensor input = model.attentionInputs(tokens)[static_cast<std::size_t>(head.id.layer)];
            addSlowly(slow, sequence, model.attentionMap(head.id.layer, input, 0, tokens.numel())[head.id.head],
                      !info.hasSoftmaxMap, config.window, isRight);
        }
        for (const MeasureInfo &measure : headMeasures()) {
            const std::optional<Measured> &found = head.scores[measure.measure];
            if (measure.measure == HeadMeasure::NegativeLogits) {
                QCOMPARE(found.has_value(), isSquared);
                continue;
            }
            double expected = slow.mean(measure.measure);
            if (info.isWindowed
                && (measure.measure == HeadMeasure::Retrieval || measure.measure == HeadMeasure::KeyMatching)) {
                QVERIFY(!found && !(expected > 0.0)); // no source is within the window
                continue;
            }
            if (measure.measure == HeadMeasure::FixedOffset)
                expected = *std::max_element(slow.offsets.begin(), slow.offsets.end()) / slow.rows;
            QCOMPARE(found.has_value(), std::isfinite(expected));
            if (found)
                QVERIFY2(
                    std::abs(found->value - expected) < 1e-9 * std::max(1.0, expected),
                    qPrintable(QStringLiteral("%1 of %2: %3, %4")
                                   .arg(QString::fromUtf8(measure.id.data()), QString::fromStdString(headText(head.id)))
                                   .arg(found->value)
                                   .arg(expected)));
        }
        for (std::size_t offset = 0; offset < slow.offsets.size(); ++offset)
            QVERIFY(std::abs(head.scores.offsets[offset] - slow.offsets[offset] / slow.rows) < 1e-9);
    }
}

void TestHeadMeasures::answersOfASequenceAreChosenEvenly()
{
    const model::Transformer model = helpers::peakedModel(helpers::smallConfig("rope"));
    const HeadTable few = measureHeads(model, 0, {.n_keys = 40, .sequences = 2, .answersOfSequence = 5});
    QCOMPARE(few.answers, 10);
    const HeadTable all = measureHeads(model, 0, {.n_keys = 40, .sequences = 2, .answersOfSequence = 1000});
    QVERIFY(all.answers > 60 && all.answers <= 80);
    // half of a long sequence's second occurrences stand in its second half; so does half of the chosen ones, and
    // distances are alike
    const auto distance = [](const HeadTable &table) { return valueOf(table, {0, 0}, HeadMeasure::MeanDistance); };
    QVERIFY(std::abs(distance(few) - distance(all)) < 0.5 * distance(all));
}

void TestHeadMeasures::withoutAskedAnswersNothingIsTold()
{
    // the only key stands twice in a row: its source lies within the window
    const model::Transformer model = helpers::peakedModel(helpers::smallConfig("rope"));
    const HeadTable table = measureHeads(model, 0, {.n_keys = 1, .sequences = 3});
    QCOMPARE(table.answers, 0);
    for (const std::optional<Measured> &measured : table.heads.front().scores.values)
        QVERIFY(!measured);
}

void TestHeadMeasures::impossibleRequestsAreRefused()
{
    const model::Transformer model = helpers::peakedModel(helpers::smallConfig("rope"));
    QVERIFY_THROWS_EXCEPTION(Error, measureHeads(model, 0, {.n_keys = 101}));
    QVERIFY_THROWS_EXCEPTION(Error, measureHeads(model, 0, {.n_keys = 4, .sequences = 0}));
    QVERIFY_THROWS_EXCEPTION(Error, measureHeads(model, 0, {.n_keys = 4, .sequences = 1, .answersOfSequence = 0}));
}

void TestHeadMeasures::progressAndCancel()
{
    const model::Transformer model = helpers::peakedModel(helpers::smallConfig("rope"));
    std::stop_source stop;
    std::vector<Progress> seen;
    const auto note = [&](const Progress &progress) {
        seen.push_back(progress);
        if (progress.done == 3)
            stop.request_stop();
    };
    QVERIFY_THROWS_EXCEPTION(Cancelled, measureHeads(model, 0, {.n_keys = 4, .sequences = 50}, note, stop.get_token()));
    QCOMPARE(seen.size(), 3U);
    QCOMPARE(seen.back().total, 50);
    QVERIFY(seen.back().remainingSeconds.has_value()); // 3 of 50 are more than 5 %
}

QTEST_GUILESS_MAIN(TestHeadMeasures)
#include "test_head_measures_torch.moc"
