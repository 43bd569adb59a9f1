// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The housekeeping thread of the training desk outlives what its tasks throw.
#include <QTemporaryDir>
#include <QtTest>

#include <condition_variable>
#include <mutex>
#include <new>

#include "core/run/event_queue.h"
#include "core/run/training_desk.h"

using namespace lookback;

class TestTrainingDesk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Memory that is not there becomes a message, whatever was under way, and the next task is done.
    void faultsBecomeMessages()
    {
        const QTemporaryDir folder;
        std::mutex mutex;
        std::condition_variable changed;
        run::EventQueue events;
        bool isWoken = false;
        events.setWakeFunction([&] {
            const std::scoped_lock lock(mutex);
            isWoken = true;
            changed.notify_one();
        });
        run::TrainingDesk desk(
            folder.path().toStdString(),
            {.events = events,
             .nextJob = [] { return run::JobId{1}; },
             .speedSeen = [](const run::RunRecord &, double) {},
             .problemsOf = [](const run::TrainRequest &) -> std::vector<ConfigProblem> { throw std::bad_alloc(); },
             .cores = 1});
        run::TrainRequest request;
        request.config.variant = "rope";
        request.name = "first";
        desk.train({request});
        request.name = "second";
        desk.train({request});
        std::vector<run::Notice> notices;
        while (notices.size() < 2) {
            std::unique_lock lock(mutex);
            QVERIFY(changed.wait_for(lock, std::chrono::seconds(30), [&] { return isWoken; }));
            isWoken = false;
            lock.unlock();
            for (run::Notice &notice : events.take().notices)
                notices.push_back(std::move(notice));
        }
        QVERIFY(notices[0].sentence.find("first") != std::string::npos);
        QVERIFY(notices[0].sentence.find("memory") != std::string::npos);
        QVERIFY(notices[1].sentence.find("second") != std::string::npos);
        QVERIFY(!desk.isActive()); // nothing is waited for for ever
    }
};

QTEST_GUILESS_MAIN(TestTrainingDesk)
#include "test_training_desk_torch.moc"
