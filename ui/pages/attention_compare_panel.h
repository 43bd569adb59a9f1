// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

#include <memory>
#include <optional>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/heatmap/head_grid.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QToolButton;

namespace lookback::ui {

/// Reads a comparison: what both sides answer, notes, and the colour bars of weights and difference. Its header (what
/// stands at the right, which head, the end) is a row of its own.
class ComparePanel : public QScrollArea {
    Q_OBJECT

public:
    explicit ComparePanel(QWidget *parent = nullptr);

    /// To be placed above the panes; hidden at first.
    QWidget *header() const { return m_header; }

    /// Of the right side; `chosen` empty = the same head as at the left, which is `same`.
    void setHeads(std::int64_t layers, std::int64_t heads, std::optional<HeadChoice> chosen, HeadChoice same);
    /// Null: not there yet.
    void setExamples(std::shared_ptr<const analysis::Example> left, std::shared_ptr<const analysis::Example> right);
    /// Which answer (index among the answers; -1 = none).
    void setAnswer(int answer);
    /// Sentences to know, one a line.
    void setNotes(const QStringList &notes);
    QString notes() const;
    /// What both sides answer, as plain text: "Left: predicted 2 9 6, ...".
    QString answerText() const { return m_answerText; }

    ColourBar *weightBar() const { return m_weightBar; }
    ColourBar *differenceBar() const { return m_differenceBar; }
    /// Opens the menu of right sides; the menu is set by its owner.
    QToolButton *changeButton() const { return m_change; }

Q_SIGNALS:
    void headChosen(std::optional<lookback::ui::HeadChoice> head);
    void endAsked();

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refreshAnswers();
    void tellHead();

    std::shared_ptr<const analysis::Example> m_left;
    std::shared_ptr<const analysis::Example> m_right;
    int m_answer = -1;
    HeadChoice m_same;
    QString m_answerText;
    QWidget *m_header;
    QToolButton *m_change;
    QComboBox *m_layer;
    QComboBox *m_head;
    QLabel *m_answers;
    QLabel *m_notes;
    QBoxLayout *m_bars;
    ColourBar *m_weightBar;
    ColourBar *m_differenceBar;
};

} // namespace lookback::ui
