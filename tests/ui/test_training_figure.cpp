// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/ui/figure_helpers.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

QColor lineOf(const TrainingFigureRun &run)
{
    return run.run.style(Theme::light()).line;
}

/// Columns of the picture's lower or upper half that have a pixel of that colour.
std::vector<bool> inkedColumns(const QImage &image, const QColor &colour, bool isUpperHalf)
{
    std::vector<bool> columns(std::size_t(image.width()), false);
    const int from = isUpperHalf ? 0 : image.height() / 2;
    for (int y = from; y < from + image.height() / 2; ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, y) == colour)
                columns[std::size_t(x)] = true;
        }
    }
    return columns;
}

/// A solid curve of that variant with constant values.
TrainingFigureInput constant(const std::string &variant, double loss, double accuracy)
{
    auto input = tests::trainingOf({tests::paperConfig(variant, 0, 10000)});
    for (run::MetricsRecord &record : input.runs[0].metrics) {
        record.loss = loss;
        record.retrievalAcc = accuracy;
    }
    return input;
}

} // namespace

class TestTrainingFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesStandWhereTheyBelong();
    void brokenLossLeavesAGap();
    void offScaleValuesAreAnnounced();
    void smoothingIsNamed();
    void stagesAndRanges();
    void csvKeepsBrokenValuesApart();
    void reproduceCommandNamesWhatDiffers();
    void foldersBecomeInput();
    void strangeInputs();
    void seedsBecomeABand();
    void aContinuedRunIsOneLine();
};

void TestTrainingFigure::valuesStandWhereTheyBelong()
{
    // Three constant accuracies: their rows are in proportion, the line at 100 % and the one at 0 % are seen.
    double rows[3] = {0, 0, 0};
    const double values[3] = {0.0, 0.5, 1.0};
    for (int i = 0; i < 3; ++i) {
        const auto input = constant("rope_square", 2.0, values[i]);
        const QImage image = renderFigure(*makeTrainingFigure(input), {});
        double sum = 0;
        int count = 0;
        const int x = image.width() / 3; // a column without labels and markers
        for (int y = image.height() * 2 / 5; y < image.height(); ++y) {
            if (image.pixelColor(x, y) == lineOf(input.runs[0])) {
                sum += y;
                ++count;
            }
        }
        QVERIFY2(count >= 3 && count <= 7, qPrintable(u"%1: %2"_s.arg(i).arg(count))); // 1.2 pt at 300 dpi are 5 pixels
        rows[i] = sum / count;
    }
    QVERIFY(rows[0] > rows[1] && rows[1] > rows[2]);
    QVERIFY(std::abs((rows[0] + rows[2]) / 2 - rows[1]) <= 1.0);
}

void TestTrainingFigure::brokenLossLeavesAGap()
{
    for (const std::optional<double> broken :
         {std::optional(double(NAN)), std::optional(double(INFINITY)), std::optional<double>()}) {
        auto input = constant("rope_square", 0.5, 0.5);
        for (run::MetricsRecord &record : input.runs[0].metrics) {
            if (record.step >= 4000 && record.step <= 6000)
                record.loss = broken;
        }
        const auto figure = makeTrainingFigure(input);
        const QImage image = renderFigure(*figure, {});
        const auto loss = inkedColumns(image, lineOf(input.runs[0]), true);
        const auto accuracy = inkedColumns(image, lineOf(input.runs[0]), false);
        const auto span = [](const std::vector<bool> &columns) { return std::ranges::count(columns, true); };
        // 22 of 100 intervals are missing in the loss, none in the accuracy.
        const double share = double(span(loss)) / double(span(accuracy));
        QVERIFY2(share > 0.74 && share < 0.82, qPrintable(QString::number(share)));
        if (broken) {
            QVERIFY(tests::countPixels(image, Theme::light().wrong) > 5); // the mark
            QVERIFY(figure->provenance().join(u' ').contains("from step 4,000 to 6,000"_L1));
        }
    }
}

void TestTrainingFigure::offScaleValuesAreAnnounced()
{
    auto input = tests::trainingOf({tests::paperConfig("hybrid_square")});
    input.runs[0].metrics[40].loss = 1e20;
    QVERIFY(makeTrainingFigure(input)->provenance().join(u' ').contains("1 loss value is off scale"_L1));
    input.hasFullRange = true;
    QVERIFY(!makeTrainingFigure(input)->provenance().join(u' ').contains("off scale"_L1));
    std::vector<double> values;
    for (const auto &record : input.runs[0].metrics)
        values.push_back(*record.loss);
    const RobustRange bulk = robustRange(values, Scale::Log10);
    QVERIFY(lossRange(bulk, false).upper < 100);
    QVERIFY(lossRange(bulk, true).upper >= 1e20);
}

void TestTrainingFigure::smoothingIsNamed()
{
    auto input = tests::trainingOf({tests::paperConfig("rope_square")});
    const QImage plain = renderFigure(*makeTrainingFigure(input), {});
    input.smoothing = 0.9;
    const auto figure = makeTrainingFigure(input);
    QVERIFY(figure->provenance().join(u' ').contains("Smoothed 0.9, raw values behind"_L1));
    QVERIFY(renderFigure(*figure, {}) != plain);
}

void TestTrainingFigure::stagesAndRanges()
{
    const auto stages = curriculumStages(tests::paperConfig("rope"), {});
    QCOMPARE(stages.size(), std::size_t(4));
    QCOMPARE(stages[0], (Stage{0, 750, u"n = 2"_s}));
    QCOMPARE(stages[3].text, u"n = 8"_s);
    QVERIFY(std::isinf(stages[3].to));
    RunConfig flat = tests::paperConfig("rope");
    flat.curriculum.clear();
    QVERIFY(curriculumStages(flat, {}).empty());
    RunConfig promoted = tests::paperConfig("rope");
    promoted.promotion_accuracy = 0.97;
    std::vector<run::MetricsRecord> log;
    for (const auto &[step, keys] : {std::pair{1, 2}, {10, 2}, {20, 4}, {30, 4}, {40, 8}})
        log.push_back({step, keys, {}, {}, {}, {}, {}, {}});
    const auto reached = curriculumStages(promoted, log);
    QCOMPARE(reached.size(), std::size_t(3));
    QCOMPARE(reached[0], (Stage{0, 10, u"n = 2"_s}));
    QCOMPARE(reached[1], (Stage{10, 30, u"n = 4"_s}));
    QCOMPARE(reached[2].text, u"n = 8"_s);
    QVERIFY(std::isinf(reached[2].to));
    QVERIFY(curriculumStages(promoted, {}).empty());

    QCOMPARE(stepRange(3460, Scale::Linear), (Range{0, 4000}));
    QCOMPARE(stepRange(15000, Scale::Linear), (Range{0, 15000}));
    QCOMPARE(stepRange(0, Scale::Linear).lower, 0.0);
    QVERIFY(stepRange(0, Scale::Linear).upper >= 1);
    QCOMPARE(stepRange(300, Scale::Log10), (Range{1, 300}));
    QVERIFY(lossRange({}, false).contains(kChanceLoss));
    QVERIFY(lossRange(robustRange(std::vector<double>{1e-3}, Scale::Log10), false).contains(kChanceLoss));
}

void TestTrainingFigure::csvKeepsBrokenValuesApart()
{
    auto input = constant("rope", 0.5, 0.5);
    input.runs[0].metrics.resize(5);
    input.runs[0].metrics[0].loss = NAN;
    input.runs[0].metrics[1].loss = INFINITY;
    input.runs[0].metrics[2].loss = -INFINITY;
    input.runs[0].metrics[3].loss.reset();
    input.runs[0].metrics[4].loss = 0.1;
    const QStringList lines = makeTrainingFigure(input)->csv().split(u"\r\n"_s, Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 6);
    QStringList losses;
    for (const QString &line : lines)
        losses << line.split(u',')[6];
    QCOMPARE(losses, (QStringList{u"loss"_s, u"NaN"_s, u"Infinity"_s, u"-Infinity"_s, QString(), u"0.1"_s}));
    QCOMPARE(csvField(u"a,\"b\""_s), u"\"a,\"\"b\"\"\""_s);
}

void TestTrainingFigure::reproduceCommandNamesWhatDiffers()
{
    run::RunRecord record = tests::recordOf(tests::paperConfig("hybrid", 7));
    record.config.learning_rate = 0.001;
    record.config.curriculum.clear();
    QCOMPARE(
        reproduceCommand(record),
        u"lookback-cli train --variant hybrid --preset paper --seed 7 --set curriculum=none --set learning_rate=0.001"_s);
    record.config.steps = 9000; // the warm-up is named, or it would follow the steps
    QVERIFY(reproduceCommand(record).contains("--set steps=9000"_L1));
    QVERIFY(reproduceCommand(record).contains("--set warmup_steps=500"_L1));
    record.preset.clear(); // made by hand: everything that differs from the published configuration
    QVERIFY(reproduceCommand(record).contains("--set learning_rate=0.001"_L1));
}

void TestTrainingFigure::foldersBecomeInput()
{
    QTemporaryDir parent;
    const RunConfig config = tests::paperConfig("hybrid_square", 0, 300);
    const run::RunFolder folder = run::RunFolder::create(parent.path().toStdString(), "mine", tests::recordOf(config));
    run::RunFolder::create(parent.path().toStdString(), "mine", tests::recordOf(config));
    {
        QFile log(QString::fromStdString(folder.metricsFile().string()));
        QVERIFY(log.open(QIODevice::WriteOnly));
        for (const std::int64_t step : {1, 100, 200})
            log.write(QByteArray::fromStdString(run::metricsLine(tests::FakeRunService::scriptedRecord(config, step)))
                      + '\n');
    }
    const auto variants = tests::FakeRunService::nineVariants();
    const TrainingFigureInput input =
        trainingInput({folder, run::RunFolder::open(parent.filePath(u"mine-2"_s).toStdString())}, variants);
    QCOMPARE(input.runs.size(), std::size_t(2));
    QCOMPARE(input.runs[0].metrics.size(), std::size_t(3));
    QCOMPARE(input.runs[0].run.family, model::Family::HybridWindow);
    QCOMPARE(input.runs[1].run.title, u"hybrid_square · seed 0 (2)"_s);
    QVERIFY(input.runs[1].metrics.empty());
}

void TestTrainingFigure::strangeInputs()
{
    QVERIFY(!renderFigure(*makeTrainingFigure({}), {}).isNull());
    auto input = constant("rope", NAN, NAN);
    QVERIFY(!renderFigure(*makeTrainingFigure(input), {}).isNull());
    input = constant("rope", 0.0, 1.0); // a perfect loss has no place on a log axis
    QVERIFY(makeTrainingFigure(input)->provenance().join(u' ').contains("not on a log axis"_L1));
    input.runs[0].metrics.resize(1);
    QVERIFY(!renderFigure(*makeTrainingFigure(input), {}).isNull());
    input.stepScale = Scale::Log10;
    input.steps = Range{5, 7};
    input.loss = Range{0.1, 0.2};
    input.accuracy = Range{0.2, 0.3};
    QVERIFY(!renderFigure(*makeTrainingFigure(input), {}).isNull());
}

void TestTrainingFigure::seedsBecomeABand()
{
    auto input =
        tests::trainingOf({tests::paperConfig("rope_square", 0, 10000), tests::paperConfig("rope_square", 1, 10000),
                           tests::paperConfig("rope_square", 2, 10000)});
    const double accuracies[] = {0.2, 0.6, 0.97};
    for (std::size_t i = 0; i < 3; ++i) {
        for (run::MetricsRecord &record : input.runs[i].metrics)
            record.retrievalAcc = accuracies[i];
    }
    const QString plain = makeTrainingFigure(input)->csv();
    input.hasSeedBands = true;
    const auto figure = makeTrainingFigure(input);
    QVERIFY(figure->provenance().front().contains("1 of 3 seeds of rope_square learned"_L1));
    const QString csv = figure->csv();
    const auto commas = csv.section(u"\r\n"_s, 0, 0).count(u',');
    const QStringList lines = csv.split(u"\r\n"_s, Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), plain.split(u"\r\n"_s, Qt::SkipEmptyParts).size() * 4 / 3);
    for (const QString &line : lines)
        QCOMPARE(line.count(u','), commas);
    QVERIFY(lines.back().contains(u"rope_square · 3 of 3 seeds,rope_square,,10000,,"_s));
    QVERIFY(lines.back().endsWith("0.2,0.97"_L1));
    // A hidden seed is counted.
    input.runs.pop_back();
    for (TrainingFigureRun &run : input.runs)
        run.run.seedsKnown = 3;
    QVERIFY(makeTrainingFigure(input)->csv().contains("2 of 3 seeds"_L1));
    // Filled between the lowest and the highest, drawn at any size.
    QVERIFY(tests::countPixels(renderFigure(*figure, {}), Theme::light().base) < tests::countPixels(
                renderFigure(*makeTrainingFigure(tests::trainingOf({tests::paperConfig("rope_square")})), {}),
                Theme::light().base));
    renderFigure(*figure, ExportOptions::ofPixels({60, 40}, 96));
}

void TestTrainingFigure::aContinuedRunIsOneLine()
{
    // The log of a run that was continued from an earlier checkpoint: steps that were written again replace the first.
    QTemporaryDir folder;
    QFile file(folder.filePath(u"metrics.jsonl"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (const std::int64_t step : {100, 200, 300, 400, 250, 300, 350, 400, 450}) {
        run::MetricsRecord record;
        record.step = step;
        record.loss = 1.0 / double(step);
        file.write(QByteArray::fromStdString(run::metricsLine(record)) + '\n');
    }
    file.close();
    const auto points = lossPoints(run::readMetrics(file.fileName().toStdString()).records);
    const ThinnedCurve line =
        thinned(points, Axis{Scale::Linear, {0, 500}, {}, {}, {}}, Axis{Scale::Log10, {1e-4, 1}, {}, {}, {}}, 500);
    QCOMPARE(line.segments.size(), std::size_t(1));
    QVERIFY(line.breaks.empty());
    QVERIFY(std::ranges::is_sorted(points, std::less_equal(), &CurvePoint::x));
    QCOMPARE(points.size(), std::size_t(7)); // 100, 200, 250, 300, 350, 400, 450
}

QTEST_MAIN(TestTrainingFigure)
#include "test_training_figure.moc"
