// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/ui/half_pictures.h"
#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/value_bits.h"
#include "ui/heatmap/value_pyramid.h"

using namespace lookback;
using namespace lookback::ui;

namespace {

using MapPointer = std::shared_ptr<analysis::HeadMap>;

MapPointer emptyMap(std::int64_t queries, std::int64_t keys, std::int64_t window = 0)
{
    auto map = std::make_shared<analysis::HeadMap>();
    map->queries = queries;
    map->keys = keys;
    map->window = window;
    map->weights.assign(static_cast<std::size_t>(queries * keys), 0.0F);
    return map;
}

void setCell(analysis::HeadMap &map, std::int64_t query, std::int64_t key, float value)
{
    map.weights[static_cast<std::size_t>(query * map.keys + key)] = value;
}

const QRgb kMask = qRgb(200, 200, 200);
const MaskStyle kMaskStyle{.colour = kMask};

QImage painted(const MapPointer &map, const CellAxis &queries, const CellAxis &keys, ColourTable colours)
{
    const PyramidPointer pyramid =
        map->queries > 1024 ? tests::halfPicture(*map) : std::make_shared<const ValuePyramid>(map);
    return paintCells(*pyramid, queries, keys, QRect(0, 0, keys.pixels(), queries.pixels()), colours, kMaskStyle);
}

} // namespace

class TestValuePyramid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void extremeEqualsBruteForce()
    {
        std::mt19937 generator(7);
        for (const auto &[queries, keys] :
             {std::pair{1, 1}, {2, 3}, {7, 7}, {79, 79}, {64, 33}, {101, 57}, {300, 300}, {700, 700}}) {
            auto map = emptyMap(queries, keys);
            map->kind = analysis::MapKind::RecurrenceMatrix;
            std::uniform_real_distribution<float> value(-1.0F, 1.0F);
            for (std::int64_t r = 0; r < queries; ++r) {
                for (std::int64_t c = 0; c < std::min<std::int64_t>(r + 1, keys); ++c) // what is not visible is 0
                    setCell(*map, r, c, value(generator));
            }
            const ValuePyramid pyramid(map);
            for (int i = 0; i < 500; ++i) {
                std::uniform_int_distribution<std::int64_t> row(0, queries);
                std::uniform_int_distribution<std::int64_t> column(0, keys);
                const auto [r0, r1] = std::minmax({row(generator), row(generator)});
                const auto [c0, c1] = std::minmax({column(generator), column(generator)});
                float expected = 0.0F;
                for (std::int64_t r = r0; r < r1; ++r) {
                    for (std::int64_t c = c0; c < c1; ++c) {
                        if (std::abs(map->at(r, c)) > std::abs(expected))
                            expected = map->at(r, c);
                    }
                }
                QCOMPARE(pyramid.extreme(r0, r1, c0, c1), expected);
            }
        }
    }

    void notANumberWins()
    {
        auto map = emptyMap(37, 41);
        setCell(*map, 20, 11, std::numeric_limits<float>::quiet_NaN());
        setCell(*map, 20, 12, 1.0F);
        const ValuePyramid pyramid(map);
        QVERIFY(std::isnan(pyramid.extreme(0, 37, 0, 41)));
        QVERIFY(std::isnan(pyramid.extreme(19, 23, 9, 14)));
        QCOMPARE(pyramid.extreme(20, 21, 12, 41), 1.0F);
    }

    // Half precision: every finite half comes back as it was, the nearest is taken, order and signs are kept.
    void halfWords()
    {
        for (std::uint32_t word = 0; word < 0xF802U; ++word) { // up to both infinities
            const auto half = static_cast<std::uint16_t>(word);
            QCOMPARE(HalfWords::encode(HalfWords::decode(half)), half);
        }
        QCOMPARE(HalfWords::decode(HalfWords::encode(1.0F)), 1.0F);
        QCOMPARE(HalfWords::decode(HalfWords::encode(-0.5F)), -0.5F);
        QCOMPARE(HalfWords::decode(HalfWords::encode(0.0F)), 0.0F);
        QVERIFY(std::isinf(HalfWords::decode(HalfWords::encode(5.0F))));
        QVERIFY(std::isnan(HalfWords::decode(HalfWords::encode(std::numeric_limits<float>::quiet_NaN()))));
        // Neighbours a third of a step apart: the nearer one, half-way the even one.
        const float step = 0x1p-11F;
        QCOMPARE(HalfWords::decode(HalfWords::encode(0.5F + 0.49F * step)), 0.5F);
        QCOMPARE(HalfWords::decode(HalfWords::encode(0.5F + 0.51F * step)), 0.5F + step);
        QCOMPARE(HalfWords::decode(HalfWords::encode(0.5F + 0.5F * step)), 0.5F);
        QCOMPARE(HalfWords::decode(HalfWords::encode(0.5F + 1.5F * step)), 0.5F + 2.0F * step);
        std::mt19937 generator(5);
        std::uniform_real_distribution<float> exponent(-40.0F, 0.9F);
        float last = 0.0F;
        std::vector<float> values(20'000);
        for (float &value : values)
            value = std::exp2(exponent(generator));
        std::ranges::sort(values);
        for (const float value : values) {
            const float kept = HalfWords::decode(HalfWords::encode(value));
            QVERIFY(kept >= last); // monotone
            last = kept;
            if (value >= 1.9e-9F)
                QVERIFY(std::abs(kept - value) <= value * 0x1p-11F);
            else
                QVERIFY(std::abs(kept - value) <= 9.1e-13F);
            QCOMPARE(HalfWords::decode(HalfWords::encode(-value)), -kept);
            QVERIFY(HalfWords::encode(value) >= HalfWords::encode(kept * 0.999F));
        }
    }

    // Block maxima of what is kept are the kept maxima, in every rectangle; the same for a row of a picture.
    void halfPicturesHaveExactMaxima_data()
    {
        QTest::addColumn<int>("window");
        QTest::newRow("full") << 0;
        QTest::newRow("windowed") << 40;
        QTest::newRow("window over strips") << 600;
    }
    void halfPicturesHaveExactMaxima()
    {
        QFETCH(int, window);
        constexpr std::int64_t kCells = 1300;
        auto map = emptyMap(kCells, kCells, window);
        map->kind = analysis::MapKind::RecurrenceMatrix;
        std::mt19937 generator(17);
        std::uniform_real_distribution<float> value(-1.0F, 1.0F);
        for (std::int64_t r = 0; r < kCells; ++r) {
            for (std::int64_t c = 0; c <= r; ++c) {
                if (map->isVisible(r, c))
                    setCell(*map, r, c, std::pow(value(generator), 9.0F));
            }
        }
        const PyramidPointer picture = tests::halfPicture(*map);
        QVERIFY(picture->isComplete() && !picture->isExact());
        QCOMPARE(picture->bytes(), ValuePyramid::halfBytes(kCells, window));
        const auto strongest = [&](std::int64_t r0, std::int64_t r1, std::int64_t c0, std::int64_t c1) {
            float expected = 0.0F;
            for (std::int64_t r = r0; r < r1; ++r) {
                for (std::int64_t c = c0; c < c1; ++c) {
                    const float kept = HalfWords::decode(HalfWords::encode(map->at(r, c)));
                    if (std::abs(kept) > std::abs(expected))
                        expected = kept;
                }
            }
            return std::abs(expected);
        };
        std::uniform_int_distribution<std::int64_t> cell(0, kCells);
        for (int i = 0; i < 60; ++i) {
            const auto [r0, r1] = std::minmax({cell(generator), cell(generator)});
            const auto [c0, c1] = std::minmax({cell(generator), cell(generator)});
            QCOMPARE(std::abs(picture->extreme(r0, r1, c0, c1)), strongest(r0, r1, c0, c1));
        }
        for (const int pixels : {30, 160, 433, 700}) {
            const CellAxis axis = CellAxis::fitted(kCells, pixels);
            std::vector<CellRange> columns;
            for (int x = 0; x < pixels; ++x)
                columns.push_back({axis.cellAt(x), axis.cellEnd(x)});
            std::vector<float> row;
            for (int y = 0; y < pixels; y += pixels / 7) {
                picture->extremes({axis.cellAt(y), axis.cellEnd(y)}, columns, &row);
                for (int x = 0; x < pixels; x += 3) {
                    QCOMPARE(std::abs(row[static_cast<std::size_t>(x)]),
                             strongest(axis.cellAt(y), axis.cellEnd(y), axis.cellAt(x), axis.cellEnd(x)));
                }
            }
        }
        const PyramidPointer shares = picture->normalised();
        for (const std::int64_t query : {0, 1, 600, 1299}) {
            float largest = 0.0F;
            for (const float weight : picture->row(query))
                largest = std::max(largest, std::abs(weight));
            for (std::int64_t key = 0; key < kCells; ++key)
                QVERIFY(std::abs(shares->at(query, key) - picture->at(query, key) / largest) <= 0x1p-11F);
            QCOMPARE(std::abs(shares->extreme(query, query + 1, 0, kCells)), 1.0F);
        }
    }

    // What has not come is neither zero nor masked, and a pixel is known only when all rows behind it are.
    void rowsThatAreNotComputed()
    {
        constexpr std::int64_t kCells = 1300;
        auto map = emptyMap(kCells, kCells, 50);
        const ColourTable colours(ColourMap::Viridis, ColourScale::shared());
        const MaskStyle style = maskStyleFor(ColourMap::Viridis, Theme::light());
        PyramidPointer picture = std::make_shared<const ValuePyramid>(tests::shapeOf(*map));
        QVERIFY(!picture->isKnown(0, 1) && picture->knownRows() == 0);
        const PyramidPointer before = picture;
        picture = picture->with(makeHalfStrip(tests::rowsOf(*map, 512, 256)));
        QVERIFY(picture->isKnown(512, 768) && !picture->isKnown(511, 513) && !picture->isKnown(767, 769));
        QVERIFY(!picture->isComplete());
        QCOMPARE(picture->knownRows(), 256);
        QCOMPARE(picture->rowsNewSince(*before), (CellRange{512, 768}));
        const QSet<QRgb> pending{style.pending, style.pendingHatch};
        QVERIFY(!pending.contains(colours.colourOf(0.0F)) && style.pending != style.colour);
        for (const double scale : {0.31, 1.0, 2.0}) {
            const CellAxis axis(kCells, scale);
            const QImage image =
                paintCells(*picture, axis, axis, QRect(0, 0, axis.pixels(), axis.pixels()), colours, style);
            for (int y = 0; y < axis.pixels(); y += 5) {
                for (int x = 0; x < axis.pixels(); x += 3) {
                    const bool isVisible =
                        picture->isAnyVisible(axis.cellAt(y), axis.cellEnd(y), axis.cellAt(x), axis.cellEnd(x));
                    const bool isKnown = axis.cellAt(y) >= 512 && axis.cellEnd(y) <= 768;
                    const QRgb found = image.pixel(x, y);
                    if (!isVisible)
                        QCOMPARE(found, style.colour);
                    else if (isKnown)
                        QCOMPARE(found, colours.colourOf(0.0F));
                    else
                        QVERIFY(pending.contains(found));
                }
            }
        }
    }

    void rowsToTheirMaximum()
    {
        auto map = emptyMap(3, 3);
        setCell(*map, 1, 0, 0.2F);
        setCell(*map, 1, 1, 0.1F);
        setCell(*map, 2, 2, 0.5F);
        const ValuePyramid pyramid(map, ValuePyramid::Rows::ToTheirMaximum);
        QCOMPARE(pyramid.at(0, 0), 0.0F);
        QCOMPARE(pyramid.at(1, 0), 1.0F);
        QCOMPARE(pyramid.at(1, 1), 0.5F);
        QCOMPARE(pyramid.at(2, 2), 1.0F);
        QCOMPARE(pyramid.map().at(1, 0), 0.2F); // the exact number stays at hand
    }

    void visibilityEqualsBruteForce()
    {
        std::mt19937 generator(11);
        std::uniform_int_distribution<std::int64_t> cell(0, 24);
        for (const std::int64_t window : {0, 1, 3, 10}) {
            const auto map = emptyMap(24, 24, window);
            const ValuePyramid pyramid(map);
            for (int i = 0; i < 400; ++i) {
                auto [r0, r1] = std::minmax({cell(generator), cell(generator)});
                auto [c0, c1] = std::minmax({cell(generator), cell(generator)});
                if (r0 == r1 || c0 == c1)
                    continue;
                bool expected = false;
                for (std::int64_t r = r0; r < r1; ++r) {
                    for (std::int64_t c = c0; c < c1; ++c)
                        expected = expected || map->isVisible(r, c);
                }
                QCOMPARE(pyramid.isAnyVisible(r0, r1, c0, c1), expected);
            }
        }
    }

    // Every cell is shown by some pixel, and every pixel shows some cell, in order, at any ratio.
    void axisLeavesNothingOut()
    {
        for (const std::int64_t cells : {1, 2, 7, 79, 511, 1023, 4095}) {
            for (double ratio = 0.02; ratio < 5.0; ratio *= 1.0371) {
                const CellAxis axis(cells, ratio);
                std::int64_t covered = 0;
                for (int pixel = 0; pixel < axis.pixels(); ++pixel) {
                    const std::int64_t first = axis.cellAt(pixel);
                    const std::int64_t end = axis.cellEnd(pixel);
                    QVERIFY(end > first);
                    QVERIFY(first <= covered);
                    QVERIFY(end >= covered);
                    QVERIFY(end - first <= axis.cellsPerPixel() + 1);
                    covered = end;
                }
                QCOMPARE(covered, cells);
                for (std::int64_t cell = 0; cell < cells; ++cell) {
                    const int pixel = axis.pixelOf(cell);
                    if (pixel < axis.pixels())
                        QVERIFY(axis.cellAt(pixel) <= cell && axis.cellEnd(pixel) > cell);
                }
            }
            for (const int pixels : {1, 48, 72, 96, 700, 1400}) {
                const CellAxis axis = CellAxis::fitted(cells, pixels);
                QCOMPARE(axis.pixels(), pixels);
                QCOMPARE(axis.cellAt(0), 0);
                QCOMPARE(axis.cellEnd(pixels - 1), cells);
            }
        }
    }

    // S28: a retrieval head may be one bright cell in each row.
    void diagonalAndColumnStayUnbroken_data()
    {
        QTest::addColumn<int>("cells");
        QTest::addColumn<int>("pixels");
        for (const int cells : {79, 511, 1024, 4095}) {
            for (const int pixels : {13, 48, 96, 255, 511, 700, 767, 1023, 1025, 1400, 2047})
                QTest::addRow("%d cells on %d pixels", cells, pixels) << cells << pixels;
        }
    }
    void diagonalAndColumnStayUnbroken()
    {
        QFETCH(int, cells);
        QFETCH(int, pixels);
        const ColourTable colours(ColourMap::Magma, ColourScale::shared());
        const QRgb bright = colours.colourOf(1.0F);
        const CellAxis axis = CellAxis::fitted(cells, pixels);
        const auto map = emptyMap(cells, cells);
        const int column = cells / 3;
        for (int i = 0; i < cells; ++i) {
            setCell(*map, i, i, 1.0F);
            if (i >= column)
                setCell(*map, i, column, 1.0F);
        }
        const QImage image = painted(map, axis, axis, colours);
        QCOMPARE(image.size(), QSize(pixels, pixels));
        for (int i = 0; i < pixels; ++i)
            QCOMPARE(image.pixel(i, i), bright);
        const int x = axis.pixelOf(column);
        for (int y = axis.pixelOf(column); y < pixels; ++y)
            QCOMPARE(image.pixel(x, y), bright);
        // and nothing else became bright: at most the pixels that touch the lines
        int count = 0;
        for (int y = 0; y < pixels; ++y) {
            for (int x1 = 0; x1 < pixels; ++x1)
                count += image.pixel(x1, y) == bright ? 1 : 0;
        }
        const int widest = std::max(2, pixels / cells + 1);
        QVERIFY(count <= pixels * (2 * widest + 1));
    }

    void maskIsNoValue()
    {
        const ColourTable colours(ColourMap::Viridis, ColourScale::shared());
        const auto map = emptyMap(40, 40, 5);
        const CellAxis axis(40, 3.0);
        const QImage image = painted(map, axis, axis, colours);
        for (int q = 0; q < 40; ++q) {
            for (int k = 0; k < 40; ++k)
                QCOMPARE(image.pixel(3 * k + 1, 3 * q + 1), map->isVisible(q, k) ? colours.colourOf(0.0F) : kMask);
        }
        // Reduced: grey only where every cell behind the pixel is forbidden.
        const CellAxis small = CellAxis::fitted(40, 9);
        const QImage picture = painted(map, small, small, colours);
        for (int y = 0; y < 9; ++y) {
            for (int x = 0; x < 9; ++x) {
                bool isVisible = false;
                for (std::int64_t q = small.cellAt(y); q < small.cellEnd(y); ++q) {
                    for (std::int64_t k = small.cellAt(x); k < small.cellEnd(x); ++k)
                        isVisible = isVisible || map->isVisible(q, k);
                }
                QCOMPARE(picture.pixel(x, y), isVisible ? colours.colourOf(0.0F) : kMask);
            }
        }
    }

    void greyMapHatchesItsMask()
    {
        const MaskStyle style = maskStyleFor(ColourMap::Grey, Theme::dark());
        QVERIFY(style.isHatched);
        QVERIFY(style.hatch != style.colour);
        QVERIFY(!maskStyleFor(ColourMap::Magma, Theme::dark()).isHatched);
        const ValuePyramid pyramid(emptyMap(2, 2));
        const CellAxis axis(2, 20.0);
        const QImage image = paintCells(pyramid, axis, axis, QRect(0, 0, 40, 40),
                                        ColourTable(ColourMap::Grey, ColourScale::shared()), style);
        QSet<QRgb> upperRight;
        for (int x = 20; x < 40; ++x)
            upperRight.insert(image.pixel(x, 5));
        QCOMPARE(upperRight, (QSet<QRgb>{style.colour, style.hatch}));
    }

    // A tile is a part of the whole picture, whatever its place.
    void tilesJoinWithoutSeam()
    {
        auto map = emptyMap(97, 97);
        std::mt19937 generator(3);
        std::uniform_real_distribution<float> value(0.0F, 1.0F);
        for (float &weight : map->weights)
            weight = value(generator);
        const ValuePyramid pyramid(map);
        const ColourTable colours(ColourMap::Cividis, ColourScale::shared());
        for (const double ratio : {0.37, 1.0, 1.5, 3.7}) {
            const CellAxis axis(97, ratio);
            const QImage whole =
                paintCells(pyramid, axis, axis, QRect(0, 0, axis.pixels(), axis.pixels()), colours, kMaskStyle);
            for (int y = 0; y < axis.pixels(); y += 31) {
                for (int x = 0; x < axis.pixels(); x += 31) {
                    const QRect area = QRect(x, y, 31, 31) & whole.rect();
                    QCOMPARE(paintCells(pyramid, axis, axis, area, colours, kMaskStyle), whole.copy(area));
                }
            }
        }
    }
};

QTEST_MAIN(TestValuePyramid)
#include "test_value_pyramid.moc"
