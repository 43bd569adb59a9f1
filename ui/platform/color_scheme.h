// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QDBusVariant;

namespace lookback::ui {

/// Whether the desktop wishes dark or light windows, now and later: the setting "color-scheme" of
/// org.freedesktop.portal.Settings. Says nothing where no bus or no portal is there.
class ColorScheme : public QObject {
    Q_OBJECT

public:
    explicit ColorScheme(QObject *parent = nullptr);

Q_SIGNALS:
    /// The wish became known or changed. Not stated for "no preference".
    void wished(bool isDark);

private Q_SLOTS:
    void takeChange(const QString &group, const QString &key, const QDBusVariant &value);

private:
    void take(const QVariant &value);
};

} // namespace lookback::ui
