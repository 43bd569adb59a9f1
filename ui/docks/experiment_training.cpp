// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// How the experiment panel hands runs to the service, and what it asks before.
#include "ui/docks/experiment_panel.h"

#include <QPushButton>

#include <algorithm>
#include <filesystem>

#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/models/runs_model.h"
#include "ui/widgets/question.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using run::RunState;

namespace {

/// A run of that folder that makes another one with this configuration a copy. A failed one does not: trying again is
/// what one does then. Runs of a folder that was open before are listed, too, while they go on.
const RunCollection::Run *runOf(const RunCollection &runs, const std::filesystem::path &folder, const RunConfig &config)
{
    for (const run::RunId &id : runs.order()) {
        const RunCollection::Run *run = runs.find(id);
        if (std::filesystem::path(id).parent_path() == folder && run->snapshot.isReadable
            && run->snapshot.state != RunState::Failed && run->snapshot.record.config == config)
            return run;
    }
    return nullptr;
}

bool canGoOn(const run::RunSnapshot &run)
{
    return run.state == RunState::Stopped || run.state == RunState::Interrupted || run.state == RunState::Paused;
}

} // namespace

void ExperimentPanel::train()
{
    if (!m_whyNot.isEmpty())
        return;
    if (m_copyQuestion) {
        m_copyQuestion->raise();
        m_copyQuestion->activateWindow();
        return;
    }
    const std::filesystem::path folder = m_bridge->service().folder();
    const std::vector<run::TrainRequest> wanted = requests();
    std::vector<run::TrainRequest> others; // those that are no copies
    std::ranges::copy_if(wanted, std::back_inserter(others), [&](const run::TrainRequest &request) {
        return !runOf(*m_runs, folder, request.config)
            && std::ranges::find(m_sent, Sent{folder, request.config}) == m_sent.end();
    });
    if (others.size() == wanted.size())
        send(wanted);
    else
        askBeforeCopies(wanted, others);
}

void ExperimentPanel::send(const std::vector<run::TrainRequest> &requests)
{
    for (const run::TrainRequest &request : requests)
        m_sent.push_back({m_bridge->service().folder(), request.config});
    m_bridge->service().train(requests);
    Q_EMIT trainingRequested(static_cast<int>(requests.size()));
}

void ExperimentPanel::forgetArrived()
{
    std::erase_if(m_sent, [this](const Sent &sent) { return runOf(*m_runs, sent.folder, sent.config) != nullptr; });
}

void ExperimentPanel::askBeforeCopies(const std::vector<run::TrainRequest> &wanted,
                                      const std::vector<run::TrainRequest> &others)
{
    QStringList names;
    std::vector<run::RunId> unfinished;
    for (const run::TrainRequest &request : wanted) {
        const RunCollection::Run *run = runOf(*m_runs, m_bridge->service().folder(), request.config);
        if (run) {
            names.append(
                tr("%1 (%2)", "run, state").arg(run->title, RunsModel::stateTitle(run->snapshot.state).toLower()));
            if (canGoOn(run->snapshot))
                unfinished.push_back(run->snapshot.id);
        } else if (std::ranges::find(others, request.config, &run::TrainRequest::config) == others.end()) {
            names.append(tr("%1 · seed %2 (queued)", "variant, seed")
                             .arg(QString::fromStdString(request.config.variant))
                             .arg(request.config.seed));
        }
    }
    const QString text = names.size() == 1
        ? tr("%1 is already in this folder with exactly these settings.").arg(names.front())
        : tr("%1 of %2 runs are already in this folder with exactly these settings.")
              .arg(names.size())
              .arg(wanted.size());
    QString explanation = tr("The same settings give the same numbers. A copy gets a folder of its own.");
    if (names.size() > 1)
        explanation = names.join(u", "_s) + u".\n\n"_s + explanation;

    QMessageBox *question = makeQuestion(u"copy-question"_s, tr("Train again?"), text, this);
    question->setInformativeText(explanation);
    QPushButton *first = nullptr; // what makes no copy
    if (!others.empty() || !unfinished.empty()) {
        const QString other = tr("Train the &other %1").arg(others.size());
        const QString label = unfinished.empty() ? other
            : others.empty()                     ? tr("&Continue")
                                                 : tr("&Continue, train the other %1").arg(others.size());
        first = question->addButton(label, QMessageBox::AcceptRole);
        first->setObjectName(u"train-others"_s);
        connect(first, &QPushButton::clicked, this, [this, others, unfinished] {
            for (const run::RunId &id : unfinished)
                m_bridge->service().resume(id);
            if (!others.empty())
                send(others);
        });
    }
    QPushButton *again = question->addButton(names.size() == 1 ? tr("Train a co&py") : tr("Train co&pies, too"),
                                             QMessageBox::AcceptRole);
    again->setObjectName(u"train-copies"_s);
    connect(again, &QPushButton::clicked, this, [this, wanted] { send(wanted); });
    QPushButton *cancel = question->addButton(QMessageBox::Cancel);
    question->setDefaultButton(first ? first : cancel);
    question->setEscapeButton(cancel);
    again->setAutoDefault(false); // the return key makes no copies
    m_copyQuestion = question;
    question->open();
    question->defaultButton()->setFocus();
}

} // namespace lookback::ui
