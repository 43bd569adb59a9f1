// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>
#include <vector>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/head_grid.h"
#include "ui/heatmap/map_overview.h"

class QButtonGroup;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;

namespace lookback::ui {

/// The left side of the attention page: which run, checkpoint, sequence, answer and digit; the heads; the overview.
class ExamplePanel : public QWidget {
    Q_OBJECT

public:
    struct RunItem {
        std::string id;
        QString title;
        bool operator==(const RunItem &) const = default;
    };

    explicit ExamplePanel(HeadMapView *view, QWidget *parent = nullptr);

    void setRuns(const std::vector<RunItem> &runs, const std::string &current);
    /// Ascending steps; `current` -1 = the newest. `totalSteps` tells a finished run.
    void setCheckpoints(const std::vector<std::int64_t> &steps, std::int64_t current);
    void setKeys(std::int64_t n_keys, std::int64_t most);
    void setSequence(std::int64_t sequence);
    /// Answers and heads of the example.
    void setExample(std::shared_ptr<const analysis::Example> example);
    /// Index among the answers (-1 = none) and digit (-1 = none).
    void setChoice(int answer, std::int64_t digit);
    /// What the overview shows, in words.
    void refreshOverview();

    HeadGrid *grid() const { return m_grid; }
    MapOverview *overview() const { return m_overview; }

Q_SIGNALS:
    void runChosen(const std::string &id);
    void checkpointChosen(qint64 step); ///< -1 = the newest.
    void keysChosen(qint64 n_keys);
    void sequenceChosen(qint64 sequence);
    void choiceAsked(int answer, qint64 digit);

private:
    void makeDigitButtons(std::int64_t count);

    HeadMapView *m_view;
    std::shared_ptr<const analysis::Example> m_example;
    std::vector<RunItem> m_runItems;
    int m_answer = -1;
    QComboBox *m_runs;
    QComboBox *m_checkpoints;
    QSpinBox *m_keys;
    QSpinBox *m_sequence;
    QComboBox *m_answers;
    QWidget *m_digitRow;
    QHBoxLayout *m_digitLayout;
    QButtonGroup *m_digits;
    QWidget *m_look; ///< Heads and overview: hidden while there are none.
    QLabel *m_headCount;
    HeadGrid *m_grid;
    MapOverview *m_overview;
    QLabel *m_shown;
    QLabel *m_note;
};

} // namespace lookback::ui
