// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/folder_usage.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QStorageInfo>
#include <QThreadPool>

#include <exception>

#include "ui/widgets/folder_answer.h"

namespace lookback::ui {

namespace {

constexpr int kPauseMs = 5000;

struct Usage {
    quint64 folderBytes = 0;
    quint64 freeBytes = 0;
};

Usage usageOf(const QString &folder)
{
    Usage usage;
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        files.next();
        usage.folderBytes += static_cast<quint64>(files.fileInfo().size());
    }
    // A folder that is made on first use: its nearest parent says how much is free.
    QDir place(folder);
    while (!place.exists() && place.absolutePath() != QDir::rootPath())
        place.setPath(QFileInfo(place.absolutePath()).absolutePath());
    usage.freeBytes = static_cast<quint64>(std::max<qint64>(0, QStorageInfo(place).bytesAvailable()));
    return usage;
}

} // namespace

FolderUsage::FolderUsage(QObject *parent) : QObject(parent), m_isAlive(std::make_shared<bool>(true))
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &FolderUsage::count);
}

FolderUsage::~FolderUsage()
{
    *m_isAlive = false;
}

void FolderUsage::setFolder(const QString &folder)
{
    if (folder != m_folder)
        m_isCounting = false; // the former one may never answer
    m_folder = folder;
    m_timer.start(0);
}

void FolderUsage::touch()
{
    if (m_isCounting)
        m_isTouched = true;
    else if (!m_timer.isActive())
        m_timer.start(kPauseMs);
}

void FolderUsage::count()
{
    if (m_isCounting) {
        m_isTouched = true;
        return;
    }
    m_isCounting = true;
    m_isTouched = false;
    diskThreads()->start([this, folder = m_folder, isAlive = m_isAlive] {
        Usage usage;
        try {
            usage = usageOf(folder);
        } catch (const std::exception &) { // no memory for a list of files: counted again at the next change
        }
        if (!QCoreApplication::instance()) // the program has ended meanwhile
            return;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [this, usage, isAlive, folder] {
                if (!*isAlive || folder != m_folder)
                    return;
                m_isCounting = false;
                Q_EMIT counted(usage.folderBytes, usage.freeBytes);
                if (m_isTouched)
                    m_timer.start(kPauseMs);
            },
            Qt::QueuedConnection);
    });
}

} // namespace lookback::ui
