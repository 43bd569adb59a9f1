// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of heads on small pages: the map gets the room, nothing is cut, and the words can be left out.
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <cstdlib>
#include <memory>

#include "tests/ui/fixture_example.h"
#include "ui/figures/attention_figure.h"
#include "ui/heatmap/map_labels.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// Zeros, so that the last key's column is grey from the top to the last query.
AttentionFigureInput emptyInput(std::int64_t n)
{
    AttentionFigureInput input;
    input.example = std::make_shared<analysis::Example>(tests::FakeRunService::scriptedExample(
        RunConfig(), {.runFolder = "/runs/rope-seed0", .step = 3000, .n_keys = n}));
    auto map = std::make_shared<analysis::HeadMap>();
    map->queries = map->keys = input.example->positions;
    map->weights.assign(static_cast<std::size_t>(map->queries * map->keys), 0.0F);
    input.map = std::move(map);
    input.cell = {0, 0};
    input.runTitle = u"rope · seed 0"_s;
    return input;
}

/// Pixels of the longest upright line in the colour of the mask: the side of the map.
int sideOf(const QImage &image)
{
    const QRgb mask = Theme::light().mask.rgb();
    int longest = 0;
    for (int x = 0; x < image.width(); ++x) {
        int run = 0;
        for (int y = 0; y < image.height(); ++y) {
            const QRgb pixel = image.pixel(x, y);
            const bool isMask = std::abs(qRed(pixel) - qRed(mask)) < 20 && std::abs(qBlue(pixel) - qBlue(mask)) < 20;
            run = isMask ? run + 1 : 0; // the lines between cells and entries are little lighter
            longest = std::max(longest, run);
        }
    }
    return longest;
}

bool isFrameEmpty(const QImage &image)
{
    const QRgb page = Theme::light().base.rgb();
    for (int x = 0; x < image.width(); ++x) {
        if (image.pixel(x, 0) != page || image.pixel(x, image.height() - 1) != page)
            return false;
    }
    for (int y = 0; y < image.height(); ++y) {
        if (image.pixel(0, y) != page || image.pixel(image.width() - 1, y) != page)
            return false;
    }
    return true;
}

} // namespace

class TestAttentionFigureSmall : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theMapGetsTheRoom_data()
    {
        QTest::addColumn<QSizeF>("millimetres");
        QTest::addColumn<bool>("hasCaption");
        QTest::addColumn<double>("share"); // of the shorter side of the page
        QTest::newRow("column") << QSizeF(85, 57) << true << 0.70;
        QTest::newRow("column, no words") << QSizeF(85, 57) << false << 0.78;
        QTest::newRow("high column") << QSizeF(85, 120) << true << 0.74;
        QTest::newRow("square") << QSizeF(85, 85) << true << 0.55;
        QTest::newRow("two columns") << QSizeF(175, 117) << true << 0.85;
        QTest::newRow("slide") << QSizeF(254, 143) << true << 0.87;
    }

    void theMapGetsTheRoom()
    {
        QFETCH(const QSizeF, millimetres);
        QFETCH(const bool, hasCaption);
        QFETCH(const double, share);
        for (const std::int64_t n : {8, 64}) {
            AttentionFigureInput input = emptyInput(n);
            input.hasCaption = hasCaption;
            ExportOptions options;
            options.millimetres = millimetres;
            options.dpi = 300;
            const QImage image = renderFigure(*makeAttentionFigure(input), options);
            const double found = static_cast<double>(sideOf(image)) / std::min(image.width(), image.height());
            QVERIFY2(found >= share, qPrintable(u"n = %1: %2"_s.arg(n).arg(found)));
            QVERIFY(isFrameEmpty(image)); // nothing runs over the edge of the page
        }
    }

    void wordsCanBeLeftOut()
    {
        const std::unique_ptr<Figure> figure = makeAttentionFigure(emptyInput(8));
        const std::unique_ptr<Figure> bare = figure->withoutCaption();
        QVERIFY(bare);
        ExportOptions options;
        options.millimetres = {85, 57};
        const QImage with = renderFigure(*figure, options);
        const QImage without = renderFigure(*bare, options);
        QVERIFY(sideOf(without) > sideOf(with));
        // What is not drawn stays in the file.
        QCOMPARE(bare->provenance(), figure->provenance());
        QVERIFY(bare->provenance().join(u'\n').contains(u"evaluation sequence 0 with 8 unique keys"_s));
        QCOMPARE(bare->csv(), figure->csv());
    }

    void noLabelIsCut()
    {
        const AttentionFigureInput input = emptyInput(8);
        QImage image(200, 300, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        QFont font(u"sans-serif"_s);
        font.setPixelSize(14);
        const LabelStyle style{
            .font = font, .leastTokenCell = 100.0, .hasEntries = false, .hasTokens = false, .device = &image};
        const QRectF strip(0, 50, leftLabelWidth(style, input.example->sequence), 127);
        const AxisPlacement queries{
            .axis = CellAxis(input.map->queries, 1.0), .origin = strip.top(), .pixelRatio = 1.0, .length = 127};
        drawLeftLabels(painter, strip, queries, input.example->sequence, {}, style, Theme::light());
        painter.end();
        // The first number stands about the first tick, half of it above the map.
        int first = -1;
        int last = -1;
        for (int y = 30; y < 66; ++y) {
            for (int x = 0; x < static_cast<int>(strip.width()) - 8; ++x) {
                if (qGray(image.pixel(x, y)) < 200) {
                    first = first < 0 ? y : first;
                    last = y;
                }
            }
        }
        const double height = QFontMetricsF(font, &image).tightBoundingRect(u"0"_s).height();
        QVERIFY(first > 0 && first < 50);
        QVERIFY2(last - first + 1 >= height - 1.5, qPrintable(u"%1 of %2"_s.arg(last - first + 1).arg(height)));
    }
};

QTEST_MAIN(TestAttentionFigureSmall)
#include "test_attention_figure_small.moc"
