// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Variance tables of other implementations against this one.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/json.h"
#include "core/verify/verify.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

const fs::path kFixture = fs::path(LOOKBACK_TEST_FIXTURES) / "variance.json";
const ComputeOptions kTwoThreads{.device = "cpu", .threads = 2};

std::map<std::string, verify::VerifyRow> rowsOf(const verify::VerifyReport &report)
{
    std::map<std::string, verify::VerifyRow> rows;
    for (const verify::VerifyRow &row : report.rows)
        rows.emplace(row.quantity, row);
    return rows;
}

} // namespace

class TestVerifyVariance : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    nlohmann::json tables() const
    {
        std::ifstream in(kFixture, std::ios::binary);
        return parseJson(std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()),
                         kFixture.string());
    }
    fs::path written(const nlohmann::json &tables) const
    {
        const fs::path file = fs::path(m_folder.path().toStdString()) / "other.json";
        std::ofstream(file) << tables.dump();
        return file;
    }
    /// Two lengths of each sampling: what is enough to see a mistake, in little time.
    static void shorten(nlohmann::json &tables)
    {
        for (const char *name : {"gaussian", "random_heads"}) {
            nlohmann::json rows = nlohmann::json::array();
            for (const nlohmann::json &row : tables[name]["rows"]) {
                if (row["n"] == 10 || row["n"] == 100)
                    rows.push_back(row);
            }
            tables[name]["rows"] = rows;
        }
    }

private Q_SLOTS:
    void fixtureIsMet()
    {
        std::vector<Progress> told;
        const verify::VerifyReport report =
            verify::verifyFixture(kFixture, kTwoThreads, [&](const Progress &progress) { told.push_back(progress); });
        QCOMPARE(report.rows.size(), std::size_t{4});
        for (const verify::VerifyRow &row : report.rows) {
            QVERIFY2(row.passed, qPrintable(QString::fromStdString(row.quantity + ": " + row.worst)));
            QVERIFY(row.isRelative && row.largestRelative > 0.0);
            QCOMPARE(row.tolerance, 4.0);
            QCOMPARE(row.values, 15);
        }
        QCOMPARE(told.size(), std::size_t{15}); // five lengths of three samplings
    }

    // What another rule would give is told apart.
    void otherNumbersFail()
    {
        nlohmann::json changed = tables();
        shorten(changed);
        QVERIFY(verify::verifyFixture(written(changed), kTwoThreads).passed());
        for (nlohmann::json &row : changed["gaussian"]["rows"]) {
            if (row["p"] == 3 && row["n"] == 100)
                row["mean_squared_weights"] = row["mean_squared_weights"].get<double>() * 1.01;
        }
        for (nlohmann::json &row : changed["random_heads"]["rows"])
            row["init"] = row["init"] == "unit" ? "torch" : "unit";
        const auto rows = rowsOf(verify::verifyFixture(written(changed), kTwoThreads));
        const verify::VerifyRow &squares = rows.at("mean squared weights, in standard errors");
        QVERIFY(!squares.passed);
        QCOMPARE(squares.worst, std::string("gaussian, n = 100, power 3"));
        QVERIFY(rows.at("variance of drawn values, in standard errors").passed);
        QVERIFY(!rows.at("variance of random heads, in standard errors").passed);
        QVERIFY(!rows.at("variance of untrained heads, in standard errors").passed);
    }

    void partOfTheTables()
    {
        nlohmann::json part = tables();
        shorten(part);
        part.erase("gaussian");
        const verify::VerifyReport report = verify::verifyFixture(written(part), kTwoThreads);
        QVERIFY(report.passed());
        QCOMPARE(report.rows.size(), std::size_t{2});
    }

    void damagedTables()
    {
        nlohmann::json damaged = tables();
        shorten(damaged);
        damaged["gaussian"]["rows"][0].erase("variance_standard_error");
        QVERIFY_THROWS_EXCEPTION(Error, verify::verifyFixture(written(damaged), kTwoThreads));
        damaged = tables();
        damaged["gaussian"]["rows"][0]["n"] = -3;
        QVERIFY_THROWS_EXCEPTION(Error, verify::verifyFixture(written(damaged), kTwoThreads));
        QVERIFY_THROWS_EXCEPTION(Error, verify::verifyFixture(written({{"other", 1}}), kTwoThreads));
        QVERIFY_THROWS_EXCEPTION(Error, verify::verifyFixture(written(nlohmann::json::array()), kTwoThreads));
    }

    void stops()
    {
        std::stop_source stop;
        QVERIFY_THROWS_EXCEPTION(
            Cancelled,
            verify::verifyFixture(
                kFixture, kTwoThreads, [&](const Progress &) { stop.request_stop(); }, stop.get_token()));
    }
};

QTEST_GUILESS_MAIN(TestVerifyVariance)
#include "test_verify_variance_torch.moc"
