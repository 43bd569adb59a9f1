// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QString>
#include <QWidget>

#include <cstdint>

#include "core/config.h"
#include "core/model/variant_info.h"

class QPainter;

namespace lookback::ui {

/// Draws what one attention sublayer does into a square: filled triangle = RoPE, sees all; grey = RoPE on part of each
/// head; hollow = no position; stripe = window; ring = a recurrent design; dot at the upper right = logits squared.
void drawSublayerGlyph(QPainter &painter, const QRectF &square, const model::SublayerInfo &sublayer,
                       const QPalette &palette);

/// Draws the sublayers of a variant right-aligned into `rect`, 12 px each; more than eight end in their number.
void drawSublayerStrip(QPainter &painter, const QRectF &rect, const model::VariantInfo &variant, std::int64_t sublayers,
                       const QPalette &palette);

/// Width of that strip: 94 px at most.
int stripWidth(std::int64_t sublayers);

/// "8 attention sublayers: 0, 2, 4, 6: RoPE, window of 10 tokens; 1, 3, 5, 7: no position, sees all tokens".
QString sublayersInWords(const model::VariantInfo &variant, const RunConfig &config);

/// The key of the glyphs, in two rows of three; below the variant list.
class SublayerLegend : public QWidget {
    Q_OBJECT

public:
    explicit SublayerLegend(QWidget *parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace lookback::ui
