// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/figure_font.h"

#include <QStringList>

using namespace Qt::StringLiterals;

namespace lookback::ui {

QFont figureFont(qreal points, QFont::Weight weight)
{
    QFont font;
    font.setFamilies({u"Noto Sans"_s, u"DejaVu Sans"_s, u"Liberation Sans"_s, u"Arial"_s, u"Helvetica"_s});
    font.setStyleHint(QFont::SansSerif, QFont::StyleStrategy(QFont::PreferAntialias | QFont::NoSubpixelAntialias));
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setPointSizeF(points);
    font.setWeight(weight);
    return font;
}

} // namespace lookback::ui
