// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "tests/patience.h"
#include "tests/ui/figure_helpers.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/figure_preview.h"
#include "ui/settings/settings.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;

namespace {

std::unique_ptr<Figure> figure()
{
    return makeAccuracyFigure(tests::accuracyOf({tests::paperConfig("rope"), tests::paperConfig("hybrid")}));
}

template <typename Widget> Widget *find(const QWidget &parent, const char *name)
{
    auto *widget = parent.findChild<Widget *>(QLatin1StringView(name));
    Q_ASSERT(widget);
    return widget;
}

/// Exports and waits for how it ended.
bool isExported(ExportDialog &dialog, const QString &file)
{
    QSignalSpy exported(&dialog, &ExportDialog::exported);
    QSignalSpy failed(&dialog, &ExportDialog::failed);
    dialog.exportTo(file);
    [&] { QTRY_VERIFY_WITH_TIMEOUT(!exported.isEmpty() || !failed.isEmpty(), testing::kLongPatience); }();
    return !exported.isEmpty();
}

} // namespace

class TestExportDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pixelsAreMetExactly();
    void presetsAndMillimetres();
    void onlyPicturesHavePixels();
    void previewIsTheExport();
    void failureKeepsTheFigureOpen();
    void folderAndOptionsAreRemembered();
    void clipboard();
};

void TestExportDialog::pixelsAreMetExactly()
{
    QTemporaryDir folder;
    ExportDialog dialog(figure(), nullptr);
    for (const int dpi : {96, 150, 300, 600}) {
        auto *box = find<QComboBox>(dialog, "exportDpi");
        box->setCurrentIndex(box->findData(dpi));
        for (const QSize &size : {QSize(1601, 999), QSize(640, 480), QSize(2000, 1333)}) {
            find<QSpinBox>(dialog, "exportPixelWidth")->setValue(size.width());
            find<QSpinBox>(dialog, "exportPixelHeight")->setValue(size.height());
            QCOMPARE(dialog.options().pixels(), size);
        }
    }
    const QString file = folder.filePath(u"figure.png"_s);
    QVERIFY(isExported(dialog, file));
    QCOMPARE(QImage(file).size(), QSize(2000, 1333));
}

void TestExportDialog::presetsAndMillimetres()
{
    ExportDialog dialog(figure(), nullptr);
    auto *preset = find<QComboBox>(dialog, "exportPreset");
    preset->setCurrentIndex(0);
    QCOMPARE(dialog.options().millimetres, QSizeF(85, 57));
    QCOMPARE(find<QSpinBox>(dialog, "exportPixelWidth")->value(), 1004); // at 300 dpi
    find<QDoubleSpinBox>(dialog, "exportWidth")->setValue(90);
    QCOMPARE(preset->currentIndex(), preset->count() - 1); // own size
    QCOMPARE(find<QSpinBox>(dialog, "exportPixelWidth")->value(), 1063);
    find<QDoubleSpinBox>(dialog, "exportWidth")->setValue(85);
    QCOMPARE(preset->currentIndex(), 0);
}

void TestExportDialog::onlyPicturesHavePixels()
{
    ExportDialog dialog(figure(), nullptr);
    auto *kind = find<QComboBox>(dialog, "exportKind");
    const auto *pixels = find<QSpinBox>(dialog, "exportPixelWidth");
    const auto *width = find<QDoubleSpinBox>(dialog, "exportWidth");
    kind->setCurrentIndex(kind->findData(u"pdf"_s));
    QVERIFY(!pixels->isEnabled() && width->isEnabled());
    QVERIFY(!pixels->toolTip().isEmpty()); // and says why
    kind->setCurrentIndex(kind->findData(u"csv"_s));
    QVERIFY(!width->isEnabled());
    kind->setCurrentIndex(kind->findData(u"npy"_s));
    QVERIFY(!width->isEnabled() && !pixels->isEnabled());
    kind->setCurrentIndex(kind->findData(u"png"_s));
    QVERIFY(pixels->isEnabled() && width->isEnabled());
}

void TestExportDialog::previewIsTheExport()
{
    ExportDialog dialog(figure(), nullptr);
    dialog.resize(1000, 600);
    auto *preview = dialog.findChild<FigurePreview *>();
    QSignalSpy drawn(preview, &FigurePreview::drawn);
    dialog.show();
    QTRY_VERIFY(!drawn.isEmpty());
    // The picture of the preview is the figure itself, drawn for the same page at a lower resolution.
    const QImage shown = preview->image();
    ExportOptions options = dialog.options();
    options.dpi = qRound(shown.width() * 25.4 / options.millimetres.width());
    QCOMPARE(shown, renderFigure(*figure(), options));

    drawn.clear();
    find<QComboBox>(dialog, "exportLook")->setCurrentIndex(1);
    QTRY_VERIFY(!drawn.isEmpty());
    QCOMPARE(preview->image().pixelColor(0, 0), Theme::dark().base);
}

void TestExportDialog::failureKeepsTheFigureOpen()
{
    QTemporaryDir folder;
    ExportDialog dialog(figure(), nullptr);
    dialog.show();
    QSignalSpy exported(&dialog, &ExportDialog::exported);
    QVERIFY(!isExported(dialog, folder.filePath(u"missing/figure.png"_s)));
    const QString said = find<QLabel>(dialog, "exportMessage")->text();
    QVERIFY2(said.contains("missing"_L1) && said.contains("still open"_L1), qPrintable(said));
    QVERIFY(dialog.isVisible());
    QCOMPARE(exported.size(), 0);
    QVERIFY(isExported(dialog, folder.filePath(u"figure.svg"_s))); // another name works
    QCOMPARE(exported.size(), 1);
}

void TestExportDialog::folderAndOptionsAreRemembered()
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(u"settings.ini"_s));
    {
        ExportDialog dialog(figure(), &settings);
        find<QComboBox>(dialog, "exportPreset")->setCurrentIndex(1);
        find<QComboBox>(dialog, "exportLook")->setCurrentIndex(2);
        auto *kind = find<QComboBox>(dialog, "exportKind");
        kind->setCurrentIndex(kind->findData(u"svg"_s));
        QVERIFY(isExported(dialog, folder.filePath(u"figure.svg"_s)));
    }
    {
        ExportDialog dialog(figure(), &settings);
        dialog.askForFile();
        QTRY_VERIFY(dialog.findChild<QFileDialog *>());
        QCOMPARE(dialog.findChild<QFileDialog *>()->directory(), QDir(folder.path()));
        QCOMPARE(dialog.kind(), u"svg"_s);
        QCOMPARE(dialog.options().millimetres, QSizeF(120, 80));
        QVERIFY(dialog.options().isTransparent);
    }
    settings.exportFolder.setValue(u"/gone/for/good"_s);
    settings.exportOptions.setValue({{u"kind"_s, u"gif"_s}, {u"dpi"_s, -5}, {u"look"_s, 99}, {u"width"_s, -3}});
    ExportDialog dialog(figure(), &settings);
    dialog.askForFile();
    QTRY_VERIFY(dialog.findChild<QFileDialog *>());
    QVERIFY(dialog.findChild<QFileDialog *>()->directory().exists());
    QCOMPARE(dialog.kind(), u"png"_s);
    QVERIFY(dialog.options().millimetres.width() >= 10 && dialog.options().dpi == 300);
}

void TestExportDialog::clipboard()
{
    ExportDialog dialog(figure(), nullptr);
    dialog.copyToClipboard();
    QCOMPARE(QApplication::clipboard()->image().size(), dialog.options().pixels());
    auto *kind = find<QComboBox>(dialog, "exportKind");
    kind->setCurrentIndex(kind->findData(u"csv"_s));
    dialog.copyToClipboard();
    QVERIFY(QApplication::clipboard()->text().startsWith("run,label"_L1));
    QApplication::clipboard()->clear();
    kind->setCurrentIndex(kind->findData(u"npy"_s)); // as text too
    dialog.copyToClipboard();
    QVERIFY(QApplication::clipboard()->text().startsWith("run,label"_L1));
}

QTEST_MAIN(TestExportDialog)
#include "test_export_dialog.moc"
