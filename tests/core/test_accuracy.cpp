// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/run/run_folder.h"

using namespace lookback;
using namespace lookback::eval;
using nlohmann::json;

namespace {

AccuracyPoint exampleOf(std::int64_t n)
{
    AccuracyPoint point;
    point.n_keys = n;
    point.contextTokens = 16 * n;
    point.sequences = 2;
    point.answers = 2 * n;
    point.exact = 2 * n - 1;
    point.digitsRight = 6 * n - 1;
    point.accuracy = static_cast<double>(point.exact) / static_cast<double>(point.answers);
    point.exactBySequence = {n, n - 1};
    const Interval interval = exactMatchInterval(point.exactBySequence, n);
    point.low = interval.low;
    point.high = interval.high;
    point.meanLoss = 1.0 / 3.0;
    return point;
}

AccuracyCurve curveOf(std::int64_t step, const std::vector<std::int64_t> &lengths)
{
    AccuracyCurve curve;
    curve.variant = "hybrid_square";
    curve.step = step;
    curve.totalSteps = 4000;
    curve.trainedTokens = 128;
    curve.evaluationSeed = std::numeric_limits<std::uint64_t>::max();
    for (const std::int64_t n : lengths)
        curve.points.push_back(exampleOf(n));
    return curve;
}

} // namespace

class TestAccuracy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundTrip()
    {
        std::vector<AccuracyCurve> curves{curveOf(1000, {8, 16}), curveOf(4000, {8, 32, 64})};
        curves[0].points[0].meanLoss = std::numeric_limits<double>::infinity();
        QVERIFY(accuracyFromJson(accuracyToJson(curves), "file") == curves);
        QVERIFY(accuracyFromJson(accuracyToJson({}), "file").empty());
    }

    // What kvbench's own scripts read: n_sweep and one list a variant, here of the newest step.
    void publishedForm()
    {
        const auto object = json::parse(accuracyToJson({curveOf(4000, {8, 32}), curveOf(1000, {8, 16, 64})}));
        QVERIFY(object["n_sweep"] == json::array({8, 32}));
        QCOMPARE(object["curves"].size(), std::size_t{1});
        QVERIFY(object["curves"]["hybrid_square"] == json::array({15.0 / 16.0, 63.0 / 64.0}));
    }

    void merging()
    {
        auto curves = mergedCurves({}, curveOf(4000, {32, 8}));
        QCOMPARE(curves[0].points[0].n_keys, std::int64_t{8});
        AccuracyCurve newer = curveOf(4000, {16, 8});
        newer.points[1].exact = 3;
        curves = mergedCurves(curves, newer);
        curves = mergedCurves(curves, curveOf(1000, {8}));
        QCOMPARE(curves.size(), std::size_t{2});
        QCOMPARE(curves[0].step, std::int64_t{1000});
        QCOMPARE(curves[1].points.size(), std::size_t{3});
        QCOMPARE(curves[1].points[0].exact, std::int64_t{3});
        QCOMPARE(curves[1].points[2].n_keys, std::int64_t{32});
        // Of the same sequences the more the better: fewer replace nothing.
        AccuracyCurve fewer = curveOf(4000, {8});
        fewer.points[0].sequences = curves[1].points[0].sequences - 1;
        fewer.points[0].exact = 1;
        curves = mergedCurves(curves, fewer);
        QCOMPARE(curves[1].points[0].exact, std::int64_t{3});
        // Another evaluation seed means other sequences: the former points do not mix with the new ones.
        AccuracyCurve otherSeed = curveOf(4000, {8});
        otherSeed.evaluationSeed = 2;
        curves = mergedCurves(curves, otherSeed);
        QCOMPARE(curves[1].points.size(), std::size_t{1});
    }

    void inTheRunFolder()
    {
        QTemporaryDir directory;
        const run::RunRecord record;
        const auto folder = run::RunFolder::create(directory.path().toStdString(), "run", record);
        std::vector<std::thread> threads;
        for (std::int64_t step = 1; step <= 8; ++step)
            threads.emplace_back([&folder, step] { folder.writeAccuracy(curveOf(step, {8})); });
        for (std::thread &thread : threads)
            thread.join();
        QCOMPARE(folder.readAccuracy().size(), std::size_t{8}); // none is lost to another writer
        run::writeFileWhole(folder.path() / "accuracy_vs_context.json", std::string_view("{\"format\""));
        QVERIFY_THROWS_EXCEPTION(Error, folder.readAccuracy());
    }

    void damaged_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *path, const char *value, const char *words) {
            QTest::addRow("%s %s", path, value)
                << QString::fromLatin1(path) << QString::fromLatin1(value) << QString::fromLatin1(words);
        };
        row("/format", "\"cake\"", "of the kind \"cake\"");
        row("/format_version", "9", "in format 9; this Lookback (" LOOKBACK_VERSION ") reads up to format 1");
        row("/evaluations", "3", "\"evaluations\" is not a list");
        row("/evaluations/0", "3", "not an object");
        row("/evaluations/0/variant", "3", "\"variant\" is not a text");
        row("/evaluations/0/step", "-1", "\"step\" is not a whole number");
        row("/evaluations/0/evaluation_seed", "1.5", "\"evaluation_seed\"");
        row("/evaluations/0/points/0/n_keys", "\"8\"", "\"n_keys\"");
        row("/evaluations/0/points/0/accuracy", "1.5", "\"accuracy\" is not between 0 and 1");
        row("/evaluations/0/points/0/accuracy", "\"NaN\"", "\"accuracy\" is not between 0 and 1");
        row("/evaluations/0/points/0/low", "-0.5", "\"low\" is not between 0 and 1");
        row("/evaluations/0/points/0/exact", "1000", "more answers are right than were asked");
        row("/evaluations/0/points/0/exact_by_sequence", "[1, null]", "\"exact_by_sequence\"");
        row("/evaluations/0/points/0/mean_loss", "null", "\"mean_loss\" is not a number");
    }
    void damaged()
    {
        QFETCH(QString, path);
        QFETCH(QString, value);
        QFETCH(QString, words);
        auto object = json::parse(accuracyToJson({curveOf(4000, {8})}));
        object[json::json_pointer(path.toStdString())] = json::parse(value.toStdString());
        try {
            accuracyFromJson(object.dump(), "file");
            QFAIL("accepted");
        } catch (const Error &error) {
            QVERIFY2(QString::fromStdString(error.sentence()).contains(words), error.what());
        }
    }

    void everyMissingMemberIsNamed()
    {
        const auto whole = json::parse(accuracyToJson({curveOf(4000, {8})}));
        const auto &point = whole["evaluations"][0]["points"][0];
        for (const auto &[name, value] : point.items()) {
            auto object = whole;
            object["evaluations"][0]["points"][0].erase(name);
            try {
                accuracyFromJson(object.dump(), "file");
                QFAIL("accepted");
            } catch (const Error &error) {
                QVERIFY(error.message().find("\"" + name + "\" is missing") != std::string::npos);
            }
        }
    }

    void published()
    {
        const auto curves = publishedCurves();
        QCOMPARE(curves.size(), std::size_t{9});
        for (const AccuracyCurve &curve : curves) {
            QCOMPARE(curve.points.size(), std::size_t{12});
            QCOMPARE(curve.trainedTokens, std::int64_t{128});
            QCOMPARE(curve.step, std::int64_t{15000});
            for (const AccuracyPoint &point : curve.points) {
                QCOMPARE(point.contextTokens, 16 * point.n_keys);
                QCOMPARE(point.answers, 128 * point.n_keys);
                // The table's shares are whole numbers of answers: a wrong sample size would show here.
                QVERIFY(std::abs(static_cast<double>(point.exact) / static_cast<double>(point.answers) - point.accuracy)
                        < 1e-12);
                QVERIFY(point.accuracy >= 0.0 && point.accuracy <= 1.0);
            }
        }
        const auto rope = std::find_if(curves.begin(), curves.end(), [](const auto &c) { return c.variant == "rope"; });
        QVERIFY(rope != curves.end());
        QCOMPARE(rope->points.back().n_keys, std::int64_t{256});
        QVERIFY(std::abs(rope->points.back().accuracy - 0.0027) < 5e-5);
    }

    void chance()
    {
        QVERIFY(std::abs(chanceExactMatch(3) - 0.001) < 1e-15);
        QVERIFY(std::abs(chanceExactMatch(1) - 0.1) < 1e-15);
        QVERIFY(std::abs(anyValueExactMatch(256) - 0.00390625) < 1e-15);
        QCOMPARE(anyValueExactMatch(0), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestAccuracy)
#include "test_accuracy.moc"
