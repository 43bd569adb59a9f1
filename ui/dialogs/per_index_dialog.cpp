// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/per_index_dialog.h"

#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "ui/bridge/run_bridge.h"
#include "ui/models/run_collection.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

PerIndexDialog::PerIndexDialog(RunBridge *bridge, RunCollection *runs, QWidget *parent)
    : MeasuredFigureDialog(parent), m_bridge(bridge), m_runs(runs), m_which(makeNote(this)), m_keys(new QSpinBox(this)),
      m_sequences(new QSpinBox(this))
{
    setObjectName(u"perIndexDialog"_s);
    setWindowTitle(tr("Loss by entry"));
    m_which->setObjectName(u"perIndexRuns"_s);
    m_keys->setObjectName(u"perIndexKeys"_s);
    m_keys->setRange(1, 100'000);
    m_keys->setGroupSeparatorShown(true);
    m_keys->setValue(50); // as published
    m_keys->setToolTip(tr("A sequence has twice as many entries"));
    m_sequences->setObjectName(u"perIndexSequences"_s);
    m_sequences->setRange(1, 100'000);
    m_sequences->setGroupSeparatorShown(true);
    m_sequences->setValue(256);
    m_sequences->setToolTip(tr("More sequences make the bands narrower and take longer"));
    form()->addRow(tr("Unique &keys n"), m_keys);
    form()->addRow(tr("&Sequences"), m_sequences);
    form()->addRow(m_which);
    setEmptyText(
        tr("The loss at every place of a sequence: how soon a run is sure of its answers, and whether it loses "
           "them again as more entries come between."));
    connect(m_bridge, &RunBridge::circuitAnswered, this, &PerIndexDialog::take);
    connect(m_bridge, &RunBridge::probeProgressed, this, [this](const run::ProbeStatus &status) {
        if (m_job != status.job)
            return;
        Progress progress = status.progress;
        const RunCollection::Run *run = m_runs->find(m_asked);
        if (run && m_total > 1)
            progress.what = tr("%1, %2").arg(run->title, QString::fromStdString(progress.what)).toStdString();
        const auto finished = static_cast<std::int64_t>(m_total - m_waiting.size() - 1);
        progress.done += finished * progress.total;
        progress.total *= static_cast<std::int64_t>(m_total);
        if (m_total > 1)
            progress.remainingSeconds.reset(); // of this run alone
        showProgress(progress);
    });
    connect(m_runs, &RunCollection::orderChanged, this, &PerIndexDialog::refreshRuns);
    connect(m_runs, &RunCollection::shownChanged, this, &PerIndexDialog::refreshRuns);
    connect(m_runs, &RunCollection::runChanged, this, &PerIndexDialog::refreshRuns);
    refreshRuns();
    showFigure();
}

std::vector<run::RunId> PerIndexDialog::measurable() const
{
    std::vector<run::RunId> ids;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (run->isShown && run->snapshot.isReadable && !run->snapshot.checkpointSteps.empty())
            ids.push_back(id);
    }
    return ids;
}

void PerIndexDialog::refreshRuns()
{
    const auto count = static_cast<int>(measurable().size());
    m_which->setText(count == 0 ? QString()
                         : count == 1
                         ? tr("Of the newest checkpoint of the run whose curve is shown.")
                         : tr("Of the newest checkpoints of the %1 runs whose curves are shown.").arg(count));
    setProblem(count == 0 ? tr("No run that is shown has a checkpoint yet.") : QString());
}

std::unique_ptr<Figure> PerIndexDialog::figure() const
{
    return m_shown.curves.empty() ? nullptr : makePerIndexFigure(m_shown);
}

void PerIndexDialog::compute()
{
    if (hasProblem())
        return;
    cancel();
    m_request = {.n_keys = m_keys->value(), .sequences = m_sequences->value()};
    m_waiting = measurable();
    std::ranges::reverse(m_waiting);
    m_total = m_waiting.size();
    m_coming = {};
    m_troubles.clear();
    setBusy(true);
    say({}, false);
    askNext();
}

void PerIndexDialog::askNext()
{
    m_job.reset();
    while (!m_waiting.empty() && !m_runs->find(m_waiting.back()))
        m_waiting.pop_back(); // it has gone since
    if (m_waiting.empty()) {
        setBusy(false);
        if (!m_coming.curves.empty()) {
            m_shown = std::move(m_coming);
            showFigure();
        }
        say(m_troubles.join(u'\n'), !m_troubles.isEmpty());
        return;
    }
    m_asked = m_waiting.back();
    m_waiting.pop_back();
    m_job = m_bridge->service().askCircuit({.run = m_asked, .step = -1, .task = m_request});
}

void PerIndexDialog::take(const run::CircuitAnswer &answer)
{
    if (m_job != answer.job || !answer.isComplete)
        return;
    for (const std::string &note : answer.notes)
        m_troubles << QString::fromStdString(note);
    const auto *table = answer.result ? std::get_if<eval::PerIndexTable>(answer.result.get()) : nullptr;
    if (!table || !m_runs->find(m_asked)) {
        m_troubles << QString::fromStdString(answer.failure);
        askNext();
        return;
    }
    const FigureRun run = figureRunOf(*m_runs, m_asked);
    m_coming.curves.push_back({.run = run, .table = *table});
    // What a kvbench folder recorded itself, beside it.
    auto recorded = std::make_shared<std::optional<eval::PerIndexTable>>();
    const run::JobId job = answer.job;
    workOnDisk(
        QString::fromStdString(m_asked), this,
        [recorded, record = run.record, folder = m_asked, n = m_request.n_keys] {
            *recorded = recordedPerIndex(record, folder, n);
        },
        [this, recorded, run, job](const Error *failure) {
            if (m_job != job)
                return; // cancelled meanwhile
            if (failure)
                m_troubles << QString::fromStdString(failure->sentence());
            else if (*recorded)
                m_coming.curves.push_back({.run = run, .table = **recorded, .isRecorded = true});
            askNext();
        });
}

void PerIndexDialog::cancel()
{
    if (!isBusy())
        return;
    if (m_job)
        m_bridge->service().cancelProbe(*m_job);
    m_job.reset();
    m_waiting.clear();
    setBusy(false);
    say(tr("Stopped. What was measured is kept."), false);
}

} // namespace lookback::ui
