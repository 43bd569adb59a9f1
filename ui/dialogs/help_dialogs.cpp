// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/help_dialogs.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/actions/action_set.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tr(const char *text, const char *comment = nullptr)
{
    return QCoreApplication::translate("HelpDialogs", text, comment);
}

QDialog *makeDialog(const QString &name, const QString &title, QWidget *content, QWidget *parent)
{
    auto *dialog = new QDialog(parent);
    dialog->setObjectName(name);
    dialog->setWindowTitle(title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto *column = new QVBoxLayout(dialog);
    column->setContentsMargins(12, 12, 12, 12);
    column->setSpacing(8);
    column->addWidget(content, 1);
    column->addWidget(buttons);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    return dialog;
}

void addShortcut(QTreeWidgetItem *group, const QString &keys, const QString &what)
{
    new QTreeWidgetItem(group, {what, keys});
}

} // namespace

QDialog *makeGuide(QWidget *parent)
{
    auto *browser = new QTextBrowser;
    browser->setAccessibleName(tr("Guide"));
    browser->setOpenExternalLinks(true);
    hasIcon("help"_L1); // registers the resources
    QFile file(u":/help/guide.html"_s);
    if (file.open(QIODevice::ReadOnly))
        browser->setHtml(QString::fromUtf8(file.readAll()));
    QDialog *dialog = makeDialog(u"guide"_s, tr("Guide"), browser, parent);
    dialog->resize(640, 600);
    return dialog;
}

QDialog *makeShortcutList(QWidget *parent)
{
    auto *list = new QTreeWidget;
    list->setAccessibleName(tr("Keyboard shortcuts"));
    list->setHeaderLabels({tr("Action"), tr("Keys")});
    list->setRootIsDecorated(false);
    list->setItemsExpandable(false);
    list->setAlternatingRowColors(true);
    list->setUniformRowHeights(true);
    QTreeWidgetItem *group = nullptr;
    std::optional<Menu> menu;
    const auto begin = [&](const QString &title) {
        group = new QTreeWidgetItem(list, {title});
        QFont bold = list->font();
        bold.setWeight(QFont::DemiBold);
        group->setFont(0, bold);
        group->setFlags(Qt::ItemIsEnabled);
    };
    for (const ActionRow &row : actionTable()) {
        if (row.shortcuts.isEmpty())
            continue;
        if (menu != row.menu) {
            menu = row.menu;
            begin(withoutMnemonic(QCoreApplication::translate("Actions", menuTitle(row.menu))));
        }
        QStringList keys;
        for (const QKeySequence &key : row.shortcuts)
            keys.append(key.toString(QKeySequence::NativeText));
        addShortcut(group, keys.join(u", "_s), withoutMnemonic(QCoreApplication::translate("Actions", row.text)));
    }
    begin(tr("In charts"));
    addShortcut(group, tr("Left, Right"), tr("Move the read-out to the next logged step"));
    addShortcut(group, tr("Home, End"), tr("Read-out at the first or last step"));
    addShortcut(group, tr("+, −, 0"), tr("Zoom in, zoom out, show everything"));
    addShortcut(group, tr("Shift+arrows"), tr("Pan"));
    addShortcut(group, tr("Esc"), tr("Give up the zoom box, hide the read-out"));
    begin(tr("In heat maps"));
    addShortcut(group, tr("Arrows"), tr("Move the query and the key"));
    addShortcut(group, tr("Page Up, Page Down, Home, End"), tr("Jump"));
    addShortcut(group, tr("+, −"), tr("Zoom"));
    addShortcut(group, tr("[ and ]"), tr("Previous and next head"));
    addShortcut(group, tr("Enter"), tr("Pin the cell"));
    begin(tr("In lists"));
    addShortcut(group, tr("Space"), tr("Tick a variant, show or hide a curve"));
    list->expandAll();
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    list->header()->setStretchLastSection(false);
    QDialog *dialog = makeDialog(u"shortcut-list"_s, tr("Keyboard shortcuts"), list, parent);
    dialog->resize(560, 600);
    return dialog;
}

QDialog *makeAbout(const MachineInfo &machine, QWidget *parent)
{
    auto *page = new QWidget;
    auto *row = new QHBoxLayout(page);
    row->setContentsMargins(4, 4, 4, 4);
    row->setSpacing(16);
    auto *picture = new QLabel(page);
    picture->setPixmap(applicationIcon().pixmap(QSize(64, 64), parent ? parent->devicePixelRatioF() : 1.0));
    row->addWidget(picture, 0, Qt::AlignTop);
    auto *text = new QLabel(page);
    text->setTextFormat(Qt::RichText);
    text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    text->setWordWrap(true);
    text->setText(tr("<h3>Lookback %1</h3><p>A lab for attention designs that retrieve from contexts longer than they "
                     "were trained on.</p><p>LibTorch %2, Qt %3 with Qt Charts.</p><p>Free software under the GNU "
                     "General Public License, version 3 or later. It comes without any warranty.</p><p>The experiment "
                     "and the published curves are those of the preprint \"Taking Attention Out of Context\", July "
                     "2026.</p>")
                      .arg(QString::fromStdString(machine.programVersion),
                           QString::fromStdString(machine.libtorchVersion), QLatin1StringView(qVersion())));
    row->addWidget(text, 1);
    QDialog *dialog = makeDialog(u"about"_s, tr("About Lookback"), page, parent);
    dialog->resize(480, 300);
    return dialog;
}

} // namespace lookback::ui
