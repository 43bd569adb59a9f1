// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/circuit_choice.h"
#include "app/cli/circuit_sitting.h"
#include "app/cli/console.h"
#include "app/cli/heads_text.h"
#include "app/cli/values.h"

namespace lookback::cli {

namespace {

class HeadsCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    CircuitChoice m_choice;
    std::string m_sort;
};

void HeadsCommand::declare(CLI::App &app)
{
    app.description(
        "Measures what each head of a checkpoint does while values are retrieved: whether it looks the value up, "
        "matches "
        "the key, looks a fixed number of tokens back, or rests. Means over evaluation sequences with 95 % intervals; "
        "answers whose value stands within the window are left out. Measured once: the numbers are kept in the run "
        "folder. Heads are written layer:head, both counted from 0.");
    m_choice.declare(app, "as at the end of training", 256,
                     "One JSON object a line for each head, key-value head and layer: run, variant, step, n_keys, "
                     "sequences, kind, layer, head, kv_head, measures ([mean, low, high] each), offsets.",
                     "The same as CSV, one line a measure: run, variant, step, n_keys, sequences, kind, layer, head, "
                     "kv_head, measure, value, low, high.");
    m_choice.declareStep(app);
    std::string ids;
    for (const circuit::MeasureInfo &info : circuit::headMeasures())
        ids += (ids.empty() ? "" : ", ") + std::string(info.id);
    app.add_option("--sort", m_sort,
                   "Largest first, by a measure, in every form: " + ids + " (default: by layer and head).")
        ->type_name("NAME")
        ->group("Output");
    app.footer("  lookback-cli heads lookback-runs/hybrid_square-seed0 --n 8 --sequences 256\n"
               "  lookback-cli heads lookback-runs/rope-seed0 --n 8,64,256 \\\n"
               "      --sequences 32 --csv > heads.csv\n"
               "  lookback-cli heads lookback-runs/rope-seed0 --sort retrieval");
}

int HeadsCommand::run(const Session &session)
{
    m_choice.check();
    std::optional<circuit::HeadMeasure> sort;
    if (!m_sort.empty())
        sort = asUsage([&] { return circuit::measureFromId(m_sort); });
    return lookIntoHeads(
        m_choice, session, "Stopped; what is above is finished, and kept.\n", [&](const CircuitSitting &sitting) {
            std::vector<std::int64_t> lengths = m_choice.nKeys();
            if (lengths.empty())
                lengths = {sitting.run.record.config.n_keys};
            bool isFirst = true;
            std::string csv = headsCsvHeader();
            for (const std::int64_t n : lengths) {
                std::vector<std::string> notes;
                circuit::HeadTable table = sitting.probe.heads({.n_keys = n, .sequences = m_choice.sequences()},
                                                               sitting.show, sitting.stop, &notes);
                if (sort)
                    table = sortedBy(std::move(table), *sort);
                sitting.printer.clear();
                for (const std::string &sentence : notes)
                    note(sentence);
                switch (m_choice.form()) {
                case OutputForm::Text:
                    print((isFirst ? "" : "\n") + headsText(table));
                    break;
                case OutputForm::Json:
                    print(headsJson(sitting.folder(), table));
                    break;
                case OutputForm::Csv:
                    print((isFirst ? headsCsvHeader() : std::string()) + headsCsv(sitting.folder(), table));
                    break;
                }
                csv += headsCsv(sitting.folder(), table);
                isFirst = false;
            }
            m_choice.writeNpy(csv);
        });
}

} // namespace

std::unique_ptr<Command> makeHeadsCommand()
{
    return std::make_unique<HeadsCommand>();
}

} // namespace lookback::cli
