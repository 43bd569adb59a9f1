// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/screenshots.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QFontDatabase>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "app/desktop/application.h"
#include "core/error.h"
#include "core/run/run_service.h"
#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/figures/figure.h"
#include "ui/main_window.h"
#include "ui/models/run_collection.h"
#include "ui/pages/circuit_page.h"
#include "ui/settings/experiment_setup.h"
#include "ui/settings/settings.h"
#include "ui/theme/house_style.h"

using namespace Qt::StringLiterals;

namespace lookback::desktop {

namespace {

constexpr int kSettleMs = 900; // charts, examples and maps arrive by themselves; a picture is no test
constexpr QSize kSizes[] = {{1440, 900}, {1024, 700}};
constexpr const char *kPages[] = {"training", "accuracy", "attention", "circuit"};

/// Works through steps in the event loop: each is done when its condition holds.
class Tour : public QObject {
public:
    explicit Tour(Application &application, const QString &folder) : m_application(application), m_folder(folder)
    {
        m_timer.setInterval(50);
        connect(&m_timer, &QTimer::timeout, this, &Tour::advance);
    }

    void begin()
    {
        if (!QDir().mkpath(m_folder) || !m_runs.isValid())
            throw Error(m_folder.toStdString(), "The folder cannot be made.", "Choose another one.");
        m_service = run::makeRunService(m_runs.path().toStdString());
        m_service->openFolder(m_runs.path().toStdString());
        open();
        for (const bool isDark : {false, true}) {
            then([isDark] { ui::applyHouseStyle(isDark); });
            for (const QSize &size : kSizes)
                shoot(size, u"welcome"_s, u"training"_s, isDark);
        }
        then([] { ui::applyHouseStyle(false); });
        then([this] { train(); });
        then([this] { shootWhileTraining(); }, [this] { return hasStarted(); });
        then([] {}, [this] { return !m_service->isActive(); });
        for (const bool isDark : {false, true}) {
            then([isDark] { ui::applyHouseStyle(isDark); });
            for (const QSize &size : kSizes) {
                for (const char *page : kPages)
                    shoot(size, QLatin1StringView(page), QLatin1StringView(page), isDark);
            }
        }
        for (const char *page : kPages)
            then([this, page] { exportPage(QLatin1StringView(page)); });
        then([this] { openReferenceRuns(); });
        then([] {}, [this] { return m_collection->find(shownReferenceRun()) != nullptr; });
        for (const bool isDark : {false, true}) {
            then([this, isDark] {
                ui::applyHouseStyle(isDark);
                m_window->findChild<ui::CircuitPage *>()->setRun(shownReferenceRun());
            });
            for (const QSize &size : kSizes)
                shoot(size, u"reference-circuit"_s, u"circuit"_s, isDark);
        }
        then([this] { m_application.quit(); });
        m_timer.start();
    }

private:
    using Condition = std::function<bool()>;

    void then(std::function<void()> act, Condition when = {}) { m_steps.emplace_back(std::move(when), std::move(act)); }

    void advance()
    {
        if (m_steps.empty() || (m_steps.front().first && !m_steps.front().first()))
            return;
        const std::function<void()> act = std::move(m_steps.front().second);
        m_steps.pop_front();
        act();
    }

    void open()
    {
        m_settings = std::make_unique<ui::Settings>(m_runs.filePath(u"window.ini"_s));
        m_settings->runsFolder.setValue(m_runs.path());
        m_bridge = std::make_unique<ui::RunBridge>(m_service.get());
        m_collection = std::make_unique<ui::RunCollection>(m_bridge.get());
        m_window = std::make_unique<ui::MainWindow>(m_bridge.get(), m_collection.get(), m_settings.get());
        m_window->show();
    }

    void train()
    {
        ui::ExperimentSetup setup = ui::ExperimentSetup::trial();
        setup.variants = {"rope", "hybrid_square", "hybrid_square_kda"};
        m_service->train(setup.requests());
    }

    /// The circuit of a well trained run has more to show than that of one that learned for seconds.
    void openReferenceRuns()
    {
        m_service->openFolder(referenceFolder().toStdString());
        m_service->addReferenceRuns();
    }
    QString referenceFolder() const { return m_runs.filePath(u"reference"_s); }
    run::RunId shownReferenceRun() const { return referenceFolder().toStdString() + "/hybrid_square-seed0"; }

    bool hasStarted() const
    {
        for (const run::RunId &id : m_collection->order()) {
            if (m_collection->find(id)->metrics().size() > 20)
                return true;
        }
        return false;
    }

    void settle(std::function<void()> act)
    {
        auto clock = std::make_shared<QElapsedTimer>();
        clock->start();
        m_steps.emplace_front([this, clock] { return clock->elapsed() >= kSettleMs && !isMeasuring(); },
                              std::move(act));
    }

    bool isMeasuring() const
    {
        const auto *circuit = qobject_cast<ui::CircuitPage *>(m_window->page(u"circuit"_s));
        return circuit && circuit->isVisible() && circuit->loader().isBusy();
    }

    void followHeads()
    {
        if (auto *button = m_window->findChild<QPushButton *>(u"followHeads"_s); button && button->isVisible())
            button->click();
    }

    void shoot(const QSize &size, const QString &name, const QString &page, bool isDark)
    {
        then([this, size, name, page, isDark] {
            m_window->resize(size);
            m_window->actions()
                ->action(ui::ActionId::ResetLayout)
                ->trigger(); // docks as a window of that size gets them
            m_window->showPage(page);
            followHeads();
            settle([this, size, name, isDark] {
                save(u"%1-%2-%3.png"_s.arg(name, isDark ? u"dark"_s : u"light"_s).arg(size.width()));
            });
        });
    }

    void shootWhileTraining()
    {
        m_window->resize(kSizes[0]);
        m_window->actions()->action(ui::ActionId::ResetLayout)->trigger();
        settle([this] { save(u"training-at-work-light-1440.png"_s); });
    }

    void save(const QString &name)
    {
        const QString file = QDir(m_folder).filePath(name);
        if (!m_window->grab().save(file))
            throw Error(file.toStdString(), "The picture cannot be written.", "Choose another folder.");
        std::printf("%s\n", qPrintable(file));
        std::fflush(stdout);
    }

    void exportPage(const QString &page)
    {
        m_window->showPage(page);
        settle([this, page] {
            const std::unique_ptr<ui::Figure> figure = m_window->page(page)->figure();
            if (!figure)
                return;
            for (const char *extension : {"png", "svg", "pdf", "csv", "npy"}) {
                const QString file =
                    QDir(m_folder).filePath(u"figure-%1.%2"_s.arg(figure->fileName(), QLatin1StringView(extension)));
                ui::exportFigure(*figure, file, ui::ExportOptions{});
                std::printf("%s\n", qPrintable(file));
            }
        });
    }

    Application &m_application;
    QString m_folder;
    QTemporaryDir m_runs;
    std::unique_ptr<run::RunService> m_service;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::RunBridge> m_bridge;
    std::unique_ptr<ui::RunCollection> m_collection;
    std::unique_ptr<ui::MainWindow> m_window;
    std::deque<std::pair<Condition, std::function<void()>>> m_steps;
    QTimer m_timer;
};

} // namespace

int takeScreenshots(Application &application, const QString &folder)
{
    QFont font(u"Noto Sans"_s);
    if (!QFontDatabase::hasFamily(font.family()))
        font = QApplication::font();
    font.setPointSize(10);
    QApplication::setFont(font);
    bool hasFailed = false;
    QObject::connect(&application, &Application::failed, &application, [&](const QString &) {
        hasFailed = true;
        application.quit();
    });
    bool isEnded = false;
    QObject::connect(&application, &Application::endRequested, &application, [&] {
        isEnded = true;
        application.exit(); // not quit: that asks the window, which may ask its user
    });
    Tour tour(application, folder);
    tour.begin();
    application.exec();
    if (isEnded)
        std::fputs("Ended by a signal; the remaining pictures were not made.\n", stderr);
    return hasFailed || isEnded ? 1 : 0;
}

} // namespace lookback::desktop
