// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_page_prediction.h"

#include <algorithm>
#include <cmath>

#include <QEvent>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/heatmap/map_labels.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kRow = 24;

QTableView *makeTable(QWidget *parent)
{
    auto *table = new QTableView(parent);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(kRow);
    table->verticalHeader()->setMinimumSectionSize(kRow);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(24);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setItemDelegate(new AnswerDelegate(table));
    return table;
}

} // namespace

// --- bars ---

ProbabilityBars::ProbabilityBars(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("probabilityBars"));
    setAccessibleName(tr("Probability of each token"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ProbabilityBars::setDigit(const std::vector<float> &probabilities, int truth, int predicted)
{
    m_probabilities = probabilities;
    m_truth = truth;
    m_predicted = predicted;
    update();
    announceValue(this, spokenValue());
}

QString ProbabilityBars::spokenValue() const
{
    QStringList words;
    for (std::size_t token = 0; token < m_probabilities.size(); ++token) {
        words.append(u"%1: %2"_s.arg(QString::fromStdString(task::tokenWord(static_cast<int>(token))),
                                     QLocale().toString(static_cast<double>(m_probabilities[token]), 'f', 3)));
    }
    return words.join(u", "_s);
}

int ProbabilityBars::rowHeight() const
{
    return static_cast<int>(std::ceil(QFontMetricsF(scaledFont(font(), 0.85)).height())) + 1;
}

QSize ProbabilityBars::sizeHint() const
{
    return {180, rowHeight() * task::kVocabulary};
}

void ProbabilityBars::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = Theme::forPalette(palette());
    const QFont small = scaledFont(font(), 0.85);
    const QFontMetricsF metrics(small);
    const int height = rowHeight();
    const double label = metrics.horizontalAdvance(u'V') + 10.0;
    const QString predictedWord = tr("predicted");
    const QString truthWord = tr("truth");
    const double words = metrics.horizontalAdvance(u"0.000 "_s % predictedWord) + 10.0;
    const double room = std::max(20.0, width() - label - words);
    const float most =
        m_probabilities.empty() ? 1.0F : *std::max_element(m_probabilities.begin(), m_probabilities.end());
    for (std::size_t token = 0; token < m_probabilities.size(); ++token) {
        const double y = static_cast<double>(token) * height;
        const bool isTruth = static_cast<int>(token) == m_truth;
        const bool isPredicted = static_cast<int>(token) == m_predicted;
        QFont font = small;
        font.setWeight(isTruth || isPredicted ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        painter.setPen(theme.text);
        painter.drawText(QRectF(0, y, label - 6.0, height), Qt::AlignRight | Qt::AlignVCenter,
                         QString(QLatin1Char(task::tokenCharacter(static_cast<int>(token)))));
        const double length = std::max(1.0, room * static_cast<double>(m_probabilities[token] / std::max(most, 1e-6F)));
        QColor colour = theme.disabledText;
        if (isTruth)
            colour = theme.right;
        else if (isPredicted)
            colour = theme.wrong;
        painter.fillRect(QRectF(label, y + 3.0, std::round(length), height - 6.0), colour);
        QString text = QLocale().toString(static_cast<double>(m_probabilities[token]), 'f', 3);
        if (isPredicted && isTruth)
            text += u' ' % tr("right");
        else if (isPredicted)
            text += u' ' % predictedWord;
        else if (isTruth)
            text += u' ' % truthWord;
        painter.setFont(small);
        painter.drawText(QRectF(label + std::round(length) + 5.0, y, width(), height), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    }
}

// --- panel ---

PredictionPanel::PredictionPanel(QWidget *parent)
    : QWidget(parent), m_verdict(new QLabel(this)), m_verdictIcon(new QLabel(this)), m_digits(makeTable(this)),
      m_digitModel(new DigitModel(this)), m_probabilityTitle(makeNote(this)),
      m_probabilities(new ProbabilityBars(this)), m_exact(makeNote(this)), m_answers(makeTable(this)),
      m_answerModel(new AnswerModel(this)), m_note(makeNote(this)), m_colourBar(new ColourBar(this)),
      m_legend(new FrameLegend(this))
{
    setObjectName(u"predictionPanel"_s);
    m_digits->setModel(m_digitModel);
    m_digits->setObjectName(u"digitTable"_s);
    m_digits->setAccessibleName(tr("Prediction by digit"));
    m_digits->setSelectionMode(QAbstractItemView::NoSelection);
    m_digits->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_digits->setFocusPolicy(Qt::NoFocus); // the value digit buttons are its keyboard twin
    m_answers->setModel(m_answerModel);
    m_answers->setObjectName(u"answerTable"_s);
    m_answers->setAccessibleName(tr("Answers of the sequence"));
    m_answers->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_answers->setSelectionMode(QAbstractItemView::SingleSelection);
    m_answers->setAlternatingRowColors(true);
    m_answers->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_answers->horizontalHeader()->setSectionResizeMode(AnswerModel::Predicted, QHeaderView::Stretch);
    m_answers->setMinimumHeight(4 * kRow);
    m_exact->setWordWrap(false);
    m_exact->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_verdict->setObjectName(u"verdict"_s);

    auto *tokens = makeNote(this);
    tokens->setText(tr("K StartKey · V StartValue"));

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 8);
    column->setSpacing(6);
    auto *top = new QHBoxLayout;
    top->addWidget(makeTitle(tr("Prediction"), this), 1);
    top->addWidget(m_verdictIcon);
    top->addWidget(m_verdict);
    column->addLayout(top);
    column->addWidget(m_digits);
    column->addSpacing(4);
    column->addWidget(m_probabilityTitle);
    column->addWidget(m_probabilities);
    column->addSpacing(2);
    column->addWidget(makeHairline(this));
    auto *middle = new QHBoxLayout;
    middle->addWidget(makeTitle(tr("Answers"), this), 1);
    middle->addWidget(m_exact);
    column->addLayout(middle);
    column->addWidget(m_answers, 1);
    column->addWidget(m_note);
    column->addWidget(makeHairline(this));
    column->addWidget(m_colourBar);
    column->addWidget(m_legend);
    column->addWidget(tokens);

    connect(m_answers->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &now) {
        if (now.isValid() && now.row() != m_answer)
            Q_EMIT choiceAsked(now.row(), m_digit);
    });
    const auto chooseColumn = [this](int columnIndex) {
        if (columnIndex > 0 && m_answer >= 0)
            Q_EMIT choiceAsked(m_answer, columnIndex - 1);
    };
    m_digits->horizontalHeader()->setSectionsClickable(true);
    connect(m_digits->horizontalHeader(), &QHeaderView::sectionClicked, this, chooseColumn);
    connect(m_digits, &QTableView::clicked, this,
            [chooseColumn](const QModelIndex &index) { chooseColumn(index.column()); });
    refresh();
}

void PredictionPanel::setExample(std::shared_ptr<const analysis::Example> example)
{
    m_example = std::move(example);
    m_answer = -1;
    const QSignalBlocker blocker(m_answers->selectionModel());
    m_answerModel->setExample(m_example);
    refresh();
}

void PredictionPanel::setChoice(int answer, std::int64_t digit)
{
    m_answer = answer;
    m_digit = digit;
    if (answer >= 0 && answer < m_answerModel->rowCount() && m_answers->currentIndex().row() != answer) {
        const QSignalBlocker blocker(m_answers->selectionModel());
        m_answers->selectRow(answer);
        const QRect row = m_answers->visualRect(m_answerModel->index(answer, 0));
        if (!m_answers->viewport()->rect().contains(row))
            m_answers->scrollTo(m_answerModel->index(answer, 0), QAbstractItemView::PositionAtCenter);
        m_answers->viewport()->update();
    }
    refresh();
}

void PredictionPanel::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        refresh();
}

void PredictionPanel::refresh()
{
    const bool hasAnswer = m_example && m_answer >= 0 && m_answer < static_cast<int>(m_example->answers.size());
    const analysis::Answer *answer = hasAnswer ? &m_example->answers[static_cast<std::size_t>(m_answer)] : nullptr;
    m_digitModel->setAnswer(answer, m_digit);
    const int columns = m_digitModel->columnCount();
    QHeaderView *header = m_digits->horizontalHeader();
    for (int column = 0; column < columns; ++column)
        header->setSectionResizeMode(column, column == 0 ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
    // By the rows as they are: styles and fonts may want them higher.
    m_digits->setFixedHeight(header->sizeHint().height() + m_digits->verticalHeader()->length()
                             + 2 * m_digits->frameWidth());
    if (answer) {
        const Theme &theme = Theme::forPalette(palette());
        qsizetype right = 0;
        for (std::size_t i = 0; i < answer->truth.size(); ++i)
            right += answer->truth[i] == answer->predicted[i] ? 1 : 0;
        const bool isExact = answer->isExact();
        m_verdict->setText(isExact ? tr("right, %1 of %2").arg(right).arg(answer->truth.size())
                                   : tr("wrong, %1 of %2").arg(right).arg(answer->truth.size()));
        QPalette own = palette();
        own.setColor(QPalette::WindowText, isExact ? theme.right : theme.wrong);
        m_verdict->setPalette(own);
        m_verdictIcon->setPixmap(isExact ? icon("check"_L1, IconRole::Right).pixmap(16, 16)
                                         : icon("error"_L1, IconRole::Wrong).pixmap(16, 16));
        const auto digit = static_cast<std::size_t>(
            std::clamp<std::int64_t>(m_digit, 0, static_cast<std::int64_t>(answer->truth.size()) - 1));
        m_probabilities->setDigit(answer->probabilities[digit], answer->truth[digit], answer->predicted[digit]);
        QString ordinal = ordinalWord(static_cast<std::int64_t>(digit));
        ordinal[0] = ordinal[0].toUpper();
        m_probabilityTitle->setText(tr("%1 digit: probability of each token").arg(ordinal));
    } else {
        m_verdict->clear();
        m_verdictIcon->clear();
        m_probabilities->setDigit({}, -1, -1);
        m_probabilityTitle->setText(tr("Probability of each token"));
    }
    const QLocale locale;
    // The panel is as wide as the table's header, so that no title is cut.
    const QHeaderView *titles = m_answers->horizontalHeader();
    const QAbstractItemView *cells = m_answers;
    int least = 2 * m_answers->frameWidth() + m_answers->verticalScrollBar()->sizeHint().width();
    for (int column = 0; column < AnswerModel::ColumnCount; ++column)
        least += std::max(titles->sectionSizeHint(column), cells->sizeHintForColumn(column));
    m_answers->setMinimumWidth(least);
    m_exact->setText(m_example ? tr("%1 of %2 exact")
                                     .arg(locale.toString(static_cast<qlonglong>(m_answerModel->exactCount())),
                                          locale.toString(m_answerModel->rowCount()))
                               : QString());
    m_note->setText(m_example ? tr("%1 of %2 digits right (underlined)")
                                    .arg(locale.toString(static_cast<qlonglong>(m_answerModel->rightDigits())),
                                         locale.toString(static_cast<qlonglong>(m_answerModel->allDigits())))
                              : QString());
}

} // namespace lookback::ui
