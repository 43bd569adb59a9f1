// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the list of runs says: states, times, values, tool tips and headers.
#include "ui/models/runs_model.h"

#include <QIcon>

#include "ui/charts/number_text.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/widgets/icon.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using run::RunState;

namespace {

bool isNumber(RunsModel::Column column)
{
    return column >= RunsModel::Step;
}

QString orDash(const std::optional<double> &value, QString (*text)(double))
{
    return value ? text(*value) : u"–"_s;
}

QString fromUtf8(const std::string &text)
{
    return QString::fromStdString(text);
}

} // namespace

QString RunsModel::stateTitle(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return tr("Queued");
    case RunState::Initialising:
        return tr("Initialising");
    case RunState::Running:
        return tr("Running");
    case RunState::Paused:
        return tr("Paused");
    case RunState::Stopping:
        return tr("Stopping");
    case RunState::Stopped:
        return tr("Stopped");
    case RunState::Finished:
        return tr("Finished");
    case RunState::Interrupted:
        return tr("Interrupted");
    case RunState::Failed:
        return tr("Failed");
    }
    return {};
}

QIcon RunsModel::stateIcon(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return icon("clock"_L1);
    case RunState::Initialising:
        return icon("hourglass"_L1);
    case RunState::Running:
        return icon("play"_L1);
    case RunState::Paused:
        return icon("pause"_L1);
    case RunState::Stopping:
        return icon("hourglass"_L1);
    case RunState::Stopped:
        return icon("stop"_L1);
    case RunState::Finished:
        return icon("check"_L1, IconRole::Right);
    case RunState::Interrupted:
        return icon("interrupted"_L1, IconRole::Warning);
    case RunState::Failed:
        return icon("error"_L1, IconRole::Wrong);
    }
    return {};
}

QString RunsModel::timeText(const run::RunSnapshot &snapshot) const
{
    if (snapshot.isForeign)
        return fromUtf8(snapshot.reason); // who trains it
    switch (snapshot.state) {
    case RunState::Queued:
        return tr("waits for a place");
    case RunState::Initialising:
        return tr("prepares the device");
    case RunState::Running:
        if (snapshot.step >= snapshot.record.config.steps)
            return tr("is evaluated");
        return snapshot.remainingSeconds ? timeLeftText(*snapshot.remainingSeconds, m_clock()) : tr("measuring");
    case RunState::Paused:
        return snapshot.remainingSeconds
            ? tr("%1 of work left", "a duration").arg(roughDurationText(*snapshot.remainingSeconds))
            : QString();
    case RunState::Stopping:
        return tr("writes a checkpoint");
    case RunState::Finished:
        return snapshot.elapsedSeconds > 0.0 ? tr("took %1", "a duration").arg(durationText(snapshot.elapsedSeconds))
                                             : QString();
    case RunState::Stopped:
    case RunState::Interrupted:
        return snapshot.reason.empty() ? tr("can be continued") : fromUtf8(snapshot.reason);
    case RunState::Failed:
        return fromUtf8(snapshot.reason);
    }
    return {};
}

QString RunsModel::textOf(const run::RunId &id, Column column) const
{
    const RunCollection::Run *run = m_runs->find(id);
    const run::RunSnapshot &snapshot = run->snapshot;
    if (!snapshot.isReadable)
        return column == Name    ? run->title
            : column == State    ? tr("Unreadable")
            : column == TimeLeft ? fromUtf8(snapshot.reason)
                                 : QString();
    const RunConfig &config = snapshot.record.config;
    switch (column) {
    case Name:
        return run->title;
    case State:
        return stateTitle(snapshot.state);
    case Progress:
        return progressText(snapshot.step, config.steps);
    case TimeLeft:
        return timeText(snapshot);
    case Step:
        return tr("%1 / %2", "steps done, steps in all").arg(countText(snapshot.step), countText(config.steps));
    case Keys:
        return snapshot.last ? countText(snapshot.last->n_keys) : u"–"_s;
    case Loss:
        return orDash(snapshot.last ? snapshot.last->loss : std::nullopt, &quantityText);
    case Accuracy:
        return orDash(snapshot.last ? snapshot.last->retrievalAcc : std::nullopt, &percentText);
    case Best:
        return orDash(run->best ? run->best->retrievalAcc : std::nullopt, &percentText);
    case BestStep:
        return run->best ? countText(run->best->step) : u"–"_s;
    case Speed:
        return rateText(snapshot.stepsPerSecond);
    default:
        return {};
    }
}

QString RunsModel::toolTip(const run::RunId &id, Column column) const
{
    const RunCollection::Run *run = m_runs->find(id);
    const run::RunSnapshot &snapshot = run->snapshot;
    if (column == Shown)
        return run->isShown ? tr("Its curves are drawn") : tr("Its curves are hidden");
    if (!snapshot.reason.empty())
        return u"<p>%1</p>"_s.arg(fromUtf8(snapshot.reason).toHtmlEscaped());
    if (column == Name || column == Curve) {
        const RunConfig &config = snapshot.record.config;
        return tr("%1\n%2 steps, width %3, %4 pairs, seed %5, %6", "folder, steps, width, depth, seed, device")
            .arg(fromUtf8(snapshot.name), countText(config.steps))
            .arg(config.d_model)
            .arg(config.pairs)
            .arg(config.seed)
            .arg(fromUtf8(snapshot.record.device));
    }
    return {};
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (isNumber(static_cast<Column>(section)) ? Qt::AlignRight : Qt::AlignLeft));
    struct Header {
        QString title;
        QString explanation;
    };
    const auto header = [section]() -> Header {
        switch (static_cast<Column>(section)) {
        case Shown:
            return {QString(), tr("Whether its curves are drawn")};
        case Curve:
            return {QString(), tr("How its curves are drawn: colour by family, solid where logits are squared")};
        case Name:
            return {tr("Run"), tr("Variant and seed")};
        case State:
            return {tr("State"), tr("What the run is doing")};
        case Progress:
            return {tr("Progress"), tr("Steps done, in percent of all")};
        case TimeLeft:
            return {tr("Time left"), tr("Estimated from the speed of the last steps; or why the run ended")};
        case Step:
            return {tr("Step"), tr("Training steps done, of all")};
        case Keys:
            return {tr("n"), tr("Unique keys of a training sequence at this step (the curriculum raises it)")};
        case Loss:
            return {tr("Loss"), tr("Cross-entropy of the training batch, in nats per value digit; chance is 2.30")};
        case Accuracy:
            return {tr("Accuracy"),
                    tr("Value digits of the training batch that are right, in percent; chance is 10 %")};
        case Best:
            return {tr("Best"), tr("Highest accuracy logged at the longest training context so far")};
        case BestStep:
            return {tr("at step"), tr("The first step with the best accuracy")};
        case Speed:
            return {tr("Steps/s"), tr("Training steps per second, smoothed")};
        case ColumnCount:
            break;
        }
        return {};
    }();
    if (role == Qt::DisplayRole)
        return header.title;
    if (role == Qt::ToolTipRole)
        return header.explanation;
    if (role == Qt::AccessibleTextRole)
        return header.title.isEmpty() ? header.explanation : header.title;
    return {};
}

} // namespace lookback::ui
