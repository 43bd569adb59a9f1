// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/time_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kMinute = 60.0;
constexpr double kHour = 3600.0;
constexpr double kDay = 86400.0;
constexpr QChar kNarrowSpace(0x202F); // before %

QString tr(const char *text, const char *comment = nullptr)
{
    return QCoreApplication::translate("NumberText", text, comment);
}

/// "2 h 10 min" from whole units; the smaller one is left out when 0.
QString twoUnits(qint64 large, const QString &largeText, qint64 small, const QString &smallText)
{
    QString text = largeText.arg(large);
    if (small > 0)
        text += u' ' + smallText.arg(small);
    return text;
}

} // namespace

QString progressText(std::int64_t done, std::int64_t total)
{
    const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
    const int percent = std::clamp(static_cast<int>(std::floor(share * 100.0)), 0, 100);
    return QString::number(percent) + kNarrowSpace + u'%';
}

QString rateText(double stepsPerSecond)
{
    if (!(stepsPerSecond > 0.0))
        return u"–"_s;
    return QString::number(stepsPerSecond, 'f', stepsPerSecond >= 100.0 ? 0 : stepsPerSecond >= 1.0 ? 1 : 2);
}

QString durationText(double seconds)
{
    const auto whole = static_cast<qint64>(std::max(0.0, std::round(seconds)));
    if (seconds < kMinute)
        return tr("%1 s", "seconds").arg(whole);
    if (seconds < kHour)
        return twoUnits(whole / 60, tr("%1 min", "minutes"), whole % 60, tr("%1 s", "seconds"));
    if (seconds < kDay)
        return twoUnits(whole / 3600, tr("%1 h", "hours"), whole % 3600 / 60, tr("%1 min", "minutes"));
    return twoUnits(whole / 86400, tr("%1 d", "days"), whole % 86400 / 3600, tr("%1 h", "hours"));
}

QString aboutText(double seconds)
{
    return seconds < 10.0 ? roughDurationText(seconds) : tr("about %1", "a duration").arg(roughDurationText(seconds));
}

QString roughDurationText(double seconds)
{
    if (seconds < 10.0)
        return tr("under 10 s");
    if (seconds < 90.0)
        return tr("%1 s", "seconds").arg(static_cast<qint64>(std::round(seconds / 10.0)) * 10);
    if (seconds < kHour)
        return tr("%1 min", "minutes").arg(static_cast<qint64>(std::round(seconds / kMinute)));
    if (seconds < kDay) {
        const auto tens = static_cast<qint64>(std::round(seconds / 600.0)); // ten minutes each
        return twoUnits(tens / 6, tr("%1 h", "hours"), tens % 6 * 10, tr("%1 min", "minutes"));
    }
    const auto hours = static_cast<qint64>(std::round(seconds / kHour));
    return twoUnits(hours / 24, tr("%1 d", "days"), hours % 24, tr("%1 h", "hours"));
}

QString clockText(const QDateTime &when, const QDateTime &now)
{
    const QString clock = QLocale().toString(when.time(), u"HH:mm"_s);
    return when.date() == now.date() ? clock : QLocale().toString(when.date(), u"ddd "_s) + clock;
}

QString timeLeftText(double remainingSeconds, const QDateTime &now)
{
    const QString rough = roughDurationText(remainingSeconds);
    if (remainingSeconds < kMinute)
        return tr("%1 left", "a duration").arg(rough);
    const QDateTime end = now.addSecs(static_cast<qint64>(remainingSeconds));
    return tr("%1 left (ends %2)", "a duration and a clock time").arg(rough, clockText(end, now));
}

QString bytesText(std::uint64_t bytes)
{
    const QLocale dot = QLocale::c(); // the same under every locale, as all numbers of the window
    return dot.formattedDataSize(static_cast<qint64>(bytes), bytes < 1000 ? 0 : 1, QLocale::DataSizeSIFormat);
}

} // namespace lookback::ui
