// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>
#include <vector>

#include "core/circuit/knockout.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace lookback::ui {

class MapThumbnail;

/// One answer of one evaluation sequence: what the model predicts, intact and without the chosen heads, and the map of
/// the last chosen head with the places where the digits stand.
class CircuitExample : public QWidget {
    Q_OBJECT

public:
    explicit CircuitExample(QWidget *parent = nullptr);

    /// None chosen: only the intact model is shown.
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    /// Null: not known. `isCurrent` false: of a former question, shown paler; `failure`: why there is nothing.
    void setExample(std::shared_ptr<const circuit::ExampleUnder> example, bool isCurrent, const QString &failure);
    /// Of the intact model. Null: not known, or not asked for (`note` may say why).
    void setMap(std::shared_ptr<const analysis::HeadMap> map, bool isCurrent, const QString &note);
    std::int64_t sequence() const;
    void setSequence(std::int64_t sequence);

Q_SIGNALS:
    void sequenceChosen(qint64 sequence);
    /// The user wants to see the example in full, at that entry.
    void exampleChosen(qint64 entry);

protected:
    void changeEvent(QEvent *event) override;

private:
    const analysis::Answer *answer() const; ///< Of the intact model; null if there is none.
    void refresh();
    void fillTable();
    void refreshMap();
    void stepAnswer(int step);

    QSpinBox *m_sequence;
    QPushButton *m_previous;
    QPushButton *m_next;
    QTableWidget *m_table;
    QLabel *m_note;
    QWidget *m_mapBox;
    MapThumbnail *m_map;
    QLabel *m_mapTitle;
    QLabel *m_mapWords;

    std::vector<circuit::HeadId> m_chosen;
    std::shared_ptr<const circuit::ExampleUnder> m_example;
    bool m_isCurrent = false;
    QString m_failure;
    bool m_isMapCurrent = false;
    QString m_mapNote;
    std::size_t m_answer = 0;
};

} // namespace lookback::ui
