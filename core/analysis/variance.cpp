// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/variance.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/error.h"
#include "core/rng.h"

namespace lookback::analysis {

namespace {

/// Keys of the samples that one thread does between two looks at `stop`; also what sums are formed over, so that they
/// do not depend on the number of threads.
constexpr std::int64_t kBlockKeys = 1 << 17;
/// exp(-this) of the largest weight is lost in rounding, whatever the length.
constexpr double kNegligible = 60.0;

void requirePossible(const VarianceRequest &request)
{
    for (const std::int64_t n : request.n_keys) {
        if (n < 1)
            throw Error("n " + std::to_string(n), "A query sees at least one key.");
    }
    for (const double power : request.powers) {
        if (!(power > 0.0) || !std::isfinite(power))
            throw Error("power " + std::to_string(power), "Powers are above 0.", "Choose one from 0.5 to 4.");
    }
    if (request.samples < 2)
        throw Error("samples " + std::to_string(request.samples), "A variance needs at least 2 samples.");
    if (request.modelWidth < 4 || request.headWidth < 1)
        throw Error("width " + std::to_string(request.modelWidth) + ", head width " + std::to_string(request.headWidth),
                    "Random heads need a width of at least 4 and a head width of at least 1.");
}

/// Sums over samples of one power.
struct Sums {
    double value = 0.0;
    double valueSquared = 0.0;
    double attended2 = 0.0;
    double attended1 = 0.0;
    double attended4 = 0.0;
};

/// Softmax of logits^power, not normalised: [n] weights and their sum.
double weigh(const std::vector<double> &logits, double power, std::vector<double> &weights)
{
    double most = -HUGE_VAL;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double x = logits[i];
        weights[i] = power == 1.0 ? x : power == 2.0 ? x * x : power == 3.0 ? x * x * x : signedPower(x, power);
        most = std::max(most, weights[i]);
    }
    double sum = 0.0;
    for (double &weight : weights) {
        const double below = weight - most;
        weight = below < -kNegligible ? 0.0 : std::exp(below);
        sum += weight;
    }
    return sum;
}

/// Chi-squared with `freedom` >= 2 degrees: twice a gamma variate (Marsaglia and Tsang, ACM TOMS 26, 2000).
double chiSquared(Philox &generator, double freedom)
{
    const double d = freedom / 2.0 - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        const double x = generator.normal();
        const double base = 1.0 + c * x;
        if (base <= 0.0)
            continue;
        const double v = base * base * base;
        const double u = 1.0 - generator.uniform(); // above 0
        if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v))
            return 2.0 * d * v;
    }
}

class Sampler {
public:
    Sampler(const VarianceRequest &request, std::int64_t n)
        : m_request(request), m_n(n), m_logits(static_cast<std::size_t>(n)), m_weights(m_logits.size()),
          m_places(request.sampling == VarianceSampling::GaussianLogits ? 0 : m_logits.size())
    {
    }

    void add(std::int64_t sample, std::vector<Sums> &sums)
    {
        Philox generator = generatorFor(RandomPurpose::Variance, m_request.seed, static_cast<std::uint64_t>(sample),
                                        static_cast<std::uint64_t>(m_n));
        if (m_request.sampling == VarianceSampling::GaussianLogits)
            addGaussian(generator, sums);
        else
            addHead(generator, sums);
    }

private:
    void addGaussian(Philox &generator, std::vector<Sums> &sums)
    {
        for (double &logit : m_logits)
            logit = generator.normal();
        for (std::size_t p = 0; p < sums.size(); ++p) {
            const double total = weigh(m_logits, m_request.powers[p], m_weights);
            double squares = 0.0;
            for (const double weight : m_weights)
                squares += weight * weight;
            squares /= total * total;
            // Given the weights, sum_i w_i z_i is normal with this variance: one draw stands for n.
            add(sums[p], squares, std::sqrt(squares) * generator.normal());
        }
    }

    void addHead(Philox &generator, std::vector<Sums> &sums)
    {
        const auto width = static_cast<double>(m_request.modelWidth);
        const double weightVariance =
            m_request.sampling == VarianceSampling::UnitHeads ? 1.0 / width : 1.0 / (3.0 * width);
        // The logit of position i is h_i . a, a = Wk^T Wq h_last / sqrt(head width). A normalised Gaussian state is
        // sqrt(width) times a uniform direction in the width - 1 dimensions of mean 0, so only its cosine t with a
        // matters, and what it has besides is, seen from a, uniform around it.
        const double length = queryLength(generator);
        for (std::size_t i = 0; i < m_logits.size(); ++i) {
            const bool isSelf = i + 1 == m_logits.size();
            double place = m_ownPlace;
            if (!isSelf) {
                const double along = generator.normal();
                place = along / std::sqrt(along * along + chiSquared(generator, width - 2.0));
            }
            m_places[i] = place;
            m_logits[i] = length * place;
        }
        for (std::size_t p = 0; p < sums.size(); ++p) {
            const double total = weigh(m_logits, m_request.powers[p], m_weights);
            double along = 0.0;
            double across = 0.0;
            for (std::size_t i = 0; i < m_weights.size(); ++i) {
                const double weight = m_weights[i] / total;
                along += weight * m_places[i];
                across += weight * weight * (1.0 - m_places[i] * m_places[i]);
            }
            // Given the mixed state m, each output component has variance |m|^2 times that of the entries of Wv.
            add(sums[p], weightVariance * width * (along * along + across), 0.0);
        }
    }

    /// Draws the last state and what Wq and Wk make of it: sqrt(width) |a|, a without its mean; m_ownPlace becomes the
    /// last state's cosine.
    double queryLength(Philox &generator)
    {
        const auto width = static_cast<std::size_t>(m_request.modelWidth);
        std::vector<double> state(width);
        double mean = 0.0;
        for (double &x : state) {
            x = generator.normal();
            mean += x / static_cast<double>(width);
        }
        double square = 0.0;
        for (double &x : state) {
            x -= mean;
            square += x * x / static_cast<double>(width);
        }
        for (double &x : state)
            x /= std::sqrt(square + 1e-5);
        const std::vector<double> a = m_request.sampling == VarianceSampling::UnitHeads
            ? directionOfUnitHead(generator, state)
            : directionOfDefaultHead(generator, state);
        double mid = 0.0;
        for (const double x : a)
            mid += x / static_cast<double>(width);
        double inner = 0.0;
        double length = 0.0;
        for (std::size_t i = 0; i < width; ++i) {
            inner += (a[i] - mid) * state[i];
            length += (a[i] - mid) * (a[i] - mid);
        }
        length = std::sqrt(length * static_cast<double>(width));
        m_ownPlace = std::clamp(inner / length, -1.0, 1.0);
        return length;
    }

    /// Wk^T Wq state / sqrt(head width). Normal entries need not be drawn: Wq state has independent normal entries of
    /// variance |state|^2 / width, and given it so has Wk^T (Wq state).
    std::vector<double> directionOfUnitHead(Philox &generator, const std::vector<double> &state) const
    {
        const double size = 1.0 / static_cast<double>(state.size());
        const double querySize = std::sqrt(size * squareOf(state) / static_cast<double>(m_request.headWidth));
        std::vector<double> query(static_cast<std::size_t>(m_request.headWidth));
        for (double &x : query)
            x = querySize * generator.normal();
        const double keySize = std::sqrt(size * squareOf(query));
        std::vector<double> a(state.size());
        for (double &x : a)
            x = keySize * generator.normal();
        return a;
    }

    std::vector<double> directionOfDefaultHead(Philox &generator, const std::vector<double> &state) const
    {
        const double size = 1.0 / std::sqrt(static_cast<double>(state.size()));
        const auto entry = [&] { return size * (2.0 * generator.uniform() - 1.0); };
        std::vector<double> a(state.size());
        for (std::int64_t row = 0; row < m_request.headWidth; ++row) {
            double query = 0.0;
            for (const double x : state)
                query += entry() * x;
            query /= std::sqrt(static_cast<double>(m_request.headWidth));
            for (double &x : a)
                x += entry() * query;
        }
        return a;
    }

    static double squareOf(const std::vector<double> &x)
    {
        double sum = 0.0;
        for (const double each : x)
            sum += each * each;
        return sum;
    }

    static void add(Sums &sums, double value, double attended)
    {
        const double square = attended * attended;
        sums.value += value;
        sums.valueSquared += value * value;
        sums.attended1 += attended;
        sums.attended2 += square;
        sums.attended4 += square * square;
    }

    const VarianceRequest &m_request;
    std::int64_t m_n;
    std::vector<double> m_logits;
    std::vector<double> m_weights;
    std::vector<double> m_places; ///< Cosines of the states with the direction that the query looks in.
    double m_ownPlace = 0.0;
};

VariancePoint pointOf(const VarianceRequest &request, std::int64_t n, double power, const Sums &sums)
{
    const auto count = static_cast<double>(request.samples);
    const auto meanError = [count](double mean, double meanOfSquares) {
        return std::sqrt(std::max(0.0, meanOfSquares - mean * mean) / (count - 1.0));
    };
    VariancePoint point{.n_keys = n, .power = power, .samples = request.samples, .variance = {}, .sampled = {}};
    point.variance = {sums.value / count, meanError(sums.value / count, sums.valueSquared / count)};
    if (request.sampling == VarianceSampling::GaussianLogits) {
        const double mean = sums.attended1 / count;
        const double square = sums.attended2 / count;
        point.sampled = {square - mean * mean, meanError(square, sums.attended4 / count)};
    }
    return point;
}

} // namespace

std::string samplingName(VarianceSampling sampling)
{
    switch (sampling) {
    case VarianceSampling::GaussianLogits:
        return "gaussian";
    case VarianceSampling::UnitHeads:
        return "unit heads";
    case VarianceSampling::DefaultHeads:
        return "default heads";
    }
    return {};
}

double signedPower(double logit, double power)
{
    const double size = std::pow(std::abs(logit), power);
    const bool isEven = std::fmod(power, 2.0) == 0.0;
    return isEven ? size : std::copysign(size, logit);
}

std::vector<VariancePoint> attendedVariance(const VarianceRequest &request, std::stop_token stop,
                                            const ProgressFunction &progress)
{
    requirePossible(request);
    std::vector<VariancePoint> points;
    std::int64_t done = 0; // keys of a row: what a length costs
    const std::int64_t total = std::accumulate(request.n_keys.begin(), request.n_keys.end(), std::int64_t{0});
    for (const std::int64_t n : request.n_keys) {
        const auto tell = [&](std::int64_t more) {
            if (progress)
                progress({.what = samplingName(request.sampling) + ", n = " + std::to_string(n),
                          .done = done + more,
                          .total = total});
        };
        const std::int64_t perBlock = std::clamp<std::int64_t>(kBlockKeys / n, 1, request.samples);
        const std::int64_t blocks = (request.samples + perBlock - 1) / perBlock;
        std::vector<std::vector<Sums>> sums(static_cast<std::size_t>(blocks), std::vector<Sums>(request.powers.size()));
        std::atomic<std::int64_t> next = 0;
        const auto work = [&](bool isCaller) {
            Sampler sampler(request, n);
            for (std::int64_t block = next++; block < blocks && !stop.stop_requested(); block = next++) {
                const std::int64_t end = std::min((block + 1) * perBlock, request.samples);
                for (std::int64_t sample = block * perBlock; sample < end; ++sample)
                    sampler.add(sample, sums[static_cast<std::size_t>(block)]);
                if (isCaller && block + 1 < blocks)
                    tell(static_cast<std::int64_t>(static_cast<double>(n) * static_cast<double>(block + 1)
                                                   / static_cast<double>(blocks)));
            }
        };
        {
            std::vector<std::jthread> helpers;
            for (int i = 1; i < std::min<std::int64_t>(request.threads, blocks); ++i)
                helpers.emplace_back(work, false);
            work(true);
        }
        if (stop.stop_requested())
            throw Cancelled();
        for (std::size_t p = 0; p < request.powers.size(); ++p) {
            Sums all;
            for (const std::vector<Sums> &block : sums) {
                all.value += block[p].value;
                all.valueSquared += block[p].valueSquared;
                all.attended1 += block[p].attended1;
                all.attended2 += block[p].attended2;
                all.attended4 += block[p].attended4;
            }
            points.push_back(pointOf(request, n, request.powers[p], all));
        }
        done += n;
        tell(0);
    }
    return points;
}

} // namespace lookback::analysis
