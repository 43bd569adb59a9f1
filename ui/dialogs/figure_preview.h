// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>

#include "ui/figures/figure.h"

namespace lookback::ui {

/// Shows a figure as it will be exported: the same drawing, reduced to the widget. Transparent pages lie on a
/// checkerboard. Drawing waits until the options have been still for a moment.
class FigurePreview : public QWidget {
    Q_OBJECT

public:
    explicit FigurePreview(const Figure *figure, QWidget *parent = nullptr);

    /// Shows another figure from now on.
    void setFigure(const Figure *figure);
    void setOptions(const ExportOptions &options);
    /// The picture on view; null before the first drawing and for options that cannot be drawn.
    const QImage &image() const { return m_image; }

    QSize sizeHint() const override { return {620, 420}; }

Q_SIGNALS:
    void drawn();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void render();

    const Figure *m_figure;
    ExportOptions m_options;
    QImage m_image;
    QTimer m_timer;
};

} // namespace lookback::ui
