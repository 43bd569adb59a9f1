// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The evaluations of a run that trains.
#include <algorithm>
#include <string>
#include <utility>

#include "core/eval/evaluator_torch.h"
#include "core/run/checkpoint_torch.h"
#include "core/torch_thread.h"
#include "core/train/training_session_torch.h"

namespace lookback::train {

bool Session::evaluate()
{
    return evaluateAt(*m_model, m_step, missingPoints(knownCurves(), m_step));
}

bool Session::makeUpEvaluations()
{
    if (m_config.evaluate_every <= 0)
        return true;
    const std::vector<eval::AccuracyCurve> known = knownCurves();
    std::int64_t lost = 0;
    std::int64_t firstLost = 0;
    const std::int64_t last = std::min(m_step, m_config.steps - 1); // the last step has its own evaluation
    for (std::int64_t step = m_config.evaluate_every; step <= last; step += m_config.evaluate_every) {
        const std::vector<std::int64_t> missing = missingPoints(known, step);
        if (missing.empty())
            continue;
        if (step == m_step) {
            if (!evaluateAt(*m_model, step, missing))
                return false;
            continue;
        }
        std::optional<model::Transformer> model;
        try {
            const run::Checkpoint checkpoint = run::checkpointAt(m_folder, step, run::CheckpointParts::Weights);
            run::requireContinuable(m_config, checkpoint);
            model.emplace(m_config, at::kFloat, m_device);
            model->load(run::tensorsOf(checkpoint.weights));
        } catch (const Error &) {
            firstLost = lost++ == 0 ? step : firstLost;
            continue;
        }
        if (!evaluateAt(*model, step, missing))
            return false;
    }
    if (lost > 0) {
        noticeEvaluation(Error(m_folder.name(),
                               lost == 1 ? "The evaluation of step " + std::to_string(firstLost)
                                       + " is incomplete, and its checkpoint cannot be read any more."
                                         : "The evaluations of " + std::to_string(lost) + " steps, the first being "
                                       + std::to_string(firstLost)
                                       + ", are incomplete, and their checkpoints cannot be read any more."));
    }
    return true;
}

bool Session::evaluateAt(const model::Transformer &model, std::int64_t step, const std::vector<std::int64_t> &missing)
{
    if (missing.empty() || m_config.evaluation_sequences < 1)
        return true;
    try {
        eval::evaluateModel(
            model, m_device, step, missing, m_config.evaluation_sequences,
            [this, step](const Progress &progress) {
                Progress told = progress;
                if (step != m_step)
                    told.what = "step " + std::to_string(step) + ", " + told.what;
                m_observer.evaluationProgressed(told);
                m_control.waitWhilePaused([] {});
            },
            [this](const eval::AccuracyCurve &curve) { keep(curve); }, m_control.beginEvaluation());
    } catch (const Cancelled &) {
        return false;
    } catch (...) {
        noticeEvaluation(currentError(m_folder.name() + ", evaluation")); // the training itself is well
    }
    return true;
}

std::vector<std::int64_t> Session::missingPoints(const std::vector<eval::AccuracyCurve> &known, std::int64_t step) const
{
    std::vector<std::int64_t> missing = m_config.evaluation_n;
    for (const eval::AccuracyCurve &curve : known) {
        if (curve.step != step || curve.evaluationSeed != m_config.evaluation_seed)
            continue;
        for (const eval::AccuracyPoint &point : curve.points) {
            if (point.sequences == m_config.evaluation_sequences)
                std::erase(missing, point.n_keys);
        }
    }
    return missing;
}

std::vector<eval::AccuracyCurve> Session::knownCurves() const
{
    try {
        return m_folder.readAccuracy();
    } catch (const Error &) {
        return {}; // A damaged file is told when the curve is written.
    }
}

bool Session::isFullyEvaluated() const
{
    const std::vector<eval::AccuracyCurve> known = knownCurves();
    const std::int64_t every = m_config.evaluate_every;
    for (std::int64_t step = every; every > 0 && step < m_config.steps; step += every) {
        if (!missingPoints(known, step).empty())
            return false;
    }
    return !m_isEvaluatingAtEnd || missingPoints(known, m_config.steps).empty();
}

void Session::keep(const eval::AccuracyCurve &curve)
{
    const bool wasFine = m_unwrittenCurves.empty();
    m_unwrittenCurves = eval::mergedCurves(std::move(m_unwrittenCurves), curve);
    writeEvaluations(wasFine);
    m_observer.evaluated(curve);
}

void Session::writeEvaluations(bool isTold)
{
    try {
        for (const eval::AccuracyCurve &curve : m_unwrittenCurves)
            m_folder.writeAccuracy(curve);
        m_unwrittenCurves.clear();
    } catch (...) {
        const Error error = currentError(m_folder.name() + ", evaluation");
        m_evaluationFault = error;
        if (isTold) {
            m_observer.noticed(Error(error.subject(), error.message(),
                                     "The evaluated points wait and are written when it works again.",
                                     error.details()));
        }
    }
}

void Session::noticeEvaluation(const Error &error)
{
    m_evaluationFault = error;
    m_observer.noticed(error);
}

} // namespace lookback::train
