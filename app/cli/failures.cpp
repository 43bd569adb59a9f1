// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <span>

#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/circuit_choice.h"
#include "app/cli/circuit_sitting.h"
#include "app/cli/console.h"
#include "app/cli/line_forms.h"
#include "app/cli/values.h"
#include "core/task/key_value_task.h"

namespace lookback::cli {

namespace {

using circuit::WrongDigit;
using Align = TextTable::Align;

constexpr std::int64_t kMostListed = 100'000'000; // whatever is counted
constexpr std::int64_t kMostInTable = 20; // by default

class FailuresCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    CircuitChoice m_choice;
    std::string m_most;
};

void FailuresCommand::declare(CLI::App &app)
{
    app.description(
        "Lists the wrong answers of an evaluation and says from which entry each wrong digit was taken: the earlier "
        "value "
        "digit with the predicted token on which the retrieval heads put most weight. Counts them by how far that key "
        "is "
        "from the asked one (digits that differ), by the place in the context and by the distance of the right entry.");
    m_choice.declare(app, "as at the end of training", 128,
                     "One JSON object a line for each wrong digit, then one with all counts.",
                     "The wrong digits as CSV.");
    m_choice.declareStep(app);
    m_choice.declareHeads(
        app, "Head that tells where a digit was taken from; may be repeated (default: the retrieval heads).");
    app.add_option("--most", m_most,
                   "List so many wrong digits at most (default: 20 in the table, all with --json, --csv and --npy).")
        ->type_name("N")
        ->group("Output");
    app.footer("  lookback-cli failures lookback-runs/rope-seed0 --n 64\n"
               "  lookback-cli failures lookback-runs/rope-seed0 --n 64 --csv > wrong.csv");
}

std::string keyText(std::int64_t key, std::size_t digits)
{
    std::string text = std::to_string(key);
    if (text.size() < digits)
        text.insert(0, digits - text.size(), '0');
    return text;
}

std::vector<Json> digitLines(const std::string &run, const circuit::Failures &failures)
{
    const std::size_t digits = failures.byKeyDistance.size() - 1;
    std::vector<Json> lines;
    for (const WrongDigit &wrong : failures.list) {
        const auto from = [&](std::int64_t circuit::TakenFrom::*member) {
            return wrong.from ? Json((*wrong.from).*member) : Json(nullptr);
        };
        lines.push_back({{"kind", "digit"},
                         {"run", run},
                         {"variant", failures.variant},
                         {"step", failures.step},
                         {"n_keys", failures.request.n_keys},
                         {"sequence", wrong.sequence},
                         {"entry", wrong.entry},
                         {"first_entry", wrong.firstEntry},
                         {"key", keyText(wrong.key, digits)},
                         {"digit", wrong.digit},
                         {"position", wrong.position},
                         {"truth", task::tokenWord(wrong.truth)},
                         {"predicted", task::tokenWord(wrong.predicted)},
                         {"margin", jsonNumber(wrong.margin)},
                         {"probability", jsonNumber(wrong.probability)},
                         {"from_entry", from(&circuit::TakenFrom::entry)},
                         {"from_position", from(&circuit::TakenFrom::position)},
                         {"from_key", wrong.from ? Json(keyText(wrong.from->key, digits)) : Json(nullptr)},
                         {"key_distance", from(&circuit::TakenFrom::keyDistance)},
                         {"weight", wrong.from ? jsonNumber(wrong.from->weight) : Json(nullptr)}});
    }
    return lines;
}

/// With a header also where nothing is wrong.
std::string csvText(const std::string &run, circuit::Failures failures)
{
    if (!failures.list.empty())
        return csvOf(digitLines(run, failures));
    failures.list.emplace_back();
    const std::string text = csvOf(digitLines(run, failures));
    return text.substr(0, text.find('\n') + 1);
}

Json countsJson(const std::string &run, const circuit::Failures &failures)
{
    const auto bins = [](const std::vector<circuit::FailureCount> &counts) {
        Json list = Json::array();
        for (const circuit::FailureCount &count : counts)
            list.push_back({{"asked", count.asked}, {"wrong", count.wrong}});
        return list;
    };
    Json readers = Json::array();
    for (const circuit::HeadId &id : failures.request.readers)
        readers.push_back(circuit::headText(id));
    Json expected = Json::array();
    for (const double share : failures.expectedByKeyDistance)
        expected.push_back(jsonNumber(share));
    return {{"kind", "counts"},
            {"run", run},
            {"variant", failures.variant},
            {"step", failures.step},
            {"n_keys", failures.request.n_keys},
            {"sequences", failures.request.sequences},
            {"readers", std::move(readers)},
            {"answers", failures.answers},
            {"wrong_answers", failures.wrongAnswers},
            {"digits", failures.digits},
            {"wrong_digits", failures.wrongDigits},
            {"unknown_origin", failures.unknownOrigin},
            {"by_key_distance", failures.byKeyDistance},
            {"expected_by_key_distance", std::move(expected)},
            {"by_place", bins(failures.byPlace)},
            {"by_distance", bins(failures.byDistance)}};
}

std::string binsText(const std::vector<circuit::FailureCount> &counts, const std::string &title)
{
    TextTable table({{title}, {"asked", Align::Right}, {"wrong", Align::Right}, {"share", Align::Right}});
    const auto bins = static_cast<std::int64_t>(counts.size());
    for (std::int64_t i = 0; i < bins; ++i) {
        const circuit::FailureCount &count = counts[static_cast<std::size_t>(i)];
        table.addRow(
            {std::to_string(100 * i / bins) + " to " + std::to_string(100 * (i + 1) / bins) + " %",
             grouped(count.asked), grouped(count.wrong),
             count.asked > 0 ? percent(static_cast<double>(count.wrong) / static_cast<double>(count.asked)) : "-"});
    }
    return table.text();
}

/// The first `most` wrong digits, and all counts.
std::string failuresText(const circuit::Failures &failures, std::int64_t most)
{
    const std::size_t digits = failures.byKeyDistance.size() - 1;
    std::string text = failures.variant + ", step " + grouped(failures.step)
        + ", n = " + grouped(failures.request.n_keys) + ", " + grouped(failures.request.sequences)
        + " sequences: " + grouped(failures.wrongAnswers) + " of " + grouped(failures.answers) + " answers are wrong, "
        + grouped(failures.wrongDigits) + " of " + grouped(failures.digits) + " digits; read by "
        + circuit::headsText(failures.request.readers) + "\n";
    if (failures.wrongDigits == 0)
        return text + "No digit is wrong at this length; a larger --n may show what goes wrong first.\n";
    TextTable list({{"sequence", Align::Right},
                    {"entry", Align::Right},
                    {"key", Align::Right},
                    {"digit"},
                    {"truth"},
                    {"predicted"},
                    {"margin", Align::Right},
                    {"from entry", Align::Right},
                    {"its key", Align::Right},
                    {"differs", Align::Right},
                    {"weight", Align::Right}});
    static constexpr std::array kOrdinals{"first", "second",  "third",  "fourth", "fifth",
                                          "sixth", "seventh", "eighth", "ninth"}; // values have at most nine digits
    const std::int64_t shown = std::min(most, std::ssize(failures.list));
    for (const WrongDigit &wrong : std::span(failures.list).first(static_cast<std::size_t>(shown))) {
        list.addRow({grouped(wrong.sequence), grouped(wrong.entry), keyText(wrong.key, digits),
                     kOrdinals.at(static_cast<std::size_t>(wrong.digit)), task::tokenWord(wrong.truth),
                     task::tokenWord(wrong.predicted), fixed(wrong.margin, 2),
                     wrong.from ? grouped(wrong.from->entry) : "-", wrong.from ? keyText(wrong.from->key, digits) : "-",
                     wrong.from ? std::to_string(wrong.from->keyDistance) : "-",
                     wrong.from ? fixed(wrong.from->weight, 2) : "-"});
    }
    text += list.text();
    if (shown < failures.wrongDigits)
        text += "... " + grouped(failures.wrongDigits - shown) + " more (--most)\n";
    TextTable distances(
        {{"key differs in"}, {"wrong digits", Align::Right}, {"share", Align::Right}, {"at random", Align::Right}});
    const auto known = static_cast<double>(failures.wrongDigits - failures.unknownOrigin);
    for (std::size_t i = 0; i <= digits; ++i) {
        distances.addRow({i == 0       ? std::string("nothing (right key)")
                              : i == 1 ? "1 digit"
                                       : std::to_string(i) + " digits",
                          grouped(failures.byKeyDistance[i]),
                          known > 0.0 ? percent(static_cast<double>(failures.byKeyDistance[i]) / known) : "-",
                          known > 0.0 ? percent(failures.expectedByKeyDistance[i]) : "-"});
    }
    distances.addRow({"unknown", grouped(failures.unknownOrigin), "", ""});
    return text + "\n" + distances.text() + "\n" + binsText(failures.byPlace, "place in the context") + "\n"
        + binsText(failures.byDistance, "right entry lies back");
}

int FailuresCommand::run(const Session &session)
{
    m_choice.check();
    if (m_choice.nKeys().size() > 1)
        throw UsageError("--n", "One length at a time.", "Name one.");
    const bool isText = m_choice.form() == OutputForm::Text;
    const bool hasMost = !m_most.empty();
    const std::int64_t most = hasMost ? countValue("--most", m_most, 0, kMostListed) : kMostListed;
    return lookIntoHeads(m_choice, session, "Stopped before the end.\n", [&](const CircuitSitting &sitting) {
        const circuit::Failures failures = sitting.probe.failures({.n_keys = sitting.length(m_choice),
                                                                   .sequences = m_choice.sequences(),
                                                                   .readers = m_choice.heads(),
                                                                   .mostListed = most},
                                                                  sitting.show, sitting.stop);
        sitting.printer.clear();
        const std::string folder = sitting.folder();
        if (isText) {
            print(failuresText(failures, hasMost ? most : kMostInTable));
        } else if (m_choice.form() == OutputForm::Csv) {
            print(csvText(folder, failures));
        } else {
            print(linesOf(digitLines(folder, failures)) + jsonLine(countsJson(folder, failures)) + "\n");
        }
        m_choice.writeNpy(csvText(folder, failures));
    });
}

} // namespace

std::unique_ptr<Command> makeFailuresCommand()
{
    return std::make_unique<FailuresCommand>();
}

} // namespace lookback::cli
