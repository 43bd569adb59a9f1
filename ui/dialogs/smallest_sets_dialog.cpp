// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/smallest_sets_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QTableWidget *makePath(const QString &name, const QString &spoken, QWidget *parent)
{
    auto *table = new QTableWidget(0, 3, parent);
    table->setObjectName(name);
    table->setAccessibleName(spoken);
    table->setHorizontalHeaderLabels({SmallestSetsDialog::tr("Then without"), SmallestSetsDialog::tr("Exact match"),
                                      SmallestSetsDialog::tr("Change from intact")});
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setTabKeyNavigation(false);
    table->setFocusPolicy(Qt::NoFocus);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    for (int column = 0; column < 3; ++column)
        table->horizontalHeaderItem(column)->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight)
                                                              | Qt::AlignVCenter);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table->setMinimumSize(420, 140);
    return table;
}

void fill(QTableWidget *table, const std::vector<circuit::SearchStep> &path)
{
    table->setRowCount(static_cast<int>(path.size()));
    for (int row = 0; row < table->rowCount(); ++row) {
        const circuit::SearchStep &step = path[static_cast<std::size_t>(row)];
        const QString texts[] = {headName(step.head), percentText(step.point.accuracy),
                                 pointsText(step.difference.difference)};
        for (int column = 0; column < 3; ++column) {
            auto *item = new QTableWidgetItem(texts[column]);
            item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
            table->setItem(row, column, item);
        }
    }
    table->scrollToBottom();
}

QString namesOf(const std::vector<circuit::HeadId> &heads)
{
    QStringList names;
    for (const circuit::HeadId &id : heads)
        names << headName(id);
    return names.join(u", "_s);
}

} // namespace

SmallestSetsDialog::SmallestSetsDialog(QWidget *parent)
    : QDialog(parent), m_conditions(makeNote(this)), m_breakingWords(new QLabel(this)),
      m_breaking(makePath(u"breakingPath"_s, tr("Heads removed one after another until retrieval is gone"), this)),
      m_removeBreaking(new QPushButton(tr("Remove these heads"), this)), m_sparingWords(new QLabel(this)),
      m_sparing(makePath(u"sparingPath"_s, tr("Heads removed one after another while retrieval is kept"), this)),
      m_keepOnly(new QPushButton(tr("Remove all but those"), this))
{
    setObjectName(u"smallestSetsDialog"_s);
    setWindowTitle(tr("Smallest sets of heads"));
    m_removeBreaking->setObjectName(u"removeBreaking"_s);
    m_keepOnly->setObjectName(u"keepOnly"_s);
    m_conditions->setObjectName(u"setsConditions"_s);
    for (QLabel *label : {m_conditions, m_breakingWords, m_sparingWords})
        label->setWordWrap(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *note = makeNote(this);
    note->setText(tr("Found head by head, each time the best next one: a smaller set may exist."));
    auto *column = new QVBoxLayout(this);
    column->setSpacing(8);
    column->addWidget(m_conditions);
    column->addWidget(makeTitle(tr("Without these, retrieval is gone"), this));
    column->addWidget(m_breakingWords);
    column->addWidget(m_breaking, 1);
    column->addWidget(m_removeBreaking, 0, Qt::AlignLeft);
    column->addSpacing(8);
    column->addWidget(makeTitle(tr("These alone keep it"), this));
    column->addWidget(m_sparingWords);
    column->addWidget(m_sparing, 2);
    column->addWidget(m_keepOnly, 0, Qt::AlignLeft);
    column->addWidget(note);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_removeBreaking, &QPushButton::clicked, this, [this] { Q_EMIT headsChosen(breaking()); });
    connect(m_keepOnly, &QPushButton::clicked, this, [this] { Q_EMIT headsChosen(spared()); });
    setSets({}, true, {});
}

std::vector<circuit::HeadId> SmallestSetsDialog::breaking() const
{
    std::vector<circuit::HeadId> heads;
    for (std::size_t i = 0; m_sets && i < m_sets->breaking.size(); ++i)
        heads.push_back(m_sets->breaking[i].head);
    return heads;
}

std::vector<circuit::HeadId> SmallestSetsDialog::spared() const
{
    std::vector<circuit::HeadId> heads;
    for (std::size_t i = 0; m_sets && i < m_sets->sparing.size(); ++i)
        heads.push_back(m_sets->sparing[i].head);
    return heads;
}

void SmallestSetsDialog::setRequest(const circuit::SearchRequest &request, std::int64_t step,
                                    std::int64_t pageSequences)
{
    const QString sequences = request.sequences == pageSequences
        ? tr("%1 sequences").arg(countText(request.sequences))
        : tr("%1 sequences, as every step tries every head (the page: %2)")
              .arg(countText(request.sequences), countText(pageSequences));
    m_conditions->setText(
        tr("Step %1, n = %2, removed: %3; %4.", "step, keys, what removed heads do instead, sequences")
            .arg(countText(step), countText(request.n_keys), removalWords(request.removal), sequences));
}

void SmallestSetsDialog::setSets(std::shared_ptr<const circuit::SmallestSets> sets, bool isPending,
                                 const QString &failure)
{
    m_sets = std::move(sets);
    const std::vector<circuit::HeadId> gone = breaking();
    const QString waiting = !failure.isEmpty() ? failure : isPending ? tr("Being searched…") : tr("The search ended.");
    m_breakingWords->setText(
        gone.empty() ? waiting
            : m_sets->isBroken
            ? tr("%1: exact match falls from %2 to chance.").arg(namesOf(gone), percentText(m_sets->intact.accuracy))
            : tr("So far %1.").arg(namesOf(gone)));
    const bool isKept = m_sets && !m_sets->kept.empty() && !isPending;
    m_sparingWords->setText(isKept ? tr("%1: with every other head at its mean output, at least %2 of the intact exact "
                                        "match remains.")
                                         .arg(namesOf(m_sets->kept), percentText(m_sets->request.keptShare))
                                   : waiting);
    fill(m_breaking, m_sets ? m_sets->breaking : std::vector<circuit::SearchStep>());
    fill(m_sparing, m_sets ? m_sets->sparing : std::vector<circuit::SearchStep>());
    m_removeBreaking->setEnabled(!gone.empty());
    m_keepOnly->setEnabled(isKept && !m_sets->sparing.empty());
}

} // namespace lookback::ui
