// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUndoCommand>

#include <functional>
#include <utility>

#include "ui/settings/experiment_setup.h"

namespace lookback::ui {

/// One change of the set-up: whole values before and after. Changes of the same field in a row become one.
class SetupCommand : public QUndoCommand {
public:
    using Apply = std::function<void(const ExperimentSetup &)>;

    /// `field`: what was changed ("window"); empty = never merged. `text`: "set window to 10", after "Undo: ".
    SetupCommand(ExperimentSetup before, ExperimentSetup after, QString field, const QString &text, Apply apply)
        : QUndoCommand(text), m_before(std::move(before)), m_after(std::move(after)), m_field(std::move(field)),
          m_apply(std::move(apply))
    {
    }

    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }
    int id() const override { return m_field.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand *other) override
    {
        const auto *next = static_cast<const SetupCommand *>(other); // the same id
        if (next->m_field != m_field)
            return false;
        m_after = next->m_after;
        setText(next->text());
        setObsolete(m_after == m_before);
        return true;
    }

private:
    ExperimentSetup m_before;
    ExperimentSetup m_after;
    QString m_field;
    Apply m_apply;
};

} // namespace lookback::ui
