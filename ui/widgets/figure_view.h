// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include <memory>

#include "ui/figures/figure.h"

namespace lookback::ui {

/// A figure as a still picture that fills the widget, in the theme of the moment. For pages that only show, such as the
/// welcome; live pages have charts of their own.
class FigureView : public QWidget {
    Q_OBJECT

public:
    explicit FigureView(QWidget *parent = nullptr);
    void setFigure(std::unique_ptr<Figure> figure);

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    std::unique_ptr<Figure> m_figure;
    QImage m_picture; ///< Of the present size and theme; null = has to be drawn.
};

} // namespace lookback::ui
