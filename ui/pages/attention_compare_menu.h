// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

#include <functional>

#include "ui/pages/attention_compare_choice.h"

namespace lookback::ui {

class RunCollection;

/// The menu behind "Compare…": another run, another checkpoint of the run, the run without heads; or the end.
class CompareMenu : public QMenu {
    Q_OBJECT

public:
    /// The left side, as the menu needs it when it opens.
    struct LeftSide {
        run::RunId run{};
        std::int64_t step = -1;
        HeadChoice head{};
        std::int64_t layers = 0; ///< 0: nothing is on view.
        std::int64_t heads = 0;
        bool isComparing = false;
    };

    CompareMenu(const RunCollection *collection, std::function<LeftSide()> left, QWidget *parent);

    /// The heads chosen on the page of the circuit, and how they are removed there.
    void setCircuitHeads(const circuit::Intervention &intervention)
    {
        m_circuitHeads = intervention;
        m_removal = intervention.removal;
    }

Q_SIGNALS:
    void chosen(const lookback::ui::CompareChoice &choice);
    void endAsked();

private:
    void fill();
    void fillRuns(QMenu *menu, const LeftSide &left);
    void fillCheckpoints(QMenu *menu, const LeftSide &left);
    void fillHeads(QMenu *menu, const LeftSide &left);
    void chooseHeads(const LeftSide &left);

    const RunCollection *m_collection;
    std::function<LeftSide()> m_left;
    circuit::Intervention m_circuitHeads;
    circuit::Removal m_removal = circuit::Removal::Zero; ///< Chosen last.
};

} // namespace lookback::ui
