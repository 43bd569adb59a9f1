// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include <vector>

#include "core/circuit/removal.h"

class QComboBox;
class QDialogButtonBox;

namespace lookback::ui {

class ToggleButton;

/// Asks which heads to remove, and how: a grid of buttons, a row a layer.
class ChooseHeadsDialog : public QDialog {
    Q_OBJECT

public:
    ChooseHeadsDialog(std::int64_t layers, std::int64_t heads, const circuit::Intervention &chosen,
                      QWidget *parent = nullptr);

    circuit::Intervention intervention() const;

Q_SIGNALS:
    void chosen(const lookback::circuit::Intervention &intervention);

private:
    void refresh();

    std::int64_t m_heads;
    std::vector<ToggleButton *> m_buttons; ///< By layer, then head.
    QComboBox *m_removal;
    QDialogButtonBox *m_answer;
};

} // namespace lookback::ui
