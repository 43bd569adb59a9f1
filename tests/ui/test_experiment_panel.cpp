// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The panel that edits the set-up.
#include <clocale>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTreeView>
#include <QUndoStack>
#include <QtTest>

#include "core/error.h"
#include "core/run/checkpoint_store.h"
#include "tests/patience.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/set_up_bench.h"
#include "ui/docks/experiment_panel.h"
#include "ui/models/variant_model.h"
#include "ui/settings/experiment_setup.h"
#include "ui/settings/settings.h"
#include "ui/widgets/field_edit.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using tests::FakeRunService;
using tests::SetUpBench;

class TestExperimentPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(u"^(?!This plugin does not support)"_s)); }

    void everyFieldCanBeEditedAndExplainsItself()
    {
        SetUpBench bench;
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
        SetUpBench bench;
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
        SetUpBench bench;
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
        QCOMPARE(bench.panel.fieldEdit("window")->text(), u"7"_s);
        bench.undo.redo();
        QCOMPARE(bench.panel.fieldEdit("window")->text(), u"12"_s);
    }

    void theWarmUpFollowsTheSteps()
    {
        SetUpBench bench; // the laptop preset: 3,300 steps, warm-up 100
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
        bench.type("steps", u"3300"_s);
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
        SetUpBench bench;
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

    /// What the runs will keep on the disk is said before they start, and follows the set-up.
    void theCheckpointsAreCountedBefore()
    {
        SetUpBench bench;
        const auto said = [&] {
            for (const QLabel *label : bench.panel.findChildren<QLabel *>()) {
                static const QRegularExpression sentence(
                    u"Each keeps (\\d+) checkpoints; together up to ([\\d.]+) (.B)\\."_s);
                if (const QRegularExpressionMatch match = sentence.match(label->text()); match.hasMatch())
                    return match.capturedTexts().mid(1);
            }
            return QStringList();
        };
        const QStringList one = said();
        QCOMPARE(one.size(), 3);
        QCOMPARE(one[0].toInt(), int(run::checkpointPlan(bench.panel.setup().config).count));
        bench.type("seed", u"0-4"_s);
        const QStringList five = said();
        QCOMPARE(five[0], one[0]);
        QVERIFY2(five != one, qPrintable(five.join(u' ')));
    }

    void variantsAreTickedByMouseAndKeyboard()
    {
        SetUpBench bench;
        bench.panel.resize(360, 900);
        bench.panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&bench.panel, testing::kPatience));
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
        SetUpBench bench;
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
        SetUpBench bench;
        bench.panel.setAdvancedOpen(true);
        bench.panel.resize(360, 1200);
        bench.panel.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&bench.panel, testing::kPatience));
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

QTEST_MAIN(TestExperimentPanel)
#include "test_experiment_panel.moc"
