// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/attention_compare_figure_private.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocale>

#include "core/analysis/attention_comparison.h"
#include "core/error.h"
#include "core/run/npy.h"
#include "ui/figures/figure_run.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("CompareFigure", text);
}

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

/// The shortest text that reads back as the same float.
QString csvFloat(float value)
{
    if (!std::isfinite(value))
        return csvNumber(static_cast<double>(value));
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return QString::fromLatin1(text.data(), end - text.data());
}

void makePicture(RangeChoice range, CompareFigureSide &side)
{
    if (!side.picture)
        side.picture = std::make_shared<const ValuePyramid>(
            side.map,
            range == RangeChoice::RowMaximum ? ValuePyramid::Rows::ToTheirMaximum : ValuePyramid::Rows::AsTheyAre);
}

/// What a side has at a cell, exact; nothing where that is not at hand.
std::optional<analysis::CellReading> readingOf(const CompareFigureSide &side, MapCell cell)
{
    if (side.map)
        return analysis::readingAt(*side.map, cell.query, cell.key);
    if (!side.row || !side.row->hasQuery(cell.query))
        return {};
    const MapShape &shape = side.picture->shape();
    return analysis::CellReading{.kind = shape.kind,
                                 .weight = side.row->at(cell.query, cell.key),
                                 .isVisible = shape.isVisible(cell.query, cell.key),
                                 .window = shape.window};
}

} // namespace

QString CompareFigure::nameOf(const CompareFigureSide &side)
{
    return side.runTitle.isEmpty() ? QString::fromStdString(side.example->variant) : side.runTitle;
}

QString CompareFigure::wordsOf(const CompareFigureSide &side)
{
    return sideWords(nameOf(side), side.example->key, headOf(side));
}

CompareFigure::CompareFigure(CompareFigureInput input) : m_input(std::move(input))
{
    makePicture(m_input.range, m_input.left);
    makePicture(m_input.range, m_input.right);
    m_noDifference = QString::fromStdString(
        analysis::whyNoDifference(leftPicture().shape().withoutWeights(), rightPicture().shape().withoutWeights()));
    if (!m_noDifference.isEmpty())
        return;
    m_difference = m_input.difference;
    if (!m_difference && m_input.left.map && m_input.right.map)
        m_difference = std::make_shared<const ValuePyramid>(
            std::make_shared<const analysis::HeadMap>(analysis::differenceOf(*m_input.left.map, *m_input.right.map)));
}

ColourTable CompareFigure::weightColours(const ValuePyramid &values, const Theme &theme) const
{
    const bool isSigned = values.isSigned();
    const std::optional<ColourMap> &chosen = isSigned ? m_input.signedColours : m_input.colours;
    ColourScale scale = isSigned ? ColourScale::sharedSigned() : ColourScale::shared();
    if (m_input.isLog && !isSigned)
        scale = scale.asLog();
    if (m_input.range == RangeChoice::OwnMaximum) {
        double maximum = static_cast<double>(values.maximum());
        if (leftPicture().isSigned() == rightPicture().isSigned()) // one range for both
            maximum = static_cast<double>(std::max(leftPicture().maximum(), rightPicture().maximum()));
        scale = scale.withMaximum(maximum);
    }
    return {chosen.value_or(colourMapsFor(isSigned, theme.isDark).first()), scale, theme.wrong.rgb()};
}

ColourTable CompareFigure::differenceColours(const Theme &theme) const
{
    ColourScale scale = ColourScale::sharedSigned();
    if (m_input.range == RangeChoice::OwnMaximum && m_difference)
        scale = scale.withMaximum(static_cast<double>(m_difference->maximum()));
    return {m_input.signedColours.value_or(colourMapsFor(true, theme.isDark).first()), scale, theme.wrong.rgb()};
}

QString CompareFigure::caption() const
{
    const auto layerWords = [](const CompareFigureSide &side) {
        return QString::fromStdString(side.example->layers.at(static_cast<std::size_t>(headOf(side).layer)).words());
    };
    const auto side = [&](const CompareFigureSide &of) { return u"%1 (%2)"_s.arg(wordsOf(of), layerWords(of)); };
    const analysis::Example &example = *m_input.left.example;
    QString text = tr("Left: %1. Right: %2. Evaluation sequence %3 with %4 unique keys, %5 tokens; queries downwards, "
                      "keys to the right.")
                       .arg(side(m_input.left), side(m_input.right), number(example.key.sequence),
                            number(example.key.n_keys), number(example.positions + 1));
    if (!m_noDifference.isEmpty())
        text += u' ' % m_noDifference;
    for (const CompareFigureSide *of : {&m_input.left, &m_input.right}) {
        const std::string note =
            analysis::unusedPatternNote(of->example->key.intervention, headOf(*of).layer, headOf(*of).head);
        if (!note.empty())
            text += u' ' % QString::fromStdString(note);
    }
    if (const MapCell cell = m_input.cell; cell.isValid()) {
        const std::optional<analysis::CellReading> left = readingOf(m_input.left, cell);
        const std::optional<analysis::CellReading> right = readingOf(m_input.right, cell);
        if (left && right)
            text += u' '
                % QString::fromStdString(analysis::comparisonSentence(example, *left, *right, cell.query, cell.key));
    }
    return text;
}

QString CompareFigure::title() const
{
    return tr("%1 and %2").arg(wordsOf(m_input.left), wordsOf(m_input.right));
}

QString CompareFigure::fileName() const
{
    const analysis::ExampleKey &left = m_input.left.example->key;
    const analysis::ExampleKey &right = m_input.right.example->key;
    QString other = QString::fromStdString(m_input.right.example->variant);
    if (left.runFolder == right.runFolder)
        other = right.step != left.step ? u"step%1"_s.arg(right.step) : u"heads_removed"_s;
    return u"%1_layer%2_head%3_beside_%4_n%5_sequence%6"_s.arg(QString::fromStdString(m_input.left.example->variant))
        .arg(headOf(m_input.left).layer)
        .arg(headOf(m_input.left).head)
        .arg(other)
        .arg(left.n_keys)
        .arg(left.sequence);
}

QStringList CompareFigure::provenance() const
{
    const analysis::ExampleKey &left = m_input.left.example->key;
    const analysis::ExampleKey &right = m_input.right.example->key;
    const auto folder = [](const analysis::ExampleKey &key) {
        return QFileInfo(QString::fromStdString(key.runFolder)).fileName();
    };
    std::vector<FigureRun> runs;
    for (const CompareFigureSide *side : {&m_input.left, &m_input.right}) {
        if (!side->record || (!runs.empty() && left.runFolder == right.runFolder))
            continue;
        FigureRun &run = runs.emplace_back();
        run.id = folder(side->example->key);
        run.title = nameOf(*side);
        run.record = *side->record;
    }
    QStringList lines;
    if (!runs.empty())
        lines = provenanceLines(runs);
    lines.append(caption());
    QString command =
        u"lookback-cli attention %1 --step %2 --n %3 --sequence %4 --layer %5 --head %6"_s.arg(folder(left))
            .arg(left.step)
            .arg(left.n_keys)
            .arg(left.sequence)
            .arg(headOf(m_input.left).layer)
            .arg(headOf(m_input.left).head);
    const circuit::Intervention &removed =
        right.intervention.heads.empty() ? left.intervention : right.intervention; // never both
    if (!right.intervention.heads.empty()) {
        command += u" --compare-removed"_s;
    } else {
        if (left.runFolder != right.runFolder)
            command += u" --compare "_s % folder(right);
        command += u" --compare-step %1"_s.arg(right.step);
    }
    if (!removed.heads.empty()) {
        for (const circuit::HeadId &id : removed.heads)
            command += u" --remove "_s % QString::fromStdString(circuit::headText(id));
        command += u" --mode "_s % QString::fromStdString(std::string(circuit::removalName(removed.removal)));
    }
    if (!(headOf(m_input.left) == headOf(m_input.right)))
        command += u" --compare-head "_s % QString::fromStdString(circuit::headText(headOf(m_input.right)));
    lines.append(command % u" --out %1.png"_s.arg(fileName()));
    return lines;
}

std::unique_ptr<Figure> CompareFigure::withoutCaption() const
{
    CompareFigureInput input = m_input;
    input.hasCaption = false;
    return makeCompareFigure(std::move(input));
}

void CompareFigure::requireExactMaps() const
{
    if (!m_input.left.map || !m_input.right.map) {
        throw Error(fileName().toStdString(),
                    "The picture of maps of " + std::to_string(leftPicture().shape().queries)
                        + " positions does not hold their exact numbers.",
                    "Save them with lookback-cli attention --compare and a name that ends in .csv or .npy.");
    }
}

QString CompareFigure::csv() const
{
    requireExactMaps();
    const analysis::HeadMap &left = *m_input.left.map;
    const analysis::HeadMap &right = *m_input.right.map;
    QString text = u"query,query_token,key,key_token,left,right,difference\r\n"_s;
    const auto token = [this](std::int64_t position) {
        return QLatin1Char(task::tokenCharacter(sequence().tokens[static_cast<std::size_t>(position)]));
    };
    const auto weight = [](const analysis::HeadMap &map, std::int64_t query, std::int64_t key) {
        return map.isVisible(query, key) ? csvFloat(map.at(query, key)) : QString();
    };
    for (std::int64_t query = 0; query < left.queries; ++query) {
        for (std::int64_t key = 0; key <= query; ++key) {
            if (!left.isVisible(query, key) && !right.isVisible(query, key))
                continue;
            text += QString::number(query) % u',' % token(query) % u',' % QString::number(key) % u',' % token(key)
                % u',' % weight(left, query, key) % u',' % weight(right, query, key) % u','
                % (m_noDifference.isEmpty() ? csvFloat(right.at(query, key) - left.at(query, key)) : QString())
                % u"\r\n";
        }
    }
    return text;
}

QByteArray CompareFigure::npy() const
{
    requireExactMaps();
    const analysis::HeadMap &left = *m_input.left.map;
    std::vector<float> weights = left.weights;
    weights.insert(weights.end(), m_input.right.map->weights.begin(), m_input.right.map->weights.end());
    if (m_difference)
        weights.insert(weights.end(), m_difference->map().weights.begin(), m_difference->map().weights.end());
    return QByteArray::fromStdString(run::npyArray(weights, {m_difference ? 3 : 2, left.queries, left.keys}));
}

QString sideWords(const QString &runTitle, const analysis::ExampleKey &key, circuit::HeadId head)
{
    QString words = tr("%1, step\u00a0%2").arg(runTitle, number(key.step));
    if (!key.intervention.heads.empty())
        words += u", "_s % QString::fromStdString(analysis::interventionText(key.intervention));
    return tr("%1 · head\u00a0%2").arg(words, QString::fromStdString(circuit::headText(head)));
}

std::unique_ptr<Figure> makeCompareFigure(CompareFigureInput input)
{
    return std::make_unique<CompareFigure>(std::move(input));
}

} // namespace lookback::ui
