// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kda_rows_torch.h"

#include <algorithm>
#include <vector>

#include <ATen/ops/exp.h>
#include <ATen/ops/zeros.h>

namespace lookback::kernels {

namespace {

/// One head; all arrays contiguous. `weights_XQ`: zeros at first.
template <typename Real>
void readBack(const Real *query_TK, const Real *key_TK, const Real *decay_TK, const Real *beta_T, std::int64_t channels,
              std::int64_t firstQuery, std::int64_t rows, Real *weights_XQ)
{
    std::vector<Real> reading_KQ(static_cast<std::size_t>(channels * rows), Real(0));
    for (std::int64_t s = firstQuery + rows - 1; s >= 0; --s) {
        const std::int64_t first = std::max<std::int64_t>(s - firstQuery, 0); // rows t >= s
        if (s >= firstQuery) {
            for (std::int64_t c = 0; c < channels; ++c)
                reading_KQ[static_cast<std::size_t>(c * rows + first)] = query_TK[s * channels + c];
        }
        const Real *key = key_TK + s * channels;
        const Real *decay = decay_TK + s * channels;
        Real *weight = weights_XQ + s * rows;
        for (std::int64_t c = 0; c < channels; ++c) {
            const Real *reading = reading_KQ.data() + c * rows;
            const Real k = key[c];
            for (std::int64_t i = first; i < rows; ++i)
                weight[i] += k * reading[i];
        }
        for (std::int64_t i = first; i < rows; ++i)
            weight[i] *= beta_T[s];
        for (std::int64_t c = 0; c < channels; ++c) {
            Real *reading = reading_KQ.data() + c * rows;
            const Real k = key[c];
            const Real a = decay[c];
            for (std::int64_t i = first; i < rows; ++i)
                reading[i] = a * (reading[i] - k * weight[i]);
        }
    }
}

template <typename Real>
void readBackHeads(const at::Tensor &query, const at::Tensor &key, const at::Tensor &decay, const at::Tensor &beta,
                   std::int64_t firstQuery, std::int64_t rows, at::Tensor &weights)
{
    const std::int64_t tokens = query.size(1);
    const std::int64_t channels = query.size(2);
    for (std::int64_t head = 0; head < query.size(0); ++head) {
        const std::int64_t at = head * tokens * channels;
        readBack(query.const_data_ptr<Real>() + at, key.const_data_ptr<Real>() + at, decay.const_data_ptr<Real>() + at,
                 beta.const_data_ptr<Real>() + head * tokens, channels, firstQuery, rows,
                 weights.mutable_data_ptr<Real>() + head * weights.size(1) * rows);
    }
}

} // namespace

at::Tensor kdaMatrixRows(const at::Tensor &query_HTK, const at::Tensor &key_HTK, const at::Tensor &logDecay_HTK,
                         const at::Tensor &beta_HT, std::int64_t firstQuery, std::int64_t rows)
{
    const at::Tensor query = query_HTK.contiguous();
    const at::Tensor key = key_HTK.contiguous();
    const at::Tensor decay = logDecay_HTK.exp().contiguous();
    const at::Tensor beta = beta_HT.contiguous();
    at::Tensor weights_HXQ = at::zeros({query.size(0), firstQuery + rows, rows}, query.options());
    if (query.scalar_type() == at::kDouble)
        readBackHeads<double>(query, key, decay, beta, firstQuery, rows, weights_HXQ);
    else
        readBackHeads<float>(query, key, decay, beta, firstQuery, rows, weights_HXQ);
    return weights_HXQ.transpose(1, 2);
}

} // namespace lookback::kernels
