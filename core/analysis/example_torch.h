// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/analysis/attention_view.h"
#include "core/model/transformer_torch.h"
#include "core/progress.h"

namespace lookback::analysis {

/// One sequence as a model sees it: what AttentionProbe is made of, for a model in memory.
struct SeenSequence {
    Example example; ///< Without ExampleKey::runFolder and step.
    std::vector<at::Tensor> inputs; ///< Hidden states [T - 1, D] that enter each attention sublayer.
};

/// Runs the model on the sequence; `progress` counts attention layers. Throws Cancelled.
SeenSequence seeSequence(const model::Transformer &model, const task::Sequence &sequence, std::stop_token stop = {},
                         const ProgressFunction &progress = {});

/// Exact weights of the heads headBegin..headEnd-1 of one layer; nothing is computed for the others. Between blocks of
/// rows it tells `progress` how many rows are done, and throws Cancelled if `stop` was asked for.
std::vector<HeadMap> headMaps(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer,
                              std::int64_t headBegin, std::int64_t headEnd, std::stop_token stop = {},
                              const ProgressFunction &progress = {});

/// One head piece by piece (kPieceRows rows, aligned), each given to `onRows`: from the piece around `query` to the
/// last one, then those before it. Between pieces it throws Cancelled if `stop` was asked for.
void headPieces(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer, std::int64_t head,
                std::int64_t query, const std::function<void(HeadRows)> &onRows, std::stop_token stop = {});

/// One row of such a map, without computing the others, as a piece of one row.
HeadRows exactRow(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer, std::int64_t head,
                  std::int64_t query);

/// The same as numbers of all keys.
std::vector<float> headRow(const model::Transformer &model, const SeenSequence &seen, std::int64_t layer,
                           std::int64_t head, std::int64_t query);

} // namespace lookback::analysis
