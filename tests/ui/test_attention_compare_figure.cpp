// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "core/analysis/attention_comparison.h"
#include "tests/ui/fixture_example.h"
#include "ui/figures/attention_compare_figure.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// The windowed head 0:1 at the left, 3:2 which sees all at the right, of the same checkpoint.
CompareFigureInput fixtureInput()
{
    const tests::FixtureExample fixture = tests::fixtureExample("hybrid_square");
    auto changed = std::make_shared<analysis::Example>(*fixture.example);
    changed->key.intervention = {.heads = {{3, 2}}, .removal = circuit::Removal::Zero};
    return {.left = {.example = fixture.example, .map = tests::headOf(fixture, 0, 1), .runTitle = u"one run"_s},
            .right = {.example = changed, .map = tests::headOf(fixture, 3, 2), .runTitle = u"one run"_s},
            .cell = {52, 37}};
}

std::set<QRgb> coloursOf(const QImage &image)
{
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            colours.insert(image.pixel(x, y));
    }
    return colours;
}

} // namespace

class TestAttentionCompareFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Every pair that a side sees, with both weights and their difference, exactly.
    void csvHasBothSides()
    {
        const CompareFigureInput input = fixtureInput();
        const QStringList lines = makeCompareFigure(input)->csv().split(u"\r\n"_s, Qt::SkipEmptyParts);
        QCOMPARE(lines.front(), u"query,query_token,key,key_token,left,right,difference"_s);
        QCOMPARE(lines.size(), 1 + 79 * 80 / 2);
        const analysis::HeadMap difference = analysis::differenceOf(*input.left.map, *input.right.map);
        qsizetype hidden = 0;
        for (qsizetype i = 1; i < lines.size(); ++i) {
            const QStringList cells = lines[i].split(u',');
            const std::int64_t query = cells[0].toLongLong();
            const std::int64_t key = cells[2].toLongLong();
            hidden += cells[4].isEmpty() ? 1 : 0;
            QCOMPARE(cells[4].isEmpty(), !input.left.map->isVisible(query, key));
            if (!cells[4].isEmpty())
                QCOMPARE(cells[4].toFloat(), input.left.map->at(query, key));
            QCOMPARE(cells[5].toFloat(), input.right.map->at(query, key));
            QCOMPARE(cells[6].toFloat(), difference.at(query, key));
        }
        QVERIFY(hidden > 0);
    }

    void npyHasBothSidesAndTheDifference()
    {
        const CompareFigureInput input = fixtureInput();
        const QByteArray bytes = makeCompareFigure(input)->npy();
        QVERIFY(bytes.contains("'descr': '<f4', 'fortran_order': False, 'shape': (3, 79, 79), }"));
        std::vector<float> all = input.left.map->weights;
        for (const std::vector<float> &more :
             {input.right.map->weights, analysis::differenceOf(*input.left.map, *input.right.map).weights})
            all.insert(all.end(), more.begin(), more.end());
        const QByteArray data(reinterpret_cast<const char *>(all.data()), qsizetype(all.size() * sizeof(float)));
        QCOMPARE(bytes.right(data.size()), data);
    }

    void saysWhatItShows()
    {
        const std::unique_ptr<Figure> figure = makeCompareFigure(fixtureInput());
        const QString all = figure->provenance().join(u'\n');
        QVERIFY2(all.contains(u"without 3:2 (zero)"_s), qPrintable(all));
        QVERIFY2(all.contains(u"--compare-removed --remove 3:2 --mode zero --compare-head 3:2"_s), qPrintable(all));
        QVERIFY2(all.contains(u"Head 3:2 is removed: its pattern is shown"_s), qPrintable(all));
        QVERIFY2(all.contains(u"not visible left (window of 10)"_s), qPrintable(all));
        QVERIFY(figure->fileName().startsWith(u"hybrid_square_layer0_head1_beside_"_s));
        QVERIFY(figure->withoutCaption());
    }

    void drawsAtAnySize_data()
    {
        QTest::addColumn<QSizeF>("millimetres");
        QTest::addColumn<bool>("isDark");
        for (const QSizeF size : {QSizeF(170, 110), QSizeF(85, 57), QSizeF(90, 200), QSizeF(300, 60)}) {
            for (const bool isDark : {false, true})
                QTest::addRow("%d x %d %d", int(size.width()), int(size.height()), isDark) << size << isDark;
        }
    }
    void drawsAtAnySize()
    {
        QFETCH(QSizeF, millimetres);
        QFETCH(bool, isDark);
        ExportOptions options{.millimetres = millimetres, .dpi = 150, .isDark = isDark};
        const CompareFigureInput input = fixtureInput();
        const QImage image = renderFigure(*makeCompareFigure(input), options);
        const std::set<QRgb> colours = coloursOf(image);
        // The brightest cell of the left map, and the cell of the largest difference.
        const Theme &theme = isDark ? Theme::dark() : Theme::light();
        const ColourTable weights(colourMapsFor(false, isDark).first(), ColourScale::shared(), theme.wrong.rgb());
        const ColourTable signedWeights(colourMapsFor(true, isDark).first(), ColourScale::sharedSigned(),
                                        theme.wrong.rgb());
        const analysis::HeadMap difference = analysis::differenceOf(*input.left.map, *input.right.map);
        const auto largest = std::ranges::max_element(difference.weights, {}, [](float v) { return std::abs(v); });
        QVERIFY(colours.contains(weights.colourOf(*std::ranges::max_element(input.left.map->weights))));
        QVERIFY(colours.contains(signedWeights.colourOf(*largest)));
        QVERIFY(colours.contains(theme.mask.rgb()));
    }

    void writesAllKinds()
    {
        QTemporaryDir folder;
        const std::unique_ptr<Figure> figure = makeCompareFigure(fixtureInput());
        for (const auto &[name, begin] : {std::pair("a.png", "\x89PNG"), std::pair("a.svg", "<?xml"),
                                          std::pair("a.pdf", "%PDF"), std::pair("a.csv", "query,")}) {
            const QString path = folder.filePath(QLatin1StringView(name));
            exportFigure(*figure, path, {});
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.readAll().startsWith(begin));
        }
    }

    // Quantities without a difference: two maps, and the reason in the caption.
    void withoutDifference()
    {
        CompareFigureInput input = fixtureInput();
        auto recurrence = std::make_shared<analysis::HeadMap>(*input.right.map);
        recurrence->kind = analysis::MapKind::RecurrenceMatrix;
        input.right.map = recurrence;
        const std::unique_ptr<Figure> figure = makeCompareFigure(input);
        QVERIFY(figure->provenance().join(u' ').contains(u"different quantities"_s));
        QVERIFY(figure->csv().split(u"\r\n"_s).at(1).endsWith(u','));
        QVERIFY(figure->npy().contains("'shape': (2, 79, 79), }"));
        QVERIFY(!renderFigure(*figure, {}).isNull());
    }
};

QTEST_MAIN(TestAttentionCompareFigure)
#include "test_attention_compare_figure.moc"
