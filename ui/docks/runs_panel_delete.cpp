// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Deleting runs: the question, the trash, and the way back.
#include <QAction>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <memory>

#include "ui/actions/action_set.h"
#include "ui/bridge/run_bridge.h"
#include "ui/docks/runs_panel.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/widgets/folder_usage.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/question.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr std::size_t kMostNamed = 8;
}

/// "rope · seed 0, hybrid · seed 1 and 3 more"
QString RunsPanel::namesOf(const std::vector<DeletedRun> &runs)
{
    QStringList names;
    for (const DeletedRun &run : runs) {
        if (static_cast<std::size_t>(names.size()) < kMostNamed)
            names.append(run.title);
    }
    const QString named = names.join(u", "_s);
    return runs.size() <= kMostNamed ? named : tr("%1 and %2 more").arg(named).arg(runs.size() - kMostNamed);
}

QMessageBox *RunsPanel::deleteQuestion() const
{
    return m_deleteQuestion;
}

void RunsPanel::deleteSelected()
{
    if (m_deleteQuestion) {
        m_deleteQuestion->raise();
        m_deleteQuestion->activateWindow();
        return;
    }
    std::vector<DeletedRun> runs;
    std::size_t active = 0;
    for (const run::RunId &id : selectedRuns()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (RunCollection::isActive(run->snapshot.state))
            ++active;
        else
            runs.push_back({id, run->title});
    }
    if (runs.empty())
        return;
    const bool isOne = runs.size() == 1;
    QMessageBox *question =
        makeQuestion(u"delete-question"_s, tr("Delete"),
                     isOne ? tr("Delete %1?").arg(runs.front().title) : tr("Delete %1 runs?").arg(runs.size()), this);
    const auto explain = [question, runs, active, isOne](const QString &size) {
        QString text = isOne ? QString() : namesOf(runs) + u".\n\n"_s;
        text += (isOne ? tr("The run takes %1 on the disk. Its folder is moved to \".trash\" in the runs folder; "
                            "\"Undo\" brings it back.")
                       : tr("The runs take %1 on the disk. Their folders are moved to \".trash\" in the runs folder; "
                            "\"Undo\" brings them back."))
                    .arg(size);
        if (active > 0)
            text += u' ' + tr("What is still training stays (%1).").arg(active);
        question->setInformativeText(text);
    };
    explain(tr("… MB", "size that is being counted"));
    struct Count {
        quint64 bytes = 0;
        std::size_t missing = 0;
    };
    const auto count = std::make_shared<Count>();
    count->missing = runs.size();
    for (const DeletedRun &run : runs) {
        auto *usage = new FolderUsage(question); // on a thread of the pool: the disk may be slow
        connect(usage, &FolderUsage::counted, question, [count, explain](quint64 folderBytes) {
            count->bytes += folderBytes;
            if (count->missing > 0 && --count->missing == 0)
                explain(bytesText(count->bytes));
        });
        usage->setFolder(QString::fromStdString(run.id));
    }
    QPushButton *remove = question->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    remove->setObjectName(u"delete-runs"_s);
    remove->setAutoDefault(false); // the return key deletes nothing
    QPushButton *cancel = question->addButton(QMessageBox::Cancel);
    question->setDefaultButton(cancel);
    question->setEscapeButton(cancel);
    connect(remove, &QPushButton::clicked, this, [this, runs] { deleteRuns(runs); });
    m_deleteQuestion = question;
    question->open();
    cancel->setFocus();
}

void RunsPanel::deleteRuns(const std::vector<DeletedRun> &runs)
{
    for (const DeletedRun &run : runs) {
        const RunCollection::Run *found = m_runs->find(run.id);
        if (!found || RunCollection::isActive(found->snapshot.state))
            continue; // it went away or began to train while the question stood
        m_moving.push_back(run);
        m_bridge->service().deleteRun(run.id);
    }
}

void RunsPanel::takeRemoved(const std::vector<run::RunId> &ids)
{
    for (const run::RunId &id : ids) {
        const auto found = std::ranges::find(m_moving, id, &DeletedRun::id);
        if (found == m_moving.end())
            continue;
        m_moved.push_back(*found);
        m_moving.erase(found);
    }
    settleDeletion();
}

void RunsPanel::takeRefusal(const run::RunId &id)
{
    std::erase_if(m_moving, [&](const DeletedRun &run) { return run.id == id; }); // the notice says why
    settleDeletion();
}

void RunsPanel::settleDeletion()
{
    if (!m_moving.empty() || m_moved.empty())
        return;
    m_deletions.push_back(std::exchange(m_moved, {}));
    showNewestDeletion();
    refreshAbilities();
}

void RunsPanel::showNewestDeletion()
{
    const std::vector<DeletedRun> &runs = m_deletions.back();
    const QString sentence = runs.size() == 1
        ? tr("%1 was moved to the trash.").arg(runs.front().title)
        : tr("%1 runs were moved to the trash: %2.").arg(runs.size()).arg(namesOf(runs));
    m_messages->showMessage(MessageBar::Kind::Information, sentence, {{tr("&Undo"), [this] { restoreDeleted(); }}});
}

void RunsPanel::restoreDeleted()
{
    if (m_deletions.empty())
        return;
    const std::vector<DeletedRun> runs = m_deletions.back();
    m_deletions.pop_back();
    for (const DeletedRun &run : runs)
        m_bridge->service().restoreDeleted(run.id);
    if (m_deletions.empty())
        m_messages->dismiss();
    else
        showNewestDeletion(); // what can be taken back now
    refreshAbilities();
}

void RunsPanel::refreshRestore()
{
    m_actions->setHolding(Condition::CanRestore, !m_deletions.empty());
    m_actions->action(ActionId::RestoreRun)
        ->setText(m_deletions.empty() ? tr("Undo de&lete") : tr("Undo de&lete of %1").arg(namesOf(m_deletions.back())));
}

} // namespace lookback::ui
