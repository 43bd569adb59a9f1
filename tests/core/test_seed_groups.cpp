// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/analysis/seed_groups.h"
#include "core/error.h"
#include "core/rng.h"

using namespace lookback;
using namespace lookback::analysis;

namespace {

using Curve = std::vector<SeedValue>;

RunConfig configOf(const char *variant, std::uint64_t seed)
{
    RunConfig config;
    config.variant = variant;
    config.seed = seed;
    return config;
}

/// The definition, word by word: for every x of any curve, look at all curves.
std::vector<SeedBandPoint> slowBand(const std::vector<Curve> &curves)
{
    std::set<double> places;
    std::set<std::size_t> withValue;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (const SeedValue &value : curves[i]) {
            places.insert(value.x);
            if (value.y && std::isfinite(*value.y))
                withValue.insert(i);
        }
    }
    std::vector<SeedBandPoint> band;
    for (const double x : places) {
        std::multiset<double> values;
        bool isLoggedByAll = true;
        for (const Curve &curve : curves) {
            if (curve.empty() || x < curve.front().x || x > curve.back().x)
                continue;
            const SeedValue *here = nullptr;
            for (const SeedValue &value : curve) {
                if (value.x == x)
                    here = &value;
            }
            if (!here)
                isLoggedByAll = false;
            else if (here->y && std::isfinite(*here->y))
                values.insert(*here->y);
        }
        if (!isLoggedByAll || values.empty() || (values.size() < 2 && withValue.size() >= 2))
            continue;
        const std::vector<double> sorted(values.begin(), values.end());
        const std::size_t count = sorted.size();
        band.push_back(
            {x, (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted.front(), sorted.back(), std::int64_t(count)});
    }
    return band;
}

} // namespace

class TestSeedGroups : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void groupsDifferInTheSeedAlone();
    void everyTrainingFieldTellsGroupsApart();
    void aSeedCountsOnce();
    void bandOfAFewValues();
    void bandEqualsTheSlowReference();
    void aFirstSeedStandsAlone();
    void logsSayWhetherTheyLearned();
    void curvesSayWhetherTheyLearned();
};

void TestSeedGroups::groupsDifferInTheSeedAlone()
{
    const std::vector<RunConfig> configs{configOf("rope", 0), configOf("hybrid", 0), configOf("rope", 1),
                                         configOf("hybrid", 7), configOf("rope", 2)};
    const std::vector<std::vector<std::size_t>> expected{{0, 2, 4}, {1, 3}};
    QVERIFY(seedGroups(configs) == expected);
    QVERIFY(seedGroups({}).empty());
}

void TestSeedGroups::everyTrainingFieldTellsGroupsApart()
{
    // Each field but the seed and those of the records makes another design of it.
    for (const ConfigField &field : configFields()) {
        const RunConfig plain = configOf("rope", 0);
        RunConfig other = configOf("rope", 1);
        for (const char *text : {"3", "2", "0.25", "500", "64", "3:10", "5,6"}) {
            try {
                setField(other, field.name, text);
            } catch (const Error &) {
                continue; // not of that kind, or out of its range
            }
            if (field.name == "seed" || fieldText(other, field.name) != fieldText(plain, field.name))
                break;
        }
        QVERIFY2(fieldText(other, field.name) != fieldText(plain, field.name), field.name.data());
        const bool isSame = field.group == FieldGroup::Records || field.name == "seed";
        QVERIFY2(isSameButSeed(plain, other) == isSame, field.name.data());
    }
}

void TestSeedGroups::aSeedCountsOnce()
{
    const std::vector<RunConfig> configs{configOf("rope", 0), configOf("rope", 0), configOf("rope", 1),
                                         configOf("rope", 1), configOf("rope", 2)};
    const std::vector<std::vector<std::size_t>> expected{{0, 2, 4}, {1}, {3}};
    QVERIFY(seedGroups(configs) == expected);
}

void TestSeedGroups::bandOfAFewValues()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Curve> curves{{{100, 3.0}, {200, 1.0}, {300, 0.5}},
                                    {{100, 1.0}, {200, nan}, {300, std::nullopt}},
                                    {{100, 2.0}, {150, 2.0}, {200, 2.0}}};
    const std::vector<SeedBandPoint> band = seedBand(curves);
    // Step 150 was logged by one of three; at step 300 one value is left.
    QCOMPARE(band.size(), std::size_t(2));
    QVERIFY((band[0] == SeedBandPoint{100, 2.0, 1.0, 3.0, 3}));
    QVERIFY((band[1] == SeedBandPoint{200, 1.5, 1.0, 2.0, 2}));
    QVERIFY(seedBand({}).empty());
    QVERIFY(seedBand(std::vector<Curve>{{}, {}}).empty());
}

void TestSeedGroups::bandEqualsTheSlowReference()
{
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
        Philox random(trial);
        const auto draw = [&random] { return double(random.below(1000)); };
        std::vector<Curve> curves(std::size_t(draw()) % 7);
        for (Curve &curve : curves) {
            const int from = int(draw()) % 20;
            const int to = from + int(draw()) % 30;
            const int every = trial % 3 == 0 ? 1 + int(draw()) % 3 : 1;
            for (int x = from - from % every; x < to; x += every) {
                const double kind = draw();
                std::optional<double> y = std::floor(draw() / 50); // with ties
                if (kind < 60)
                    y = std::nullopt;
                else if (kind < 120)
                    y = std::numeric_limits<double>::quiet_NaN();
                else if (kind < 140)
                    y = std::numeric_limits<double>::infinity();
                curve.push_back({double(x), y});
            }
        }
        QVERIFY2(seedBand(curves) == slowBand(curves), qPrintable(QString::number(trial)));
    }
}

void TestSeedGroups::aFirstSeedStandsAlone()
{
    // The others have not begun: there is something to see all the same.
    const std::vector<Curve> curves{{{1, 2.3}, {100, 2.0}}, {}, {}};
    const std::vector<SeedBandPoint> band = seedBand(curves);
    QCOMPARE(band.size(), std::size_t(2));
    QVERIFY((band[1] == SeedBandPoint{100, 2.0, 2.0, 2.0, 1}));
}

void TestSeedGroups::logsSayWhetherTheyLearned()
{
    using Values = std::vector<std::optional<double>>;
    QVERIFY(!hasLearned(Values{}).has_value());
    QCOMPARE(hasLearned(Values{0.2, 0.3, 0.96, 0.97, 0.2, 0.99, 0.95}), std::optional(true));
    QCOMPARE(hasLearned(Values{0.99, 0.99, 0.99, 0.94, 0.94, 0.94}), std::optional(false));
    QCOMPARE(hasLearned(Values{0.949}), std::optional(false));
    QCOMPARE(hasLearned(Values{0.99, 0.99, 0.99, std::nullopt, std::nullopt, std::nullopt}), std::optional(false));
    QCOMPARE(hasLearned(Values{0.99, 0.99, 0.99, 0.99, std::numeric_limits<double>::quiet_NaN()}), std::optional(true));
}

void TestSeedGroups::curvesSayWhetherTheyLearned()
{
    eval::AccuracyCurve curve;
    curve.trainedTokens = 128;
    QVERIFY(!hasLearned(curve).has_value());
    const auto add = [&](std::int64_t tokens, double accuracy) {
        eval::AccuracyPoint point;
        point.contextTokens = tokens;
        point.accuracy = accuracy;
        curve.points.push_back(point);
    };
    add(256, 0.99);
    QVERIFY(!hasLearned(curve).has_value()); // nothing inside the training length
    add(64, 0.99);
    QCOMPARE(hasLearned(curve), std::optional(true));
    add(128, 0.9);
    QCOMPARE(hasLearned(curve), std::optional(false));
}

QTEST_GUILESS_MAIN(TestSeedGroups)
#include "test_seed_groups.moc"
