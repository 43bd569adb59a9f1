// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <clocale>
#include <fstream>

#include <QDir>
#include <QProcess>
#include <QString>

namespace lookback::test {

/// Makes a locale with that decimal sign below `folder` and names the folder in LOCPATH, so that setlocale and child
/// processes find it under `name`. Needs no locale of the system, only localedef with its character maps. Returns why
/// not, or nothing.
inline QString makeLocale(const QString &folder, const QString &name, const QByteArray &decimalSign)
{
    const QString source = QDir(folder).filePath(name + QStringLiteral(".source"));
    std::ofstream file(source.toStdString());
    for (const char *category : {"LC_CTYPE", "LC_COLLATE", "LC_MONETARY", "LC_TIME", "LC_MESSAGES"})
        file << category << "\ncopy \"POSIX\"\nEND " << category << "\n";
    file << "LC_NUMERIC\ndecimal_point \"" << decimalSign.constData()
         << "\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    file.close();
    QProcess localedef;
    // -c: the categories that are left out are only warned about, which ends with code 1.
    localedef.start(QStringLiteral("localedef"),
                    {QStringLiteral("-c"), QStringLiteral("-i"), source, QStringLiteral("-f"), QStringLiteral("UTF-8"),
                     QDir(folder).filePath(name)});
    if (!localedef.waitForFinished(30000))
        return QStringLiteral("localedef cannot be run: ") + localedef.errorString();
    qputenv("LOCPATH", folder.toLocal8Bit());
    if (std::setlocale(LC_ALL, name.toLocal8Bit().constData()) == nullptr)
        return QStringLiteral("localedef made no locale: ") + QString::fromLocal8Bit(localedef.readAllStandardError());
    std::setlocale(LC_ALL, "C");
    return {};
}

} // namespace lookback::test
