// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/attention_figure_private.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "core/error.h"
#include "core/run/npy.h"
#include "ui/figures/figure_run.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("AttentionFigure", text);
}

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

QString weightText(float value)
{
    if (std::isnan(value))
        return u"NaN"_s;
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return QString::fromLatin1(text.data(), end - text.data());
}

} // namespace

QString AttentionFigure::runName() const
{
    return m_input.runTitle.isEmpty() ? QString::fromStdString(m_input.example->variant) : m_input.runTitle;
}

QString AttentionFigure::title() const
{
    return tr("Layer %1, head %2 of %3").arg(number(shape().layer), number(shape().head), runName());
}

QString AttentionFigure::fileName() const
{
    return u"%1_layer%2_head%3_n%4_sequence%5"_s.arg(QString::fromStdString(m_input.example->variant))
        .arg(shape().layer)
        .arg(shape().head)
        .arg(m_input.example->key.n_keys)
        .arg(m_input.example->key.sequence);
}

QStringList AttentionFigure::provenance() const
{
    const analysis::ExampleKey &key = m_input.example->key;
    const QString folder = QFileInfo(QString::fromStdString(key.runFolder)).fileName();
    QStringList lines;
    if (m_input.record) {
        FigureRun run;
        run.id = folder;
        run.title = runName();
        run.record = *m_input.record;
        lines = provenanceLines(std::span(&run, 1));
    }
    const QString command =
        u"lookback-cli attention %1 --step %2 --n %3 --sequence %4 --layer %5 --head %6 --out %7.png"_s;
    lines.append(caption()); // small pages, and those without a caption, do not say it
    lines.append(u"Head map of step %1: "_s.arg(key.step)
                 % command.arg(folder)
                       .arg(key.step)
                       .arg(key.n_keys)
                       .arg(key.sequence)
                       .arg(shape().layer)
                       .arg(shape().head)
                       .arg(fileName()));
    return lines;
}

std::unique_ptr<Figure> AttentionFigure::withoutCaption() const
{
    AttentionFigureInput input = m_input;
    input.hasCaption = false;
    return makeAttentionFigure(std::move(input));
}

QString AttentionFigure::shortCaption() const
{
    const analysis::ExampleKey &key = m_input.example->key;
    return tr("Layer %1, head %2 of %3, step %4, n\u00a0=\u00a0%5")
        .arg(number(shape().layer), number(shape().head), runName(), number(key.step), number(key.n_keys));
}

const analysis::HeadMap &AttentionFigure::exactMap() const
{
    if (!m_input.map) {
        throw Error(fileName().toStdString(),
                    "The picture of a map of " + std::to_string(shape().queries)
                        + " positions does not hold its exact numbers.",
                    "Save them with Numbers above the map, or with lookback-cli attention and a name that ends in .csv "
                    "or .npy.");
    }
    return *m_input.map;
}

QString AttentionFigure::csv() const
{
    const analysis::HeadMap &map = exactMap();
    QString text = u"layer,head,query,query_token,key,key_token,weight\r\n"_s;
    for (std::int64_t query = 0; query < map.queries; ++query) {
        const QString row = u"%1,%2,%3,%4,"_s.arg(map.layer).arg(map.head).arg(query).arg(
            QLatin1Char(task::tokenCharacter(sequence().tokens[static_cast<std::size_t>(query)])));
        for (std::int64_t key = 0; key < map.keys; ++key) {
            if (!map.isVisible(query, key))
                continue;
            text += row % QString::number(key) % u','
                % QLatin1Char(task::tokenCharacter(sequence().tokens[static_cast<std::size_t>(key)])) % u','
                % weightText(map.at(query, key)) % u"\r\n";
        }
    }
    return text;
}

QByteArray AttentionFigure::npy() const
{
    const analysis::HeadMap &map = exactMap();
    return QByteArray::fromStdString(run::npyArray(map.weights, {map.queries, map.keys}));
}

ColourTable AttentionFigure::table(const Theme &theme) const
{
    const bool isSigned = m_values->isSigned();
    const ColourMap colours = m_input.colours.value_or(colourMapsFor(isSigned, theme.isDark).first());
    ColourScale scale = isSigned ? ColourScale::sharedSigned() : ColourScale::shared();
    if (m_input.isLog && !isSigned)
        scale = scale.asLog();
    if (m_input.range == RangeChoice::OwnMaximum)
        scale = scale.withMaximum(static_cast<double>(m_values->maximum()));
    return {colours, scale, theme.wrong.rgb()};
}

QString AttentionFigure::caption() const
{
    const analysis::Example &example = *m_input.example;
    const auto layer = static_cast<std::size_t>(shape().layer);
    const QString words =
        layer < example.layers.size() ? QString::fromStdString(example.layers[layer].words()) : QString();
    QString text = tr("Layer %1, head %2 (%3) of %4 at step %5; evaluation sequence %6 with %7 unique keys, %8 tokens; "
                      "queries downwards, keys to the right.")
                       .arg(number(shape().layer), number(shape().head), words, runName(), number(example.key.step),
                            number(example.key.sequence), number(example.key.n_keys), number(example.positions + 1));
    const MapCell cell = m_input.cell;
    std::string reading;
    if (cell.isValid() && m_input.map)
        reading = analysis::sentenceFor(example, *m_input.map, cell.query, cell.key);
    else if (cell.isValid() && m_input.row && m_input.row->hasQuery(cell.query))
        reading = analysis::sentenceFor(example, *m_input.row, cell.query, cell.key);
    if (!reading.empty())
        text += u' ' % QString::fromStdString(reading);
    return text;
}

std::unique_ptr<Figure> makeAttentionFigure(AttentionFigureInput input)
{
    return std::make_unique<AttentionFigure>(std::move(input));
}

QSize onePixelACell(const AttentionFigureInput &input)
{
    return input.map
        ? QSize(static_cast<int>(input.map->keys), static_cast<int>(input.map->queries))
        : QSize(static_cast<int>(input.values->shape().keys), static_cast<int>(input.values->shape().queries));
}

} // namespace lookback::ui
