// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What a run reads and writes: record and checkpoints.
#include "core/train/training_session_torch.h"

#include <algorithm>

#include "core/run/checkpoint_torch.h"
#include "core/run/record_stamp.h"
#include "core/torch_thread.h"

namespace lookback::train {

using run::RunState;

void Session::prepareRecord()
{
    const std::string device = resolvedDevice(m_compute.device);
    const MachineInfo machine = machineInfo();
    const std::string processor = run::processorWords();
    if (!m_record.started.empty()) {
        noteChange("device", m_record.device, device);
        noteChange("thread count", std::to_string(m_record.threads), std::to_string(m_compute.threads));
        noteChange("processor", m_record.processor, processor);
        noteChange("LibTorch", m_record.libtorchVersion, machine.libtorchVersion);
    } else {
        m_record.started = run::currentTime();
    }
    m_record.device = device;
    m_record.threads = m_compute.threads;
    m_record.processor = processor;
    m_record.programVersion = machine.programVersion;
    m_record.libtorchVersion = machine.libtorchVersion;
    m_record.ended.clear();
    m_record.endReason.clear();
    m_config = m_record.config;
    m_chance = ChanceWatch(m_config);
    m_device = at::Device(device);
}

void Session::noteChange(const std::string &what, const std::string &before, const std::string &now)
{
    if (before != now && !before.empty()) {
        m_observer.noticed(Error(m_folder.name(),
                                 "The run goes on with another " + what + " (" + now + " instead of " + before
                                     + "): its numbers are not those of an "
                                       "undisturbed run to the last bit."));
    }
}

void Session::load()
{
    std::vector<std::string> notes;
    const std::optional<run::Checkpoint> checkpoint = run::checkpointToGoOnFrom(m_folder, &notes);
    try {
        m_folder.readAccuracy();
    } catch (const NewerFormat &) {
        throw; // points could not be added to it
    } catch (const Error &) { // told when points are to be written
    }
    for (const std::string &note : notes)
        m_observer.noticed(Error(m_folder.name(), "A checkpoint was passed over. " + note));
    notes.clear();
    m_store.emplace(m_folder, &notes);
    for (const std::string &note : notes)
        m_observer.noticed(Error(m_folder.name(), note));
    if (checkpoint)
        run::requireContinuable(m_config, *checkpoint);
    m_hasCheckpoint = checkpoint.has_value();
    restore(checkpoint ? &*checkpoint : nullptr);
}

void Session::restore(const run::Checkpoint *checkpoint)
{
    m_step = m_savedStep = checkpoint ? checkpoint->step : 0;
    m_provenStep = m_step - 1;
    m_elapsedSeconds = checkpoint ? checkpoint->elapsedSeconds : 0.0;
    m_skipped = checkpoint ? checkpoint->skippedSteps : 0;
    m_skippedInARow = 0;
    m_rateFactor = checkpoint ? checkpoint->rateFactor : 1.0;
    m_hasGoneBack = checkpoint && checkpoint->hasGoneBack;
    m_curriculum = Curriculum(m_config);
    if (checkpoint && !checkpoint->curriculum.empty())
        m_curriculum.setState(checkpoint->curriculum);
    m_log.reset();
    run::cutMetrics(m_folder.metricsFile(), m_step);
    m_log.emplace(m_folder.metricsFile());

    m_optimizer.reset();
    m_parameters.clear();
    m_model.emplace(m_config, at::kFloat, m_device);
    m_model->setKernels(m_record.kernels, m_record.precision);
    if (checkpoint)
        m_model->load(run::tensorsOf(checkpoint->weights));
    else
        m_model->initialise(m_config.seed);
    m_parameters = m_model->parameters();
    for (auto &[name, parameter] : m_parameters)
        parameter.requires_grad_(true);
    m_optimizer.emplace(m_parameters, m_config);
    if (checkpoint)
        m_optimizer->loadMoments(run::tensorsOf(checkpoint->moments));
}

bool Session::goBack()
{
    if (m_hasGoneBack)
        return false;
    const std::vector<run::CheckpointInfo> found = m_folder.checkpoints();
    for (auto info = found.rbegin(); info != found.rend(); ++info) {
        if (info->step > m_provenStep)
            continue;
        try {
            const run::Checkpoint checkpoint = run::checkpointAt(m_folder, info->step);
            run::requireContinuable(m_config, checkpoint);
            restore(&checkpoint);
            m_hasGoneBack = true;
            if (!checkpoint.hasGoneBack) // else a kill came in between, and the factor is in the file already
                m_rateFactor *= m_config.recovery_factor;
            abandonLaterSteps();
            return true;
        } catch (const Error &error) {
            m_observer.noticed(Error(m_folder.name(), "A checkpoint was passed over. " + error.sentence()));
        }
    }
    return false;
}

void Session::abandonLaterSteps()
{
    // First the checkpoint says that the run went back, last the later ones go: after a kill in between all of this is
    // done once more, with the same result.
    const auto &known = m_store->entries();
    const auto entry = std::ranges::find(known, m_step, &run::ManifestEntry::step);
    save(entry == known.end() ? run::CheckpointPurpose::Asked : entry->purpose);
    std::erase_if(m_unwrittenCurves, [this](const eval::AccuracyCurve &curve) { return curve.step > m_step; });
    try {
        m_folder.dropAccuracyAfter(m_step);
        m_store->abandonAfter(m_step);
    } catch (...) {
        m_observer.noticed(currentError(m_folder.name()));
    }
    m_observer.wentBack(m_step);
}

void Session::save(run::CheckpointPurpose purpose)
{
    try {
        saveOrThrow(purpose);
    } catch (...) {
        const Error error = currentError(m_folder.name() + ", checkpoint");
        if (!m_isSavePending) {
            m_observer.noticed(Error(error.subject(), error.message(),
                                     "Training goes on and tries again; the earlier checkpoints are untouched.",
                                     error.details()));
        }
        m_isSavePending = true;
    }
}

void Session::saveOrThrow(run::CheckpointPurpose purpose)
{
    m_log->flush();
    run::Checkpoint checkpoint{.config = m_config,
                               .step = m_step,
                               .elapsedSeconds = m_elapsedSeconds,
                               .skippedSteps = m_skipped,
                               .rateFactor = m_rateFactor,
                               .hasGoneBack = m_hasGoneBack,
                               .curriculum = m_config.promotion_accuracy > 0.0 ? m_curriculum.state() : std::string(),
                               .programVersion = m_record.programVersion,
                               .libtorchVersion = m_record.libtorchVersion,
                               .device = m_record.device,
                               .threads = m_record.threads,
                               .weights = {},
                               .checksum = {},
                               .moments = {}};
    for (const auto &[name, parameter] : m_parameters)
        checkpoint.weights.push_back(run::storedTensor(name, parameter));
    for (const auto &[name, moment] : m_optimizer->moments())
        checkpoint.moments.push_back(run::storedTensor(name, moment));
    std::vector<std::string> notes;
    m_store->save(checkpoint, purpose, &notes);
    for (const std::string &note : notes)
        m_observer.noticed(Error(m_folder.name(), note));
    m_isSavePending = false;
    m_savedStep = m_step;
    m_record.step = m_step;
    writeRecord();
    writeEvaluations(false);
    m_observer.checkpointWritten(m_step);
}

void Session::writeRecord()
{
    try {
        m_folder.writeRecord(m_record);
    } catch (...) {
        m_observer.noticed(currentError(m_folder.name()));
    }
}

void Session::end(RunState state, const std::string &reason)
{
    if (m_log)
        m_log->flush();
    writeEvaluations(true);
    m_record.state = state;
    m_record.endReason = reason;
    m_record.ended = run::currentTime();
    m_record.step = m_savedStep;
    writeRecord();
    m_lock.reset(); // before the others hear of it: they may want to continue the run
    m_control.setState(state, reason);
}

} // namespace lookback::train
