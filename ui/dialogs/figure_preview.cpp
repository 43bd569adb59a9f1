// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/figure_preview.h"

#include <QPainter>

#include "core/error.h"

namespace lookback::ui {

namespace {

constexpr int kMargin = 12;

} // namespace

FigurePreview::FigurePreview(const Figure *figure, QWidget *parent) : QWidget(parent), m_figure(figure)
{
    setMinimumSize(320, 220);
    m_timer.setSingleShot(true);
    m_timer.setInterval(60);
    connect(&m_timer, &QTimer::timeout, this, &FigurePreview::render);
}

void FigurePreview::setFigure(const Figure *figure)
{
    m_figure = figure;
    m_timer.start();
}

void FigurePreview::setOptions(const ExportOptions &options)
{
    m_options = options;
    m_timer.start();
}

void FigurePreview::render()
{
    // The page at the resolution that fills the widget: layout depends on millimetres only, so it is the export's.
    const QSizeF room = QSizeF(size() - QSize(2 * kMargin, 2 * kMargin)) * devicePixelRatioF();
    const QSizeF page = m_options.millimetres;
    ExportOptions options = m_options;
    const double scale = std::min(room.width() / page.width(), room.height() / page.height());
    options.dpi = std::clamp(int(scale * 25.4), 10, 2400);
    try {
        m_image = renderFigure(*m_figure, options);
    } catch (const Error &) {
        m_image = {}; // the dialog says why as soon as somebody exports
    }
    update();
    Q_EMIT drawn();
}

void FigurePreview::resizeEvent(QResizeEvent *)
{
    m_timer.start();
}

void FigurePreview::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Mid));
    if (m_image.isNull())
        return;
    const QSizeF shown = QSizeF(m_image.size()) / devicePixelRatioF();
    const QRectF target(QPointF((width() - shown.width()) / 2, (height() - shown.height()) / 2), shown);
    if (m_options.isTransparent) {
        constexpr int cell = 8;
        painter.setClipRect(target);
        for (int y = 0; y * cell < target.height(); ++y) {
            for (int x = 0; x * cell < target.width(); ++x) {
                const QColor tone = (x + y) % 2 == 0
                    ? QColor(m_options.isDark ? 0x40 : 0xFF, m_options.isDark ? 0x40 : 0xFF,
                             m_options.isDark ? 0x40 : 0xFF)
                    : QColor(m_options.isDark ? 0x30 : 0xE4, m_options.isDark ? 0x30 : 0xE4,
                             m_options.isDark ? 0x30 : 0xE4);
                painter.fillRect(QRectF(target.left() + x * cell, target.top() + y * cell, cell, cell), tone);
            }
        }
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(target, m_image);
}

} // namespace lookback::ui
