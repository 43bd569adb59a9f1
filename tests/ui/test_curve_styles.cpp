// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How curves are told apart: own from published, squared from plain; and what axes and lists say about them.
#include <QImage>
#include <QPainter>
#include <QTest>

#include <algorithm>
#include <array>

#include "tests/ui/fake_run_service.h"
#include "ui/charts/end_labels.h"
#include "ui/charts/nice_range.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/models/accuracy_model.h"
#include "ui/theme/theme.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using model::Family;
using model::LogitForm;

namespace {

constexpr std::array kFamilies{Family::FullRope, Family::PartialRope,    Family::HybridWindow, Family::HybridNoWindow,
                               Family::Kda,      Family::ChunkRetrieval, Family::Baseline,     Family::Own};

QImage markerOf(const SeriesStyle &style, int pixels)
{
    QImage image(pixels, pixels, QImage::Format_RGB32);
    image.fill(Theme::light().base);
    QPainter painter(&image);
    drawMarker(painter, QPointF(pixels / 2.0, pixels / 2.0), pixels * 0.75, style, Theme::light().base);
    return image;
}

/// The curve of an own run with so many tokens a key, at n = 2 to `most`.
AccuracyFigureCurve ownCurve(std::int64_t tokensPerKey, std::int64_t most)
{
    AccuracyFigureCurve curve;
    curve.run.id = u"rope-seed0"_s;
    curve.run.title = u"rope · seed 0"_s;
    curve.run.record.config.variant = "rope";
    for (std::int64_t n = 2; n <= most; n *= 2) {
        eval::AccuracyPoint point;
        point.n_keys = n;
        point.contextTokens = n * tokensPerKey;
        point.sequences = 64;
        point.answers = 64 * n;
        point.exact = 32 * n;
        point.accuracy = 0.5;
        point.low = 0.4;
        point.high = 0.6;
        curve.curve.points.push_back(point);
    }
    return curve;
}

QStringList labelled(const Axis &axis)
{
    QStringList texts;
    for (const Tick &tick : axis.ticks) {
        if (!tick.label.isEmpty())
            texts.append(tick.label);
    }
    return texts;
}

} // namespace

class TestCurveStyles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Whatever the family, added variants included: the middle of an own run's marker has the curve's colour.
    void ownMarkersAreNeverHollow()
    {
        for (const Family family : kFamilies) {
            for (const LogitForm logits : {LogitForm::Plain, LogitForm::Squared}) {
                for (int run = 0; run < 30; ++run) {
                    const SeriesStyle style = Theme::light().seriesStyle(family, logits, run);
                    QVERIFY(!style.isHollow && style.marker != Marker::Ring);
                    QCOMPARE(markerOf(style, 48).pixelColor(24, 24), style.line);
                }
            }
        }
    }

    void familiesHaveMarkersOfTheirOwn()
    {
        QList<Marker> seen;
        for (const Family family : kFamilies) {
            const Marker marker = Theme::light().seriesStyle(family, LogitForm::Squared).marker;
            QVERIFY(!seen.contains(marker));
            seen.append(marker);
        }
    }

    // The two published curves of a family have one hue: dots and markers tell them apart, at the size of a figure too.
    void publishedPlainAndSquaredDiffer()
    {
        for (const Family family : kFamilies) {
            const SeriesStyle plain = Theme::light().publishedStyle(family, LogitForm::Plain);
            const SeriesStyle squared = Theme::light().publishedStyle(family, LogitForm::Squared);
            QVERIFY(plain.isHollow && squared.isHollow);
            QVERIFY(plain.dashes != squared.dashes);
            QVERIFY(plain.dashes.back() >= 2 * squared.dashes.back());
            for (const int pixels : {12, 48})
                QVERIFY(markerOf(plain, pixels) != markerOf(squared, pixels));
            QCOMPARE(markerOf(plain, 48).pixelColor(24, 24), Theme::light().base);
            QCOMPARE(markerOf(squared, 48).pixelColor(24, 24), squared.line);
        }
    }

    // The keys of the axis belong to the axis, not to what the own runs were asked.
    void keysReachTheEndOfTheAxis()
    {
        std::vector<AccuracyFigureCurve> curves{ownCurve(14, 32)};
        const QStringList alone = labelled(accuracyAxes(curves, false, 8, 16, 10).keys);
        QCOMPARE(alone.back(), u"32"_s);
        for (AccuracyFigureCurve &published : publishedFigureCurves(tests::FakeRunService().variants()))
            curves.push_back(std::move(published)); // up to 4,096 tokens
        const Axis keys = accuracyAxes(curves, false, 8, 16, 10).keys;
        const QStringList texts = labelled(keys);
        QVERIFY2(texts.contains(u"64"_s) && texts.contains(u"128"_s) && texts.back() == u"256"_s,
                 qPrintable(texts.join(u' ')));
        QCOMPARE(keys.ticks.back().value, 256.0 * 14);
    }

    // Absurd numbers of steps neither overflow nor fill the axis with digits.
    void hugeStepsHaveShortLabels()
    {
        for (const Scale scale : {Scale::Linear, Scale::Log10}) {
            const Axis axis = stepAxis({1, 9.3e18}, scale, 5);
            QVERIFY(!axis.ticks.empty());
            for (const Tick &tick : axis.ticks) {
                QVERIFY2(tick.label.size() <= 10 && !tick.label.contains(QChar(0x2212)), qPrintable(tick.label));
                if (tick.value >= 1e12)
                    QVERIFY2(tick.label.contains(u'×'), qPrintable(tick.label));
            }
        }
        QCOMPARE(labelled(stepAxis({0, 4000}, Scale::Linear, 4)),
                 (QStringList{u"0"_s, u"1,000"_s, u"2,000"_s, u"3,000"_s, u"4,000"_s}));
    }

    // Labels of one kind speak alike: all in full, or all brief.
    void labelsAreBriefTogether()
    {
        const auto briefCount = [](qreal width) {
            std::vector<EndLabel> labels;
            for (const QString &name : {u"rope"_s, u"hybrid_square_nowindow"_s}) {
                EndLabel label;
                label.text = name + u", published"_s;
                label.brief = name;
                label.end = QPointF(0, 20);
                labels.push_back(label);
            }
            QImage image(600, 100, QImage::Format_RGB32);
            QPainter painter(&image);
            const std::vector<QRectF> rects =
                drawEndLabels(painter, labels, QRectF(0, 0, width, 100), Theme::light(), PlotMetrics::paper());
            const QFontMetricsF font(PlotMetrics::paper().labels, &image);
            int brief = 0;
            for (std::size_t i = 0; i < labels.size(); ++i)
                brief += rects[i].width() < font.horizontalAdvance(labels[i].text) - 1.0 ? 1 : 0;
            return brief;
        };
        QCOMPARE(briefCount(500), 0);
        QCOMPARE(briefCount(150), 2);
    }

    // Own runs of other digits have their points elsewhere: the list says why the published column is empty.
    void emptyPublishedValuesAreExplained()
    {
        AccuracyModel model;
        std::vector<AccuracyModel::Entry> published;
        for (AccuracyFigureCurve &curve : publishedFigureCurves(tests::FakeRunService().variants())) {
            AccuracyModel::Entry entry;
            entry.key = curve.run.id;
            entry.name = curve.run.title;
            entry.curve = std::move(curve);
            published.push_back(std::move(entry));
        }
        model.setEntries({}, published);
        const QModelIndex group = model.groupIndex(AccuracyModel::PublishedGroup);
        const auto text = [&](int column) { return model.index(0, column, group).data().toString(); };
        const auto toolTip = [&] { return model.index(0, 0, group).data(Qt::ToolTipRole).toString(); };
        model.setContext(512, false);
        QVERIFY(text(AccuracyModel::ExactColumn).endsWith(u'%'));
        QVERIFY(!toolTip().contains(u"No point"_s));
        model.setContext(448, false);
        QCOMPARE(text(AccuracyModel::ExactColumn), u"–"_s);
        QCOMPARE(text(AccuracyModel::IntervalColumn), u"no point here"_s);
        QVERIFY2(toolTip().contains(u"No point at 448 tokens: a key takes 16 tokens there"_s), qPrintable(toolTip()));
    }
};

QTEST_MAIN(TestCurveStyles)
#include "test_curve_styles.moc"
