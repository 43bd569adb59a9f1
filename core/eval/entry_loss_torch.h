// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/task/key_value_task.h"

// Shapes: B sequences, T tokens that the model reads, V vocabulary.

namespace lookback::eval {

/// Cross-entropy by entry index, nats, each the mean over value digits and sequences.
struct EntryLosses {
    /// First and second occurrences together: the published measure. First ones cannot be predicted (2.30 nats).
    std::vector<double> allEntries;
    /// Only sequences in which that entry is a second occurrence; 0 where there is none.
    std::vector<double> secondOccurrences;
    std::vector<std::int64_t> secondOccurrenceCount; ///< Sequences behind each value of secondOccurrences.
};

/// `logits_BTV`: row b belongs to sequences[b]; all sequences have one length. Sums in the logits' type.
EntryLosses entryLosses(const at::Tensor &logits_BTV, std::span<const task::Sequence> sequences);

} // namespace lookback::eval
