// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "tests/ui/figure_helpers.h"
#include "ui/charts/number_text.h"
#include "ui/figures/seed_curves.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

/// The plot area: the two long dark rows of the bottom and top axis.
QRect plotArea(const QImage &image)
{
    QRect area;
    for (int y = 0; y < image.height(); ++y) {
        int first = -1;
        int last = -1;
        int dark = 0;
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixelColor(x, y).lightness() < 110) {
                first = first < 0 ? x : first;
                last = x;
                ++dark;
            }
        }
        if (dark < image.width() / 3 || dark < (last - first) * 0.95)
            continue;
        if (area.isNull())
            area = QRect(QPoint(first, y), QPoint(last, y));
        area.setBottom(y);
    }
    return area;
}

QColor lineOf(model::Family family)
{
    return Theme::light().seriesStyle(family, model::LogitForm::Squared).line;
}

} // namespace

class TestAccuracyFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void markersStandWhereTheNumbersSay();
    void publishedCurvesAreHollowAndDotted();
    void errorRateLeavesNothingOut();
    void csvHasEverythingOfAPoint();
    void captionSaysWhatTheBandIs();
    void differencesAreNoted();
    void namesAndStylesAreUnique();
    void manyCurvesAreAllNamed();
    void foldersBecomeInput();
    void emptyPointsDoNotHurt();
    void seedsBecomeABand();
};

void TestAccuracyFigure::markersStandWhereTheNumbersSay()
{
    auto input = tests::accuracyOf({tests::paperConfig("hybrid_square_kda")});
    input.hasIntervals = false;
    const QImage image = renderFigure(*makeAccuracyFigure(input), {});
    const QRect area = plotArea(image);
    QVERIFY(area.width() > 500 && area.height() > 300);
    const AccuracyAxes axes = accuracyAxes(input.curves, false, 6, 8, 5);
    for (const eval::AccuracyPoint &point : input.curves[0].curve.points) {
        const int x = qRound(area.left() + axes.tokens.share(double(point.contextTokens)) * area.width());
        const int y = qRound(area.bottom() - axes.share.share(point.accuracy) * area.height());
        QVERIFY2(image.pixelColor(x, y) == lineOf(model::Family::Kda), qPrintable(u"n = %1"_s.arg(point.n_keys)));
    }
}

void TestAccuracyFigure::publishedCurvesAreHollowAndDotted()
{
    AccuracyFigureInput input;
    const auto variants = tests::FakeRunService::nineVariants();
    input.curves = publishedFigureCurves(variants);
    QCOMPARE(input.curves.size(), std::size_t(9));
    for (std::size_t i = 0; i < variants.size(); ++i)
        QCOMPARE(input.curves[i].curve.variant, variants[i].id); // in picker order
    std::erase_if(input.curves, [](const AccuracyFigureCurve &curve) { return curve.curve.variant != "rope"; });
    const QImage image = renderFigure(*makeAccuracyFigure(input), {});
    const QRect area = plotArea(image);
    const AccuracyAxes axes = accuracyAxes(input.curves, false, 6, 8, 5);
    for (const std::size_t i : {std::size_t(1), std::size_t(2), std::size_t(3)}) {
        const eval::AccuracyPoint &point = input.curves[0].curve.points[i];
        const int x = qRound(area.left() + axes.tokens.share(double(point.contextTokens)) * area.width());
        const int y = qRound(area.bottom() - axes.share.share(point.accuracy) * area.height());
        QCOMPARE(image.pixelColor(x, y), QColor(Qt::white));
    }
    // Dots and gaps: less than two thirds of the ink of a dashed curve with filled markers.
    const int dotted = tests::countPixels(image, lineOf(model::Family::FullRope));
    input.curves[0].run.isPublished = false;
    const int own = tests::countPixels(renderFigure(*makeAccuracyFigure(input), {}), lineOf(model::Family::FullRope));
    QVERIFY2(dotted * 3 < own * 2, qPrintable(u"%1 of %2"_s.arg(dotted).arg(own)));
}

void TestAccuracyFigure::errorRateLeavesNothingOut()
{
    auto input = tests::accuracyOf({tests::paperConfig("hybrid_square")});
    eval::AccuracyCurve &curve = input.curves[0].curve;
    curve.points[0].accuracy = 1.0; // no error: no place on a log axis
    curve.points[0].high = 1.0;
    curve.points[0].low = 0.999;
    curve.points[5].accuracy = 0.9996;
    input.isErrorRate = true;
    const auto points = sharePoints(curve, true);
    QCOMPARE(*points[0].y, 0.0);
    QVERIFY(std::abs(*points[5].y - 0.0004) < 1e-12);
    const AccuracyAxes axes = accuracyAxes(input.curves, true, 6, 8, 5);
    QVERIFY(axes.share.scale == Scale::Log10 && axes.share.range.lower > 0 && axes.share.range.upper >= 1);
    for (const CurvePoint &point : points)
        QVERIFY(*point.y == 0 || axes.share.range.contains(*point.y));
    QVERIFY(accuracyCaption(input.curves, true, true).contains("no wrong answer seen"_L1));
    // All right everywhere: still an axis.
    for (eval::AccuracyPoint &point : curve.points)
        point.accuracy = point.low = point.high = 1.0;
    const AccuracyAxes perfect = accuracyAxes(input.curves, true, 6, 8, 5);
    QVERIFY(perfect.share.range.lower > 0 && perfect.share.range.lower < perfect.share.range.upper);
    QVERIFY(!renderFigure(*makeAccuracyFigure(input), {}).isNull());
}

void TestAccuracyFigure::csvHasEverythingOfAPoint()
{
    auto input = tests::accuracyOf({tests::paperConfig("rope", 18446744073709551615ULL)});
    const auto variants = tests::FakeRunService::nineVariants();
    input.curves.push_back(publishedFigureCurves(variants).front());
    const QStringList lines = makeAccuracyFigure(input)->csv().split(u"\r\n"_s, Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 12 + 12);
    const QStringList names = lines[0].split(u',');
    const auto value = [&](QString line, const char *name) {
        static const QRegularExpression quoted(u"\"[^\"]*\""_s); // the label may hold a comma
        return line.replace(quoted, u"label"_s).split(u',')[names.indexOf(QLatin1StringView(name))];
    };
    const eval::AccuracyPoint &point = input.curves[0].curve.points[3];
    QCOMPARE(value(lines[4], "variant"), u"rope"_s);
    QCOMPARE(value(lines[4], "seed"), u"18446744073709551615"_s);
    QCOMPARE(value(lines[4], "published"), u"no"_s);
    QCOMPARE(value(lines[4], "step"), u"15000"_s);
    QCOMPARE(value(lines[4], "trained_tokens"), u"128"_s);
    QCOMPARE(value(lines[4], "n_keys"), u"24"_s);
    QCOMPARE(value(lines[4], "context_tokens"), u"384"_s);
    QCOMPARE(value(lines[4], "sequences"), u"128"_s);
    QCOMPARE(value(lines[4], "accuracy").toDouble(), point.accuracy); // reads back exactly
    QCOMPARE(value(lines[4], "low_95").toDouble(), point.low);
    QCOMPARE(value(lines[4], "high_95").toDouble(), point.high);
    QCOMPARE(value(lines[13], "published"), u"yes"_s);
    QCOMPARE(value(lines[13], "seed"), QString());
}

void TestAccuracyFigure::captionSaysWhatTheBandIs()
{
    auto input = tests::accuracyOf({tests::paperConfig("rope")});
    QCOMPARE(accuracyCaption(input.curves, false, true),
             u"Band: 95 % interval over sequences. 128 sequences a point."_s);
    input.curves[0].curve.points[2].sequences = 16;
    QVERIFY(accuracyCaption(input.curves, false, false).contains("16 to 128 sequences a point"_L1));
    QVERIFY(!accuracyCaption(input.curves, false, false).contains("Band"_L1));
}

void TestAccuracyFigure::differencesAreNoted()
{
    auto input =
        tests::accuracyOf({tests::paperConfig("rope"), tests::paperConfig("hybrid"), tests::paperConfig("hybrid", 1)});
    noteDifferences(input.curves);
    for (const AccuracyFigureCurve &curve : input.curves)
        QCOMPARE(curve.note, QString());
    input.curves[1].curve.step = 2000;
    input.curves[2].curve.evaluationSeed = 9;
    for (eval::AccuracyPoint &point : input.curves[2].curve.points)
        point.sequences = 32;
    noteDifferences(input.curves);
    QCOMPARE(input.curves[1].note, u"step 2,000 of 15,000"_s);
    QCOMPARE(input.curves[2].note, u"evaluation seed 9, 32 sequences"_s);
    input.curves[1].run.record.config.key_digits = 4;
    noteDifferences(input.curves);
    QVERIFY(input.curves[1].note.contains("4 key and 3 value digits"_L1));
    QVERIFY(makeAccuracyFigure(input)->csv().contains(u"\"hybrid · seed 0, step 2,000 of 15,000"_s));
}

void TestAccuracyFigure::namesAndStylesAreUnique()
{
    std::vector<RunConfig> configs(9, tests::paperConfig("hybrid"));
    const auto runs = tests::runsOf(configs);
    QStringList titles;
    for (const FigureRun &run : runs)
        titles << run.title;
    QCOMPARE(QSet<QString>(titles.begin(), titles.end()).size(), 9);
    QCOMPARE(labelNames(runs), titles);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            QVERIFY(runs[i].style(Theme::light()) != runs[j].style(Theme::light()));
    }
    QCOMPARE(labelNames(tests::runsOf({tests::paperConfig("rope"), tests::paperConfig("hybrid", 3)})),
             (QStringList{u"rope"_s, u"hybrid"_s}));
}

void TestAccuracyFigure::manyCurvesAreAllNamed()
{
    // Every curve's label or legend entry is a text of the SVG, whatever the page.
    std::vector<RunConfig> configs;
    for (const auto &variant : tests::FakeRunService::nineVariants())
        configs.push_back(tests::paperConfig(variant.id));
    const auto variants = tests::FakeRunService::nineVariants();
    auto input = tests::accuracyOf(configs);
    for (auto &curve : publishedFigureCurves(variants))
        input.curves.push_back(std::move(curve));
    QTemporaryDir folder;
    for (const QSizeF &size : {QSizeF(85, 57), QSizeF(120, 80), QSizeF(175, 117), QSizeF(300, 60)}) {
        ExportOptions options;
        options.millimetres = size;
        const QString file = folder.filePath(u"figure.svg"_s);
        exportFigure(*makeAccuracyFigure(input), file, options);
        QFile source(file);
        QVERIFY(source.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(source.readAll());
        int named = 0;
        for (const Theme *theme : {&Theme::light()}) {
            for (const auto &shades : theme->shades)
                named += int(text.count(u"fill=\"%1\""_s.arg(shades[0].label.name()))) > 0 ? 1 : 0;
        }
        QVERIFY(named >= 5);
        QVERIFY2(!text.contains(" more</text>"_L1), qPrintable(u"%1 x %2"_s.arg(size.width()).arg(size.height())));
    }
}

void TestAccuracyFigure::foldersBecomeInput()
{
    QTemporaryDir parent;
    const auto variants = tests::FakeRunService::nineVariants();
    const RunConfig config = tests::paperConfig("hybrid");
    const run::RunFolder folder = run::RunFolder::create(parent.path().toStdString(), "mine", tests::recordOf(config));
    QVERIFY_THROWS_EXCEPTION(Error, accuracyInput({folder}, variants, false));
    folder.writeAccuracy(tests::FakeRunService::scriptedAccuracy(config, 1000, {8, 16}, 32));
    folder.writeAccuracy(tests::FakeRunService::scriptedAccuracy(config, 15000, {8, 16, 32}, 32));
    const AccuracyFigureInput input = accuracyInput({folder}, variants, true);
    QCOMPARE(input.curves.size(), std::size_t(2));
    QCOMPARE(input.curves[0].curve.step, 15000);
    QCOMPARE(input.curves[0].run.family, model::Family::HybridWindow);
    QVERIFY(input.curves[1].run.isPublished);
    QCOMPARE(accuracyInput({}, variants, true).curves.size(), std::size_t(9));
    QVERIFY_THROWS_EXCEPTION(Error, accuracyInput({}, variants, false));
}

void TestAccuracyFigure::emptyPointsDoNotHurt()
{
    AccuracyFigureInput input = tests::accuracyOf({tests::paperConfig("rope")});
    input.curves[0].curve.points.clear();
    for (const bool isErrorRate : {false, true}) {
        input.isErrorRate = isErrorRate;
        QVERIFY(!renderFigure(*makeAccuracyFigure(input), {}).isNull());
        QVERIFY(!renderFigure(*makeAccuracyFigure({{}, isErrorRate, true, true}), {}).isNull());
    }
}

void TestAccuracyFigure::seedsBecomeABand()
{
    auto input = tests::accuracyOf({tests::paperConfig("rope_square", 0), tests::paperConfig("hybrid_square_kda", 0),
                                    tests::paperConfig("rope_square", 1), tests::paperConfig("rope_square", 2)});
    for (const std::size_t i : {0, 2, 3}) {
        for (eval::AccuracyPoint &point : input.curves[i].curve.points) {
            point.accuracy = i == 0 ? 0.2 : i == 2 ? 0.6 : 0.9;
            point.low = point.high = point.accuracy;
        }
    }
    input.curves = withSeedBands(std::move(input.curves));
    QCOMPARE(input.curves.size(), std::size_t(5));
    QVERIFY(input.curves[0].run.isSeedBand && input.curves[1].run.isFaint && input.curves[3].run.isFaint);
    QVERIFY(!input.curves[2].run.isFaint); // of another variant
    QCOMPARE(input.curves[0].run.title, u"rope_square · 3 of 3 seeds"_s);
    QCOMPARE(input.curves[0].learned, u"0 of 3 seeds of rope_square learned"_s);
    const auto figure = makeAccuracyFigure(input);
    QVERIFY(figure->provenance().front().contains("0 of 3 seeds of rope_square learned. Learned: at least"_L1));
    QVERIFY(!figure->provenance().join(u'\n').contains("seeds/"_L1));

    // The median is a curve with markers, filled between lowest and highest, and nothing beyond.
    const QImage image = renderFigure(*figure, {});
    const QRect area = plotArea(image);
    const AccuracyAxes axes = accuracyAxes(input.curves, false, 6, 8, 5);
    const auto colourAt = [&](double tokens, double share) {
        return image.pixelColor(qRound(area.left() + axes.tokens.share(tokens) * area.width()),
                                qRound(area.bottom() - axes.share.share(share) * area.height()));
    };
    QCOMPARE(colourAt(1024, 0.6).name(), lineOf(model::Family::FullRope).name());
    QVERIFY(colourAt(900, 0.7) != Theme::light().base);
    QVERIFY(colourAt(900, 0.75) == colourAt(900, 0.7)); // the fill
    QVERIFY(colourAt(900, 0.93) == Theme::light().base);
    QVERIFY(colourAt(900, 0.15) == Theme::light().base);

    const QString csv = figure->csv();
    QVERIFY(csv.startsWith("run,"_L1) && csv.section(u"\r\n"_s, 0, 0).endsWith("seed_low,seed_high"_L1));
    QVERIFY(csv.contains("seeds/"_L1));
    const auto commas = csv.section(u"\r\n"_s, 0, 0).count(u',');
    for (const QString &line : csv.split(u"\r\n"_s, Qt::SkipEmptyParts))
        QCOMPARE(line.count(u','), commas);
}

QTEST_MAIN(TestAccuracyFigure)
#include "test_accuracy_figure.moc"
