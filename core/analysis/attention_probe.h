// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/analysis/attention_view.h"
#include "core/compute.h"
#include "core/progress.h"

namespace lookback::analysis {

/// Looks into one checkpoint. Holds the model; one thread at a time. Constructing reads and checks the checkpoint.
class AttentionProbe {
public:
    /// `step` -1 = the newest valid checkpoint. Throws Error.
    AttentionProbe(const std::string &runFolder, std::int64_t step, const ComputeOptions &compute);
    ~AttentionProbe();
    AttentionProbe(const AttentionProbe &) = delete;
    AttentionProbe &operator=(const AttentionProbe &) = delete;

    /// Runs the model on evaluation sequence `sequence` at n unique keys. Throws Error for impossible n.
    /// `progress` counts layers; with it and `stop` it is as in headMap. With heads removed (means of the intact model
    /// are kept for the last n) example and maps are those of the changed model: the map of a head whose pattern is
    /// uniform is uniform; that of one which adds nothing, or its mean, is the pattern that it has and nobody uses.
    /// Throws Error for a head that does not exist.
    Example example(std::int64_t n_keys, std::int64_t sequence, std::stop_token stop = {},
                    const ProgressFunction &progress = {}, const circuit::Intervention &intervention = {});

    /// Exact weights of one head on the last example; the others are not computed. Between blocks of rows `progress` is
    /// told how many are done, and Cancelled thrown if `stop` was asked for. Throws Error if layer or head do not
    /// exist.
    HeadMap headMap(std::int64_t layer, std::int64_t head, std::stop_token stop = {},
                    const ProgressFunction &progress = {});

    /// All heads of one layer, in head order.
    std::vector<HeadMap> layerMaps(std::int64_t layer, std::stop_token stop = {},
                                   const ProgressFunction &progress = {});

    /// One head in pieces of kPieceRows rows, those around `query` first; see analysis::headPieces. `onRows` may ask
    /// for exactRow.
    void headPieces(std::int64_t layer, std::int64_t head, std::int64_t query,
                    const std::function<void(HeadRows)> &onRows, std::stop_token stop = {});

    /// One row of headMap(layer, head), without computing the others.
    HeadRows exactRow(std::int64_t layer, std::int64_t head, std::int64_t query);
    std::vector<float> headRow(std::int64_t layer, std::int64_t head, std::int64_t query);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::analysis
