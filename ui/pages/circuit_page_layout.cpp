// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the circuit page is built and arranged.
#include <algorithm>

#include <QComboBox>
#include <QEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/heatmap/map_labels.h"
#include "ui/models/head_table_model.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_failures.h"
#include "ui/pages/circuit_head_table.h"
#include "ui/pages/circuit_page.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"
#include "ui/pages/page_bar.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/side_area.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kRemovalWidth = 292;
constexpr int kNarrow = 1100; // below, the removal gets no more than it needs

/// What hatched cells mean, with a swatch.
class HatchKey : public QWidget {
public:
    explicit HatchKey(QWidget *parent) : QWidget(parent)
    {
        setObjectName(u"hatchKey"_s);
        setAccessibleName(words());
        setToolTip(words());
    }
    QSize sizeHint() const override
    {
        const QFontMetrics metrics(scaledFont(font(), 0.85));
        return {metrics.horizontalAdvance(words()) + kSwatch + 8, metrics.height() + 4};
    }
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        const Theme &theme = Theme::forPalette(palette());
        const QRect swatch(0, 3, kSwatch, height() - 6);
        painter.setRenderHint(QPainter::Antialiasing, true);
        QColor hatch = theme.secondText;
        hatch.setAlphaF(0.6F);
        drawHatch(painter, swatch, hatch, 1.0);
        painter.setFont(scaledFont(font(), 0.85));
        painter.setPen(theme.secondText);
        painter.drawText(rect().adjusted(kSwatch + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words(), Qt::ElideRight, width() - kSwatch - 8));
    }

private:
    static constexpr int kSwatch = 24;
    static QString words() { return CircuitPage::tr("not distinguishable here: within ± two standard errors"); }
};

QSpinBox *makeSpin(const QString &name, int most, const QString &tip, QWidget *parent)
{
    auto *spin = new QSpinBox(parent);
    spin->setObjectName(name);
    spin->setRange(1, most);
    spin->setKeyboardTracking(false); // a half-typed number asks for nothing
    spin->setGroupSeparatorShown(true);
    spin->setToolTip(tip);
    spin->setMinimumHeight(28);
    return spin;
}

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

void CircuitPage::buildBar()
{
    m_bar = new PageBar(this);
    m_runs = new QComboBox(m_bar);
    m_runs->setObjectName(u"circuitRuns"_s);
    m_runs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_runs->setMinimumContentsLength(14);
    m_runs->setMinimumHeight(28);
    m_keysField = makeSpin(u"circuitKeys"_s, 1'000'000, tr("Unique keys of the sequences; each appears twice"), m_bar);
    m_sequencesField =
        makeSpin(u"circuitSequences"_s, 4096, tr("Evaluation sequences that everything is measured over"), m_bar);
    m_sequencesField->setMinimum(8);
    m_sequencesField->setValue(static_cast<int>(m_sequences));
    m_quantities = new QComboBox(m_bar);
    m_quantities->setObjectName(u"circuitQuantity"_s);
    m_quantities->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_quantities->setMinimumContentsLength(22);
    m_quantities->setMinimumHeight(28);
    m_quantities->addItem(quantityTitle({}), -1);
    for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
        m_quantities->addItem(quantityTitle(info.measure), static_cast<int>(info.measure));
        m_quantities->setItemData(
            m_quantities->count() - 1,
            QString::fromUtf8(info.explanation.data(), static_cast<qsizetype>(info.explanation.size())),
            Qt::ToolTipRole);
    }
    m_bar->addField(tr("&Run"), m_runs);
    m_bar->addField(tr("&Keys n"), m_keysField);
    m_bar->addField(tr("Se&quences"), m_sequencesField);
    m_bar->addSeparator();
    m_bar->addField(tr("&Colour the grid by"), m_quantities);
    m_bar->addStretch();
    m_again = m_bar->addButton("redo"_L1, tr("Measure again"), tr("Measure the heads and every removal again"),
                               u"measureAgain"_s);
    m_numbers = m_bar->addButton("numbers"_L1, tr("Numbers"),
                                 tr("All measures of all heads as a table; by context, at every length"), u"numbers"_s);
    m_export = m_bar->addButton("export"_L1, tr("Export…"),
                                tr("Export the grid, the time line, the table or the heads by context"), u"export"_s);
    m_export->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(m_export);
    menu->setObjectName(u"exportMenu"_s);
    const std::pair<QString, FigureKind> kinds[] = {{tr("&Grid of heads…"), FigureKind::Grid},
                                                    {tr("Head &scores over training…"), FigureKind::Timeline},
                                                    {tr("Grid over training, as &frames…"), FigureKind::Strip},
                                                    {tr("&Table of heads…"), FigureKind::Table},
                                                    {tr("Heads by &context…"), FigureKind::Context}};
    for (const auto &[text, kind] : kinds) {
        QAction *action = menu->addAction(text);
        connect(action, &QAction::triggered, this, [this, kind = kind] {
            m_figureKind = kind;
            Q_EMIT exportRequested();
        });
        connect(menu, &QMenu::aboutToShow, action, [this, action, kind = kind] { action->setEnabled(has(kind)); });
    }
    m_export->setMenu(menu);
}

QWidget *CircuitPage::buildGrid()
{
    auto *panel = new QWidget(this);
    panel->setBackgroundRole(QPalette::Base);
    panel->setAutoFillBackground(true);
    m_gridTitle = makeTitle({}, panel);
    m_gridTitle->setObjectName(u"gridTitle"_s);
    m_gridNote = new ElidedText(panel);
    m_gridNote->setObjectName(u"gridNote"_s);
    m_grid = new HeadScoreGrid(panel);
    m_key = new HatchKey(panel);
    auto *title = new QHBoxLayout;
    title->setSpacing(12);
    title->addWidget(m_gridTitle);
    title->addWidget(m_gridNote, 1);
    auto *column = new QVBoxLayout(panel);
    column->setContentsMargins(14, 10, 8, 6);
    column->setSpacing(6);
    column->addLayout(title);
    column->addWidget(m_grid, 1);
    column->addWidget(m_key);
    return panel;
}

QWidget *CircuitPage::buildTable()
{
    auto *panel = new QWidget(this);
    m_headsTab = new ToggleButton(panel);
    m_headsTab->setObjectName(u"headsTab"_s);
    m_headsTab->setText(tr("Heads"));
    m_headsTab->setChecked(true);
    m_contextTab = new ToggleButton(panel);
    m_contextTab->setObjectName(u"contextTab"_s);
    m_contextTab->setText(tr("By context"));
    m_failuresTab = new ToggleButton(panel);
    m_failuresTab->setObjectName(u"failuresTab"_s);
    m_failuresTab->setText(tr("Wrong answers"));
    m_tableNote = new ElidedText(panel);
    m_tableNote->setObjectName(u"tableNote"_s);
    m_busy = new BusyStrip(panel);
    m_filter = new QLineEdit(panel);
    m_filter->setObjectName(u"headFilter"_s);
    m_filter->setPlaceholderText(tr("Filter heads"));
    m_filter->setAccessibleName(tr("Filter heads"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(icon("search"_L1), QLineEdit::LeadingPosition);
    m_filter->setMinimumHeight(28);
    m_filter->setMaximumWidth(200);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 8, 4);
    head->setSpacing(8);
    auto *tabs = new QHBoxLayout;
    tabs->setSpacing(0);
    tabs->addWidget(m_headsTab);
    tabs->addWidget(m_contextTab);
    tabs->addWidget(m_failuresTab);
    head->addLayout(tabs);
    head->addWidget(m_tableNote, 1);
    head->addWidget(m_busy);
    head->addWidget(m_filter);
    m_context = new ContextPanel(panel);
    head->addWidget(m_context->controls());
    m_context->controls()->hide();

    m_model = new HeadTableModel(this);
    m_table = new HeadTableView(m_model, panel);
    m_proxy = m_table->proxy();

    m_failures = new FailuresPanel(panel);
    m_below = new QStackedWidget(panel);
    m_below->addWidget(m_table);
    m_below->addWidget(m_context);
    m_below->addWidget(m_failures);
    auto *column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(makeHairline(panel));
    column->addWidget(m_below, 1);
    return panel;
}

void CircuitPage::build()
{
    // Made in reading order, which is the order of Tab.
    buildBar();
    m_timeline = new CircuitTimeline(this);
    QWidget *grid = buildGrid();
    m_removal = new RemovalPanel(this);
    m_removalScroll = new SideArea(m_removal, kRemovalWidth, this);

    auto *top = new QWidget(this);
    auto *row = new QHBoxLayout(top);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_timeline, 62);
    row->addWidget(makeVerticalLine(top));
    row->addWidget(grid, 50);
    row->addWidget(makeVerticalLine(top));
    row->addWidget(m_removalScroll);
    m_split = new QSplitter(Qt::Vertical, this);
    m_split->setObjectName(u"circuitSplitter"_s);
    m_split->setChildrenCollapsible(false);
    m_split->setHandleWidth(1);
    m_split->addWidget(top);
    m_split->addWidget(buildTable());
    m_split->setStretchFactor(0, 58);
    m_split->setStretchFactor(1, 42);
    m_split->setSizes({580, 420});

    m_empty = new EmptyState(this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_split);
    m_stack->addWidget(m_empty);
    auto *column = new QVBoxLayout(this);
    column->setSizeConstraint(QLayout::SetNoConstraint); // minimumSizeHint speaks
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_stack, 1);
    arrange();
}

void CircuitPage::arrange()
{
    const double scale = std::max(1.0, fontMetrics().height() / 16.0);
    m_removalScroll->setLeastWidth(static_cast<int>((width() < kNarrow ? 232 : kRemovalWidth) * scale));
}

QSize CircuitPage::minimumSizeHint() const
{
    return {640, 320};
}

void CircuitPage::changeEvent(QEvent *event)
{
    Page::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_timeline && isVisible())
        refreshRun(); // its hue is another one
}

void CircuitPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    arrange();
}

} // namespace lookback::ui
