// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/house_style.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>

#include <algorithm>

#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kControlHeight = 28;
constexpr int kTabHeight = 32;

bool has(const QStyleOption *option, QStyle::StateFlag flag)
{
    return (option->state & flag) != 0;
}

QColor mixed(const QColor &a, const QColor &b, float share)
{
    return QColor::fromRgbF(a.redF() * share + b.redF() * (1 - share), a.greenF() * share + b.greenF() * (1 - share),
                            a.blueF() * share + b.blueF() * (1 - share));
}

/// A flat rounded box with a border of one pixel, or two while it has the focus.
void drawBox(QPainter *painter, const QRect &rect, const QColor &fill, const QColor &border, qreal width = 1.0)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(border, width));
    painter->setBrush(fill);
    const qreal inset = width / 2;
    painter->drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), 3, 3);
    painter->restore();
}

void drawCheck(QPainter *painter, const QRect &rect, const QStyleOption *option, const Theme &theme)
{
    const bool isOn = has(option, QStyle::State_On);
    const bool isPartial = has(option, QStyle::State_NoChange);
    const bool isEnabled = has(option, QStyle::State_Enabled);
    const bool isHovered = isEnabled && has(option, QStyle::State_MouseOver);
    const int side = std::min({rect.width(), rect.height(), 16});
    QRect box(0, 0, side, side);
    box.moveCenter(rect.center());
    const QColor on = isEnabled ? theme.accent : theme.disabledText;
    drawBox(painter, box, isOn || isPartial ? on : theme.base,
            isOn || isPartial || isHovered ? on : theme.controlBorder);
    if (!isOn && !isPartial)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.accentText, side / 8.0, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QRectF r(box);
    const auto at = [&](qreal x, qreal y) { return QPointF(r.left() + x * r.width(), r.top() + y * r.height()); };
    if (isOn)
        painter->drawPolyline(QPolygonF({at(0.25, 0.53), at(0.43, 0.72), at(0.76, 0.32)}));
    else
        painter->drawLine(at(0.25, 0.5), at(0.75, 0.5));
    painter->restore();
}

void drawPressable(QPainter *painter, const QStyleOption *option, const Theme &theme, bool isRaised)
{
    const bool isEnabled = has(option, QStyle::State_Enabled);
    const bool isOn = has(option, QStyle::State_On);
    const bool isDown = isEnabled && has(option, QStyle::State_Sunken);
    const bool isHovered = isEnabled && has(option, QStyle::State_MouseOver);
    if (!isRaised && !isOn && !isDown && !isHovered)
        return;
    QColor fill = isOn ? theme.selection : isRaised ? theme.control : mixed(theme.selection, theme.window, 0.5F);
    if (isDown)
        fill = isOn ? fill.darker(106) : mixed(theme.selection, theme.control, 0.6F);
    const QColor border = isHovered || isOn ? theme.accent : isRaised ? theme.controlBorder : fill;
    drawBox(painter, option->rect, fill, isEnabled ? border : theme.controlBorder);
}

void drawTab(QPainter *painter, const QStyleOptionTab *tab, const Theme &theme)
{
    const bool isSelected = has(tab, QStyle::State_Selected);
    const QRect rect = tab->rect;
    painter->save();
    const QColor hover = mixed(theme.selection, theme.window, 0.5F);
    painter->fillRect(rect, isSelected ? theme.base : has(tab, QStyle::State_MouseOver) ? hover : theme.window);
    painter->fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), theme.hairline);
    if (isSelected)
        painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), theme.accent);
    else
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.hairline);
    painter->restore();
}

/// A tool bar of tabs: they stand on its edge.
bool isTabRow(const QWidget *widget)
{
    return qobject_cast<const QToolBar *>(widget) && widget->findChild<const QTabBar *>({}, Qt::FindDirectChildrenOnly);
}

bool isDarkPalette(const QPalette &palette)
{
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

HouseStyle::HouseStyle() : QProxyStyle(QStyleFactory::create(u"Fusion"_s))
{
    setObjectName(u"house"_s);
}

void HouseStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                               const QWidget *widget) const
{
    const Theme &theme = Theme::forPalette(option->palette);
    switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawCheck(painter, option->rect, option, theme);
        return;
    case PE_PanelButtonCommand:
        drawPressable(painter, option, theme, true);
        if (const auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
            button && button->features.testFlag(QStyleOptionButton::DefaultButton) && has(option, State_Enabled))
            drawBox(painter, option->rect, Qt::transparent, theme.accent); // what the return key presses
        return;
    case PE_PanelButtonTool:
        drawPressable(painter, option, theme, !has(option, State_AutoRaise));
        return;
    case PE_FrameLineEdit: {
        const bool isFocused = has(option, State_HasFocus);
        const bool isHovered = has(option, State_MouseOver) && has(option, State_Enabled);
        drawBox(painter, option->rect, Qt::transparent,
                isFocused       ? theme.focus
                    : isHovered ? theme.accent
                                : theme.controlBorder,
                isFocused ? 2.0 : 1.0);
        return;
    }
    case PE_FrameFocusRect:
        // Around the whole button, not inside of its border.
        drawBox(painter, qobject_cast<const QToolButton *>(widget) ? widget->rect() : option->rect, Qt::transparent,
                theme.focus, 2.0);
        return;
    case PE_FrameTabBarBase:
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), theme.hairline);
        return;
    case PE_FrameDockWidget:
    case PE_FrameStatusBarItem:
    case PE_PanelMenuBar:
        return;
    case PE_Frame:
        drawBox(painter, option->rect, Qt::transparent, theme.hairline);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void HouseStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                             const QWidget *widget) const
{
    const Theme &theme = Theme::forPalette(option->palette);
    if (element == CE_TabBarTabShape) {
        if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option)) {
            drawTab(painter, tab, theme);
            return;
        }
    }
    if (element == CE_MenuBarItem) {
        if (const auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option)) {
            const bool isOpen = has(item, State_Selected) && has(item, State_Enabled);
            painter->fillRect(item->rect, isOpen ? theme.selection : theme.window);
            const int flags = Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip | Qt::TextSingleLine
                | (styleHint(SH_UnderlineShortcut, item, widget, nullptr) ? 0 : Qt::TextHideMnemonic);
            drawItemText(painter, item->rect, flags, item->palette, has(item, State_Enabled), item->text,
                         QPalette::WindowText);
            return;
        }
    }
    if (element == CE_ComboBoxLabel) {
        if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option)) {
            QStyleOptionComboBox fitted = *combo;
            const QRect room = subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget);
            const int icon = combo->currentIcon.isNull() ? 0 : combo->iconSize.width() + 4;
            fitted.currentText =
                combo->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, room.width() - icon - 2);
            QProxyStyle::drawControl(element, &fitted, painter, widget);
            return;
        }
    }
    if (element == CE_HeaderSection) {
        painter->fillRect(option->rect, theme.window);
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), theme.hairline);
        if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
            header && header->position != QStyleOptionHeader::End)
            painter->fillRect(QRect(option->rect.right(), option->rect.top() + 4, 1, option->rect.height() - 8),
                              theme.hairline);
        return;
    }
    if (element == CE_HeaderEmptyArea || element == CE_ToolBar || element == CE_MenuBarEmptyArea) {
        painter->fillRect(option->rect, theme.window);
        if (element != CE_MenuBarEmptyArea)
            painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
                              theme.hairline);
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void HouseStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                                    const QWidget *widget) const
{
    const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
    if (control != CC_ComboBox || !combo || combo->editable) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    const Theme &theme = Theme::forPalette(option->palette);
    const bool isEnabled = has(option, State_Enabled);
    const bool isFocused = has(option, State_HasFocus);
    const bool isHovered = isEnabled && has(option, State_MouseOver);
    drawBox(painter, option->rect, theme.control,
            isFocused       ? theme.focus
                : isHovered ? theme.accent
                            : theme.controlBorder,
            isFocused ? 2.0 : 1.0);
    const QRect place = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QColor ink = option->palette.color(isEnabled ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText);
    painter->setPen(QPen(ink, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF centre = QRectF(place).center();
    painter->drawPolyline(QPolygonF({centre + QPointF(-4, -2), centre + QPointF(0, 2), centre + QPointF(4, -2)}));
    painter->restore();
}

int HouseStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const
{
    switch (metric) {
    case PM_FocusFrameHMargin: // of texts in lists
        return qobject_cast<const QAbstractItemView *>(widget) ? 5 : QProxyStyle::pixelMetric(metric, option, widget);
    case PM_HeaderMargin:
        return 6;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 16;
    case PM_CheckBoxLabelSpacing:
        return 8;
    case PM_DockWidgetSeparatorExtent:
        return 5;
    case PM_ToolBarItemSpacing:
        return 4;
    case PM_ToolBarItemMargin:
        return isTabRow(widget) ? 0 : 4;
    case PM_ToolBarFrameWidth:
        return isTabRow(widget) ? 0 : QProxyStyle::pixelMetric(metric, option, widget);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

QSize HouseStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                                   const QWidget *widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_ComboBox:
    case CT_LineEdit:
    case CT_SpinBox:
        result.setHeight(std::max(kControlHeight, result.height()));
        break;
    case CT_PushButton:
        result = QSize(result.width() + 4, std::max(kControlHeight, result.height()));
        break;
    case CT_ToolButton:
        result = QSize(result.width() + 4, std::max(kControlHeight, result.height()));
        break;
    case CT_TabBarTab:
        result = QSize(result.width() + 12, std::max(kTabHeight, result.height()));
        break;
    default:
        break;
    }
    return result;
}

int HouseStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                          QStyleHintReturn *returnData) const
{
    if (hint == SH_UnderlineShortcut)
        return 0; // mnemonics work; their marks are noise in forms
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons)
        return 0; // verbs say it
    return QProxyStyle::styleHint(hint, option, widget, returnData);
}

void applyHouseStyle(bool isDark)
{
    if (QApplication::style()->name().compare("fusion"_L1, Qt::CaseInsensitive) != 0
        && !qobject_cast<HouseStyle *>(QApplication::style()))
        return;
    if (!qobject_cast<HouseStyle *>(QApplication::style()))
        QApplication::setStyle(new HouseStyle);
    QApplication::setPalette((isDark ? Theme::dark() : Theme::light()).palette());
}

void applyHouseStyle()
{
    applyHouseStyle(isDarkPalette(QApplication::palette()));
}

} // namespace lookback::ui
