// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <limits>

#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/colour_map.h"
#include "ui/theme/theme.h"

using namespace lookback::ui;

namespace {

const QList<ColourMap> kRising{ColourMap::Viridis, ColourMap::Cividis, ColourMap::Magma, ColourMap::Grey};

/// CIE lightness 0..100.
double lightness(QRgb colour)
{
    const double y = luminance(colour);
    return y > 0.008856 ? 116.0 * std::cbrt(y) - 16.0 : 903.3 * y;
}

/// Distance of the neutral grey that a colour becomes in a grey print or for an eye without hue.
double greyDistance(QRgb a, QRgb b)
{
    return std::abs(lightness(a) - lightness(b));
}

} // namespace

Q_DECLARE_METATYPE(lookback::ui::ColourScale)

class TestColourMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A map read in grey must still rank the values.
    void luminanceRises()
    {
        for (const ColourMap map : kRising) {
            for (int i = 1; i < 256; ++i) {
                QVERIFY2(lightness(colourAt(map, i / 255.0)) > lightness(colourAt(map, (i - 1) / 255.0)) - 0.35,
                         qPrintable(colourMapTitle(map))); // 0.35: cividis steps back by one code of 8 bits
            }
            for (int i = 8; i < 256; ++i)
                QVERIFY(lightness(colourAt(map, i / 255.0)) > lightness(colourAt(map, (i - 8) / 255.0)));
            QVERIFY(greyDistance(colourAt(map, 0.0), colourAt(map, 1.0)) > 70.0);
        }
    }

    void divergingMapsRiseFromTheirCentre()
    {
        for (const ColourMap map : {ColourMap::DivergingLight, ColourMap::DivergingDark}) {
            QVERIFY(isDiverging(map));
            const double direction = map == ColourMap::DivergingDark ? 1.0 : -1.0;
            for (int i = 2; i <= 128; i += 2) {
                for (const double side : {-1.0, 1.0}) {
                    const QRgb outer = colourAt(map, 0.5 + side * i / 256.0);
                    const QRgb inner = colourAt(map, 0.5 + side * (i - 2) / 256.0);
                    QVERIFY(direction * (lightness(outer) - lightness(inner)) > 0.0);
                }
            }
            const QColor centre(colourAt(map, 0.5));
            QVERIFY(centre.saturation() < 10 || centre.value() < 8);
            // The two signs differ in hue where they have the same strength.
            for (const double strength : {0.25, 0.5, 1.0}) {
                const QColor below(colourAt(map, 0.5 - strength / 2));
                const QColor above(colourAt(map, 0.5 + strength / 2));
                QVERIFY(below.blue() > below.red());
                QVERIFY(above.red() > above.blue());
            }
        }
    }

    void publishedEnds()
    {
        QCOMPARE(colourAt(ColourMap::Viridis, 0.0), qRgb(0x44, 0x01, 0x54));
        QCOMPARE(colourAt(ColourMap::Viridis, 1.0), qRgb(0xFD, 0xE7, 0x25));
        QCOMPARE(colourAt(ColourMap::Magma, 0.0), qRgb(0x00, 0x00, 0x04));
        QCOMPARE(colourAt(ColourMap::Magma, 1.0), qRgb(0xFC, 0xFD, 0xBF));
        QCOMPARE(colourAt(ColourMap::Cividis, 1.0), qRgb(0xFE, 0xE8, 0x38));
        QCOMPARE(colourAt(ColourMap::Viridis, -3.0), colourAt(ColourMap::Viridis, 0.0));
        QCOMPARE(colourAt(ColourMap::Viridis, 7.0), colourAt(ColourMap::Viridis, 1.0));
    }

    void defaultsByTheme()
    {
        QCOMPARE(colourMapsFor(false, true).first(), ColourMap::Magma);
        QCOMPARE(colourMapsFor(false, false).first(), ColourMap::Viridis);
        QCOMPARE(colourMapsFor(true, true).first(), ColourMap::DivergingDark);
        QCOMPARE(colourMapsFor(true, false).first(), ColourMap::DivergingLight);
    }

    void tableFollowsTheScale()
    {
        const ColourTable linear(ColourMap::Magma, ColourScale::shared());
        QCOMPARE(linear.colourOf(0.0F), colourAt(ColourMap::Magma, 0.0));
        QCOMPARE(linear.colourOf(1.0F), colourAt(ColourMap::Magma, 1.0));
        QCOMPARE(linear.colourOf(2.0F), colourAt(ColourMap::Magma, 1.0));
        QCOMPARE(linear.colourOf(-1.0F), colourAt(ColourMap::Magma, 0.0));
        for (int i = 0; i <= 1024; ++i)
            QCOMPARE(linear.colourOf(static_cast<float>(i / 1024.0)), colourAt(ColourMap::Magma, i / 1024.0));

        const ColourTable log(ColourMap::Viridis, ColourScale::shared().asLog());
        QCOMPARE(log.colourOf(1e-4F), colourAt(ColourMap::Viridis, 0.0));
        QCOMPARE(log.colourOf(0.0F), colourAt(ColourMap::Viridis, 0.0));
        QCOMPARE(log.colourOf(1.0F), colourAt(ColourMap::Viridis, 1.0));
        QVERIFY(std::abs(ColourScale::shared().asLog().fractionOf(0.01) - 0.5) < 1e-12);

        const ColourTable own(ColourMap::Viridis, ColourScale::shared().withMaximum(0.25));
        QCOMPARE(own.colourOf(0.25F), colourAt(ColourMap::Viridis, 1.0));

        const ColourTable differences(ColourMap::DivergingDark, ColourScale::sharedSigned());
        QCOMPARE(differences.colourOf(-1.0F), colourAt(ColourMap::DivergingDark, 0.0));
        QVERIFY(luminance(differences.colourOf(0.0F)) < 0.01);
    }

    // One convention in both directions: the level that a value gets is the one that stands for it.
    void levelsAndValuesAgree_data()
    {
        QTest::addColumn<ColourScale>("scale");
        QTest::newRow("shared") << ColourScale::shared();
        QTest::newRow("own") << ColourScale::shared().withMaximum(0.37);
        QTest::newRow("tiny") << ColourScale::shared().withMaximum(3e-30);
        QTest::newRow("signed") << ColourScale::sharedSigned();
        QTest::newRow("signed own") << ColourScale::sharedSigned().withMaximum(0.0123);
        QTest::newRow("log") << ColourScale::shared().asLog();
        QTest::newRow("own log") << ColourScale::shared().asLog().withMaximum(0.02);
    }
    void levelsAndValuesAgree()
    {
        QFETCH(ColourScale, scale);
        const ColourTable table(ColourMap::Grey, scale);
        const int last = ColourTable::kLastLevel;
        QCOMPARE(table.valueOf(0), scale.minimum);
        QVERIFY(std::abs(table.valueOf(last) / scale.maximum - 1.0) < 1e-12);
        for (int level = 0; level <= last; ++level) {
            QCOMPARE(table.levelOf(static_cast<float>(table.valueOf(level))), level);
            QVERIFY(std::abs(scale.fractionOf(table.valueOf(level)) - level / double(last)) < 1e-12);
            QCOMPARE(table.colourOf(static_cast<float>(table.valueOf(level))),
                     colourAt(ColourMap::Grey, level / double(last)));
        }
        // Between two levels the change comes half-way.
        for (int level = 0; level < last; ++level) {
            const bool isLog = scale.form == ColourScale::Form::Log;
            const double low = table.valueOf(level);
            const double high = table.valueOf(level + 1);
            const auto between = [&](double part) {
                return static_cast<float>(isLog ? low * std::pow(high / low, part) : low + (high - low) * part);
            };
            QCOMPARE(table.levelOf(between(0.49)), level);
            QCOMPARE(table.levelOf(between(0.51)), level + 1);
        }
        if (scale.minimum < 0.0) {
            QCOMPARE(table.levelOf(0.0F), last / 2);
            QCOMPARE(table.valueOf(last / 2), 0.0);
            for (int i = 0; i <= 4 * last; ++i) { // half steps among them
                const auto value = static_cast<float>(scale.maximum * i / (4.0 * last));
                QCOMPARE(table.levelOf(-value), last - table.levelOf(value));
            }
        }
    }

    void levelsAtTheEdges()
    {
        const float infinity = std::numeric_limits<float>::infinity();
        const ColourTable linear(ColourMap::Grey, ColourScale::shared());
        // Exactly half-way: the even level. Just below a half step of the first level: the first.
        QCOMPARE(linear.levelOf(0.5F / 1024), 0);
        QCOMPARE(linear.levelOf(1.5F / 1024), 2);
        QCOMPARE(linear.levelOf(2.5F / 1024), 2);
        QCOMPARE(linear.levelOf(std::nextafter(0.5F, 0.0F) / 1024), 0);
        QCOMPARE(linear.levelOf(std::nextafter(0.5F, 1.0F) / 1024), 1);
        QCOMPARE(linear.levelOf(std::nextafter(1.0F, 0.0F)), 1024);
        for (const ColourScale &scale :
             {ColourScale::shared(), ColourScale::shared().asLog(), ColourScale::sharedSigned(),
              ColourScale::shared().withMaximum(1e-42), ColourScale::sharedSigned().withMaximum(1e-42)}) {
            const ColourTable table(ColourMap::Grey, scale);
            QCOMPARE(table.levelOf(-0.0F), table.levelOf(0.0F));
            QCOMPARE(table.levelOf(0.0F), scale.minimum < 0.0 ? 512 : 0);
            QCOMPARE(table.levelOf(infinity), 1024);
            QCOMPARE(table.levelOf(-infinity), 0);
            QCOMPARE(table.levelOf(std::numeric_limits<float>::max()), 1024);
            QCOMPARE(table.levelOf(std::numeric_limits<float>::lowest()), 0);
            QCOMPARE(table.colourOf(std::numeric_limits<float>::quiet_NaN()), kNotANumber);
        }
        QCOMPARE(colourAt(ColourMap::Grey, std::numeric_limits<double>::quiet_NaN()), kNotANumber);
        QCOMPARE(colourAt(ColourMap::Grey, -0.0), colourAt(ColourMap::Grey, 0.0));
        QCOMPARE(colourAt(ColourMap::Grey, std::numeric_limits<double>::infinity()), colourAt(ColourMap::Grey, 1.0));
    }

    void notANumberIsSeen()
    {
        const ColourTable table(ColourMap::Viridis, ColourScale::shared(), qRgb(1, 2, 3));
        QCOMPARE(table.colourOf(std::numeric_limits<float>::quiet_NaN()), qRgb(1, 2, 3));
        QCOMPARE(table.colourOf(std::numeric_limits<float>::infinity()), colourAt(ColourMap::Viridis, 1.0));
    }

    // S31: what the mask forbids never looks like a weight of zero, also in a grey print.
    void maskDiffersFromZero()
    {
        for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
            for (const bool isSigned : {false, true}) {
                for (const ColourMap map : colourMapsFor(isSigned, theme->isDark)) {
                    const QRgb zero = colourAt(map, isSigned ? 0.5 : 0.0);
                    QVERIFY2(greyDistance(theme->mask.rgb(), zero) > 9.0, qPrintable(colourMapTitle(map)));
                }
            }
        }
    }

    void ticks_data()
    {
        QTest::addColumn<double>("minimum");
        QTest::addColumn<double>("maximum");
        QTest::addColumn<bool>("isLog");
        QTest::addColumn<QList<double>>("expected");
        QTest::newRow("shared") << 0.0 << 1.0 << false << QList<double>{0, 0.25, 0.5, 0.75, 1};
        QTest::newRow("signed") << -1.0 << 1.0 << false << QList<double>{-1, -0.5, 0, 0.5, 1};
        QTest::newRow("own") << 0.0 << 0.37 << false << QList<double>{0, 0.1, 0.2, 0.3};
        QTest::newRow("log") << 1e-4 << 1.0 << true << QList<double>{1e-4, 1e-3, 1e-2, 1e-1, 1};
        QTest::newRow("own log") << 3e-5 << 0.3 << true << QList<double>{1e-4, 1e-3, 1e-2, 1e-1};
    }
    void ticks()
    {
        QFETCH(double, minimum);
        QFETCH(double, maximum);
        QFETCH(bool, isLog);
        QFETCH(QList<double>, expected);
        const ColourScale scale{
            .form = isLog ? ColourScale::Form::Log : ColourScale::Form::Linear, .minimum = minimum, .maximum = maximum};
        const QList<double> found = scale.ticks();
        QCOMPARE(found.size(), expected.size());
        for (qsizetype i = 0; i < found.size(); ++i)
            QVERIFY(std::abs(found[i] - expected[i]) < 1e-9);
    }

    void emptyRangesStaySane()
    {
        const ColourScale scale = ColourScale::shared().withMaximum(0.0);
        QCOMPARE(scale.maximum, 1.0);
        QCOMPARE(ColourScale::shared().withMaximum(std::numeric_limits<double>::infinity()).maximum, 1.0);
        QCOMPARE(ColourScale::shared().withMaximum(std::numeric_limits<double>::quiet_NaN()).maximum, 1.0);
        QCOMPARE(ColourScale::sharedSigned().withMaximum(0.5).minimum, -0.5);
    }
};

QTEST_MAIN(TestColourMap)
#include "test_colour_map.moc"
