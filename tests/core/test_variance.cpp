// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>

#include "core/analysis/variance.h"
#include "core/error.h"
#include "core/rng.h"

using namespace lookback;
using analysis::attendedVariance;
using analysis::Estimate;
using analysis::VariancePoint;
using analysis::VarianceRequest;
using analysis::VarianceSampling;

namespace {

/// Of two estimates, their difference in combined standard errors.
double distance(const Estimate &one, const Estimate &other)
{
    return std::abs(one.value - other.value) / std::hypot(one.standardError, other.standardError);
}

/// Heads as they are written down: every state and weight drawn, the outputs' variance pooled over components.
Estimate bruteForceHeads(bool isUnit, std::size_t n, double power, std::size_t width, std::size_t headWidth, int heads)
{
    Philox generator = generatorFor(RandomPurpose::Resampling, 77, isUnit ? 1 : 2, n);
    const double size = 1.0 / std::sqrt(static_cast<double>(width));
    const auto entry = [&] { return isUnit ? size * generator.normal() : size * (2.0 * generator.uniform() - 1.0); };
    double sum = 0.0;
    double squares = 0.0;
    for (int head = 0; head < heads; ++head) {
        std::vector<std::vector<double>> states(n, std::vector<double>(width));
        for (std::vector<double> &state : states) {
            double mean = 0.0;
            for (double &x : state)
                mean += (x = generator.normal()) / static_cast<double>(width);
            double variance = 0.0;
            for (const double x : state)
                variance += (x - mean) * (x - mean) / static_cast<double>(width);
            for (double &x : state)
                x = (x - mean) / std::sqrt(variance + 1e-5);
        }
        const auto project = [&](const std::vector<std::vector<double>> &weight, const std::vector<double> &state) {
            std::vector<double> out(headWidth);
            for (std::size_t r = 0; r < headWidth; ++r) {
                for (std::size_t c = 0; c < width; ++c)
                    out[r] += weight[r][c] * state[c];
            }
            return out;
        };
        std::vector<std::vector<double>> weights[3];
        for (auto &weight : weights) {
            weight.assign(headWidth, std::vector<double>(width));
            for (std::vector<double> &row : weight) {
                for (double &x : row)
                    x = entry();
            }
        }
        const std::vector<double> query = project(weights[0], states.back());
        std::vector<double> scores(n);
        double total = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double> key = project(weights[1], states[i]);
            double product = 0.0;
            for (std::size_t c = 0; c < headWidth; ++c)
                product += query[c] * key[c];
            scores[i] = std::exp(analysis::signedPower(product / std::sqrt(static_cast<double>(headWidth)), power));
            total += scores[i];
        }
        std::vector<double> output(headWidth);
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double> value = project(weights[2], states[i]);
            for (std::size_t c = 0; c < headWidth; ++c)
                output[c] += scores[i] / total * value[c];
        }
        double pooled = 0.0;
        for (const double x : output)
            pooled += x * x / static_cast<double>(headWidth);
        sum += pooled / heads;
        squares += pooled * pooled / heads;
    }
    return {sum, std::sqrt((squares - sum * sum) / (heads - 1))};
}

} // namespace

class TestVariance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void powersAsWritten()
    {
        QCOMPARE(analysis::signedPower(-3.0, 1.0), -3.0);
        QCOMPARE(analysis::signedPower(-3.0, 2.0), 9.0);
        QCOMPARE(analysis::signedPower(-3.0, 3.0), -27.0);
        QCOMPARE(analysis::signedPower(-3.0, 4.0), 81.0);
        QCOMPARE(analysis::signedPower(-4.0, 0.5), -2.0);
        QCOMPARE(analysis::signedPower(4.0, 1.5), 8.0);
        QCOMPARE(analysis::signedPower(-4.0, 2.5), -32.0);
        QCOMPARE(analysis::signedPower(0.0, 0.5), 0.0);
    }

    // One key: all weight is on it, so the variance is that of a value.
    void oneKey()
    {
        VarianceRequest request{.n_keys = {1}, .powers = {0.5, 1.0, 2.0, 4.0}, .samples = 20'000};
        for (const VariancePoint &point : attendedVariance(request)) {
            QCOMPARE(point.variance, (Estimate{1.0, 0.0}));
            QVERIFY(std::abs(point.sampled.value - 1.0) < 4 * point.sampled.standardError);
            QVERIFY(std::abs(point.sampled.standardError - std::sqrt(2.0 / 20'000)) < 1e-3);
        }
    }

    // Two keys, power 1: w = 1 / (1 + exp(-d)), d normal with variance 2; the mean of w^2 + (1 - w)^2 by quadrature.
    void twoKeysByQuadrature()
    {
        double expected = 0.0;
        double mass = 0.0;
        for (int i = -40'000; i <= 40'000; ++i) {
            const double d = i * 3e-4;
            const double w = 1.0 / (1.0 + std::exp(-d));
            const double density = std::exp(-d * d / 4.0);
            expected += density * (w * w + (1.0 - w) * (1.0 - w));
            mass += density;
        }
        const VariancePoint point = attendedVariance({.n_keys = {2}, .powers = {1.0}, .samples = 200'000}).front();
        QVERIFY(distance(point.variance, {expected / mass, 0.0}) < 4.0);
        QVERIFY(distance(point.sampled, {expected / mass, 0.0}) < 4.0);
        QVERIFY(point.variance.standardError < 0.3 * point.sampled.standardError);
    }

    // The reduction to cosines against heads with every number drawn, at small sizes where all terms matter.
    void headsAsWrittenDown_data()
    {
        QTest::addColumn<bool>("isUnit");
        QTest::addColumn<int>("n");
        QTest::addColumn<double>("power");
        for (const bool isUnit : {true, false}) {
            for (const int n : {1, 2, 9}) {
                for (const double power : {0.5, 1.0, 2.0, 3.0})
                    QTest::addRow("%s, n = %d, power %g", isUnit ? "unit" : "default", n, power)
                        << isUnit << n << power;
            }
        }
    }
    void headsAsWrittenDown()
    {
        QFETCH(bool, isUnit);
        QFETCH(int, n);
        QFETCH(double, power);
        VarianceRequest request{.sampling = isUnit ? VarianceSampling::UnitHeads : VarianceSampling::DefaultHeads,
                                .n_keys = {n},
                                .powers = {power},
                                .samples = 20'000,
                                .modelWidth = 6,
                                .headWidth = 4};
        const Estimate found = attendedVariance(request).front().variance;
        const Estimate expected = bruteForceHeads(isUnit, static_cast<std::size_t>(n), power, 6, 4, 20'000);
        QVERIFY2(distance(found, expected) < 4.0,
                 qPrintable(QString::number(found.value) + QStringLiteral(" instead of ")
                            + QString::number(expected.value)));
    }

    void threadsDoNotMatter()
    {
        for (const VarianceSampling sampling : {VarianceSampling::GaussianLogits, VarianceSampling::UnitHeads}) {
            VarianceRequest request{.sampling = sampling, .n_keys = {3, 5'000}, .powers = {1.0, 2.5}, .samples = 300};
            const std::vector<VariancePoint> one = attendedVariance(request);
            request.threads = 3;
            QCOMPARE(attendedVariance(request), one);
            request.seed = 1;
            QVERIFY(attendedVariance(request) != one);
        }
    }

    void stopsAndTells()
    {
        std::stop_source stop;
        std::int64_t told = 0;
        QVERIFY_THROWS_EXCEPTION(
            Cancelled,
            attendedVariance({.n_keys = {2, 4, 8}, .samples = 10}, stop.get_token(), [&](const Progress &progress) {
                told = progress.done;
                QCOMPARE(progress.total, 14); // keys of a row
                stop.request_stop();
            }));
        QCOMPARE(told, 2);
        // A long length is told of in between, rising, to the end.
        std::vector<std::int64_t> done;
        attendedVariance({.n_keys = {100'000}, .powers = {2.0}, .samples = 8, .threads = 2}, {},
                         [&](const Progress &progress) { done.push_back(progress.done); });
        QVERIFY(done.size() > 1);
        QVERIFY(std::ranges::is_sorted(done));
        QCOMPARE(done.back(), 100'000);
    }

    void impossibleRequests()
    {
        QVERIFY_THROWS_EXCEPTION(Error, attendedVariance({.n_keys = {0}}));
        QVERIFY_THROWS_EXCEPTION(Error, attendedVariance({.n_keys = {2}, .powers = {0.0}}));
        QVERIFY_THROWS_EXCEPTION(Error, attendedVariance({.n_keys = {2}, .powers = {NAN}}));
        QVERIFY_THROWS_EXCEPTION(Error, attendedVariance({.n_keys = {2}, .samples = 1}));
        QVERIFY_THROWS_EXCEPTION(Error, attendedVariance({.n_keys = {2}, .modelWidth = 3}));
    }
};

QTEST_GUILESS_MAIN(TestVariance)
#include "test_variance.moc"
