// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_text.h"
#include "app/cli/progress_printer.h"
#include "app/cli/values.h"
#include "app/cli/variant_choice.h"
#include "core/bench/bench.h"

namespace lookback::cli {

namespace {

using bench::BenchResult;

class BenchCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    bench::BenchRequest request() const;
    int repetitions(int usual) const;
    void requireGoalsAlone() const;
    using RowFunction = std::function<std::vector<std::string>(const BenchResult &)>;
    using RunFunction = std::function<void(const std::function<void(const BenchResult &)> &onResult,
                                           const ProgressFunction &progress, const std::stop_token &stop)>;
    /// Runs, and prints each result as JSON, or all of them as a table with `note` below it.
    int measure(const ComputeOptions &compute, const std::vector<TextTable::Column> &columns, const RowFunction &row,
                const std::string &note, const RunFunction &run) const;
    int runGoals(const Session &session);

    std::vector<std::string> m_variants;
    std::string m_preset = "paper";
    std::string m_nKeys;
    std::vector<std::string> m_evaluationN;
    std::string m_repetitions;
    std::vector<std::string> m_settings;
    ComputeChoice m_compute;
    bool m_isWithoutEvaluation = false;
    bool m_isAgainstGoals = false;
    bool m_isQuiet = false;
    bool m_isJson = false;
};

void BenchCommand::declare(CLI::App &app)
{
    app.description("Measures how fast this machine trains and evaluates each variant, and which share that is of its "
                    "matrix-product rate, measured in the same run. GFLOP/s count the nominal arithmetic of the "
                    "configuration, the masked half of full attention included.");
    const std::string what = "What to measure";
    app.add_option("--variant", m_variants, "Attention design, or several (default: all).")
        ->type_name("NAME...")
        ->group(what);
    app.add_option("--preset", m_preset, "tiny, laptop or paper (default: paper).")->type_name("NAME")->group(what);
    app.add_option("--set", m_settings, "Change a setting of the preset, as for train.")
        ->type_name("NAME=VALUE...")
        ->group(what);
    app.add_option("--n", m_nKeys, "Unique keys of the training step (default: the preset's, 8 for paper).")
        ->type_name("N")
        ->group(what);
    app.add_option("--evaluation-n", m_evaluationN,
                   "Unique keys of the evaluated sequences (default: 64,256; those "
                   "that the key digits do not allow are left out).")
        ->type_name("LIST")
        ->group(what)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--no-evaluation", m_isWithoutEvaluation, "Only training steps.")->group(what);
    app.add_flag(
           "--goals", m_isAgainstGoals,
           "What this program promises, with the goal beside each figure: steps of all variants, two runs side by "
           "side, memory, and a sequence of 131,058 tokens. Takes some minutes; for a quiet machine.")
        ->group(what);
    app.add_option("--repetitions", m_repetitions, "Measured repetitions of each item (default: 5, with --goals 10).")
        ->type_name("N")
        ->group("How");
    m_compute.declare(app, "How", "CPU threads (default: all cores).");
    m_compute.declareKernels(app, "How");
    m_compute.declarePrecision(app, "How");
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
    app.add_flag("--json", m_isJson,
                 "One JSON object an item and line: name, variant, n_keys, threads, precision, "
                 "median_seconds, min_seconds, gflops, roofline_share, and more.")
        ->group("Output");
    app.footer("  lookback-cli bench --variant hybrid_square\n"
               "  lookback-cli bench --goals\n"
               "  lookback-cli bench --preset paper --n 8 --threads 1 --json > speed.jsonl");
}

bench::BenchRequest BenchCommand::request() const
{
    bench::BenchRequest request;
    const std::string preset = choiceValue("--preset", m_preset, {presetNames().begin(), presetNames().end()});
    RunConfig base = presetConfig(preset);
    for (const std::string &setting : m_settings)
        applySetting(base, setting);
    for (const std::string &variant :
         chosenVariants(m_variants.empty() ? std::vector<std::string>{"all"} : m_variants)) {
        RunConfig config = base;
        config.variant = variant;
        request.configs.push_back(config);
    }
    request.n_keys = m_nKeys.empty() ? 0 : countValue("--n", m_nKeys, 1, 1'000'000);
    if (!m_evaluationN.empty()) {
        request.evaluation_n = countList("--evaluation-n", m_evaluationN, 1, 10'000'000);
    } else {
        double most = 1.0; // keys that the digits allow
        for (std::int64_t digit = 0; digit < base.key_digits; ++digit)
            most *= 10.0;
        std::erase_if(request.evaluation_n, [&](std::int64_t n) { return static_cast<double>(n) > most; });
    }
    if (m_isWithoutEvaluation)
        request.evaluation_n.clear();
    constexpr int kUsualRepetitions = 5;
    request.repetitions = repetitions(kUsualRepetitions);
    request.compute.threads = 1; // until it is known what this machine has
    bench::requireMeasurable(request);
    return request;
}

Json resultJson(const BenchResult &result)
{
    return {{"name", result.name},
            {"variant", result.variant},
            {"n_keys", result.n_keys},
            {"sequences", result.sequences},
            {"device", result.device},
            {"threads", result.threads},
            {"precision", result.precision},
            {"repetitions", result.repetitions},
            {"median_seconds", jsonNumber(result.medianSeconds)},
            {"min_seconds", jsonNumber(result.minSeconds)},
            {"max_seconds", jsonNumber(result.maxSeconds)},
            {"tokens_per_second", jsonNumber(result.tokensPerSecond)},
            {"gflops", jsonNumber(result.gflops)},
            {"roofline_share", jsonNumber(result.rooflineShare)},
            {"share_of_alone", jsonNumber(result.shareOfAlone)},
            {"peak_bytes", jsonNumber(result.peakBytes)},
            {"added_bytes", jsonNumber(result.addedBytes)}};
}

std::string megabytes(double bytes)
{
    constexpr double kMiB = 1024.0 * 1024.0;
    return grouped(static_cast<std::int64_t>(bytes / kMiB)) + " MiB";
}

std::string percent(double share)
{
    return fixed(share * 100.0, 0) + " %";
}

/// "share 80 %, 900 MiB", or "-".
std::string goalInWords(const bench::BenchGoal &goal)
{
    std::vector<std::string> words;
    if (goal.leastShare > 0.0)
        words.push_back("share " + percent(goal.leastShare));
    if (goal.leastShareOfAlone > 0.0)
        words.push_back(percent(goal.leastShareOfAlone) + " of alone");
    if (goal.mostSeconds > 0.0)
        words.push_back(fixed(goal.mostSeconds, 1) + " s");
    if (goal.mostBytes > 0.0)
        words.push_back(megabytes(goal.mostBytes));
    if (goal.mostAddedBytes > 0.0)
        words.push_back(megabytes(goal.mostAddedBytes) + " more");
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "-" : text;
}

/// Name and version of what was measured.
std::string heading(const ComputeOptions &compute)
{
    const MachineInfo machine = machineInfo();
    return "lookback-cli " LOOKBACK_VERSION ", LibTorch " + machine.libtorchVersion + ", " + compute.device + ", "
        + grouped(compute.threads) + (compute.threads == 1 ? " thread" : " threads") + " of " + grouped(machine.cores)
        + (machine.cores == 1 ? " core" : " cores");
}

int BenchCommand::repetitions(int usual) const
{
    return m_repetitions.empty() ? usual : static_cast<int>(countValue("--repetitions", m_repetitions, 1, 10'000));
}

void BenchCommand::requireGoalsAlone() const
{
    if (!m_variants.empty() || !m_settings.empty() || !m_nKeys.empty() || !m_evaluationN.empty()
        || m_isWithoutEvaluation || m_preset != "paper")
        throw Error("--goals", "The goals are for configurations of their own.",
                    "Leave out the other options of what to measure, or --goals.");
}

int BenchCommand::measure(const ComputeOptions &compute, const std::vector<TextTable::Column> &columns,
                          const RowFunction &row, const std::string &note, const RunFunction &run) const
{
    Interrupt interrupt;
    ProgressPrinter printer(m_isQuiet);
    TextTable table(columns);
    const auto onResult = [&](const BenchResult &result) {
        if (!m_isJson) {
            table.addRow(row(result));
            return;
        }
        printer.clear();
        Json object = resultJson(result);
        if (m_isAgainstGoals) {
            object["goal"] = goalInWords(result.goal);
            object["meets_goal"] = result.meetsGoal();
        }
        print(jsonLine(object) + "\n");
    };
    const auto show = [&](const Progress &progress) {
        printer.show({{"bench", progress.done, progress.total, progressText(progress)}});
    };
    try {
        run(onResult, show, interrupt.token());
    } catch (const Cancelled &) {
        printer.say("Stopped; what was measured until then follows.");
    }
    printer.clear();
    if (!m_isJson && !table.isEmpty())
        print(heading(compute) + "\n\n" + table.text() + "\n" + note);
    return interrupt.exitCode();
}

int BenchCommand::runGoals(const Session &session)
{
    constexpr int kUsualRepetitions = 10;
    const int repetitions = asUsage([&] {
        requireGoalsAlone();
        return this->repetitions(kUsualRepetitions);
    });
    session.beginComputing();
    const ComputeOptions compute = m_compute.options(machineInfo().cores);
    using Align = TextTable::Align;
    const auto row = [](const BenchResult &result) -> std::vector<std::string> {
        const bool isProduct = result.variant.empty();
        const bool isAdded = result.goal.mostAddedBytes > 0.0;
        return {bench::itemInWords(result),
                isProduct ? "-" : result.variant,
                isProduct ? "-" : grouped(result.n_keys),
                grouped(result.threads),
                fixed(result.medianSeconds * 1e3, 1),
                fixed(result.minSeconds * 1e3, 1),
                fixed(result.maxSeconds * 1e3, 1),
                fixed(result.gflops, 1),
                result.shareOfAlone > 0.0 ? percent(result.shareOfAlone) + " of alone" : percent(result.rooflineShare),
                isAdded ? megabytes(result.addedBytes) + " more" : megabytes(result.peakBytes),
                goalInWords(result.goal),
                result.goal.isAny() ? (result.meetsGoal() ? "yes" : "no") : "-"};
    };
    return measure(compute,
                   {{"item", Align::Left},
                    {"variant", Align::Left},
                    {"n", Align::Right},
                    {"threads", Align::Right},
                    {"median ms", Align::Right},
                    {"fastest", Align::Right},
                    {"slowest", Align::Right},
                    {"GFLOP/s", Align::Right},
                    {"share", Align::Right},
                    {"memory", Align::Right},
                    {"goal", Align::Left},
                    {"met", Align::Left}},
                   row,
                   "share: of the rate of the matrix product with as many threads. It can exceed 100 %: GFLOP/s count "
                   "the\n"
                   "nominal arithmetic, also of cells that a mask hides and that are never computed.\n",
                   [&](const auto &onResult, const auto &show, const std::stop_token &stop) {
                       bench::runGoals(compute, repetitions, onResult, show, stop);
                   });
}

int BenchCommand::run(const Session &session)
{
    if (m_isAgainstGoals)
        return runGoals(session);
    bench::BenchRequest request = asUsage([&] { return this->request(); });
    session.beginComputing();
    request.compute = m_compute.options(machineInfo().cores);
    using Align = TextTable::Align;
    const auto row = [](const BenchResult &result) -> std::vector<std::string> {
        const bool isProduct = result.variant.empty();
        return {bench::itemInWords(result),
                isProduct ? "-" : result.variant,
                isProduct ? "-" : grouped(result.n_keys),
                isProduct ? "-" : grouped(result.sequences),
                fixed(result.medianSeconds * 1e3, 2),
                fixed(result.minSeconds * 1e3, 2),
                isProduct ? "-" : grouped(static_cast<std::int64_t>(result.tokensPerSecond)),
                fixed(result.gflops, 1),
                fixed(result.rooflineShare * 100.0, 1) + " %"};
    };
    return measure(request.compute,
                   {{"item", Align::Left},
                    {"variant", Align::Left},
                    {"n", Align::Right},
                    {"sequences", Align::Right},
                    {"median ms", Align::Right},
                    {"fastest ms", Align::Right},
                    {"tokens/s", Align::Right},
                    {"GFLOP/s", Align::Right},
                    {"share", Align::Right}},
                   row,
                   "share: of the rate of the matrix product above. It can exceed 100 %: GFLOP/s count the nominal "
                   "arithmetic, also of\ncells outside a window that are never computed.\n",
                   [&](const auto &onResult, const auto &show, const std::stop_token &stop) {
                       bench::runBenchmarks(request, onResult, show, stop);
                   });
}

} // namespace

std::unique_ptr<Command> makeBenchCommand()
{
    return std::make_unique<BenchCommand>();
}

} // namespace lookback::cli
