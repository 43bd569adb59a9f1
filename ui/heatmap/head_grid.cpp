// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_grid.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/heatmap/cell_painter.h"
#include "ui/heatmap/head_keys.h"
#include "ui/heatmap/map_labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kLargest = 48;
constexpr int kSmallest = 24; // the least target for a pointer
constexpr int kGap = 6; // room for the frame of the chosen head

} // namespace

QString layerWord(const model::SublayerInfo &layer)
{
    if (!layer.hasSoftmaxMap)
        return QCoreApplication::translate("HeadGrid", "delta");
    return layer.isWindowed ? QCoreApplication::translate("HeadGrid", "window")
                            : QCoreApplication::translate("HeadGrid", "all");
}

HeadGrid::HeadGrid(QWidget *parent)
    : QWidget(parent), m_weights(ColourMap::Viridis, ColourScale::shared()),
      m_signedWeights(ColourMap::DivergingLight, ColourScale::sharedSigned())
{
    setObjectName(QStringLiteral("headGrid"));
    setAccessibleName(tr("Heads"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void HeadGrid::setExample(std::shared_ptr<const analysis::Example> example, bool isByHead)
{
    m_example = std::move(example);
    m_isByHead = isByHead;
    m_layers.assign(static_cast<std::size_t>(layerCount()), {});
    for (auto &layer : m_layers)
        layer.resize(static_cast<std::size_t>(headCount()));
    m_hover = {-1, -1};
    if (m_example)
        setChoice(m_choice);
    updateGeometry();
    update();
}

void HeadGrid::setLayer(std::int64_t layer, const std::vector<PyramidPointer> &heads)
{
    if (layer < 0 || layer >= layerCount())
        return;
    auto &row = m_layers[static_cast<std::size_t>(layer)];
    for (std::size_t head = 0; head < std::min(row.size(), heads.size()); ++head)
        row[head] = {heads[head], {}};
    update();
}

void HeadGrid::setHead(HeadChoice head, const PyramidPointer &values)
{
    if (head.layer < 0 || head.layer >= layerCount() || head.head < 0 || head.head >= headCount())
        return;
    m_layers[static_cast<std::size_t>(head.layer)][static_cast<std::size_t>(head.head)] = {values, {}};
    update(cellRect(head).adjusted(-kGap, -kGap, kGap, kGap));
}

void HeadGrid::letGo(HeadChoice head)
{
    if (head.layer < 0 || head.layer >= layerCount() || head.head < 0 || head.head >= headCount())
        return;
    Thumbnail &thumbnail = m_layers[static_cast<std::size_t>(head.layer)][static_cast<std::size_t>(head.head)];
    if (thumbnail.values)
        picture(head, static_cast<int>(std::lround(side(width()) * devicePixelRatioF())));
    thumbnail.values.reset();
}

void HeadGrid::keepOnly(std::int64_t layer)
{
    for (std::int64_t other = 0; other < layerCount(); ++other) {
        if (other == layer)
            continue;
        for (std::int64_t head = 0; head < headCount(); ++head)
            letGo({other, head});
    }
}

void HeadGrid::setColours(const ColourTable &weights, const ColourTable &signedWeights)
{
    if (weights == m_weights && signedWeights == m_signedWeights)
        return; // pictures whose values are gone stay
    m_weights = weights;
    m_signedWeights = signedWeights;
    for (auto &layer : m_layers) {
        for (Thumbnail &thumbnail : layer)
            thumbnail.image = {};
    }
    update();
}

void HeadGrid::setStale(bool isStale)
{
    m_isStale = isStale;
    update();
}

void HeadGrid::setChoice(HeadChoice choice)
{
    const HeadChoice clamped{std::clamp<std::int64_t>(choice.layer, 0, std::max<std::int64_t>(layerCount() - 1, 0)),
                             std::clamp<std::int64_t>(choice.head, 0, std::max<std::int64_t>(headCount() - 1, 0))};
    if (clamped == m_choice)
        return;
    m_choice = clamped;
    update();
    announceValue(this, spokenValue());
    Q_EMIT headChosen(m_choice);
}

bool HeadGrid::hasPicture(HeadChoice choice) const
{
    if (choice.layer < 0 || choice.layer >= layerCount() || choice.head < 0 || choice.head >= headCount())
        return false;
    const Thumbnail &thumbnail =
        m_layers[static_cast<std::size_t>(choice.layer)][static_cast<std::size_t>(choice.head)];
    return thumbnail.values || !thumbnail.image.isNull();
}

std::int64_t HeadGrid::layerCount() const
{
    return m_example ? static_cast<std::int64_t>(m_example->layers.size()) : 0;
}

std::int64_t HeadGrid::headCount() const
{
    return m_example ? m_example->heads : 0;
}

QString HeadGrid::words(HeadChoice choice) const
{
    if (!m_example || choice.layer < 0 || choice.layer >= layerCount())
        return {};
    return tr("Layer %1, head %2: %3")
        .arg(choice.layer)
        .arg(choice.head)
        .arg(QString::fromStdString(m_example->layers[static_cast<std::size_t>(choice.layer)].words()));
}

QString HeadGrid::spokenValue() const
{
    const QString text = words(m_choice);
    return m_isByHead && !hasPicture(m_choice) ? QString(text % u". " % tr("Not computed yet.")) : text;
}

QString HeadGrid::spokenHelp() const
{
    return tr("Arrow keys choose a head.");
}

int HeadGrid::labelWidth() const
{
    const QFontMetricsF metrics(scaledFont(font(), 0.85));
    double width = metrics.horizontalAdvance(tr("layer %1").arg(std::max<std::int64_t>(layerCount() - 1, 0)));
    for (std::int64_t layer = 0; layer < layerCount(); ++layer)
        width =
            std::max(width, metrics.horizontalAdvance(layerWord(m_example->layers[static_cast<std::size_t>(layer)])));
    return static_cast<int>(std::ceil(width)) + 8;
}

int HeadGrid::headerHeight() const
{
    return static_cast<int>(std::ceil(QFontMetricsF(scaledFont(font(), 0.85)).height())) + 4;
}

int HeadGrid::side(int width) const
{
    if (headCount() == 0)
        return kLargest;
    const auto fitting = static_cast<int>((width - labelWidth()) / headCount()) - kGap;
    return std::clamp(fitting, kSmallest, kLargest);
}

QRect HeadGrid::cellRect(HeadChoice choice) const
{
    const int size = side(width());
    return {labelWidth() + static_cast<int>(choice.head) * (size + kGap) + kGap / 2,
            headerHeight() + static_cast<int>(choice.layer) * (size + kGap) + kGap / 2, size, size};
}

HeadChoice HeadGrid::headUnder(const QPoint &place) const
{
    for (std::int64_t layer = 0; layer < layerCount(); ++layer) {
        for (std::int64_t head = 0; head < headCount(); ++head) {
            if (cellRect({layer, head}).adjusted(-kGap / 2, -kGap / 2, kGap / 2, kGap / 2).contains(place))
                return {layer, head};
        }
    }
    return {-1, -1};
}

QSize HeadGrid::sizeHint() const
{
    const int width = labelWidth() + static_cast<int>(std::max<std::int64_t>(headCount(), 1)) * (kLargest + kGap);
    return {width, heightForWidth(width)};
}

QSize HeadGrid::minimumSizeHint() const
{
    const int width = labelWidth() + static_cast<int>(std::max<std::int64_t>(headCount(), 1)) * (kSmallest + kGap);
    return {width, heightForWidth(width)};
}

int HeadGrid::heightForWidth(int width) const
{
    return headerHeight() + static_cast<int>(std::max<std::int64_t>(layerCount(), 1)) * (side(width) + kGap);
}

const QImage &HeadGrid::picture(HeadChoice choice, int pixels)
{
    Thumbnail &thumbnail = m_layers[static_cast<std::size_t>(choice.layer)][static_cast<std::size_t>(choice.head)];
    if (thumbnail.values && thumbnail.image.width() != pixels) {
        const ValuePyramid &values = *thumbnail.values;
        const ColourTable &colours = values.isSigned() ? m_signedWeights : m_weights;
        const Theme &theme = Theme::forPalette(palette());
        thumbnail.image = paintCells(values, CellAxis::fitted(values.shape().queries, pixels),
                                     CellAxis::fitted(values.shape().keys, pixels), QRect(0, 0, pixels, pixels),
                                     colours, maskStyleFor(colours.map(), theme));
    }
    return thumbnail.image;
}

void HeadGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (!m_example)
        return;
    const Theme &theme = Theme::forPalette(palette());
    const QFont small = scaledFont(font(), 0.85);
    const double ratio = painter.deviceTransform().m11();
    const int size = side(width());
    painter.setFont(small);
    const bool hasRoom = QFontMetricsF(small).horizontalAdvance(tr("head %1").arg(headCount() - 1)) <= size + kGap - 2;
    for (std::int64_t head = 0; head < headCount(); ++head) {
        const QRect cell = cellRect({0, head});
        painter.setPen(theme.secondText);
        painter.drawText(QRect(cell.left() - kGap / 2, 0, size + kGap, headerHeight() - 4), Qt::AlignCenter,
                         hasRoom ? tr("head %1").arg(head) : QString::number(head));
    }
    for (std::int64_t layer = 0; layer < layerCount(); ++layer) {
        const QRect row = cellRect({layer, 0});
        const int line = headerHeight() - 4;
        const QRect label(0, row.center().y() - line, labelWidth(), line);
        if (size >= 2 * line - 4) {
            painter.setPen(theme.text);
            painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, tr("layer %1").arg(layer));
            painter.setPen(theme.secondText);
            painter.drawText(label.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter,
                             layerWord(m_example->layers[static_cast<std::size_t>(layer)]));
        } else {
            painter.setPen(theme.text);
            painter.drawText(label.translated(0, line / 2), Qt::AlignLeft | Qt::AlignVCenter,
                             tr("layer %1").arg(layer));
        }
        for (std::int64_t head = 0; head < headCount(); ++head) {
            const HeadChoice choice{layer, head};
            const QRect cell = cellRect(choice);
            if (hasPicture(choice)) {
                const QImage &image = picture(choice, static_cast<int>(std::lround(size * ratio)));
                painter.drawImage(QRectF(cell), image);
            } else {
                painter.fillRect(cell, theme.alternateBase);
                painter.setPen(theme.disabledText);
                painter.drawText(cell, Qt::AlignCenter, m_isByHead ? QStringLiteral("–") : QStringLiteral("…"));
            }
            painter.setBrush(Qt::NoBrush);
            if (choice == m_choice) {
                painter.setPen(
                    QPen(hasFocus() ? theme.focus : theme.text, 2.0, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
                painter.drawRect(QRectF(cell).adjusted(-2, -2, 2, 2));
            } else {
                painter.setPen(QPen(choice == m_hover ? theme.accent : theme.hairline, 1.0));
                painter.drawRect(QRectF(cell).adjusted(-0.5, -0.5, 0.5, 0.5));
            }
        }
    }
    if (m_isStale) {
        QColor veil = theme.window;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
}

bool HeadGrid::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const HeadChoice head = headUnder(help->pos());
        QString text = words(head);
        if (m_isByHead && head.layer >= 0 && !hasPicture(head))
            text += u'\n' % tr("Not computed at this size; a click computes it.");
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void HeadGrid::keyPressEvent(QKeyEvent *event)
{
    if (const std::optional<HeadChoice> next = headAfterKey(event->key(), m_choice, headCount()))
        setChoice(*next);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        Q_EMIT headPressed(m_choice);
    else
        QWidget::keyPressEvent(event);
}

void HeadGrid::mousePressEvent(QMouseEvent *event)
{
    const HeadChoice choice = headUnder(event->position().toPoint());
    if (event->button() != Qt::LeftButton || choice.layer < 0)
        return;
    setChoice(choice);
    Q_EMIT headPressed(choice);
}

void HeadGrid::mouseMoveEvent(QMouseEvent *event)
{
    const HeadChoice choice = headUnder(event->position().toPoint());
    if (choice == m_hover)
        return;
    m_hover = choice;
    update();
}

void HeadGrid::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hover = {-1, -1};
    update();
}

void HeadGrid::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        for (auto &layer : m_layers) {
            for (Thumbnail &thumbnail : layer)
                thumbnail.image = {}; // the mask's colour
        }
    }
    if (event->type() == QEvent::FontChange)
        updateGeometry();
}

} // namespace lookback::ui
