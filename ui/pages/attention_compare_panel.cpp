// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/heatmap/map_labels.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString probabilityText(float probability)
{
    return QLocale().toString(static_cast<double>(probability), 'f', 3);
}

QString cell(const QString &text, const QString &style = {})
{
    return u"<td align=\"right\" style=\"padding:1px 7px;"_s % style % u"\">"_s % text % u"</td>"_s;
}

QString firstCell(const QString &text, const QString &style = {})
{
    return u"<td style=\"padding:1px 12px 1px 0;"_s % style % u"\">"_s % text % u"</td>"_s;
}

/// What a side says: predicted digits, and the probability of the true ones.
struct SideAnswer {
    QString name;
    const analysis::Example *example = nullptr;
    const analysis::Answer *answer = nullptr;
};

qsizetype exactCount(const analysis::Example &example)
{
    return std::ranges::count_if(example.answers, &analysis::Answer::isExact);
}

} // namespace

ComparePanel::ComparePanel(QWidget *parent)
    : QScrollArea(parent), m_header(new QWidget(parent)), m_change(new QToolButton(m_header)),
      m_layer(new QComboBox(m_header)), m_head(new QComboBox(m_header)), m_answers(new QLabel(this)),
      m_notes(makeNote(this)), m_weightBar(new ColourBar(this)), m_differenceBar(new ColourBar(this))
{
    setObjectName(u"comparePanel"_s);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget(this);
    content->setBackgroundRole(QPalette::Base);
    content->setAutoFillBackground(true);
    m_change->setObjectName(u"changeComparison"_s);
    m_change->setText(tr("Right side"));
    m_change->setToolTip(tr("Compare with something else"));
    m_change->setPopupMode(QToolButton::InstantPopup);
    m_change->setMinimumHeight(28);
    auto *end = new QToolButton(m_header);
    end->setObjectName(u"endComparison"_s);
    end->setText(tr("End comparison"));
    end->setToolTip(tr("Back to one map (Esc)"));
    end->setMinimumSize(28, 28);
    m_layer->setObjectName(u"rightLayer"_s);
    m_layer->setAccessibleName(tr("Layer at the right"));
    m_head->setObjectName(u"rightHead"_s);
    m_head->setAccessibleName(tr("Head at the right"));
    for (QComboBox *box : {m_layer, m_head})
        box->setPlaceholderText(tr("choose"));
    m_answers->setObjectName(u"compareAnswers"_s);
    m_answers->setTextFormat(Qt::RichText);
    m_answers->setWordWrap(true);
    m_notes->setObjectName(u"compareNotes"_s);
    m_weightBar->setObjectName(u"compareWeightBar"_s);
    m_differenceBar->setObjectName(u"differenceBar"_s);
    for (ColourBar *bar : {m_weightBar, m_differenceBar})
        bar->setMinimumWidth(130); // two of them beside each other in a quarter of a small window

    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(8, 2, 8, 4);
    column->setSpacing(6);
    m_header->setObjectName(u"compareHeader"_s);
    m_header->hide();
    auto *top = new QHBoxLayout(m_header);
    top->setContentsMargins(0, 0, 0, 0);
    top->setSpacing(8);
    top->addWidget(m_change);
    top->addWidget(m_layer);
    top->addWidget(m_head);
    top->addWidget(end);
    top->addStretch(1);
    column->addWidget(m_answers);
    column->addWidget(m_notes);
    column->addStretch(1);
    m_bars = new QBoxLayout(QBoxLayout::LeftToRight);
    m_bars->setSpacing(12);
    m_bars->addWidget(m_weightBar, 1, Qt::AlignBottom);
    m_bars->addWidget(m_differenceBar, 1, Qt::AlignBottom);
    column->addLayout(m_bars);
    setWidget(content);

    // "Same" means both: a choice of one box alone takes the other from the head at the left.
    const auto choose = [this](QComboBox *chosen, QComboBox *other, std::int64_t HeadChoice::*same) {
        if (chosen->currentIndex() == 0)
            other->setCurrentIndex(0);
        else if (other->currentIndex() <= 0)
            other->setCurrentIndex(std::min(static_cast<int>(m_same.*same) + 1, other->count() - 1));
        tellHead();
    };
    connect(m_layer, &QComboBox::activated, this, [this, choose] { choose(m_layer, m_head, &HeadChoice::head); });
    connect(m_head, &QComboBox::activated, this, [this, choose] { choose(m_head, m_layer, &HeadChoice::layer); });
    connect(end, &QToolButton::clicked, this, &ComparePanel::endAsked);
    refreshAnswers();
}

void ComparePanel::setHeads(std::int64_t layers, std::int64_t heads, std::optional<HeadChoice> chosen, HeadChoice same)
{
    m_same = same;
    const bool exists = same.layer < layers && same.head < heads;
    const auto fill = [](QComboBox *box, std::int64_t count, const QString &first, const QString &text, int current) {
        box->clear();
        box->addItem(first);
        for (std::int64_t i = 0; i < count; ++i)
            box->addItem(text.arg(i));
        box->setCurrentIndex(current <= count ? current : -1); // there is no such one
        box->setEnabled(count > 0);
    };
    fill(m_layer, layers, exists ? tr("same layer, %1").arg(same.layer) : tr("choose a layer"), tr("layer %1"),
         chosen ? static_cast<int>(chosen->layer) + 1 : 0);
    fill(m_head, heads, exists ? tr("same head, %1").arg(same.head) : tr("choose a head"), tr("head %1"),
         chosen ? static_cast<int>(chosen->head) + 1 : 0);
}

void ComparePanel::tellHead()
{
    if (m_layer->currentIndex() <= 0)
        Q_EMIT headChosen({});
    else
        Q_EMIT headChosen(HeadChoice{m_layer->currentIndex() - 1, m_head->currentIndex() - 1});
}

void ComparePanel::setExamples(std::shared_ptr<const analysis::Example> left,
                               std::shared_ptr<const analysis::Example> right)
{
    m_left = std::move(left);
    m_right = std::move(right);
    refreshAnswers();
}

void ComparePanel::setAnswer(int answer)
{
    m_answer = answer;
    refreshAnswers();
}

void ComparePanel::setNotes(const QStringList &notes)
{
    m_notes->setText(notes.join(u'\n'));
    m_notes->setVisible(!notes.isEmpty());
}

QString ComparePanel::notes() const
{
    return m_notes->text();
}

void ComparePanel::refreshAnswers()
{
    const auto answerOf = [this](const analysis::Example *example) -> const analysis::Answer * {
        const bool has = example && m_answer >= 0 && m_answer < static_cast<int>(example->answers.size());
        return has ? &example->answers[static_cast<std::size_t>(m_answer)] : nullptr;
    };
    const analysis::Answer *left = answerOf(m_left.get());
    m_answerText.clear();
    if (!left) {
        m_answers->clear();
        return;
    }
    const Theme &theme = Theme::forPalette(palette());
    const QString second = u"color:"_s % theme.secondText.name() % u';';
    QString html = u"<table cellspacing=\"0\"><tr>"_s
        % firstCell(tr("Key %1, entry %2").arg(keyText(m_left->sequence, left->entry)).arg(left->entry),
                    u"font-weight:600;"_s);
    for (std::size_t digit = 0; digit < left->truth.size(); ++digit)
        html += cell(ordinalShort(static_cast<std::int64_t>(digit)), second);
    html += u"</tr><tr>"_s % firstCell(tr("Truth"));
    for (const int digit : left->truth)
        html += cell(QString::number(digit), u"font-weight:600;"_s);
    html += u"</tr>"_s;
    QStringList spoken;
    QStringList sequence;
    for (const SideAnswer &side : {SideAnswer{tr("Left"), m_left.get(), left},
                                   SideAnswer{tr("Right"), m_right.get(), answerOf(m_right.get())}}) {
        if (!side.answer)
            continue;
        QString digits;
        QString probabilities;
        QStringList words;
        for (std::size_t digit = 0; digit < side.answer->truth.size(); ++digit) {
            const int predicted = side.answer->predicted[digit];
            const bool isRight = predicted == side.answer->truth[digit];
            const QString token(QLatin1Char(task::tokenCharacter(predicted)));
            const QString probability =
                probabilityText(side.answer->probabilities[digit][static_cast<std::size_t>(side.answer->truth[digit])]);
            const QColor colour = isRight ? theme.right : theme.wrong;
            digits += cell(isRight ? u"<u>"_s % token % u"</u>"_s : token,
                           u"font-weight:600;color:"_s % colour.name() % u';');
            probabilities += cell(probability, second);
            words << tr("%1 (truth %2)").arg(token, probability);
        }
        const QString exact = tr("%1 of %2 exact").arg(exactCount(*side.example)).arg(side.example->answers.size());
        html += u"<tr>"_s % firstCell(tr("%1 predicts").arg(side.name)) % digits % u"</tr><tr>"_s
            % firstCell(tr("probability of the truth"), second) % probabilities % u"</tr>"_s;
        sequence << tr("%1: %2").arg(side.name, exact);
        spoken << tr("%1 predicts %2; %3").arg(side.name, words.join(u", "_s), exact);
    }
    m_answers->setText(html % u"</table>"_s % u"<p style=\"margin:6px 0 0 0;"_s % second % u"\">"_s
                       % tr("Answers of the sequence · %1").arg(sequence.join(u" · "_s)) % u"</p>"_s);
    m_answerText = spoken.join(u". "_s);
    m_answers->setAccessibleName(m_answerText);
}

void ComparePanel::resizeEvent(QResizeEvent *event)
{
    QScrollArea::resizeEvent(event);
    constexpr int kTwoBars = 300;
    m_bars->setDirection(width() < kTwoBars ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void ComparePanel::changeEvent(QEvent *event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_answers)
        refreshAnswers();
}

} // namespace lookback::ui
