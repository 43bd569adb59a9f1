// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the experiment panel is laid out; what it does is in experiment_panel.cpp.
#include "ui/docks/experiment_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/docks/advanced_form.h"
#include "ui/models/variant_model.h"
#include "ui/widgets/field_edit.h"
#include "ui/widgets/fitting_area.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"
#include "ui/widgets/sublayer_strip.h"
#include "ui/widgets/variant_delegate.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kNarrowest = 18; // in heights of text: holds labels and fields side by side
}

void ExperimentPanel::buildVariants()
{
    m_view->setObjectName(u"variants"_s);
    m_view->setAccessibleName(tr("Attention variants"));
    m_view->setModel(m_variants);
    m_view->setItemDelegate(new VariantDelegate(m_view));
    m_view->setHeaderHidden(true);
    m_view->setRootIsDecorated(false);
    m_view->setItemsExpandable(false);
    m_view->setIndentation(0);
    m_view->setUniformRowHeights(false);
    m_view->setMouseTracking(true);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setMinimumHeight(96);
    m_view->expandAll();
    connect(m_variants, &VariantModel::toggled, this, &ExperimentPanel::toggleVariant);

    auto *frame = new QFrame(this);
    frame->setFrameShape(QFrame::StyledPanel);
    frame->setBackgroundRole(QPalette::Base);
    frame->setAutoFillBackground(true);
    auto *inside = new QVBoxLayout(frame);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->setSpacing(0);
    inside->addWidget(m_view, 1);
    m_legend = new SublayerLegend(frame);
    inside->addWidget(m_legend);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 4);
    column->setSpacing(8);
    column->addWidget(frame, 3);

    m_settings = new FittingArea(this);
    m_settings->setObjectName(u"settings"_s);
    auto *inner = new QVBoxLayout(m_settings->widget());
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(8);
    column->addWidget(m_settings);
    frame->setMinimumWidth(kNarrowest * fontMetrics().height());
}

QVBoxLayout *ExperimentPanel::settingsColumn() const
{
    return static_cast<QVBoxLayout *>(m_settings->widget()->layout());
}

void ExperimentPanel::buildForm()
{
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);

    m_preset = new QComboBox(this);
    m_preset->setObjectName(u"preset"_s);
    m_preset->setMinimumContentsLength(8);
    m_preset->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_preset->setToolTip(tr("Sets all settings at once; each can be changed afterwards"));
    form->addRow(makeFieldLabel(tr("&Preset"), m_preset, this), m_preset);
    connect(m_preset, &QComboBox::activated, this, &ExperimentPanel::choosePreset);

    m_seeds = new FieldEdit({}, this);
    m_seeds->setObjectName(u"seeds"_s);
    m_seeds->lineEdit()->setAccessibleName(tr("Seeds"));
    m_seeds->setToolTip(tr("<p><b>Seeds</b> (seed)<br>One run for each: single seeds and ranges, for example 0-4 or "
                           "0,1,7. A seed decides the initial weights and the training sequences.</p>"));
    connect(m_seeds, &FieldEdit::edited, this, &ExperimentPanel::editSeeds);
    FieldEdit *steps = AdvancedForm::makeEdit(configField("steps"), this, false);
    auto *pair = new QHBoxLayout;
    pair->setSpacing(8);
    pair->addWidget(m_seeds, 1, Qt::AlignTop);
    pair->addWidget(makeFieldLabel(tr("S&teps"), steps->lineEdit(), this), 0, Qt::AlignTop);
    pair->addWidget(steps, 1, Qt::AlignTop);
    form->addRow(makeFieldLabel(tr("Se&eds"), m_seeds->lineEdit(), this), pair);

    m_device = new QComboBox(this);
    m_device->setObjectName(u"device"_s);
    m_device->setMinimumContentsLength(8);
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_device->setToolTip(tr("Where the runs train"));
    m_deviceProblem = makeNote(this);
    setTone(m_deviceProblem, Tone::Wrong);
    m_deviceProblem->hide();
    auto *deviceColumn = new QVBoxLayout;
    deviceColumn->setSpacing(2);
    deviceColumn->addWidget(m_device);
    deviceColumn->addWidget(m_deviceProblem);
    form->addRow(makeFieldLabel(tr("&Device"), m_device, this), deviceColumn);
    connect(m_device, &QComboBox::activated, this, &ExperimentPanel::chooseDevice);

    FieldEdit *lengths = AdvancedForm::makeEdit(configField("evaluation_n"), this, false);
    form->addRow(makeFieldLabel(tr("Evaluate at &n"), lengths->lineEdit(), this), lengths);
    settingsColumn()->addLayout(form);

    m_edits = {{"steps", steps}, {"evaluation_n", lengths}};
    for (const auto &[name, edit] : m_edits)
        connect(edit, &FieldEdit::edited, this,
                [this, field = QString::fromStdString(name)](const QString &text) { editField(field, text); });
}

void ExperimentPanel::buildFoot()
{
    auto *column = static_cast<QVBoxLayout *>(layout());
    m_advancedButton = new QToolButton(this);
    m_advancedButton->setObjectName(u"advanced"_s);
    m_advancedButton->setText(tr("Advanced"));
    m_advancedButton->setToolTip(tr("Shows every setting of model, task, training and records"));
    m_advancedButton->setCheckable(true);
    m_advancedButton->setAutoRaise(true);
    m_advancedButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_advancedButton->setIcon(icon("chevron-right"_L1));
    m_advancedSummary = makeNote(this);
    m_advancedSummary->setWordWrap(false);
    m_advancedSummary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *fold = new QHBoxLayout;
    fold->setSpacing(8);
    fold->addWidget(m_advancedButton);
    fold->addWidget(m_advancedSummary, 1);
    settingsColumn()->addLayout(fold);

    m_advanced = new AdvancedForm(m_settings->widget());
    m_edits.insert(m_advanced->edits().begin(), m_advanced->edits().end());
    connect(m_advanced, &AdvancedForm::edited, this, &ExperimentPanel::editField);
    m_advanced->hide();
    settingsColumn()->addWidget(m_advanced, 1);
    connect(m_advancedButton, &QToolButton::toggled, this, [this, column](bool isOpen) {
        m_advancedButton->setIcon(icon(isOpen ? "chevron-down"_L1 : "chevron-right"_L1));
        m_advanced->setVisible(isOpen);
        column->setStretchFactor(m_settings, isOpen ? 4 : 0);
        m_settings->setSizePolicy(QSizePolicy::Preferred, isOpen ? QSizePolicy::Expanding : QSizePolicy::Maximum);
        refreshLegend();
        if (isOpen) // where there is little room, what was unfolded comes into view
            QMetaObject::invokeMethod(
                m_settings, [this] { m_settings->showFrom(m_advancedButton); }, Qt::QueuedConnection);
    });

    m_estimateIcon = new QLabel(this);
    m_estimate = makeTitle({}, this);
    m_estimate->setWordWrap(true);
    m_estimateNote = makeNote(this);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->addWidget(m_estimateIcon, 0, 0, Qt::AlignTop);
    grid->addWidget(m_estimate, 0, 1);
    grid->addWidget(m_estimateNote, 1, 1);
    column->addLayout(grid);

    m_train = new PrimaryButton(this);
    m_train->setObjectName(u"train-button"_s);
    m_train->setIconName("play"_L1);
    m_train->setHint(u"F5"_s);
    m_train->setPrimary(true);
    connect(m_train, &QPushButton::clicked, this, &ExperimentPanel::train);
    auto *last = new QHBoxLayout;
    last->setContentsMargins(-4, 0, -4, 0); // the room for the focus frame is outside of the button's face
    last->addWidget(m_train);
    column->addLayout(last);
}

void ExperimentPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    refreshLegend();
}

void ExperimentPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_train)
        refreshEstimate(); // its icon is a picture
}

// Where the height is short the list comes before its key; the tooltips say the same in words.
void ExperimentPanel::refreshLegend()
{
    constexpr int kEnough = 640;
    constexpr int kEnoughWithAdvanced = 760;
    const int needed = isAdvancedOpen() ? kEnoughWithAdvanced : kEnough;
    m_legend->setVisible(height() >= needed);
}

} // namespace lookback::ui
