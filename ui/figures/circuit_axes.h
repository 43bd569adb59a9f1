// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/circuit/head_measures.h"
#include "ui/charts/axis.h"
#include "ui/charts/thinning.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

/// Where a step lies on the axis of the circuit page: log2(step + 1), so that step 0 has a place.
double stepPlace(double step);
double stepAt(double place);

/// The axis over such places: marks at 0 and at powers of two, labels at most about `most` of them.
Axis logStepAxis(const Range &places, int most);
/// Of scores: 0 to 1 with air.
Axis scoreAxis(int most, const QString &title);
inline constexpr Range kScoreRange{-0.02, 1.05};

/// One score of one head over the checkpoints.
struct ScoreLine {
    circuit::HeadId id;
    circuit::HeadMeasure measure = circuit::HeadMeasure::Retrieval;
    std::vector<CurvePoint> points; ///< x: stepPlace.
    bool operator==(const ScoreLine &) const = default;
};
/// The lines worth a look: for retrieval, key matching and the previous token the two best heads at the last step (at
/// 0.2 or more), and the retrieval or else best score of each head of `also`; of more than six others the highest.
std::vector<ScoreLine> scoreLines(const std::vector<circuit::HeadTable> &timeline,
                                  const std::vector<circuit::HeadId> &also);
/// Retrieval solid, key matching dashed, the rest dotted; in `colour`.
SeriesStyle scoreStyle(circuit::HeadMeasure measure, const SeriesShade &colour);
/// "L5 H2 retrieval".
QString scoreLabel(const ScoreLine &line);

} // namespace lookback::ui
