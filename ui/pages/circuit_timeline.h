// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include <memory>
#include <span>
#include <vector>

#include "core/circuit/head_measures.h"
#include "core/run/metrics.h"
#include "ui/charts/line_chart.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace lookback::ui {

class CheckpointSlider;

/// The left side of the circuit page: loss above, checkpoints between, head scores below, on one logarithmic step axis.
/// Play goes through the checkpoints, five a second, and stops at the last.
class CircuitTimeline : public QWidget {
    Q_OBJECT

public:
    static constexpr int kPlayIntervalMs = 200;

    explicit CircuitTimeline(QWidget *parent = nullptr);

    /// The loss of the run; `style` is its curve's.
    void setRun(const QString &title, const SeriesStyle &style, std::span<const run::MetricsRecord> metrics,
                std::vector<Stage> stages, std::int64_t lastStep);
    /// Ascending.
    void setCheckpoints(const std::vector<std::int64_t> &steps);
    /// The checkpoint that is shown; emits nothing.
    void setStep(std::int64_t step);
    /// Head scores so far; null: not followed yet. `failure` says why not.
    void setTimeline(std::shared_ptr<const std::vector<circuit::HeadTable>> timeline, bool isPending,
                     const QString &failure);
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    bool isPlaying() const { return m_player.isActive(); }
    /// While something of the step on view is still to come, play waits for it, but not long.
    void setWaiting(bool isWaiting) { m_isWaiting = isWaiting; }
    void stop();

    LineChart *scores() const { return m_scores; }
    CheckpointSlider *slider() const { return m_slider; }

Q_SIGNALS:
    void stepChosen(qint64 step); ///< While playing, too.
    void playingChanged(bool isPlaying);
    void timelineAsked();
    void headChosen(const lookback::circuit::HeadId &id);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void play(bool isOn);
    void refreshScores();
    void refreshMarker();
    void alignTrack();
    void fitLabels();

    XView *m_view;
    LineChart *m_loss;
    LineChart *m_scores;
    CheckpointSlider *m_slider;
    QToolButton *m_play;
    QComboBox *m_steps;
    QLabel *m_reading;
    QStackedWidget *m_stack;
    QLabel *m_why;
    QPushButton *m_follow;
    QTimer m_player;
    bool m_isWaiting = false;
    int m_waited = 0; ///< Intervals on this step.

    QString m_title;
    SeriesStyle m_style;
    std::vector<run::MetricsRecord> m_metrics;
    std::vector<std::int64_t> m_checkpoints;
    std::int64_t m_step = -1;
    std::shared_ptr<const std::vector<circuit::HeadTable>> m_timeline;
    std::vector<circuit::HeadId> m_chosen;
    std::vector<std::pair<QString, circuit::HeadId>> m_lineIds;
};

} // namespace lookback::ui
