// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The set-up: seeds, file, settings, and the panel that edits it.
#include <clocale>

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeView>
#include <QUndoStack>
#include <QtTest>

#include "core/error.h"
#include "tests/core/comma_locale.h"
#include "tests/ui/fake_run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/docks/experiment_panel.h"
#include "ui/models/run_collection.h"
#include "ui/models/variant_model.h"
#include "ui/settings/experiment_setup.h"
#include "ui/settings/settings.h"
#include "ui/widgets/field_edit.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using tests::FakeRunService;

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

struct Bench {
    FakeRunService service;
    RunBridge bridge{&service};
    RunCollection runs{&bridge};
    QUndoStack undo;
    ExperimentPanel panel{&bridge, &runs, &undo};

    void type(const std::string &field, const QString &text)
    {
        QLineEdit *edit = panel.fieldEdit(field)->lineEdit();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    /// At once, as a paste, without the texts on the way.
    void paste(const std::string &field, const QString &text)
    {
        QLineEdit *edit = panel.fieldEdit(field)->lineEdit();
        edit->selectAll();
        QGuiApplication::clipboard()->setText(text);
        text.isEmpty() ? QTest::keyClick(edit, Qt::Key_Delete) : edit->paste();
    }
    QString problem(const std::string &field) const { return panel.fieldEdit(field)->problem(); }
};

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
        Bench bench;
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

    void everyFieldCanBeEditedAndExplainsItself()
    {
        Bench bench;
        for (const ConfigField &field : configFields()) {
            const std::string name(field.name);
            FieldEdit *edit = bench.panel.fieldEdit(name);
            QVERIFY2(edit, name.c_str());
            QVERIFY2(!edit->lineEdit()->accessibleName().isEmpty(), name.c_str());
            QVERIFY2(edit->toolTip().contains(QString::fromStdString(name)), name.c_str());
            if (name != "seed")
                QCOMPARE(edit->text(), QString::fromStdString(fieldText(bench.panel.setup().config, name)));
            bench.type(name, u"rubbish"_s);
            QVERIFY2(!edit->problem().isEmpty(), name.c_str());
            QVERIFY2(edit->lineEdit()->isRefused(), name.c_str());
        }
    }

    void aCombinationThatCannotRunIsSaidAtItsField()
    {
        Bench bench;
        bench.type("query_heads", u"3"_s);
        QVERIFY(bench.problem("d_model").contains(u"divisible"_s));
        QVERIFY(bench.panel.whyNot().contains(u"divisible"_s));
        bench.type("query_heads", u"4"_s);
        QCOMPARE(bench.panel.whyNot(), QString());
        bench.service.refuse("variant", "This variant needs an even width.");
        bench.type("steps", u"100"_s);
        QCOMPARE(bench.panel.whyNot(), u"This variant needs an even width."_s); // belongs to no field on screen
    }

    void undoHasReadableTexts()
    {
        Bench bench;
        const ExperimentSetup first = bench.panel.setup();
        bench.type("window", u"12"_s);
        QCOMPARE(bench.undo.count(), 1); // typing is one change
        QCOMPARE(bench.undo.undoText(), u"set attention window to 12"_s);
        auto *model = qobject_cast<VariantModel *>(bench.panel.variantView()->model());
        model->setData(model->indexOf("hybrid"), Qt::Checked, Qt::CheckStateRole);
        QCOMPARE(bench.undo.undoText(), u"tick hybrid"_s);
        auto *preset = bench.panel.findChild<QComboBox *>(u"preset"_s);
        preset->setCurrentIndex(0);
        Q_EMIT preset->activated(0);
        QCOMPARE(bench.undo.undoText(), u"choose preset tiny"_s);
        QCOMPARE(bench.panel.setup().config, presetConfig("tiny"));
        bench.undo.undo();
        bench.undo.undo();
        QCOMPARE(bench.panel.setup().config.window, 12);
        QCOMPARE(model->checked(), first.variants);
        bench.undo.undo();
        QVERIFY(bench.panel.setup() == first);
        QCOMPARE(bench.panel.fieldEdit("window")->text(), u"10"_s);
        bench.undo.redo();
        QCOMPARE(bench.panel.fieldEdit("window")->text(), u"12"_s);
    }

    void theWarmUpFollowsTheSteps()
    {
        Bench bench; // the laptop preset: 3,000 steps, warm-up 100
        bench.type("steps", u"50"_s);
        QCOMPARE(bench.panel.setup().config.warmup_steps, 5);
        QCOMPARE(bench.panel.fieldEdit("warmup_steps")->text(), u"5"_s);
        QVERIFY(bench.panel.whyNot().isEmpty());
        bench.type("steps", u"4"_s);
        QCOMPARE(bench.panel.setup().config.warmup_steps, 0);
        QVERIFY(bench.panel.whyNot().isEmpty());
        const auto labels = bench.panel.findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text().contains(u"The warm-up is a tenth of the steps, 0."_s);
        }));
        bench.type("steps", u"3000"_s);
        QVERIFY(bench.panel.setup() == ExperimentSetup::initial()); // back to the preset, as if nothing had been
        bench.type("warmup_steps", u"100"_s);
        bench.type("steps", u"60"_s);
        QCOMPARE(bench.panel.setup().config.warmup_steps, 100); // typed: it stays, and the collision is said
        QCOMPARE(lookback::problemsOf(bench.panel.setup().config).front().field, std::string("warmup_steps"));
    }

    void presetsKeepTheirWarmUp()
    {
        for (const std::string_view name : presetNames()) {
            ExperimentSetup setup;
            setup.usePreset(name);
            setup.followSteps();
            QVERIFY(setup.config == presetConfig(name));
            setup.config.steps *= 2;
            setup.followSteps();
            QCOMPARE(setup.config.warmup_steps, presetConfig(name).warmup_steps);
        }
    }

    void theButtonCountsAndTrains()
    {
        Bench bench;
        QSignalSpy spy(&bench.panel, &ExperimentPanel::trainingRequested);
        bench.type("seed", u"0-1"_s);
        QCOMPARE(bench.panel.trainButton()->text(), u"Train 4 runs"_s);
        bench.panel.trainButton()->click();
        QCOMPARE(spy.size(), 1);
        QCOMPARE(bench.service.calls(),
                 std::vector<std::string>({"train rope seed 0", "train hybrid_square seed 0", "train rope seed 1",
                                           "train hybrid_square seed 1"}));
        bench.panel.tickAll(false);
        QCOMPARE(bench.panel.whyNot(), u"Tick at least one variant."_s);
        bench.panel.train();
        QCOMPARE(spy.size(), 1); // refused here, too
        bench.panel.tickAll(true);
        QCOMPARE(bench.panel.trainButton()->text(), u"Train 18 runs"_s);
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

    void variantsAreTickedByMouseAndKeyboard()
    {
        Bench bench;
        bench.panel.resize(360, 900);
        bench.panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&bench.panel));
        QTreeView *view = bench.panel.variantView();
        auto *model = qobject_cast<VariantModel *>(view->model());
        const QModelIndex hybrid = model->indexOf("hybrid");
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(hybrid).center());
        QCOMPARE(hybrid.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
        QTest::keyClick(view, Qt::Key_Down);
        QTest::keyClick(view, Qt::Key_Space); // hybrid_square, ticked at first
        QCOMPARE(bench.panel.setup().variants, std::vector<std::string>({"rope", "hybrid"}));
        QCOMPARE(bench.undo.undoText(), u"untick hybrid_square"_s);
        // A click on a family ticks nothing.
        const QModelIndex family = model->index(0, 0);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(family).center());
        QCOMPARE(bench.panel.setup().variants.size(), 2U);
    }

    void aGpuThatIsNotThereIsSaidAtTheDevice()
    {
        Bench bench;
        auto *device = bench.panel.findChild<QComboBox *>(u"device"_s);
        device->setCurrentIndex(2);
        Q_EMIT device->activated(2);
        QVERIFY2(bench.panel.whyNot().contains(u"There is no GPU"_s), qPrintable(bench.panel.whyNot()));
        MachineInfo machine = bench.service.machine();
        machine.hasCuda = true;
        machine.cudaDevice = "NVIDIA H100, 80 GB";
        bench.service.tellMachine(machine);
        QTRY_COMPARE(bench.panel.whyNot(), QString());
        QCOMPARE(device->currentText(), u"GPU: NVIDIA H100, 80 GB"_s);
    }

    void everyInputHasANameAndTabGoesTopDown()
    {
        Bench bench;
        bench.panel.setAdvancedOpen(true);
        bench.panel.resize(360, 1200);
        bench.panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&bench.panel));
        bench.panel.variantView()->setFocus();
        QStringList visited;
        QWidget *first = QApplication::focusWidget();
        for (QWidget *at = first; at && visited.size() < 60;) {
            visited.append(at->objectName().isEmpty() ? at->parentWidget()->objectName() : at->objectName());
            QTest::keyClick(at, Qt::Key_Tab);
            at = QApplication::focusWidget();
            if (at == first)
                break;
        }
        QStringList expected{u"variants"_s, u"preset"_s,       u"seeds"_s,   u"steps"_s,
                             u"device"_s,   u"evaluation_n"_s, u"advanced"_s};
        QCOMPARE(visited.mid(0, expected.size()), expected);
        QVERIFY(visited.contains(u"learning_rate"_s));
        QCOMPARE(visited.back(), u"train-button"_s);
    }
};

QTEST_MAIN(TestSetUp)
#include "test_set_up.moc"
