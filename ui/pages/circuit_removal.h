// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>
#include <vector>

#include "core/circuit/knockout.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace lookback::ui {

class CircuitExample;
class ToggleButton;

/// The right side of the circuit page: what removing the chosen heads does to exact match and to one example.
class RemovalPanel : public QWidget {
    Q_OBJECT

public:
    explicit RemovalPanel(QWidget *parent = nullptr);

    void setChosen(const std::vector<circuit::HeadId> &chosen);
    void setRemoval(circuit::Removal removal);
    circuit::Removal removal() const;
    /// Null: not known. `isCurrent` false: of a former choice, shown paler; `failure`: why there is nothing.
    void setEffect(std::shared_ptr<const circuit::Knockout> effect, bool isCurrent, bool isPending,
                   const QString &failure);
    CircuitExample *example() const { return m_example; }
    bool isAdding() const;

Q_SIGNALS:
    void removalChosen(lookback::circuit::Removal removal);
    void addingChanged(bool isAdding);
    void setsAsked();
    void patchAsked();
    void clearAsked();

private:
    void refreshEffect();

    QLabel *m_title;
    QLabel *m_heads;
    QComboBox *m_removal;
    ToggleButton *m_add;
    QToolButton *m_clear;
    QPushButton *m_sets;
    QPushButton *m_patch;
    QWidget *m_results;
    QLabel *m_result;
    QLabel *m_interval;
    QLabel *m_answers;
    CircuitExample *m_example;

    std::vector<circuit::HeadId> m_chosen;
    std::shared_ptr<const circuit::Knockout> m_effect;
    bool m_isCurrent = false;
    bool m_isPending = false;
    QString m_failure;
};

/// "p < 0.001", "p = 0.034".
QString pText(double p);
/// "−61.5 points, paired 95 % interval −63.7 to −59.3 (256 sequences)", or that it is not distinguishable here.
QString effectText(const circuit::KnockoutPoint &point);

} // namespace lookback::ui
