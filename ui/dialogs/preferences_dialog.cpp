// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/preferences_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/settings/settings.h"
#include "ui/widgets/folder_answer.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

PreferencesDialog::PreferencesDialog(Settings *settings, int cores, QWidget *parent)
    : QDialog(parent), m_settings(settings), m_folder(new QLineEdit(settings->runsFolder.value(), this)),
      m_parallel(new QSpinBox(this)),
      m_alert(new QCheckBox(tr("&Tell me when a run ends while I look elsewhere"), this)),
      m_awake(new QCheckBox(tr("&Keep the computer awake while runs train"), this))
{
    setObjectName(u"preferences"_s);
    setWindowTitle(tr("Preferences"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto *browse = new QPushButton(tr("&Choose…"), this);
    connect(browse, &QPushButton::clicked, this, &PreferencesDialog::browse);
    auto *folderRow = new QHBoxLayout;
    folderRow->setSpacing(8);
    folderRow->addWidget(m_folder, 1);
    folderRow->addWidget(browse);
    m_parallel->setRange(0, 64);
    m_parallel->setValue(settings->parallelRuns.value());
    m_parallel->setSpecialValueText(tr("as many as cores (%1)").arg(cores));
    m_parallel->setToolTip(tr("Further runs wait in line. More at once than there are cores make all of them slower."));
    m_alert->setToolTip(tr("Marks the window on the task bar; after more than a minute also a notification"));
    m_awake->setToolTip(tr("It does not go to sleep by itself then; the screen may still switch off"));
    m_awake->setChecked(settings->keepsAwake.value());
    m_alert->setChecked(settings->alertsAtEnd.value());

    auto *form = new QFormLayout;
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(8);
    auto *folderLabel = new QLabel(tr("Runs &folder"), this);
    folderLabel->setBuddy(m_folder);
    form->addRow(folderLabel, folderRow);
    auto *folderNote = makeNote(this);
    folderNote->setText(tr("Each run has a folder of its own in it. Runs that train now stay where they are."));
    form->addRow({}, folderNote);
    form->addRow(tr("Runs at &once"), m_parallel);
    form->addRow({}, m_alert);
    form->addRow({}, m_awake);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &PreferencesDialog::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(12);
    column->addLayout(form);
    column->addStretch(1);
    column->addWidget(buttons);
    buttons->button(QDialogButtonBox::Ok)->setDefault(true); // else it would be the first button, "Choose…"
    resize(560, sizeHint().height());
}

void PreferencesDialog::browse()
{
    const QString folder = m_folder->text();
    whenPathIsKnown(folder, this, [this, folder](PathKind kind) {
        const QString start = kind == PathKind::Folder ? folder : QDir::homePath();
        auto *dialog = new QFileDialog(this, tr("Choose the runs folder"), start);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::Directory);
        connect(dialog, &QFileDialog::fileSelected, m_folder, &QLineEdit::setText);
        dialog->open();
    });
}

void PreferencesDialog::take()
{
    const QString folder = QDir::cleanPath(m_folder->text().trimmed());
    if (!folder.isEmpty() && folder != m_settings->runsFolder.value()) {
        m_settings->runsFolder.setValue(folder);
        Q_EMIT runsFolderChosen(folder);
    }
    if (m_parallel->value() != m_settings->parallelRuns.value()) {
        m_settings->parallelRuns.setValue(m_parallel->value());
        Q_EMIT parallelRunsChosen(m_parallel->value());
    }
    m_settings->alertsAtEnd.setValue(m_alert->isChecked());
    m_settings->keepsAwake.setValue(m_awake->isChecked());
    accept();
}

} // namespace lookback::ui
