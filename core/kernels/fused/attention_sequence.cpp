// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/fused/attention_sequence.h"

#include <algorithm>
#include <vector>

namespace lookback::kernels::fused {

namespace {

// Queries whose scores are in work together: few, so that little of the masked triangle is computed.
constexpr std::int64_t kBlockRows = 32;
// Readers of a head take whole panels of columns, the last head included.
constexpr std::int64_t kMostPanel = 64;

std::size_t floats(std::int64_t rows, std::int64_t stride)
{
    return static_cast<std::size_t>(rows * stride);
}

/// Buffers of one thread, kept between calls.
struct Scratch {
    AlignedFloats normed;
    AlignedFloats chosen; ///< Normed rows of the queries.
    AlignedFloats query;
    AlignedFloats keyValue;
    AlignedFloats mixed;
    AlignedFloats dMixed;
    AlignedFloats dQuery;
    AlignedFloats dKeyValue;
    AlignedFloats dNormed;
    AlignedFloats dChosen;
    AlignedFloats keyColumns;
    AlignedFloats valueColumns;
    AlignedFloats scores;
    AlignedFloats dScores;
    std::vector<RowMoments> moments;
    std::vector<SoftmaxScale> scales;
};
thread_local Scratch scratch;

/// Queries first..first+rows-1, and the keys from `begin` to `end` that one of them sees.
struct Block {
    std::int64_t first = 0;
    std::int64_t rows = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    VisibleKeys visible[kBlockRows];
    std::int64_t keys() const { return end - begin; }
};

Block blockAt(std::int64_t first, const AttentionLayout &layout, std::int64_t window, const Queries &queries)
{
    Block block;
    block.first = first;
    block.rows = std::min(kBlockRows, layout.queries - first);
    block.begin = layout.tokens;
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const std::int64_t position = queries.at(first + r);
        const std::int64_t begin = window > 0 ? std::max<std::int64_t>(0, position - window + 1) : 0;
        block.visible[r] = {begin, position + 1};
        block.begin = std::min(block.begin, begin);
        block.end = std::max(block.end, position + 1);
    }
    for (std::int64_t r = 0; r < block.rows; ++r) {
        block.visible[r].begin -= block.begin;
        block.visible[r].end -= block.begin;
    }
    return block;
}

void rotate(const AttentionLayout &layout, std::int64_t rows, std::int64_t heads, float *x, std::int64_t stride,
            const Rotation &rotation, const Queries &positions, float sign)
{
    if (layout.half == 0)
        return;
    if (!positions.positions) {
        rotateHeads(rows, heads, layout.head, layout.half, x, stride, rotation.cos, rotation.sin, layout.half, sign);
        return;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = positions.at(r) * layout.half;
        rotateHeads(1, heads, layout.head, layout.half, x + r * stride, stride, rotation.cos + at, rotation.sin + at,
                    layout.half, sign);
    }
}

const float *gathered(const AttentionLayout &layout, const float *rows, std::int64_t stride, const Queries &queries,
                      AlignedFloats &to)
{
    if (!queries.positions)
        return rows;
    to.require(floats(layout.queries, stride));
    for (std::int64_t q = 0; q < layout.queries; ++q)
        std::copy_n(rows + queries.at(q) * stride, layout.width, to.data() + q * stride);
    return to.data();
}

} // namespace

AttentionLayout::AttentionLayout(std::int64_t sequenceCount, std::int64_t tokenCount, std::int64_t modelWidth,
                                 std::int64_t queryCount, std::int64_t rotatedPairs, const AttentionForm &form)
    : sequences(sequenceCount), tokens(tokenCount), width(modelWidth), queries(queryCount), half(rotatedPairs),
      head(form.headWidth), joined(form.heads * head), grouped(form.groups * head), strideNormed(rowStride(width)),
      strideQuery(rowStride(joined + kMostPanel)), strideKeyValue(rowStride(2 * grouped + kMostPanel)),
      strideScores(rowStride(tokens + 16))
{
}

Kept keptInScratch(const AttentionLayout &layout, std::int64_t heads)
{
    Scratch &own = scratch;
    own.query.require(floats(layout.queries, layout.strideQuery));
    own.mixed.require(floats(layout.queries, layout.strideQuery));
    own.keyValue.require(floats(layout.tokens, layout.strideKeyValue));
    own.moments.resize(static_cast<std::size_t>(layout.tokens));
    own.scales.resize(static_cast<std::size_t>(heads * layout.queries));
    return {own.query.data(), own.keyValue.data(), own.mixed.data(), own.moments.data(), own.scales.data()};
}

void forwardSequence(const AttentionLayout &layout, const AttentionForm &form, const float *x, const float *gain,
                     const ForwardPanels &panels, const Rotation &rotation, const Queries &queries, const Kept &kept,
                     float *y)
{
    Scratch &own = scratch;
    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.keyColumns.require(floats(layout.head, layout.strideScores));
    own.scores.require(floats(kBlockRows, layout.strideScores));
    layerNorm(layout.tokens, layout.width, x, layout.width, gain, own.normed.data(), layout.strideNormed, kept.moments);
    const float *chosen = gathered(layout, own.normed.data(), layout.strideNormed, queries, own.chosen);
    multiply(layout.queries, chosen, layout.strideNormed, panels.query, kept.query, layout.strideQuery, false);
    multiply(layout.tokens, own.normed.data(), layout.strideNormed, panels.keyValue, kept.keyValue,
             layout.strideKeyValue, false);
    rotate(layout, layout.queries, form.heads, kept.query, layout.strideQuery, rotation, queries, 1.0F);
    rotate(layout, layout.tokens, form.groups, kept.keyValue, layout.strideKeyValue, rotation, {}, 1.0F);

    const std::int64_t perGroup = form.heads / form.groups;
    for (std::int64_t group = 0; group < form.groups; ++group) {
        transpose(layout.tokens, layout.head, kept.keyValue + group * layout.head, layout.strideKeyValue,
                  own.keyColumns.data(), layout.strideScores);
        const float *value = kept.keyValue + layout.grouped + group * layout.head;
        for (std::int64_t first = 0; first < layout.queries; first += kBlockRows) {
            const Block block = blockAt(first, layout, form.window, queries);
            for (std::int64_t head = group * perGroup; head < (group + 1) * perGroup; ++head) {
                const std::int64_t at = first * layout.strideQuery + head * layout.head;
                multiplyRows(block.rows, block.keys(), layout.head, kept.query + at, layout.strideQuery,
                             own.keyColumns.data() + block.begin, layout.strideScores, own.scores.data(),
                             layout.strideScores, false);
                softmaxRows(block.rows, block.keys(), own.scores.data(), layout.strideScores, block.visible,
                            form.isSquared, kept.scales + head * layout.queries + first);
                multiplyRows(block.rows, layout.head, block.keys(), own.scores.data(), layout.strideScores,
                             value + block.begin * layout.strideKeyValue, layout.strideKeyValue, kept.mixed + at,
                             layout.strideQuery, false);
            }
        }
    }
    for (std::int64_t q = 0; q < layout.queries; ++q)
        std::copy_n(x + queries.at(q) * layout.width, layout.width, y + q * layout.width);
    multiply(layout.queries, kept.mixed, layout.strideQuery, panels.output, y, layout.width, true);
}

namespace {

/// dQuery and dKeyValue of one sequence, rotated back.
void scoresBackward(const AttentionLayout &layout, const AttentionForm &form, const Kept &kept,
                    const Rotation &rotation, const Queries &queries)
{
    Scratch &own = scratch;
    own.dQuery.require(floats(layout.queries, layout.strideQuery));
    own.dKeyValue.require(floats(layout.tokens, layout.strideKeyValue));
    own.keyColumns.require(floats(layout.head, layout.strideScores));
    own.valueColumns.require(floats(layout.head, layout.strideScores));
    own.scores.require(floats(kBlockRows, layout.strideScores));
    own.dScores.require(floats(kBlockRows, layout.strideScores));
    for (std::int64_t t = 0; t < layout.tokens; ++t)
        std::fill_n(own.dKeyValue.data() + t * layout.strideKeyValue, 2 * layout.grouped, 0.0F);
    const std::int64_t perGroup = form.heads / form.groups;
    for (std::int64_t group = 0; group < form.groups; ++group) {
        const float *key = kept.keyValue + group * layout.head;
        const float *value = key + layout.grouped;
        transpose(layout.tokens, layout.head, key, layout.strideKeyValue, own.keyColumns.data(), layout.strideScores);
        transpose(layout.tokens, layout.head, value, layout.strideKeyValue, own.valueColumns.data(),
                  layout.strideScores);
        for (std::int64_t first = 0; first < layout.queries; first += kBlockRows) {
            const Block block = blockAt(first, layout, form.window, queries);
            float *dKey = own.dKeyValue.data() + block.begin * layout.strideKeyValue + group * layout.head;
            for (std::int64_t head = group * perGroup; head < (group + 1) * perGroup; ++head) {
                const std::int64_t at = first * layout.strideQuery + head * layout.head;
                multiplyRows(block.rows, block.keys(), layout.head, kept.query + at, layout.strideQuery,
                             own.keyColumns.data() + block.begin, layout.strideScores, own.scores.data(),
                             layout.strideScores, false);
                multiplyRows(block.rows, block.keys(), layout.head, own.dMixed.data() + at, layout.strideQuery,
                             own.valueColumns.data() + block.begin, layout.strideScores, own.dScores.data(),
                             layout.strideScores, false);
                softmaxRowsBackward(block.rows, block.keys(), own.scores.data(), own.dScores.data(),
                                    layout.strideScores, block.visible, form.isSquared,
                                    kept.scales + head * layout.queries + first);
                multiplyTransposed(block.keys(), layout.head, block.rows, own.scores.data(), layout.strideScores,
                                   own.dMixed.data() + at, layout.strideQuery, dKey + layout.grouped,
                                   layout.strideKeyValue, true);
                multiplyTransposed(block.keys(), layout.head, block.rows, own.dScores.data(), layout.strideScores,
                                   kept.query + at, layout.strideQuery, dKey, layout.strideKeyValue, true);
                multiplyRows(block.rows, layout.head, block.keys(), own.dScores.data(), layout.strideScores,
                             key + block.begin * layout.strideKeyValue, layout.strideKeyValue, own.dQuery.data() + at,
                             layout.strideQuery, false);
            }
        }
    }
    rotate(layout, layout.queries, form.heads, own.dQuery.data(), layout.strideQuery, rotation, queries, -1.0F);
    rotate(layout, layout.tokens, form.groups, own.dKeyValue.data(), layout.strideKeyValue, rotation, {}, -1.0F);
}

} // namespace

void backwardSequence(const AttentionLayout &layout, const AttentionForm &form, const float *x, const float *gain,
                      const BackwardPanels &panels, const Rotation &rotation, const Queries &queries, const Kept &kept,
                      const float *dY, float *dX, const AttentionSums &sums)
{
    Scratch &own = scratch;
    own.dMixed.require(floats(layout.queries, layout.strideQuery));
    own.normed.require(floats(layout.tokens, layout.strideNormed));
    own.dNormed.require(floats(layout.tokens, layout.strideNormed));
    multiply(layout.queries, dY, layout.width, panels.output, own.dMixed.data(), layout.strideQuery, false);
    multiplyTransposed(layout.width, layout.joined, layout.queries, dY, layout.width, kept.mixed, layout.strideQuery,
                       sums.output, layout.joined, true, form.precision);
    scoresBackward(layout, form, kept, rotation, queries);

    layerNormAgain(layout.tokens, layout.width, x, layout.width, gain, kept.moments, own.normed.data(),
                   layout.strideNormed);
    const float *chosen = gathered(layout, own.normed.data(), layout.strideNormed, queries, own.chosen);
    multiplyTransposed(layout.joined, layout.width, layout.queries, own.dQuery.data(), layout.strideQuery, chosen,
                       layout.strideNormed, sums.query, layout.width, true, form.precision);
    multiplyTransposed(2 * layout.grouped, layout.width, layout.tokens, own.dKeyValue.data(), layout.strideKeyValue,
                       own.normed.data(), layout.strideNormed, sums.keyValue, layout.width, true, form.precision);
    multiply(layout.tokens, own.dKeyValue.data(), layout.strideKeyValue, panels.keyValue, own.dNormed.data(),
             layout.strideNormed, false);
    if (!queries.positions) {
        multiply(layout.queries, own.dQuery.data(), layout.strideQuery, panels.query, own.dNormed.data(),
                 layout.strideNormed, true);
        std::copy_n(dY, layout.tokens * layout.width, dX);
    } else {
        own.dChosen.require(floats(layout.queries, layout.strideNormed));
        multiply(layout.queries, own.dQuery.data(), layout.strideQuery, panels.query, own.dChosen.data(),
                 layout.strideNormed, false);
        std::fill_n(dX, layout.tokens * layout.width, 0.0F);
        for (std::int64_t q = 0; q < layout.queries; ++q) {
            const std::int64_t at = queries.at(q);
            addScaled(layout.width, own.dNormed.data() + at * layout.strideNormed,
                      own.dChosen.data() + q * layout.strideNormed, 1.0F);
            addScaled(layout.width, dX + at * layout.width, dY + q * layout.width, 1.0F);
        }
    }
    layerNormBackward(layout.tokens, layout.width, x, layout.width, gain, kept.moments, own.dNormed.data(),
                      layout.strideNormed, dX, layout.width, sums.gain);
}

} // namespace lookback::kernels::fused
