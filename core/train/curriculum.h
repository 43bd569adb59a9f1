// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"

namespace lookback::train {

/// Which stage of the curriculum a training is in. Without promotion_accuracy it follows the steps alone
/// (RunConfig::nKeysAtStep). With it a stage also ends as soon as the mean digit accuracy of its last promotion_steps
/// steps reaches promotion_accuracy; its own until_step is then the latest end. What was learned decides, so the state
/// is part of a checkpoint.
class Curriculum {
public:
    Curriculum() = default;
    explicit Curriculum(const RunConfig &config);

    /// Unique keys of the batch of `step`. Steps rise.
    std::int64_t beginStep(std::int64_t step);
    /// The weights were updated by a batch of which the share `digitAccuracy` of the scored digits was right.
    void stepFinished(double digitAccuracy);

    /// "2", or "2:0.5,0.75": stages that are over, and the accuracies that count for the present one, oldest first.
    std::string state() const;
    /// Throws Error if this is no state of such a curriculum; it is unchanged then.
    void setState(std::string_view text);

private:
    std::vector<CurriculumStage> m_stages;
    std::int64_t m_lastKeys = 0; ///< After all stages.
    double m_promotionAccuracy = 0.0;
    std::size_t m_promotionSteps = 1;
    std::size_t m_stage = 0; ///< Index of the present one; m_stages.size() after all.
    std::vector<double> m_recent; ///< At most m_promotionSteps accuracies of the present stage.
};

} // namespace lookback::train
