// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QString>

class QWidget;

namespace lookback::ui {

/// A widget that draws itself and tells screen readers what it shows. The name comes from QWidget.
class Speaking {
public:
    /// Makes assistive technology see Speaking widgets; done once, before the first of them is shown.
    Speaking();
    virtual ~Speaking() = default;

    virtual QAccessible::Role spokenRole() const = 0;
    /// What is shown now, as a sentence.
    virtual QString spokenValue() const = 0;
    /// What there is to see, in words; empty = the widget's accessibleDescription.
    virtual QString spokenDescription() const { return {}; }
    /// The keys, as a sentence.
    virtual QString spokenHelp() const { return {}; }

protected:
    /// Tells assistive technology that spokenValue changed.
    static void announceValue(QWidget *widget, const QString &value);
};

} // namespace lookback::ui
