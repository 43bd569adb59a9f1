// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_list.h"

#include <QCoreApplication>

#include "ui/pages/accuracy_page.h"
#include "ui/pages/attention_page.h"
#include "ui/pages/circuit_page.h"
#include "ui/pages/train_page.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

std::vector<PageEntry> makePages(RunBridge *bridge, RunCollection *runs, QWidget *parent)
{
    const auto title = [](const char *text) { return QCoreApplication::translate("Pages", text); };
    return {
        {u"training"_s, title("Training"), ActionId::TrainingPage, kExperimentDockBit | kRunsDockBit,
         new TrainPage(runs, parent)},
        {u"accuracy"_s, title("Accuracy vs context"), ActionId::AccuracyPage, 0,
         new AccuracyPage(bridge, runs, parent)},
        {u"attention"_s, title("Attention"), ActionId::AttentionPage, 0, new AttentionPage(bridge, runs, parent)},
        {u"circuit"_s, title("Circuit"), ActionId::CircuitPage, 0, new CircuitPage(bridge, runs, parent)},
    };
}

} // namespace lookback::ui
