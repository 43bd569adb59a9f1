// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the training page draws: its curves, the curriculum's stages, and the read-out at the pointer.
#include "ui/pages/train_page.h"

#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/seed_curves.h"
#include "ui/figures/training_figure.h"
#include "ui/pages/readout_frame.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

QString qid(const run::RunId &id)
{
    return QString::fromStdString(id);
}

} // namespace

void TrainPage::updateCurves()
{
    const Theme &theme = Theme::forPalette(palette());
    std::vector<FigureRun> named;
    std::vector<ChartCurve> curves;
    std::vector<run::RunId> listed;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->snapshot.isReadable)
            continue;
        FigureRun figure;
        figure.id = qid(id);
        figure.title = run->title;
        figure.record.config = run->snapshot.record.config;
        if (run->isShown)
            named.push_back(figure);
        ChartCurve curve;
        curve.id = qid(id);
        curve.style = m_runs->styleOf(id, theme);
        curve.isShown = run->isShown;
        curve.isSelected = id == m_runs->selected();
        curve.label = run->title;
        curves.push_back(std::move(curve));
        listed.push_back(id);
    }
    const QStringList names = labelNames(named);
    for (ChartCurve &curve : curves) {
        const auto found = std::ranges::find(named, curve.id, &FigureRun::id);
        if (found != named.end())
            curve.label = names[found - named.begin()];
    }
    std::erase_if(m_passed, [&](const auto &entry) { return std::ranges::find(listed, entry.first) == listed.end(); });
    m_bands.setRuns(*m_runs);
    const bool hasGroups = !m_bands.bands().empty();
    m_seeds->setEnabled(hasGroups || m_seeds->isChecked());
    m_seeds->setToolTip(hasGroups ? tr("Runs that differ only in their seed as one curve: their median, with a band "
                                       "from the lowest to the highest")
                                  : tr("There are no two shown runs that differ only in their seed"));
    if (!m_seeds->isChecked())
        m_bands.clear();
    curves = m_bands.withBands(std::move(curves));
    m_loss->setCurves(curves);
    m_accuracy->setCurves(curves);
    for (const TrainingBands::Band &band : m_bands.bands())
        TrainingBands::pass(band, *m_runs, *m_loss, *m_accuracy);
    updateSeedWords();
    for (const run::RunId &id : listed)
        passMetrics(id);
    m_stack->setCurrentIndex(curves.empty() ? 1 : 0);
    for (QToolButton *button : {m_numbers, m_export})
        button->setEnabled(!named.empty());
    updateStages();
    updateSteps();
    updateReadout();
    m_isStale = false;
    Q_EMIT abilitiesChanged();
}

void TrainPage::passMetrics(const run::RunId &id)
{
    const RunCollection::Run *run = m_runs->find(id);
    if (!run)
        return;
    Passed &passed = m_passed[id];
    const std::vector<run::MetricsRecord> &metrics = run->metrics();
    // A run continued from a checkpoint rewrites its last steps: then the curve is taken anew.
    const bool isLonger =
        passed.count > 0 && passed.count <= metrics.size() && metrics[passed.count - 1] == passed.last;
    const std::size_t from = isLonger ? passed.count : 0;
    if (isLonger && from == metrics.size())
        return;
    const std::span<const run::MetricsRecord> rest = std::span(metrics).subspan(from);
    if (isLonger) {
        m_loss->appendPoints(qid(id), lossPoints(rest));
        m_accuracy->appendPoints(qid(id), accuracyPoints(rest));
    } else {
        m_loss->setPoints(qid(id), lossPoints(rest));
        m_accuracy->setPoints(qid(id), accuracyPoints(rest));
    }
    passed.count = metrics.size();
    passed.last = metrics.empty() ? std::nullopt : std::optional(metrics.back());
}

void TrainPage::updateSteps()
{
    double last = 1;
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (run->isShown && !run->metrics().empty())
            last = std::max(last, double(run->metrics().back().step));
    }
    m_view->setAutomaticRange(stepRange(last, m_view->scale()));
}

void TrainPage::updateStages()
{
    // Those of the selected run, or of the first shown one.
    const RunCollection::Run *chosen = m_runs->find(m_runs->selected());
    if (!chosen || !chosen->isShown || !chosen->snapshot.isReadable) {
        chosen = nullptr;
        for (const run::RunId &id : m_runs->order()) {
            const RunCollection::Run *run = m_runs->find(id);
            if (!chosen && run->isShown && run->snapshot.isReadable)
                chosen = run;
        }
    }
    std::vector<Stage> stages =
        chosen ? curriculumStages(chosen->snapshot.record.config, chosen->metrics()) : std::vector<Stage>();
    m_loss->setStages(stages);
    for (Stage &stage : stages)
        stage.text.clear(); // named once, above the loss
    m_accuracy->setStages(std::move(stages));
    m_loss->setToolTip(chosen && !chosen->snapshot.record.config.curriculum.empty()
                           ? tr("Shaded: curriculum of %1, n unique keys").arg(chosen->title)
                           : QString());
}

void TrainPage::updateSeedWords()
{
    QStringList words;
    for (const TrainingBands::Band &band : m_bands.bands()) {
        LearnedFlags learned;
        for (const run::RunId &id : band.seeds)
            learned.push_back(hasLearned(m_runs->find(id)->metrics()));
        const RunConfig &config = m_runs->find(band.seeds.front())->snapshot.record.config;
        if (const QString text = learnedText(QString::fromStdString(config.variant), learned); !text.isEmpty())
            words << text;
    }
    if (!words.isEmpty())
        m_seeds->setToolTip(words.join(u'\n') + u'\n' + learnedRule(true));
}

void TrainPage::updateReadout()
{
    const std::optional<double> &at = m_view->crossHair();
    if (!at || !isVisible()) {
        m_readout->hide();
        Q_EMIT statusChanged({});
        return;
    }
    const Theme &theme = Theme::forPalette(palette());
    struct Entry {
        ReadoutFrame::Row row;
        double accuracy;
    };
    std::vector<Entry> entries;
    QString note;
    const auto step = std::int64_t(std::llround(*at));
    for (const run::RunId &id : m_runs->order()) {
        const RunCollection::Run *run = m_runs->find(id);
        if (!run->isShown || !run->snapshot.isReadable)
            continue;
        const auto found = std::ranges::lower_bound(run->metrics(), step, {}, &run::MetricsRecord::step);
        const bool isThere = found != run->metrics().end() && found->step == step;
        const auto text = [](const std::optional<double> &value, QString (*format)(double)) {
            return value ? format(*value) : u"–"_s;
        };
        if (m_bands.bandOf(id) && id != m_runs->selected())
            continue; // its band has a row
        Entry entry{{m_runs->styleOf(id, theme), labelOf(id), {u"–"_s, u"–"_s}}, -1.0};
        if (isThere) {
            entry.row.values = {text(found->loss, quantityText), text(found->retrievalAcc, percentText)};
            entry.accuracy = found->retrievalAcc.value_or(-0.5);
            const RunConfig &config = run->snapshot.record.config;
            if (note.isEmpty() || id == m_runs->selected()) {
                note = tr("n = %1, %2 digits", "unique keys; scored digits of a batch")
                           .arg(found->n_keys)
                           .arg(countText(config.batch * found->n_keys * config.value_digits));
            }
        }
        entries.push_back(std::move(entry));
    }
    for (const TrainingBands::Band &band : m_bands.bands()) {
        const auto text = [&](const LineChart *chart, QString (*format)(double)) {
            const CurvePoint *point = chart->data(band.id)->at(double(step));
            return point && point->y ? format(*point->y) : u"–"_s;
        };
        const CurvePoint *accuracy = m_accuracy->data(band.id)->at(double(step));
        entries.push_back({{m_runs->styleOf(band.seeds.front(), theme),
                            tr("%1, median").arg(band.title),
                            {text(m_loss, quantityText), text(m_accuracy, percentText)}},
                           accuracy && accuracy->y ? *accuracy->y : -1.0});
    }
    // NaN compares with nothing: it goes below all numbers, as a run without a value does.
    const auto rank = [](const Entry &entry) { return std::isnan(entry.accuracy) ? -2.0 : entry.accuracy; };
    std::ranges::stable_sort(entries, std::greater<>(), rank);
    // As wide as the larger side of the cross-hair, so that it need not cover it.
    const QRectF area = m_accuracy->plotArea();
    const qreal hair = m_accuracy->positionOf(*at, 1).x();
    const qreal widest =
        std::clamp(std::max(hair - area.left(), area.right() - hair) - 20, 0.3 * area.width(), 0.6 * area.width());
    std::vector<ReadoutFrame::Row> rows;
    for (Entry &entry : entries)
        rows.push_back(std::move(entry.row));
    m_readout->setContent(tr("Step %1").arg(countText(step)), note, {tr("Loss"), tr("Accuracy")}, std::move(rows),
                          QSize(int(widest), int(m_splitter->height() * 0.42)));
    placeReadout();
    m_readout->show();
    m_readout->raise();
}

QString TrainPage::labelOf(const run::RunId &id) const
{
    const auto found = std::ranges::find(m_loss->curves(), qid(id), &ChartCurve::id);
    return found == m_loss->curves().end() ? QString() : found->label;
}

void TrainPage::placeReadout()
{
    if (!m_view->crossHair())
        return;
    // Of the corners of both plots, the one with the fewest points under it that leaves the cross-hair free.
    QPoint best;
    int fewest = std::numeric_limits<int>::max();
    int corner = 0;
    int bestCorner = 0;
    for (const LineChart *chart : {m_accuracy, m_loss}) {
        const QRectF area = chart->plotArea();
        const QSizeF size = m_readout->size();
        const qreal hair = chart->positionOf(*m_view->crossHair(), 1).x();
        for (const bool isBottom : {true, false}) {
            for (const bool isRight : {true, false}) {
                const QRectF rect(isRight ? area.right() - size.width() - 8 : area.left() + 8,
                                  isBottom ? area.bottom() - size.height() - 8 : area.top() + 8, size.width(),
                                  size.height());
                int covered = hair > rect.left() - 8 && hair < rect.right() + 8 ? 100000 : 0;
                covered += rect.height() > area.height() ? 1000 : 0;
                for (const ChartCurve &curve : chart->curves()) {
                    const CurveData *data = curve.isShown ? chart->data(curve.id) : nullptr;
                    for (int i = 0; data && i <= 24; ++i) {
                        const double x =
                            chart->xAxis().valueAt((rect.left() + rect.width() * i / 24 - area.left()) / area.width());
                        const std::ptrdiff_t near = data->nearest(x);
                        if (near < 0)
                            continue;
                        const CurvePoint &point = data->points()[std::size_t(near)];
                        covered += point.y && rect.contains(chart->positionOf(point.x, *point.y)) ? 1 : 0;
                    }
                }
                // It stays where it is unless another corner is clearly better.
                if (++corner == m_readoutCorner)
                    covered = std::max(0, covered - 6);
                if (covered < fewest) {
                    fewest = covered;
                    bestCorner = corner;
                    best = chart->mapTo(this, rect.topLeft().toPoint());
                }
            }
        }
    }
    m_readoutCorner = bestCorner;
    m_readout->move(best);
}

} // namespace lookback::ui
