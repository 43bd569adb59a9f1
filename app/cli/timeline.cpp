// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/circuit_choice.h"
#include "app/cli/console.h"
#include "app/cli/heads_text.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_printer.h"
#include "app/cli/values.h"
#include "core/circuit/timeline.h"

namespace lookback::cli {

namespace {

using circuit::HeadMeasure;

constexpr double kFormed = 0.5;
constexpr std::size_t kShownHeads = 4;

class TimelineCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    CircuitChoice m_choice;
    std::vector<std::string> m_steps;
};

/// The heads with the highest value at any checkpoint, at most kShownHeads of those that reach kRetrievalHead.
std::vector<circuit::HeadId> strongest(const std::vector<circuit::HeadTable> &timeline, HeadMeasure measure)
{
    std::vector<std::pair<double, circuit::HeadId>> found;
    for (const circuit::HeadScores &head : timeline.front().heads) {
        double most = 0.0;
        for (const circuit::HeadTable &table : timeline) {
            if (const circuit::HeadScores *then = table.find(head.id); then && then->scores[measure])
                most = std::max(most, then->scores[measure]->value);
        }
        if (most > circuit::kRetrievalHead)
            found.emplace_back(-most, head.id);
    }
    std::ranges::sort(found);
    std::vector<circuit::HeadId> ids;
    for (std::size_t i = 0; i < std::min(found.size(), kShownHeads); ++i)
        ids.push_back(found[i].second);
    return ids;
}

std::string timelineText(const std::vector<circuit::HeadTable> &timeline)
{
    struct Shown {
        HeadMeasure measure;
        circuit::HeadId id;
    };
    std::vector<Shown> shown;
    std::vector<TextTable::Column> columns{{"step", TextTable::Align::Right}, {"right", TextTable::Align::Right}};
    std::string formed;
    for (const HeadMeasure measure :
         {HeadMeasure::PreviousToken, HeadMeasure::KeyMatching, HeadMeasure::SourceWeight}) {
        for (const circuit::HeadId &id : strongest(timeline, measure)) {
            shown.push_back({measure, id});
            columns.push_back({circuit::headText(id) + " " + std::string(circuit::measureInfo(measure).heading),
                               TextTable::Align::Right});
            if (const auto step = circuit::stepOfForming(timeline, id, measure, kFormed))
                formed += "  " + circuit::headText(id) + " " + std::string(circuit::measureInfo(measure).heading)
                    + " from step " + grouped(*step) + " on\n";
        }
    }
    TextTable text(std::move(columns));
    for (const circuit::HeadTable &table : timeline) {
        std::vector<std::string> cells{
            grouped(table.step),
            table.answers > 0 ? percent(static_cast<double>(table.rightAnswers) / static_cast<double>(table.answers))
                              : "-"};
        for (const Shown &one : shown) {
            const circuit::HeadScores *head = table.find(one.id);
            cells.push_back(head && head->scores[one.measure] ? fixed(head->scores[one.measure]->value, 3) : "-");
        }
        text.addRow(std::move(cells));
    }
    const circuit::HeadTable &last = timeline.back();
    return last.variant + ", n = " + grouped(last.request.n_keys) + ", " + grouped(last.request.sequences)
        + " sequences a checkpoint\n" + text.text()
        + (formed.empty() ? std::string() : "\nAt " + fixed(kFormed, 1) + " or above to the end:\n" + formed);
}

void TimelineCommand::declare(CLI::App &app)
{
    app.description(
        "Measures the heads of each checkpoint of a run (as \"heads\" does): when, and in which order, the heads form "
        "that look back one token, match the key and look the value up. Early checkpoints lie close together (0, 1, 2, "
        "4, ... 512). What was measured is kept in the run folder.");
    m_choice.declare(app, "as at the end of training", 64,
                     "One JSON object a line for each checkpoint and head, as of \"heads --json\".",
                     "The same as CSV, as of \"heads --csv\".");
    app.add_option("--steps", m_steps, "Checkpoints: 0,64,1000 (default: all that the run has).")
        ->type_name("LIST")
        ->group("What to look at")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.footer("  lookback-cli timeline lookback-runs/hybrid_square-seed0\n"
               "  lookback-cli timeline lookback-runs/rope-seed0 --n 8 --sequences 256 \\\n"
               "      --csv > timeline.csv");
}

int TimelineCommand::run(const Session &session)
{
    m_choice.check();
    if (m_choice.nKeys().size() > 1)
        throw UsageError("--n", "A timeline has one length.", "Name one.");
    const std::vector<std::int64_t> steps = countList("--steps", m_steps, 0, 1'000'000'000'000);
    session.beginComputing();
    const std::vector<SelectedRun> runs = m_choice.run(session);
    if (runs.empty())
        return kFailed;
    const SelectedRun &run = runs.front();
    const std::string folder = run.folder.path().string();
    const circuit::TimelineRequest request{
        .heads = {.n_keys = m_choice.nKeys().empty() ? run.record.config.n_keys : m_choice.nKeys().front(),
                  .sequences = m_choice.sequences()},
        .steps = steps};
    const ComputeOptions compute = m_choice.compute();
    Interrupt interrupt;
    ProgressPrinter printer(m_choice.isQuiet());
    const auto show = [&](const Progress &progress) {
        printer.show({{run.folder.name(), progress.done, progress.total, progressText(progress)}});
    };
    std::vector<circuit::HeadTable> timeline;
    std::string csv = headsCsvHeader();
    const auto onTable = [&](const circuit::HeadTable &table) {
        if (m_choice.form() != OutputForm::Text) {
            printer.clear();
            print(m_choice.form() == OutputForm::Json
                      ? headsJson(folder, table)
                      : (timeline.empty() ? headsCsvHeader() : std::string()) + headsCsv(folder, table));
        }
        csv += headsCsv(folder, table);
        timeline.push_back(table);
    };
    std::vector<std::string> notes;
    bool isStopped = false;
    try {
        circuit::measureTimeline(folder, request, compute, show, onTable, interrupt.token(), &notes);
    } catch (const Cancelled &) {
        isStopped = true;
    }
    printer.clear();
    interrupt.settle();
    for (const std::string &sentence : notes)
        note(sentence);
    if (m_choice.form() == OutputForm::Text && !timeline.empty())
        print(timelineText(timeline));
    if (!isStopped) {
        m_choice.writeNpy(csv);
        return kDone;
    }
    printError("Stopped; what is above is finished, and kept.\n");
    return interrupt.exitCode();
}

} // namespace

std::unique_ptr<Command> makeTimelineCommand()
{
    return std::make_unique<TimelineCommand>();
}

} // namespace lookback::cli
