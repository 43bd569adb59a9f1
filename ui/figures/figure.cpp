// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/figure.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QImageWriter>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>

#include <system_error>

#include "core/error.h"
#include "core/run/npy.h"
#include "core/run/run_folder.h"
#include "ui/figures/animated_png.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr qreal kPointsPerInch = 72.0;
constexpr qreal kMillimetresPerInch = 25.4;
/// 72 dots per inch in QImage's unit. While a figure is drawn every device claims 72 dpi, so that font sizes are points
/// of the page and layouts are equal for PNG, SVG and PDF; the picture's real resolution is stored afterwards.
constexpr int kDrawingDotsPerMetre = 2835;
/// Limits of a picture: 2 GB of pixels would be refused by QImage anyway; say so before anything is allocated.
constexpr int kSmallestSide = 16;
constexpr int kLargestSide = 30000;
constexpr qint64 kMostPixels = 400'000'000;

QSizeF pageOf(const ExportOptions &options)
{
    return options.millimetres * (kPointsPerInch / kMillimetresPerInch);
}

const Theme &themeOf(const ExportOptions &options)
{
    return options.isDark ? Theme::dark() : Theme::light();
}

/// Throws Error for sizes that no picture can have. NaN sizes fall through the first comparison.
void requireSize(const ExportOptions &options)
{
    const QSizeF size = options.millimetres;
    if (!(size.width() >= 10 && size.height() >= 10 && size.width() <= 5000 && size.height() <= 5000)) {
        throw Error(u"%1 x %2 mm"_s.arg(size.width()).arg(size.height()).toStdString(),
                    "A figure is between 10 and 5000 mm wide and high.", "Choose another size.");
    }
    if (options.dpi < 10 || options.dpi > 2400) {
        throw Error(u"%1 dpi"_s.arg(options.dpi).toStdString(), "The resolution of a picture is 10 to 2400 dpi.",
                    "Choose another resolution.");
    }
}

void requirePixels(const QSize &pixels)
{
    if (pixels.width() >= kSmallestSide && pixels.height() >= kSmallestSide && pixels.width() <= kLargestSide
        && pixels.height() <= kLargestSide && qint64(pixels.width()) * pixels.height() <= kMostPixels) {
        return;
    }
    throw Error(u"%1 x %2 pixels"_s.arg(pixels.width()).arg(pixels.height()).toStdString(),
                "A picture has 16 to 30000 pixels a side and at most 400 million.",
                "Choose a smaller size or fewer dots per inch.");
}

void drawPage(const Figure &figure, QPainter &painter, const ExportOptions &options)
{
    const Theme &theme = themeOf(options);
    const QSizeF page = pageOf(options);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    if (!options.isTransparent)
        painter.fillRect(QRectF(QPointF(0, 0), page), theme.base);
    figure.draw(painter, page, theme);
}

QString softwareName()
{
    return u"Lookback "_s + QLatin1StringView(LOOKBACK_VERSION);
}

/// The picture with the texts of its figure.
QByteArray pngOf(const Figure &figure, const QImage &image, const std::string &subject)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    writer.setText(u"Title"_s, figure.title());
    writer.setText(u"Description"_s, figure.provenance().join(u'\n'));
    writer.setText(u"Software"_s, softwareName());
    if (!writer.write(image))
        throw Error(subject, "The picture could not be encoded.", "Choose a smaller size.",
                    writer.errorString().toStdString());
    return buffer.data();
}

QByteArray svgOf(const Figure &figure, const ExportOptions &options)
{
    const QSizeF page = pageOf(options);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(int(kPointsPerInch));
        generator.setSize(page.toSize());
        generator.setViewBox(QRectF(QPointF(0, 0), page));
        generator.setTitle(figure.title());
        generator.setDescription(figure.provenance().join(u'\n') + u'\n' + softwareName());
        QPainter painter(&generator);
        drawPage(figure, painter, options);
    }
    // The generator only knows whole points; the exact size in millimetres belongs into the first element.
    QString text = QString::fromUtf8(buffer.data());
    static const QRegularExpression size(u"<svg width=\"[^\"]*\" height=\"[^\"]*\""_s);
    const QString exact =
        u"<svg width=\"%1mm\" height=\"%2mm\""_s.arg(options.millimetres.width()).arg(options.millimetres.height());
    const auto match = size.match(text);
    if (match.hasMatch())
        text.replace(match.capturedStart(), match.capturedLength(), exact);
    return text.toUtf8();
}

QByteArray pdfOf(const Figure &figure, const ExportOptions &options)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(int(kPointsPerInch));
        writer.setPageSize(QPageSize(options.millimetres, QPageSize::Millimeter, {}, QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(figure.title());
        writer.setCreator(softwareName());
        const QString xmp =
            u"<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
            "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
            "<rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
            "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">\n"
            "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%1</rdf:li></rdf:Alt></dc:title>\n"
            "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">%2</rdf:li></rdf:Alt></dc:description>\n"
            "<xmp:CreatorTool>%3</xmp:CreatorTool>\n"
            "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>\n"_s.arg(
                figure.title().toHtmlEscaped(), figure.provenance().join(u'\n').toHtmlEscaped(),
                softwareName().toHtmlEscaped());
        writer.setDocumentXmpMetadata(xmp.toUtf8());
        QPainter painter(&writer);
        drawPage(figure, painter, options);
    }
    return buffer.data();
}

/// Frames as long as it takes to see them, the last one longer.
constexpr int kFrameMilliseconds = 700;
constexpr int kLastMilliseconds = 3000;

QByteArray apngOf(const Figure &figure, const ExportOptions &options, const std::string &subject)
{
    const std::size_t count = figure.frames();
    if (count == 0)
        throw Error(subject, "This figure is no animation.", "End the name in .png.");
    std::vector<AnimationFrame> frames;
    for (std::size_t i = 0; i < count; ++i)
        frames.push_back(
            {renderFigure(*figure.frame(i), options), i + 1 == count ? kLastMilliseconds : kFrameMilliseconds});
    return animatedPng(pngOf(figure, frames.back().image, subject), frames);
}

} // namespace

QByteArray Figure::npy() const
{
    return QByteArray::fromStdString(run::npyTable(csv().toStdString()));
}

QSize ExportOptions::pixels() const
{
    const qreal scale = dpi / kMillimetresPerInch;
    return QSize(qRound(millimetres.width() * scale), qRound(millimetres.height() * scale));
}

ExportOptions ExportOptions::ofPixels(const QSize &pixels, int dpi)
{
    ExportOptions options;
    options.dpi = dpi;
    options.millimetres = QSizeF(pixels) * (kMillimetresPerInch / std::max(dpi, 1));
    return options;
}

QImage renderFigure(const Figure &figure, const ExportOptions &options)
{
    requireSize(options);
    const QSize pixels = options.pixels();
    requirePixels(pixels);
    QImage image(pixels, options.isTransparent ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    if (image.isNull()) {
        throw Error(u"%1 x %2 pixels"_s.arg(pixels.width()).arg(pixels.height()).toStdString(),
                    "There is not enough memory for such a picture.", "Choose a smaller size or fewer dots per inch.");
    }
    image.fill(options.isTransparent ? QColor(Qt::transparent) : themeOf(options).base);
    image.setDotsPerMeterX(kDrawingDotsPerMetre);
    image.setDotsPerMeterY(kDrawingDotsPerMetre);
    const QSizeF page = pageOf(options);
    {
        QPainter painter(&image);
        painter.scale(pixels.width() / page.width(), pixels.height() / page.height());
        drawPage(figure, painter, options);
    }
    const int dotsPerMetre = qRound(options.dpi * 1000.0 / kMillimetresPerInch);
    image.setDotsPerMeterX(dotsPerMetre);
    image.setDotsPerMeterY(dotsPerMetre);
    return image;
}

QByteArray figureFile(const Figure &figure, const QString &file, const ExportOptions &options)
{
    const QString kind = QFileInfo(file).suffix().toLower();
    const std::string subject = QDir::toNativeSeparators(file).toStdString();
    if (kind == "png"_L1)
        return pngOf(figure, renderFigure(figure, options), subject);
    if (kind == "svg"_L1 || kind == "pdf"_L1) {
        requireSize(options);
        return kind == "svg"_L1 ? svgOf(figure, options) : pdfOf(figure, options);
    }
    if (kind == "csv"_L1)
        return figure.csv().toUtf8();
    if (kind == "npy"_L1)
        return figure.npy();
    if (kind == "apng"_L1)
        return apngOf(figure, options, subject);
    throw Error(subject,
                kind.isEmpty() ? "The name has no extension, so the kind of file is not known."
                               : "A figure cannot be written as \"." + kind.toStdString() + "\".",
                "End the name in .png, .svg, .pdf, .csv or .npy.");
}

void writeFigureFile(const std::filesystem::path &file, const QByteArray &bytes)
{
    std::error_code unknown;
    if (std::filesystem::is_directory(file, unknown))
        throw Error(file.string(), "There is a folder of that name.", "Choose another name.");
    run::writeFileWhole(file, bytes.constData(), std::size_t(bytes.size()));
}

void exportFigure(const Figure &figure, const QString &file, const ExportOptions &options)
{
    writeFigureFile(QFileInfo(file).filesystemFilePath(), figureFile(figure, file, options));
}

} // namespace lookback::ui
