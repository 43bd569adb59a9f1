// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What is read from the map: answers, cells and heads looked at, and the words about them.
#include <algorithm>
#include <cmath>

#include <QLabel>
#include <QLocale>

#include "ui/heatmap/row_bars.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/attention_page_example.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/pages/attention_page_prediction.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

QString AttentionPage::sentence() const
{
    return m_sentence->text();
}

bool AttentionPage::isUpToDate() const
{
    return m_isUpToDate && !m_loader.isBusy() && m_comparison->isUpToDate();
}

void AttentionPage::chooseAnswer(int answer, std::int64_t digit)
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example || answer < 0 || answer >= static_cast<int>(example->answers.size()))
        return;
    m_answer = answer;
    m_digit = std::clamp<std::int64_t>(digit, 0, example->sequence.shape.value_digits - 1);
    m_examplePanel->setChoice(m_answer, m_digit);
    m_prediction->setChoice(m_answer, m_digit);
    m_comparison->setAnswer(m_answer);
    if (m_shown != example)
        return; // the map follows when it has come
    const std::int64_t entry = example->answers[static_cast<std::size_t>(answer)].entry;
    const std::int64_t query = example->sequence.predictionPosition(entry, m_digit);
    const std::int64_t source = sourcePosition(example->sequence, query);
    m_view->showCell({query, source >= 0 ? source : query});
    remember();
}

void AttentionPage::showExample(const ExampleTarget &target)
{
    setRun(target.run);
    m_step = target.step;
    m_keys = target.n_keys;
    m_digit = target.digit;
    m_wantedEntry = target.entry;
    if (target.head) {
        m_isHeadChosen = true;
        m_wantedHead = target.head;
    }
    m_examplePanel->setCheckpoints(m_knownSteps, m_step);
    setKeys(target.n_keys);
    setSequence(target.sequence); // asks, unless that example is on view
    if (m_loader.isExampleCurrent() && !m_loader.isExamplePending()) {
        if (m_wantedHead)
            chooseHead(*std::exchange(m_wantedHead, {}));
        chooseWantedEntry();
    }
}

void AttentionPage::chooseWantedEntry()
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!m_wantedEntry || !example || example->key.runFolder != m_run || example->key.step != m_step
        || example->key.n_keys != m_keys || example->key.sequence != m_sequence)
        return; // its example is still to come
    const auto found = std::ranges::find(example->answers, *m_wantedEntry, &analysis::Answer::entry);
    m_wantedEntry.reset();
    if (found != example->answers.end())
        chooseAnswer(static_cast<int>(found - example->answers.begin()), m_digit);
}

void AttentionPage::chooseHead(HeadChoice choice)
{
    m_isHeadChosen = true;
    m_examplePanel->grid()->setChoice(choice);
}

void AttentionPage::cellMoved(MapCell cell)
{
    // A query that predicts a scored digit chooses it.
    const task::TaskShape &shape = m_shown->sequence.shape;
    const std::int64_t entry = cell.query / shape.entryTokens();
    const std::int64_t digit = cell.query % shape.entryTokens() - (1 + shape.key_digits);
    const auto &answers = m_shown->answers;
    const auto found = std::find_if(answers.begin(), answers.end(),
                                    [entry](const analysis::Answer &answer) { return answer.entry == entry; });
    const bool isScored = found != answers.end() && digit >= 0 && digit < shape.value_digits;
    if (isScored && m_shown == m_loader.example()) {
        m_answer = static_cast<int>(found - answers.begin());
        m_digit = digit;
        m_prediction->setChoice(m_answer, m_digit);
        m_comparison->setAnswer(m_answer);
    }
    m_examplePanel->setChoice(m_answer, isScored ? digit : -1);
    refreshReading();
}

RowPointer AttentionPage::exactRow(std::int64_t query) const
{
    const PyramidPointer &values = m_view->values();
    return values && !values->isExact() ? m_rows.find({values->shape().layer, values->shape().head}, query) : nullptr;
}

MapCell AttentionPage::readCell() const
{
    return m_comparison->isOn() && m_paneCell.isValid() ? m_paneCell : m_view->pointerCell();
}

void AttentionPage::wantRows()
{
    const PyramidPointer &values = m_view->values();
    if (!values || values->isExact() || !isShownCurrent())
        return;
    // The sentence is about the pointer cell, the bars about the chosen query.
    const std::vector<std::int64_t> queries{readCell().query, m_view->cell().query};
    m_rows.want({values->shape().layer, values->shape().head}, queries);
    m_comparison->wantRows(queries);
}

QString AttentionPage::sentenceAt(MapCell cell) const
{
    const PyramidPointer &values = m_view->values();
    if (!m_shown || !values)
        return {};
    if (values->isExact())
        return QString::fromStdString(analysis::sentenceFor(*m_shown, values->map(), cell.query, cell.key));
    const RowPointer row = exactRow(cell.query);
    return row ? QString::fromStdString(analysis::sentenceFor(*m_shown, *row, cell.query, cell.key)) : QString();
}

QString AttentionPage::valueWords(MapCell cell) const
{
    const ValuePyramid &values = *m_view->values();
    const QLocale locale;
    const QString where = tr("Query %1, key %2")
                              .arg(locale.toString(static_cast<qlonglong>(cell.query)),
                                   locale.toString(static_cast<qlonglong>(cell.key)));
    if (!values.shape().isVisible(cell.query, cell.key))
        return tr("%1: not visible").arg(where);
    const RowPointer row = exactRow(cell.query);
    if (!values.isExact() && !row) {
        // Three digits are what half precision holds; of a row's share they would say nothing.
        if (!values.isKnown(cell.query, cell.query + 1))
            return tr("%1: not computed yet").arg(where);
        if (values.rows() == ValuePyramid::Rows::ToTheirMaximum)
            return where;
        QString about = locale.toString(static_cast<double>(values.at(cell.query, cell.key)), 'g', 3);
        return where % u": ≈ "_s % about.replace(u'-', QChar(0x2212));
    }
    const auto value = static_cast<double>(row ? row->at(cell.query, cell.key) : values.map().at(cell.query, cell.key));
    QString number =
        std::abs(value) >= 1e-4 || value == 0.0 ? locale.toString(value, 'f', 4) : locale.toString(value, 'e', 2);
    return where % u": "_s % number.replace(u'-', QChar(0x2212));
}

void AttentionPage::refreshReading()
{
    wantRows();
    const MapCell cell = readCell();
    m_bars->setExactRow(exactRow(m_view->cell().query));
    QString sentence = m_comparison->sentence(cell);
    if (sentence.isEmpty())
        sentence = cell == m_view->pointerCell() ? m_view->sentence() : sentenceAt(cell);
    const bool isAwaited = sentence.isEmpty() && m_view->values() && cell.isValid();
    if (!isAwaited)
        m_sentence->setText(sentence);
    // The words about the former cell stay until those about this one can be said, but not as if they were about it.
    if (!isAwaited)
        m_sentenceTimer.stop();
    else if (!m_sentenceTimer.isActive() && m_sentence->isEnabled())
        m_sentenceTimer.start();
    if (!isAwaited)
        m_sentence->setEnabled(true);
    if (!m_view->values() || !cell.isValid()) {
        Q_EMIT statusChanged({});
        return;
    }
    QStringList parts{valueWords(cell)};
    if (m_view->isPinned())
        parts.append(tr("pinned, Enter frees"));
    parts << tr("Arrows: query and key") << tr("[ ]: head") << tr("J K: answer") << tr("F: next wrong answer")
          << (m_view->isPinned() ? QString() : tr("Enter: pin"));
    parts.removeAll(QString());
    Q_EMIT statusChanged(parts.join(u"   |   "_s));
}

void AttentionPage::stepAnswer(int step)
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example || example->answers.empty())
        return;
    const int count = static_cast<int>(example->answers.size());
    chooseAnswer((m_answer + step + count) % count, m_digit);
}

void AttentionPage::nextWrong()
{
    const std::shared_ptr<const analysis::Example> &example = m_loader.example();
    if (!example)
        return;
    const int count = static_cast<int>(example->answers.size());
    for (int i = 1; i <= count; ++i) {
        const int index = (m_answer + i) % count;
        const analysis::Answer &answer = example->answers[static_cast<std::size_t>(index)];
        if (answer.isExact())
            continue;
        std::int64_t digit = 0; // its first wrong digit
        while (answer.truth[static_cast<std::size_t>(digit)] == answer.predicted[static_cast<std::size_t>(digit)])
            ++digit;
        chooseAnswer(index, digit);
        return;
    }
    Q_EMIT statusChanged(tr("Every answer of this sequence is right"));
}

void AttentionPage::stepHead(int step)
{
    if (!m_shown)
        return;
    const HeadChoice now = m_examplePanel->grid()->choice();
    const std::int64_t count = static_cast<std::int64_t>(m_shown->layers.size()) * m_shown->heads;
    const std::int64_t next = (now.layer * m_shown->heads + now.head + step + count) % count;
    chooseHead({next / m_shown->heads, next % m_shown->heads});
}

void AttentionPage::refreshTitle()
{
    if (!m_shown) {
        m_headTitle->clear();
        m_headWords->setText({});
        return;
    }
    const HeadChoice choice = m_examplePanel->grid()->choice();
    const model::SublayerInfo &layer = m_shown->layers[static_cast<std::size_t>(
        std::min<std::int64_t>(choice.layer, static_cast<std::int64_t>(m_shown->layers.size()) - 1))];
    m_headTitle->setText(tr("Layer %1, head %2").arg(choice.layer).arg(choice.head));
    const QString words = QString::fromStdString(layer.words());
    m_headWords->setText(
        layer.hasSoftmaxMap
            ? tr("%1 · attention weight, query by key").arg(words)
            : tr("%1 · no softmax map: the signed matrix its recurrence amounts to, output by value").arg(words));
    m_view->setAccessibleName(tr("Attention of layer %1, head %2").arg(choice.layer).arg(choice.head));
}

} // namespace lookback::ui
