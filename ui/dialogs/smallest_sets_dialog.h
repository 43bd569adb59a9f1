// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <vector>

#include "core/circuit/knockout.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace lookback::ui {

/// The searches for few heads without which retrieval is gone and few that alone keep it, with their paths. Filled as
/// the search goes on.
class SmallestSetsDialog : public QDialog {
    Q_OBJECT

public:
    explicit SmallestSetsDialog(QWidget *parent = nullptr);

    /// What is searched for, at which step; `pageSequences`: what the page measures over.
    void setRequest(const circuit::SearchRequest &request, std::int64_t step, std::int64_t pageSequences);
    /// Null: nothing known yet. `failure`: why the search ended without an answer.
    void setSets(std::shared_ptr<const circuit::SmallestSets> sets, bool isPending, const QString &failure);

Q_SIGNALS:
    /// The user wants these heads removed.
    void headsChosen(const std::vector<lookback::circuit::HeadId> &heads);

private:
    std::vector<circuit::HeadId> breaking() const;
    std::vector<circuit::HeadId> spared() const;

    std::shared_ptr<const circuit::SmallestSets> m_sets;
    QLabel *m_conditions;
    QLabel *m_breakingWords;
    QTableWidget *m_breaking;
    QPushButton *m_removeBreaking;
    QLabel *m_sparingWords;
    QTableWidget *m_sparing;
    QPushButton *m_keepOnly;
};

} // namespace lookback::ui
