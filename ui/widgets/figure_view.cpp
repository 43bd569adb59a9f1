// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_view.h"

#include <QEvent>
#include <QPainter>

#include <cmath>

namespace lookback::ui {

FigureView::FigureView(QWidget *parent) : QWidget(parent)
{
    setMinimumSize(320, 240);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void FigureView::setFigure(std::unique_ptr<Figure> figure)
{
    m_figure = std::move(figure);
    setAccessibleName(m_figure ? m_figure->title() : QString());
    m_picture = {};
    update();
}

void FigureView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        m_picture = {};
}

void FigureView::paintEvent(QPaintEvent *)
{
    if (!m_figure || size().isEmpty())
        return;
    const qreal ratio = devicePixelRatioF();
    const QSize pixels(static_cast<int>(std::lround(width() * ratio)), static_cast<int>(std::lround(height() * ratio)));
    if (m_picture.size() != pixels) {
        ExportOptions options = ExportOptions::ofPixels(pixels, static_cast<int>(std::lround(96.0 * ratio)));
        options.isDark = Theme::forPalette(palette()).isDark;
        options.isTransparent = true;
        m_picture = renderFigure(*m_figure, options);
    }
    QPainter(this).drawImage(QRectF(rect()), m_picture);
}

} // namespace lookback::ui
