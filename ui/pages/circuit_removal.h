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
class QSpinBox;
class QTableWidget;
class QToolButton;

namespace lookback::ui {

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
    void setExample(std::shared_ptr<const circuit::ExampleUnder> example, bool isCurrent, const QString &failure);
    std::int64_t sequence() const;
    void setSequence(std::int64_t sequence);
    bool isAdding() const;

Q_SIGNALS:
    void removalChosen(lookback::circuit::Removal removal);
    void addingChanged(bool isAdding);
    void setsAsked();
    void clearAsked();
    void sequenceChosen(qint64 sequence);

protected:
    void changeEvent(QEvent *event) override;

private:
    void refreshEffect();
    void refreshExample();
    void stepAnswer(int step);

    QLabel *m_title;
    QLabel *m_heads;
    QComboBox *m_removal;
    ToggleButton *m_add;
    QPushButton *m_sets;
    QToolButton *m_clear;
    QWidget *m_results;
    QLabel *m_result;
    QLabel *m_interval;
    QLabel *m_answers;
    QWidget *m_exampleBox;
    QSpinBox *m_sequence;
    QPushButton *m_previous;
    QPushButton *m_next;
    QTableWidget *m_table;
    QLabel *m_exampleNote;

    std::vector<circuit::HeadId> m_chosen;
    std::shared_ptr<const circuit::Knockout> m_effect;
    std::shared_ptr<const circuit::ExampleUnder> m_example;
    bool m_isCurrent = false;
    bool m_isPending = false;
    bool m_isExampleCurrent = false;
    QString m_failure;
    QString m_exampleFailure;
    std::size_t m_answer = 0;
};

/// "p < 0.001", "p = 0.034".
QString pText(double p);
/// "−61.5 points, paired 95 % interval −63.7 to −59.3 (256 sequences)", or that it is not distinguishable here.
QString effectText(const circuit::KnockoutPoint &point);

} // namespace lookback::ui
