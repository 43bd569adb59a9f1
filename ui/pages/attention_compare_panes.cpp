// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_panes.h"

#include <algorithm>

#include <QButtonGroup>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

// Below, a quarter of the room is too little for a map.
constexpr int kLeastWidth = 560;
constexpr int kLeastHeight = 400;
constexpr int kLeastPanel = 150; // pixels of height under the one map

} // namespace

ComparePanes::ComparePanes(HeadMapView *left, QWidget *panel, QWidget *parent)
    : QWidget(parent), m_tabs(new QWidget(this)), m_panel(panel), m_grid(new QGridLayout(this))
{
    setObjectName(u"comparePanes"_s);
    const std::array<QString, kPanes> names{tr("Left"), tr("Right"), tr("Difference")};
    const std::array<const char *, kPanes> objects{"left", "right", "difference"};
    auto *group = new QButtonGroup(this);
    auto *tabs = new QHBoxLayout(m_tabs);
    tabs->setContentsMargins(8, 0, 0, 4);
    tabs->setSpacing(0);
    for (int pane = 0; pane < kPanes; ++pane) {
        const auto at = static_cast<std::size_t>(pane);
        Part &part = m_panes[at];
        const auto name = QLatin1StringView(objects[at]);
        part.whole = new QWidget(this);
        part.view = pane == Left ? left : new HeadMapView(part.whole);
        if (pane != Left)
            part.view->setObjectName(name % u"Map"_s);
        part.head = new QWidget(part.whole);
        part.title = makeTitle(names[at], part.head);
        part.title->setObjectName(name % u"PaneTitle"_s);
        part.words = new ElidedText(part.head);
        part.words->setObjectName(name % u"PaneWords"_s);
        auto *head = new QHBoxLayout(part.head);
        head->setContentsMargins(8, 2, 8, 2);
        head->setSpacing(8);
        head->addWidget(part.title);
        head->addWidget(part.words, 1);
        part.sentence = new QLabel(part.whole);
        part.sentence->setObjectName(name % u"PaneSentence"_s);
        part.sentence->setWordWrap(true);
        part.sentence->setAlignment(Qt::AlignCenter);
        part.sentence->setForegroundRole(QPalette::PlaceholderText);
        part.sentence->setContentsMargins(24, 8, 24, 8);
        part.stack = new QStackedWidget(part.whole);
        part.stack->addWidget(part.view);
        part.stack->addWidget(part.sentence);
        auto *column = new QVBoxLayout(part.whole);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(part.head);
        column->addWidget(part.stack, 1);
        part.tab = new ToggleButton(m_tabs);
        part.tab->setText(names[at]);
        part.tab->setObjectName(name % u"Tab"_s);
        group->addButton(part.tab);
        tabs->addWidget(part.tab);
        connect(part.tab, &QToolButton::clicked, this, [this, pane] { showTab(static_cast<Pane>(pane)); });

        HeadMapView *view = part.view;
        connect(view, &HeadMapView::viewChanged, this, [this, view] { follow(view); });
        connect(view, &HeadMapView::cellChanged, this, [this, view](MapCell cell) {
            if (!m_isComparing || m_isFollowing)
                return;
            {
                const QScopedValueRollback following(m_isFollowing, true);
                for (const Part &other : m_panes) {
                    if (other.view != view)
                        other.view->setCell(cell);
                }
            }
            follow(view);
        });
        connect(view, &HeadMapView::pinnedChanged, this, [this, view](bool isPinned) {
            for (const Part &other : m_panes) {
                if (m_isComparing && other.view != view)
                    other.view->setPinned(isPinned);
            }
        });
        connect(view, &HeadMapView::pointerChanged, this, [this](MapCell cell) {
            if (m_isComparing)
                Q_EMIT pointerChanged(cell);
        });
    }
    tabs->addStretch(1);
    m_panel->setParent(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(4);
    arrange();
}

void ComparePanes::setComparing(bool isComparing)
{
    if (m_isComparing == isComparing)
        return;
    m_isComparing = isComparing;
    m_tab = Left;
    setSentence(Left, {});
    arrange();
    if (isComparing) {
        for (const Pane pane : {Right, Difference})
            view(pane)->setFit(view(Left)->fit());
        follow(view(Left));
    }
}

void ComparePanes::setTitle(Pane pane, const QString &title, const QString &words)
{
    m_panes[pane].title->setText(title);
    m_panes[pane].words->setText(words);
}

QString ComparePanes::title(Pane pane) const
{
    return m_panes[pane].title->text();
}

QString ComparePanes::words(Pane pane) const
{
    return m_panes[pane].words->text();
}

void ComparePanes::setSentence(Pane pane, const QString &sentence)
{
    m_panes[pane].sentence->setText(sentence);
    m_panes[pane].stack->setCurrentIndex(sentence.isEmpty() ? 0 : 1);
}

QString ComparePanes::sentence(Pane pane) const
{
    return m_panes[pane].sentence->text();
}

void ComparePanes::showTab(Pane pane)
{
    const HeadMapView *before = view(m_tab);
    m_tab = pane;
    arrange();
    showPartOf(*before); // what was hidden may have had another size
}

void ComparePanes::follow(HeadMapView *source)
{
    if (!m_isFollowing && m_isComparing && source->isVisible() && source->values())
        showPartOf(*source);
}

void ComparePanes::showPartOf(const HeadMapView &source)
{
    const QScopedValueRollback following(m_isFollowing, true);
    for (const Part &part : m_panes) {
        HeadMapView *other = part.view;
        if (other == &source)
            continue;
        if (other->fit() != source.fit())
            other->setFit(source.fit());
        if (other->cellPixels() != source.cellPixels())
            other->setCellPixels(source.cellPixels(), {});
        other->horizontalScrollBar()->setValue(source.horizontalScrollBar()->value());
        other->verticalScrollBar()->setValue(source.verticalScrollBar()->value());
    }
}

void ComparePanes::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_isComparing && needsTabs() != m_hasTabs)
        arrange();
    else if (m_hasTabs)
        m_panel->setMaximumHeight(std::max(kLeastPanel, height() / 3));
}

bool ComparePanes::needsTabs() const
{
    return width() < kLeastWidth || height() < kLeastHeight;
}

void ComparePanes::arrange()
{
    m_hasTabs = m_isComparing && needsTabs();
    const bool hasFour = m_isComparing && !m_hasTabs;
    for (int pane = 0; pane < kPanes; ++pane) {
        const Part &part = m_panes[static_cast<std::size_t>(pane)];
        m_grid->removeWidget(part.whole);
        part.head->setVisible(m_isComparing);
        part.tab->setChecked(pane == m_tab);
        part.whole->setVisible(hasFour || pane == (m_hasTabs ? m_tab : Left));
    }
    m_grid->removeWidget(m_tabs);
    m_grid->removeWidget(m_panel);
    m_tabs->setVisible(m_hasTabs);
    m_panel->setVisible(m_isComparing);
    m_panel->setMaximumHeight(m_hasTabs ? std::max(kLeastPanel, height() / 3) : QWIDGETSIZE_MAX);
    if (hasFour) {
        m_grid->addWidget(m_panes[Left].whole, 0, 0);
        m_grid->addWidget(m_panes[Right].whole, 0, 1);
        m_grid->addWidget(m_panes[Difference].whole, 1, 0);
        m_grid->addWidget(m_panel, 1, 1);
    } else {
        m_grid->addWidget(m_tabs, 0, 0);
        m_grid->addWidget(m_panes[m_hasTabs ? m_tab : Left].whole, 1, 0);
        if (m_isComparing)
            m_grid->addWidget(m_panel, 2, 0);
    }
    m_grid->setColumnStretch(0, 1);
    m_grid->setColumnStretch(1, hasFour ? 1 : 0);
    m_grid->setRowStretch(0, hasFour ? 1 : 0);
    m_grid->setRowStretch(1, 1);
}

} // namespace lookback::ui
