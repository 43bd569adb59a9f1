// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "core/error.h"
#include "core/eval/per_index_table.h"
#include "core/newer_format.h"

using namespace lookback;
using namespace lookback::eval;

namespace {

PerIndexTable tableOf(std::int64_t n, std::int64_t sequences)
{
    PerIndexTable table{.variant = "rope",
                        .step = 300,
                        .request = {.n_keys = n, .sequences = sequences},
                        .evaluationSeed = 18446744073709551615U,
                        .all = {},
                        .first = {},
                        .second = {}};
    for (std::int64_t i = 0; i < 2 * n; ++i) {
        table.all.push_back({0.1 * static_cast<double>(i), 1e-9, sequences});
        table.first.push_back({NAN, NAN, 0});
        table.second.push_back({1.0 / 3.0, NAN, 1});
    }
    return table;
}

bool areEqual(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool areEqual(const std::vector<IndexLoss> &a, const std::vector<IndexLoss> &b)
{
    return std::ranges::equal(a, b, [](const IndexLoss &x, const IndexLoss &y) {
        return areEqual(x.mean, y.mean) && areEqual(x.standardError, y.standardError) && x.entries == y.entries;
    });
}

std::string sentenceOf(const std::string &text)
{
    try {
        perIndexFromJson(text, "per-index.json", nullptr);
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

std::string with(std::string text, const std::string &what, const std::string &instead)
{
    const std::size_t place = text.find(what);
    return place == std::string::npos ? std::string("nothing to replace") : text.replace(place, what.size(), instead);
}

} // namespace

class TestPerIndexTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumIsMeanAndStandardError()
    {
        const std::vector<double> values{2.5, 0.25, 1.0, 1e-6, 2.25};
        IndexSum sum;
        QVERIFY(std::isnan(sum.loss().mean) && std::isnan(sum.loss().standardError));
        double mean = 0.0;
        for (const double value : values) {
            sum.add(value);
            mean += value / static_cast<double>(values.size());
            if (&value == &values.front())
                QVERIFY(sum.loss().mean == 2.5 && std::isnan(sum.loss().standardError));
        }
        double squares = 0.0;
        for (const double value : values)
            squares += (value - mean) * (value - mean);
        QCOMPARE(sum.loss().entries, 5);
        QVERIFY(std::abs(sum.loss().mean - mean) < 1e-12);
        QVERIFY(std::abs(sum.loss().standardError - std::sqrt(squares / 4.0 / 5.0)) < 1e-12);
    }

    void readsBackWhatItWrites()
    {
        const std::vector<PerIndexTable> tables{tableOf(2, 16), tableOf(50, 256)};
        std::string fingerprint;
        const std::vector<PerIndexTable> read =
            perIndexFromJson(perIndexToJson(tables, "fnv64:1"), "per-index.json", &fingerprint);
        QCOMPARE(fingerprint, "fnv64:1");
        QCOMPARE(read.size(), tables.size());
        for (std::size_t i = 0; i < read.size(); ++i) {
            QCOMPARE(read[i].variant, tables[i].variant);
            QCOMPARE(read[i].step, tables[i].step);
            QVERIFY(read[i].request == tables[i].request);
            QCOMPARE(read[i].evaluationSeed, tables[i].evaluationSeed);
            QVERIFY(areEqual(read[i].all, tables[i].all));
            QVERIFY(areEqual(read[i].first, tables[i].first));
            QVERIFY(areEqual(read[i].second, tables[i].second));
        }
    }

    void readsTheExampleOfItsSpecification()
    {
        std::ifstream file(LOOKBACK_TEST_SOURCE_DIR "/../specs/formats/per-index.md");
        std::stringstream page;
        page << file.rdbuf();
        std::string text = page.str();
        const std::size_t begin = text.find("```json\n");
        QVERIFY(begin != std::string::npos);
        text = text.substr(begin + 8);
        const std::vector<PerIndexTable> tables =
            perIndexFromJson(text.substr(0, text.find("```")), "example", nullptr);
        QCOMPARE(tables.size(), 1U);
        QCOMPARE(tables[0].second[1].mean, 0.5);
        QVERIFY(std::isnan(tables[0].first[1].mean));
    }

    void damage_data()
    {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<QByteArray>("words");
        const std::string good = perIndexToJson({tableOf(1, 2)}, "fnv64:1");
        const auto row = [](const char *name, std::string text, const char *words) {
            QTest::newRow(name) << std::move(text) << QByteArray(words);
        };
        row("empty", "", "per-index.json");
        row("a list", "[]", "damaged");
        row("another kind", with(good, "loss-by-entry", "head-measures"), "kind");
        row("no weights", with(good, "\"weights\"", "\"heights\""), "\"weights\" is missing");
        row("too few entries", with(good, "\"n_keys\":1", "\"n_keys\":2"), "not an item for each entry");
        row("too many entries", with(good, "\"n_keys\":1", "\"n_keys\":0"), "\"all\"");
        row("absurd n", with(good, "\"n_keys\":1", "\"n_keys\":9000000000000000000"), "n_keys");
        row("two numbers", with(good, "[0.0,1e-09,2]", "[0.0,2]"), "mean, standard error and count");
        row("negative count", with(good, "1e-09,2]", "1e-09,-2]"), "mean, standard error and count");
        row("a word", with(good, "1e-09", "\"small\""), "\"all\"");
    }
    void damage()
    {
        QFETCH(std::string, text);
        QFETCH(QByteArray, words);
        const std::string sentence = sentenceOf(text);
        QVERIFY2(QByteArray::fromStdString(sentence).contains(words), (sentence + " | " + text).c_str());
    }

    void newerFormat()
    {
        const std::string text = with(perIndexToJson({}, "fnv64:1"), "\"format_version\":1", "\"format_version\":2");
        QVERIFY_THROWS_EXCEPTION(NewerFormat, perIndexFromJson(text, "per-index.json", nullptr));
    }
};

QTEST_GUILESS_MAIN(TestPerIndexTable)
#include "test_per_index_table.moc"
