// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImageReader>
#include <QPainter>
#include <QProcess>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/resource.h>

#include "core/error.h"
#include "tests/ui/figure_helpers.h"
#include "ui/figures/seed_curves.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

std::unique_ptr<Figure> figureOf(const QString &kind)
{
    const std::vector<RunConfig> configs{tests::paperConfig("hybrid_square"), tests::paperConfig("rope")};
    if (kind == "training"_L1)
        return makeTrainingFigure(tests::trainingOf(configs));
    return makeAccuracyFigure(tests::accuracyOf(configs));
}

QByteArray bytesOf(const QString &file)
{
    QFile source(file);
    return source.open(QIODevice::ReadOnly) ? source.readAll() : QByteArray();
}

/// The sentence of the Error that an export ends in; empty if it succeeds.
QString refusal(const QString &file, const ExportOptions &options = {})
{
    try {
        exportFigure(*figureOf(u"accuracy"_s), file, options);
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return {};
}

} // namespace

class TestExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void pictureHasTheAskedSize_data();
    void pictureHasTheAskedSize();
    void lightAndOpaqueByDefault();
    void transparentAndDarkAreChoices();
    void pixelsComeBackExactly();
    void svgHasItsSizeInMillimetres();
    void pdfHasPageAndText();
    void csvHasTheNumbers();
    void npyHasTheNumbers();
    void provenanceIsInTheFile();
    void sameBytesFromEveryScreen();
    void sameBytesUnderADarkDesktop();
    void namesThatDoNotWork_data();
    void namesThatDoNotWork();
    void absurdSizes_data();
    void absurdSizes();
    void namesThatWork();
    void fullDiskLeavesTheOldFile();

private:
    QString path(const QString &name) const { return m_folder->filePath(name); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestExport::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestExport::pictureHasTheAskedSize_data()
{
    QTest::addColumn<QSizeF>("millimetres");
    QTest::addColumn<int>("dpi");
    QTest::addColumn<QSize>("pixels");
    QTest::newRow("one column, 300 dpi") << QSizeF(85, 57) << 300 << QSize(1004, 673);
    QTest::newRow("one and a half, 150 dpi") << QSizeF(120, 80) << 150 << QSize(709, 472);
    QTest::newRow("two columns, 600 dpi") << QSizeF(175, 117) << 600 << QSize(4134, 2764);
    QTest::newRow("tiny") << QSizeF(15, 12) << 72 << QSize(43, 34);
}

void TestExport::pictureHasTheAskedSize()
{
    QFETCH(const QSizeF, millimetres);
    QFETCH(const int, dpi);
    QFETCH(const QSize, pixels);
    for (const QString &kind : {u"training"_s, u"accuracy"_s}) {
        ExportOptions options;
        options.millimetres = millimetres;
        options.dpi = dpi;
        const QString file = path(kind + u".png"_s);
        exportFigure(*figureOf(kind), file, options);
        const QImage image(file);
        QCOMPARE(image.size(), pixels);
        QCOMPARE(qRound(image.dotsPerMeterX() * 0.0254), dpi);
        QCOMPARE(qRound(image.dotsPerMeterY() * 0.0254), dpi);
        QCOMPARE(image.devicePixelRatio(), 1.0);
        // Not blank: the curves' colour is there.
        const auto line = Theme::light().seriesStyle(model::Family::HybridWindow, model::LogitForm::Squared).line;
        if (millimetres.width() > 50)
            QVERIFY(tests::countPixels(image, line) > 20);
    }
}

void TestExport::lightAndOpaqueByDefault()
{
    const QImage image = renderFigure(*figureOf(u"accuracy"_s), {});
    QVERIFY(!image.hasAlphaChannel());
    for (const QPoint &corner : {QPoint(0, 0), QPoint(image.width() - 1, 0), QPoint(0, image.height() - 1),
                                 QPoint(image.width() - 1, image.height() - 1)})
        QCOMPARE(image.pixelColor(corner), QColor(Qt::white));
}

void TestExport::transparentAndDarkAreChoices()
{
    ExportOptions options;
    options.isDark = true;
    const QImage dark = renderFigure(*figureOf(u"training"_s), options);
    QCOMPARE(dark.pixelColor(0, 0), Theme::dark().base);
    options.isTransparent = true;
    const QString file = path(u"clear.png"_s);
    exportFigure(*figureOf(u"training"_s), file, options);
    const QImage clear(file);
    QVERIFY(clear.hasAlphaChannel());
    QCOMPARE(clear.pixelColor(0, 0).alpha(), 0);
    const auto line = Theme::dark().seriesStyle(model::Family::HybridWindow, model::LogitForm::Squared).line;
    QVERIFY(tests::countPixels(clear, line) > 20);
}

void TestExport::pixelsComeBackExactly()
{
    for (const QSize &pixels : {QSize(1600, 1000), QSize(1, 1), QSize(333, 777), QSize(4096, 17)}) {
        for (const int dpi : {72, 96, 200, 300, 600})
            QCOMPARE(ExportOptions::ofPixels(pixels, dpi).pixels(), pixels);
    }
}

void TestExport::svgHasItsSizeInMillimetres()
{
    ExportOptions options;
    options.millimetres = {85, 57};
    const QString file = path(u"figure.svg"_s);
    exportFigure(*figureOf(u"accuracy"_s), file, options);
    const QString text = QString::fromUtf8(bytesOf(file));
    QVERIFY(text.contains("width=\"85mm\" height=\"57mm\""_L1));
    QVERIFY(text.contains("<title>Exact match by context length</title>"_L1));
    QVERIFY(text.contains(">hybrid_square</text>"_L1)); // text stays text
    QSvgRenderer renderer(file);
    QVERIFY(renderer.isValid());
    QImage image(1004, 673, QImage::Format_RGB32);
    image.fill(Qt::red);
    QPainter painter(&image);
    renderer.render(&painter);
    painter.end();
    QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white)); // opaque by default
    QVERIFY(tests::countPixels(image, Theme::light().shades[0][0].line) > 20);
}

void TestExport::pdfHasPageAndText()
{
    ExportOptions options;
    options.millimetres = {120, 80};
    const QString file = path(u"figure.pdf"_s);
    exportFigure(*figureOf(u"training"_s), file, options);
    const QByteArray bytes = bytesOf(file);
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    // 120 x 80 mm are 340.2 x 226.8 points; the engine rounds to whole ones.
    QVERIFY2(bytes.contains("/MediaBox [0 0 340"), "page size");
    QVERIFY(bytes.contains("Training of 2 runs"));
    QVERIFY(bytes.contains("lookback-cli train --variant hybrid_square --preset paper --seed 0"));
}

void TestExport::csvHasTheNumbers()
{
    const QString file = path(u"numbers.CSV"_s); // the extension in any case
    exportFigure(*figureOf(u"accuracy"_s), file, {});
    const QStringList lines = QString::fromUtf8(bytesOf(file)).split(u"\r\n"_s, Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 2 * 12);
    const QStringList names = lines[0].split(u',');
    for (const QStringList &row : {lines[1].split(u','), lines[24].split(u',')})
        QCOMPARE(row.size(), names.size());
    for (const auto *needed : {"trained_tokens", "n_keys", "sequences", "seed", "low_95", "high_95", "step"})
        QVERIFY2(names.contains(QLatin1StringView(needed)), needed);
}

void TestExport::npyHasTheNumbers()
{
    const QString file = path(u"numbers.npy"_s);
    exportFigure(*figureOf(u"accuracy"_s), file, {});
    const QByteArray bytes = bytesOf(file);
    QVERIFY(bytes.startsWith("\x93NUMPY\x01"));
    QVERIFY(bytes.contains("('run', '<U"));
    QVERIFY(bytes.contains("('published', '|i1'), ('step', '<i8')"));
    QVERIFY(bytes.contains("('accuracy', '<f8')"));
    QVERIFY(bytes.contains("'shape': (24,), }"));
    // No column of any figure holds what its kind cannot.
    QVERIFY(figureOf(u"training"_s)->npy().contains("('retrieval_acc', '<f8')"));
    AccuracyFigureInput bands = tests::accuracyOf({tests::paperConfig("rope"), tests::paperConfig("rope", 1)});
    bands.curves = withSeedBands(std::move(bands.curves));
    QVERIFY(makeAccuracyFigure(std::move(bands))->npy().contains("('seed_high', '<f8')"));
    TrainingFigureInput seeds = tests::trainingOf({tests::paperConfig("rope"), tests::paperConfig("rope", 1)});
    seeds.hasSeedBands = true;
    QVERIFY(makeTrainingFigure(std::move(seeds))->npy().contains("('loss_low', '<f8')"));
}

void TestExport::provenanceIsInTheFile()
{
    const QString file = path(u"figure.png"_s);
    exportFigure(*figureOf(u"accuracy"_s), file, {});
    const QImage image(file);
    QCOMPARE(image.text(u"Title"_s), u"Exact match by context length"_s);
    QVERIFY(image.text(u"Software"_s).startsWith("Lookback "_L1));
    const QString text = image.text(u"Description"_s);
    QVERIFY(text.contains("hybrid_square-seed0-1: hybrid_square, seed 0, finished at step 15000 of 15000"_L1));
    QVERIFY(text.contains("lookback-cli train --variant rope --preset paper --seed 0"_L1));
    QVERIFY(text.contains("128 sequences a point"_L1));
}

void TestExport::sameBytesFromEveryScreen()
{
    QByteArray first;
    for (const auto *scale : {"1", "1.5", "2", "3"}) {
        for (const auto *fontDpi : {"96", "144"}) {
            const QString file = path(u"scale.png"_s);
            QFile::remove(file);
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(u"QT_SCALE_FACTOR"_s, QLatin1StringView(scale));
            environment.insert(u"QT_FONT_DPI"_s, QLatin1StringView(fontDpi));
            process.setProcessEnvironment(environment);
            process.start(QCoreApplication::applicationFilePath(), {u"--draw"_s, file});
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitCode(), 0);
            const QByteArray bytes = bytesOf(file);
            QVERIFY(bytes.size() > 1000);
            if (first.isEmpty())
                first = bytes;
            QVERIFY2(bytes == first, scale);
        }
    }
}

void TestExport::sameBytesUnderADarkDesktop()
{
    const QPalette palette = QApplication::palette();
    const QFont font = QApplication::font();
    const QImage before = renderFigure(*figureOf(u"training"_s), {});
    QApplication::setPalette(Theme::dark().palette());
    QApplication::setFont(QFont(u"DejaVu Serif"_s, 23));
    const QImage after = renderFigure(*figureOf(u"training"_s), {});
    QApplication::setPalette(palette);
    QApplication::setFont(font);
    QCOMPARE(after, before);
}

void TestExport::namesThatDoNotWork_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("said");
    QTest::newRow("no extension") << u"figure"_s << u"no extension"_s;
    QTest::newRow("unknown extension") << u"figure.gif"_s << u"\".gif\""_s;
    QTest::newRow("dots, none of them known") << u"rope.2.run"_s << u"\".run\""_s;
    QTest::newRow("folder that is not there") << u"missing/figure.png"_s << u"missing"_s;
    QTest::newRow("folder of that name") << u"taken.png"_s << u"folder"_s;
    QTest::newRow("below a file") << u"file.txt/figure.svg"_s << u"file.txt"_s;
}

void TestExport::namesThatDoNotWork()
{
    QFETCH(const QString, name);
    QFETCH(const QString, said);
    QVERIFY(QDir(m_folder->path()).mkdir(u"taken.png"_s));
    QFile file(path(u"file.txt"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const QStringList before = QDir(m_folder->path()).entryList();
    const QString sentence = refusal(path(name));
    QVERIFY2(sentence.contains(said), qPrintable(sentence));
    QVERIFY2(sentence.contains(path(name)) || sentence.contains("missing"_L1) || sentence.contains("file.txt"_L1),
             qPrintable(sentence));
    QCOMPARE(QDir(m_folder->path()).entryList(), before); // nothing half-made is left
}

void TestExport::absurdSizes_data()
{
    QTest::addColumn<QSizeF>("millimetres");
    QTest::addColumn<int>("dpi");
    QTest::newRow("zero") << QSizeF(0, 0) << 300;
    QTest::newRow("negative") << QSizeF(-85, 57) << 300;
    QTest::newRow("not a number") << QSizeF(NAN, 57) << 300;
    QTest::newRow("a kilometre") << QSizeF(1e6, 1e6) << 300;
    QTest::newRow("no dpi") << QSizeF(85, 57) << 0;
    QTest::newRow("a billion pixels") << QSizeF(4000, 4000) << 600;
}

void TestExport::absurdSizes()
{
    QFETCH(const QSizeF, millimetres);
    QFETCH(const int, dpi);
    ExportOptions options;
    options.millimetres = millimetres;
    options.dpi = dpi;
    QVERIFY(!refusal(path(u"figure.png"_s), options).isEmpty());
    QVERIFY(!QFile::exists(path(u"figure.png"_s)));
}

void TestExport::namesThatWork()
{
    for (const QString &name : {u"a.b.c.png"_s, u".png"_s, u"große Übersicht №1.svg"_s, u"UPPER.PNG"_s}) {
        QCOMPARE(refusal(path(name)), QString());
        QVERIFY2(QFile::exists(path(name)), qPrintable(name));
    }
    // An existing file is replaced whole, also by a shorter one.
    QFile file(path(u"figure.csv"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(1'000'000, 'x'));
    file.close();
    QCOMPARE(refusal(path(u"figure.csv"_s)), QString());
    QVERIFY(bytesOf(path(u"figure.csv"_s)).startsWith("run,"));
    QVERIFY(!bytesOf(path(u"figure.csv"_s)).contains("xxx"));
}

void TestExport::fullDiskLeavesTheOldFile()
{
    const QString file = path(u"figure.png"_s);
    QCOMPARE(refusal(file), QString());
    const QByteArray before = bytesOf(file);
    const QStringList listing = QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden);

    // A file size limit stands for the full disk: writes come back short, then fail.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
    rlimit small = old;
    small.rlim_cur = 4096;
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const QString sentence = refusal(file);
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);

    QVERIFY(!sentence.isEmpty());
    QVERIFY2(sentence.contains("figure.png"_L1), qPrintable(sentence));
    QCOMPARE(bytesOf(file), before);
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), listing);
}

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() == 3 && arguments[1] == "--draw"_L1) {
        exportFigure(*figureOf(u"accuracy"_s), arguments[2], {});
        return 0;
    }
    TestExport test;
    return QTest::qExec(&test, argc, argv);
}
#include "test_export.moc"
