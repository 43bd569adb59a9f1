// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/circuit_choice.h"
#include "app/cli/circuit_sitting.h"
#include "app/cli/console.h"
#include "app/cli/line_forms.h"
#include "app/cli/values.h"

namespace lookback::cli {

namespace {

class PatchCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    CircuitChoice m_choice;
    std::string m_part = "output";
    std::string m_difference = "value";
};

void PatchCommand::declare(CLI::App &app)
{
    app.description(
        "Runs a sequence A with the pattern or the output of a head as it is on a sequence B, and measures how much of "
        "the answer moves from that of A to that of B: 0 nothing, 1 all of it, in logit difference. B holds another "
        "digit in the value that is asked for, or asks for another key. Pairs that the model does not answer rightly "
        "without it are left out.");
    m_choice.declare(app, "as at the end of training", 64,
                     "One JSON object a line for each head: run, variant, step, n_keys, heads, part, differs, pairs, "
                     "moved, low, high, flipped, logit_difference.",
                     "The same as CSV.");
    m_choice.declareStep(app);
    m_choice.declareHeads(app, "Head to patch; may be repeated, all are patched together (default: each head alone).");
    app.add_option("--part", m_part, "What is taken from B: the head's pattern, or its output (default: output).")
        ->type_name("pattern|output")
        ->group("How");
    app.add_option("--differs", m_difference, "How B differs: by a digit of the value, or by the key (default: value).")
        ->type_name("value|key")
        ->group("How");
    app.footer("  lookback-cli patch lookback-runs/hybrid_square-seed0 --part pattern \\\n"
               "      --differs key\n"
               "  lookback-cli patch lookback-runs/hybrid_square-seed0 --head 5:2 --head 7:0");
}

std::vector<Json> linesFor(const std::string &run, const circuit::PatchResult &result)
{
    std::vector<Json> lines;
    for (const circuit::PatchEffect &effect : result.effects) {
        Json heads = Json::array();
        for (const circuit::HeadId &id : effect.heads)
            heads.push_back(circuit::headText(id));
        const auto number = [&](double circuit::Measured::*member) {
            return effect.moved ? jsonNumber((*effect.moved).*member) : Json(nullptr);
        };
        lines.push_back({{"run", run},
                         {"variant", result.variant},
                         {"step", result.step},
                         {"n_keys", result.request.n_keys},
                         {"heads", std::move(heads)},
                         {"part", circuit::patchPartName(result.request.part)},
                         {"differs", circuit::patchDifferenceName(result.request.difference)},
                         {"tried", result.tried},
                         {"pairs", result.sequences},
                         {"moved", number(&circuit::Measured::value)},
                         {"low", number(&circuit::Measured::low)},
                         {"high", number(&circuit::Measured::high)},
                         {"flipped", effect.flipped},
                         {"logit_difference", jsonNumber(result.logitDifference)}});
    }
    return lines;
}

/// Three decimals, without a zero that is negative.
std::string shareText(double share)
{
    const std::string text = fixed(share, 3);
    return text == "-0.000" ? "0.000" : text;
}

std::string textFor(const circuit::PatchResult &result)
{
    using Align = TextTable::Align;
    TextTable table({{"heads"}, {"moved", Align::Right}, {"95 %", Align::Right}, {"flipped", Align::Right}});
    for (const circuit::PatchEffect &effect : result.effects)
        table.addRow({circuit::headsText(effect.heads), effect.moved ? shareText(effect.moved->value) : "-",
                      effect.moved ? shareText(effect.moved->low) + ".." + shareText(effect.moved->high) : "-",
                      grouped(effect.flipped) + " of " + grouped(result.sequences)});
    return result.variant + ", step " + grouped(result.step) + ", n = " + grouped(result.request.n_keys) + ", "
        + std::string(circuit::patchPartName(result.request.part)) + " from sequences with another "
        + std::string(circuit::patchDifferenceName(result.request.difference)) + ": " + grouped(result.sequences)
        + " of " + grouped(result.tried) + " pairs answered rightly\n" + table.text();
}

int PatchCommand::run(const Session &session)
{
    m_choice.check();
    if (m_choice.nKeys().size() > 1)
        throw UsageError("--n", "Patching looks at one length.", "Name one.");
    circuit::PatchRequest request{
        .heads = m_choice.heads(),
        .part = circuit::patchPartFromName(choiceValue("--part", m_part, {"pattern", "output"}), "--part"),
        .difference =
            circuit::patchDifferenceFromName(choiceValue("--differs", m_difference, {"key", "value"}), "--differs"),
        .sequences = m_choice.sequences()};
    return lookIntoHeads(m_choice, session, "Stopped before the end.\n", [&](const CircuitSitting &sitting) {
        request.n_keys = sitting.length(m_choice);
        const circuit::PatchResult result = sitting.probe.patch(request, sitting.show, sitting.stop);
        sitting.printer.clear();
        const std::vector<Json> lines = linesFor(sitting.folder(), result);
        print(m_choice.form() == OutputForm::Text       ? textFor(result)
                  : m_choice.form() == OutputForm::Json ? linesOf(lines)
                                                        : csvOf(lines));
        m_choice.writeNpy(csvOf(lines));
    });
}

} // namespace

std::unique_ptr<Command> makePatchCommand()
{
    return std::make_unique<PatchCommand>();
}

} // namespace lookback::cli
