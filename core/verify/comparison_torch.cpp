// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/comparison_torch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/scalar_tensor.h>

namespace lookback::verify {

Comparison::Comparison(std::string file, std::string quantity, std::string precision, double tolerance, Scale scale)
{
    m_row.file = std::move(file);
    m_row.quantity = std::move(quantity);
    m_row.precision = std::move(precision);
    m_row.tolerance = tolerance;
    m_row.isRelative = scale == Scale::Relative;
}

void Comparison::add(const at::Tensor &computed, const at::Tensor &expected, const std::string &name)
{
    ++m_tensors;
    m_row.values += std::max<std::int64_t>(expected.numel(), 1);
    double absolute = std::numeric_limits<double>::infinity();
    double magnitude = m_floor;
    if (expected.numel() > 0) {
        const at::Tensor wanted = expected.detach().to(at::kCPU, at::kDouble);
        magnitude = std::max(magnitude, wanted.abs().max().item<double>());
        if (computed.defined() && computed.sizes() == expected.sizes()) {
            const at::Tensor difference = (computed.detach().to(at::kCPU, at::kDouble) - wanted).abs();
            if (difference.isfinite().all().item<bool>())
                absolute = difference.max().item<double>();
        }
    }
    const double relative = absolute == 0.0 ? 0.0 : absolute / magnitude;
    const double former = m_row.isRelative ? m_row.largestRelative : m_row.largestAbsolute;
    if (m_tensors == 1 || (m_row.isRelative ? relative : absolute) > former)
        m_row.worst = name;
    m_row.largestAbsolute = std::max(m_row.largestAbsolute, absolute);
    m_row.largestRelative = std::max(m_row.largestRelative, relative);
}

void Comparison::add(double computed, double expected)
{
    add(at::scalar_tensor(computed, at::kDouble), at::scalar_tensor(expected, at::kDouble));
}

void Comparison::addExact(std::int64_t computed, std::int64_t expected)
{
    ++m_row.values;
    if (computed == expected)
        return;
    const double difference = std::abs(static_cast<double>(computed) - static_cast<double>(expected));
    m_row.largestAbsolute = std::max(m_row.largestAbsolute, difference);
    m_row.largestRelative = std::max(m_row.largestRelative, difference / std::abs(static_cast<double>(expected)));
}

VerifyRow Comparison::row() const
{
    VerifyRow row = m_row;
    row.passed = (row.isRelative ? row.largestRelative : row.largestAbsolute) <= row.tolerance;
    if (const std::size_t mark = row.quantity.find('%'); mark != std::string::npos)
        row.quantity.replace(mark, 1, std::to_string(m_tensors));
    if (m_tensors < 2)
        row.worst.clear();
    return row;
}

void Comparison::finish(VerifyReport &report) const
{
    if (!isEmpty())
        report.rows.push_back(row());
}

} // namespace lookback::verify
