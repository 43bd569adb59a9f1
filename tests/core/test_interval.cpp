// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <QTest>

#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/rng.h"

using namespace lookback;
using namespace lookback::eval;

namespace {

/// Gamma variate (Marsaglia and Tsang 2000; shapes below 1 by their boost).
double gammaOf(Philox &generator, double shape)
{
    if (shape < 1.0)
        return gammaOf(generator, shape + 1.0) * std::pow(1.0 - generator.uniform(), 1.0 / shape);
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
        const double x = generator.normal();
        const double v = std::pow(1.0 + c * x, 3);
        if (v > 0.0 && std::log(1.0 - generator.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

/// Right answers of one sequence, beta-binomial with mean `share` and correlation `dependence` between two answers.
std::int64_t drawRight(Philox &generator, double share, double dependence, std::int64_t answers)
{
    double chance = share;
    if (dependence >= 1.0) {
        chance = generator.uniform() < share ? 1.0 : 0.0;
    } else if (dependence > 0.0) {
        const double total = 1.0 / dependence - 1.0;
        const double a = gammaOf(generator, share * total);
        const double b = gammaOf(generator, (1.0 - share) * total);
        chance = a + b > 0.0 ? a / (a + b) : (generator.uniform() < share ? 1.0 : 0.0);
    }
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < answers; ++i)
        right += generator.uniform() < chance ? 1 : 0;
    return right;
}

AccuracyPoint pointOf(std::vector<std::int64_t> exactBySequence, std::int64_t n)
{
    AccuracyPoint point;
    point.n_keys = n;
    point.sequences = static_cast<std::int64_t>(exactBySequence.size());
    point.exactBySequence = std::move(exactBySequence);
    return point;
}

} // namespace

class TestInterval : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The interval must hold the true share in about 95 of 100 evaluations, however the answers of a sequence depend on
    // each other, and must not be bought by being far too wide.
    void coverage_data()
    {
        QTest::addColumn<int>("sequences");
        QTest::addColumn<int>("answers");
        QTest::addColumn<double>("dependence");
        QTest::addColumn<double>("share");
        for (const int sequences : {8, 32, 128}) {
            for (const int answers : {8, 128}) {
                for (const double dependence : {0.0, 0.02, 0.2, 1.0}) {
                    for (const double share : {0.03, 0.5, 0.9, 0.99, 0.999}) {
                        QTest::addRow("%d sequences of %d, dependence %g, share %g", sequences, answers, dependence,
                                      share)
                            << sequences << answers << dependence << share;
                    }
                }
            }
        }
    }
    void coverage()
    {
        QFETCH(int, sequences);
        QFETCH(int, answers);
        QFETCH(double, dependence);
        QFETCH(double, share);
        Philox generator(1, static_cast<std::uint64_t>(sequences * 1000 + answers),
                         static_cast<std::uint64_t>(std::llround(1000 * dependence + 1e6 * share)));
        constexpr int kTrials = 400;
        int covered = 0;
        double width = 0.0;
        for (int trial = 0; trial < kTrials; ++trial) {
            std::vector<std::int64_t> right;
            for (int i = 0; i < sequences; ++i)
                right.push_back(drawRight(generator, share, dependence, answers));
            const Interval interval = exactMatchInterval(right, answers);
            QVERIFY(interval.low >= 0.0 && interval.low < interval.high && interval.high <= 1.0);
            covered += interval.low <= share && share <= interval.high ? 1 : 0;
            width += (interval.high - interval.low) / kTrials;
        }
        // Worst case found over a wider grid with 1,000 trials: 0.916; two standard errors of 400 trials below it.
        QVERIFY2(covered >= 0.89 * kTrials, qPrintable(QString::number(covered)));
        const bool isWellInside = share * (1.0 - share) * sequences * answers > 100.0;
        if (isWellInside && sequences >= 32) {
            const double designEffect = 1.0 + dependence * (answers - 1.0);
            const double ideal = 2.0 * 1.96 * std::sqrt(share * (1.0 - share) * designEffect / (sequences * answers));
            QVERIFY2(width <= 1.6 * ideal, qPrintable(QString::number(width / ideal)));
        }
    }

    void noneAndAllRight_data()
    {
        QTest::addColumn<int>("sequences");
        QTest::addColumn<int>("answers");
        for (const int sequences : {1, 2, 8, 128, 1000}) {
            for (const int answers : {1, 8, 256})
                QTest::addRow("%d of %d", sequences, answers) << sequences << answers;
        }
    }
    void noneAndAllRight()
    {
        QFETCH(int, sequences);
        QFETCH(int, answers);
        const auto count = static_cast<std::size_t>(sequences);
        const Interval all = exactMatchInterval(std::vector<std::int64_t>(count, answers), answers);
        const Interval none = exactMatchInterval(std::vector<std::int64_t>(count, 0), answers);
        QCOMPARE(all.high, 1.0);
        QCOMPARE(none.low, 0.0);
        QVERIFY(std::abs(1.0 - all.low - none.high) < 1e-12);
        // As if each sequence were one answer: 1 - 0.025^(1 / sequences), a little wider for few sequences.
        const double ofSequences = 1.0 - std::pow(0.025, 1.0 / sequences);
        QVERIFY(none.high >= ofSequences - 1e-12);
        QVERIFY(none.high < 2.0 * ofSequences);
        // One wrong answer among many narrows the interval by less than half: no jump at the edge.
        if (sequences >= 8 && answers >= 8) {
            std::vector<std::int64_t> oneWrong(count, answers);
            oneWrong.front() -= 1;
            const Interval almost = exactMatchInterval(oneWrong, answers);
            QVERIFY(1.0 - almost.low > 0.5 * (1.0 - all.low));
        }
    }

    void moreSequencesNarrowIt()
    {
        double former = 2.0;
        for (const std::size_t sequences : {2U, 4U, 16U, 64U, 256U, 1024U}) {
            std::vector<std::int64_t> right;
            for (std::size_t i = 0; i < sequences; ++i)
                right.push_back(i % 2 == 0 ? 6 : 3);
            const Interval interval = exactMatchInterval(right, 8);
            QVERIFY(interval.low < 4.5 / 8.0 && 4.5 / 8.0 < interval.high);
            QVERIFY(interval.high - interval.low < former);
            former = interval.high - interval.low;
        }
    }

    void nothingAsked()
    {
        QVERIFY((exactMatchInterval({}, 8) == Interval{0.0, 1.0}));
        QVERIFY((exactMatchInterval({0, 0}, 0) == Interval{0.0, 1.0}));
        QVERIFY_THROWS_EXCEPTION(Error, exactMatchInterval({9}, 8));
        QVERIFY_THROWS_EXCEPTION(Error, exactMatchInterval({-1}, 8));
    }

    void pairedDifferenceOfEqualRuns()
    {
        const AccuracyPoint point = pointOf({8, 7, 8, 6, 8, 8, 5, 8}, 8);
        const PairedDifference same = pairedDifference(point, point);
        QCOMPARE(same.difference, 0.0);
        QVERIFY(!same.isDistinguishable);
        QVERIFY(same.interval.low < 0.0 && 0.0 < same.interval.high);
        // Two perfect runs of 8 sequences are not shown to be equal.
        const AccuracyPoint perfect = pointOf(std::vector<std::int64_t>(8, 8), 8);
        const PairedDifference both = pairedDifference(perfect, perfect);
        QVERIFY(!both.isDistinguishable);
        QVERIFY(both.interval.high > 0.1 && both.interval.low < -0.1);
    }

    void pairedDifferenceSeesWhatPairsShow()
    {
        // Hard and easy sequences; b is better by one answer in each. Unpaired, the spread would hide it.
        std::vector<std::int64_t> a;
        std::vector<std::int64_t> b;
        for (int i = 0; i < 64; ++i) {
            a.push_back(1 + i % 12);
            b.push_back(2 + i % 12);
        }
        const PairedDifference difference = pairedDifference(pointOf(a, 16), pointOf(b, 16));
        QVERIFY(std::abs(difference.difference - 1.0 / 16.0) < 1e-12);
        QVERIFY(difference.isDistinguishable);
        QVERIFY(difference.interval.low > 0.0);
        const PairedDifference reversed = pairedDifference(pointOf(b, 16), pointOf(a, 16));
        QVERIFY(std::abs(reversed.difference + difference.difference) < 1e-12);
        QVERIFY(std::abs(reversed.interval.low + difference.interval.high) < 1e-12);
        QVERIFY(reversed.isDistinguishable);
        // The same shares on shuffled sequences show nothing.
        std::vector<std::int64_t> shuffled = b;
        std::rotate(shuffled.begin(), shuffled.begin() + 6, shuffled.end());
        QVERIFY(!pairedDifference(pointOf(a, 16), pointOf(shuffled, 16)).isDistinguishable);
    }

    // Two runs of equal ability are told apart in few of 100 comparisons, whatever they share.
    void pairedDifferenceErrs_data()
    {
        QTest::addColumn<double>("share");
        QTest::addColumn<double>("dependence");
        for (const double share : {0.5, 0.95, 0.995}) {
            for (const double dependence : {0.0, 0.1, 0.5})
                QTest::addRow("share %g, dependence %g", share, dependence) << share << dependence;
        }
    }
    void pairedDifferenceErrs()
    {
        QFETCH(double, share);
        QFETCH(double, dependence);
        Philox generator(2, static_cast<std::uint64_t>(1000 * share), static_cast<std::uint64_t>(1000 * dependence));
        constexpr int kTrials = 400;
        constexpr std::int64_t kAnswers = 32;
        int toldApart = 0;
        int covered = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            std::vector<std::int64_t> a;
            std::vector<std::int64_t> b;
            for (int i = 0; i < 64; ++i) {
                a.push_back(drawRight(generator, share, dependence, kAnswers));
                b.push_back(drawRight(generator, share, dependence, kAnswers));
            }
            const PairedDifference difference = pairedDifference(pointOf(a, kAnswers), pointOf(b, kAnswers));
            toldApart += difference.isDistinguishable ? 1 : 0;
            covered += difference.interval.low <= 0.0 && 0.0 <= difference.interval.high ? 1 : 0;
        }
        QVERIFY2(toldApart <= 0.08 * kTrials, qPrintable(QString::number(toldApart)));
        QVERIFY2(covered >= 0.92 * kTrials, qPrintable(QString::number(covered)));
    }

    void differentSequencesAreNotCompared()
    {
        const AccuracyPoint point = pointOf({8, 7}, 8);
        QVERIFY_THROWS_EXCEPTION(Error, pairedDifference(point, pointOf({8, 7, 8}, 8)));
        QVERIFY_THROWS_EXCEPTION(Error, pairedDifference(point, pointOf({8, 7}, 16)));
        QVERIFY_THROWS_EXCEPTION(Error, pairedDifference(AccuracyPoint(), AccuracyPoint()));
    }
};

QTEST_GUILESS_MAIN(TestInterval)
#include "test_interval.moc"
