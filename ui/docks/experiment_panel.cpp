// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/experiment_panel.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QToolButton>
#include <QTreeView>
#include <QUndoStack>

#include <algorithm>

#include "core/run/checkpoint_store.h"
#include "core/error.h"
#include "ui/bridge/run_bridge.h"
#include "ui/charts/number_text.h"
#include "ui/docks/advanced_form.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/models/variant_model.h"
#include "ui/settings/setup_command.h"
#include "ui/widgets/field_edit.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Message and remedy; the field itself is known from where the sentence stands.
std::string sentenceOf(const Error &error)
{
    return error.remedy().empty() ? error.message() : error.message() + " " + error.remedy();
}

} // namespace

ExperimentPanel::ExperimentPanel(RunBridge *bridge, RunCollection *runs, QUndoStack *undo, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_runs(runs), m_undo(undo), m_setup(ExperimentSetup::initial()),
      m_variants(new VariantModel(runs->variants(), this)), m_view(new QTreeView(this)),
      m_parallelRuns(std::max(1, bridge->service().machine().cores))
{
    buildVariants();
    buildForm();
    buildFoot();
    setMachine(bridge->service().machine());
    connect(bridge, &RunBridge::machineKnown, this, &ExperimentPanel::setMachine);
    // Whether a place is free, and what was measured, follows the runs.
    connect(runs, &RunCollection::orderChanged, this, &ExperimentPanel::forgetArrived);
    connect(bridge, &RunBridge::noticed, this, [this](const run::Notice &notice) {
        if (notice.run.empty())
            m_sent.clear(); // one of them may have been refused
    });
    connect(runs, &RunCollection::orderChanged, this, &ExperimentPanel::refreshEstimate);
    connect(runs, &RunCollection::runChanged, this, &ExperimentPanel::refreshEstimate);
    display(m_setup);
}

FieldEdit *ExperimentPanel::fieldEdit(const std::string &name) const
{
    if (name == "seed")
        return m_seeds;
    const auto found = m_edits.find(name);
    return found == m_edits.end() ? nullptr : found->second;
}

bool ExperimentPanel::isAdvancedOpen() const
{
    return m_advancedButton->isChecked();
}

void ExperimentPanel::setAdvancedOpen(bool isOpen)
{
    m_advancedButton->setChecked(isOpen);
}

void ExperimentPanel::setTrainPrimary(bool isPrimary)
{
    m_train->setPrimary(isPrimary);
}

void ExperimentPanel::setParallelRuns(int count)
{
    m_parallelRuns = std::max(1, count);
    refreshEstimate();
}

void ExperimentPanel::setMachine(const MachineInfo &machine)
{
    const QSignalBlocker blocker(m_device);
    const QString cpu = machine.cores == 1 ? tr("CPU, 1 core") : tr("CPU, %1 cores").arg(machine.cores);
    const QString gpu = QString::fromStdString(machine.cudaDevice);
    m_device->clear();
    m_device->addItem(tr("Auto: %1", "a device").arg(machine.hasCuda ? gpu : cpu), u"auto"_s);
    m_device->addItem(cpu, u"cpu"_s);
    m_device->addItem(machine.hasCuda ? tr("GPU: %1").arg(gpu) : tr("GPU: not available"), u"cuda"_s);
    if (!machine.hasCuda)
        m_device->setItemData(2, QString::fromStdString(machine.cudaReason), Qt::ToolTipRole);
    m_device->setCurrentIndex(std::max(0, m_device->findData(QString::fromStdString(m_setup.device))));
    refreshProblems();
}

void ExperimentPanel::setSetup(const ExperimentSetup &setup)
{
    m_undo->clear();
    display(setup);
}

void ExperimentPanel::change(const ExperimentSetup &next, const QString &field, const QString &text)
{
    if (next == m_setup) {
        refresh();
        return;
    }
    m_undo->push(
        new SetupCommand(m_setup, next, field, text, [this](const ExperimentSetup &setup) { display(setup); }));
}

// Shows a whole set-up. Texts that were refused are replaced unless they belong to the field that has the focus and the
// set-up did not change it: the user is still typing there.
void ExperimentPanel::display(const ExperimentSetup &setup)
{
    m_setup = setup;
    // Variants that this program does not know cannot be ticked.
    std::erase_if(m_setup.variants, [this](const std::string &id) { return !m_runs->variant(id); });
    m_variants->setConfig(setup.config);
    m_variants->setChecked(setup.variants);
    for (const auto &[name, edit] : m_edits) {
        if (!(m_faults.contains(name) && edit->lineEdit()->hasFocus())) {
            edit->setText(QString::fromStdString(fieldText(setup.config, name)));
            m_faults.erase(name);
        }
    }
    if (!(m_faults.contains("seed") && m_seeds->lineEdit()->hasFocus())) {
        m_seeds->setText(QString::fromStdString(setup.seeds));
        m_faults.erase("seed");
    }
    const QSignalBlocker blocker(m_device);
    m_device->setCurrentIndex(std::max(0, m_device->findData(QString::fromStdString(setup.device))));
    fillPresets();
    refresh();
}

void ExperimentPanel::editField(const QString &name, const QString &text)
{
    const std::string field = name.toStdString();
    ExperimentSetup next = m_setup;
    try {
        setField(next.config, field, text.trimmed().toStdString());
    } catch (const Error &error) {
        m_faults[field] = sentenceOf(error);
        refresh();
        return;
    }
    m_faults.erase(field);
    if (field == "steps")
        next.followSteps();
    else if (field == "warmup_steps")
        next.followedWarmup = 0;
    const ConfigField &description = configField(field);
    // The text stays as typed ("0.00030"); only the value is the set-up's.
    const QString title = fromView(description.title).toLower();
    change(next, name, tr("set %1 to %2", "after \"Undo: \"; a field and its value").arg(title, text.trimmed()));
}

void ExperimentPanel::editSeeds(const QString &text)
{
    ExperimentSetup next = m_setup;
    next.seeds = text.trimmed().toStdString();
    try {
        parseSeeds(next.seeds);
    } catch (const Error &error) {
        m_faults["seed"] = sentenceOf(error);
        refresh();
        return;
    }
    m_faults.erase("seed");
    change(next, u"seed"_s, tr("set seeds to %1", "after \"Undo: \"").arg(text.trimmed()));
}

void ExperimentPanel::choosePreset(int index)
{
    const QString name = m_preset->itemData(index).toString();
    if (name.isEmpty())
        return;
    ExperimentSetup next = m_setup;
    next.usePreset(name.toStdString());
    m_faults.clear();
    change(next, {}, tr("choose preset %1", "after \"Undo: \"").arg(name));
}

void ExperimentPanel::chooseDevice(int index)
{
    ExperimentSetup next = m_setup;
    next.device = m_device->itemData(index).toString().toStdString();
    change(next, u"device"_s, tr("choose device %1", "after \"Undo: \"").arg(m_device->itemData(index).toString()));
}

void ExperimentPanel::toggleVariant(const QString &id, bool isChecked)
{
    ExperimentSetup next = m_setup;
    next.variants = m_variants->checked();
    change(next, {},
           isChecked ? tr("tick %1", "after \"Undo: \"").arg(id) : tr("untick %1", "after \"Undo: \"").arg(id));
}

void ExperimentPanel::tickAll(bool isTicked)
{
    ExperimentSetup next = m_setup;
    next.variants.clear();
    if (isTicked) {
        for (const model::VariantInfo &variant : m_runs->variants())
            next.variants.push_back(variant.id);
    }
    change(next, {},
           isTicked ? tr("tick all variants", "after \"Undo: \"") : tr("tick no variant", "after \"Undo: \""));
}

std::vector<run::TrainRequest> ExperimentPanel::requests() const
{
    return m_setup.requests();
}

int ExperimentPanel::runCount() const
{
    return static_cast<int>(m_setup.variants.size() * parseSeeds(m_setup.seeds).size());
}

void ExperimentPanel::fillPresets()
{
    const QSignalBlocker blocker(m_preset);
    const std::string current(presetOf(m_setup.config));
    m_preset->clear();
    for (const std::string_view name : presetNames()) {
        QString title = fromView(name);
        title[0] = title[0].toUpper();
        RunConfig config = presetConfig(name);
        m_preset->addItem(tr("%1: %2 parameters", "preset and size")
                              .arg(title, countText(m_bridge->service().parameterCount(config))),
                          fromView(name));
        m_preset->setItemData(m_preset->count() - 1, fromView(presetExplanation(name)), Qt::ToolTipRole);
        if (name == current)
            m_preset->setCurrentIndex(m_preset->count() - 1);
    }
    if (current.empty()) {
        RunConfig config = m_setup.config;
        config.variant = m_setup.variants.empty() ? config.variant : m_setup.variants.front();
        const bool isSound = lookback::problemsOf(config).empty();
        m_preset->addItem(
            isSound ? tr("Own settings: %1 parameters").arg(countText(m_bridge->service().parameterCount(config)))
                    : tr("Own settings"));
        m_preset->setCurrentIndex(m_preset->count() - 1);
    }
}

void ExperimentPanel::refresh()
{
    const RunConfig &config = m_setup.config;
    m_advancedSummary->setText(tr("width %1, %2 heads, window %3, batch %4")
                                   .arg(config.d_model)
                                   .arg(config.query_heads)
                                   .arg(config.window)
                                   .arg(config.batch));
    refreshProblems();
}

// A refused text is said at its field; so is a combination that cannot run. The first of them is the button's reason.
void ExperimentPanel::refreshProblems()
{
    std::map<std::string, std::string> problems = m_faults;
    std::string general;
    std::vector<std::string> variants = m_setup.variants;
    if (variants.empty())
        variants.push_back(m_setup.config.variant);
    for (const std::string &variant : variants) {
        run::TrainRequest request;
        request.config = m_setup.config;
        request.config.variant = variant;
        request.device = m_setup.device;
        for (const ConfigProblem &problem : m_bridge->service().problemsOf(request)) {
            const bool isPlaced = fieldEdit(problem.field) || problem.field == "device";
            if (isPlaced)
                problems.try_emplace(problem.field, problem.message);
            else if (general.empty())
                general = problem.message;
        }
    }
    const auto problemOf = [&](const std::string &name) {
        const auto found = problems.find(name);
        return found == problems.end() ? QString() : QString::fromStdString(found->second);
    };
    for (const auto &[name, edit] : m_edits)
        edit->setProblem(problemOf(name));
    m_seeds->setProblem(problemOf("seed"));
    m_deviceProblem->setText(problemOf("device"));
    m_deviceProblem->setHidden(m_deviceProblem->text().isEmpty());

    QString whyNot;
    if (m_setup.variants.empty())
        whyNot = tr("Tick at least one variant.");
    else if (!general.empty())
        whyNot = QString::fromStdString(general);
    else if (!problems.empty()) {
        const auto &[name, message] = *problems.begin();
        const QString title = name == "device" ? tr("Device") : fromView(configField(name).title);
        whyNot = tr("%1: %2", "a field and what is wrong with it").arg(title, QString::fromStdString(message));
    }
    m_whyNot = whyNot;
    refreshEstimate();
    Q_EMIT changed();
}

void ExperimentPanel::refreshEstimate()
{
    const int count = m_setup.variants.empty() ? 0 : runCount();
    m_train->setText(count == 0 ? tr("Train") : count == 1 ? tr("Train 1 run") : tr("Train %1 runs").arg(count));
    m_train->setEnabled(m_whyNot.isEmpty());
    m_train->setToolTip(m_whyNot.isEmpty() ? tr("Trains every ticked variant with every seed (F5)") : m_whyNot);
    const bool isWrong = !m_whyNot.isEmpty();
    m_estimateIcon->setPixmap(icon(isWrong ? "error"_L1 : "clock"_L1, isWrong ? IconRole::Wrong : IconRole::Text)
                                  .pixmap(QSize(16, 16), devicePixelRatioF()));
    setTone(m_estimateNote, isWrong ? Tone::Wrong : Tone::Second);
    if (isWrong) {
        m_estimate->setText(tr("This set-up cannot be trained"));
        m_estimateNote->setText(m_whyNot);
        return;
    }
    double sum = 0.0;
    double longest = 0.0;
    bool isMeasured = true;
    const std::vector<run::TrainRequest> wanted = requests();
    for (const run::TrainRequest &request : wanted) {
        const std::optional<double> seconds = m_bridge->service().estimatedSeconds(request);
        isMeasured = isMeasured && seconds.has_value();
        sum += seconds.value_or(0.0);
        longest = std::max(longest, seconds.value_or(0.0));
    }
    const QString runs = count == 1 ? tr("1 run") : tr("%1 runs").arg(count);
    const double seconds = std::max(longest, sum / std::min(m_parallelRuns, std::max(1, count)));
    m_estimate->setText(
        isMeasured ? tr("%1, %2 on this machine", "number of runs, about a duration").arg(runs, aboutText(seconds))
                   : runs);
    const auto active = std::ranges::count_if(m_runs->order(), [this](const run::RunId &id) {
        const run::RunSnapshot &run = m_runs->find(id)->snapshot;
        return RunCollection::isActive(run.state) && !run.isForeign && run.state != run::RunState::Paused;
    });
    const QString atOnce =
        m_parallelRuns == 1 ? tr("One trains at a time") : tr("%1 train at once").arg(m_parallelRuns);
    QString note;
    if (active >= m_parallelRuns)
        note = tr("%1; these start when a place is free.", "how many train at once").arg(atOnce);
    else if (!isMeasured)
        note = tr("How long this takes here is known once a run has trained.");
    else if (count > m_parallelRuns)
        note = tr("%1, the others wait in line.", "how many train at once").arg(atOnce);
    else
        note = tr("Training only; the evaluation follows by itself.");
    if (m_setup.followedWarmup > m_setup.config.warmup_steps)
        note += u' ' + tr("The warm-up is a tenth of the steps, %1.").arg(countText(m_setup.config.warmup_steps));
    run::CheckpointPlan plan;
    double bytes = 0.0;
    for (const run::TrainRequest &request : wanted) {
        plan = run::checkpointPlan(request.config);
        bytes += plan.bytesAtMost();
    }
    note += u' '
        + tr("Each keeps %1 checkpoints; together up to %2.", "a number, a size")
              .arg(countText(plan.count), QString::fromStdString(run::bytesInWords(static_cast<std::uint64_t>(bytes))));
    m_estimateNote->setText(note);
}

} // namespace lookback::ui
