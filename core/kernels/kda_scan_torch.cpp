// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/kda_scan_torch.h"

#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

// Shapes beside those of the header: M = B x H, N chunks, J = kKdaChunk tokens of a chunk.
//
// With b the inclusive sum of log decays within a chunk and S the state before it, the chunk's writes are
//     X = (I + A)^-1 Diag(beta) (V - (exp(b) K) S),   A_ri = beta_r sum_d k_rd k_id exp(b_rd - b_id), i < r,
// its outputs (exp(b) Q) S + tril(Q K^T exp(b_r - b_i)) X, and the state after it
//     Diag(exp(b_last)) S + (exp(b_last - b) K)^T X.

namespace lookback::kernels {

KdaScanResult kdaScan(const at::Tensor &query_BHTK, const at::Tensor &key_BHTK, const at::Tensor &value_BHTV,
                      const at::Tensor &logDecay_BHTK, const at::Tensor &beta_BHT, const at::Tensor &state_BHKV)
{
    const std::int64_t sequences = query_BHTK.size(0);
    const std::int64_t heads = query_BHTK.size(1);
    const std::int64_t tokens = query_BHTK.size(2);
    const std::int64_t keyWidth = query_BHTK.size(3);
    const std::int64_t valueWidth = value_BHTV.size(3);
    const std::int64_t chunks = (tokens + kKdaChunk - 1) / kKdaChunk;
    const std::int64_t padding = chunks * kKdaChunk - tokens;

    // A token with zero log decay and zero beta leaves the state as it is, so padding changes nothing.
    const auto inChunks = [&](const at::Tensor &x_BHTx) {
        const at::Tensor whole = padding == 0 ? x_BHTx : at::constant_pad_nd(x_BHTx, {0, 0, 0, padding});
        return whole.reshape({sequences * heads, chunks, kKdaChunk, x_BHTx.size(3)});
    };
    const at::Tensor query_MNJK = inChunks(query_BHTK);
    const at::Tensor key_MNJK = inChunks(key_BHTK);
    const at::Tensor value_MNJV = inChunks(value_BHTV);
    const at::Tensor decay_MNJK = inChunks(logDecay_BHTK).cumsum(2);
    const at::Tensor beta_MNJ1 = inChunks(beta_BHT.unsqueeze(-1));

    const at::Tensor grown_MNJK = decay_MNJK.exp();
    const at::Tensor keyInverse_MNKJ = (key_MNJK * decay_MNJK.neg().exp()).transpose(2, 3);
    const at::Tensor keyDecayed_MNJK = key_MNJK * grown_MNJK;
    const at::Tensor queryDecayed_MNJK = query_MNJK * grown_MNJK;
    const at::Tensor overlap_MNJJ = at::matmul(keyDecayed_MNJK, keyInverse_MNKJ).tril(-1) * beta_MNJ1;
    const at::Tensor reading_MNJJ = at::matmul(queryDecayed_MNJK, keyInverse_MNKJ).tril();

    const at::Tensor right_MNJx = at::cat({keyDecayed_MNJK, value_MNJV}, 3) * beta_MNJ1;
    const at::Tensor solved_MNJx =
        at::linalg_solve_triangular(overlap_MNJJ, right_MNJx, /*upper=*/false, /*left=*/true, /*unitriangular=*/true);
    const at::Tensor erase_MNJK = solved_MNJx.narrow(3, 0, keyWidth);
    const at::Tensor write_MNJV = solved_MNJx.narrow(3, keyWidth, valueWidth);

    const at::Tensor last_MN1K = decay_MNJK.narrow(2, kKdaChunk - 1, 1);
    const at::Tensor keyToEnd_MNKJ = (key_MNJK * (last_MN1K - decay_MNJK).exp()).transpose(2, 3);
    const at::Tensor kept_MNK1 = last_MN1K.exp().transpose(2, 3);

    at::Tensor state_MKV = state_BHKV.defined()
        ? state_BHKV.reshape({sequences * heads, keyWidth, valueWidth})
        : at::zeros({sequences * heads, keyWidth, valueWidth}, value_BHTV.options());
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> writes;
    for (std::int64_t n = 0; n < chunks; ++n) {
        states.push_back(state_MKV);
        writes.push_back(at::baddbmm(write_MNJV.select(1, n), erase_MNJK.select(1, n), state_MKV, 1.0, -1.0));
        state_MKV = at::baddbmm(state_MKV * kept_MNK1.select(1, n), keyToEnd_MNKJ.select(1, n), writes.back());
    }
    const at::Tensor output_MNJV =
        at::matmul(queryDecayed_MNJK, at::stack(states, 1)) + at::matmul(reading_MNJJ, at::stack(writes, 1));
    return {output_MNJV.reshape({sequences, heads, chunks * kKdaChunk, valueWidth}).narrow(2, 0, tokens),
            state_MKV.reshape({sequences, heads, keyWidth, valueWidth})};
}

} // namespace lookback::kernels
