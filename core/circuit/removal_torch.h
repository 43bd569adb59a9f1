// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/circuit/removal.h"
#include "core/model/attention_design_torch.h"
#include "core/model/transformer_torch.h"

// Shapes: H query heads, C head width, P places of an entry.

namespace lookback::circuit {

/// What each head adds on average at each place of an entry (StartKey, first key digit, ...): [P, H, C] of each layer,
/// as the output projection reads it.
struct HeadMeans {
    std::vector<at::Tensor> layers{};
};

/// Means over sequences of n unique keys that are not evaluated: at least four and at least 512 keys in all. Uses the
/// model's changes for itself; it has none afterwards. Throws Cancelled.
HeadMeans meanOutputs(model::Transformer &model, std::int64_t n_keys, std::stop_token stop = {});

/// Sets of heads of one model, removed one way. Only one set is removed at a time.
class HeadRemoval {
public:
    /// `means` only for Removal::Mean. Throws Error for a head that does not exist when it is removed.
    HeadRemoval(model::Transformer &model, Removal removal, HeadMeans means = {});
    ~HeadRemoval(); ///< The model is intact again.
    HeadRemoval(const HeadRemoval &) = delete;
    HeadRemoval &operator=(const HeadRemoval &) = delete;

    /// From now on exactly these heads are removed.
    void set(const std::vector<HeadId> &heads);
    /// The same for one layer; the other layers stay as they are.
    void setLayer(std::int64_t layer, const std::vector<std::int64_t> &heads);
    void clear() { set({}); }

private:
    model::EvaluationChanges changesFor(std::int64_t layer, const std::vector<std::int64_t> &heads) const;

    model::Transformer &m_model;
    Removal m_removal;
    HeadMeans m_means;
    std::vector<std::vector<std::int64_t>> m_removed; ///< By layer, ascending.
};

/// The lowest layer of the heads; `none` if there are none.
std::int64_t firstLayer(const std::vector<HeadId> &heads, std::int64_t none);

} // namespace lookback::circuit
