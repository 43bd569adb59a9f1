// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/folder_answer.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <QTimer>

#include <memory>
#include <optional>
#include <utility>

namespace lookback::ui {

namespace {

constexpr int kPatienceMs = 1000;
constexpr int kMostThreads = 16; // each silent folder may hold some of them

} // namespace

QThreadPool *diskThreads()
{
    static auto *const threads = [] {
        auto *pool = new QThreadPool; // never destroyed
        pool->setMaxThreadCount(kMostThreads);
        return pool;
    }();
    return threads;
}

void whenPathIsKnown(const QString &path, QObject *context, std::function<void(PathKind)> then)
{
    // Only used on the GUI thread, but for being passed along.
    struct Question {
        QPointer<QObject> context;
        std::function<void(PathKind)> then;
    };
    const auto question = std::make_shared<Question>(Question{context, std::move(then)});
    const auto answer = [question](PathKind kind) {
        if (const auto act = std::exchange(question->then, {}); act && question->context)
            act(kind);
    };
    QTimer::singleShot(kPatienceMs, context, [answer] { answer(PathKind::NoAnswer); });
    diskThreads()->start([path, answer] {
        const QFileInfo info(path);
        const PathKind kind = info.isDir() ? PathKind::Folder : info.exists() ? PathKind::File : PathKind::Missing;
        if (QCoreApplication *program = QCoreApplication::instance()) // else it has ended meanwhile
            QMetaObject::invokeMethod(
                program, [answer, kind] { answer(kind); }, Qt::QueuedConnection);
    });
}

void workOnDisk(const QString &subject, QObject *context, std::function<void()> work,
                std::function<void(const Error *)> then)
{
    struct Answer { // only used on the GUI thread, but for being passed along
        QPointer<QObject> context;
        std::function<void(const Error *)> then;
    };
    const auto answer = std::make_shared<Answer>(Answer{context, std::move(then)});
    diskThreads()->start([subject = subject.toStdString(), work = std::move(work), answer] {
        std::optional<Error> failure;
        try {
            work();
        } catch (...) {
            failure = caughtError(subject);
        }
        if (QCoreApplication *program = QCoreApplication::instance()) // else it has ended meanwhile
            QMetaObject::invokeMethod(
                program,
                [answer, failure] {
                    if (answer->context)
                        answer->then(failure ? &*failure : nullptr);
                },
                Qt::QueuedConnection);
    });
}

} // namespace lookback::ui
