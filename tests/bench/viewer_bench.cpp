// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/viewer_bench.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QScrollBar>
#include <QTemporaryDir>

#include "core/run/run_service.h"
#include "ui/bridge/run_bridge.h"
#include "ui/heatmap/head_grid.h"
#include "ui/models/run_collection.h"
#include "ui/pages/attention_page.h"

namespace lookback::bench {

namespace {

using namespace lookback::ui;

constexpr std::int64_t kKeys = 256;

/// Runs the event loop until `isDone`; milliseconds that it took. Every event can be the one, so it is asked after
/// each.
double millisecondsUntil(const std::function<bool()> &isDone)
{
    QElapsedTimer clock;
    clock.start();
    while (!isDone())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 1);
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void line(const std::string &what, double milliseconds)
{
    std::cout << "  " << what << std::string(52 - std::min<std::size_t>(what.size(), 51), ' ')
              << QString::number(milliseconds, 'f', milliseconds < 100.0 ? 1 : 0).toStdString() << " ms\n";
}

/// "VmHWM" or "VmRSS" of this process, in MiB.
std::int64_t statusMebibytes(const char *name)
{
    QFile file(QStringLiteral("/proc/self/status"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray &each : file.readAll().split('\n')) {
        if (each.startsWith(name))
            return each.mid(static_cast<qsizetype>(qstrlen(name)) + 1).simplified().split(' ').front().toLongLong()
                / 1024;
    }
    return 0;
}

struct Desk {
    explicit Desk(const std::filesystem::path &folder)
        : service(run::makeRunService(folder)), bridge(service.get()), collection(&bridge), page(&bridge, &collection)
    {
        page.resize(1440, 860);
    }
    bool hasPicture(HeadChoice head) const
    {
        const PyramidPointer &values = page.view()->values();
        return values && values->shape().queries == 16 * kKeys - 1 && values->shape().layer == head.layer
            && values->shape().head == head.head && !page.view()->isStale();
    }
    std::unique_ptr<run::RunService> service;
    RunBridge bridge;
    RunCollection collection;
    AttentionPage page;
};

/// Processor time of this thread; what others do on the machine does not count.
double ownMilliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Frames while `move` changes the view, each until everything that it touched is painted: processor time of the
/// window's thread.
void frames(const std::string &what, int count, const std::function<void(int)> &move)
{
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const double before = ownMilliseconds();
        move(i);
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
        times.push_back(ownMilliseconds() - before);
    }
    std::ranges::sort(times);
    double sum = 0.0;
    for (const double time : times)
        sum += time;
    line(what + ": a frame", sum / static_cast<double>(count));
    line(what + ": slowest of 20", times[times.size() * 19 / 20]);
}

} // namespace

int printViewerFigures(const QString &runFolder, const QString &pictures)
{
    QTemporaryDir temporary;
    const bool isOwn = runFolder.isEmpty();
    const std::filesystem::path folder =
        isOwn ? temporary.path().toStdString() : QFileInfo(runFolder).absolutePath().toStdString();
    Desk desk(folder);
    AttentionPage &page = desk.page;
    if (isOwn) {
        run::TrainRequest request;
        request.config = presetConfig("paper");
        request.config.variant = "hybrid_square";
        request.config.steps = 1;
        request.config.warmup_steps = 0;
        request.config.curriculum.clear();
        request.config.batch = 1;
        request.evaluateAtEnd = false;
        request.name = "paper-size";
        desk.service->train({request});
    }
    const std::string name = isOwn ? "paper-size" : QFileInfo(runFolder).fileName().toStdString();
    const run::RunId id = (folder / name).string();
    millisecondsUntil([&] {
        const RunCollection::Run *run = desk.collection.find(id);
        return run && !run->snapshot.checkpointSteps.empty() && !desk.service->isActive();
    });
    page.show();
    desk.collection.select(id);
    page.setRun(id);
    millisecondsUntil([&] { return page.isUpToDate() && page.view()->values() != nullptr; }); // the run's own n
    const RunConfig &config = desk.collection.find(id)->snapshot.record.config;
    std::cout << "The Attention page at n = " << kKeys << " (" << 16 * kKeys << " tokens), " << config.variant
              << ", width " << config.d_model << ", " << config.query_heads << " heads, " << config.pairs
              << " layers:\n";
    const std::int64_t before = statusMebibytes("VmRSS");

    const HeadChoice first{1, 0}; // sees all tokens
    page.chooseHead(first);
    millisecondsUntil([&] { return page.isUpToDate(); });
    QElapsedTimer clock;
    clock.start();
    page.setKeys(kKeys);
    const auto elapsed = [&] { return static_cast<double>(clock.nsecsElapsed()) / 1e6; };
    double exampleAt = 0.0;
    QObject::connect(&desk.bridge, &RunBridge::exampleReady, &page, [&] { exampleAt = elapsed(); });
    millisecondsUntil([&] { return desk.hasPicture(first); });
    QCoreApplication::processEvents(); // painted
    const double firstAt = elapsed();
    millisecondsUntil([&] { return page.isUpToDate() && page.view()->values()->isComplete(); });
    QCoreApplication::processEvents();
    line("sequence read (all layers), at", exampleAt);
    line("first rows painted, after that", firstAt - exampleAt);
    line("whole picture painted, after that", elapsed() - exampleAt);

    // The last piece is known when the service posts it; the window hears of it within 50 ms.
    const HeadChoice last{config.pairs - 1, config.query_heads - 1};
    for (const HeadChoice head : {HeadChoice{1, 1}, HeadChoice{last.layer / 2 + 1, 0}, last, HeadChoice{0, 0}}) {
        double knownAt = 0.0;
        const auto heard =
            QObject::connect(&desk.bridge, &RunBridge::headRowsReady, &page, [&](const run::HeadRowsAnswer &answer) {
                if (answer.isLast && answer.rows && answer.rows->rows > 1)
                    knownAt = elapsed();
            });
        clock.restart();
        page.chooseHead(head);
        millisecondsUntil([&] { return desk.hasPicture(head); });
        QCoreApplication::processEvents();
        const double rowsAt = elapsed();
        millisecondsUntil([&] { return page.isUpToDate() && page.view()->values()->isComplete(); });
        QCoreApplication::processEvents();
        const std::string which = "head " + std::to_string(head.layer) + ":" + std::to_string(head.head);
        line(which + ": first rows painted", rowsAt);
        line(which + ": whole picture painted", elapsed());
        line(which + ": of that, after its last rows came", elapsed() - knownAt);
        QObject::disconnect(heard);
    }
    clock.restart();
    page.chooseHead({1, 1});
    QCoreApplication::processEvents();
    line("a head that is kept", elapsed());

    HeadMapView *view = page.view();
    const auto pan = [&](int i) {
        view->horizontalScrollBar()->setValue(view->horizontalScrollBar()->value() + 11);
        view->verticalScrollBar()->setValue(view->verticalScrollBar()->value() + (i % 2 == 0 ? 7 : 5));
    };
    view->setFit(HeadMapView::Fit::Width);
    view->verticalScrollBar()->setValue(0);
    frames("panning at the map's width", 40, pan);
    view->setCellPixels(1.0, QPointF(300, 300));
    view->scrollToCell({1000, 200});
    frames("panning at a pixel a cell", 120, pan);
    view->setCellPixels(12.0, QPointF(300, 300));
    view->scrollToCell({1000, 200});
    frames("panning at twelve pixels a cell", 120, pan);
    view->setFit(HeadMapView::Fit::Whole);
    const double least = view->cellPixels();
    frames("zooming, whole map to 12 px a cell", 60,
           [&](int i) { view->setCellPixels(least * std::pow(12.0 / least, (i + 1) / 60.0), QPointF(400, 300)); });
    std::cout << "  memory: " << before << " MiB before, " << statusMebibytes("VmRSS") << " MiB now, peak "
              << statusMebibytes("VmHWM") << " MiB\n";

    if (!pictures.isEmpty()) {
        for (const bool isDark : {false, true}) {
            page.setPalette((isDark ? Theme::dark() : Theme::light()).palette());
            view->setFit(HeadMapView::Fit::Width);
            QCoreApplication::processEvents();
            page.grab().save(pictures
                             + (isDark ? QStringLiteral("/viewer-dark.png") : QStringLiteral("/viewer-light.png")));
        }
    }
    return 0;
}

} // namespace lookback::bench
