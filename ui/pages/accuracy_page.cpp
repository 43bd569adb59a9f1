// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/accuracy_page.h"

#include <QCheckBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/pages/comparison_panel.h"
#include "ui/pages/evaluation_panel.h"
#include "ui/pages/page_bar.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

AccuracyPage::AccuracyPage(RunBridge *bridge, RunCollection *runs, QWidget *parent)
    : Page(parent), m_bridge(bridge), m_runs(runs), m_view(new XView(this)), m_facts(std::make_shared<AxisFacts>()),
      m_model(new AccuracyModel(this))
{
    setObjectName(u"accuracyPage"_s);
    m_view->setScale(Scale::Log2);
    m_view->setAutomaticRange({100, 4500});
    m_chart = new LineChart(m_view, abscissa(), quantity());
    m_chart->setObjectName(u"accuracyVsContextChart"_s);
    m_chart->setAccessibleName(tr("Exact match by context length"));

    m_caption = new QLabel;
    m_caption->setObjectName(u"accuracyCaption"_s);
    m_caption->setForegroundRole(QPalette::PlaceholderText);
    m_caption->setBackgroundRole(QPalette::Base);
    m_caption->setAutoFillBackground(true);
    m_caption->setContentsMargins(12, 2, 12, 8);
    m_caption->setWordWrap(true);

    auto *right = new QWidget;
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(0);
    rightLayout->addWidget(makeBar());
    rightLayout->addWidget(m_chart, 1);
    rightLayout->addWidget(m_caption);

    m_splitter = new QSplitter(Qt::Horizontal);
    m_splitter->setObjectName(u"accuracySplitter"_s);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->addWidget(makeList());
    m_splitter->addWidget(right);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({480, 920});

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);

    connect(runs, &RunCollection::orderChanged, this, &AccuracyPage::noteChange);
    connect(runs, &RunCollection::accuracyChanged, this, &AccuracyPage::noteChange);
    connect(runs, &RunCollection::shownChanged, this, [this](const run::RunId &id) {
        // The switch of the run in the dock is that of its newest curve too.
        const RunCollection::Run *run = m_runs->find(id);
        std::erase_if(m_switched,
                      [&](const auto &entry) { return entry.first.startsWith(QString::fromStdString(id) + u'@'); });
        Q_UNUSED(run);
        noteChange();
    });
    connect(runs, &RunCollection::selectionChanged, this, [this](const run::RunId &id) {
        for (const AccuracyModel::Entry &entry : m_model->entries(AccuracyModel::OwnGroup)) {
            if (entry.runId.toStdString() == id) {
                selectKey(entry.key);
                break;
            }
        }
    });
    connect(runs, &RunCollection::evaluationsChanged, this, &AccuracyPage::showEvaluations);
    connect(runs, &RunCollection::evaluationEnded, this, [this](const run::EvaluationStatus &status) {
        const RunCollection::Run *run = m_runs->find(status.run);
        m_evaluation->showEnded(status, run ? run->title : QString());
    });
    connect(m_evaluation, &EvaluationPanel::cancelRequested, this,
            [this](run::JobId job) { m_bridge->service().cancelEvaluation(job); });
    connect(m_model, &AccuracyModel::shownToggled, this, &AccuracyPage::setShown);
    connect(m_view, &XView::crossHairChanged, this, &AccuracyPage::showValuesAt);
    connect(m_chart, &LineChart::curveChosen, this, &AccuracyPage::selectKey);
    connect(m_chart, &LineChart::curveToggled, this, [this](const QString &key) {
        const AccuracyModel::Entry *entry = m_model->entry(m_model->indexOf(key));
        setShown(key, entry && !entry->isShown);
    });
    connect(m_chart, &LineChart::viewChanged, this, [this] {
        m_history.note({}, currentView());
        Q_EMIT abilitiesChanged();
    });
    rebuild();
}

AccuracyPage::~AccuracyPage() = default;

LineChart::Abscissa AccuracyPage::abscissa() const
{
    LineChart::Abscissa abscissa;
    abscissa.axis = [](const Range &range, Scale, int most) {
        Axis axis = contextAxis(range, most);
        if (axis.ticks.size() < 2) { // zoomed in between two powers of two
            axis.ticks.clear();
            for (const double value : niceTicks(range, most))
                axis.ticks.push_back({value, countText(std::llround(value))});
        }
        return axis;
    };
    abscissa.top = [facts = m_facts](const Range &range, int most) {
        return keysAxis(range, facts->n_keys, facts->tokensPerKey, most);
    };
    abscissa.widestNumber = u"4,096"_s;
    abscissa.text = [](double tokens) { return countText(std::llround(tokens)); };
    abscissa.name = tr("Context length in tokens");
    return abscissa;
}

LineChart::Quantity AccuracyPage::quantity() const
{
    LineChart::Quantity quantity;
    quantity.text = percentText;
    if (m_isErrorRate) {
        quantity.axis = [](const Range &range, int) { return errorRateAxis(range, AccuracyPage::tr("Wrong answers")); };
        quantity.range = [](const RobustRange &values, bool) {
            const double least = values.isEmpty ? 1e-3 : std::clamp(values.lowest, 1e-7, 0.1);
            return Range{0.5 * std::pow(10.0, std::floor(std::log10(least) + 1e-9)), 1.7};
        };
        quantity.limits = {1e-9, 1.7};
        quantity.widestNumber = u"0.001 %"_s;
    } else {
        quantity.axis = [](const Range &range, int most) {
            Axis axis = shareAxis(range, most, AccuracyPage::tr("Exact match on second occurrences"));
            axis.brief = AccuracyPage::tr("Exact match");
            return axis;
        };
        quantity.range = [](const RobustRange &, bool) { return kShareRange; };
        quantity.limits = kShareRange;
        quantity.widestNumber = u"99.99 %"_s;
    }
    return quantity;
}

QWidget *AccuracyPage::makeList()
{
    auto *panel = new QWidget;
    auto *title = new QLabel(tr("Curves"));
    QFont strong = font();
    strong.setWeight(QFont::DemiBold);
    title->setFont(strong);
    m_pointerText = new QLabel;
    m_pointerText->setObjectName(u"pointerText"_s);
    m_pointerText->setForegroundRole(QPalette::PlaceholderText);
    auto *head = new QHBoxLayout;
    head->addWidget(title);
    head->addWidget(m_pointerText, 1);

    m_list = new QTreeView;
    m_list->setObjectName(u"accuracyList"_s);
    m_list->setAccessibleName(tr("Curves and their values at the pointer"));
    m_list->setModel(m_model);
    m_list->setRootIsDecorated(false);
    m_list->setItemsExpandable(false);
    m_list->setIndentation(0);
    m_list->setAlternatingRowColors(true);
    m_list->setUniformRowHeights(true);
    m_list->setIconSize({28, 14});
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setMouseTracking(true);
    m_list->header()->setSectionsMovable(false);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(AccuracyModel::NameColumn, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(AccuracyModel::ExactColumn, QHeaderView::Fixed);
    m_list->header()->setSectionResizeMode(AccuracyModel::IntervalColumn, QHeaderView::Fixed);
    m_list->header()->resizeSection(AccuracyModel::ExactColumn, fontMetrics().horizontalAdvance(u"99.999 %"_s) + 16);
    m_list->header()->resizeSection(AccuracyModel::IntervalColumn,
                                    fontMetrics().horizontalAdvance(u"99.999 – 99.999"_s) + 12);
    connect(m_model, &QAbstractItemModel::modelReset, m_list, [this] {
        m_list->expandAll();
        for (const auto group : {AccuracyModel::OwnGroup, AccuracyModel::PublishedGroup})
            m_list->setFirstColumnSpanned(int(group), {}, true);
        // The keyboard begins at a curve, not at a title; nothing is chosen by that.
        const QSignalBlocker blocker(m_list->selectionModel());
        const QModelIndex first = m_model->index(0, 0, m_model->index(AccuracyModel::OwnGroup, 0));
        m_list->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &current) {
        if (const AccuracyModel::Entry *entry = m_model->entry(current))
            selectKey(entry->key);
    });
    connect(m_list, &QTreeView::entered, this, [this](const QModelIndex &index) {
        const AccuracyModel::Entry *entry = m_model->entry(index);
        m_chart->setHovered(entry ? entry->key : QString());
    });
    connect(m_list, &QTreeView::viewportEntered, this, [this] { m_chart->setHovered({}); });

    m_evaluate = new QPushButton(tr("&Evaluate…"));
    m_evaluate->setObjectName(u"evaluateCheckpointButton"_s);
    connect(m_evaluate, &QPushButton::clicked, this, [this] { askForEvaluation(); });
    m_allPublished = new QPushButton(tr("All &published"));
    m_allPublished->setObjectName(u"allPublishedButton"_s);
    m_allPublished->setCheckable(true);
    m_allPublished->setChecked(true);
    m_allPublished->setToolTip(tr("Show or hide all published curves"));
    connect(m_allPublished, &QPushButton::clicked, this, &AccuracyPage::setAllPublished);
    auto *buttons = new QHBoxLayout;
    m_seeds = new QPushButton(tr("&Seeds as band"));
    m_seeds->setObjectName(u"seedBandButton"_s);
    m_seeds->setCheckable(true);
    connect(m_seeds, &QPushButton::toggled, this, &AccuracyPage::rebuild);
    buttons->addWidget(m_evaluate);
    buttons->addStretch();
    buttons->addWidget(m_seeds);
    buttons->addWidget(m_allPublished);

    m_comparison = new ComparisonPanel;
    m_evaluation = new EvaluationPanel;

    auto *layout = new QVBoxLayout(panel);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addLayout(head);
    layout->addWidget(m_list, 1);
    layout->addLayout(buttons);
    layout->addSpacing(4);
    layout->addWidget(m_comparison);
    layout->addSpacing(4);
    layout->addWidget(m_evaluation);
    panel->setMinimumWidth(fontMetrics().averageCharWidth() * 44);
    return panel;
}

QWidget *AccuracyPage::makeBar()
{
    auto *bar = new PageBar(this);
    m_exact =
        bar->addToggle({}, tr("Exact match"), tr("Show the share of answers that are all right"), u"exactButton"_s);
    m_error = bar->addToggle({}, tr("Error rate, log"), tr("Show the share of wrong answers on a logarithmic axis"),
                             u"errorButton"_s);
    m_exact->setChecked(true);
    for (QToolButton *button : {m_exact, m_error}) {
        button->setAutoExclusive(true);
    }
    connect(m_error, &QToolButton::toggled, this, &AccuracyPage::setErrorRate);
    bar->addSeparator();
    m_intervals = new QCheckBox(tr("&Intervals"));
    m_intervals->setObjectName(u"intervalsBox"_s);
    m_intervals->setToolTip(tr("95 % intervals over sequences"));
    m_labels = new QCheckBox(tr("&Labels"));
    m_labels->setObjectName(u"labelsBox"_s);
    m_labels->setToolTip(tr("Names at the ends of the curves"));
    for (QCheckBox *box : {m_intervals, m_labels}) {
        box->setChecked(true);
        bar->addWidget(box);
    }
    connect(m_intervals, &QCheckBox::toggled, this, [this](bool isOn) {
        m_chart->setIntervalsShown(isOn);
        drawEntries();
    });
    connect(m_labels, &QCheckBox::toggled, this, [this](bool isOn) { m_chart->setLabelsShown(isOn); });
    bar->addSeparator();
    connect(bar->addButton("zoom-in"_L1, {}, tr("Zoom in"), u"zoomInButton"_s), &QToolButton::clicked, this,
            &AccuracyPage::zoomIn);
    connect(bar->addButton("zoom-out"_L1, {}, tr("Zoom out"), u"zoomOutButton"_s), &QToolButton::clicked, this,
            &AccuracyPage::zoomOut);
    connect(bar->addButton("zoom-fit"_L1, {}, tr("Show everything"), u"zoomFitButton"_s), &QToolButton::clicked, this,
            &AccuracyPage::zoomToFit);
    bar->addStretch();
    m_numbers = bar->addButton("numbers"_L1, tr("Numbers"), tr("The numbers behind the curves, as a table"),
                               u"numbersButton"_s);
    connect(m_numbers, &QToolButton::clicked, this, &AccuracyPage::showNumbers);
    m_export =
        bar->addButton("export"_L1, tr("Export…"), tr("Save this figure as PNG, SVG, PDF, CSV or .npy"), u"exportButton"_s);
    connect(m_export, &QToolButton::clicked, this, &AccuracyPage::exportRequested);
    return bar;
}

void AccuracyPage::noteChange()
{
    if (isVisible())
        rebuild();
    else
        m_isStale = true;
}

} // namespace lookback::ui
