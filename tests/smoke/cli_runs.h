// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include "tests/smoke/cli_program.h"

// Runs of a second or two for tests of the command line, and what tests do to their files.

inline const QStringList kQuickSettings{QStringLiteral("--preset"),
                                        QStringLiteral("tiny"),
                                        QStringLiteral("--steps"),
                                        QStringLiteral("40"),
                                        QStringLiteral("--set"),
                                        QStringLiteral("warmup_steps=20"),
                                        QStringLiteral("checkpoint_every=20"),
                                        QStringLiteral("evaluation_n=2,4,8"),
                                        QStringLiteral("evaluation_sequences=8"),
                                        QStringLiteral("curriculum=2:20")};

inline void copyFolder(const QString &from, const QString &to)
{
    QVERIFY(QDir().mkpath(to));
    for (const QFileInfo &entry : QDir(from).entryInfoList(QDir::AllEntries | QDir::NoDotAndDotDot)) {
        const QString target = to + QLatin1Char('/') + entry.fileName();
        if (entry.isDir())
            copyFolder(entry.filePath(), target);
        else
            QVERIFY(QFile::copy(entry.filePath(), target));
    }
}

inline QByteArray contentOf(const QString &file)
{
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

inline void writeContent(const QString &file, const QByteArray &content)
{
    QFile opened(file);
    QVERIFY(opened.open(QIODevice::WriteOnly));
    QCOMPARE(opened.write(content), content.size());
}

inline QString newestCheckpoint(const QString &run)
{
    const QDir folder(run + QStringLiteral("/checkpoints"));
    return folder.filePath(folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files, QDir::Name).last());
}
