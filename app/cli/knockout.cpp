// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/circuit_choice.h"
#include "app/cli/circuit_sitting.h"
#include "app/cli/console.h"
#include "app/cli/knockout_text.h"
#include "app/cli/values.h"

namespace lookback::cli {

namespace {

class KnockoutCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    void check() const;
    void knockOut(const CircuitSitting &sitting) const;

    CircuitChoice m_choice;
    std::string m_mode;
    bool m_isEach = false;
    bool m_isSmallest = false;
    circuit::Removal m_removal = circuit::Removal::Zero;
};

void KnockoutCommand::declare(CLI::App &app)
{
    app.description(
        "Removes heads of a trained model and measures exact match before and after, on the same evaluation sequences: "
        "the difference with a 95 % interval over sequences, and McNemar's test over answers. A difference of less "
        "than "
        "two standard errors is called \"not distinguishable here\".\n\n"
        "--each removes every head alone. --smallest searches, head by head, for a small set whose removal ends "
        "retrieval, and for a small set that alone keeps it.");
    m_choice.declare(app, "as at the end of training", 128,
                     "One JSON object a line for each length, head (--each) or step (--smallest): run, variant, step, "
                     "n_keys, heads, mode, before, after, difference, low, high, distinguishable, p, ...",
                     "The same as CSV.");
    m_choice.declareStep(app);
    m_choice.declareHeads(app, "Head to remove, for example 5:2; may be repeated, all are removed together.");
    app.add_option("--mode", m_mode,
                   "zero: the heads add nothing. mean: they add what they add on average at that place of an entry. "
                   "uniform: they look at all that they may see alike (default: zero; with --smallest mean).")
        ->type_name("zero|mean|uniform")
        ->group("How");
    app.add_flag("--each", m_isEach, "Every head alone, at one length.")->group("What to look at");
    app.add_flag("--smallest", m_isSmallest, "The two searches, at one length (default: 32 sequences).")
        ->group("What to look at");
    app.footer("  lookback-cli knockout lookback-runs/hybrid_square-seed0 --head 5:2 \\\n"
               "      --head 7:0 --n 8,64\n"
               "  lookback-cli knockout lookback-runs/rope-seed0 --head 5:2 --mode mean\n"
               "  lookback-cli knockout lookback-runs/rope-seed0 --each --n 8\n"
               "  lookback-cli knockout lookback-runs/rope-seed0 --smallest");
}

void KnockoutCommand::check() const
{
    if (m_isEach && m_isSmallest)
        throw UsageError("--smallest", "It does not go together with --each.", "Choose one of them.");
    const char *search = m_isEach ? "--each" : "--smallest";
    if ((m_isEach || m_isSmallest) && !m_choice.heads().empty())
        throw UsageError("--head", std::string("It does not go together with ") + search + ".", "Choose one of them.");
    if ((m_isEach || m_isSmallest) && m_choice.nKeys().size() > 1)
        throw UsageError("--n", std::string(search) + " looks at one length.", "Name one.");
    if (!m_isEach && !m_isSmallest && m_choice.heads().empty()) {
        throw UsageError("--head", "Say which head to remove, for example --head 5:2.",
                         "--each removes every head alone; lookback-cli heads lists what they do.");
    }
}

void KnockoutCommand::knockOut(const CircuitSitting &sitting) const
{
    const std::string folder = sitting.folder();
    const OutputForm form = m_choice.form();
    if (m_isEach) {
        const circuit::KnockoutGrid grid = sitting.probe.knockOutEach(
            {.removal = m_removal, .n_keys = sitting.length(m_choice), .sequences = m_choice.sequences()}, sitting.show,
            sitting.stop);
        sitting.printer.clear();
        print(form == OutputForm::Text       ? gridText(grid)
                  : form == OutputForm::Json ? gridJson(folder, grid)
                                             : gridCsv(folder, grid));
        m_choice.writeNpy(gridCsv(folder, grid));
        return;
    }
    if (m_isSmallest) {
        const circuit::SmallestSets sets = sitting.probe.smallestSets(
            {.removal = m_removal, .n_keys = sitting.length(m_choice), .sequences = m_choice.sequencesOr(32)},
            sitting.show, {}, sitting.stop);
        sitting.printer.clear();
        print(form == OutputForm::Text       ? smallestText(sets)
                  : form == OutputForm::Json ? smallestJson(folder, sets)
                                             : smallestCsv(folder, sets));
        m_choice.writeNpy(smallestCsv(folder, sets));
        return;
    }
    circuit::Knockout knockout;
    const auto printAll = [&] {
        sitting.printer.clear();
        if (!knockout.points.empty())
            print(form == OutputForm::Text       ? knockoutText(knockout)
                      : form == OutputForm::Json ? knockoutJson(folder, knockout)
                                                 : knockoutCsv(folder, knockout));
    };
    try {
        sitting.probe.knockOut(
            {.intervention = {.heads = m_choice.heads(), .removal = m_removal},
             .n_keys = m_choice.nKeys().empty() ? std::vector{sitting.run.record.config.n_keys} : m_choice.nKeys(),
             .sequences = m_choice.sequences()},
            sitting.show, [&](const circuit::Knockout &soFar) { knockout = soFar; }, sitting.stop);
    } catch (const Cancelled &) {
        printAll();
        throw;
    }
    printAll();
    m_choice.writeNpy(knockoutCsv(folder, knockout));
}

int KnockoutCommand::run(const Session &session)
{
    m_choice.check();
    check();
    m_removal = circuit::removalFromName(choiceValue("--mode",
                                                     !m_mode.empty()    ? m_mode
                                                         : m_isSmallest ? "mean"
                                                                        : "zero",
                                                     {"zero", "mean", "uniform"}),
                                         "--mode");
    return lookIntoHeads(m_choice, session, "Stopped; what is above is finished.\n",
                         [this](const CircuitSitting &sitting) { knockOut(sitting); });
}

} // namespace

std::unique_ptr<Command> makeKnockoutCommand()
{
    return std::make_unique<KnockoutCommand>();
}

} // namespace lookback::cli
