// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/numbers_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/figures/figure.h"
#include "ui/models/csv_model.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

NumbersDialog::NumbersDialog(const Figure &figure, QWidget *parent)
    : QDialog(parent), m_csv(figure.csv()), m_table(new QTableView)
{
    setObjectName(u"numbersDialog"_s);
    setWindowTitle(tr("Numbers: %1").arg(figure.title()));
    resize(900, 560);

    auto *model = new CsvModel(m_csv, this);
    auto *sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(model);
    sorted->setSortRole(CsvModel::SortRole);
    m_table->setObjectName(u"numbersTable"_s);
    m_table->setAccessibleName(windowTitle());
    m_table->setModel(sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->verticalHeader()->hide();
    // By the first rows: looking at every row of a long log would take seconds.
    m_table->horizontalHeader()->setResizeContentsPrecision(50);
    m_table->resizeColumnsToContents();

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton *copy = buttons->addButton(tr("&Copy as CSV"), QDialogButtonBox::ActionRole);
    copy->setObjectName(u"copyCsvButton"_s);
    connect(copy, &QPushButton::clicked, this, &NumbersDialog::copyAll);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_table);
    layout->addWidget(buttons);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    m_table->setFocus();
}

void NumbersDialog::copyAll() const
{
    QApplication::clipboard()->setText(m_csv);
}

} // namespace lookback::ui
