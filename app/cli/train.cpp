// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_creation.h"
#include "app/cli/run_group.h"
#include "app/cli/values.h"
#include "app/cli/variant_choice.h"
#include "core/json.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint_store.h"
#include "core/run/speed_estimate.h"
#include "core/train/schedule.h"

namespace lookback::cli {

namespace {

[[noreturn]] void refuseWarmup(const RunConfig &config)
{
    throw UsageError("--set warmup_steps=" + std::to_string(config.warmup_steps),
                     "This warm-up does not fit into a training of " + std::to_string(config.steps) + " steps.",
                     "Choose a shorter one, for example --set warmup_steps="
                         + std::to_string(train::warmupFor(config.steps, config.warmup_steps))
                         + ", or leave it out: then it follows the steps.");
}

class TrainCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    std::vector<RunConfig> configurations() const;
    /// By --set.
    bool isSet(std::string_view field) const;
    void printPlan(const std::vector<RunConfig> &configs, const ComputeOptions &compute, int jobs) const;
    void noteShorterWarmup(const RunConfig &config) const;
    void noteNeighbours(const std::vector<RunConfig> &configs) const;

    std::vector<std::string> m_variants;
    std::string m_preset = "laptop";
    std::string m_seed;
    std::vector<std::string> m_seeds;
    std::string m_steps;
    std::vector<std::string> m_settings;
    std::string m_out = "lookback-runs";
    std::string m_jobs;
    ComputeChoice m_compute;
    bool m_isWithoutEvaluation = false;
    bool m_isDryRun = false;
    bool m_isQuiet = false;
    bool m_isJson = false;
};

void TrainCommand::declare(CLI::App &app)
{
    app.description(
        "Trains one or more attention variants and keeps each run in a folder of its own.\n\n"
        "A run learns to find the value of a key that it saw before in a list of key-value pairs. At the end it is "
        "evaluated on contexts longer than those it was trained on. Several runs train side by side. Ctrl-C saves "
        "a checkpoint of each and ends; \"lookback-cli resume\" continues them.");
    const std::string what = "What to train";
    app.add_option("--variant", m_variants,
                   "Attention design, or several, or \"all\"; \"lookback-cli variants\" lists "
                   "them.")
        ->type_name("NAME...")
        ->group(what);
    app.add_option("--preset", m_preset,
                   "tiny (seconds), laptop, or paper (as published, hours on a CPU) "
                   "(default: laptop).")
        ->type_name("NAME")
        ->group(what);
    app.add_option("--seed", m_seed, "Decides initial weights and training data (default: 0).")
        ->type_name("N")
        ->group(what);
    app.add_option("--seeds", m_seeds, "Several seeds, one run of each variant for each: 0-4 or 0,2,5.")
        ->type_name("LIST")
        ->group(what);
    app.add_option("--steps", m_steps, "Training steps instead of the preset's; the warm-up follows.")
        ->type_name("N")
        ->group(what);
    app.add_option("--set", m_settings,
                   "Change any other setting of the preset, for example d_model=64 batch=32; "
                   "\"lookback-cli settings\" lists them.")
        ->type_name("NAME=VALUE...")
        ->group(what);
    const std::string where = "Where and how";
    app.add_option("--out", m_out, "Folder that gets a folder VARIANT-seedN for each run (default: lookback-runs).")
        ->type_name("DIR")
        ->group(where);
    app.add_option("--jobs", m_jobs, "Runs that train side by side; the others wait (default: as many as cores).")
        ->type_name("N")
        ->group(where);
    m_compute.declare(app, where,
                      "CPU threads of each run; with --kernels reference results depend on it (default: 1; all "
                      "cores if runs train one at a time).");
    m_compute.declareKernels(app, where);
    m_compute.declarePrecision(app, where);
    app.add_flag("--no-evaluation", m_isWithoutEvaluation, "Do not evaluate at the end.")->group(where);
    const std::string output = "Output";
    app.add_flag("--dry-run", m_isDryRun, "Only say what would be trained; write nothing.")->group(output);
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group(output);
    app.add_flag("--json", m_isJson,
                 "At the end one JSON object a run and line on standard output instead of the "
                 "table.")
        ->group(output);
    app.footer("  lookback-cli train --variant hybrid_square --preset tiny\n"
               "      Trains one variant in seconds, into lookback-runs/hybrid_square-seed0.\n"
               "  lookback-cli train --variant rope hybrid_square --seeds 0-2 --out runs\n"
               "      Six runs, as many at once as this machine has cores.\n"
               "  lookback-cli train --variant hybrid --preset paper --set window=20\n"
               "      The published set-up with another attention window.");
}

std::vector<RunConfig> TrainCommand::configurations() const
{
    const std::vector<std::string> variants = chosenVariants(m_variants);
    if (variants.empty()) {
        throw UsageError("--variant", "Say which attention design to train, for example --variant hybrid_square.",
                         "\"lookback-cli variants\" lists them.");
    }
    if (!m_seed.empty() && !m_seeds.empty())
        throw UsageError("--seed", "Both --seed and --seeds are given.", "Use one of them.");
    const std::vector<std::uint64_t> seeds =
        m_seeds.empty() ? seedList("--seed", {m_seed.empty() ? "0" : m_seed}) : seedList("--seeds", m_seeds);
    if (m_seeds.empty() && seeds.size() != 1)
        throw UsageError("--seed", "It takes one seed.", "Use --seeds for several.");

    if (m_steps.find_first_of(" \t\r\n") != std::string::npos)
        throw UsageError("--steps " + inQuotes(m_steps), "There is a blank in it.", "Write it without.");
    std::set<std::string> fields;
    for (const std::string &setting : m_settings) {
        const std::string field = setting.substr(0, setting.find('='));
        if (!fields.insert(field).second)
            throw UsageError("--set " + field, "It is given more than once.", "Use one of them.");
    }
    std::vector<RunConfig> configs;
    for (const std::string &variant : variants) {
        for (const std::uint64_t seed : seeds) {
            RunConfig config = presetConfig(m_preset);
            config.variant = variant;
            config.seed = seed;
            if (!m_steps.empty())
                setField(config, "steps", m_steps);
            for (const std::string &setting : m_settings) {
                const std::string field = setting.substr(0, setting.find('='));
                if (field == "seed" && (!m_seed.empty() || !m_seeds.empty()))
                    throw UsageError("--set seed", "The seed is also given by --seed or --seeds.", "Use one of them.");
                if (field == "steps" && !m_steps.empty())
                    throw UsageError("--set steps", "The steps are also given by --steps.", "Use one of them.");
                if (field == "variant")
                    throw UsageError("--set variant", "The variant is chosen with --variant.");
                applySetting(config, setting);
            }
            if ((!m_steps.empty() || isSet("steps")) && !isSet("warmup_steps"))
                config.warmup_steps = train::warmupFor(config.steps, config.warmup_steps);
            else if (config.warmup_steps >= config.steps)
                refuseWarmup(config);
            model::requireRunnable(config);
            configs.push_back(config);
        }
    }
    return configs;
}

bool TrainCommand::isSet(std::string_view field) const
{
    return std::any_of(m_settings.begin(), m_settings.end(), [field](const std::string &setting) {
        return setting.starts_with(field) && setting.substr(field.size()).starts_with('=');
    });
}

void TrainCommand::printPlan(const std::vector<RunConfig> &configs, const ComputeOptions &compute, int jobs) const
{
    std::map<std::string, std::optional<double>> secondsOf; // by variant: the seed makes no difference
    double sum = 0.0;
    double longest = 0.0;
    bool isKnown = true;
    for (const RunConfig &config : configs) {
        const auto [known, isNew] = secondsOf.try_emplace(config.variant);
        if (isNew) {
            run::TrainRequest request;
            request.config = config;
            request.device = compute.device;
            request.threads = compute.threads;
            known->second = run::measuredTrainingSeconds(request);
        }
        const std::optional<double> seconds = known->second;
        isKnown = isKnown && seconds;
        sum += seconds.value_or(0.0);
        longest = std::max(longest, seconds.value_or(0.0));
        if (m_isJson) {
            print(jsonLine({{"variant", config.variant},
                            {"seed", config.seed},
                            {"parameters", model::parameterCount(config)},
                            {"device", compute.device},
                            {"threads", compute.threads},
                            {"estimated_seconds", jsonNumber(seconds)},
                            {"config", Json::parse(configToJson(config))}})
                  + "\n");
        } else {
            print(config.variant + "-seed" + std::to_string(config.seed) + ": " + grouped(model::parameterCount(config))
                  + " parameters, " + grouped(config.steps) + " steps of " + grouped(config.batch)
                  + " sequences of up to " + grouped(config.trainedTokens()) + " tokens"
                  + (seconds ? ", about " + duration(*seconds) : std::string()) + "\n");
        }
    }
    if (!m_isJson) {
        print(grouped(static_cast<std::int64_t>(configs.size())) + (configs.size() == 1 ? " run, " : " runs, ")
              + grouped(jobs) + " at a time, " + grouped(compute.threads)
              + (compute.threads == 1 ? " thread" : " threads") + " each, on " + compute.device
              + ". Nothing was written.\n");
        print(
            isKnown ? "All together about " + duration(std::max(longest, sum / jobs))
                    + ": an estimate from three short steps of each design, measured just now on this machine, without "
                      "evaluations and checkpoints.\n"
                    : std::string("How long it takes is not estimated: a single step would take too long for that.\n"));
    }
}

void TrainCommand::noteShorterWarmup(const RunConfig &config) const
{
    const std::int64_t usual = presetConfig(m_preset).warmup_steps;
    if (config.warmup_steps == usual || isSet("warmup_steps"))
        return;
    note("The warm-up is " + grouped(config.warmup_steps) + (config.warmup_steps == 1 ? " step" : " steps")
         + " instead of the preset's " + grouped(usual)
         + ", a tenth of the steps; --set warmup_steps=N chooses another.");
}

void TrainCommand::noteNeighbours(const std::vector<RunConfig> &configs) const
{
    for (const run::FoundRun &found : run::findRuns(m_out)) {
        if (!found.record)
            continue;
        if (found.record->state == run::RunState::Finished) {
            if (std::find(configs.begin(), configs.end(), found.record->config) != configs.end()) {
                note("\"" + found.folder.string()
                     + "\" is a finished run with exactly these settings; the new one is a copy beside it.");
            }
            continue;
        }
        const auto isSame = [&](const RunConfig &config) {
            return config.variant == found.record->config.variant && config.seed == found.record->config.seed;
        };
        if (std::any_of(configs.begin(), configs.end(), isSame)) {
            note("\"" + found.folder.string()
                 + "\" holds an unfinished run of this variant and seed; a new one starts "
                   "beside it. To continue that one: lookback-cli resume "
                 + shellQuoted(found.folder.string()));
        }
    }
}

int TrainCommand::run(const Session &session)
{
    m_preset = choiceValue("--preset", m_preset, {presetNames().begin(), presetNames().end()});
    const std::vector<RunConfig> configs = asUsage([&] { return configurations(); });
    const int cores = machineInfo().cores;
    const int runCount = static_cast<int>(configs.size());
    int jobs = m_jobs.empty() ? cores : static_cast<int>(countValue("--jobs", m_jobs, 1, 1024));
    jobs = std::min(jobs, runCount);
    session.beginComputing();
    const ComputeOptions compute = m_compute.options(jobs == 1 ? cores : 1);
    if (m_out.empty())
        throw UsageError("--out", "The name of the folder is empty.");
    std::error_code fault; // what is wrong with the path is said where the folder is made
    if (std::filesystem::exists(std::filesystem::path(m_out) / "run.json", fault)) {
        throw UsageError("--out " + m_out, "This is a run itself, not a folder for runs.",
                         "Choose another folder, or continue it with: lookback-cli resume " + shellQuoted(m_out));
    }
    noteShorterWarmup(configs.front());
    if (m_isDryRun) {
        printPlan(configs, compute, jobs);
        return kDone;
    }
    noteNeighbours(configs);
    Interrupt interrupt; // from here on a signal leaves runs that can be continued
    const std::vector<PlannedRun> runs = createRuns(m_out, configs, m_preset, compute);

    ProgressPrinter printer(m_isQuiet);
    for (const PlannedRun &run : runs) {
        printer.say(run.folder.path().string() + ": " + grouped(run.record.config.steps) + " steps, "
                    + grouped(compute.threads) + (compute.threads == 1 ? " thread" : " threads") + ", "
                    + compute.device);
    }
    const run::CheckpointPlan plan = run::checkpointPlan(configs.front());
    const double bytes = plan.bytesAtMost() * runCount;
    printer.say((runCount == 1 ? "It keeps " : "Each keeps ") + grouped(plan.count) + " checkpoints; together "
                + run::bytesInWords(static_cast<std::uint64_t>(bytes)) + " at most");
    const std::filesystem::space_info space = std::filesystem::space(m_out, fault);
    if (!fault && static_cast<double>(space.available) < bytes) {
        note("The disk of " + inQuotes(m_out) + " has " + run::bytesInWords(space.available)
             + " left. What does not fit is told when it happens; the newest complete checkpoint always stays.");
    }
    const std::vector<RunOutcome> outcomes =
        trainSideBySide(runs, jobs, !m_isWithoutEvaluation, printer, interrupt.token());
    interrupt.settle();
    return reportOutcomes(runs, outcomes, m_isJson, session.isVerbose, interrupt.exitCode());
}

} // namespace

std::unique_ptr<Command> makeTrainCommand()
{
    return std::make_unique<TrainCommand>();
}

} // namespace lookback::cli
