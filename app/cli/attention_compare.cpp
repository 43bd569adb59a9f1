// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/attention_compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <CLI/App.hpp>

#include "app/cli/console.h"
#include "app/cli/values.h"
#include "core/analysis/attention_comparison.h"
#include "core/analysis/attention_probe.h"
#include "core/json.h"

namespace lookback::cli {

namespace {

/// How much the weights of the rows that retrieve change, all together.
double changeOfRows(const analysis::Example &example, const analysis::HeadMap &left, const analysis::HeadMap &right)
{
    double sum = 0.0;
    for (const analysis::Answer &answer : example.answers) {
        for (std::int64_t digit = 0; digit < std::ssize(answer.truth); ++digit) {
            const std::int64_t query = example.sequence.predictionPosition(answer.entry, digit);
            for (std::int64_t key = 0; key <= query; ++key)
                sum += std::abs(right.at(query, key) - left.at(query, key));
        }
    }
    return sum;
}

} // namespace

void AttentionCompareChoice::declare(CLI::App &app)
{
    const std::string removing = "Without heads";
    app.add_option("--remove", m_heads, "Look at the model without this head; may be repeated.")
        ->type_name("LAYER:HEAD")
        ->group(removing)
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--mode", m_mode,
                   "zero: removed heads add nothing. mean: they add their mean. uniform: they look at all they may see "
                   "alike (default: zero).")
        ->type_name("zero|mean|uniform")
        ->group(removing);
    const std::string comparing = "Beside something else, and the difference";
    app.add_option("--compare", m_run, "Another run, at the right.")->type_name("RUN")->group(comparing);
    app.add_option("--compare-step", m_step,
                   "Checkpoint at the right: of the other run, or else of this one (default: the newest).")
        ->type_name("N")
        ->group(comparing);
    app.add_flag("--compare-removed", m_isRemoved,
                 "The same checkpoint: intact at the left, without --remove at the right.")
        ->group(comparing);
    app.add_option("--compare-head", m_head, "Head at the right (default: the same as at the left).")
        ->type_name("LAYER:HEAD")
        ->group(comparing);
}

void AttentionCompareChoice::check()
{
    if (!m_step.empty())
        m_stepValue = countValue("--compare-step", m_step, 0, 1'000'000'000'000);
    if (!m_head.empty())
        m_headValue = asUsage([&] { return circuit::headFromText(m_head, "--compare-head"); });
    if (!m_heads.empty()) {
        for (const std::string &name : nameList("--remove", m_heads))
            m_intervention.heads.push_back(asUsage([&] { return circuit::headFromText(name, "--remove"); }));
    }
    if (!m_mode.empty())
        m_intervention.removal = asUsage([&] { return circuit::removalFromName(m_mode, "--mode"); });
    m_intervention = circuit::normalised(m_intervention);
    if (m_isRemoved && m_heads.empty())
        throw UsageError("--compare-removed", "It needs the heads to be removed.", "Add --remove LAYER:HEAD.");
    if (m_isRemoved && (!m_run.empty() || m_stepValue)) {
        throw UsageError("--compare-removed", "It does not go together with --compare and --compare-step.",
                         "Compare one thing at a time.");
    }
    if (!m_mode.empty() && m_heads.empty())
        throw UsageError("--mode", "It says how heads are removed, and none is.", "Add --remove LAYER:HEAD.");
    if (m_headValue && !isComparing()) {
        throw UsageError("--compare-head", "There is no right side.",
                         "Add --compare, --compare-step or --compare-removed.");
    }
}

void AttentionCompareChoice::requireHeads(const RunConfig &config) const
{
    asUsage([&] { circuit::requireHeads(m_intervention.heads, config.pairs, config.query_heads); });
}

std::optional<SelectedRun> AttentionCompareChoice::rightRun(const SelectedRun &left, const Session &session) const
{
    SelectedRun right = left;
    if (!m_run.empty()) {
        std::vector<SelectedRun> runs = selectRuns({m_run}, session).runs;
        if (runs.empty())
            return {};
        if (runs.size() != 1) {
            throw UsageError("--compare",
                             inQuotes(m_run) + " holds " + grouped(static_cast<std::int64_t>(runs.size())) + " runs.",
                             "Name one of them.");
        }
        right = std::move(runs.front());
    }
    const std::string reason = analysis::whyNoCommonSequence(left.record.config, right.record.config);
    if (!reason.empty())
        throw UsageError("--compare " + m_run, reason, "Choose runs of the same task.");
    if (m_headValue) {
        const RunConfig &config = right.record.config;
        asUsage([&] { circuit::requireHeads({*m_headValue}, config.pairs, config.query_heads); });
    }
    return right;
}

std::optional<circuit::HeadId> AttentionCompareChoice::mostChangedHead(analysis::AttentionProbe &leftProbe,
                                                                       const analysis::Example &left,
                                                                       std::int64_t onlyLayer, std::int64_t onlyHead,
                                                                       const ComputeOptions &compute,
                                                                       const std::stop_token &stop) const
{
    if (!m_isRemoved || m_headValue)
        return {};
    const std::int64_t first = std::ranges::min(m_intervention.heads, {}, &circuit::HeadId::layer).layer + 1;
    std::optional<std::pair<bool, double>> bestRank; // softmax first: other maps are on another scale
    std::optional<circuit::HeadId> best;
    analysis::AttentionProbe rightProbe(left.key.runFolder, left.key.step, compute);
    rightProbe.example(left.key.n_keys, left.key.sequence, stop, {}, m_intervention);
    for (std::int64_t layer = first; layer < std::ssize(left.layers); ++layer) {
        if (onlyLayer >= 0 && layer != onlyLayer)
            continue;
        for (std::int64_t head = 0; head < left.heads; ++head) {
            if (onlyHead >= 0 && head != onlyHead)
                continue;
            const analysis::HeadMap intact = leftProbe.headMap(layer, head, stop);
            const std::pair rank(intact.kind == analysis::MapKind::AttentionWeights,
                                 changeOfRows(left, intact, rightProbe.headMap(layer, head, stop)));
            if (!bestRank || rank > *bestRank) {
                bestRank = rank;
                best = {layer, head};
            }
        }
    }
    return best;
}

AttentionCompareChoice::Right AttentionCompareChoice::seeRight(const SelectedRun &right, const analysis::Example &left,
                                                               circuit::HeadId same, const ComputeOptions &compute,
                                                               std::stop_token stop) const
{
    const circuit::HeadId head = m_headValue.value_or(same);
    const RunConfig &config = right.record.config;
    if (head.layer >= config.pairs || head.head >= config.query_heads) {
        throw UsageError("--compare-head", "The right side has no head " + circuit::headText(head) + ".",
                         "Name one of its heads.");
    }
    const std::int64_t step = m_isRemoved ? left.key.step : m_stepValue.value_or(-1);
    analysis::AttentionProbe probe(right.folder.path().string(), step, compute);
    Right seen;
    seen.example = std::make_shared<const analysis::Example>(probe.example(
        left.key.n_keys, left.key.sequence, stop, {}, m_isRemoved ? m_intervention : circuit::Intervention()));
    if (step < 0)
        noteOlderCheckpoint(right.folder, seen.example->key.step);
    seen.map = std::make_shared<const analysis::HeadMap>(probe.headMap(head.layer, head.head, stop));
    return seen;
}

} // namespace lookback::cli
