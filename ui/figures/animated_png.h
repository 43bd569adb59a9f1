// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QList>

#include <vector>

namespace lookback::ui {

/// A frame of an animation.
struct AnimationFrame {
    QImage image;
    int milliseconds = 600; ///< How long it is shown; at most 65,535.
};

/// The bytes of an animated PNG (W3C, "Portable Network Graphics (PNG) Specification", third edition, acTL, fcTL and
/// fdAT chunks) that repeats for ever. `still`: a PNG of the same size, with its texts, that programs show which know
/// no animation; it is not part of the animation. Frames have the size of the first one. Throws Error if one cannot be
/// encoded.
QByteArray animatedPng(const QByteArray &still, const std::vector<AnimationFrame> &frames);

} // namespace lookback::ui
