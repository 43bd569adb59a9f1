// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/access/speaking.h"

#include <QAccessibleWidget>
#include <QWidget>

namespace lookback::ui {

namespace {

class SpeakingInterface : public QAccessibleWidget {
public:
    SpeakingInterface(QWidget *widget, const Speaking *speaking)
        : QAccessibleWidget(widget, speaking->spokenRole()), m_speaking(speaking)
    {
    }

    QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Value)
            return m_speaking->spokenValue();
        if (const QString description = m_speaking->spokenDescription();
            kind == QAccessible::Description && !description.isEmpty())
            return description;
        if (kind == QAccessible::Help)
            return m_speaking->spokenHelp();
        return QAccessibleWidget::text(kind);
    }

private:
    const Speaking *m_speaking; // the widget itself: lives as long as it
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *widget = qobject_cast<QWidget *>(object);
    const auto *speaking = dynamic_cast<const Speaking *>(object);
    return widget && speaking ? new SpeakingInterface(widget, speaking) : nullptr; // Qt's cache owns and deletes it
}

} // namespace

Speaking::Speaking()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(isInstalled)
}

void Speaking::announceValue(QWidget *widget, const QString &value)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleValueChangeEvent event(widget, value);
    QAccessible::updateAccessibility(&event);
}

} // namespace lookback::ui
