// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <clocale>
#include <cstdio>
#include <limits>
#include <locale>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include "comma_locale.h"
#include "core/config.h"
#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/run/run_folder.h"
#include "core/run/safetensors.h"
#include "core/train/schedule.h"

using namespace lookback;

namespace {

constexpr double kReal = 1234567.0625;

/// Everything that core writes as text, with numbers that a locale would write otherwise.
std::string everythingWritten()
{
    std::string all;
    RunConfig config = presetConfig("laptop");
    config.learning_rate = 0.0003;
    config.rope_base = kReal;
    config.seed = std::numeric_limits<std::uint64_t>::max();
    for (const ConfigField &field : configFields())
        all += fieldText(config, field.name) + "\n";
    all += configToJson(config);
    run::RunRecord record;
    record.config = config;
    record.step = 1234567;
    all += run::recordToJson(record);
    run::MetricsRecord metrics;
    metrics.step = 1234567;
    metrics.loss = 0.0625;
    metrics.tokensPerSecond = kReal;
    all += run::metricsLine(metrics);
    all += eval::accuracyToJson(eval::publishedCurves());
    all += run::bytesInWords(1234567890);
    config.learning_rate = 1234.5;
    config.kv_heads = 3;
    config.batch = 65536;
    config.n_keys = 1000;
    for (const ConfigProblem &problem : problemsOf(config))
        all += problem.message + "\n";
    for (const char *text : {"0,0003", "1.000", "1234.5"}) {
        try {
            setField(config, "weight_decay", text);
        } catch (const Error &error) {
            all += error.sentence() + "\n";
        }
    }
    return all;
}

void readEverything()
{
    RunConfig config;
    setField(config, "learning_rate", "0.0625");
    QCOMPARE(config.learning_rate, 0.0625);
    setField(config, "rope_base", "1234567.0625");
    QCOMPARE(config.rope_base, kReal);
    QVERIFY_THROWS_EXCEPTION(Error, setField(config, "learning_rate", "0,0625"));
    QVERIFY_THROWS_EXCEPTION(Error, setField(config, "rope_base", "1.234.567"));
    QVERIFY(configFromJson(configToJson(config)) == config);
    QCOMPARE(configFromJson("{\"learning_rate\": 0.0625}").learning_rate, 0.0625);
    const auto metrics =
        run::parseMetricsLine("{\"step\": 3, \"loss\": 0.0625, \"lr\": 3e-4, \"tokens_per_second\": 1234567.0625}");
    QVERIFY(metrics.has_value());
    QCOMPARE(metrics->loss.value(), 0.0625);
    QCOMPARE(metrics->learningRate.value(), 3e-4);
    QCOMPARE(metrics->tokensPerSecond.value(), kReal);
    QVERIFY(!run::parseMetricsLine("{\"step\": 3, \"loss\": 0,0625}"));
    QCOMPARE(eval::publishedCurves().front().points.size(), std::size_t{12});
    QVERIFY(run::readSafetensors(LOOKBACK_TEST_FIXTURES "/rope.safetensors").find("loss") != nullptr);
}

} // namespace

class TestLocale : public QObject {
    Q_OBJECT

    QTemporaryDir m_directory;

private Q_SLOTS:
    void cleanup()
    {
        std::locale::global(std::locale::classic());
        std::setlocale(LC_ALL, "C");
    }

    void sameBytesAndNumbers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("decimalSign");
        QTest::newRow("comma") << "comma" << QByteArray(",");
        QTest::newRow("sign of two bytes") << "arabic" << QByteArray("<U066B>");
    }
    void sameBytesAndNumbers()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, decimalSign);
        const std::string expected = everythingWritten();
        readEverything();
        const QString fault = test::makeLocale(m_directory.path(), name, decimalSign);
        if (!fault.isEmpty())
            QSKIP(qPrintable(fault));
        QVERIFY(std::setlocale(LC_ALL, name.toLatin1().constData()) != nullptr);
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), "%.1f", 1.5);
        QVERIFY(QByteArray(text.data()) != "1.5"); // the locale is really in force
        QCOMPARE(QString::fromStdString(everythingWritten()), QString::fromStdString(expected));
        readEverything();
        // A thread started meanwhile sees the same.
        std::string fromThread;
        std::thread([&] { fromThread = everythingWritten(); }).join();
        QVERIFY(fromThread == expected);
        // What another library may have done to C++ streams does not matter either.
        std::locale::global(std::locale(name.toStdString()));
        QVERIFY(everythingWritten() == expected);
        readEverything();
    }
};

QTEST_GUILESS_MAIN(TestLocale)
#include "test_locale.moc"
