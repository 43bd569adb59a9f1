// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the attention page is built and arranged.
#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/heatmap/row_bars.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_compare_panel.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/side_area.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kExampleWidth = 272;
constexpr int kPredictionWidth = 232;
constexpr int kNarrow = 900; // below, the prediction is called by a button

QFrame *makeVerticalLine(QWidget *parent)
{
    auto *line = new QFrame(parent);
    line->setFrameShape(QFrame::VLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Midlight);
    line->setFixedWidth(1);
    return line;
}

} // namespace

void AttentionPage::build()
{
    // Made in reading order, which is the order of Tab: choose, draw, look, read.
    m_view = new HeadMapView(this);
    m_examplePanel = new ExamplePanel(m_view, this);
    m_bar = new MapBar(this);
    m_bars = new RowBars(m_view, this);
    buildComparison();
    m_exampleScroll = new SideArea(m_examplePanel, kExampleWidth, this);
    m_prediction = new PredictionPanel(this);
    m_predictionScroll = new SideArea(m_prediction, kPredictionWidth, this);
    m_headTitle = makeTitle({}, this);
    m_headTitle->setObjectName(u"headTitle"_s);
    m_headWords = new ElidedText(this);
    m_headWords->setObjectName(u"headWords"_s);
    m_busy = new BusyStrip(this);
    m_sentence = new QLabel(this);
    m_sentence->setObjectName(u"sentence"_s);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setContentsMargins(12, 8, 12, 8);

    auto *map = new QWidget(this);
    map->setBackgroundRole(QPalette::Base);
    map->setAutoFillBackground(true);
    auto *title = new QHBoxLayout;
    m_titleRow = title;
    title->setSpacing(8);
    title->addWidget(m_headTitle);
    title->addWidget(m_headWords, 1);
    title->addWidget(m_comparePanel->header(), 1);
    title->addWidget(m_busy);
    auto *mapColumn = new QVBoxLayout(map);
    mapColumn->setContentsMargins(0, 0, 0, 0);
    mapColumn->setSpacing(0);
    mapColumn->addLayout(title);
    auto *picture = new QVBoxLayout;
    picture->setContentsMargins(4, 0, 8, 0);
    picture->setSpacing(0);
    picture->addWidget(m_panes, 1);
    picture->addWidget(m_bars);
    mapColumn->addLayout(picture, 1);
    mapColumn->addWidget(makeHairline(map));
    mapColumn->addWidget(m_sentence);

    m_empty = new EmptyState(this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(map);
    m_stack->addWidget(m_empty);

    auto *middle = new QVBoxLayout;
    middle->setContentsMargins(0, 0, 0, 0);
    middle->setSpacing(0);
    middle->addWidget(m_bar);
    middle->addWidget(makeHairline(this));
    middle->addWidget(m_stack, 1);

    auto *row = new QHBoxLayout(this);
    row->setSizeConstraint(QLayout::SetNoConstraint); // minimumSizeHint speaks: panels are left out when it is narrow
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_exampleScroll);
    row->addWidget(makeVerticalLine(this));
    row->addLayout(middle, 1);
    row->addWidget(makeVerticalLine(this));
    row->addWidget(m_predictionScroll);

    setTabOrder(m_bar->lastInTabOrder(), m_view); // the panel and the overview needed it first
    arrange();
}

void AttentionPage::arrange()
{
    const bool isNarrow = width() < kNarrow;
    const bool hasMap = m_stack->currentWidget() != m_empty;
    const bool isComparing = m_comparison->isOn(); // its panel reads both sides
    m_bar->setPredictionButton(isNarrow && hasMap && !isComparing, m_isPredictionWanted);
    m_predictionScroll->setVisible(hasMap && !isComparing && (!isNarrow || m_isPredictionWanted));
    m_bars->setVisible(!isComparing);
    m_headTitle->setVisible(!isComparing);
    m_headWords->setVisible(!isComparing);
    m_comparePanel->header()->setVisible(isComparing);
    // The sentence keeps the height of two lines, so that the map does not jump from cell to cell.
    const QFontMetrics metrics(m_sentence->font());
    m_sentence->setMinimumHeight(2 * metrics.lineSpacing() + 18);
    m_titleRow->setContentsMargins(isComparing ? 12 : std::max(12, m_view->gutter() + 4), 8, 12,
                                   4); // the title begins where the map does
}

QSize AttentionPage::minimumSizeHint() const
{
    return {640, 320}; // panels are left out or scroll below their own sizes
}

void AttentionPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    arrange();
}

void AttentionPage::changeEvent(QEvent *event)
{
    Page::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_view)
        applyColours();
    else if (event->type() == QEvent::FontChange && m_view)
        arrange();
}

} // namespace lookback::ui
