// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariantMap>

#include <functional>
#include <utility>

namespace lookback::ui {

/// One remembered value: key, default and clamp in one place. Reads and writes through the store at once; the store
/// writes its file, whole, some moments later and at the end.
template <typename T> class Setting {
public:
    using Clamp = std::function<T(const T &)>;

    Setting(QSettings *store, QString key, T fallback, Clamp clamp = {})
        : m_store(store), m_key(std::move(key)), m_fallback(std::move(fallback)), m_clamp(std::move(clamp))
    {
    }

    T value() const
    {
        const QVariant stored = m_store->value(m_key);
        T value = stored.isValid() && stored.canConvert<T>() ? stored.value<T>() : m_fallback;
        return m_clamp ? m_clamp(value) : value;
    }
    void setValue(const T &value) { m_store->setValue(m_key, QVariant::fromValue(m_clamp ? m_clamp(value) : value)); }
    bool isStored() const { return m_store->contains(m_key); }
    void reset() { m_store->remove(m_key); }
    const QString &key() const { return m_key; }

private:
    QSettings *m_store;
    QString m_key;
    T m_fallback;
    Clamp m_clamp;
};

/// Everything the window remembers between sessions.
class Settings {
public:
    /// The user's file, or `file` in tests. Runs the migrations of older versions.
    explicit Settings(const QString &file = {});

private:
    QSettings m_store; // first: the members below use it

public:
    Setting<QByteArray> geometry{&m_store, QStringLiteral("window/geometry"), {}};
    Setting<QByteArray> state{&m_store, QStringLiteral("window/state"), {}};
    Setting<QString> page{&m_store, QStringLiteral("window/page"), QStringLiteral("training")};
    /// Of the first start: then the reference runs are added, once.
    Setting<bool> areReferenceRunsWanted{&m_store, QStringLiteral("runs/add_reference"), true};
    Setting<bool> isWelcomeWanted{&m_store, QStringLiteral("window/welcome"), true};
    Setting<QString> setup{&m_store, QStringLiteral("experiment/setup"), {}};
    Setting<bool> isAdvancedOpen{&m_store, QStringLiteral("experiment/advanced"), false};
    Setting<QByteArray> runsHeader{&m_store, QStringLiteral("runs/header"), {}};
    Setting<QStringList> hiddenRuns{&m_store, QStringLiteral("runs/hidden"), {}};
    Setting<QString> selectedRun{&m_store, QStringLiteral("runs/selected"), {}};
    Setting<QString> runsFolder{&m_store, QStringLiteral("runs/folder"), defaultRunsFolder()};
    Setting<QStringList> recentFolders{&m_store, QStringLiteral("runs/recent"), {}};
    /// 0 = as many as there are cores.
    Setting<int> parallelRuns{&m_store, QStringLiteral("training/parallel_runs"), 0, clampTo(0, 64)};
    /// Keep the computer from sleeping by itself while runs train.
    Setting<bool> keepsAwake{&m_store, QStringLiteral("training/keep_awake"), true};
    /// Mark the window on the task bar, and show a notification for long runs, when a run ends behind its back.
    Setting<bool> alertsAtEnd{&m_store, QStringLiteral("training/alert_at_end"), true};

    /// Of the last exported figure; empty = the user's pictures.
    Setting<QString> exportFolder{&m_store, QStringLiteral("export/folder"), {}};
    /// Size, resolution, kind and look of the last export.
    Setting<QVariantMap> exportOptions{&m_store, QStringLiteral("export/options"), {}};

    /// Which docks a page shows: bit 0 experiment, bit 1 runs.
    int docksOf(const QString &page, int fallback) const;
    void setDocksOf(const QString &page, int docks);
    QVariantMap viewStateOf(const QString &page) const;
    void setViewStateOf(const QString &page, const QVariantMap &state);
    /// Forgets layout, docks and columns; nothing else.
    void resetLayout();
    void addRecentFolder(const QString &folder);
    /// Writes what was set. A sentence if the file cannot be written; the former one is untouched then.
    QString sync();

    /// "Lookback" among the user's documents: a place that the user sees.
    static QString defaultRunsFolder();

private:
    static std::function<int(const int &)> clampTo(int low, int high);
    void migrate();
};

} // namespace lookback::ui
