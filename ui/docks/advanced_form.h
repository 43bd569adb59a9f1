// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <map>
#include <string>

#include "core/config.h"

namespace lookback::ui {

class FieldEdit;

/// A line edit for each field of RunConfig that the experiment panel does not show elsewhere, in groups.
class AdvancedForm : public QWidget {
    Q_OBJECT

public:
    explicit AdvancedForm(QWidget *parent = nullptr);

    /// By the field's name.
    const std::map<std::string, FieldEdit *> &edits() const { return m_edits; }

    /// A field edit with tooltip, accessible name and object name for a field; for fields shown outside of the form
    /// too.
    static FieldEdit *makeEdit(const ConfigField &field, QWidget *parent, bool hasUnit = true);

Q_SIGNALS:
    void edited(const QString &field, const QString &text);

private:
    std::map<std::string, FieldEdit *> m_edits;
};

/// "Head count" -> QString; core's texts are UTF-8 views.
QString fromView(std::string_view text);

} // namespace lookback::ui
