// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_menu.h"

#include <algorithm>

#include <QAction>
#include <QActionGroup>
#include <QLocale>

#include "ui/pages/attention_compare_heads.h"
#include "ui/models/head_words.h"
#include "ui/models/run_collection.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

CompareMenu::CompareMenu(const RunCollection *collection, std::function<LeftSide()> left, QWidget *parent)
    : QMenu(parent), m_collection(collection), m_left(std::move(left))
{
    setObjectName(u"compareMenu"_s);
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &CompareMenu::fill);
}

void CompareMenu::fill()
{
    const LeftSide left = m_left();
    clear();
    QMenu *runs = addMenu(tr("Another run"));
    QMenu *checkpoints = addMenu(tr("Another checkpoint of this run"));
    QMenu *heads = addMenu(tr("This run without heads"));
    fillRuns(runs, left);
    fillCheckpoints(checkpoints, left);
    fillHeads(heads, left);
    for (QMenu *menu : {runs, checkpoints, heads})
        menu->setEnabled(!menu->isEmpty() && left.layers > 0);
    if (!left.isComparing)
        return;
    addSeparator();
    QAction *end = addAction(tr("End the comparison"));
    end->setShortcut(Qt::Key_Escape); // shown; the page itself listens to the key
    end->setShortcutContext(Qt::WidgetShortcut);
    connect(end, &QAction::triggered, this, &CompareMenu::endAsked);
}

void CompareMenu::fillRuns(QMenu *menu, const LeftSide &left)
{
    for (const run::RunId &id : m_collection->order()) {
        const RunCollection::Run *run = m_collection->find(id);
        if (!run || id == left.run || !run->snapshot.isReadable)
            continue;
        QAction *action = menu->addAction(run->title);
        if (run->snapshot.checkpointSteps.empty()) {
            action->setEnabled(false);
            action->setToolTip(tr("This run has no checkpoint yet"));
        }
        connect(action, &QAction::triggered, this,
                [this, id] { Q_EMIT chosen({.what = CompareChoice::What::Run, .run = id}); });
    }
}

void CompareMenu::fillCheckpoints(QMenu *menu, const LeftSide &left)
{
    const RunCollection::Run *run = m_collection->find(left.run);
    if (!run)
        return;
    const std::vector<std::int64_t> &steps = run->snapshot.checkpointSteps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (*step == left.step)
            continue;
        const QString text =
            *step == 0 ? tr("Step 0, untrained") : tr("Step %1").arg(QLocale().toString(static_cast<qlonglong>(*step)));
        connect(menu->addAction(text), &QAction::triggered, this,
                [this, of = *step] { Q_EMIT chosen({.what = CompareChoice::What::Checkpoint, .step = of}); });
    }
}

void CompareMenu::fillHeads(QMenu *menu, const LeftSide &left)
{
    if (left.layers == 0)
        return;
    const auto add = [&](const QString &text, const std::vector<circuit::HeadId> &heads) {
        connect(menu->addAction(text), &QAction::triggered, this, [this, heads] {
            Q_EMIT chosen({.what = CompareChoice::What::Heads, .intervention = {.heads = heads, .removal = m_removal}});
        });
    };
    add(tr("Without head %1, the one on view").arg(QString::fromStdString(circuit::headText(left.head))), {left.head});
    std::vector<circuit::HeadId> ofCircuit = m_circuitHeads.heads;
    std::erase_if(ofCircuit,
                  [&left](const circuit::HeadId &id) { return id.layer >= left.layers || id.head >= left.heads; });
    if (!ofCircuit.empty()) {
        constexpr std::size_t kMostNamed = 6;
        const QString names = ofCircuit.size() <= kMostNamed ? QString::fromStdString(circuit::headsText(ofCircuit))
                                                             : tr("%1 heads").arg(ofCircuit.size());
        add(tr("Without the heads chosen on the Circuit page (%1)").arg(names), ofCircuit);
    }
    connect(menu->addAction(tr("Choose heads…")), &QAction::triggered, this, [this, left] { chooseHeads(left); });
    menu->addSection(tr("Removed how"));
    auto *group = new QActionGroup(menu);
    for (const circuit::Removal removal : {circuit::Removal::Zero, circuit::Removal::Mean, circuit::Removal::Uniform}) {
        QAction *action = menu->addAction(removalWords(removal));
        action->setCheckable(true);
        action->setChecked(removal == m_removal);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, removal] { m_removal = removal; });
    }
}

void CompareMenu::chooseHeads(const LeftSide &left)
{
    auto *dialog =
        new ChooseHeadsDialog(left.layers, left.heads, {.heads = {left.head}, .removal = m_removal}, parentWidget());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ChooseHeadsDialog::chosen, this, [this](const circuit::Intervention &intervention) {
        m_removal = intervention.removal;
        Q_EMIT chosen({.what = CompareChoice::What::Heads, .intervention = intervention});
    });
    dialog->open();
}

} // namespace lookback::ui
