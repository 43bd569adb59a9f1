// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Shapes: T positions, C head width, R half of the rotated width.

namespace lookback::kernels {

/// In which precision angles, cosines and sines are made before they are cast to the type of the vectors. Double is
/// Lookback's; Single is how the published tables were made (it differs by up to 2e-2 at position 1,000,000).
enum class AnglePrecision { Double, Single };

/// Cosines and sines of the rotary angles position / base^(2i / rotatedWidth), i = 0..R-1.
struct RotaryTable {
    at::Tensor cos_TR;
    at::Tensor sin_TR;
};

/// Angles [T, R] in float64 (Single: made in float32, then widened). `positions_T`: float64 or int64, from 0.
at::Tensor rotaryAngles(const at::Tensor &positions_T, std::int64_t rotatedWidth, double base,
                        AnglePrecision precision = AnglePrecision::Double);

/// The table in the type and on the device of `options`.
RotaryTable rotaryTable(const at::Tensor &positions_T, std::int64_t rotatedWidth, double base,
                        const at::TensorOptions &options, AnglePrecision precision = AnglePrecision::Double);

/// Rotates the pairs (i, i + R) of the first 2R of the C channels of x [..., T, C]; the others pass. The table's
/// shape [..., T, R] must broadcast. Differentiable in x.
at::Tensor rotate(const at::Tensor &x, const RotaryTable &table);

} // namespace lookback::kernels
