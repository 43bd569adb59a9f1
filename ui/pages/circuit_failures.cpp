// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/circuit_failures.h"

#include <algorithm>

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/charts/bar_histogram.h"
#include "ui/charts/number_text.h"
#include "ui/pages/attention_page_answers.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString tokenText(int token)
{
    return QString(QLatin1Char(task::tokenCharacter(token)));
}

QString keyDigits(std::int64_t key, std::size_t digits)
{
    return u"%1"_s.arg(key, static_cast<int>(digits), 10, QLatin1Char('0'));
}

} // namespace

void FailureModel::setFailures(std::shared_ptr<const circuit::Failures> failures)
{
    beginResetModel();
    m_failures = std::move(failures);
    endResetModel();
}

int FailureModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_failures ? 0 : static_cast<int>(m_failures->list.size());
}

int FailureModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FailureModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_failures)
        return {};
    const circuit::WrongDigit &wrong = at(index.row());
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return tr("Double-click or Enter: look at this example");
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    const bool isSort = role == SortRole;
    const std::size_t digits = m_failures->byKeyDistance.empty() ? 1 : m_failures->byKeyDistance.size() - 1;
    switch (index.column()) {
    case Sequence:
        return isSort ? QVariant::fromValue<qlonglong>(wrong.sequence) : QVariant(countText(wrong.sequence));
    case Key:
        return keyDigits(wrong.key, digits);
    case Digit:
        return isSort ? QVariant::fromValue<qlonglong>(wrong.digit) : QVariant(ordinalShort(wrong.digit));
    case Truth:
        return tokenText(wrong.truth);
    case Predicted:
        return tokenText(wrong.predicted);
    case From:
        return wrong.from ? keyDigits(wrong.from->key, digits) : tr("unknown");
    case Differs:
        if (isSort)
            return wrong.from ? QVariant::fromValue<qlonglong>(wrong.from->keyDistance) : QVariant(-1);
        return wrong.from ? QString::number(wrong.from->keyDistance) : u"–"_s;
    case Margin:
        return isSort ? QVariant(wrong.margin) : QVariant(QString::number(wrong.margin, 'f', 2));
    case Probability:
        return isSort ? QVariant(wrong.probability) : QVariant(QString::number(wrong.probability, 'f', 3));
    case Back:
        return isSort ? QVariant::fromValue<qlonglong>(wrong.entry - wrong.firstEntry)
                      : QVariant(countText(wrong.entry - wrong.firstEntry));
    default:
        return {};
    }
}

QVariant FailureModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Sequence:
            return tr("Number of the evaluation sequence");
        case Probability:
            return tr("Probability of the true digit");
        case From:
            return tr("Key of the earlier entry with the predicted digit on which the retrieval heads put most weight");
        case Differs:
            return tr("Digits in which that key differs from the asked one; 0 = the right key");
        case Margin:
            return tr("Logit of the predicted token less that of the true one, nats");
        case Back:
            return tr("Entries back to the first occurrence of the asked key");
        default:
            return {};
        }
    }
    if (role != Qt::DisplayRole)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("Seq."),    QT_TR_NOOP("Key"),       QT_TR_NOOP("Digit"),
                                          QT_TR_NOOP("Truth"),   QT_TR_NOOP("Predicted"), QT_TR_NOOP("From key"),
                                          QT_TR_NOOP("Differs"), QT_TR_NOOP("Margin"),    QT_TR_NOOP("P(truth)"),
                                          QT_TR_NOOP("Back")};
    return section >= 0 && section < ColumnCount ? tr(kTitles[section]) : QVariant();
}

FailuresPanel::FailuresPanel(QWidget *parent)
    : QWidget(parent), m_model(new FailureModel(this)), m_view(new QTableView(this)),
      m_byDistance(new BarHistogram(this)), m_byPlace(new BarHistogram(this)), m_stack(new QStackedWidget(this)),
      m_why(new QLabel(this)), m_ask(new QPushButton(tr("Collect wrong answers"), this))
{
    setObjectName(u"failuresPanel"_s);
    auto *proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(m_model);
    proxy->setSortRole(FailureModel::SortRole);
    m_view->setObjectName(u"failureTable"_s);
    m_view->setAccessibleName(tr("Wrong digits"));
    m_view->setModel(proxy);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(FailureModel::Sequence, Qt::AscendingOrder);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setAlternatingRowColors(true);
    m_view->setShowGrid(false);
    m_view->setTabKeyNavigation(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(std::max(24, fontMetrics().height() + 6));
    m_view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_byDistance->setObjectName(u"failuresByDistance"_s);
    m_byPlace->setObjectName(u"failuresByPlace"_s);
    m_ask->setObjectName(u"collectFailures"_s);
    m_why->setObjectName(u"failuresWhy"_s);
    m_why->setAlignment(Qt::AlignCenter);
    m_why->setWordWrap(true);
    m_why->setForegroundRole(QPalette::PlaceholderText);

    auto *empty = new QWidget(this);
    empty->setBackgroundRole(QPalette::Base);
    empty->setAutoFillBackground(true);
    auto *emptyColumn = new QVBoxLayout(empty);
    emptyColumn->addStretch(1);
    emptyColumn->addWidget(m_why);
    emptyColumn->addWidget(m_ask, 0, Qt::AlignHCenter);
    emptyColumn->addStretch(1);
    auto *found = new QWidget(this);
    auto *row = new QHBoxLayout(found);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(1);
    row->addWidget(m_view, 5);
    row->addWidget(m_byDistance, 2);
    row->addWidget(m_byPlace, 2);
    m_stack->addWidget(empty);
    m_stack->addWidget(found);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_stack);

    connect(m_ask, &QPushButton::clicked, this, &FailuresPanel::asked);
    connect(m_view, &QTableView::activated, this, [this, proxy](const QModelIndex &index) {
        Q_EMIT exampleChosen(m_model->at(proxy->mapToSource(index).row()));
    });
    setFailures({}, false, {});
}

void FailuresPanel::setFailures(std::shared_ptr<const circuit::Failures> failures, bool isPending,
                                const QString &failure)
{
    m_model->setFailures(failures);
    m_stack->setCurrentIndex(failures ? 1 : 0);
    m_ask->setVisible(!isPending);
    m_why->setText(!failure.isEmpty() ? failure
                       : isPending    ? tr("Wrong answers are being collected.")
                                      : tr("Every wrong digit with the entry that it was taken from will be here."));
    if (!failures) {
        m_summary.clear();
        return;
    }
    m_summary = tr("%1 of %2 answers wrong; %3 sequences, n = %4")
                    .arg(countText(failures->wrongAnswers), countText(failures->answers),
                         countText(failures->request.sequences))
                    .arg(failures->request.n_keys);
    std::vector<BarHistogram::Bar> byDistance;
    const std::int64_t known = failures->wrongDigits - failures->unknownOrigin;
    for (std::size_t i = 0; i < failures->byKeyDistance.size(); ++i) {
        BarHistogram::Bar bar{.label = i == 0 ? tr("0, right key") : QString::number(i),
                              .brief = QString::number(i),
                              .text = countText(failures->byKeyDistance[i]),
                              .value = static_cast<double>(failures->byKeyDistance[i]),
                              .expected = {}};
        if (i < failures->expectedByKeyDistance.size() && i > 0)
            bar.expected = failures->expectedByKeyDistance[i] * static_cast<double>(known);
        byDistance.push_back(std::move(bar));
    }
    byDistance.push_back({.label = tr("unknown"),
                          .brief = u"?"_s,
                          .text = countText(failures->unknownOrigin),
                          .value = static_cast<double>(failures->unknownOrigin),
                          .expected = {}});
    m_byDistance->setBars(tr("Differing key digits"), tr("wrong digits; dashed: an entry at random"),
                          std::move(byDistance));
    std::vector<BarHistogram::Bar> byPlace;
    for (std::size_t i = 0; i < failures->byPlace.size(); ++i) {
        const circuit::FailureCount &count = failures->byPlace[i];
        const double share =
            count.asked > 0 ? static_cast<double>(count.wrong) / static_cast<double>(count.asked) : 0.0;
        byPlace.push_back(
            {.label = QString::number((i + 1) * 10),
             .text = count.asked > 0 ? QString::number(100.0 * share, 'f', share < 0.095 ? 1 : 0) : u"–"_s,
             .value = share,
             .expected = {}});
    }
    m_byPlace->setBars(tr("Place in the context"), tr("% wrong, by the place of the asked entry in %"),
                       std::move(byPlace));
}

} // namespace lookback::ui
