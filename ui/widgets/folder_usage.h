// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <cstdint>
#include <memory>

namespace lookback::ui {

/// How large the runs folder is and how much its disk has left. Counted on a pool thread, never more than once at a
/// time and at most every few seconds.
class FolderUsage : public QObject {
    Q_OBJECT

public:
    explicit FolderUsage(QObject *parent = nullptr);
    ~FolderUsage() override;

    void setFolder(const QString &folder);
    /// Something was written there: count again soon.
    void touch();

Q_SIGNALS:
    void counted(quint64 folderBytes, quint64 freeBytes);

private:
    void count();

    QString m_folder;
    QTimer m_timer;
    bool m_isCounting = false;
    bool m_isTouched = false;
    std::shared_ptr<bool> m_isAlive; // read and written on the GUI thread only
};

} // namespace lookback::ui
