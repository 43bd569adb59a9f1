// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include <QTest>

#include "core/run/thinned_log.h"

using namespace lookback::run;

namespace {

constexpr std::int64_t kLines = 1'000'000;
constexpr std::size_t kMost = 20'000;

MetricsRecord lineAt(std::int64_t step)
{
    MetricsRecord record;
    record.step = step;
    record.n_keys = 2 + step * 3 / kLines;
    record.loss = 2.0 + static_cast<double>(step * 7919 % 1000) / 1000.0;
    record.retrievalAcc = static_cast<double>(step * 104729 % 1000) / 2000.0;
    return record;
}

/// A log with single lines that matter.
MetricsRecord lineWithSpikesAt(std::int64_t step)
{
    MetricsRecord record = lineAt(step);
    if (step == 31'337)
        record.loss = 4000.0;
    if (step == 500'001)
        record.loss = std::numeric_limits<double>::quiet_NaN();
    if (step == 600'007)
        record.loss = std::numeric_limits<double>::infinity();
    if (step == 700'011)
        record.loss.reset();
    if (step == 123'457)
        record.loss = 0.001;
    if (step == 900'001)
        record.retrievalAcc = 0.999;
    return record;
}

bool isSame(const MetricsRecord &a, const MetricsRecord &b)
{
    const auto isEqual = [](const std::optional<double> &x, const std::optional<double> &y) {
        return x.has_value() == y.has_value() && (!x || *x == *y || (std::isnan(*x) && std::isnan(*y)));
    };
    return a.step == b.step && a.n_keys == b.n_keys && isEqual(a.loss, b.loss)
        && isEqual(a.retrievalAcc, b.retrievalAcc);
}

} // namespace

class TestThinnedLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatFitsIsWhole()
    {
        ThinnedLog log(kMost);
        for (std::int64_t step = 1; step <= std::int64_t{kMost}; ++step)
            QVERIFY(!log.add(lineAt(step)));
        QCOMPARE(log.records().size(), kMost);
        QCOMPARE(log.linesPerStretch(), 1);
        QVERIFY(log.add(lineAt(kMost + 1)));
        QVERIFY(log.records().size() < kMost);
    }

    /// Nothing that a chart would show is lost: no spike, no gap, neither end; nothing is made up.
    void rareLinesStay()
    {
        ThinnedLog log(kMost);
        std::size_t largest = 0;
        std::int64_t changes = 0;
        for (std::int64_t step = 1; step <= kLines; ++step) {
            changes += log.add(lineWithSpikesAt(step)) ? 1 : 0;
            largest = std::max(largest, log.records().size());
        }
        QVERIFY(largest <= kMost);
        QVERIFY2(changes < 400, qPrintable(QString::number(changes))); // else what was passed on is passed on anew
        const std::vector<MetricsRecord> &kept = log.records();
        QVERIFY(kept.size() > kMost / 4);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            QVERIFY(isSame(kept[i], lineWithSpikesAt(kept[i].step)));
            QVERIFY(i == 0 || kept[i - 1].step < kept[i].step);
        }
        for (const std::int64_t step :
             {std::int64_t{1}, std::int64_t{31'337}, std::int64_t{123'457}, std::int64_t{500'001},
              std::int64_t{600'007}, std::int64_t{700'011}, std::int64_t{900'001}})
            QVERIFY2(std::ranges::binary_search(kept, step, {}, &MetricsRecord::step),
                     qPrintable(QString::number(step)));
        for (std::size_t i = 0; i < 50; ++i) // what is said of the end looks at single lines
            QCOMPARE(kept[kept.size() - 1 - i].step, kLines - std::int64_t(i));
    }

    /// Every part of the run is equally dense, and each pixel column has the extremes that the whole log has there.
    void columnsAreThoseOfTheWholeLog()
    {
        constexpr std::int64_t kColumns = 200;
        ThinnedLog log(kMost);
        for (std::int64_t step = 1; step <= kLines; ++step)
            log.add(lineAt(step));
        const std::int64_t width = kLines / kColumns;
        const std::int64_t stretch = log.linesPerStretch();
        QVERIFY(2 * stretch < width);
        for (std::int64_t column = 0; column < kColumns; ++column) {
            const std::int64_t first = column * width + 1;
            double low = 1e9;
            double high = -1e9;
            for (std::int64_t step = first; step < first + width; ++step) {
                low = std::min(low, *lineAt(step).loss);
                high = std::max(high, *lineAt(step).loss);
            }
            double keptLow = 1e9;
            double keptHigh = -1e9;
            int count = 0;
            for (const MetricsRecord &record : log.records()) {
                // A stretch may reach over the edge of the column.
                if (record.step < first - stretch || record.step >= first + width + stretch)
                    continue;
                keptLow = std::min(keptLow, *record.loss);
                keptHigh = std::max(keptHigh, *record.loss);
                ++count;
            }
            QVERIFY(keptLow <= low);
            QVERIFY(keptHigh >= high);
            QVERIFY(count >= width / stretch);
        }
    }

    void stepsThatAreWrittenAnewReplaceTheOld()
    {
        ThinnedLog log(2000);
        for (std::int64_t step = 1; step <= 10'000; ++step)
            log.add(lineAt(step));
        QVERIFY(log.add(lineAt(3000)));
        QCOMPARE(log.records().back().step, 3000);
        for (std::int64_t step = 3001; step <= 50'000; ++step)
            log.add(lineAt(step));
        QVERIFY(log.records().size() <= 2000);
        QCOMPARE(log.records().back().step, 50'000);
        QVERIFY(std::ranges::is_sorted(log.records(), std::ranges::less_equal(), &MetricsRecord::step));
        QCOMPARE(log.take().back().step, 50'000);
        QVERIFY(log.records().empty());
        QCOMPARE(log.linesPerStretch(), 1);
    }
};

QTEST_GUILESS_MAIN(TestThinnedLog)
#include "test_thinned_log.moc"
