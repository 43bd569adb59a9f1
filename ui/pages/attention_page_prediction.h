// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/access/speaking.h"

class QLabel;
class QTableView;

namespace lookback::ui {

class AnswerModel;
class DigitModel;

/// Probabilities of all twelve tokens at one predicted digit, as bars; truth and prediction are named.
class ProbabilityBars : public QWidget, public Speaking {
    Q_OBJECT

public:
    explicit ProbabilityBars(QWidget *parent = nullptr);

    void setDigit(const std::vector<float> &probabilities, int truth, int predicted);

    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    QString spokenValue() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int rowHeight() const;

    std::vector<float> m_probabilities;
    int m_truth = -1;
    int m_predicted = -1;
};

/// The right side of the attention page: prediction against truth, all answers of the sequence, colour bar and key.
class PredictionPanel : public QWidget {
    Q_OBJECT

public:
    explicit PredictionPanel(QWidget *parent = nullptr);

    void setExample(std::shared_ptr<const analysis::Example> example);
    /// Which answer (index among the example's answers) and which of its digits.
    void setChoice(int answer, std::int64_t digit);

    ColourBar *colourBar() const { return m_colourBar; }
    FrameLegend *legend() const { return m_legend; }
    QTableView *answers() const { return m_answers; }

Q_SIGNALS:
    void choiceAsked(int answer, qint64 digit);

protected:
    void changeEvent(QEvent *event) override;

private:
    void refresh();

    std::shared_ptr<const analysis::Example> m_example;
    int m_answer = -1;
    std::int64_t m_digit = 0;
    QLabel *m_verdict;
    QLabel *m_verdictIcon;
    QTableView *m_digits;
    DigitModel *m_digitModel;
    QLabel *m_probabilityTitle;
    ProbabilityBars *m_probabilities;
    QLabel *m_exact;
    QTableView *m_answers;
    AnswerModel *m_answerModel;
    QLabel *m_note;
    ColourBar *m_colourBar;
    FrameLegend *m_legend;
};

} // namespace lookback::ui
