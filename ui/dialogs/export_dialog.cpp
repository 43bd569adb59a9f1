// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_dialog.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>

#include "core/error.h"
#include "ui/dialogs/figure_preview.h"
#include "ui/settings/settings.h"
#include "ui/widgets/folder_answer.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Widths of print: one, one and a half and two columns, 3 : 2; and slides.
struct SizePreset {
    const char *name;
    QSizeF millimetres;
};
constexpr SizePreset kPresets[] = {
    {QT_TRANSLATE_NOOP("lookback::ui::ExportDialog", "One column, 85 mm"), {85, 57}},
    {QT_TRANSLATE_NOOP("lookback::ui::ExportDialog", "One and a half columns, 120 mm"), {120, 80}},
    {QT_TRANSLATE_NOOP("lookback::ui::ExportDialog", "Two columns, 175 mm"), {175, 117}},
    {QT_TRANSLATE_NOOP("lookback::ui::ExportDialog", "Slide, 16 : 9"), {254, 143}},
};

enum Look { LightLook, DarkLook, TransparentLook, TransparentDarkLook };

bool hasNumbersOnly(const QString &kind)
{
    return kind == "csv"_L1 || kind == "npy"_L1;
}

} // namespace

ExportDialog::ExportDialog(std::unique_ptr<Figure> figure, Settings *settings, QWidget *parent)
    : QDialog(parent), m_figure(std::move(figure)), m_withoutCaption(m_figure->withoutCaption()), m_settings(settings),
      m_preview(new FigurePreview(m_figure.get())), m_kind(new QComboBox), m_preset(new QComboBox),
      m_width(new QDoubleSpinBox), m_height(new QDoubleSpinBox), m_pixelWidth(new QSpinBox),
      m_pixelHeight(new QSpinBox), m_dpi(new QComboBox), m_look(new QComboBox),
      m_caption(new QCheckBox(tr("&With the sentences about it"))), m_message(new QLabel)
{
    setObjectName(u"exportDialog"_s);
    setWindowTitle(tr("Export: %1").arg(m_figure->title()));
    m_preview->setObjectName(u"exportPreview"_s);
    m_preview->setAccessibleName(tr("Preview of the exported figure"));

    m_kind->setObjectName(u"exportKind"_s);
    m_kind->addItem(tr("PNG, a picture"), u"png"_s);
    if (m_figure->frames() > 0)
        m_kind->addItem(tr("APNG, an animated picture"), u"apng"_s);
    m_kind->addItem(tr("SVG, a drawing"), u"svg"_s);
    m_kind->addItem(tr("PDF, a page"), u"pdf"_s);
    m_kind->addItem(tr("CSV, the numbers"), u"csv"_s);
    m_kind->addItem(tr("NPY, the numbers for NumPy"), u"npy"_s);
    m_preset->setObjectName(u"exportPreset"_s);
    for (const SizePreset &preset : kPresets)
        m_preset->addItem(tr(preset.name), preset.millimetres);
    m_preset->addItem(tr("Own size"));
    for (QDoubleSpinBox *box : {m_width, m_height}) {
        box->setRange(10, 5000);
        box->setDecimals(1);
        box->setSuffix(tr(" mm"));
        box->setKeyboardTracking(false);
    }
    for (QSpinBox *box : {m_pixelWidth, m_pixelHeight}) {
        box->setRange(16, 30000);
        box->setGroupSeparatorShown(true);
        box->setSuffix(tr(" px"));
        box->setKeyboardTracking(false);
    }
    m_width->setObjectName(u"exportWidth"_s);
    m_height->setObjectName(u"exportHeight"_s);
    m_pixelWidth->setObjectName(u"exportPixelWidth"_s);
    m_pixelHeight->setObjectName(u"exportPixelHeight"_s);
    m_dpi->setObjectName(u"exportDpi"_s);
    for (const int dpi : {96, 150, 200, 300, 600})
        m_dpi->addItem(tr("%1 dpi").arg(dpi), dpi);
    m_look->setObjectName(u"exportLook"_s);
    m_look->addItems({tr("Light"), tr("Dark"), tr("Transparent, for light pages"), tr("Transparent, for dark pages")});
    m_message->setObjectName(u"exportMessage"_s);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_message->setMinimumHeight(3 * fontMetrics().height());

    const auto pair = [](QWidget *first, QWidget *second) {
        auto *row = new QHBoxLayout;
        row->addWidget(first, 1);
        row->addWidget(new QLabel(u"×"_s));
        row->addWidget(second, 1);
        return row;
    };
    auto *form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto addPair = [&](const QString &text, QWidget *first, QWidget *second) {
        auto *label = new QLabel(text);
        label->setBuddy(first);
        first->setAccessibleName(tr("Width"));
        second->setAccessibleName(tr("Height"));
        form->addRow(label, pair(first, second));
    };
    form->addRow(tr("&Kind"), m_kind);
    form->addRow(tr("&Format"), m_preset);
    addPair(tr("&Size"), m_width, m_height);
    form->addRow(tr("&Resolution"), m_dpi);
    addPair(tr("&Pixels"), m_pixelWidth, m_pixelHeight);
    form->addRow(tr("&Look"), m_look);
    m_caption->setObjectName(u"exportCaption"_s);
    m_caption->setToolTip(tr("A small page says less by itself; the whole text is always in the file's description"));
    if (m_withoutCaption)
        form->addRow(QString(), m_caption);
    else
        m_caption->setParent(this);
    m_caption->setVisible(m_withoutCaption != nullptr);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_export = buttons->addButton(tr("&Export…"), QDialogButtonBox::AcceptRole);
    m_export->setObjectName(u"exportSaveButton"_s);
    m_copy = buttons->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    m_copy->setObjectName(u"exportCopyButton"_s);
    m_copy->setToolTip(tr("Put the picture (or the numbers) on the clipboard"));
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::askForFile);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_copy, &QPushButton::clicked, this, &ExportDialog::copyToClipboard);

    auto *side = new QVBoxLayout;
    side->addLayout(form);
    side->addWidget(m_message);
    side->addStretch();
    side->addWidget(buttons);
    auto *layout = new QHBoxLayout(this);
    layout->addWidget(m_preview, 1);
    layout->addLayout(side);
    m_export->setDefault(true); // only now the button knows its dialog

    connect(m_preset, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (!m_isUpdating && index >= 0 && m_preset->itemData(index).isValid())
            setMillimetres(m_preset->itemData(index).toSizeF());
    });
    for (QDoubleSpinBox *box : {m_width, m_height})
        connect(box, &QDoubleSpinBox::valueChanged, this, [this] { sizeChanged(false); });
    for (QSpinBox *box : {m_pixelWidth, m_pixelHeight})
        connect(box, &QSpinBox::valueChanged, this, [this] { sizeChanged(true); });
    connect(m_dpi, &QComboBox::currentIndexChanged, this, [this] { sizeChanged(false); });
    connect(m_kind, &QComboBox::currentIndexChanged, this, &ExportDialog::showOptions);
    connect(m_caption, &QCheckBox::toggled, this, &ExportDialog::showOptions);
    connect(m_look, &QComboBox::currentIndexChanged, this, &ExportDialog::showOptions);
    recall();
    m_kind->setFocus();
}

ExportDialog::~ExportDialog()
{
    m_drawing.waitForDone(); // fonts go with the program; what it posts to us is dropped with us
}

const std::shared_ptr<const Figure> &ExportDialog::figure() const
{
    return m_withoutCaption && !m_caption->isChecked() ? m_withoutCaption : m_figure;
}

ExportOptions ExportDialog::options() const
{
    ExportOptions options;
    options.millimetres = {m_width->value(), m_height->value()};
    options.dpi = m_dpi->currentData().toInt();
    // The boxes show rounded millimetres; asked pixels are met exactly.
    const QSize asked(m_pixelWidth->value(), m_pixelHeight->value());
    if (options.pixels() != asked)
        options.millimetres = ExportOptions::ofPixels(asked, options.dpi).millimetres;
    const int look = m_look->currentIndex();
    options.isDark = look == DarkLook || look == TransparentDarkLook;
    options.isTransparent = look == TransparentLook || look == TransparentDarkLook;
    return options;
}

QString ExportDialog::kind() const
{
    return m_kind->currentData().toString();
}

void ExportDialog::setMillimetres(const QSizeF &size)
{
    m_isUpdating = true;
    m_width->setValue(size.width());
    m_height->setValue(size.height());
    m_isUpdating = false;
    sizeChanged(false);
}

void ExportDialog::sizeChanged(bool isPixels)
{
    if (m_isUpdating)
        return;
    m_isUpdating = true;
    const int dpi = m_dpi->currentData().toInt();
    if (isPixels) {
        const QSizeF size = ExportOptions::ofPixels({m_pixelWidth->value(), m_pixelHeight->value()}, dpi).millimetres;
        m_width->setValue(size.width());
        m_height->setValue(size.height());
    } else {
        ExportOptions options;
        options.millimetres = {m_width->value(), m_height->value()};
        options.dpi = dpi;
        m_pixelWidth->setValue(options.pixels().width());
        m_pixelHeight->setValue(options.pixels().height());
    }
    int preset = m_preset->count() - 1;
    for (int i = 0; i < m_preset->count() - 1; ++i) {
        if (m_preset->itemData(i).toSizeF() == QSizeF(m_width->value(), m_height->value()))
            preset = i;
    }
    m_preset->setCurrentIndex(preset);
    m_isUpdating = false;
    showOptions();
}

void ExportDialog::showOptions()
{
    const bool isPicture = kind() == "png"_L1 || kind() == "apng"_L1;
    const bool isNumbers = hasNumbersOnly(kind());
    for (QWidget *widget :
         {static_cast<QWidget *>(m_pixelWidth), static_cast<QWidget *>(m_pixelHeight), static_cast<QWidget *>(m_dpi)}) {
        widget->setEnabled(isPicture);
        widget->setToolTip(isPicture ? QString() : tr("Only a PNG picture has pixels"));
    }
    for (QWidget *widget : {static_cast<QWidget *>(m_width), static_cast<QWidget *>(m_height),
                            static_cast<QWidget *>(m_preset), static_cast<QWidget *>(m_look)}) {
        widget->setEnabled(!isNumbers);
        widget->setToolTip(isNumbers ? tr("Numbers have no size") : QString());
    }
    m_caption->setEnabled(!isNumbers);
    m_preview->setFigure(figure().get());
    m_preview->setOptions(options());
    say({}, false);
}

void ExportDialog::exportTo(const QString &file)
{
    m_export->setEnabled(false);
    m_fileInWriting = file;
    say(tr("Saving %1 …").arg(QDir::toNativeSeparators(file)), false);
    m_drawing.start([this, file, figure = figure(), options = options()] {
        const auto go = [this](auto what) { QMetaObject::invokeMethod(this, std::move(what), Qt::QueuedConnection); };
        try {
            const QByteArray bytes = figureFile(*figure, file, options);
            go([this, file, bytes] { writeTo(file, bytes); });
        } catch (...) {
            go([this, file, error = caughtError(file.toStdString())] { finishWriting(file, &error); });
        }
    });
}

void ExportDialog::writeTo(const QString &file, const QByteArray &bytes)
{
    workOnDisk(
        file, this, [file, bytes] { writeFigureFile(QFileInfo(file).filesystemFilePath(), bytes); },
        [this, file](const Error *failure) { finishWriting(file, failure); });
}

void ExportDialog::finishWriting(const QString &file, const Error *failure)
{
    m_export->setEnabled(true);
    m_fileInWriting.clear();
    if (failure) {
        keepOpen(*failure);
        return;
    }
    if (m_settings)
        m_settings->exportFolder.setValue(QFileInfo(file).absolutePath());
    remember();
    say(tr("Saved %1").arg(QDir::toNativeSeparators(file)), false);
    Q_EMIT exported(file);
    accept();
}

void ExportDialog::keepOpen(const Error &error)
{
    const QString sentence = QString::fromStdString(error.sentence());
    say(sentence + u' ' + tr("The figure is still open: choose another name or folder."), true);
    Q_EMIT failed(sentence);
}

void ExportDialog::askForFile()
{
    QStringList folders{QStandardPaths::writableLocation(QStandardPaths::PicturesLocation)};
    if (m_settings && !m_settings->exportFolder.value().isEmpty())
        folders.prepend(m_settings->exportFolder.value());
    askForFileIn(folders);
}

void ExportDialog::askForFileIn(const QStringList &folders)
{
    if (folders.isEmpty()) {
        showFileDialog(QDir::homePath());
        return;
    }
    whenPathIsKnown(folders.front(), this, [this, folders](PathKind kind) {
        if (kind == PathKind::Folder)
            showFileDialog(folders.front());
        else
            askForFileIn(folders.mid(1));
    });
}

void ExportDialog::showFileDialog(const QString &folder)
{
    const QString extension = kind();
    auto *dialog = new QFileDialog(this, tr("Export figure"), folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(extension);
    dialog->setNameFilters({tr("%1 file (*.%2)").arg(extension.toUpper(), extension)});
    dialog->selectFile(m_figure->fileName() + u'.' + extension);
    connect(dialog, &QFileDialog::fileSelected, this, &ExportDialog::exportTo);
    dialog->open();
}

void ExportDialog::copyToClipboard()
{
    try {
        if (hasNumbersOnly(kind())) { // as text: no other program takes a NumPy file from there
            QApplication::clipboard()->setText(m_figure->csv());
            say(tr("The numbers are on the clipboard."), false);
        } else {
            QApplication::clipboard()->setImage(renderFigure(*figure(), options()));
            say(tr("The picture is on the clipboard."), false);
        }
    } catch (const Error &error) {
        say(QString::fromStdString(error.sentence()), true);
    }
}

void ExportDialog::say(const QString &text, bool isError)
{
    QPalette colours = palette();
    if (isError)
        colours.setColor(QPalette::WindowText, Theme::forPalette(palette()).wrong);
    m_message->setPalette(colours);
    m_message->setText(text);
}

void ExportDialog::remember() const
{
    if (!m_settings)
        return;
    const ExportOptions now = options();
    m_settings->exportOptions.setValue({{u"kind"_s, kind()},
                                        {u"width"_s, now.millimetres.width()},
                                        {u"height"_s, now.millimetres.height()},
                                        {u"dpi"_s, now.dpi},
                                        {u"look"_s, m_look->currentIndex()},
                                        {u"caption"_s, m_caption->isChecked()}});
}

void ExportDialog::recall()
{
    const QVariantMap last = m_settings ? m_settings->exportOptions.value() : QVariantMap();
    const auto choose = [](QComboBox *box, int index, int fallback) {
        box->setCurrentIndex(index >= 0 && index < box->count() ? index : fallback);
    };
    choose(m_kind, m_kind->findData(last.value(u"kind"_s, u"png"_s)), 0);
    choose(m_dpi, m_dpi->findData(last.value(u"dpi"_s, 300)), m_dpi->findData(300));
    m_caption->setChecked(last.value(u"caption"_s, true).toBool());
    choose(m_look, last.value(u"look"_s, 0).toInt(), 0);
    setMillimetres({last.value(u"width"_s, 175.0).toDouble(), last.value(u"height"_s, 117.0).toDouble()});
}

} // namespace lookback::ui
