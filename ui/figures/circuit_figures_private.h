// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include <QFontMetricsF>
#include <QPainter>

#include "ui/charts/number_text.h"
#include "ui/figures/circuit_figures.h"

namespace lookback::ui {

inline constexpr qreal kPad = 4.0;

inline QString view(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// What the three have in common: whose heads, where from.
class CircuitFigure : public Figure {
public:
    explicit CircuitFigure(CircuitFigureInput input) : m_input(std::move(input)) { }

    QStringList provenance() const override
    {
        QStringList lines{caption()};
        if (!m_input.run.id.isEmpty())
            lines += provenanceLines(std::span(&m_input.run, 1));
        return lines << command();
    }

protected:
    virtual QString caption() const = 0;
    virtual QString command() const = 0;

    QString name() const
    {
        return m_input.run.title.isEmpty() ? QString::fromStdString(m_input.heads->variant) : m_input.run.title;
    }
    QString baseName() const
    {
        return QStringLiteral("%1_step%2_n%3")
            .arg(QString::fromStdString(m_input.heads->variant))
            .arg(m_input.heads->step)
            .arg(m_input.heads->request.n_keys);
    }
    QString where() const
    {
        return QStringLiteral("%1 at step %2, n = %3, %4 sequences")
            .arg(name(), countText(m_input.heads->step))
            .arg(m_input.heads->request.n_keys)
            .arg(countText(m_input.heads->request.sequences));
    }
    QString options() const
    {
        return QStringLiteral("%1 --n %2 --sequences %3")
            .arg(m_input.run.id)
            .arg(m_input.heads->request.n_keys)
            .arg(m_input.heads->request.sequences);
    }
    /// Draws the caption at the foot and returns what remains of the page.
    QRectF drawCaption(QPainter &painter, const QSizeF &size, const Theme &theme) const
    {
        QRectF page = QRectF(QPointF(0, 0), size).adjusted(kPad, kPad, -kPad, -kPad);
        if (size.height() < 120.0)
            return page;
        const QFont font = figureFont(7);
        const QRectF box = QFontMetricsF(font, painter.device())
                               .boundingRect(QRectF(0, 0, page.width(), 1000), Qt::TextWordWrap, caption());
        painter.setFont(font);
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(page.left(), page.bottom() - box.height(), page.width(), box.height()),
                         Qt::TextWordWrap | Qt::TextDontClip, caption());
        return page.adjusted(0, 0, 0, -box.height() - kPad);
    }

    CircuitFigureInput m_input;
};

/// What a line about a head begins with: what was measured, and whose head it is.
inline QString headHeader()
{
    return QStringLiteral("run,variant,step,n_keys,sequences,layer,head,sees");
}

inline QString headFields(const FigureRun &run, const circuit::HeadTable &table, const circuit::HeadId &id)
{
    const QString sees = seesText(table.layers[static_cast<std::size_t>(id.layer)], table.window);
    return csvField(run.id) % u',' % csvField(QString::fromStdString(table.variant)) % u','
        % QString::number(table.step) % u',' % QString::number(table.request.n_keys) % u','
        % QString::number(table.request.sequences) % u',' % QString::number(id.layer) % u',' % QString::number(id.head)
        % u',' % csvField(sees);
}

inline QString measureHeader()
{
    QString text;
    for (const circuit::MeasureInfo &info : circuit::headMeasures())
        text += QStringLiteral(",%1,%1_low,%1_high").arg(view(info.id));
    return text;
}

inline QString measureFields(const circuit::Scores &scores)
{
    QString text;
    for (const circuit::MeasureInfo &info : circuit::headMeasures()) {
        if (const std::optional<circuit::Measured> &value = scores[info.measure])
            text += u',' % csvNumber(value->value) % u',' % csvNumber(value->low) % u',' % csvNumber(value->high);
        else
            text += QStringLiteral(",,,");
    }
    return text;
}

/// All measures of all heads at every checkpoint.
inline QString timelineCsv(const CircuitFigureInput &input)
{
    QString text = headHeader() % measureHeader() % QStringLiteral("\r\n");
    for (const circuit::HeadTable &table : *input.timeline) {
        for (const circuit::HeadScores &head : table.heads)
            text += headFields(input.run, table, head.id) % measureFields(head.scores) % QStringLiteral("\r\n");
    }
    return text;
}

} // namespace lookback::ui
