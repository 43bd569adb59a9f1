// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

#include "ui/models/accuracy_model.h"

class QComboBox;
class QLabel;

namespace lookback::ui {

/// What the comparison of two curves at one point says.
struct ComparisonText {
    QString text; ///< "n = 64: −0.43 points, 95 % interval −0.60 to −0.26"
    bool isDifference = false; ///< False: "no difference shown", or not comparable.
};

/// Paired on the same sequences: first minus second, at that context length. Says why not if they cannot be compared.
ComparisonText compareAt(const AccuracyFigureCurve &first, const AccuracyFigureCurve &second, std::int64_t tokens);

/// Two choosers of evaluated own curves and their paired comparison in words, at the pointer and at the longest common
/// context.
class ComparisonPanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonPanel(QWidget *parent = nullptr);

    /// Keeps what is chosen as far as it is still there.
    void setEntries(const std::vector<AccuracyModel::Entry> &own);
    void setContext(std::int64_t tokens);
    QStringList lines() const;

private:
    void compare();

    std::vector<AccuracyModel::Entry> m_entries;
    std::int64_t m_tokens = 0;
    QComboBox *m_first;
    QComboBox *m_second;
    QLabel *m_atPointer;
    QLabel *m_atLongest;
};

} // namespace lookback::ui
