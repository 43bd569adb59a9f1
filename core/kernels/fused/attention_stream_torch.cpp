// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/attention_stream_torch.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include "core/kernels/fused/parts_torch.h"
#include "core/kernels/fused/row_kernels.h"
#include "core/kernels/fused/softmax_rows.h"

namespace lookback::kernels::fused {

namespace {

constexpr std::int64_t kPanel = 64; // tokens side by side in the key cache
constexpr std::int64_t kBlockRows = 48; // queries whose scores are in work together
constexpr std::int64_t kBlockKeys = 4 * kPanel;

std::int64_t panelsOf(std::int64_t tokens)
{
    return (tokens + kPanel - 1) / kPanel;
}

std::int64_t strideOfHead(std::int64_t headWidth)
{
    return paddedColumns(headWidth);
}

} // namespace

StreamedAttention::StreamedAttention(const AttentionWeights &weights, const AttentionForm &form,
                                     std::int64_t capacityTokens)
    : m_form(form), m_width(weights.query.size(1)),
      // A windowed layer keeps its window and one piece, and moves them when the buffers are full.
      m_capacity(form.window > 0 ? std::min(capacityTokens, 4 * kPanel + 2 * form.window) : capacityTokens)
{
    const std::int64_t joined = form.heads * form.headWidth;
    const std::int64_t grouped = form.groups * form.headWidth;
    const at::Tensor scaled = weights.query.detach() * form.queryScale;
    const at::Tensor keyValue = at::cat({weights.key.detach(), weights.value.detach()});
    m_query.packTransposed(scaled.const_data_ptr<float>(), m_width, m_width, joined);
    m_keyValue.packTransposed(keyValue.const_data_ptr<float>(), m_width, m_width, 2 * grouped);
    m_output.packTransposed(weights.output.const_data_ptr<float>(), joined, joined, m_width);
    makeRoom(0);
}

/// Buffers for `tokens` more: a windowed layer forgets what no later query sees, and grows if a piece is longer.
void StreamedAttention::makeRoom(std::int64_t tokens)
{
    const std::int64_t head = m_form.headWidth;
    const std::int64_t kept = m_position - m_first;
    const std::int64_t needed = m_form.window > 0 ? std::min(kept, m_form.window - 1) : kept;
    const bool isFull = kept + tokens > m_capacity;
    if (!isFull && m_keys.size() > 0)
        return;
    const std::int64_t capacity = std::max(m_capacity, needed + tokens);
    const std::int64_t stride = strideOfHead(head);
    AlignedFloats keys(static_cast<std::size_t>(m_form.groups * panelsOf(capacity) * head * kPanel));
    AlignedFloats values(static_cast<std::size_t>(m_form.groups * capacity * stride + kPanel));
    std::fill_n(keys.data(), keys.size(), 0.0F);
    std::fill_n(values.data(), values.size(), 0.0F);
    for (std::int64_t group = 0; group < m_form.groups && m_keys.size() > 0; ++group) {
        const float *oldKeys = m_keys.data() + group * panelsOf(m_capacity) * head * kPanel;
        float *newKeys = keys.data() + group * panelsOf(capacity) * head * kPanel;
        for (std::int64_t t = 0; t < needed; ++t) {
            const std::int64_t from = kept - needed + t;
            for (std::int64_t c = 0; c < head; ++c)
                newKeys[(t / kPanel * head + c) * kPanel + t % kPanel] =
                    oldKeys[(from / kPanel * head + c) * kPanel + from % kPanel];
        }
        std::copy_n(m_values.data() + (group * m_capacity + kept - needed) * stride, needed * stride,
                    values.data() + group * capacity * stride);
    }
    m_keys = std::move(keys);
    m_values = std::move(values);
    m_first = m_position - needed;
    m_capacity = capacity;
}

void StreamedAttention::append(std::int64_t tokens, const at::Tensor &normed_PD, const at::Tensor &cos_PR,
                               const at::Tensor &sin_PR)
{
    const std::int64_t head = m_form.headWidth;
    const std::int64_t grouped = m_form.groups * head;
    const std::int64_t strideHead = strideOfHead(head);
    const std::int64_t stride = rowStride(2 * grouped);
    const std::int64_t start = m_position - m_first;
    m_piece.require(static_cast<std::size_t>(tokens * stride));
    forRows(tokens, [&](std::int64_t first, std::int64_t rows) {
        float *piece = m_piece.data() + first * stride;
        multiply(rows, normed_PD.const_data_ptr<float>() + first * m_width, m_width, m_keyValue, piece, stride, false);
        if (cos_PR.defined()) {
            const std::int64_t half = cos_PR.size(1);
            rotateHeads(rows, m_form.groups, head, half, piece, stride, cos_PR.const_data_ptr<float>() + first * half,
                        sin_PR.const_data_ptr<float>() + first * half, half, 1.0F);
        }
    });
    for (std::int64_t group = 0; group < m_form.groups; ++group) {
        float *keys = m_keys.data() + group * panelsOf(m_capacity) * head * kPanel;
        float *values = m_values.data() + (group * m_capacity + start) * strideHead;
        for (std::int64_t t = 0; t < tokens; ++t) {
            const float *row = m_piece.data() + t * stride + group * head;
            const std::int64_t at = start + t;
            float *column = keys + at / kPanel * head * kPanel + at % kPanel;
            for (std::int64_t c = 0; c < head; ++c)
                column[c * kPanel] = row[c];
            std::copy_n(row + grouped, head, values + t * strideHead);
        }
    }
}

at::Tensor StreamedAttention::feed(const at::Tensor &normed_PD, const at::Tensor &cos_PR, const at::Tensor &sin_PR,
                                   const at::Tensor &rows_Q)
{
    const at::Tensor normed = normed_PD.contiguous();
    const at::Tensor cos = cos_PR.defined() ? cos_PR.contiguous() : cos_PR;
    const at::Tensor sin = sin_PR.defined() ? sin_PR.contiguous() : sin_PR;
    const std::int64_t tokens = normed.size(0);
    const std::int64_t head = m_form.headWidth;
    const std::int64_t joined = m_form.heads * head;
    const std::int64_t stride = rowStride(joined + kPanel);
    makeRoom(tokens);
    append(tokens, normed, cos, sin);

    const at::Tensor rows = rows_Q.defined() ? rows_Q.contiguous() : rows_Q;
    const std::int64_t *chosen = rows.defined() ? rows.const_data_ptr<std::int64_t>() : nullptr;
    const std::int64_t queries = rows.defined() ? rows.size(0) : tokens;
    const auto rowOf = [chosen](std::int64_t query) { return chosen ? chosen[query] : query; };
    const std::int64_t start = m_position - m_first;
    m_position += tokens;
    m_queries.require(static_cast<std::size_t>(std::max<std::int64_t>(1, queries) * stride));
    m_mixed.require(m_queries.size());
    at::Tensor output = at::empty({queries, m_width}, normed.options());
    forRows(queries, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t q = first; q < first + count; ++q) {
            // Whole blocks of consecutive rows where that is so; single rows otherwise.
            std::int64_t run = 1;
            while (q + run < first + count && rowOf(q + run) == rowOf(q) + run)
                ++run;
            const std::int64_t row = rowOf(q);
            float *to = m_queries.data() + q * stride;
            multiply(run, normed.const_data_ptr<float>() + row * m_width, m_width, m_query, to, stride, false);
            if (cos.defined()) {
                const std::int64_t half = cos.size(1);
                rotateHeads(run, m_form.heads, head, half, to, stride, cos.const_data_ptr<float>() + row * half,
                            sin.const_data_ptr<float>() + row * half, half, 1.0F);
            }
            q += run - 1;
        }
    });

    const std::int64_t perGroup = m_form.heads / m_form.groups;
    const std::int64_t blocks = (queries + kBlockRows - 1) / kBlockRows;
    const std::int64_t strideHead = strideOfHead(head);
    forEach(blocks * m_form.heads, [&](std::int64_t task) {
        thread_local AlignedFloats scores;
        const std::int64_t strideScores = rowStride(kBlockKeys);
        scores.require(static_cast<std::size_t>(kBlockRows * strideScores));
        const std::int64_t headIndex = task % m_form.heads;
        const std::int64_t block = blocks - 1 - task / m_form.heads; // those that see most come first
        const std::int64_t group = headIndex / perGroup;
        const std::int64_t first = block * kBlockRows;
        const std::int64_t count = std::min(kBlockRows, queries - first);
        const float *keys = m_keys.data() + group * panelsOf(m_capacity) * head * kPanel;
        const float *values = m_values.data() + group * m_capacity * strideHead;
        const float *query = m_queries.data() + first * stride + headIndex * head;
        float *mixed = m_mixed.data() + first * stride + headIndex * head;
        std::array<VisibleKeys, kBlockRows> visible;
        std::array<SoftmaxState, kBlockRows> states{};
        std::int64_t lowest = m_capacity;
        std::int64_t highest = 0;
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t at = start + rowOf(first + r);
            visible[static_cast<std::size_t>(r)] = {
                m_form.window > 0 ? std::max<std::int64_t>(0, at - m_form.window + 1) : 0, at + 1};
            lowest = std::min(lowest, visible[static_cast<std::size_t>(r)].begin);
            highest = std::max(highest, at + 1);
        }
        bool isFirst = true;
        for (std::int64_t key = lowest / kPanel * kPanel; key < highest; key += kBlockKeys) {
            const std::int64_t columns = std::min(kBlockKeys, highest - key);
            for (std::int64_t c = 0; c < columns; c += kPanel)
                multiplyRows(count, std::min(kPanel, columns - c), head, query, stride,
                             keys + (key + c) / kPanel * head * kPanel, kPanel, scores.data() + c, strideScores, false);
            std::array<VisibleKeys, kBlockRows> here;
            for (std::size_t r = 0; r < static_cast<std::size_t>(count); ++r)
                here[r] = {std::clamp<std::int64_t>(visible[r].begin - key, 0, columns),
                           std::clamp<std::int64_t>(visible[r].end - key, 0, columns)};
            softmaxBlock(count, columns, scores.data(), strideScores, here.data(), m_form.isSquared, states.data(),
                         head, mixed, stride, isFirst);
            multiplyRows(count, head, columns, scores.data(), strideScores, values + key * strideHead, strideHead,
                         mixed, stride, true);
            isFirst = false;
        }
        finishSoftmax(count, states.data(), head, mixed, stride);
    });
    forRows(queries, [&](std::int64_t first, std::int64_t count) {
        multiply(count, m_mixed.data() + first * stride, stride, m_output,
                 output.mutable_data_ptr<float>() + first * m_width, m_width, false);
    });
    return output;
}

} // namespace lookback::kernels::fused
