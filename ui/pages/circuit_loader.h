// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/run/run_service.h"

namespace lookback::ui {

class RunBridge;

/// What can be measured; in the order of run::CircuitTask.
enum class CircuitPart { Heads, Grid, Knockout, Example, Sets, Timeline, Failures, Context, Patch, Map };
inline constexpr std::size_t kCircuitParts = 10;

/// What the page looks at.
struct CircuitSubject {
    run::RunId run;
    std::int64_t step = 0;
    std::int64_t n_keys = 8;
    std::int64_t sequences = 256;
    circuit::Removal removal = circuit::Removal::Zero;
    bool operator==(const CircuitSubject &) const = default;
};

/// How much is asked for when something else is looked at.
enum class CircuitAsking {
    Everything,
    ExampleOnly, ///< While checkpoints are played: what is quick. Heads and removals are shown if they are known.
};

/// Fetches what the circuit page shows and keeps what has come. Of a subject the heads are measured first, then every
/// head is removed alone; the rest on request. What belongs to a former subject stays to be seen, but is not current.
/// Answers to older questions are dropped by their job number. Lives on the GUI thread.
class CircuitLoader : public QObject {
    Q_OBJECT

public:
    explicit CircuitLoader(RunBridge *bridge, QObject *parent = nullptr);

    void setSubject(const CircuitSubject &subject, CircuitAsking asking = CircuitAsking::Everything);
    const std::optional<CircuitSubject> &subject() const { return m_subject; }
    /// Forgets everything; answers under way are dropped.
    void clear();
    /// Forgets what is kept of this subject and measures it anew.
    void measureAgain();
    /// Heads that are removed together (none: the example is that of the intact model), and the evaluation sequence
    /// that is looked at under it. The map is that of the last head.
    void setRemoved(const std::vector<circuit::HeadId> &heads);
    void setSequence(std::int64_t sequence);
    /// Whether the map of a head on the example is asked for, too. Not of more than kMostMapKeys keys.
    static constexpr std::int64_t kMostMapKeys = 64;
    bool hasMap() const { return m_subject && m_subject->n_keys <= kMostMapKeys && !m_removed.empty(); }
    void measureTimeline();
    /// What searchSets() asks: its sequences are fewer than the page's.
    circuit::SearchRequest searchRequest() const;
    void searchSets();
    void findFailures();
    void measureByContext(const std::vector<circuit::HeadRequest> &lengths);
    void patch(const circuit::PatchRequest &request);
    /// Takes back what is under way; what has come stays.
    void cancel();
    void cancel(CircuitPart part);

    // Null while not known.
    const std::shared_ptr<const circuit::HeadTable> &heads() const { return m_heads; }
    const std::shared_ptr<const circuit::KnockoutGrid> &grid() const { return m_grid; }
    const std::shared_ptr<const circuit::Knockout> &knockout() const { return m_knockout; }
    const std::shared_ptr<const circuit::ExampleUnder> &example() const { return m_example; }
    const std::shared_ptr<const circuit::SmallestSets> &sets() const { return m_sets; }
    /// So far; ascending steps.
    const std::shared_ptr<const std::vector<circuit::HeadTable>> &timeline() const { return m_timeline; }
    const std::shared_ptr<const circuit::Failures> &failures() const { return m_failures; }
    /// So far; ascending n.
    const std::shared_ptr<const circuit::ContextHeads> &byContext() const { return m_byContext; }
    const std::shared_ptr<const circuit::PatchResult> &patched() const { return m_patched; }
    /// Of the last of the removed heads, in the intact model.
    const std::shared_ptr<const analysis::HeadMap> &map() const { return m_map; }
    const Progress &progress(CircuitPart part) const { return m_progress[static_cast<std::size_t>(part)]; }
    /// It answers the present question.
    bool isCurrent(CircuitPart part) const { return m_isCurrent[static_cast<std::size_t>(part)]; }
    bool isPending(CircuitPart part) const { return m_jobs[static_cast<std::size_t>(part)].has_value(); }
    /// Why there is no answer; empty if there is, or nothing was asked.
    const QString &failure(CircuitPart part) const { return m_reasons[static_cast<std::size_t>(part)]; }
    bool isBusy() const;
    /// The last measurement was taken back by cancel().
    bool isCancelled() const { return m_isCancelled; }
    /// What is under way, in words with the remaining time; empty if nothing is.
    QString busyText() const;
    std::optional<double> busyFraction() const;

Q_SIGNALS:
    void changed(lookback::ui::CircuitPart part); ///< Its value, or whether it is current, or its failure.
    void busyChanged();
    void noted(const QString &sentence); ///< Something did not go as it should; the answer is there all the same.

private:
    using Key = std::tuple<run::RunId, std::int64_t, std::int64_t, std::int64_t>; ///< run, step, n, sequences

    Key keyOf(const CircuitSubject &subject) const
    {
        return {subject.run, subject.step, subject.n_keys, subject.sequences};
    }
    /// What was measured of runs that are gone: another one may take their name.
    void forget(const std::vector<run::RunId> &runs);
    void ask(CircuitPart part, run::CircuitTask task);
    void drop(CircuitPart part);
    /// Shows what is known of the subject and asks for the rest.
    void refresh(CircuitAsking asking);
    void refreshRemoved();
    void refreshExample();
    bool canAsk(CircuitPart part) const { return !isCurrent(part) && !isPending(part) && failure(part).isEmpty(); }
    void set(CircuitPart part, bool isCurrent);
    void take(const run::CircuitAnswer &answer);
    void keep(CircuitPart part, const std::shared_ptr<const run::CircuitResult> &result, bool isComplete);

    RunBridge *m_bridge;
    std::optional<CircuitSubject> m_subject;
    std::vector<circuit::HeadId> m_removed;
    std::int64_t m_sequence = 0;
    std::array<std::optional<run::JobId>, kCircuitParts> m_jobs;
    std::array<Progress, kCircuitParts> m_progress;
    std::array<QString, kCircuitParts> m_reasons;
    std::array<bool, kCircuitParts> m_isCurrent{};
    bool m_isCancelled = false;
    // What was measured in this session: the run folder keeps heads, but not the rest.
    std::map<Key, std::shared_ptr<const circuit::HeadTable>> m_knownHeads;
    std::map<std::pair<Key, circuit::Removal>, std::shared_ptr<const circuit::KnockoutGrid>> m_knownGrids;
    std::map<Key, std::shared_ptr<const circuit::ContextHeads>> m_knownContexts;

    std::shared_ptr<const circuit::HeadTable> m_heads;
    std::shared_ptr<const circuit::KnockoutGrid> m_grid;
    std::shared_ptr<const circuit::Knockout> m_knockout;
    std::shared_ptr<const circuit::ExampleUnder> m_example;
    std::shared_ptr<const circuit::SmallestSets> m_sets;
    std::shared_ptr<const std::vector<circuit::HeadTable>> m_timeline;
    std::shared_ptr<const circuit::Failures> m_failures;
    std::shared_ptr<const circuit::ContextHeads> m_byContext;
    std::shared_ptr<const circuit::PatchResult> m_patched;
    std::shared_ptr<const analysis::HeadMap> m_map;
};

} // namespace lookback::ui
