// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the accuracy page.
#include <QPushButton>

#include <algorithm>
#include <set>

#include "ui/charts/number_text.h"
#include "ui/pages/accuracy_page.h"
#include "ui/figures/seed_curves.h"
#include "ui/pages/comparison_panel.h"

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

std::vector<AccuracyModel::Entry> AccuracyPage::withBands(std::vector<AccuracyModel::Entry> own) const
{
    const auto isSameGroup = [](const AccuracyModel::Entry &a, const AccuracyModel::Entry &b) {
        return a.isEvaluated() && b.isEvaluated() && a.curve.curve.step == b.curve.curve.step
            && analysis::isSameButSeed(a.curve.run.record.config, b.curve.run.record.config);
    };
    std::vector<AccuracyFigureCurve> shown;
    for (AccuracyModel::Entry &entry : own) {
        if (!entry.isShown || !entry.isEvaluated())
            continue;
        std::set<std::uint64_t> known; // hidden seeds count, so that a band does not hide that one was taken out
        for (const AccuracyModel::Entry &other : own) {
            if (isSameGroup(entry, other))
                known.insert(other.curve.run.record.config.seed);
        }
        entry.curve.run.seedsKnown = std::ssize(known);
        shown.push_back(entry.curve);
    }
    const std::vector<AccuracyFigureCurve> banded = withSeedBands(std::move(shown));
    std::vector<AccuracyModel::Entry> result;
    auto next = banded.begin();
    for (AccuracyModel::Entry &entry : own) {
        if (!entry.isShown || !entry.isEvaluated()) {
            result.push_back(std::move(entry));
            continue;
        }
        if (next->run.isSeedBand) {
            AccuracyModel::Entry band;
            band.key = u"seeds/"_s + entry.key;
            band.curve = *next++;
            band.name = band.curve.note.isEmpty() ? band.curve.run.title
                                                  : tr("%1, %2").arg(band.curve.run.title, band.curve.note);
            band.style = entry.style;
            const auto switched = m_switched.find(band.key);
            band.isShown = switched == m_switched.end() || switched->second;
            result.push_back(std::move(band));
        }
        entry.curve = *next++;
        // Without their band the seeds are curves like others.
        for (const AccuracyModel::Entry &band : result) {
            if (band.curve.run.isSeedBand && !band.isShown && isSameGroup(band, entry))
                entry.curve.run.isFaint = false;
        }
        result.push_back(std::move(entry));
    }
    return result;
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
    m_comparison->setEntries(own);
    std::vector<AccuracyModel::Entry> banded = withBands(own);
    const bool hasGroups =
        std::ranges::any_of(banded, [](const AccuracyModel::Entry &entry) { return entry.curve.run.isSeedBand; });
    m_seeds->setEnabled(hasGroups || m_seeds->isChecked());
    m_seeds->setToolTip(hasGroups
                            ? tr("Runs that differ only in their seed as one curve: their median, with a band from "
                                 "the lowest to the highest")
                            : tr("There are no two evaluated runs that differ only in their seed"));
    if (m_seeds->isChecked())
        own = std::move(banded);
    for (std::vector<AccuracyModel::Entry> *list : {&own, &published}) {
        for (AccuracyModel::Entry &entry : *list)
            entry.isSelected = entry.key == m_selectedKey;
    }
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

} // namespace lookback::ui
