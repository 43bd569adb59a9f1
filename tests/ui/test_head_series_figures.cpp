// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "core/error.h"
#include "tests/patience.h"
#include "tests/ui/figure_helpers.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/figures/circuit_figures.h"
#include "ui/figures/measure_figure.h"
#include "ui/models/csv_model.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using circuit::HeadMeasure;
using tests::FakeRunService;

namespace {

MeasureFigureInput measureOf(HeadMeasure measure, const std::vector<std::int64_t> &lengths = {8, 64, 256})
{
    MeasureFigureInput input;
    input.measure = measure;
    input.run = tests::runsOf({tests::paperConfig("hybrid_square")}).front();
    for (const std::int64_t n : lengths)
        input.tables.push_back(
            FakeRunService::scriptedHeads(input.run.record.config, 15000, {.n_keys = n, .sequences = 32}));
    return input;
}

CircuitFigureInput timelineOf(const std::vector<std::int64_t> &steps)
{
    CircuitFigureInput input;
    input.run = tests::runsOf({tests::paperConfig("hybrid_square")}).front();
    auto tables = std::make_shared<std::vector<circuit::HeadTable>>();
    for (const std::int64_t step : steps)
        tables->push_back(FakeRunService::scriptedHeads(input.run.record.config, step, {.n_keys = 8, .sequences = 64}));
    input.heads = {tables, &tables->back()};
    input.timeline = tables;
    input.quantity = HeadMeasure::KeyMatching;
    for (std::int64_t step = 1; step <= 15000; step += 100)
        input.metrics.push_back(FakeRunService::scriptedRecord(input.run.record.config, step));
    return input;
}

struct Chunk {
    QByteArray type;
    QByteArray data;
};

quint32 numberAt(const QByteArray &bytes, qsizetype place)
{
    quint32 number = 0;
    for (qsizetype i = 0; i < 4; ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[place + i]);
    return number;
}

/// Bit by bit, as annex D of the specification says.
quint32 slowCrc(const QByteArray &bytes)
{
    quint32 crc = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) != 0 ? crc >> 1U ^ 0xEDB88320U : crc >> 1U;
    }
    return ~crc;
}

/// All chunks; empty if a length or a checksum is wrong.
std::vector<Chunk> chunksOf(const QByteArray &png)
{
    std::vector<Chunk> chunks;
    qsizetype place = 8;
    while (place + 12 <= png.size()) {
        const auto length = static_cast<qsizetype>(numberAt(png, place));
        if (place + 12 + length > png.size())
            return {};
        const QByteArray covered = png.mid(place + 4, 4 + length);
        if (slowCrc(covered) != numberAt(png, place + 8 + length))
            return {};
        chunks.push_back({covered.left(4), covered.mid(4)});
        place += 12 + length;
    }
    return place == png.size() ? chunks : std::vector<Chunk>();
}

} // namespace

/// Figures of heads over lengths and over checkpoints: a measure against n, and the strip of frames.
class TestHeadSeriesFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void measureHasTheNumbersOfTheTables()
    {
        const MeasureFigureInput input = measureOf(HeadMeasure::Retrieval);
        const auto figure = makeMeasureFigure(input);
        const auto records = parseCsv(figure->csv());
        QCOMPARE(records.size(), 1U + 3U * 32U);
        QCOMPARE(records[0].mid(0, 11).join(u','),
                 u"run,variant,step,n_keys,sequences,layer,head,sees,retrieval,retrieval_low,retrieval_high"_s);
        const circuit::HeadScores &head = input.tables[1].heads[5];
        const QStringList &record = records[1 + 32 + 5];
        QCOMPARE(record[0], u"hybrid_square-seed0-1"_s);
        QCOMPARE(record[1], u"hybrid_square"_s);
        QCOMPARE(record[2], u"15000"_s);
        QCOMPARE(record[3], u"64"_s);
        QCOMPARE(record[4].toLongLong(), input.tables[1].request.sequences);
        QCOMPARE(record[5].toLongLong(), head.id.layer);
        QCOMPARE(record[6].toLongLong(), head.id.head);
        QCOMPARE(record[8].toDouble(), head.scores[HeadMeasure::Retrieval]->value);
        QCOMPARE(record[10].toDouble(), head.scores[HeadMeasure::Retrieval]->high);
        QVERIFY(figure->npy().contains(
            "('n_keys', '<i8'), ('sequences', '<i8'), ('layer', '<i8'), ('head', '<i8'), ('sees', '<U"));
        QCOMPARE(figure->fileName(), u"hybrid_square_step15000_retrieval_by_n"_s);
        QVERIFY(figure->provenance().join(u'\n').contains(
            u"lookback-cli figure measure hybrid_square-seed0-1 --step 15000 --measure retrieval --sequences 32 "
            "--n 8,64,256"_s));
    }

    void measureDrawsTheHeadsThatMatter()
    {
        MeasureFigureInput input = measureOf(HeadMeasure::Retrieval);
        std::vector<circuit::HeadId> heads = headsOfFigure(input);
        QCOMPARE(heads.size(), 8U);
        const auto valueOf = [&](const circuit::HeadId &id) {
            return input.tables.front().find(id)->scores[HeadMeasure::Retrieval]->value;
        };
        for (std::size_t i = 1; i < heads.size(); ++i)
            QVERIFY(valueOf(heads[i - 1]) >= valueOf(heads[i]));
        for (const circuit::HeadScores &head : input.tables.front().heads) {
            if (head.scores[HeadMeasure::Retrieval] && std::ranges::find(heads, head.id) == heads.end())
                QVERIFY(head.scores[HeadMeasure::Retrieval]->value <= valueOf(heads.back()));
        }
        input.chosen = {{7, 3}, {0, 1}, {99, 0}};
        QCOMPARE(headsOfFigure(input), (std::vector<circuit::HeadId>{{7, 3}, {0, 1}}));
        QVERIFY(makeMeasureFigure(input)->provenance().join(u'\n').contains(u"--head 7:3 --head 0:1"_s));
        // A measure that means nothing for the shortest length is taken from the next.
        input.chosen.clear();
        for (circuit::HeadScores &head : input.tables.front().heads)
            head.scores[HeadMeasure::Retrieval].reset();
        QCOMPARE(headsOfFigure(input), heads);
    }

    void drawsEverySizeAndTheme()
    {
        std::vector<std::unique_ptr<Figure>> figures;
        figures.push_back(makeMeasureFigure(measureOf(HeadMeasure::Retrieval)));
        figures.push_back(makeMeasureFigure(measureOf(HeadMeasure::MeanDistance)));
        figures.push_back(makeMeasureFigure(measureOf(HeadMeasure::SourceWeight, {8})));
        figures.push_back(makeTimelineStripFigure(timelineOf({0, 1, 4, 64, 1000, 15000})));
        figures.push_back(makeTimelineStripFigure(timelineOf({15000})));
        std::vector<std::int64_t> many;
        for (std::int64_t step = 0; step < 40; ++step)
            many.push_back(100 * step);
        figures.push_back(makeTimelineStripFigure(timelineOf(many)));
        CircuitFigureInput bare = timelineOf({0, 100});
        bare.metrics.clear();
        bare.quantity = {};
        figures.push_back(makeTimelineStripFigure(std::move(bare)));
        figures.push_back(figures.back()->frame(1));
        for (const auto &figure : figures) {
            for (const QSize &size : {QSize(1600, 1000), QSize(400, 240), QSize(200, 800)}) {
                for (const bool isDark : {false, true}) {
                    ExportOptions options = ExportOptions::ofPixels(size, 200);
                    options.isDark = isDark;
                    QVERIFY(!renderFigure(*figure, options).isNull());
                }
            }
        }
        QVERIFY(figures[5]->provenance().join(u'\n').contains(u"24 of 40 checkpoints"_s));
    }

    void stripHasTheNumbersOfTheTimeline()
    {
        const CircuitFigureInput input = timelineOf({0, 64, 15000});
        const auto strip = makeTimelineStripFigure(input);
        QCOMPARE(strip->csv(), makeTimelineFigure(input)->csv());
        QCOMPARE(strip->fileName(), u"hybrid_square_n8_key_matching_frames"_s);
        QCOMPARE(strip->frames(), 3U);
        QVERIFY(strip->provenance().join(u'\n').contains(
            u"lookback-cli figure timeline hybrid_square-seed0-1 --n 8 --sequences 64 --frames strip --measure "
            "key_matching"_s));
        // A frame shows another step than the next one.
        QVERIFY(renderFigure(*strip->frame(0), {}) != renderFigure(*strip->frame(2), {}));
    }

    /// Chunks as the specification of PNG wants them: acTL before the first IDAT, then a fcTL and fdAT for each frame
    /// in one numbering; every checksum right. The pictures are read back from their own data.
    void animationIsOneByTheBook()
    {
        QTemporaryDir folder;
        const auto strip = makeTimelineStripFigure(timelineOf({0, 64, 15000}));
        const ExportOptions options = ExportOptions::ofPixels({640, 400}, 100);
        const QString file = folder.filePath(u"forming.apng"_s);
        exportFigure(*strip, file, options);
        QFile opened(file);
        QVERIFY(opened.open(QIODevice::ReadOnly));
        const QByteArray bytes = opened.readAll();
        const std::vector<Chunk> chunks = chunksOf(bytes);
        QVERIFY(!chunks.empty());
        QCOMPARE(chunks.front().type, QByteArray("IHDR"));
        QCOMPARE(chunks.back().type, QByteArray("IEND"));
        std::vector<QByteArray> frames;
        quint32 number = 0;
        bool hasCount = false;
        bool hasStill = false;
        for (const Chunk &chunk : chunks) {
            if (chunk.type == "acTL") {
                QVERIFY(!hasStill && !hasCount);
                hasCount = true;
                QCOMPARE(numberAt(chunk.data, 0), 3U);
                QCOMPARE(numberAt(chunk.data, 4), 0U);
            } else if (chunk.type == "IDAT") {
                hasStill = true;
                QVERIFY(hasCount && frames.empty());
            } else if (chunk.type == "fcTL") {
                QVERIFY(hasStill);
                QCOMPARE(chunk.data.size(), 26);
                QCOMPARE(numberAt(chunk.data, 0), number++);
                QCOMPARE(numberAt(chunk.data, 4), 640U);
                QCOMPARE(numberAt(chunk.data, 8), 400U);
                frames.emplace_back();
            } else if (chunk.type == "fdAT") {
                QVERIFY(!frames.empty());
                QCOMPARE(numberAt(chunk.data, 0), number++);
                frames.back() += chunk.data.mid(4);
            }
        }
        QCOMPARE(frames.size(), 3U);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            // The frame's data in a file of its own.
            QByteArray png = bytes.left(8);
            const auto add = [&png](const QByteArray &type, const QByteArray &data) {
                const auto big = [&png](quint32 value) {
                    for (int shift = 24; shift >= 0; shift -= 8)
                        png += static_cast<char>(value >> shift & 0xFFU);
                };
                big(static_cast<quint32>(data.size()));
                const QByteArray covered = type + data;
                png += covered;
                big(slowCrc(covered));
            };
            add("IHDR", chunks.front().data);
            add("IDAT", frames[i]);
            add("IEND", {});
            QCOMPARE(QImage::fromData(png).convertToFormat(QImage::Format_RGB32),
                     renderFigure(*strip->frame(i), options).convertToFormat(QImage::Format_RGB32));
        }
        // Programs that know no animation see the last frame, with the texts of the figure.
        const QImage still = QImage::fromData(bytes, "PNG");
        QCOMPARE(still.convertToFormat(QImage::Format_RGB32),
                 renderFigure(*strip->frame(2), options).convertToFormat(QImage::Format_RGB32));
        QCOMPARE(still.text(u"Title"_s), strip->title());
    }

    void onlyFramesAreAnimated()
    {
        QVERIFY_THROWS_EXCEPTION(Error, figureFile(*makeTimelineFigure(timelineOf({0, 64})), u"a.apng"_s, {}));
        const ExportDialog still(makeTimelineFigure(timelineOf({0, 64})), nullptr);
        QVERIFY(still.findChild<QComboBox *>(u"exportKind"_s)->findData(u"apng"_s) < 0);
        QTemporaryDir folder;
        ExportDialog dialog(makeTimelineStripFigure(timelineOf({0, 64})), nullptr);
        auto *kind = dialog.findChild<QComboBox *>(u"exportKind"_s);
        kind->setCurrentIndex(kind->findData(u"apng"_s));
        QCOMPARE(dialog.kind(), u"apng"_s);
        QSignalSpy exported(&dialog, &ExportDialog::exported);
        dialog.exportTo(folder.filePath(u"a.apng"_s));
        QTRY_COMPARE(exported.size(), 1);
        QVERIFY(QFile(folder.filePath(u"a.apng"_s)).size() > 1000);
    }
};

QTEST_MAIN(TestHeadSeriesFigures)
#include "test_head_series_figures.moc"
