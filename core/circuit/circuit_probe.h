// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/circuit/failures.h"
#include "core/circuit/head_measures.h"
#include "core/circuit/knockout.h"
#include "core/circuit/patching.h"
#include "core/compute.h"
#include "core/eval/per_index_table.h"
#include "core/progress.h"

namespace lookback::circuit {

/// Finds out what the heads of one checkpoint do. Holds the model; one thread at a time. Progress and `stop` are those
/// of every long computation: Cancelled is thrown soon after it was asked for. All methods throw Error for what the
/// model does not have or cannot be asked.
class CircuitProbe {
public:
    /// Reads and checks the checkpoint; `step` -1 = the newest that can be read.
    CircuitProbe(const std::string &runFolder, std::int64_t step, const ComputeOptions &compute);
    ~CircuitProbe();
    CircuitProbe(const CircuitProbe &) = delete;
    CircuitProbe &operator=(const CircuitProbe &) = delete;

    std::int64_t step() const; ///< Of the checkpoint that is looked at.

    /// Measures all heads, or gives what was measured before: kept in the run folder (specs/formats/head-measures.md).
    /// A kept file that is damaged, of another checkpoint or cannot be written adds a sentence to `notes` (may be
    /// null).
    HeadTable heads(const HeadRequest &request, const ProgressFunction &progress = {}, std::stop_token stop = {},
                    std::vector<std::string> *notes = nullptr);

    /// Loss by entry index, or what was measured before: kept as heads() keeps its tables
    /// (specs/formats/per-index.md).
    eval::PerIndexTable perIndex(const eval::PerIndexRequest &request, const ProgressFunction &progress = {},
                                 std::stop_token stop = {}, std::vector<std::string> *notes = nullptr);

    /// What removing a set of heads costs; see knockout.h. `onPoint` gets what is known after each finished length.
    Knockout knockOut(const KnockoutRequest &request, const ProgressFunction &progress = {},
                      const std::function<void(const Knockout &)> &onPoint = {}, std::stop_token stop = {});
    KnockoutGrid knockOutEach(const GridRequest &request, const ProgressFunction &progress = {},
                              std::stop_token stop = {});
    /// `onStep` gets what is known after each step.
    SmallestSets smallestSets(const SearchRequest &request, const ProgressFunction &progress = {},
                              const std::function<void(const SmallestSets &)> &onStep = {}, std::stop_token stop = {});

    /// Evaluation sequence `sequence` before and after: what is predicted, with which probabilities.
    ExampleUnder example(std::int64_t n_keys, std::int64_t sequence, const Intervention &intervention,
                         std::stop_token stop = {});
    /// Exact weights of one head on a sequence while heads are removed; none of them removed = the intact model.
    /// Between blocks of rows `progress` is told how many are done.
    analysis::HeadMap headMap(std::int64_t n_keys, std::int64_t sequence, const Intervention &intervention,
                              const HeadId &head, std::stop_token stop = {}, const ProgressFunction &progress = {});

    /// Wrong answers and where they came from; without readers in the request its retrieval heads read, as measured
    /// over 64 sequences of that length.
    Failures failures(FailureRequest request, const ProgressFunction &progress = {}, std::stop_token stop = {});

    /// What patching heads moves; see patching.h.
    PatchResult patch(const PatchRequest &request, const ProgressFunction &progress = {}, std::stop_token stop = {});

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace lookback::circuit
