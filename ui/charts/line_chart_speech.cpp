// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What screen readers hear of a LineChart.
#include <algorithm>

#include "ui/charts/line_chart_private.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void LineChart::Private::describe()
{
    const QString value = q->spokenValue();
    if (value == spoken)
        return;
    spoken = value;
    announceValue(q, value);
}

QString LineChart::spokenValue() const
{
    const std::optional<double> &at = d->view->crossHair();
    if (!at)
        return {};
    QStringList values;
    for (const ChartCurve &curve : d->curves) {
        if (curve.isFaint && !curve.isSelected) // the band that it belongs to speaks for it
            continue;
        const CurveData *points = curve.isShown ? data(curve.id) : nullptr;
        const CurvePoint *point = points ? points->at(*at) : nullptr;
        const QString name = curve.label.isEmpty() ? curve.id : curve.label;
        values << u"%1 %2"_s.arg(name, point && point->y ? d->y.text(*point->y) : tr("no value"));
    }
    return tr("%1 %2: %3", "name and value of x; all curves").arg(d->x.name, d->x.text(*at), values.join(u", "_s));
}

QString LineChart::spokenDescription() const
{
    const auto shown = std::ranges::count_if(d->curves, &ChartCurve::isShown);
    const auto hidden = std::ssize(d->curves) - shown;
    const QString count = shown == 1 ? tr("1 curve") : tr("%1 curves").arg(shown);
    QStringList sentences;
    sentences
        << tr("Across: %1, %2 to %3.").arg(d->x.name, d->x.text(d->xAxis.range.lower), d->x.text(d->xAxis.range.upper))
        << tr("Up: %1, %2 to %3.").arg(d->yAxis.title, d->y.text(d->yAxis.range.lower), d->y.text(d->yAxis.range.upper))
        << (hidden > 0 ? tr("%1, %2 hidden.").arg(count).arg(hidden) : count + u'.');
    if (!d->offScale.isEmpty())
        sentences << d->offScale + u'.';
    if (const QString value = spokenValue(); !value.isEmpty())
        sentences << value + u'.';
    return sentences.join(u' ');
}

QString LineChart::spokenHelp() const
{
    return tr(
        "Left and Right read the values, Up and Down choose a curve, Space hides or shows it, plus and minus zoom, "
        "0 shows everything.");
}

} // namespace lookback::ui
