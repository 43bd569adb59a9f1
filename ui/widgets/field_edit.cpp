// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/field_edit.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

CheckedLineEdit::CheckedLineEdit(QWidget *parent)
    : QLineEdit(parent), m_mark(addAction(icon("error"_L1, IconRole::Wrong), TrailingPosition))
{
    m_mark->setVisible(false);
}

void CheckedLineEdit::setRefused(bool isRefused)
{
    if (m_isRefused == isRefused)
        return;
    m_isRefused = isRefused;
    m_mark->setVisible(isRefused);
    update();
}

void CheckedLineEdit::paintEvent(QPaintEvent *event)
{
    QLineEdit::paintEvent(event);
    if (!m_isRefused)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::forPalette(palette()).wrong, hasFocus() ? 2.0 : 1.0));
    const qreal inset = hasFocus() ? 1.0 : 0.5;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 2, 2);
}

FieldEdit::FieldEdit(const QString &unit, QWidget *parent)
    : QWidget(parent), m_edit(new CheckedLineEdit(this)), m_problem(makeNote(this))
{
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_edit, 1);
    if (!unit.isEmpty()) {
        auto *unitLabel = makeNote(this);
        unitLabel->setText(unit);
        unitLabel->setWordWrap(false);
        row->addWidget(unitLabel);
    }
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(row);
    column->addWidget(m_problem);
    m_problem->hide();
    setFocusProxy(m_edit);
    connect(m_edit, &QLineEdit::textEdited, this, &FieldEdit::edited);
}

void FieldEdit::setText(const QString &text)
{
    if (m_edit->text() == text)
        return;
    m_edit->setText(text);
    if (!m_edit->hasFocus())
        m_edit->setCursorPosition(0);
}

void FieldEdit::setProblem(const QString &sentence)
{
    m_edit->setRefused(!sentence.isEmpty());
    m_edit->setAccessibleDescription(sentence);
    if (m_problem->text() != sentence)
        m_problem->setText(sentence);
    setTone(m_problem, Tone::Wrong);
    m_problem->setHidden(sentence.isEmpty());
}

QString FieldEdit::problem() const
{
    return m_problem->isHidden() ? QString() : m_problem->text();
}

} // namespace lookback::ui
