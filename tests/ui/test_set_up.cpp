// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The set-up: seeds, file, settings, and the panel that edits it.
#include <clocale>

#include <QComboBox>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTreeView>
#include <QtTest>

#include "core/error.h"
#include "tests/core/comma_locale.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/set_up_bench.h"
#include "ui/settings/experiment_setup.h"
#include "ui/settings/settings.h"
#include "ui/widgets/field_edit.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using tests::FakeRunService;
using tests::SetUpBench;

namespace {

/// The sentence of the Error, or "accepted".
template <typename Act> QString faultOf(Act act)
{
    try {
        act();
    } catch (const Error &error) {
        return QString::fromStdString(error.sentence());
    }
    return u"accepted"_s;
}

} // namespace

class TestSetUp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void seedsAreReadOrRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected"); // seeds, or a part of the refusal
        QTest::newRow("one") << u"0"_s << u"0"_s;
        QTest::newRow("range") << u"0-4"_s << u"0,1,2,3,4"_s;
        QTest::newRow("list") << u" 3, 7-9 ,3"_s << u"3,7,8,9"_s;
        QTest::newRow("largest") << u"18446744073709551615"_s << u"18446744073709551615"_s;
        QTest::newRow("largest range") << u"18446744073709551614-18446744073709551615"_s
                                       << u"18446744073709551614,18446744073709551615"_s;
        QTest::newRow("too large") << u"18446744073709551616"_s << u"larger than"_s;
        QTest::newRow("empty") << u""_s << u"missing"_s;
        QTest::newRow("blank") << u"  "_s << u"missing"_s;
        QTest::newRow("comma at the end") << u"0,"_s << u"missing after the last comma"_s;
        QTest::newRow("comma at the start") << u",0"_s << u"missing"_s;
        QTest::newRow("backwards") << u"4-0"_s << u"runs backwards"_s;
        QTest::newRow("negative") << u"-1"_s << u"missing"_s;
        QTest::newRow("decimal") << u"0.5"_s << u"not a whole number"_s;
        QTest::newRow("word") << u"all"_s << u"not a whole number"_s;
        QTest::newRow("many") << u"0-99"_s << u"0,1,2"_s;
        QTest::newRow("too many") << u"0-100"_s << u"more than 100"_s;
        QTest::newRow("absurdly many") << u"0-18446744073709551615"_s << u"more than 100"_s;
        QTest::newRow("arabic digits") << u"٣"_s << u"not a whole number"_s;
    }

    void seedsAreReadOrRefused()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QStringList seeds;
        const QString fault = faultOf([&] {
            for (const std::uint64_t seed : parseSeeds(text.toStdString()))
                seeds.append(QString::number(seed));
        });
        const QString result = fault == u"accepted"_s ? seeds.join(u',') : fault;
        QVERIFY2(result.contains(expected), qPrintable(result));
    }

    void aSetUpSurvivesItsFile()
    {
        ExperimentSetup setup = ExperimentSetup::trial();
        setup.seeds = "3, 18446744073709551615";
        setup.device = "cpu";
        setup.config.learning_rate = 0.1 + 0.2;
        setup.config.curriculum = {{2, 10}, {3, 20}};
        QVERIFY(ExperimentSetup::fromJson(setup.toJson()) == setup);
        QCOMPARE(setup.requests().size(), 4U);
        QCOMPARE(setup.requests().back().config.seed, 18446744073709551615ULL);
        QCOMPARE(ExperimentSetup::trial().requests().front().preset, std::string("tiny"));
        QCOMPARE(setup.requests().front().preset, std::string()); // no longer a preset
    }

    void aSetUpIsReadAlikeUnderEveryLocale()
    {
        ExperimentSetup setup = ExperimentSetup::trial();
        setup.config.learning_rate = 0.0003;
        QTemporaryDir folder;
        if (const QString fault = test::makeLocale(folder.path(), u"comma"_s, ","); !fault.isEmpty())
            QSKIP(qPrintable(fault));
        const std::string written = setup.toJson();
        const QByteArray before = std::setlocale(LC_ALL, nullptr);
        const auto back = qScopeGuard([&] { std::setlocale(LC_ALL, before.constData()); });
        QVERIFY(std::setlocale(LC_ALL, "comma") != nullptr);
        QVERIFY(setup.toJson() == written);
        QVERIFY(ExperimentSetup::fromJson(written) == setup);
    }

    void aForeignSetUpIsRefusedWithASentence_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("part");
        const QByteArray good = QByteArray::fromStdString(ExperimentSetup::trial().toJson());
        QTest::newRow("empty") << QByteArray() << u"not a Lookback set-up"_s;
        QTest::newRow("array") << QByteArray("[1, 2]") << u"not a Lookback set-up"_s;
        QTest::newRow("run.json") << QByteArray(R"({"kind": 3})") << u"not a Lookback set-up"_s;
        QTest::newRow("cut") << good.left(good.size() / 2) << u"not a Lookback set-up"_s;
        QTest::newRow("newer") << QByteArray(good).replace("\"version\": 1", "\"version\": 2") << u"version 2"_s;
        QTest::newRow("no variants") << QByteArray(good).replace("\"variants\"", "\"varieties\"") << u"damaged"_s;
        QTest::newRow("odd seeds") << QByteArray(good).replace("\"seeds\": \"0\"", "\"seeds\": \"x\"") << u"\"x\""_s;
        QTest::newRow("odd device") << QByteArray(good).replace("\"auto\"", "\"tpu\"") << u"tpu"_s;
        QTest::newRow("unknown field") << QByteArray(good).replace("\"window\"", "\"windows\"") << u"windows"_s;
    }

    void aForeignSetUpIsRefusedWithASentence()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, part);
        const QString fault = faultOf([&] { ExperimentSetup::fromJson(text.toStdString()); });
        QVERIFY2(fault.contains(part), qPrintable(fault));
    }

    void settingsRememberAndClamp()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"window.ini"_s);
        {
            Settings settings(file);
            QCOMPARE(settings.parallelRuns.value(), 0);
            settings.parallelRuns.setValue(1000);
            settings.hiddenRuns.setValue({u"/runs/a, b"_s, u"/runs/ü"_s});
            settings.setViewStateOf(u"training"_s, {{u"smoothing"_s, 0.25}});
            settings.setDocksOf(u"accuracy"_s, 2);
            for (int i = 0; i < 12; ++i)
                settings.addRecentFolder(u"/runs/%1"_s.arg(i));
            settings.addRecentFolder(u"/runs/5"_s);
            settings.sync();
        }
        Settings settings(file);
        QCOMPARE(settings.parallelRuns.value(), 64);
        QCOMPARE(settings.hiddenRuns.value(), QStringList({u"/runs/a, b"_s, u"/runs/ü"_s}));
        QCOMPARE(settings.viewStateOf(u"training"_s).value(u"smoothing"_s).toDouble(), 0.25);
        QCOMPARE(settings.docksOf(u"accuracy"_s, 0), 2);
        QCOMPARE(settings.recentFolders.value().size(), 10);
        QCOMPARE(settings.recentFolders.value().front(), u"/runs/5"_s);
        settings.resetLayout();
        QCOMPARE(settings.docksOf(u"accuracy"_s, 0), 0);
        QCOMPARE(settings.hiddenRuns.value().size(), 2);
    }

    void numbersMeanWhatIsTypedOrAreRefused_data()
    {
        QTest::addColumn<QLocale>("locale");
        QTest::newRow("dot country") << QLocale::c();
        QTest::newRow("comma country") << QLocale(QLocale::German, QLocale::Germany);
        QTest::newRow("other digits") << QLocale(QLocale::Arabic, QLocale::Egypt);
        QTest::newRow("dotless i") << QLocale(QLocale::Turkish, QLocale::Turkey);
    }

    void numbersMeanWhatIsTypedOrAreRefused()
    {
        QFETCH(QLocale, locale);
        QLocale::setDefault(locale);
        const auto restore = qScopeGuard([] { QLocale::setDefault(QLocale::c()); });
        SetUpBench bench;
        const double before = bench.panel.setup().config.learning_rate;
        for (const QString &text : {u"0,0003"_s, u"3e-4x"_s, u"0x10"_s, u"1 000"_s, u"٠.٥"_s, u"nan"_s, u""_s}) {
            bench.paste("learning_rate", text);
            QVERIFY2(!bench.problem("learning_rate").isEmpty(), qPrintable(text));
            QCOMPARE(bench.panel.setup().config.learning_rate, before);
            QVERIFY(!bench.panel.trainButton()->isEnabled());
            QVERIFY(bench.panel.whyNot().contains(bench.problem("learning_rate")));
            QCOMPARE(bench.panel.trainButton()->toolTip(), bench.panel.whyNot());
        }
        bench.type("learning_rate", u"0.0003"_s);
        QCOMPARE(bench.problem("learning_rate"), QString());
        QCOMPARE(bench.panel.setup().config.learning_rate, 0.0003);
        QVERIFY(bench.panel.trainButton()->isEnabled());
        QCOMPARE(bench.panel.fieldEdit("learning_rate")->text(), u"0.0003"_s); // the text stays as typed
    }

    void theSpecifiedExampleLoads()
    {
        QFile page(QStringLiteral(LOOKBACK_TEST_SOURCE_DIR "/../specs/formats/set-up.md"));
        QVERIFY(page.open(QIODevice::ReadOnly));
        const QString example = QString::fromUtf8(page.readAll()).section(u"```json"_s, 1).section(u"```"_s, 0, 0);
        const ExperimentSetup setup = ExperimentSetup::fromJson(example.toStdString());
        QCOMPARE(setup.requests().size(), 10U);
        QCOMPARE(setup.config.steps, 4000);
    }
};

QTEST_MAIN(TestSetUp)
#include "test_set_up.moc"
