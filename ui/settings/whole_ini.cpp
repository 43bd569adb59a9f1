// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/whole_ini.h"

#include <QFile>
#include <QFileDevice>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// The text itself is Qt's: a scratch file of its ini format.
QSettings::SettingsMap valuesOf(const QString &scratch)
{
    const QSettings settings(scratch, QSettings::IniFormat);
    QSettings::SettingsMap values;
    for (const QString &key : settings.allKeys())
        values.insert(key, settings.value(key));
    return values;
}

bool readIni(QIODevice &device, QSettings::SettingsMap &values)
{
    const QTemporaryDir place;
    const QString scratch = place.filePath(u"read.ini"_s);
    const QByteArray bytes = device.readAll();
    QFile file(scratch);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.flush())
        return false;
    file.close();
    values = valuesOf(scratch);
    return true;
}

bool writeIni(QIODevice &device, const QSettings::SettingsMap &values)
{
    const QTemporaryDir place;
    const QString scratch = place.filePath(u"write.ini"_s);
    {
        QSettings settings(scratch, QSettings::IniFormat);
        for (auto value = values.begin(); value != values.end(); ++value)
            settings.setValue(value.key(), value.value());
    }
    QFile file(scratch);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray bytes = file.readAll();
    // The scratch file may have been cut, too.
    if (valuesOf(scratch).size() != values.size() || !bytes.endsWith('\n'))
        return false;
    auto *target = qobject_cast<QFileDevice *>(&device);
    return target && target->write(bytes) == bytes.size() && target->flush() && target->size() == bytes.size();
}

} // namespace

QSettings::Format wholeIniFormat()
{
    static const QSettings::Format format = QSettings::registerFormat(u"ini"_s, readIni, writeIni, Qt::CaseSensitive);
    return format;
}

} // namespace lookback::ui
