// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluations that are asked for on the accuracy page, and what the page does meanwhile.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStyleFactory>
#include <QTest>

#include "tests/patience.h"
#include "tests/ui/accuracy_desk.h"
#include "tests/ui/fake_run_service.h"
#include "tests/ui/figure_helpers.h"
#include "ui/bridge/run_bridge.h"
#include "ui/dialogs/evaluate_dialog.h"
#include "ui/pages/accuracy_page.h"
#include "ui/pages/comparison_panel.h"
#include "ui/pages/evaluation_panel.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using lookback::tests::AccuracyDesk;
using lookback::tests::FakeRunService;

namespace {

bool hasCall(const FakeRunService &service, const char *word)
{
    return std::ranges::any_of(service.calls(), [&](const std::string &call) { return call.starts_with(word); });
}

} // namespace

class TestAccuracyEvaluations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void olderCheckpointsAreOffered();
    void evaluationIsAskedFor();
    void impossibleLengthsAreRefused();
    void progressAndCancel();
    void axesDoNotMoveWhilePointsArrive();
};

void TestAccuracyEvaluations::initTestCase()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(Theme::light().palette());
}

void TestAccuracyEvaluations::olderCheckpointsAreOffered()
{
    AccuracyDesk desk({"rope"});
    const RunConfig config = tests::paperConfig("rope");
    const run::AccuracyUpdate update{desk.ids[0],
                                     {FakeRunService::scriptedAccuracy(config, 2000, {8, 16}, 128),
                                      FakeRunService::scriptedAccuracy(config, 15000, {8, 16}, 128)}};
    Q_EMIT desk.bridge->accuracyArrived({update});
    QCOMPARE(desk.own().size(), std::size_t(2));
    QVERIFY(desk.own()[0].isShown && !desk.own()[1].isShown); // the newest one is drawn
    QVERIFY(desk.own()[1].name.contains("step 2,000"_L1));
    Q_EMIT desk.page->chart()->curveToggled(desk.own()[1].key);
    QVERIFY(desk.own()[1].isShown);
}

void TestAccuracyEvaluations::evaluationIsAskedFor()
{
    AccuracyDesk desk;
    desk.runs->select(desk.ids[1]);
    desk.service.clearCalls();
    desk.find<QPushButton>(u"evaluateCheckpointButton"_s)->click();
    auto *dialog = desk.page->findChild<EvaluateDialog *>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->findChild<QComboBox *>(u"evaluateRun"_s)->currentText(), desk.runs->find(desk.ids[1])->title);
    auto *checkpoint = dialog->findChild<QComboBox *>(u"evaluateCheckpoint"_s);
    QVERIFY(checkpoint->count() > 1); // any checkpoint
    checkpoint->setCurrentIndex(1);
    dialog->findChild<QLineEdit *>(u"evaluateKeys"_s)->setText(u"8, 32"_s);
    dialog->findChild<QSpinBox *>(u"evaluateSequences"_s)->setValue(16);
    const run::EvaluationRequest request = dialog->request();
    QCOMPARE(request.run, desk.ids[1]);
    QCOMPARE(request.n_keys, (std::vector<std::int64_t>{8, 32}));
    QCOMPARE(request.sequences, 16);
    QVERIFY(request.step > 0 && request.step < 15000);
    QTest::mouseClick(dialog->findChild<QPushButton *>(u"evaluateButton"_s), Qt::LeftButton);
    QVERIFY(hasCall(desk.service, "evaluate"));
}

void TestAccuracyEvaluations::impossibleLengthsAreRefused()
{
    AccuracyDesk desk;
    desk.page->askForEvaluation(desk.ids[0]);
    auto *dialog = desk.page->findChild<EvaluateDialog *>();
    auto *keys = dialog->findChild<QLineEdit *>(u"evaluateKeys"_s);
    auto *button = dialog->findChild<QPushButton *>(u"evaluateButton"_s);
    QVERIFY(button->isEnabled());
    for (const QString &text : {u"0"_s, u"-8"_s, u"eight"_s, u""_s, u"8,,16"_s, u"2000"_s, u"8;16"_s, u"1.5e3"_s}) {
        keys->setText(text);
        QVERIFY2(!button->isEnabled(), qPrintable(text));
        QVERIFY(!dialog->findChild<QLabel *>(u"evaluateProblem"_s)->text().isEmpty());
    }
    keys->setText(u"8, 16"_s);
    QVERIFY(button->isEnabled());
    dialog->reject();
}

void TestAccuracyEvaluations::progressAndCancel()
{
    AccuracyDesk desk;
    auto *panel = desk.page->findChild<EvaluationPanel *>();
    QVERIFY(!panel->isVisible());
    run::EvaluationRequest request;
    request.run = desk.ids[0];
    request.step = 1000;
    request.n_keys = {8, 16, 32, 64};
    desk.service.evaluate(request);
    desk.service.advance(0);
    QTRY_VERIFY(panel->isVisible());
    QVERIFY(desk.find<QLabel>(u"evaluationDetail"_s)->text().contains("Finished sizes are kept"_L1));
    QTRY_VERIFY(desk.find<QProgressBar>(u"evaluationBar"_s)->value() > 0);
    desk.service.clearCalls();
    desk.find<QPushButton>(u"cancelEvaluation"_s)->click();
    QVERIFY(hasCall(desk.service, "cancel"));
    QTRY_VERIFY(!panel->isVisible());

    run::EvaluationStatus failed;
    failed.job = 77;
    failed.run = desk.ids[0];
    failed.isFinished = true;
    failed.failure = "The checkpoint ends early.";
    Q_EMIT desk.bridge->evaluationsChanged({failed});
    QVERIFY(panel->isVisible());
    QCOMPARE(desk.find<QLabel>(u"evaluationDetail"_s)->text(), u"The checkpoint ends early."_s);
}

void TestAccuracyEvaluations::axesDoNotMoveWhilePointsArrive()
{
    AccuracyDesk desk({"rope"});
    desk.find<QPushButton>(u"allPublishedButton"_s)->click();
    RunConfig config = FakeRunService::smallConfig("hybrid", 0, 300);
    config.evaluation_n = {8, 64, 512};
    run::EvaluationRequest request;
    request.run = desk.service.addRun(config, run::RunState::Stopped, 200);
    QTRY_COMPARE(desk.own().size(), std::size_t(2));
    desk.service.evaluate(request);
    QTRY_VERIFY(!desk.runs->evaluations().empty());
    desk.settle();
    const Range before = desk.page->chart()->xAxis().range;
    QVERIFY(before.upper >= double(config.contextTokens(512)));
    desk.service.advance(0); // the first of three points
    QTRY_COMPARE(desk.evaluated(), std::size_t(2));
    QVERIFY(!desk.runs->evaluations().empty());
    desk.settle();
    QCOMPARE(desk.page->chart()->xAxis().range, before);
    desk.service.advanceToEnd();
    QTRY_VERIFY(desk.runs->evaluations().empty());
    desk.settle();
    QCOMPARE(desk.page->chart()->xAxis().range, before);
}

QTEST_MAIN(TestAccuracyEvaluations)
#include "test_accuracy_evaluations.moc"
