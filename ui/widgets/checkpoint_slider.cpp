// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/checkpoint_slider.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>

#include "ui/charts/number_text.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

namespace {
constexpr double kKnob = 8.0; // radius
constexpr double kAir = 10.0; // beside a track without a place of its own
} // namespace

CheckpointSlider::CheckpointSlider(QWidget *parent) : QSlider(Qt::Horizontal, parent)
{
    setObjectName(QStringLiteral("checkpointSlider"));
    setAccessibleName(tr("Checkpoint"));
    setRange(0, 0);
    setPageStep(4);
    setFocusPolicy(Qt::StrongFocus);
    setEnabled(false);
    connect(this, &QSlider::valueChanged, this, &CheckpointSlider::describe);
}

void CheckpointSlider::setCheckpoints(const std::vector<std::int64_t> &steps, const std::vector<double> &places)
{
    const std::int64_t before = step();
    m_steps = steps;
    m_places = places;
    const QSignalBlocker blocker(this);
    setRange(0, std::max(0, static_cast<int>(steps.size()) - 1));
    if (const auto found = std::ranges::find(m_steps, before); found != m_steps.end())
        setValue(static_cast<int>(found - m_steps.begin()));
    setEnabled(steps.size() > 1);
    describe();
    update();
}

void CheckpointSlider::describe()
{
    setAccessibleDescription(
        m_steps.empty()
            ? QString()
            : tr("step %1, checkpoint %2 of %3").arg(countText(step())).arg(value() + 1).arg(m_steps.size()));
    setToolTip(accessibleDescription());
}

void CheckpointSlider::setTrack(double left, double right)
{
    m_left = left;
    m_right = right;
    update();
}

std::int64_t CheckpointSlider::step() const
{
    return m_steps.empty() ? -1 : m_steps[static_cast<std::size_t>(std::clamp(value(), 0, maximum()))];
}

QSize CheckpointSlider::sizeHint() const
{
    return {200, 40};
}

double CheckpointSlider::placeOf(std::size_t checkpoint) const
{
    const double left = m_right > 0.0 ? m_left : kAir;
    const double right = m_right > 0.0 ? m_right : width() - kAir;
    const double place = checkpoint < m_places.size() ? m_places[checkpoint] : 0.0;
    return left + place * (right - left);
}

void CheckpointSlider::moveTo(double x)
{
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        if (std::abs(placeOf(i) - x) < std::abs(placeOf(nearest) - x))
            nearest = i;
    }
    setValue(static_cast<int>(nearest));
}

void CheckpointSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setSliderDown(true);
    moveTo(event->position().x());
}

void CheckpointSlider::mouseMoveEvent(QMouseEvent *event)
{
    if (isSliderDown())
        moveTo(event->position().x());
}

void CheckpointSlider::mouseReleaseEvent(QMouseEvent *)
{
    setSliderDown(false);
}

void CheckpointSlider::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing, true);
    const Theme &theme = Theme::forPalette(palette());
    const double left = m_right > 0.0 ? m_left : kAir;
    const double right = m_right > 0.0 ? m_right : width() - kAir;
    const double y = 0.42 * height();
    const double x = m_steps.empty() ? left : placeOf(static_cast<std::size_t>(value()));
    painter.setPen(QPen(theme.hairline, 4.0, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    const QColor strong = isEnabled() ? theme.accent : theme.disabledText;
    if (!m_steps.empty()) {
        painter.setPen(QPen(strong, 4.0, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(left, y), QPointF(x, y));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(theme.secondText, 1.0));
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const int at = static_cast<int>(std::lround(placeOf(i)));
        painter.drawLine(at, height() - 8, at, height() - 3);
    }
    if (m_steps.empty())
        return;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(isEnabled() ? theme.accent : theme.controlBorder, 1.5));
    painter.setBrush(isSliderDown() ? theme.selection : theme.control);
    painter.drawEllipse(QPointF(x, y), kKnob, kKnob);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.focus, 2.0));
        painter.drawEllipse(QPointF(x, y), kKnob + 3.0, kKnob + 3.0);
    }
}

} // namespace lookback::ui
