// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Curves of the accuracy page, and the values beside them.
#include <QCheckBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <cmath>

#include "ui/charts/number_text.h"
#include "ui/dialogs/evaluate_dialog.h"
#include "ui/pages/accuracy_page.h"
#include "ui/pages/comparison_panel.h"
#include "ui/pages/evaluation_panel.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

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
    std::vector<ChartCurve> hairs; // below their bands
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
            FigureRun run = entry.curve.run;
            run.isSelected = entry.isSelected;
            curve.isFaint = run.isFaint;
            curve.hasMarkers = true;
            if (entry.isShown && run.isHair())
                ++name; // the band carries the name
            else if (entry.isShown) {
                curve.label = names[name++];
                if (!entry.curve.note.isEmpty())
                    curve.label += u", "_s + entry.curve.note;
                curve.brief = group == AccuracyModel::PublishedGroup ? entry.name : QString();
            }
            (group == AccuracyModel::PublishedGroup ? curves : run.isHair() ? hairs : own).push_back(std::move(curve));
        }
    }
    std::ranges::move(hairs, std::back_inserter(curves));
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
    m_chart->setReferenceCurve({anyValueCurve(shown, m_isErrorRate), tr("1/n: any value of the context")});
    m_caption->setText(accuracyCaption(shown, m_isErrorRate, m_intervals->isChecked()));
    for (QToolButton *button : {m_numbers, m_export})
        button->setEnabled(!shown.empty());
    showValuesAt();
    Q_EMIT abilitiesChanged();
}

void AccuracyPage::showValuesAt()
{
    // At the pointer; without one, at the longest context of the shown own runs, so that the list begins with their
    // values; without own ones, of the published curves.
    std::int64_t tokens = 0;
    std::int64_t n_keys = 0;
    const bool isAtPointer = m_view->crossHair().has_value();
    const std::vector<AccuracyFigureCurve> shown = shownCurves();
    const bool hasOwn = std::ranges::any_of(shown, [](const AccuracyFigureCurve &c) { return !c.run.isPublished; });
    for (const AccuracyFigureCurve &curve : shown) {
        if (!isAtPointer && hasOwn && curve.run.isPublished)
            continue;
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

} // namespace lookback::ui
