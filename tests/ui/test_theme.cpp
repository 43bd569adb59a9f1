// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QImage>
#include <QPainter>
#include <QSet>
#include <QTest>

#include <array>
#include <cmath>
#include <numbers>

#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

constexpr std::array kFamilies{model::Family::FullRope,       model::Family::PartialRope, model::Family::HybridWindow,
                               model::Family::HybridNoWindow, model::Family::Kda,         model::Family::ChunkRetrieval,
                               model::Family::Baseline,       model::Family::Own};

// Colour-vision deficiency at full severity, in linear RGB: G. M. Machado et al., "A physiologically-based model for
// simulation of color vision deficiency", IEEE TVCG 15 (2009), table 1.
struct Sight {
    const char *name;
    Matrix matrix;
};
constexpr std::array<Sight, 4> kSights{{
    {"normal sight", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}},
}};

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Vector linearRgb(const QColor &colour)
{
    return {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
}

Vector product(const Matrix &m, const Vector &v)
{
    Vector out{};
    for (std::size_t i = 0; i < 3; ++i)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return out;
}

/// WCAG 2 contrast ratio, 1..21.
double contrast(const QColor &a, const QColor &b)
{
    const auto luminance = [](const QColor &c) {
        const Vector v = linearRgb(c);
        return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
    };
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

/// CIE L*a*b* (D65) as seen with that sight.
Vector labOf(const QColor &colour, const Matrix &sight)
{
    Vector rgb = product(sight, linearRgb(colour));
    for (double &channel : rgb)
        channel = std::clamp(channel, 0.0, 1.0);
    const Vector xyz = product(
        {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}},
        rgb);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047);
    const double y = f(xyz[1]);
    const double z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// CIEDE2000; G. Sharma et al., Color Research and Application 30 (2005), equations 2 to 22.
double distance(const Vector &p, const Vector &q)
{
    constexpr double degree = std::numbers::pi / 180;
    const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
    const double meanC = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
    const double g = 0.5 * (1 - seventh(meanC));
    const double a1 = (1 + g) * p[1];
    const double a2 = (1 + g) * q[1];
    const double c1 = std::hypot(a1, p[2]);
    const double c2 = std::hypot(a2, q[2]);
    const auto hue = [&](double a, double b) {
        const double h = a == 0 && b == 0 ? 0 : std::atan2(b, a) / degree;
        return h < 0 ? h + 360 : h;
    };
    const double h1 = hue(a1, p[2]);
    const double h2 = hue(a2, q[2]);
    const bool isGrey = c1 * c2 == 0;
    double dh = isGrey ? 0 : h2 - h1;
    if (dh > 180)
        dh -= 360;
    else if (dh < -180)
        dh += 360;
    double meanH = h1 + h2;
    if (!isGrey) {
        if (std::abs(h1 - h2) <= 180)
            meanH /= 2;
        else
            meanH = meanH < 360 ? (meanH + 360) / 2 : (meanH - 360) / 2;
    }
    const double dL = q[0] - p[0];
    const double dC = c2 - c1;
    const double dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * degree);
    const double meanL = (p[0] + q[0]) / 2;
    const double meanCp = (c1 + c2) / 2;
    const double t = 1 - 0.17 * std::cos((meanH - 30) * degree) + 0.24 * std::cos(2 * meanH * degree)
        + 0.32 * std::cos((3 * meanH + 6) * degree) - 0.20 * std::cos((4 * meanH - 63) * degree);
    const double theta = 30 * std::exp(-std::pow((meanH - 275) / 25, 2));
    const double sl = 1 + 0.015 * std::pow(meanL - 50, 2) / std::sqrt(20 + std::pow(meanL - 50, 2));
    const double sc = 1 + 0.045 * meanCp;
    const double sh = 1 + 0.015 * meanCp * t;
    const double rt = -std::sin(2 * theta * degree) * 2 * seventh(meanCp);
    return std::sqrt(std::pow(dL / sl, 2) + std::pow(dC / sc, 2) + std::pow(dH / sh, 2) + rt * dC / sc * dH / sh);
}

QString shown(const QColor &colour)
{
    return colour.name().toUpper();
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void distanceFormula();
    void seriesColoursAreTheOnesOfTheTable();
    void contrastOfLinesAndLabels();
    void familiesStayApart();
    void rolesAreReadable();
    void stylesOfManyRunsAreUnique();
    void dashMeansLogitForm();
    void markersAreFilledOrHollow();
    void swatchShowsDashes();
    void themeFollowsPalette();
};

void TestTheme::distanceFormula()
{
    // Pairs 1, 7 and 17 of the table in Sharma et al.
    QVERIFY(std::abs(distance({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
    QVERIFY(std::abs(distance({50, 0, 0}, {50, -1, 2}) - 2.3669) < 1e-4);
    QVERIFY(std::abs(distance({50, 2.5, 0}, {73, 25, -18}) - 27.1492) < 1e-4);
}

void TestTheme::seriesColoursAreTheOnesOfTheTable()
{
    const QStringList light{u"#1263E0"_s, u"#1F9BDC"_s, u"#DB774B"_s, u"#716100"_s,
                            u"#12654F"_s, u"#7F156A"_s, u"#A17593"_s, u"#222222"_s};
    const QStringList dark{u"#4185E2"_s, u"#AAD3FF"_s, u"#EC8B20"_s, u"#F3E378"_s,
                           u"#26BF80"_s, u"#E523A6"_s, u"#CA9FB1"_s, u"#EDEDED"_s};
    for (std::size_t i = 0; i < kFamilies.size(); ++i) {
        QCOMPARE(shown(Theme::light().seriesStyle(kFamilies[i], model::LogitForm::Plain).line), light[qsizetype(i)]);
        QCOMPARE(shown(Theme::dark().seriesStyle(kFamilies[i], model::LogitForm::Squared).line), dark[qsizetype(i)]);
    }
}

void TestTheme::contrastOfLinesAndLabels()
{
    for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
        for (const model::Family family : kFamilies) {
            const auto &shades = theme->shades[std::size_t(family)];
            // Figures of the house: at least 3.1 on light (sky and orange sit there), 4.0 on dark; further runs 3.0.
            QVERIFY2(contrast(shades[0].line, theme->base) >= (theme->isDark ? 4.0 : 3.095),
                     qPrintable(shown(shades[0].line)));
            for (const SeriesShade &shade : shades) {
                QVERIFY2(contrast(shade.line, theme->base) >= 3.0, qPrintable(shown(shade.line)));
                QVERIFY2(contrast(shade.label, theme->base) >= 4.5, qPrintable(shown(shade.label)));
            }
        }
    }
}

void TestTheme::familiesStayApart()
{
    for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
        for (const Sight &sight : kSights) {
            for (std::size_t i = 0; i < kFamilies.size(); ++i) {
                for (std::size_t j = i + 1; j < kFamilies.size(); ++j) {
                    const QColor a = theme->shades[i][0].line;
                    const QColor b = theme->shades[j][0].line;
                    const double d = distance(labOf(a, sight.matrix), labOf(b, sight.matrix));
                    QVERIFY2(d >= (theme->isDark ? 14.35 : 14.65),
                             qPrintable(
                                 u"%1: %2 and %3 are %4 apart"_s.arg(QLatin1StringView(sight.name), shown(a), shown(b))
                                     .arg(d)));
                }
            }
        }
    }
}

void TestTheme::rolesAreReadable()
{
    for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
        for (const QColor &background :
             {theme->window, theme->base, theme->alternateBase, theme->control, theme->selection}) {
            QVERIFY(contrast(theme->text, background) >= 4.5);
            QVERIFY2(contrast(theme->secondText, background) >= 4.5, qPrintable(shown(background)));
        }
        for (const QColor &state : {theme->right, theme->warning, theme->wrong})
            QVERIFY2(contrast(state, theme->base) >= 4.5, qPrintable(shown(state)));
        QVERIFY(contrast(theme->accentText, theme->accent) >= 4.5);
        QVERIFY(contrast(theme->focus, theme->window) >= 3.0);
        QVERIFY(contrast(theme->focus, theme->base) >= 3.0);
    }
}

void TestTheme::stylesOfManyRunsAreUnique()
{
    for (const Theme *theme : {&Theme::light(), &Theme::dark()}) {
        for (const model::Family family : kFamilies) {
            QSet<QString> lines;
            QSet<QString> all;
            for (const auto logits : {model::LogitForm::Plain, model::LogitForm::Squared}) {
                for (int run = 0; run < 9; ++run) {
                    const SeriesStyle style = theme->seriesStyle(family, logits, run);
                    QString text = shown(style.line);
                    for (const qreal dash : style.dashes)
                        text += u' ' + QString::number(dash);
                    lines.insert(text);
                }
                for (int run = 0; run < 27; ++run) {
                    const SeriesStyle style = theme->seriesStyle(family, logits, run);
                    QString text = shown(style.line) + u' ' + QString::number(int(style.marker));
                    for (const qreal dash : style.dashes)
                        text += u' ' + QString::number(dash);
                    all.insert(text);
                }
            }
            QCOMPARE(lines.size(), 18); // colour and dash alone tell nine runs apart, and plain from squared
            QCOMPARE(all.size(), 54);
        }
    }
}

void TestTheme::dashMeansLogitForm()
{
    const Theme &theme = Theme::light();
    const SeriesStyle squared = theme.seriesStyle(model::Family::FullRope, model::LogitForm::Squared);
    const SeriesStyle plain = theme.seriesStyle(model::Family::FullRope, model::LogitForm::Plain);
    const SeriesStyle published = theme.publishedStyle(model::Family::FullRope, model::LogitForm::Squared);
    QVERIFY(squared.dashes.isEmpty());
    QCOMPARE(plain.dashes, (QList<qreal>{3, 2}));
    QCOMPARE(published.dashes, (QList<qreal>{1, 1.5}));
    QCOMPARE(plain.line, squared.line);
    QCOMPARE(published.line, squared.line);
    QVERIFY(published.isHollow && !squared.isHollow && !plain.isHollow);
    QCOMPARE(squared, theme.seriesStyle(model::Family::FullRope, model::LogitForm::Squared, 0));
}

void TestTheme::markersAreFilledOrHollow()
{
    const Theme &theme = Theme::light();
    for (const model::Family family : kFamilies) {
        SeriesStyle style = theme.seriesStyle(family, model::LogitForm::Squared);
        for (const bool isHollow : {false, true}) {
            style.isHollow = isHollow;
            QImage image(48, 48, QImage::Format_RGB32);
            image.fill(theme.base);
            {
                QPainter painter(&image);
                drawMarker(painter, QPointF(24, 24), 36, style, theme.base);
            }
            const bool isFilled = !isHollow && style.marker != Marker::Ring;
            QCOMPARE(shown(image.pixelColor(24, 24)), shown(isFilled ? style.line : theme.base));
            int inked = 0;
            for (int y = 0; y < 48; ++y) {
                for (int x = 0; x < 48; ++x)
                    inked += image.pixelColor(x, y) == style.line ? 1 : 0;
            }
            QVERIFY2(inked > 100, qPrintable(QString::number(int(style.marker))));
            QCOMPARE(shown(image.pixelColor(0, 0)), shown(theme.base));
            QCOMPARE(shown(image.pixelColor(47, 47)), shown(theme.base));
        }
    }
}

void TestTheme::swatchShowsDashes()
{
    const Theme &theme = Theme::dark();
    const auto inkedColumns = [&theme](const SeriesStyle &style) {
        QImage image(28, 16, QImage::Format_RGB32);
        image.fill(theme.base);
        {
            QPainter painter(&image);
            drawSwatch(painter, QRectF(0, 0, 28, 16), style, theme.base);
        }
        int columns = 0;
        for (int x = 0; x < 28; ++x)
            columns += image.pixelColor(x, 7) != theme.base ? 1 : 0;
        return columns;
    };
    const int solid = inkedColumns(theme.seriesStyle(model::Family::Kda, model::LogitForm::Squared));
    const int dashed = inkedColumns(theme.seriesStyle(model::Family::Kda, model::LogitForm::Plain));
    const int dotted = inkedColumns(theme.publishedStyle(model::Family::Kda, model::LogitForm::Plain));
    QCOMPARE(solid, 28);
    QVERIFY(dashed < solid && dotted < solid);
}

void TestTheme::themeFollowsPalette()
{
    QVERIFY(!Theme::forPalette(Theme::light().palette()).isDark);
    QVERIFY(Theme::forPalette(Theme::dark().palette()).isDark);
    QPalette black;
    black.setColor(QPalette::Base, Qt::black);
    black.setColor(QPalette::Text, Qt::white);
    QVERIFY(Theme::forPalette(black).isDark);
}

QTEST_MAIN(TestTheme)
#include "test_theme.moc"
