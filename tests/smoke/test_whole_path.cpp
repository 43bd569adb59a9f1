// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The whole path with the real service: press Train, watch both charts, the accuracy curves, a head, export, close.
#include <QAction>
#include <QImage>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <memory>

#include "core/analysis/attention_probe.h"
#include "core/run/run_folder.h"
#include "core/run/run_service.h"
#include "tests/patience.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/charts/line_chart.h"
#include "ui/docks/experiment_panel.h"
#include "ui/heatmap/head_map_view.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/train_page.h"
#include "ui/settings/settings.h"
#include "ui/widgets/primary_button.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

/// Two runs that are over in a moment.
ExperimentSetup setupOf(std::int64_t steps)
{
    ExperimentSetup setup = ExperimentSetup::trial();
    setup.config.steps = steps;
    setup.config.batch = 8;
    setup.config.warmup_steps = 5;
    setup.config.curriculum = {{2, 10}};
    setup.config.log_every = 2;
    setup.config.checkpoint_every = 10;
    setup.config.evaluation_n = {2, 4, 8};
    setup.config.evaluation_sequences = 4;
    return setup;
}

struct Session {
    QTemporaryDir folder;
    std::unique_ptr<run::RunService> service = run::makeRunService(folder.path().toStdString());
    Settings settings{folder.filePath(u"window.ini"_s)};
    RunBridge bridge{service.get()};
    RunCollection runs{&bridge};
    MainWindow window{&bridge, &runs, &settings};

    Session()
    {
        service->openFolder(folder.path().toStdString());
        window.resize(1440, 900);
        window.show();
    }
    bool isAllEvaluated() const
    {
        return std::ranges::all_of(runs.order(), [this](const run::RunId &id) {
            const RunCollection::Run *run = runs.find(id);
            return run->snapshot.state == run::RunState::Finished && !run->accuracy.empty()
                && run->accuracy.back().points.size() == 3;
        });
    }
};

/// More than one colour, so that there is something in the picture.
bool isBlank(const QImage &image)
{
    const QRgb first = image.pixel(0, 0);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) != first)
                return false;
        }
    }
    return true;
}

} // namespace

class TestWholePath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fromTrainToTheHeads()
    {
        Session session;
        session.window.experiment()->setSetup(setupOf(30));
        QCOMPARE(session.window.experiment()->whyNot(), QString());
        QTest::mouseClick(session.window.experiment()->trainButton(), Qt::LeftButton);
        QTRY_COMPARE(session.runs.order().size(), 2U);
        QTRY_VERIFY_WITH_TIMEOUT(session.isAllEvaluated(), testing::kLongPatience);

        // Both charts have the logged points of both runs: step 1 and every second one.
        auto *train = qobject_cast<TrainPage *>(session.window.page(u"training"_s));
        for (const run::RunId &id : session.runs.order()) {
            QCOMPARE(session.runs.find(id)->metrics().size(), 16U);
            for (LineChart *chart : {train->lossChart(), train->accuracyChart()}) {
                QTRY_VERIFY(chart->data(QString::fromStdString(id)) != nullptr);
                QTRY_COMPARE(chart->data(QString::fromStdString(id))->points().size(), 16U);
            }
        }

        // Curves of both runs on the accuracy tab.
        session.window.showPage(u"accuracy"_s);
        QTRY_VERIFY(session.window.page(u"accuracy"_s)->figure() != nullptr);
        const QString csv = session.window.page(u"accuracy"_s)->figure()->csv();
        for (const run::RunId &id : session.runs.order()) {
            const QString name = QString::fromStdString(session.runs.find(id)->snapshot.name);
            QVERIFY2(csv.contains(name), qPrintable(name + u" is missing in\n"_s + csv.left(600)));
        }

        // A heat map whose pixels are the probe's numbers.
        session.window.showPage(u"attention"_s);
        auto *heads = qobject_cast<AttentionPage *>(session.window.page(u"attention"_s));
        const run::RunId run = session.runs.order().front();
        heads->setRun(run);
        heads->setKeys(4);
        heads->setSequence(1);
        QTRY_VERIFY_WITH_TIMEOUT(heads->isUpToDate(), testing::kLongPatience);
        heads->chooseHead({.layer = 1, .head = 1});
        QTRY_VERIFY_WITH_TIMEOUT(heads->isUpToDate(), testing::kLongPatience);
        analysis::AttentionProbe probe(run, -1, {});
        probe.example(4, 1);
        const analysis::HeadMap map = probe.headMap(1, 1);
        const HeadMapView *view = heads->view();
        const QImage picture = view->viewport()->grab().toImage();
        const QRect cells = view->visibleCells();
        int compared = 0;
        for (std::int64_t query = cells.top(); query <= cells.bottom(); ++query) {
            for (std::int64_t key = cells.left(); key <= cells.right(); ++key) {
                const QPoint at(static_cast<int>(view->keys().centre(key)),
                                static_cast<int>(view->queries().centre(query)));
                if (!map.isVisible(query, key) || !picture.rect().contains(at) || view->cellPixels() < 6)
                    continue;
                const QRgb seen = picture.pixel(at);
                const QRgb meant = view->colours().colourOf(map.at(query, key));
                const int distance =
                    std::max({std::abs(qRed(seen) - qRed(meant)), std::abs(qGreen(seen) - qGreen(meant)),
                              std::abs(qBlue(seen) - qBlue(meant))});
                QVERIFY2(distance <= 1,
                         qPrintable(u"query %1, key %2: %3 instead of %4"_s.arg(query).arg(key).arg(
                             QColor(seen).name(), QColor(meant).name())));
                ++compared;
            }
        }
        QVERIFY2(compared > 100, qPrintable(QString::number(compared)));

        // Every page exports at the size that was asked for.
        for (const char *page : {"training", "accuracy", "attention"}) {
            const std::unique_ptr<Figure> figure = session.window.page(QLatin1StringView(page))->figure();
            QVERIFY2(figure, page);
            const QString file = session.folder.filePath(u"%1.png"_s.arg(QLatin1StringView(page)));
            exportFigure(*figure, file, ExportOptions::ofPixels({1200, 800}, 200));
            const QImage image(file);
            QCOMPARE(image.size(), QSize(1200, 800));
            QVERIFY2(!isBlank(image), page);
        }
        QVERIFY(session.window.close());
    }

    void closingStopsWithACheckpoint_data()
    {
        QTest::addColumn<bool>("isLogout");
        QTest::newRow("closed by hand") << false;
        QTest::newRow("logout") << true;
    }

    void closingStopsWithACheckpoint()
    {
        QFETCH(bool, isLogout);
        run::RunId id;
        {
            Session session;
            session.folder.setAutoRemove(false);
            ExperimentSetup setup = setupOf(1'000'000);
            setup.variants = {"hybrid_square"};
            setup.config.checkpoint_every = 1'000'000;
            session.window.experiment()->setSetup(setup);
            session.window.actions()->action(ActionId::Train)->trigger();
            QTRY_COMPARE(session.runs.order().size(), 1U);
            id = session.runs.order().front();
            QTRY_VERIFY_WITH_TIMEOUT(session.runs.find(id)->metrics().size() > 3, testing::kLongPatience);
            QSignalSpy closed(&session.window, &MainWindow::closed);
            if (isLogout) {
                session.window.quitAtLogout(std::chrono::milliseconds(testing::kLongPatience));
                QVERIFY(!session.service->isActive()); // all is on the disk when it returns
            } else {
                session.window.close();
                QVERIFY(session.window.closeQuestion());
                session.window.closeQuestion()->findChild<QPushButton *>(u"stop-and-save"_s)->click();
            }
            QTRY_COMPARE_WITH_TIMEOUT(closed.size(), 1, testing::kLongPatience);
        }
        const run::RunFolder folder = run::RunFolder::open(id);
        const run::RunRecord record = folder.readRecord();
        QCOMPARE(record.state, run::RunState::Stopped);
        QCOMPARE(folder.checkpoints().back().step, record.step);
        QCOMPARE(folder.readMetricsLog().notes.size(), 0U);
        QDir(QString::fromStdString(folder.path().parent_path().string())).removeRecursively();
    }
};

QTEST_MAIN(TestWholePath)
#include "test_whole_path.moc"
