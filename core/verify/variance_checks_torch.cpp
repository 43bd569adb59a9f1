// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/analysis/variance.h"
#include "core/error.h"
#include "core/verify/checks_torch.h"

namespace lookback::verify {

namespace {

using analysis::Estimate;
using analysis::VarianceSampling;
using nlohmann::json;

constexpr double kTolerance = 4.0; ///< In combined standard errors, of one comparison.
/// Keys of all samples of one length, and most samples: about ten seconds in all on one core, with errors near those of
/// the fixture.
constexpr std::int64_t kGaussianKeys = 10'000'000;
constexpr std::int64_t kHeadKeys = 3'000'000;
constexpr std::int64_t kMostHeads = 8'000;
constexpr std::int64_t kFewestSamples = 1'000;

/// One row whose differences are counted in combined standard errors.
class EstimateComparison {
public:
    EstimateComparison(std::string file, std::string quantity)
    {
        m_row.file = std::move(file);
        m_row.quantity = std::move(quantity);
        m_row.precision = "float64";
        m_row.tolerance = kTolerance;
        m_row.isRelative = true;
    }

    void add(const Estimate &computed, const Estimate &expected, const std::string &name)
    {
        const double difference = std::abs(computed.value - expected.value);
        const double error = std::hypot(computed.standardError, expected.standardError);
        double errors = difference == 0.0 ? 0.0 : difference / error;
        if (!std::isfinite(errors))
            errors = HUGE_VAL;
        ++m_row.values;
        m_row.largestAbsolute = std::max(m_row.largestAbsolute, std::isfinite(difference) ? difference : HUGE_VAL);
        if (errors >= m_row.largestRelative) {
            m_row.largestRelative = errors;
            m_row.worst = name;
        }
    }

    void finish(VerifyReport &report)
    {
        m_row.passed = m_row.largestRelative <= kTolerance;
        if (m_row.values > 0)
            report.rows.push_back(m_row);
    }

private:
    VerifyRow m_row;
};

Estimate estimateOf(const json &row, const std::string &name)
{
    return {row.at(name).get<double>(), row.at(name + "_standard_error").get<double>()};
}

/// The rows of one sampling, all powers of a length at once.
class Table {
public:
    Table(const json &rows, VarianceSampling sampling, const CheckContext &context, int threads)
        : m_rows(rows), m_context(context), m_request{.sampling = sampling, .n_keys = {1}, .threads = threads}
    {
        for (const json &row : rows) {
            const auto n = row.at("n").get<std::int64_t>();
            const auto power = row.at("p").get<double>();
            if (std::ranges::find(m_lengths, n) == m_lengths.end())
                m_lengths.push_back(n);
            if (std::ranges::find(m_powers, power) == m_powers.end())
                m_powers.push_back(power);
        }
    }

    template <typename Compare>
    void each(std::int64_t keys, std::int64_t &done, std::int64_t total, const Compare &compare)
    {
        for (const std::int64_t n : m_lengths) {
            const std::string name = analysis::samplingName(m_request.sampling) + ", n = " + std::to_string(n);
            m_context.step("variance, " + name, done, total);
            if (n < 1)
                throw Error("n " + std::to_string(n), "A query sees at least one key.");
            std::int64_t most = 0;
            for (const json &row : m_rows) {
                if (row.at("n") == n)
                    most = std::max(most, row.at(row.contains("samples") ? "samples" : "heads").get<std::int64_t>());
            }
            m_request.n_keys = {n};
            m_request.powers = m_powers;
            if (m_request.sampling != VarianceSampling::GaussianLogits)
                most = std::min(most, kMostHeads);
            m_request.samples = std::max(std::min(most, keys / n), kFewestSamples);
            const auto points = analysis::attendedVariance(m_request, m_context.stop);
            for (const json &row : m_rows) {
                for (const analysis::VariancePoint &point : points) {
                    if (row.at("n") == n && row.at("p").get<double>() == point.power)
                        compare(row, point, name + ", power " + row.at("p").dump());
                }
            }
            ++done;
        }
    }

    std::int64_t lengths() const { return std::ssize(m_lengths); }

private:
    json m_rows;
    const CheckContext &m_context;
    analysis::VarianceRequest m_request;
    std::vector<std::int64_t> m_lengths;
    std::vector<double> m_powers;
};

json rowsOf(const json &tables, const std::string &table, const std::string &init)
{
    json rows = json::array();
    if (!tables.contains(table))
        return rows;
    for (const json &row : tables[table].at("rows")) {
        if (init.empty() || row.at("init") == init)
            rows.push_back(row);
    }
    return rows;
}

} // namespace

void checkVariance(const std::string &name, const json &tables, const CheckContext &context, int threads)
{
    Table gaussian(rowsOf(tables, "gaussian", {}), VarianceSampling::GaussianLogits, context, threads);
    Table unit(rowsOf(tables, "random_heads", "unit"), VarianceSampling::UnitHeads, context, threads);
    Table initial(rowsOf(tables, "random_heads", "torch"), VarianceSampling::DefaultHeads, context, threads);
    const std::int64_t total = gaussian.lengths() + unit.lengths() + initial.lengths();
    std::int64_t done = 0;

    EstimateComparison drawn(name, "variance of drawn values, in standard errors");
    EstimateComparison squares(name, "mean squared weights, in standard errors");
    gaussian.each(kGaussianKeys, done, total,
                  [&](const json &row, const analysis::VariancePoint &point, const std::string &place) {
                      drawn.add(point.sampled, estimateOf(row, "variance"), place);
                      squares.add(point.variance, estimateOf(row, "mean_squared_weights"), place);
                  });
    drawn.finish(context.report);
    squares.finish(context.report);

    const auto checkHeads = [&](Table &table, const std::string &quantity) {
        EstimateComparison heads(name, quantity);
        table.each(kHeadKeys, done, total,
                   [&](const json &row, const analysis::VariancePoint &point, const std::string &place) {
                       heads.add(point.variance, estimateOf(row, "variance"), place);
                   });
        heads.finish(context.report);
    };
    checkHeads(unit, "variance of random heads, in standard errors");
    checkHeads(initial, "variance of untrained heads, in standard errors");
    if (done > 0)
        context.report.notes.push_back("differences of variances are in combined standard errors of both estimates");
}

} // namespace lookback::verify
