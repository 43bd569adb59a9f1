// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/question.h"

#include <QMessageBox>

#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

QMessageBox *makeQuestion(const QString &name, const QString &title, const QString &text, QWidget *parent)
{
    auto *question = new QMessageBox(QMessageBox::Question, title, text, QMessageBox::NoButton, parent);
    question->setObjectName(name);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setIconPixmap(icon("help"_L1).pixmap(QSize(32, 32), question->devicePixelRatioF()));
    return question;
}

} // namespace lookback::ui
