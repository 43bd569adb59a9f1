// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/side_area.h"

#include <algorithm>

#include <QEvent>
#include <QScrollBar>

namespace lookback::ui {

SideArea::SideArea(QWidget *content, int least, QWidget *parent) : QScrollArea(parent), m_least(least)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    content->setBackgroundRole(QPalette::Window);
    viewport()->setBackgroundRole(QPalette::Window);
    setWidget(content);
    content->installEventFilter(this);
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] { fitWidth(); });
    fitWidth();
}

void SideArea::setLeastWidth(int least)
{
    m_least = least;
    fitWidth();
}

bool SideArea::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        fitWidth();
    return QScrollArea::eventFilter(watched, event);
}

void SideArea::fitWidth()
{
    const bool scrolls = verticalScrollBar()->maximum() > 0;
    const int content = std::max(m_least, widget()->minimumSizeHint().width());
    setFixedWidth(content + (scrolls ? verticalScrollBar()->sizeHint().width() : 0));
}

} // namespace lookback::ui
