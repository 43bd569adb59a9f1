// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

#include <cstdint>
#include <vector>

namespace lookback::ui {

/// A slider over the checkpoints of a run that stands only on them. Its value is the number of the checkpoint in the
/// list, so that a key goes to the next one; its places are those of a step axis above or below it.
class CheckpointSlider : public QSlider {
    Q_OBJECT

public:
    explicit CheckpointSlider(QWidget *parent = nullptr);

    /// Ascending steps and their places, 0..1 of the track.
    void setCheckpoints(const std::vector<std::int64_t> &steps, const std::vector<double> &places);
    const std::vector<std::int64_t> &steps() const { return m_steps; }
    /// Where the track lies, in this widget's coordinates.
    void setTrack(double left, double right);
    /// Step of the value; -1 without checkpoints.
    std::int64_t step() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    double placeOf(std::size_t checkpoint) const;
    void moveTo(double x);
    void describe();

    std::vector<std::int64_t> m_steps;
    std::vector<double> m_places;
    double m_left = 0.0;
    double m_right = 0.0; ///< 0 = the whole width.
};

} // namespace lookback::ui
