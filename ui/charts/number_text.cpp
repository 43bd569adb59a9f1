// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/number_text.h"

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr QChar kMinus(0x2212);
constexpr QChar kNarrowSpace(0x202F);

QString fixed(double value, int decimals)
{
    QString text = QString::number(value, 'f', decimals);
    if (text.startsWith(u'-'))
        text.replace(0, 1, kMinus);
    return text;
}

/// Text of a value that is not finite; empty if it is.
QString brokenText(double value)
{
    if (std::isnan(value))
        return u"not a number"_s;
    if (std::isinf(value))
        return value > 0 ? u"infinite"_s : QString(kMinus + u"infinite"_s);
    return {};
}

QString grouped(std::int64_t count)
{
    QString text = QString::number(count < 0 ? -count : count);
    for (qsizetype at = text.size() - 3; at > 0; at -= 3)
        text.insert(at, u',');
    return count < 0 ? QString(kMinus + text) : text;
}

} // namespace

QString countText(std::int64_t count)
{
    constexpr std::int64_t million = 1'000'000;
    if (count >= 10 * million) {
        const double millions = double(count) / double(million);
        const QString text = millions < 100 ? QString::number(millions, 'g', 3) : grouped(std::llround(millions));
        return text + kNarrowSpace + u'M';
    }
    return grouped(count);
}

QString percentNumber(double share, int mostDecimals)
{
    if (const QString broken = brokenText(share); !broken.isEmpty())
        return broken;
    const double percent = 100 * share;
    if (share == 0)
        return u"0"_s;
    if (share == 1)
        return u"100"_s;
    int decimals = 2;
    // Near the ends: until the digits differ from 0 and from 100, at most so many.
    const double rest = std::min(std::abs(percent), std::abs(100 - percent));
    if (rest < 0.1)
        decimals = std::clamp(1 - int(std::floor(std::log10(std::max(rest, 1e-9)))), 2, mostDecimals);
    QString text = fixed(percent, decimals);
    // One digit is enough where the second would be a zero ("99.9980" -> "99.998"), but never fewer than two decimals.
    for (; decimals > 2 && text.endsWith(u'0'); --decimals)
        text.chop(1);
    return text;
}

QString percentText(double share)
{
    if (!std::isfinite(share))
        return brokenText(share);
    return percentNumber(share) + kNarrowSpace + u'%';
}

QString pointsText(double difference)
{
    if (!std::isfinite(difference))
        return brokenText(difference);
    const QString text = fixed(100 * difference, 2);
    return difference > 0 ? QString(u'+' + text) : text;
}

QString powerOfTen(int exponent)
{
    static constexpr char16_t digits[] = u"⁰¹²³⁴⁵⁶⁷⁸⁹";
    QString text = u"10"_s;
    if (exponent < 0)
        text += QChar(0x207B);
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += QChar(digits[digit.unicode() - u'0']);
    return text;
}

QString quantityText(double value)
{
    if (const QString broken = brokenText(value); !broken.isEmpty())
        return broken;
    const double size = std::abs(value);
    if (size == 0)
        return u"0"_s;
    if (size >= 1e6 || size < 9.5e-5) {
        int exponent = int(std::floor(std::log10(size)));
        QString mantissa = fixed(value / std::pow(10.0, exponent), 1);
        if (mantissa.endsWith(u"10.0"_s))
            mantissa = fixed(value / std::pow(10.0, ++exponent), 1);
        return mantissa + kNarrowSpace + u'×' + kNarrowSpace + powerOfTen(exponent);
    }
    if (size >= 1000)
        return grouped(std::llround(value));
    if (size >= 100)
        return fixed(value, 1);
    if (size >= 1)
        return fixed(value, 2);
    return fixed(value, size >= 0.0995 ? 3 : size >= 0.000995 ? 4 : 5);
}

} // namespace lookback::ui
