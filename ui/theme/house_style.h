// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace lookback::ui {

/// Fusion with flat controls in the theme's colours: borders that are seen in the dark theme too, checks and pressed
/// toggles in the accent, a 2 px focus frame. Used only where the desktop brings no style of its own.
class HouseStyle : public QProxyStyle {
    Q_OBJECT

public:
    HouseStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter,
                            const QWidget *widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *returnData) const override;
};

/// If the application's style is Fusion: HouseStyle, and the palette of `isDark` or, without a value, of the desktop's
/// lightness. Any other style keeps its look.
void applyHouseStyle();
void applyHouseStyle(bool isDark);

} // namespace lookback::ui
