// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fitting_area.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>

namespace lookback::ui {

namespace {
constexpr int kFewestLines = 4;
}

FittingArea::FittingArea(QWidget *parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    setFocusPolicy(Qt::NoFocus);
    auto *content = new QWidget(this);
    content->installEventFilter(this);
    setWidget(content);
}

void FittingArea::showFrom(const QWidget *part)
{
    verticalScrollBar()->setValue(part->mapTo(widget(), QPoint()).y());
}

QSize FittingArea::sizeHint() const
{
    return widget()->sizeHint();
}

QSize FittingArea::minimumSizeHint() const
{
    return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
            std::min(widget()->minimumSizeHint().height(), kFewestLines * fontMetrics().lineSpacing())};
}

bool FittingArea::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace lookback::ui
