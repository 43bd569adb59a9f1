// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the accuracy page shows: its figure, its view and the history of that, what is remembered.
#include <QCheckBox>
#include <QEvent>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>

#include "ui/dialogs/numbers_dialog.h"
#include "ui/pages/accuracy_page.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

void AccuracyPage::showNumbers()
{
    if (const std::unique_ptr<Figure> shown = figure()) {
        auto *dialog = new NumbersDialog(*shown, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    }
}

std::unique_ptr<Figure> AccuracyPage::figure() const
{
    AccuracyFigureInput input;
    input.curves = shownCurves();
    if (input.curves.empty())
        return nullptr;
    input.isErrorRate = m_isErrorRate;
    input.hasIntervals = m_intervals->isChecked();
    input.hasLabels = m_labels->isChecked();
    if (!m_view->isFollowing())
        input.tokens = m_view->range();
    input.share = m_chart->heldYRange();
    return makeAccuracyFigure(std::move(input));
}

void AccuracyPage::zoomIn()
{
    m_chart->zoom(0.8);
}

void AccuracyPage::zoomOut()
{
    m_chart->zoom(1.25);
}

void AccuracyPage::zoomToFit()
{
    m_chart->zoomToFit();
}

AccuracyPage::View AccuracyPage::currentView() const
{
    return {m_view->isFollowing(), m_view->range(), m_chart->heldYRange()};
}

void AccuracyPage::applyView(const View &view)
{
    if (view.isFollowing) {
        m_chart->holdYRange({});
        m_view->setFollowing(true);
    } else {
        m_view->setRange(view.tokens);
        m_chart->holdYRange(view.share);
    }
    Q_EMIT abilitiesChanged();
}

void AccuracyPage::goBack()
{
    if (m_history.canGoBack())
        applyView(m_history.back());
}

void AccuracyPage::goForward()
{
    if (m_history.canGoForward())
        applyView(m_history.forward());
}

QVariantMap AccuracyPage::viewState() const
{
    QStringList hidden;
    for (const auto &[key, isShown] : m_switched) {
        if (!isShown && key.startsWith("published/"_L1))
            hidden << key;
    }
    return {{u"errorRate"_s, m_isErrorRate},      {u"intervals"_s, m_intervals->isChecked()},
            {u"labels"_s, m_labels->isChecked()}, {u"seedBands"_s, m_seeds->isChecked()},
            {u"hiddenPublished"_s, hidden},       {u"splitter"_s, m_splitter->saveState()}};
}

void AccuracyPage::restoreViewState(const QVariantMap &state)
{
    (state.value(u"errorRate"_s, false).toBool() ? m_error : m_exact)->setChecked(true);
    m_intervals->setChecked(state.value(u"intervals"_s, true).toBool());
    m_labels->setChecked(state.value(u"labels"_s, true).toBool());
    m_seeds->setChecked(state.value(u"seedBands"_s, false).toBool());
    for (const QString &key : state.value(u"hiddenPublished"_s).toStringList())
        m_switched[key] = false;
    m_splitter->restoreState(state.value(u"splitter"_s).toByteArray());
    rebuild();
}

void AccuracyPage::showEvent(QShowEvent *event)
{
    Page::showEvent(event);
    if (m_isStale)
        rebuild();
}

void AccuracyPage::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        noteChange();
    Page::changeEvent(event);
}

} // namespace lookback::ui
