// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantMap>

#include <optional>

#include "core/analysis/attention_view.h"
#include "core/run/run_service.h"
#include "ui/heatmap/head_grid.h"

namespace lookback::ui {

/// What the right side of a comparison is. The left one is what the page shows.
struct CompareChoice {
    enum class What {
        Run, ///< Another run.
        Checkpoint, ///< Another checkpoint of the left side's run.
        Heads, ///< The left side's checkpoint without some heads.
    };
    What what = What::Run;
    run::RunId run{}; ///< Of What::Run.
    std::int64_t step = -1; ///< Of Run and Checkpoint; -1 = the newest.
    circuit::Intervention intervention{}; ///< Of Heads.
    std::optional<HeadChoice> head{}; ///< On view at the right; empty = the same as at the left.
    bool operator==(const CompareChoice &) const = default;

    /// The question of the right side beside one of the left: the same sequence.
    analysis::ExampleKey keyBeside(const analysis::ExampleKey &left) const;

    QVariantMap toState() const;
    /// Nothing for what is no state of a choice.
    static std::optional<CompareChoice> fromState(const QVariantMap &state);
};

} // namespace lookback::ui
