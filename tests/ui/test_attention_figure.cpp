// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include "tests/ui/fixture_example.h"
#include "tests/ui/half_pictures.h"
#include "ui/figures/attention_figure.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// A map of ones on the diagonal, for an example of n keys.
AttentionFigureInput diagonalInput(std::int64_t n)
{
    AttentionFigureInput input;
    input.example = std::make_shared<analysis::Example>(
        tests::FakeRunService::scriptedExample(RunConfig(), {.runFolder = "/runs/rope-seed0", .step = 7, .n_keys = n}));
    auto map = std::make_shared<analysis::HeadMap>();
    map->queries = map->keys = input.example->positions;
    map->weights.assign(static_cast<std::size_t>(map->queries * map->keys), 0.0F);
    for (std::int64_t i = 0; i < map->queries; ++i)
        map->weights[static_cast<std::size_t>(i * map->keys + i)] = 1.0F;
    input.map = std::move(map);
    return input;
}

} // namespace

class TestAttentionFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const tests::FixtureExample fixture = tests::fixtureExample("hybrid_square");
        m_input.example = fixture.example;
        m_input.map = tests::headOf(fixture, 3, 2);
        m_input.cell = {52, 37};
        m_input.runTitle = u"hybrid_square · fixture"_s;
    }

    // One pixel a cell: the picture is the map.
    void barePictureIsTheMap()
    {
        for (const bool isDark : {false, true}) {
            AttentionFigureInput input = m_input;
            input.isBare = true;
            QCOMPARE(onePixelACell(input), QSize(79, 79));
            ExportOptions options = ExportOptions::ofPixels(onePixelACell(input), 150);
            options.isDark = isDark;
            const QImage image = renderFigure(*makeAttentionFigure(input), options);
            QCOMPARE(image.size(), QSize(79, 79));
            const ColourTable colours(isDark ? ColourMap::Magma : ColourMap::Viridis, ColourScale::shared());
            const QRgb mask = (isDark ? Theme::dark() : Theme::light()).mask.rgb();
            for (int query = 0; query < 79; ++query) {
                for (int key = 0; key < 79; ++key)
                    QCOMPARE(image.pixel(key, query),
                             key <= query ? colours.colourOf(input.map->at(query, key)) : mask);
            }
        }
    }

    // S28 in the picture: at any size and resolution.
    void diagonalStaysUnbroken_data()
    {
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("dpi");
        for (const int n : {5, 8, 32, 256}) {
            for (const int dpi : {72, 96, 150, 300})
                QTest::addRow("n = %d at %d dpi", n, dpi) << n << dpi;
        }
    }
    void diagonalStaysUnbroken()
    {
        QFETCH(int, n);
        QFETCH(int, dpi);
        AttentionFigureInput input = diagonalInput(n);
        input.hasEntries = false;
        if (n == 256) { // as the page has it
            input.values = tests::halfPicture(*input.map);
            input.map.reset();
        }
        ExportOptions options;
        options.dpi = dpi;
        const QImage image = renderFigure(*makeAttentionFigure(input), options);
        const QRgb bright = ColourTable(ColourMap::Viridis, ColourScale::shared()).colourOf(1.0F);
        // Each row of the map has its own bright stretch, and each stretch meets the next one.
        int rows = 0;
        int lastRight = -1;
        int firstY = -1;
        for (int y = 0; y < image.height(); ++y) {
            int left = -1;
            int right = -1;
            const int mapEnd = image.width() * 2 / 3; // the colour bar lies to the right of the map
            for (int x = 0; x < mapEnd; ++x) {
                if (image.pixel(x, y) == bright) {
                    left = left < 0 ? x : left;
                    right = x;
                }
            }
            if (left < 0) {
                if (firstY >= 0)
                    break; // below the map
                continue;
            }
            firstY = firstY < 0 ? y : firstY;
            if (lastRight >= 0)
                QVERIFY(left <= lastRight + 2); // 2: a fine line between cells may lie there
            lastRight = right;
            ++rows;
        }
        QVERIFY2(rows > image.height() / 2, qPrintable(QString::number(rows)));
    }

    void exportsEveryKind()
    {
        QTemporaryDir folder;
        const auto figure = makeAttentionFigure(m_input);
        for (const QString &kind : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s, u"npy"_s}) {
            const QString file = folder.filePath(u"head."_s + kind);
            exportFigure(*figure, file, ExportOptions::ofPixels({1200, 800}, 150));
            QVERIFY(QFile(file).size() > 1000);
        }
        const QImage image(folder.filePath(u"head.png"_s));
        QCOMPARE(image.size(), QSize(1200, 800));
        QVERIFY(!image.hasAlphaChannel());
        QCOMPARE(image.pixelColor(1, 798), Theme::light().base); // for paper, whatever the desktop's theme
        QVERIFY(
            image.text(u"Description"_s)
                .contains(
                    u"lookback-cli attention hybrid_square-fixture --step 0 --n 5 --sequence 0 --layer 3 --head 2"_s));
        QFile svg(folder.filePath(u"head.svg"_s));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("first occurrence"));
    }

    void pictureHasBarAndFrames()
    {
        const QImage image = renderFigure(*makeAttentionFigure(m_input), {});
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                colours.insert(image.pixel(x, y));
        }
        QVERIFY(colours.contains(Theme::light().mask.rgb()));
        QVERIFY(colours.contains(Theme::light().occurrence.rgb()));
        QVERIFY(colours.contains(colourAt(ColourMap::Viridis, 1.0))); // the end of the colour bar
    }

    void csvHoldsTheNumbers()
    {
        const QString csv = makeAttentionFigure(m_input)->csv();
        const QStringList lines = csv.split(u"\r\n"_s, Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 1 + 79 * 80 / 2); // a line a visible pair
        QCOMPARE(lines.first(), u"layer,head,query,query_token,key,key_token,weight"_s);
        const QString wanted = u"3,2,52,V,37,3,"_s;
        const auto line =
            std::find_if(lines.begin(), lines.end(), [&](const QString &text) { return text.startsWith(wanted); });
        QVERIFY(line != lines.end());
        QCOMPARE(line->mid(wanted.size()).toFloat(), m_input.map->at(52, 37)); // reads back exactly
    }

    void npyIsTheMap()
    {
        const QByteArray bytes = makeAttentionFigure(m_input)->npy();
        QVERIFY(bytes.contains("'descr': '<f4', 'fortran_order': False, 'shape': (79, 79), }"));
        const std::vector<float> &weights = m_input.map->weights;
        const QByteArray data(reinterpret_cast<const char *>(weights.data()),
                              qsizetype(weights.size() * sizeof(float)));
        QCOMPARE(bytes.right(data.size()), data);
        QCOMPARE((bytes.size() - data.size()) % 64, 0);
    }

    void namesWhatItShows()
    {
        const auto figure = makeAttentionFigure(m_input);
        QCOMPARE(figure->title(), u"Layer 3, head 2 of hybrid_square · fixture"_s);
        QCOMPARE(figure->fileName(), u"hybrid_square_layer3_head2_n5_sequence0"_s);
    }

    // Narrow columns, square pages, signed maps, long contexts, no cell: nothing overflows or crashes.
    void everyShape()
    {
        for (const QSizeF &millimetres :
             {QSizeF(85, 57), QSizeF(85, 120), QSizeF(120, 120), QSizeF(175, 80), QSizeF(300, 40)}) {
            for (const bool isSigned : {false, true}) {
                for (const std::int64_t n : {1, 5, 32}) {
                    AttentionFigureInput input = diagonalInput(n);
                    auto map = std::make_shared<analysis::HeadMap>(*input.map);
                    if (isSigned) {
                        map->kind = analysis::MapKind::RecurrenceMatrix;
                        map->weights.front() = -0.4F;
                    }
                    input.map = map;
                    input.isLog = true;
                    input.range = RangeChoice::OwnMaximum;
                    ExportOptions options;
                    options.millimetres = millimetres;
                    options.dpi = 100;
                    QVERIFY(!renderFigure(*makeAttentionFigure(input), options).isNull());
                }
            }
        }
    }

private:
    AttentionFigureInput m_input;
};

QTEST_MAIN(TestAttentionFigure)
#include "test_attention_figure.moc"
