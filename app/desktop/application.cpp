// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/application.h"

#include <QSocketNotifier>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <sys/socket.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace lookback::desktop {

namespace {

int g_signalPipe[2] = {-1, -1}; // a signal handler may do no more than write

void writeSignal(int)
{
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = write(g_signalPipe[0], &byte, 1);
}

QString g_platformReason; // what the platform plug-in said before it gave up
bool g_isStarted = false; // the platform plug-in works

void handleMessage(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    if (message.startsWith("This plugin does not support propagateSizeHints"_L1))
        return;
    const bool isPlatform = context.category && QLatin1StringView(context.category).startsWith("qt.qpa"_L1);
    if (isPlatform && !g_isStarted && type != QtFatalMsg) {
        // The first names the cause; the one about xcb-cursor0 names the remedy.
        if (g_platformReason.isEmpty() || message.contains("xcb-cursor0"_L1))
            g_platformReason = message.trimmed();
        return; // the sentence below says it
    }
    if (type == QtFatalMsg && message.contains("no Qt platform plugin could be initialized"_L1)) {
        const QByteArray reason = g_platformReason.toLocal8Bit();
        std::fprintf(
            stderr,
            "Lookback cannot open a window here (%s). Check DISPLAY, install the package libxcb-cursor0 if it is "
            "missing, or use lookback-cli, which needs no display.\n",
            reason.isEmpty() ? "no window system was found" : reason.constData());
        std::_Exit(1);
    }
    std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
    if (type == QtFatalMsg)
        std::abort();
}

} // namespace

void installMessageHandler()
{
    qInstallMessageHandler(handleMessage);
}

Application::Application(int &argc, char **argv) : QApplication(argc, argv)
{
    g_isStarted = true;
    // QApplication takes the locale of the user; numbers in C functions keep the dot (LibTorch reads some).
    std::setlocale(LC_NUMERIC, "C");
    setApplicationName(u"lookback"_s);
    setApplicationDisplayName(u"Lookback"_s);
    setApplicationVersion(QStringLiteral(LOOKBACK_VERSION));
    setOrganizationDomain(u"lookback.org"_s);
    setDesktopFileName(QStringLiteral(LOOKBACK_APP_ID));
    listenToSignals();
}

Application::~Application()
{
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        std::signal(number, SIG_DFL);
}

void Application::listenToSignals()
{
    std::signal(SIGXFSZ, SIG_IGN); // a file size limit is an error of the one who writes, Qt included
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, g_signalPipe) != 0)
        return; // the default action ends the program; runs have their checkpoints
    m_notifier = std::make_unique<QSocketNotifier>(g_signalPipe[1], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        [[maybe_unused]] const ssize_t count = read(g_signalPipe[1], &byte, 1);
        Q_EMIT endRequested();
    });
    struct sigaction action = {};
    action.sa_handler = writeSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGTERM, SIGINT, SIGHUP})
        sigaction(number, &action, nullptr);
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "lookback: %s\n", e.what());
        Q_EMIT failed(QString::fromUtf8(e.what()));
    }
    return false;
}

} // namespace lookback::desktop
