// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace lookback::ui {

/// Numbers as charts, tables and figures write them: the same under every locale, with a real minus sign (U+2212) and a
/// narrow no-break space (U+202F) before "%". Non-finite values read "not a number", "infinite", "−infinite".

/// "8,192"; from ten million on "10 M", "1,540 M".
QString countText(std::int64_t count);

/// A share 0..1 in percent, with as many digits as tell it from 0 and 100 %: "88.02 %", "99.96 %", "99.9987 %",
/// "0.0031 %"; "100 %" and "0 %" only for exactly 1 and 0.
QString percentText(double share);
/// The same without the percent sign, for ranges, with no more decimals than that: "99.92".
QString percentNumber(double share, int mostDecimals = 7);
/// A difference of shares in percentage points, signed: "−0.43", "+12.10".
QString pointsText(double difference);

/// A loss or norm with about three digits: "2.30", "0.118", "0.0011", "3.1 × 10⁻⁷".
QString quantityText(double value);

/// "10⁻⁵"
QString powerOfTen(int exponent);

} // namespace lookback::ui
