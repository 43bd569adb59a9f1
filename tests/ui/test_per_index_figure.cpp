// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "core/error.h"
#include "tests/patience.h"
#include "tests/ui/figure_helpers.h"
#include "tests/ui/window_session.h"
#include "ui/dialogs/per_index_dialog.h"
#include "ui/figures/per_index_figure.h"
#include "ui/models/csv_model.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using run::RunState;
using tests::FakeRunService;
using tests::WindowSession;

namespace {

PerIndexFigureInput inputOf(const std::vector<RunConfig> &configs, const eval::PerIndexRequest &request = {})
{
    PerIndexFigureInput input;
    for (const FigureRun &run : tests::runsOf(configs))
        input.curves.push_back(
            {.run = run, .table = FakeRunService::scriptedPerIndex(run.record.config, run.record.step, request)});
    return input;
}

/// A window with two runs that have checkpoints, one that has none, and the dialog.
struct Bench {
    QTemporaryDir folder;
    WindowSession session{folder.filePath(u"settings.ini"_s)};
    PerIndexDialog *dialog = nullptr;

    Bench()
    {
        for (const char *variant : {"hybrid_square", "rope"})
            session.service.addRun(FakeRunService::smallConfig(variant, 0, 400), RunState::Finished, 400);
        session.service.addRun(FakeRunService::smallConfig("hybrid", 0, 400), RunState::Queued, 0);
        session.open();
        session.action(ActionId::PerIndexFigure)->trigger();
        dialog = session.window->findChild<PerIndexDialog *>();
    }
    template <typename Widget> Widget *find(const char *name) const
    {
        return dialog->findChild<Widget *>(QLatin1StringView(name));
    }
};

} // namespace

class TestPerIndexFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbers()
    {
        const PerIndexFigureInput input =
            inputOf({tests::paperConfig("rope"), tests::paperConfig("hybrid_square")}, {.n_keys = 5, .sequences = 32});
        const auto figure = makePerIndexFigure(input);
        const auto records = parseCsv(figure->csv());
        QCOMPARE(records.size(), 1U + 2U * 3U * 10U);
        QCOMPARE(records[0].join(u','),
                 u"run,label,variant,seed,step,evaluation_seed,n_keys,sequences,occurrence,entry_index,entries,loss,"
                 "standard_error"_s);
        QCOMPARE(records[1][8], u"all"_s);
        QCOMPARE(records[1][11].toDouble(), input.curves[0].table.all[0].mean);
        const QStringList none = records[1 + 20]; // no second occurrence stands first
        QCOMPARE(none[8], u"second"_s);
        QCOMPARE(none[9], u"0"_s);
        QCOMPARE(none[10], u"0"_s);
        QVERIFY(none[11].isEmpty());
        QCOMPARE(records[1 + 29][11].toDouble(), input.curves[0].table.second[9].mean);
        QVERIFY(figure->npy().contains("('occurrence', '<U6'), ('entry_index', '<i8'), ('entries', '<i8')"));
        QCOMPARE(figure->fileName(), u"loss_by_entry_n5"_s);
        QVERIFY(figure->provenance().join(u'\n').contains(
            u"lookback-cli figure per-index rope-seed0-1 hybrid_square-seed0-2 --n 5 --sequences 32"_s));
    }

    void drawsEverySizeAndTheme()
    {
        PerIndexFigureInput recorded = inputOf({tests::paperConfig("rope")});
        recorded.curves.push_back(recorded.curves.front());
        recorded.curves.back().isRecorded = true;
        recorded.curves.back().table.first.clear();
        recorded.curves.back().table.second.clear();
        QVERIFY(makePerIndexFigure(recorded)->csv().contains(u"rope, recorded"_s));
        PerIndexFigureInput alone = recorded;
        alone.curves.erase(alone.curves.begin());
        std::vector<RunConfig> nine;
        for (std::uint64_t seed = 0; seed < 9; ++seed)
            nine.push_back(tests::paperConfig(seed % 2 == 0 ? "rope" : "hybrid_square", seed));
        for (const PerIndexFigureInput &input :
             {inputOf({tests::paperConfig("rope"), tests::paperConfig("hybrid_square")}), recorded, alone,
              inputOf(nine), inputOf({tests::paperConfig("rope")}, {.n_keys = 1, .sequences = 2})}) {
            const auto figure = makePerIndexFigure(input);
            for (const QSize &size : {QSize(1600, 1000), QSize(400, 240), QSize(200, 800), QSize(700, 280)}) {
                for (const bool isDark : {false, true}) {
                    ExportOptions options = ExportOptions::ofPixels(size, 200);
                    options.isDark = isDark;
                    QVERIFY(!renderFigure(*figure, options).isNull());
                }
            }
        }
    }

    void recordedByKvbench()
    {
        const std::filesystem::path folder = LOOKBACK_TEST_SOURCE_DIR "/formats/kvbench/hybrid_square";
        run::RunRecord record;
        record.config = tests::paperConfig("hybrid_square");
        const auto table = recordedPerIndex(record, folder, 50);
        QVERIFY(table);
        QCOMPARE(table->all.size(), 100U);
        QVERIFY(table->second.empty() && std::isnan(table->all[0].standardError));
        QVERIFY(!recordedPerIndex(record, folder, 8)); // of another n
        QVERIFY(!recordedPerIndex(record, LOOKBACK_TEST_SOURCE_DIR "/formats/run-1", 50)); // a run of Lookback
        QVERIFY(!recordedPerIndex(record, "/nowhere/at/all", 50));
    }

    void dialogMeasuresTheRunsThatAreShown()
    {
        Bench bench;
        QVERIFY(bench.dialog && bench.dialog->isVisible() && !bench.dialog->isModal());
        QVERIFY(!bench.dialog->isBusy()); // it waits to be asked
        QCOMPARE(bench.dialog->measurable().size(), 2U);
        QVERIFY(bench.find<QLabel>("perIndexRuns")->text().contains("2 run"_L1));
        bench.find<QSpinBox>("perIndexKeys")->setValue(6);
        bench.find<QSpinBox>("perIndexSequences")->setValue(16);
        QTest::mouseClick(bench.find<QPushButton>("measuredCompute"), Qt::LeftButton);
        QVERIFY(bench.dialog->isBusy());
        QTRY_VERIFY(!bench.dialog->isBusy());
        QCOMPARE(bench.session.count("circuit loss by entry"), 2);
        const auto figure = bench.dialog->figure();
        QVERIFY(figure);
        const auto records = parseCsv(figure->csv());
        QCOMPARE(records.size(), 1U + 2U * 3U * 12U);
        const eval::PerIndexTable expected = FakeRunService::scriptedPerIndex(
            FakeRunService::smallConfig("hybrid_square", 0, 400), 400, {.n_keys = 6, .sequences = 16});
        QCOMPARE(records[1][1], u"hybrid_square"_s);
        QCOMPARE(records[1][11].toDouble(), expected.all[0].mean);
        // The curve of a run that is hidden is left out of the next one.
        bench.session.runs.setShown(bench.dialog->measurable().front(), false);
        QCOMPARE(bench.dialog->measurable().size(), 1U);
    }

    void dialogCanBeCancelled()
    {
        Bench bench;
        bench.dialog->compute();
        QVERIFY(bench.dialog->isBusy());
        QTest::mouseClick(bench.find<QPushButton>("measuredCancel"), Qt::LeftButton);
        QVERIFY(!bench.dialog->isBusy() && !bench.dialog->figure());
        QCOMPARE(bench.session.count("cancel probe"), 1);
        bench.dialog->compute(); // and begun again; closing ends it, too
        bench.dialog->close();
        QVERIFY(!bench.dialog->isBusy());
        bench.session.deliver();
        QVERIFY(!bench.dialog->figure());
    }

    void dialogSaysWhatFailed()
    {
        Bench bench;
        bench.session.service.failCircuit("The checkpoint cannot be read.");
        bench.dialog->compute();
        QTRY_VERIFY(!bench.dialog->isBusy());
        QVERIFY(!bench.dialog->figure());
        QVERIFY(bench.find<QLabel>("measuredMessage")->text().contains("The checkpoint cannot be read."_L1));
    }

    void nothingToMeasure()
    {
        QTemporaryDir folder;
        WindowSession session(folder.filePath(u"settings.ini"_s));
        session.open();
        session.action(ActionId::PerIndexFigure)->trigger();
        auto *dialog = session.window->findChild<PerIndexDialog *>();
        const auto *compute = dialog->findChild<QPushButton *>(u"measuredCompute"_s);
        QVERIFY(!compute->isEnabled() && compute->toolTip().contains("checkpoint"_L1));
        // A checkpoint that comes makes it possible.
        session.service.addRun(FakeRunService::smallConfig("rope", 0, 400), RunState::Finished, 400);
        session.deliver();
        QTRY_VERIFY(compute->isEnabled());
    }
};

QTEST_MAIN(TestPerIndexFigure)
#include "test_per_index_figure.moc"
