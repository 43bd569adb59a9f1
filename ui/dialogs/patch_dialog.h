// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <memory>
#include <optional>
#include <vector>

#include "core/circuit/patching.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace lookback::ui {

class BusyStrip;
class PrimaryButton;

/// Asks what of some heads is taken from another sequence, and says how much of the answer moves.
class PatchDialog : public QDialog {
    Q_OBJECT

public:
    explicit PatchDialog(QWidget *parent = nullptr);

    /// What the fields begin with; its heads are those that can be patched together (none: each head alone).
    void setRequest(const circuit::PatchRequest &request, std::int64_t mostKeys);
    /// What the fields ask for.
    circuit::PatchRequest request() const;
    /// Null: not known. `failure`: why there is nothing.
    void setResult(std::shared_ptr<const circuit::PatchResult> result, bool isPending, const QString &failure);
    /// What is under way, in words; `fraction` 0..1.
    void setProgress(const QString &words, std::optional<double> fraction);

Q_SIGNALS:
    void asked(const lookback::circuit::PatchRequest &request);
    void cancelAsked();
    /// The user wants these heads to be the chosen ones.
    void headsChosen(const std::vector<lookback::circuit::HeadId> &heads);

private:
    void showResult();
    void fillTable();
    /// As high as the words need, so that nothing is squeezed.
    void fitHeight();
    void chooseRows();

    QComboBox *m_difference;
    QComboBox *m_part;
    QComboBox *m_heads;
    QSpinBox *m_keys;
    QSpinBox *m_sequences;
    PrimaryButton *m_patch;
    BusyStrip *m_busy;
    QLabel *m_headline;
    QLabel *m_interval;
    QLabel *m_pairs;
    QTableWidget *m_table;
    QPushButton *m_choose;

    std::vector<circuit::HeadId> m_chosen;
    std::shared_ptr<const circuit::PatchResult> m_result;
    bool m_isPending = false;
    bool m_isFocusLent = false; ///< Patch had it before it was disabled.
    QString m_failure;
};

/// "86 %", "−2 %": a share that may leave 0..1.
QString movedText(double share);
/// Whether what moves differs from nothing by two standard errors or more.
bool isMoved(const circuit::Measured &moved);
/// "95 % interval 82 to 90 %, over 48 pairs; in 46 of them the answer becomes that of B."; begins with "Not
/// distinguishable here" where it is not.
QString patchText(const circuit::PatchEffect &effect, std::int64_t pairs);

} // namespace lookback::ui
