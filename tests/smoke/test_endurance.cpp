// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Four runs train, are evaluated and looked into while somebody walks through every tab: memory stays flat, and no
// thread, handle, timer or widget is left over. LOOKBACK_ENDURANCE=SECONDS sets how long (make endurance).
#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include <unistd.h>

#include "core/run/run_folder.h"
#include "core/run/run_service.h"
#include "tests/patience.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/figures/figure.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"
#include "ui/settings/settings.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kRuns = 4;
constexpr int kRoundsPerEvaluation = 16;
constexpr int kUsualSeconds = 15;

/// What must not grow.
struct Sample {
    double seconds = 0.0;
    double mebibytes = 0.0; ///< Resident.
    qsizetype threads = 0;
    qsizetype handles = 0;
    qsizetype objects = 0; ///< QObjects below the window.
    qsizetype timers = 0;
};

double residentMebibytes()
{
    QFile file(u"/proc/self/statm"_s);
    if (!file.open(QIODevice::ReadOnly))
        return 0.0;
    const QList<QByteArray> pages = file.readAll().split(' ');
    return pages.value(1).toDouble() * double(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

qsizetype entriesOf(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot).size();
}

/// Least-squares slope of the resident memory, MiB an hour.
double slopeOf(const std::vector<Sample> &samples)
{
    double meanX = 0.0;
    double meanY = 0.0;
    for (const Sample &sample : samples) {
        meanX += sample.seconds / double(samples.size());
        meanY += sample.mebibytes / double(samples.size());
    }
    double xy = 0.0;
    double xx = 0.0;
    for (const Sample &sample : samples) {
        xy += (sample.seconds - meanX) * (sample.mebibytes - meanY);
        xx += (sample.seconds - meanX) * (sample.seconds - meanX);
    }
    return xx > 0.0 ? xy / xx * 3600.0 : 0.0;
}

/// Runs that never end by themselves.
std::vector<run::TrainRequest> endlessRuns()
{
    std::vector<run::TrainRequest> requests;
    for (const char *variant : {"rope", "hybrid_square", "hybrid_square_kda", "partial_rope"}) {
        run::TrainRequest request;
        request.config = presetConfig("tiny");
        request.config.variant = variant;
        request.config.steps = 10'000'000;
        request.config.batch = 32;
        request.config.log_every = 10;
        request.config.checkpoint_every = 50;
        request.config.evaluation_n = {2, 4};
        request.config.evaluation_sequences = 4;
        request.preset = "tiny";
        request.device = "cpu";
        requests.push_back(std::move(request));
    }
    return requests;
}

struct Desk {
    QTemporaryDir folder;
    std::unique_ptr<run::RunService> service = run::makeRunService(folder.path().toStdString());
    Settings settings{folder.filePath(u"window.ini"_s)};
    RunBridge bridge{service.get()};
    RunCollection runs{&bridge};
    MainWindow window{&bridge, &runs, &settings};

    Desk()
    {
        service->openFolder(folder.path().toStdString());
        service->setParallelRuns(kRuns);
        window.resize(1440, 900);
        window.show();
    }

    /// Waits in the event loop until every run has logged a step beyond its newest one.
    void untilAllMoved()
    {
        std::vector<std::int64_t> before;
        for (const run::RunId &id : runs.order())
            before.push_back(runs.find(id)->snapshot.step);
        QTRY_VERIFY_WITH_TIMEOUT(haveAllMoved(before), testing::kLongPatience);
    }
    bool haveAllMoved(const std::vector<std::int64_t> &before) const
    {
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (runs.find(runs.order()[i])->snapshot.step <= before[i])
                return false;
        }
        return true;
    }

    /// One walk through the window: every tab, an evaluation, heads, a figure, pause and go on.
    void walk(int round)
    {
        const run::RunId id = runs.order()[std::size_t(round % kRuns)];
        runs.select(id);
        window.showPage(u"training"_s);
        window.actions()->action(ActionId::ZoomIn)->trigger();
        untilAllMoved();
        window.actions()->action(ActionId::ZoomToFit)->trigger();
        service->pause(id);
        QTRY_COMPARE_WITH_TIMEOUT(runs.find(id)->snapshot.state, run::RunState::Paused, testing::kLongPatience);

        window.showPage(u"accuracy"_s);
        if (round % kRoundsPerEvaluation == 0) { // each adds a curve and keeps its checkpoint, by design
            QSignalSpy ended(&runs, &RunCollection::evaluationEnded);
            service->evaluate({.run = id, .step = -1, .n_keys = {2}, .sequences = 4});
            QTRY_VERIFY_WITH_TIMEOUT(!ended.isEmpty(), testing::kLongPatience);
        }
        service->resume(id);
        QTRY_COMPARE_WITH_TIMEOUT(runs.find(id)->snapshot.state, run::RunState::Running, testing::kLongPatience);

        window.showPage(u"attention"_s);
        auto *heads = qobject_cast<AttentionPage *>(window.page(u"attention"_s));
        heads->setRun(id);
        heads->setSequence(round % 5);
        QTRY_VERIFY_WITH_TIMEOUT(heads->isUpToDate(), testing::kLongPatience);
        heads->chooseHead({.layer = 0, .head = round % 2});
        QTRY_VERIFY_WITH_TIMEOUT(heads->isUpToDate(), testing::kLongPatience);
        const QString file = folder.filePath(u"figure.png"_s);
        exportFigure(*heads->figure(), file, ExportOptions::ofPixels({800, 600}, 100));
        QVERIFY(!window.grab().isNull());
    }

    Sample sample(double seconds) const
    {
        return {seconds,
                residentMebibytes(),
                entriesOf(u"/proc/self/task"_s),
                entriesOf(u"/proc/self/fd"_s),
                window.findChildren<QObject *>().size(),
                window.findChildren<QTimer *>().size()};
    }
};

} // namespace

class TestEndurance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingGrows()
    {
        bool isAsked = false;
        const int asked = qEnvironmentVariableIntValue("LOOKBACK_ENDURANCE", &isAsked);
        const double duration = isAsked && asked > 0 ? asked : kUsualSeconds;
        Desk desk;
        desk.service->train(endlessRuns());
        QTRY_COMPARE_WITH_TIMEOUT(desk.runs.order().size(), std::size_t(kRuns), testing::kLongPatience);
        desk.untilAllMoved();

        QElapsedTimer clock;
        clock.start();
        std::vector<Sample> samples;
        const auto seconds = [&clock] { return double(clock.elapsed()) / 1000.0; };
        // A round for each run and sequence before anything is compared: what is kept by design is there then.
        for (int round = 0; round < 2 * kRuns || seconds() < duration; ++round) {
            desk.walk(round);
            if (QTest::currentTestFailed())
                return;
            samples.push_back(desk.sample(seconds()));
        }
        std::vector<Sample> settled;
        for (const Sample &each : samples) {
            if (each.seconds >= samples.back().seconds / 6.0)
                settled.push_back(each);
        }
        const Sample &first = settled.front();
        const Sample &last = settled.back();
        for (std::size_t i = 0; i < settled.size(); i += std::max<std::size_t>(1, settled.size() / 12)) {
            const Sample &each = settled[i];
            std::printf("%7.0f s  %7.1f MiB  %3lld threads  %3lld handles  %5lld objects  %3lld timers\n", each.seconds,
                        each.mebibytes, static_cast<long long>(each.threads), static_cast<long long>(each.handles),
                        static_cast<long long>(each.objects), static_cast<long long>(each.timers));
        }
        std::printf("%zu rounds in %.0f s; memory %+.1f MiB an hour\n", samples.size(), last.seconds, slopeOf(settled));
        // Workers come and go, so a moment may see one more; what leaks grows with the rounds.
        const auto most = [&settled](auto member, std::size_t begin, std::size_t end) {
            qsizetype value = 0;
            for (std::size_t i = begin; i < end; ++i)
                value = std::max(value, settled[i].*member);
            return value;
        };
        const std::size_t half = settled.size() / 2;
        for (const auto member : {&Sample::threads, &Sample::handles, &Sample::objects, &Sample::timers})
            QVERIFY(most(member, half, settled.size()) <= most(member, 0, half) + 2);
        QVERIFY(last.threads <= first.threads + 2);

        QSignalSpy closed(&desk.window, &MainWindow::closed);
        desk.window.quitOrderly();
        QTRY_COMPARE_WITH_TIMEOUT(closed.size(), 1, testing::kLongPatience);
        for (const run::RunId &id : desk.runs.order())
            QCOMPARE(run::RunFolder::open(id).readRecord().state, run::RunState::Stopped);
    }
};

QTEST_MAIN(TestEndurance)
#include "test_endurance.moc"
