// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <functional>

#include "tests/patience.h"

/// What a call of lookback-cli left behind.
struct CliOutcome {
    int code = -1; ///< Exit code; -1 if it crashed or did not end.
    QByteArray out;
    QByteArray err;

    QString errorText() const { return QString::fromUtf8(err).trimmed(); }
    /// The lines of standard output, each a JSON object; empty if one is none.
    QList<QJsonObject> jsonLines() const
    {
        QList<QJsonObject> objects;
        for (const QByteArray &line : out.split('\n')) {
            if (line.isEmpty())
                continue;
            QJsonParseError error;
            const QJsonDocument document = QJsonDocument::fromJson(line, &error);
            if (error.error != QJsonParseError::NoError || !document.isObject())
                return {};
            objects.append(document.object());
        }
        return objects;
    }
};

/// Starts the built lookback-cli in a folder and with an environment of the test's choice.
class CliProgram {
public:
    explicit CliProgram(const QString &folder = {})
    {
        m_environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"LANG", "LC_ALL", "LC_NUMERIC", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            m_environment.remove(QString::fromLatin1(name));
        m_folder = folder;
    }

    void setVariable(const QString &name, const QString &value) { m_environment.insert(name, value); }
    void unsetVariable(const QString &name) { m_environment.remove(name); }
    /// Runs in the new process before the program; see QProcess::setChildProcessModifier.
    void setChildModifier(const std::function<void()> &modifier) { m_modifier = modifier; }

    void start(QProcess &process, const QStringList &arguments) const
    {
        process.setProcessEnvironment(m_environment);
        if (!m_folder.isEmpty())
            process.setWorkingDirectory(m_folder);
        if (m_modifier)
            process.setChildProcessModifier(m_modifier);
        process.start(QStringLiteral(LOOKBACK_BIN_DIR "/lookback-cli"), arguments);
    }

    CliOutcome run(const QStringList &arguments, int timeoutMilliseconds = lookback::testing::kLongPatience) const
    {
        QProcess process;
        start(process, arguments);
        process.closeWriteChannel();
        return outcomeOf(process, timeoutMilliseconds);
    }

    static CliOutcome outcomeOf(QProcess &process, int timeoutMilliseconds = lookback::testing::kLongPatience)
    {
        CliOutcome outcome;
        if (!process.waitForFinished(timeoutMilliseconds)) {
            process.kill();
            process.waitForFinished();
        } else if (process.exitStatus() == QProcess::NormalExit) {
            outcome.code = process.exitCode();
        }
        outcome.out = process.readAllStandardOutput();
        outcome.err = process.readAllStandardError();
        return outcome;
    }

private:
    QProcessEnvironment m_environment;
    QString m_folder;
    std::function<void()> m_modifier;
};
