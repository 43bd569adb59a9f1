// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and curves of the accuracy page.
#include <QCheckBox>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <cmath>

#include "ui/charts/number_text.h"
#include "ui/dialogs/evaluate_dialog.h"
#include "ui/dialogs/numbers_dialog.h"
#include "ui/pages/accuracy_page.h"
#include "ui/pages/comparison_panel.h"
#include "ui/pages/evaluation_panel.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString keyOf(const run::RunId &id, std::int64_t step)
{
    return QString::fromStdString(id) + u'@' + QString::number(step);
}

} // namespace

std::vector<AccuracyModel::Entry> AccuracyPage::ownEntries() const
{
    const Theme &theme = Theme::forPalette(palette());
    std::vector<AccuracyModel::Entry> entries;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->snapshot.isReadable)
            continue;
        AccuracyModel::Entry row;
        row.runId = QString::fromStdString(id);
        row.style = m_runs->styleOf(id, theme);
        FigureRun &figure = row.curve.run;
        figure.id = QString::fromStdString(run->snapshot.name);
        figure.title = run->title;
        figure.styleIndex = run->styleIndex;
        figure.record = run->snapshot.record;
        figure.record.state = run->snapshot.state;
        figure.record.step = run->snapshot.step;
        if (const model::VariantInfo *variant = m_runs->variant(run->snapshot.record.config.variant)) {
            figure.family = variant->family;
            figure.logits = variant->logits;
        }
        if (run->accuracy.empty()) {
            row.key = keyOf(id, -1);
            row.name = run->title;
            row.isShown = false;
            entries.push_back(std::move(row));
            continue;
        }
        // The newest checkpoint first; older ones are there, but off until they are asked for.
        for (auto curve = run->accuracy.rbegin(); curve != run->accuracy.rend(); ++curve) {
            AccuracyModel::Entry one = row;
            const bool isNewest = curve == run->accuracy.rbegin();
            one.key = keyOf(id, curve->step);
            one.curve.curve = *curve;
            one.name = isNewest ? run->title : tr("%1, step %2").arg(run->title, countText(curve->step));
            const auto switched = m_switched.find(one.key);
            one.isShown = switched != m_switched.end() ? switched->second : isNewest && run->isShown;
            entries.push_back(std::move(one));
        }
    }
    return entries;
}

std::vector<AccuracyModel::Entry> AccuracyPage::publishedEntries() const
{
    const Theme &theme = Theme::forPalette(palette());
    static const std::vector<AccuracyFigureCurve> published = publishedFigureCurves(m_runs->variants());
    std::vector<AccuracyModel::Entry> entries;
    for (const AccuracyFigureCurve &curve : published) {
        AccuracyModel::Entry row;
        row.key = curve.run.id;
        row.curve = curve;
        row.name = QString::fromStdString(curve.curve.variant);
        row.style = curve.run.style(theme);
        const auto switched = m_switched.find(row.key);
        row.isShown = switched == m_switched.end() || switched->second;
        entries.push_back(std::move(row));
    }
    return entries;
}

void AccuracyPage::rebuild()
{
    m_isStale = false;
    m_model->setLook(palette().color(QPalette::Base), fontMetrics().height() + 9);
    std::vector<AccuracyModel::Entry> own = ownEntries();
    std::vector<AccuracyModel::Entry> published = publishedEntries();
    // What tells an evaluation from the others is noted beside the name.
    std::vector<AccuracyFigureCurve> curves;
    for (const AccuracyModel::Entry &entry : own) {
        if (entry.isEvaluated())
            curves.push_back(entry.curve);
    }
    noteDifferences(curves);
    std::size_t next = 0;
    for (AccuracyModel::Entry &entry : own) {
        if (entry.isEvaluated())
            entry.curve.note = curves[next++].note;
        if (!entry.curve.note.isEmpty()) {
            const bool isStepSaid = entry.name.contains(u", step "_s);
            entry.name = isStepSaid
                ? entry.name
                : tr("%1, %2", "a run; what is special").arg(entry.curve.run.title, entry.curve.note);
        }
    }
    for (std::vector<AccuracyModel::Entry> *list : {&own, &published}) {
        for (AccuracyModel::Entry &entry : *list)
            entry.isSelected = entry.key == m_selectedKey;
    }
    m_comparison->setEntries(own);
    const bool hasCheckpoint = std::ranges::any_of(
        m_runs->order(), [&](const run::RunId &id) { return !m_runs->find(id)->snapshot.checkpointSteps.empty(); });
    m_evaluate->setEnabled(hasCheckpoint);
    m_evaluate->setToolTip(hasCheckpoint ? tr("Evaluate any checkpoint at any lengths")
                                         : tr("There is no checkpoint yet: train a run first"));
    m_allPublished->setChecked(std::ranges::all_of(published, &AccuracyModel::Entry::isShown));
    m_model->setEntries(std::move(own), std::move(published));
    drawEntries();
    showEvaluations();
}

std::vector<AccuracyFigureCurve> AccuracyPage::shownCurves() const
{
    std::vector<AccuracyFigureCurve> curves;
    for (const auto group : {AccuracyModel::OwnGroup, AccuracyModel::PublishedGroup}) {
        for (const AccuracyModel::Entry &entry : m_model->entries(group)) {
            if (!entry.isShown || !entry.isEvaluated())
                continue;
            curves.push_back(entry.curve);
            curves.back().run.isSelected = entry.isSelected;
        }
    }
    return curves;
}

void AccuracyPage::drawEntries()
{
    const std::vector<AccuracyFigureCurve> shown = shownCurves();
    std::vector<FigureRun> runs;
    for (const AccuracyFigureCurve &curve : shown)
        runs.push_back(curve.run);
    const QStringList names = labelNames(runs);

    // Published curves first, so that own ones lie above them.
    std::vector<ChartCurve> curves;
    qsizetype name = 0;
    std::vector<ChartCurve> own;
    for (const auto group : {AccuracyModel::OwnGroup, AccuracyModel::PublishedGroup}) {
        for (const AccuracyModel::Entry &entry : m_model->entries(group)) {
            if (!entry.isEvaluated())
                continue;
            ChartCurve curve;
            curve.id = entry.key;
            curve.style = entry.style;
            curve.isShown = entry.isShown;
            curve.isSelected = entry.isSelected;
            curve.isStrong = group == AccuracyModel::OwnGroup;
            curve.hasMarkers = true;
            if (entry.isShown) {
                curve.label = names[name++];
                if (!entry.curve.note.isEmpty())
                    curve.label += u", "_s + entry.curve.note;
                curve.brief = group == AccuracyModel::PublishedGroup ? entry.name : QString();
            }
            (group == AccuracyModel::OwnGroup ? own : curves).push_back(std::move(curve));
        }
    }
    std::ranges::move(own, std::back_inserter(curves));
    m_chart->setCurves(std::move(curves));
    for (const auto group : {AccuracyModel::OwnGroup, AccuracyModel::PublishedGroup}) {
        for (const AccuracyModel::Entry &entry : m_model->entries(group)) {
            if (!entry.isEvaluated())
                continue;
            m_chart->setPoints(entry.key, sharePoints(entry.curve.curve, m_isErrorRate));
            const bool hasInterval = group == AccuracyModel::OwnGroup;
            m_chart->setIntervals(entry.key,
                                  hasInterval ? shareIntervals(entry.curve.curve, m_isErrorRate)
                                              : std::vector<IntervalPoint>());
        }
    }
    m_chart->setWhiskers(m_isErrorRate);

    // Axes hold everything in the list, and what an evaluation will add: they do not move while points arrive.
    std::vector<AccuracyFigureCurve> all = shown;
    for (const run::EvaluationStatus &status : m_runs->evaluations()) {
        const RunCollection::Run *run = m_runs->find(status.run);
        if (!run)
            continue;
        AccuracyFigureCurve planned;
        planned.run.record = run->snapshot.record;
        const auto requested = m_requested.find(status.job);
        for (const std::int64_t n :
             requested != m_requested.end() ? requested->second : run->snapshot.record.config.evaluation_n) {
            eval::AccuracyPoint point;
            point.n_keys = n;
            point.contextTokens = run->snapshot.record.config.contextTokens(n);
            planned.curve.points.push_back(point);
        }
        all.push_back(std::move(planned));
    }
    const AccuracyAxes axes = accuracyAxes(all, m_isErrorRate, 8, 16, 10);
    m_facts->tokensPerKey = axes.tokensPerKey;
    m_facts->n_keys.clear();
    for (const Tick &tick : axes.keys.ticks)
        m_facts->n_keys.push_back(std::llround(tick.value / double(axes.tokensPerKey)));
    m_view->setAutomaticRange(axes.tokens.range);
    std::vector<ReferenceLine> references = trainedLines(shown);
    references.push_back(chanceLine(shown, m_isErrorRate));
    m_chart->setReferences(std::move(references));
    m_chart->setReferenceCurve(anyValueCurve(shown, m_isErrorRate), tr("1/n: any value of the context"),
                               !m_isErrorRate);
    m_caption->setText(accuracyCaption(shown, m_isErrorRate, m_intervals->isChecked()));
    for (QToolButton *button : {m_numbers, m_export})
        button->setEnabled(!shown.empty());
    showValuesAt();
    Q_EMIT abilitiesChanged();
}

void AccuracyPage::showValuesAt()
{
    // At the pointer; without one, at the longest context that is shown.
    std::int64_t tokens = 0;
    std::int64_t n_keys = 0;
    const bool isAtPointer = m_view->crossHair().has_value();
    for (const AccuracyFigureCurve &curve : shownCurves()) {
        for (const eval::AccuracyPoint &point : curve.curve.points) {
            const bool isMeant =
                isAtPointer ? point.contextTokens == std::llround(*m_view->crossHair()) : point.contextTokens > tokens;
            if (isMeant) {
                tokens = point.contextTokens;
                n_keys = point.n_keys;
            }
        }
    }
    const QString where = tr("n = %1, %2 tokens").arg(countText(n_keys), countText(tokens));
    m_pointerText->setText(tokens == 0       ? QString()
                               : isAtPointer ? tr("at the pointer: %1").arg(where)
                                             : tr("at %1").arg(where));
    m_model->setContext(tokens, m_isErrorRate);
    m_comparison->setContext(tokens);
    const AccuracyModel::Entry *selected = m_model->entry(m_model->indexOf(m_selectedKey));
    const eval::AccuracyPoint *point = selected ? pointAt(selected->curve.curve, tokens) : nullptr;
    Q_EMIT statusChanged(isAtPointer && point
                             ? tr("%1, step %2: %3 exact match at n = %4 (%5 tokens)")
                                   .arg(selected->curve.run.title, countText(selected->curve.curve.step),
                                        percentText(point->accuracy), countText(n_keys), countText(tokens))
                             : QString());
}

void AccuracyPage::showEvaluations()
{
    // Axes make room for what is coming.
    std::set<run::JobId> jobs;
    for (const run::EvaluationStatus &status : m_runs->evaluations())
        jobs.insert(status.job);
    if (jobs != m_drawnJobs) {
        m_drawnJobs = std::move(jobs);
        noteChange();
    }
    m_evaluation->setEvaluations(m_runs->evaluations(), [this](const run::RunId &id) {
        const RunCollection::Run *run = m_runs->find(id);
        return run ? run->title : QString();
    });
}

void AccuracyPage::setShown(const QString &key, bool isShown)
{
    m_switched[key] = isShown;
    rebuild();
}

void AccuracyPage::setAllPublished(bool isShown)
{
    for (const AccuracyModel::Entry &entry : m_model->entries(AccuracyModel::PublishedGroup))
        m_switched[entry.key] = isShown;
    rebuild();
}

void AccuracyPage::setErrorRate(bool isErrorRate)
{
    if (isErrorRate == m_isErrorRate)
        return;
    m_isErrorRate = isErrorRate;
    m_chart->setAccessibleName(isErrorRate ? tr("Wrong answers by context length")
                                           : tr("Exact match by context length"));
    m_chart->setQuantity(quantity());
    drawEntries();
}

void AccuracyPage::selectKey(const QString &key)
{
    if (key == m_selectedKey)
        return;
    m_selectedKey = key;
    const QModelIndex index = m_model->indexOf(key);
    if (m_list->currentIndex().siblingAtColumn(0) != index)
        m_list->setCurrentIndex(index);
    if (const AccuracyModel::Entry *entry = m_model->entry(index); entry && !entry->runId.isEmpty())
        m_runs->select(entry->runId.toStdString());
    noteChange();
}

void AccuracyPage::askForEvaluation(const run::RunId &id)
{
    std::vector<EvaluableRun> runs;
    int chosen = 0;
    const run::RunId wanted = id.empty() ? m_runs->selected() : id;
    for (const run::RunId &other : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(other);
        if (run->snapshot.checkpointSteps.empty())
            continue;
        if (other == wanted)
            chosen = int(runs.size());
        runs.push_back({run->title, run->snapshot});
    }
    auto *dialog = new EvaluateDialog(std::move(runs), chosen, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const run::EvaluationRequest request = dialog->request();
        m_requested[m_bridge->service().evaluate(request)] = request.n_keys;
    });
    dialog->open();
}

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
    return {{u"errorRate"_s, m_isErrorRate},
            {u"intervals"_s, m_intervals->isChecked()},
            {u"labels"_s, m_labels->isChecked()},
            {u"hiddenPublished"_s, hidden},
            {u"splitter"_s, m_splitter->saveState()}};
}

void AccuracyPage::restoreViewState(const QVariantMap &state)
{
    (state.value(u"errorRate"_s, false).toBool() ? m_error : m_exact)->setChecked(true);
    m_intervals->setChecked(state.value(u"intervals"_s, true).toBool());
    m_labels->setChecked(state.value(u"labels"_s, true).toBool());
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
