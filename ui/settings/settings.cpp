// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QStandardPaths>

#include <algorithm>

#include "ui/settings/whole_ini.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr int kVersion = 1;
constexpr qsizetype kMostRecent = 10;

QString fileOrDefault(const QString &file)
{
    if (!file.isEmpty())
        return file;
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/lookback/window.ini"_s;
}

} // namespace

Settings::Settings(const QString &file) : m_store(fileOrDefault(file), wholeIniFormat())
{
    migrate();
}

void Settings::migrate()
{
    // A renamed or reinterpreted key gets a step here and the next number.
    const int version = m_store.value("version"_L1, kVersion).toInt();
    if (version != kVersion || !m_store.contains("version"_L1))
        m_store.setValue("version"_L1, std::max(version, kVersion));
}

std::function<int(const int &)> Settings::clampTo(int low, int high)
{
    return [low, high](const int &value) { return std::clamp(value, low, high); };
}

QString Settings::defaultRunsFolder()
{
    QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (documents.isEmpty())
        documents = QDir::homePath();
    return QDir::cleanPath(documents + u"/Lookback runs"_s);
}

int Settings::docksOf(const QString &page, int fallback) const
{
    return m_store.value(u"docks/"_s + page, fallback).toInt();
}

void Settings::setDocksOf(const QString &page, int docks)
{
    m_store.setValue(u"docks/"_s + page, docks);
}

QVariantMap Settings::viewStateOf(const QString &page) const
{
    return m_store.value(u"pages/"_s + page).toMap();
}

void Settings::setViewStateOf(const QString &page, const QVariantMap &state)
{
    m_store.setValue(u"pages/"_s + page, state);
}

void Settings::resetLayout()
{
    geometry.reset();
    state.reset();
    runsHeader.reset();
    m_store.remove("docks"_L1);
}

QString Settings::sync()
{
    // A second view on the same values: the status of the first one keeps its first error for ever.
    QSettings view(m_store.fileName(), wholeIniFormat());
    view.sync();
    if (view.status() == QSettings::NoError)
        return {};
    return QCoreApplication::translate("Settings",
                                       "\"%1\" cannot be written: the next start will be as the last one was. Check "
                                       "that neither the disk is full nor your quota used up, and that you may write "
                                       "there.")
        .arg(m_store.fileName());
}

void Settings::addRecentFolder(const QString &folder)
{
    QStringList folders = recentFolders.value();
    folders.removeAll(folder);
    folders.prepend(folder);
    recentFolders.setValue(folders.mid(0, kMostRecent));
}

} // namespace lookback::ui
