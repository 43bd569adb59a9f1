// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <memory>

class QSocketNotifier;

namespace lookback::desktop {

/// The application: the top of every slot. An exception that leaves one is reported and ends nothing; SIGTERM, SIGINT
/// and SIGHUP become a signal on the GUI thread.
class Application : public QApplication {
    Q_OBJECT

public:
    Application(int &argc, char **argv);
    ~Application() override;

    bool notify(QObject *receiver, QEvent *event) override;

Q_SIGNALS:
    void endRequested(); ///< By a signal of the system.
    void failed(const QString &sentence); ///< An exception reached the event loop.

private:
    void listenToSignals();

    std::unique_ptr<QSocketNotifier> m_notifier;
};

/// Says a missing display, a missing platform plug-in or one of its libraries in one sentence instead of aborting, and
/// leaves out a line of the offscreen platform that means nothing. Install before QApplication.
void installMessageHandler();

} // namespace lookback::desktop
