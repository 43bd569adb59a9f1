// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <memory>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/attention_text.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/offscreen.h"
#include "app/cli/retrieving_head.h"
#include "app/cli/run_creation.h"
#include "app/cli/run_group.h"
#include "core/model/variant_registry.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/figures/attention_figure.h"
#include "ui/figures/training_figure.h"

namespace lookback::cli {

namespace {

namespace fs = std::filesystem;

class DemoCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    std::vector<std::string> drawFigures(const std::vector<PlannedRun> &runs, bool isVerbose,
                                         std::stop_token stop) const;

    std::string m_out = "lookback-demo";
    std::string m_steps;
    PictureOptions m_picture;
    bool m_isQuiet = false;
};

void DemoCommand::declare(CLI::App &app)
{
    app.description(
        "Shows in about a minute what Lookback does, without a display: trains two small models, one with "
        "ordinary attention (rope) and one with a short window and squared logits (hybrid_square), evaluates "
        "both on contexts longer than those they were trained on, and draws the figures.");
    app.add_option("--out", m_out,
                   "Folder for the two runs and the pictures training.png, accuracy.png and "
                   "attention.png, which are replaced (default: lookback-demo).")
        ->type_name("DIR")
        ->group("Output");
    app.add_option("--steps", m_steps, "Training steps instead of those of the preset \"tiny\".")
        ->type_name("N")
        ->group("Output");
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
    m_picture.declare(app);
    app.footer("  lookback-cli demo\n"
               "  lookback-cli demo --out /tmp/demo --theme dark");
}

/// "At 16 keys (160 tokens, 4 times the trained length) hybrid_square finds 85 % of the values, rope 12 %."
std::string whatTheyShow(const std::vector<PlannedRun> &runs, const std::vector<RunOutcome> &outcomes)
{
    constexpr const char *kInGeneral =
        "The pictures show how the two designs learn, and how often they find a value by context length.";
    const eval::AccuracyPoint *longest = nullptr;
    for (const RunOutcome &outcome : outcomes) {
        if (!outcome.accuracy || outcome.accuracy->points.empty())
            return kInGeneral;
        if (!longest || outcome.accuracy->points.back().n_keys < longest->n_keys)
            longest = &outcome.accuracy->points.back();
    }
    if (!longest)
        return kInGeneral;
    const std::int64_t trained = runs.front().record.config.trainedTokens();
    std::string text = "With " + grouped(longest->n_keys) + " keys in the context (" + grouped(longest->contextTokens)
        + " tokens, " + significantDigits(static_cast<double>(longest->contextTokens) / static_cast<double>(trained), 2)
        + " times the longest that they were trained on)";
    for (std::size_t i = runs.size(); i-- > 0;) {
        for (const eval::AccuracyPoint &point : outcomes[i].accuracy->points) {
            if (point.n_keys == longest->n_keys) {
                const bool isFirst = i + 1 == runs.size();
                text += (isFirst ? " " : ", ") + runs[i].record.config.variant + (isFirst ? " finds " : " ")
                    + fixed(100.0 * point.accuracy, 0) + (isFirst ? " % of the values" : " %");
            }
        }
    }
    text += ".";
    constexpr double kLearned = 0.9;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto &last = outcomes[i].last;
        if (last && last->retrievalAcc && *last->retrievalAcc < kLearned) {
            text += " In these " + grouped(last->step) + " steps " + runs[i].record.config.variant
                + " had not learned the task itself (" + fixed(100.0 * *last->retrievalAcc, 0)
                + " % of the digits right in training): that shows how fast it learns, not how far it reaches.";
        }
    }
    return text;
}

std::vector<std::string> DemoCommand::drawFigures(const std::vector<PlannedRun> &runs, bool isVerbose,
                                                  std::stop_token stop) const
{
    const Offscreen offscreen(isVerbose);
    const ui::ExportOptions options = m_picture.options();
    const std::vector<model::VariantInfo> variants = model::variants();
    std::vector<run::RunFolder> folders;
    for (const PlannedRun &run : runs)
        folders.push_back(run.folder);
    std::vector<std::string> files;
    const auto write = [&](const ui::Figure &figure, const char *name) {
        files.push_back((fs::path(m_out) / name).string());
        writeFigure(figure, files.back(), options);
    };
    write(*ui::makeTrainingFigure(ui::trainingInput(folders, variants)), "training.png");
    write(*ui::makeAccuracyFigure(ui::accuracyInput(folders, variants, false)), "accuracy.png");
    const PlannedRun &shown = runs.back();
    analysis::AttentionProbe probe(shown.folder.path().string(), -1, shown.compute);
    ui::AttentionFigureInput input;
    const auto example = std::make_shared<const analysis::Example>(probe.example(shown.record.config.n_keys, 0, stop));
    const auto map = std::make_shared<const analysis::HeadMap>(retrievingHead(probe, *example, -1, -1, stop));
    input.example = example;
    input.map = map;
    const std::int64_t query = clearestQuery(*example, *map);
    input.cell = {query, strongestKey(*map, query)};
    input.record = shown.record;
    write(*ui::makeAttentionFigure(input), "attention.png");
    return files;
}

int DemoCommand::run(const Session &session)
{
    m_picture.options(); // refuses bad ones before anything is computed
    std::vector<RunConfig> configs;
    for (const char *variant : {"rope", "hybrid_square"}) {
        RunConfig config = presetConfig("tiny");
        config.variant = variant;
        asUsage([&] {
            if (!m_steps.empty())
                setField(config, "steps", m_steps);
            model::requireRunnable(config);
        });
        configs.push_back(config);
    }
    if (m_out.empty())
        throw UsageError("--out", "The name of the folder is empty.");
    session.beginComputing();
    Interrupt interrupt;
    const std::vector<PlannedRun> runs = createRuns(m_out, configs, "tiny", {"cpu", 1});
    ProgressPrinter printer(m_isQuiet);
    const RunConfig &config = configs.front();
    const std::int64_t shortest = config.contextTokens(config.nKeysAtStep(1));
    const std::int64_t longest = config.trainedTokens();
    printer.say("Training rope and hybrid_square on sequences of "
                + (shortest < longest ? grouped(shortest) + " to " : std::string()) + grouped(longest) + " tokens, "
                + grouped(config.steps) + " steps each.");
    const std::vector<RunOutcome> outcomes =
        trainSideBySide(runs, std::min(2, machineInfo().cores), true, printer, interrupt.token());
    for (const RunOutcome &outcome : outcomes) {
        if (outcome.state != run::RunState::Finished || outcome.isEvaluationLost)
            return reportOutcomes(runs, outcomes, false, session.isVerbose, interrupt.exitCode());
    }
    const std::vector<std::string> files = drawFigures(runs, session.isVerbose, interrupt.token());
    print(outcomeTable(runs, outcomes) + "\n");
    for (const std::string &file : files)
        printWritten(file);
    print("\n" + wrapped(whatTheyShow(runs, outcomes), 80, 0) + "\n");
    return kDone;
}

} // namespace

std::unique_ptr<Command> makeDemoCommand()
{
    return std::make_unique<DemoCommand>();
}

} // namespace lookback::cli
