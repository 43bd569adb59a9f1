// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QThreadPool>

#include <memory>

#include "ui/figures/figure.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace lookback {
class Error;
}

namespace lookback::ui {

class FigurePreview;
class Settings;

/// Size, resolution, kind of file and look of an export, with a preview that is the export. The figure stays open when
/// writing fails, and the reason is said in one sentence.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    /// `settings` may be null: then nothing is remembered.
    ExportDialog(std::unique_ptr<Figure> figure, Settings *settings, QWidget *parent = nullptr);
    ~ExportDialog() override;

    ExportOptions options() const;
    /// "png", "apng" (of animations), "svg", "pdf", "csv" or "npy".
    QString kind() const;
    /// Draws it and writes it to that file on other threads, by its extension. Then exported() and the dialog closes,
    /// or failed() and it shows what went wrong; both also if it was closed meanwhile.
    void exportTo(const QString &file);
    /// The file that is being written; empty if none is.
    QString fileInWriting() const { return m_fileInWriting; }

public Q_SLOTS:
    void copyToClipboard();
    /// The file dialog begins in the folder of the last export if that is still there and answers, else in that of the
    /// user's pictures.
    void askForFile();

Q_SIGNALS:
    void exported(const QString &file); ///< A complete file is there.
    void failed(const QString &sentence);

private:
    void setMillimetres(const QSizeF &size);
    void sizeChanged(bool isPixels);
    void showOptions();
    void askForFileIn(const QStringList &folders); ///< The first of them that is there.
    void showFileDialog(const QString &folder);
    void say(const QString &text, bool isError);
    void writeTo(const QString &file, const QByteArray &bytes);
    void finishWriting(const QString &file, const Error *failure);
    void keepOpen(const Error &error);
    void remember() const;
    void recall();

    /// With or without its sentences, as chosen.
    const std::shared_ptr<const Figure> &figure() const;

    // Shared with the thread that draws and writes it.
    std::shared_ptr<const Figure> m_figure;
    std::shared_ptr<const Figure> m_withoutCaption; ///< Null if there is no choice.
    Settings *m_settings;
    FigurePreview *m_preview;
    QComboBox *m_kind;
    QComboBox *m_preset;
    QDoubleSpinBox *m_width;
    QDoubleSpinBox *m_height;
    QSpinBox *m_pixelWidth;
    QSpinBox *m_pixelHeight;
    QComboBox *m_dpi;
    QComboBox *m_look;
    QCheckBox *m_caption;
    QLabel *m_message;
    QPushButton *m_export;
    QPushButton *m_copy;
    QString m_fileInWriting;
    QThreadPool m_drawing; ///< Draws what is exported: an animation takes seconds.
    bool m_isUpdating = false;
};

} // namespace lookback::ui
