// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The grid and the table of heads as figures.
#include <algorithm>
#include <cmath>

#include "ui/figures/circuit_figures_private.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadMeasure;

namespace {

QString effectHeader()
{
    return u",mode,before,after,difference,low,high,distinguishable,lost,gained,p"_s;
}

QString effectFields(const circuit::KnockoutGrid *grid, const circuit::HeadId &id)
{
    if (!grid)
        return u",,,,,,,,,,"_s;
    const auto found = std::ranges::find(grid->heads, id, &circuit::HeadEffect::id);
    if (found == grid->heads.end())
        return u",,,,,,,,,,"_s;
    const circuit::KnockoutPoint &point = found->point;
    const std::string_view removal = circuit::removalName(grid->request.removal);
    return u',' % view(removal) % u',' % csvNumber(point.before.accuracy) % u',' % csvNumber(point.after.accuracy)
        % u',' % csvNumber(point.difference.difference) % u',' % csvNumber(point.difference.interval.low) % u','
        % csvNumber(point.difference.interval.high) % u','
        % (point.difference.isDistinguishable ? u"true"_s : u"false"_s) % u',' % QString::number(point.mcNemar.lost)
        % u',' % QString::number(point.mcNemar.gained) % u',' % csvNumber(point.mcNemar.p);
}

QString tableCsv(const CircuitFigureInput &input)
{
    QString text = headHeader() % measureHeader() % effectHeader() % u",reading\r\n"_s;
    for (const circuit::HeadScores &head : input.heads->heads)
        text += headFields(input.run, *input.heads, head.id) % measureFields(head.scores)
            % effectFields(input.grid.get(), head.id) % u',' % csvField(headReading(head.scores)) % u"\r\n"_s;
    return text;
}

class HeadGridFigure final : public CircuitFigure {
public:
    using CircuitFigure::CircuitFigure;

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override
    {
        painter.save();
        const QRectF page = drawCaption(painter, size, theme);
        const HeadCells cells = headCells(*m_input.heads, m_input.grid.get(), m_input.quantity);
        const QFont font = figureFont(8);
        const HeadCellPlaces places = placesOf(cells, page, font, painter.device());
        drawHeadCells(painter, cells, places, font, 0.5, theme);
        painter.restore();
    }
    QString csv() const override { return tableCsv(m_input); }
    QString fileName() const override
    {
        const QString what = m_input.quantity ? view(circuit::measureInfo(*m_input.quantity).id) : u"removal"_s;
        return u"%1_heads_%2"_s.arg(baseName(), what);
    }
    QString title() const override { return u"%1, %2"_s.arg(quantityTitle(m_input.quantity), name()); }

private:
    QString caption() const override
    {
        if (m_input.quantity)
            return u"%1 of every head of %2. ± is the 95 % interval."_s.arg(quantityTitle(m_input.quantity), where());
        return u"Every head of %1 removed alone (%2): change of exact match in points, root scale. ± is the paired 95 "
               u"% "
               "interval; hatched: not distinguishable, within two standard errors."_s.arg(
                   where(), removalWords(m_input.grid->request.removal));
    }
    QString command() const override
    {
        if (m_input.quantity)
            return u"lookback-cli heads %1 --step %2"_s.arg(options()).arg(m_input.heads->step);
        const circuit::Removal removal = m_input.grid->request.removal;
        const QString mode = removal == circuit::Removal::Zero
            ? QString()
            : QString(u" --mode "_s % view(circuit::removalName(removal)));
        return QString(u"lookback-cli knockout %1 --each --step %2"_s.arg(options()).arg(m_input.heads->step) % mode);
    }
};

class HeadTableFigure final : public CircuitFigure {
public:
    using CircuitFigure::CircuitFigure;

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override { return tableCsv(m_input); }
    QString fileName() const override { return baseName() % u"_head_table"_s; }
    QString title() const override { return u"Heads of %1"_s.arg(name()); }

private:
    QString caption() const override
    {
        if (!m_input.grid)
            return u"Heads of %1."_s.arg(where());
        return u"Heads of %1; change when removed (%2): exact match in points, ± paired 95 % interval."_s.arg(
            where(), removalWords(m_input.grid->request.removal));
    }
    QString command() const override
    {
        return u"lookback-cli heads %1 --step %2"_s.arg(options()).arg(m_input.heads->step);
    }
    QStringList fields(const circuit::HeadScores &head) const;
};

QStringList HeadTableFigure::fields(const circuit::HeadScores &head) const
{
    QStringList fields{headName(head.id),
                       seesText(m_input.heads->layers[static_cast<std::size_t>(head.id.layer)], m_input.heads->window)};
    for (const HeadMeasure measure : {HeadMeasure::Retrieval, HeadMeasure::KeyMatching, HeadMeasure::PreviousToken,
                                      HeadMeasure::FirstToken, HeadMeasure::Entropy, HeadMeasure::MeanDistance}) {
        const std::optional<circuit::Measured> &value = head.scores[measure];
        fields << (value ? measuredText(measure, value->value) : u"–"_s);
    }
    QString change = u"–"_s;
    QString reading = headReading(head.scores);
    if (m_input.grid) {
        const auto found = std::ranges::find(m_input.grid->heads, head.id, &circuit::HeadEffect::id);
        if (found != m_input.grid->heads.end()) {
            const eval::PairedDifference &difference = found->point.difference;
            change = pointsText(difference.difference) % u" ± "_s
                % QString::number(50.0 * (difference.interval.high - difference.interval.low), 'f', 2);
            if (!difference.isDistinguishable)
                reading = reading.isEmpty() ? u"not distinguishable"_s : reading % u" (not distinguishable)"_s;
        }
    }
    return fields << change << reading;
}

void HeadTableFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    const QRectF page = drawCaption(painter, size, theme);
    const QStringList header{
        u"Head"_s,    u"Sees"_s,     u"Retrieval"_s,           u"Matching"_s, u"Previous"_s, u"Sink"_s,
        u"Entropy"_s, u"Distance"_s, u"Change when removed"_s, u"Mostly"_s};
    std::vector<QStringList> rows;
    for (const circuit::HeadScores &head : m_input.heads->heads)
        rows.push_back(fields(head));
    // Type as large as all heads allow, 6 pt at least: then those that fit, and how many do not.
    qreal points = 8.0;
    const auto lineOf = [&](qreal size) { return 1.15 * QFontMetricsF(figureFont(size), painter.device()).height(); };
    while (points > 6.0 && lineOf(points) * static_cast<qreal>(rows.size() + 1) > page.height())
        points -= 0.5;
    const qreal line = lineOf(points);
    const QFont font = figureFont(points);
    const QFontMetricsF metrics(font, painter.device());
    QFont strong = font;
    strong.setWeight(QFont::DemiBold);
    std::vector<qreal> widths;
    qreal sum = 0.0;
    for (qsizetype column = 0; column < header.size(); ++column) {
        qreal width = std::ceil(1.05 * QFontMetricsF(strong, painter.device()).horizontalAdvance(header[column]));
        for (const QStringList &row : rows)
            width = std::max(width, metrics.horizontalAdvance(row[column]));
        widths.push_back(width);
        sum += width;
    }
    const qreal gap = std::clamp((page.width() - sum) / static_cast<qreal>(header.size() - 1), 3.0, 14.0);
    const auto drawRow = [&](const QStringList &row, qreal y) {
        qreal x = page.left();
        for (qsizetype column = 0; column < row.size(); ++column) {
            const qreal width = std::min(widths[static_cast<std::size_t>(column)], page.right() - x);
            const bool isText = column < 2 || column == row.size() - 1;
            if (width > 0.0)
                painter.drawText(QRectF(x, y, width, line),
                                 Qt::AlignVCenter | (isText ? Qt::AlignLeft : Qt::AlignRight),
                                 isText ? metrics.elidedText(row[column], Qt::ElideRight, width + 1.0) : row[column]);
            x += widths[static_cast<std::size_t>(column)] + gap;
        }
    };
    painter.setFont(strong);
    painter.setPen(theme.text);
    drawRow(header, page.top());
    painter.setPen(QPen(theme.text, 0.5));
    painter.drawLine(QPointF(page.left(), page.top() + line), QPointF(page.right(), page.top() + line));
    painter.setFont(font);
    painter.setPen(theme.text);
    const auto fitting = static_cast<std::size_t>(std::max(1.0, std::floor(page.height() / line) - 1.0));
    const std::size_t shown = rows.size() <= fitting ? rows.size() : fitting - 1;
    for (std::size_t i = 0; i < shown; ++i)
        drawRow(rows[i], page.top() + line * static_cast<qreal>(i + 1));
    if (shown < rows.size()) {
        painter.setPen(theme.secondText);
        painter.drawText(QRectF(page.left(), page.top() + line * static_cast<qreal>(shown + 1), page.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter, u"and %1 more"_s.arg(rows.size() - shown));
    }
    painter.restore();
}

} // namespace

std::unique_ptr<Figure> makeHeadGridFigure(CircuitFigureInput input)
{
    return std::make_unique<HeadGridFigure>(std::move(input));
}

std::unique_ptr<Figure> makeHeadTableFigure(CircuitFigureInput input)
{
    return std::make_unique<HeadTableFigure>(std::move(input));
}

} // namespace lookback::ui
