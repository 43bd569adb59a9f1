// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

// How long tests wait for what has to come. A slow machine is no failure: a test that passes never waits that long.

namespace lookback::testing {

/// For what a window or a service does, milliseconds.
inline constexpr int kPatience = 60'000;
/// For programs and trainings, milliseconds: also under a sanitizer, on one core that others use too.
inline constexpr int kLongPatience = 300'000;

} // namespace lookback::testing

// Qt's wait for five seconds.
#undef QTRY_VERIFY
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, lookback::testing::kPatience)
#undef QTRY_VERIFY2
#define QTRY_VERIFY2(condition, text) QTRY_VERIFY2_WITH_TIMEOUT(condition, text, lookback::testing::kPatience)
#undef QTRY_COMPARE
#define QTRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, lookback::testing::kPatience)
