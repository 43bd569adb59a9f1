// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "core/eval/accuracy.h"
#include "core/run/file.h"
#include "tests/core/training_bits.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using run::RunState;
using train::Trainer;

/// However a run was interrupted, at its end it has the evaluation points of an undisturbed one, with the same numbers.
class TestMadeUpEvaluations : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    std::filesystem::path root(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    static RunConfig config()
    {
        RunConfig config = smallConfig("hybrid_square", 30);
        config.evaluate_every = 10;
        return config;
    }

    static void train(const run::RunFolder &folder, Recorder &recorder, Trainer *&current)
    {
        Trainer trainer(folder, {"cpu", 1}, &recorder);
        current = &trainer;
        trainer.start();
        trainer.wait();
    }
    static void trainToTheEnd(const run::RunFolder &folder)
    {
        Recorder recorder;
        Trainer *current = nullptr;
        train(folder, recorder, current);
        QCOMPARE(recorder.states().back(), RunState::Finished);
        QCOMPARE(recorder.notices(), std::vector<std::string>{});
    }

    static std::vector<std::int64_t> evaluatedSteps(const run::RunFolder &folder)
    {
        std::vector<std::int64_t> steps;
        for (const eval::AccuracyCurve &curve : folder.readAccuracy())
            steps.push_back(curve.step);
        return steps;
    }

private Q_SLOTS:
    void stoppedEvaluationsAreMadeUpFor_data()
    {
        QTest::addColumn<int>("step");
        QTest::newRow("first") << 10;
        QTest::newRow("second") << 20;
        QTest::newRow("last") << 30;
    }
    void stoppedEvaluationsAreMadeUpFor()
    {
        QFETCH(int, step);
        const run::RunFolder whole = makeRun(root(QTest::currentDataTag()), config(), "whole");
        trainToTheEnd(whole);
        QCOMPARE(evaluatedSteps(whole), (std::vector<std::int64_t>{10, 20, 30}));

        const run::RunFolder folder = makeRun(root(QTest::currentDataTag()), config(), "stopped");
        {
            Recorder recorder;
            Trainer *trainer = nullptr;
            std::int64_t reached = 0;
            recorder.onStep = [&](std::int64_t now) { reached = now; };
            recorder.onEvaluationProgress = [&](const Progress &) {
                if (reached == step)
                    trainer->requestStop(); // in the middle of the first point
            };
            train(folder, recorder, trainer);
            QCOMPARE(recorder.states().back(), RunState::Stopped);
            QVERIFY(bitsOf(folder) != bitsOf(whole));
        }
        trainToTheEnd(folder);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
    }

    /// A kill leaves an accuracy file without points that later steps already have.
    void lostPointsAreMadeUpFor_data()
    {
        QTest::addColumn<bool>("isWholeFileLost");
        QTest::newRow("a point of step 10") << false;
        QTest::newRow("all") << true;
    }
    void lostPointsAreMadeUpFor()
    {
        QFETCH(bool, isWholeFileLost);
        const run::RunFolder whole = makeRun(root("undisturbed"), config());
        trainToTheEnd(whole);
        const run::RunFolder folder = makeRun(root("killed"), config());
        {
            Recorder recorder;
            Trainer *trainer = nullptr;
            recorder.onStep = [&](std::int64_t step) {
                if (step == 25)
                    trainer->requestStop();
            };
            train(folder, recorder, trainer);
        }
        std::vector<eval::AccuracyCurve> curves = folder.readAccuracy();
        QCOMPARE(curves.size(), 2U);
        if (isWholeFileLost)
            curves.clear();
        else
            curves.front().points.erase(curves.front().points.begin());
        const std::filesystem::path file = folder.path() / "accuracy_vs_context.json";
        std::filesystem::remove(file);
        for (const eval::AccuracyCurve &curve : curves)
            folder.writeAccuracy(curve);
        trainToTheEnd(folder);
        QVERIFY(bitsOf(folder) == bitsOf(whole));
    }

    void whatCannotBeMadeUpForIsTold()
    {
        const run::RunFolder folder = makeRun(root("gone"), config());
        {
            Recorder recorder;
            Trainer *trainer = nullptr;
            recorder.onStep = [&](std::int64_t step) {
                if (step == 25)
                    trainer->requestStop();
            };
            train(folder, recorder, trainer);
        }
        std::filesystem::remove(folder.path() / "accuracy_vs_context.json");
        std::filesystem::remove(folder.checkpointFile(10));
        Recorder recorder;
        Trainer *trainer = nullptr;
        train(folder, recorder, trainer);
        QCOMPARE(recorder.states().back(), RunState::Finished);
        QCOMPARE(evaluatedSteps(folder), (std::vector<std::int64_t>{20, 30}));
        QVERIFY(folder.readRecord().endReason.find("evaluation of step 10") != std::string::npos);
    }

    /// Points that cannot be written are lost; the run is finished and says so.
    void aLostEvaluationIsRecorded()
    {
        const run::RunFolder folder = makeRun(root("lost"), config());
        std::filesystem::create_directory(folder.path() / "accuracy_vs_context.json");
        Recorder recorder;
        Trainer *trainer = nullptr;
        train(folder, recorder, trainer);
        QCOMPARE(recorder.states().back(), RunState::Finished);
        QVERIFY(folder.readRecord().endReason.find("the evaluation is not complete") != std::string::npos);
        std::filesystem::remove(folder.path() / "accuracy_vs_context.json");
    }
};

QTEST_GUILESS_MAIN(TestMadeUpEvaluations)
#include "test_made_up_evaluations_torch.moc"
