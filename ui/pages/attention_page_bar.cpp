// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

#include "ui/pages/attention_page_parts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

ColourMap MapDrawing::colours(bool isSigned, bool isDark) const
{
    const std::optional<ColourMap> &chosen = isSigned ? signedWeights : weights;
    return chosen.value_or(colourMapsFor(isSigned, isDark).first());
}

ColourScale MapDrawing::sharedScale(bool isSigned) const
{
    if (isSigned)
        return ColourScale::sharedSigned(); // a logarithm has no place for negative weights
    return isLog ? ColourScale::shared().asLog() : ColourScale::shared();
}

ColourScale MapDrawing::scale(bool isSigned, double maximum) const
{
    const ColourScale shared = sharedScale(isSigned);
    return range == RangeChoice::OwnMaximum ? shared.withMaximum(maximum) : shared;
}

MapBar::MapBar(QWidget *parent) : QWidget(parent)
{
    setObjectName(u"mapBar"_s);
    const auto button = [this](const QString &text, QLatin1StringView iconName, const char *name) {
        auto *made = new QToolButton(this);
        made->setText(text);
        made->setAccessibleName(text);
        made->setObjectName(QLatin1StringView(name));
        made->setAutoRaise(true);
        made->setMinimumSize(28, 28);
        made->setFocusPolicy(Qt::TabFocus);
        if (!iconName.isEmpty())
            made->setIcon(icon(iconName));
        return made;
    };
    m_scaleLabel = new QLabel(tr("Scale"), this);
    m_linear = new ToggleButton(this);
    m_linear->setText(tr("Linear"));
    m_linear->setObjectName(u"linear"_s);
    m_log = new ToggleButton(this);
    m_log->setText(tr("Log"));
    m_log->setObjectName(u"log"_s);
    auto *scales = new QButtonGroup(this);
    scales->addButton(m_linear);
    scales->addButton(m_log);
    m_coloursLabel = new QLabel(tr("Colours"), this);
    m_colours = new QComboBox(this);
    m_colours->setObjectName(u"colours"_s);
    m_colours->setAccessibleName(tr("Colours"));
    m_colours->setToolTip(tr("Colours of the map"));
    m_colours->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_colours->setMinimumWidth(72);
    m_range = new QComboBox(this);
    m_range->setObjectName(u"range"_s);
    m_range->setAccessibleName(tr("Range of the colours"));
    m_range->setToolTip(tr("What the brightest colour stands for"));
    m_range->addItem(tr("All heads alike"), static_cast<int>(RangeChoice::AllHeads));
    m_range->addItem(tr("Own maximum"), static_cast<int>(RangeChoice::OwnMaximum));
    m_range->addItem(tr("Row maximum"), static_cast<int>(RangeChoice::RowMaximum));
    m_range->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_range->setMinimumWidth(96); // shortened before anything is left out
    m_range->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_marks = button(tr("What is drawn, zoom"), "eye"_L1, "marks");
    m_marks->setToolTip(m_marks->text());
    m_marks->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(m_marks);
    const auto addSwitch = [&](bool MapDrawing::*isOn, const QString &text, const char *name, const QString &words) {
        Switch one{isOn, new QCheckBox(text, this), menu->addAction(text)};
        one.box->setObjectName(QLatin1StringView(name));
        one.box->setToolTip(words);
        one.action->setCheckable(true);
        const auto set = [this, isOn](bool isShown) { edit([isOn, isShown](MapDrawing &d) { d.*isOn = isShown; }); };
        connect(one.box, &QCheckBox::clicked, this, set);
        connect(one.action, &QAction::triggered, this, set);
        m_switches.append(one);
    };
    addSwitch(&MapDrawing::hasEntries, tr("Entries"), "entries",
              tr("Brackets and lines of the entries, with key and value"));
    addSwitch(&MapDrawing::hasOccurrences, tr("Occurrences"), "occurrences",
              tr("Frames of the asked key and of its first occurrence"));
    addSwitch(&MapDrawing::hasWindowEdge, tr("Window"), "windowEdge",
              tr("A dotted line where the window of a windowed head ends"));
    addSwitch(&MapDrawing::hasTrainingLength, tr("Training"), "trainingLength",
              tr("A dashed line where the context becomes longer than the longest one of training"));
    menu->addSeparator();
    m_zoomActions = {menu->addAction(icon("zoom-in"_L1), tr("Zoom in")),
                     menu->addAction(icon("zoom-out"_L1), tr("Zoom out")),
                     menu->addAction(icon("zoom-fit"_L1), tr("Fit the map"))};
    connect(m_zoomActions[0], &QAction::triggered, this, &MapBar::zoomInAsked);
    connect(m_zoomActions[1], &QAction::triggered, this, &MapBar::zoomOutAsked);
    connect(m_zoomActions[2], &QAction::triggered, this, &MapBar::zoomToFitAsked);
    m_coloursMenu = menu->addMenu(tr("Colours"));
    m_rangeMenu = menu->addMenu(tr("Range"));
    connect(menu, &QMenu::aboutToShow, this, [this] { // twins of the boxes that have no room
        const auto fill = [](QMenu *twin, QComboBox *box) {
            twin->clear();
            for (int i = 0; i < box->count(); ++i) {
                QAction *action = twin->addAction(box->itemText(i));
                action->setCheckable(true);
                action->setChecked(i == box->currentIndex());
                QObject::connect(action, &QAction::triggered, box, [box, i] {
                    box->setCurrentIndex(i);
                    Q_EMIT box->activated(i);
                });
            }
        };
        fill(m_coloursMenu, m_colours);
        fill(m_rangeMenu, m_range);
    });
    m_marks->setMenu(menu);
    m_zoomIn = button(tr("Zoom in"), "zoom-in"_L1, "zoomIn");
    m_zoomOut = button(tr("Zoom out"), "zoom-out"_L1, "zoomOut");
    m_zoomToFit = button(tr("Fit the map"), "zoom-fit"_L1, "zoomToFit");
    m_prediction = button(tr("Prediction"), "dock-left"_L1, "predictionButton");
    m_prediction->setCheckable(true);
    m_prediction->hide();
    m_compare = button(tr("Compare…"), "compare"_L1, "compare");
    m_compare->setPopupMode(QToolButton::InstantPopup);
    m_numbers = button(tr("Numbers"), "numbers"_L1, "numbers");
    m_export = button(tr("Export…"), "export"_L1, "export");

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 12, 6);
    row->setSpacing(8);
    row->addWidget(m_scaleLabel);
    auto *pair = new QHBoxLayout;
    pair->setSpacing(0);
    pair->addWidget(m_linear);
    pair->addWidget(m_log);
    row->addLayout(pair);
    row->addWidget(m_coloursLabel);
    row->addWidget(m_colours);
    row->addWidget(m_range);
    for (const Switch &one : m_switches)
        row->addWidget(one.box);
    row->addWidget(m_marks);
    row->addStretch(2);
    for (QToolButton *each : {m_zoomIn, m_zoomOut, m_zoomToFit, m_prediction, m_compare, m_numbers, m_export})
        row->addWidget(each);

    connect(m_linear, &QToolButton::clicked, this, [this] { edit([](MapDrawing &d) { d.isLog = false; }); });
    connect(m_log, &QToolButton::clicked, this, [this] { edit([](MapDrawing &d) { d.isLog = true; }); });
    connect(m_colours, &QComboBox::activated, this, [this](int index) {
        const auto map = static_cast<ColourMap>(m_colours->itemData(index).toInt());
        edit([this, map](MapDrawing &d) { (m_isSigned ? d.signedWeights : d.weights) = map; });
    });
    connect(m_range, &QComboBox::activated, this, [this](int index) {
        const auto range = static_cast<RangeChoice>(m_range->itemData(index).toInt());
        edit([range](MapDrawing &d) { d.range = range; });
    });
    connect(m_zoomIn, &QToolButton::clicked, this, &MapBar::zoomInAsked);
    connect(m_zoomOut, &QToolButton::clicked, this, &MapBar::zoomOutAsked);
    connect(m_zoomToFit, &QToolButton::clicked, this, &MapBar::zoomToFitAsked);
    connect(m_numbers, &QToolButton::clicked, this, &MapBar::numbersAsked);
    connect(m_export, &QToolButton::clicked, this, &MapBar::exportAsked);
    connect(m_prediction, &QToolButton::clicked, this, &MapBar::predictionAsked);
    refresh();
}

void MapBar::edit(const std::function<void(MapDrawing &)> &change)
{
    MapDrawing changed = m_drawing;
    change(changed);
    const bool isNew = changed != m_drawing;
    m_drawing = changed;
    refresh(); // both twins of a switch show the same
    if (isNew)
        Q_EMIT drawingChanged();
}

void MapBar::setDrawing(const MapDrawing &drawing)
{
    edit([&drawing](MapDrawing &d) { d = drawing; });
}

void MapBar::setSigned(bool isSigned)
{
    if (m_isSigned == isSigned)
        return;
    m_isSigned = isSigned;
    refresh();
}

void MapBar::setHasMap(bool hasMap)
{
    m_hasMap = hasMap;
    refresh();
}

void MapBar::setPredictionButton(bool isShown, bool isChecked)
{
    m_prediction->setVisible(isShown);
    m_prediction->setChecked(isChecked);
    applyWidth();
}

void MapBar::fillColours()
{
    const bool isDark = Theme::forPalette(palette()).isDark;
    const QSignalBlocker blocker(m_colours);
    m_colours->clear();
    for (const ColourMap map : colourMapsFor(m_isSigned, isDark))
        m_colours->addItem(colourMapTitle(map), static_cast<int>(map));
    m_colours->setCurrentIndex(
        std::max(0, m_colours->findData(static_cast<int>(m_drawing.colours(m_isSigned, isDark)))));
}

void MapBar::refresh()
{
    fillColours();
    const QSignalBlocker range(m_range);
    m_linear->setChecked(!m_drawing.isLog || m_isSigned);
    m_log->setChecked(m_drawing.isLog && !m_isSigned);
    m_log->setEnabled(!m_isSigned);
    m_log->setToolTip(m_isSigned ? tr("This map has negative weights, which a logarithm cannot show")
                                 : tr("Four decades below the maximum"));
    m_range->setCurrentIndex(m_range->findData(static_cast<int>(m_drawing.range)));
    for (const Switch &one : m_switches) {
        one.box->setChecked(m_drawing.*one.isOn);
        one.action->setChecked(m_drawing.*one.isOn);
    }
    for (QAction *action : m_zoomActions)
        action->setEnabled(m_hasMap);
    const QString reason = tr("There is no map yet");
    const auto set = [&](QToolButton *button, const QString &words) {
        button->setEnabled(m_hasMap);
        button->setToolTip(m_hasMap ? words : reason);
    };
    set(m_zoomIn, tr("Zoom in (+ in the map)"));
    set(m_zoomOut, tr("Zoom out (- in the map)"));
    set(m_zoomToFit, tr("Fit the whole map, then its width (0 in the map)"));
    set(m_compare, tr("Beside another run, another checkpoint, or this one without some heads"));
    set(m_numbers, tr("The numbers of this map, as a table and as CSV"));
    set(m_export, tr("Export this map as a picture"));
}

void MapBar::setCompareMenu(QMenu *menu)
{
    m_compare->setMenu(menu);
}

QWidget *MapBar::lastInTabOrder() const
{
    return m_export;
}

QSize MapBar::minimumSizeHint() const
{
    return {280, QWidget::minimumSizeHint().height()};
}

void MapBar::applyWidth()
{
    // From the most words to the fewest, the first that fits.
    for (int level = 0; level < 7; ++level) {
        m_scaleLabel->setVisible(level < 1);
        m_coloursLabel->setVisible(level < 1);
        const auto style = level < 2 ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
        m_compare->setToolButtonStyle(style);
        m_numbers->setToolButtonStyle(style);
        m_export->setToolButtonStyle(style);
        // The last switches go into the menu first.
        for (qsizetype i = 0; i < m_switches.size(); ++i)
            m_switches[i].box->setVisible(level < (i < 2 ? 4 : 3));
        m_marks->setVisible(level >= 3);
        for (QToolButton *each : {m_zoomIn, m_zoomOut, m_zoomToFit})
            each->setVisible(level < 5);
        m_colours->setVisible(level < 6);
        m_range->setVisible(level < 6);
        layout()->setSpacing(level < 4 ? 8 : 4);
        layout()->invalidate();
        if (layout()->sizeHint().width() <= width())
            break;
    }
}

void MapBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    applyWidth();
}

void MapBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh(); // another theme has another default map
    else if (event->type() == QEvent::FontChange)
        applyWidth();
}

} // namespace lookback::ui
