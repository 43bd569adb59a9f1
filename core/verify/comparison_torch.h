// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "core/verify/verify.h"

namespace lookback::verify {

/// Gathers one row of a report over one or several tensors.
class Comparison {
public:
    enum class Scale { Absolute, Relative };

    Comparison(std::string file, std::string quantity, std::string precision, double tolerance,
               Scale scale = Scale::Absolute);

    /// Relative differences are divided by the largest expected magnitude of each tensor, or by `floor` if that is
    /// more.
    void setFloor(double floor) { m_floor = floor; }

    /// `name`: which tensor, for rows that join several. A shape that differs counts as an infinite difference.
    void add(const at::Tensor &computed, const at::Tensor &expected, const std::string &name = {});
    void add(double computed, double expected);
    /// A number that must be equal.
    void addExact(std::int64_t computed, std::int64_t expected);

    bool isEmpty() const { return m_row.values == 0; }
    VerifyRow row() const;
    /// Appends row() unless nothing was compared. "%" in the quantity's name becomes the number of tensors.
    void finish(VerifyReport &report) const;

private:
    VerifyRow m_row;
    double m_floor = 0.0;
    std::int64_t m_tensors = 0;
};

} // namespace lookback::verify
