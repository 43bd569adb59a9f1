// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/compute_choice.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_text.h"
#include "app/cli/progress_printer.h"
#include "core/verify/verify.h"

namespace lookback::cli {

namespace {

class VerifyCommand : public Command {
public:
    void declare(CLI::App &app) override;
    int run(const Session &session) override;

private:
    void printRow(const verify::VerifyRow &row) const;

    std::vector<std::string> m_files;
    ComputeChoice m_compute;
    bool m_isQuiet = false;
    bool m_isJson = false;
};

void VerifyCommand::declare(CLI::App &app)
{
    app.description(
        "Checks this build against numbers that an independent implementation computed: builds the model that "
        "each fixture describes and compares logits, loss, accuracies, every gradient and every attention "
        "map, in float32 and float64. Ends with exit code 1 if any difference is beyond its tolerance.");
    app.add_option("FIXTURE", m_files, "Fixture, .safetensors or .json.")->group("What to check");
    m_compute.declare(app, "How", "CPU threads (default: 1).");
    m_compute.declareKernels(app, "How");
    app.add_flag("--quiet", m_isQuiet, "No progress.")->group("Output");
    app.add_flag("--json", m_isJson,
                 "One JSON object a comparison and line: file, quantity, precision, values, "
                 "largest_absolute, largest_relative, tolerance, is_relative, worst, passed.")
        ->group("Output");
    app.footer("  lookback-cli verify tests/fixtures/*.safetensors");
}

std::string differenceText(double difference)
{
    return difference == 0.0 ? "0" : significantDigits(difference, 2);
}

int VerifyCommand::run(const Session &session)
{
    if (m_files.empty())
        throw UsageError("FIXTURE", "Say which fixture to check, for example tests/fixtures/rope.safetensors.");
    session.beginComputing();
    const ComputeOptions compute = m_compute.options(1);
    Interrupt interrupt;
    ProgressPrinter printer(m_isQuiet);
    using Align = TextTable::Align;
    const std::vector<TextTable::Column> columns{{"  quantity", Align::Left},
                                                 {"precision", Align::Left},
                                                 {"values", Align::Right},
                                                 {"largest absolute", Align::Right},
                                                 {"relative", Align::Right},
                                                 {"tolerance", Align::Right},
                                                 {"", Align::Left}};
    std::int64_t comparisons = 0;
    std::int64_t failures = 0;
    bool isUnreadable = false;
    for (const std::string &file : m_files) {
        verify::VerifyReport report;
        try {
            report = verify::verifyFixture(
                file, compute,
                [&](const Progress &progress) {
                    printer.show({{file, progress.done, progress.total, progressText(progress)}});
                },
                interrupt.token());
        } catch (const Error &error) {
            printer.clear();
            printError(error, session.isVerbose); // the other files are checked all the same
            isUnreadable = true;
            continue;
        } catch (const Cancelled &) {
            break;
        }
        printer.clear();
        TextTable table(columns);
        isUnreadable = isUnreadable || report.rows.empty();
        for (const verify::VerifyRow &row : report.rows) {
            ++comparisons;
            failures += row.passed ? 0 : 1;
            if (m_isJson) {
                printRow(row);
                continue;
            }
            table.addRow({"  " + row.quantity, row.precision, grouped(row.values), differenceText(row.largestAbsolute),
                          differenceText(row.largestRelative),
                          differenceText(row.tolerance) + (row.isRelative ? " relative" : " absolute"),
                          row.passed ? "ok" : "BEYOND TOLERANCE" + (row.worst.empty() ? "" : ", worst: " + row.worst)});
        }
        if (m_isJson)
            continue;
        print(printable(file) + "\n");
        for (const std::string &sentence : report.notes)
            print("  " + sentence + "\n");
        print(table.text() + "\n");
    }
    if (!m_isJson && comparisons > 0) {
        print(grouped(comparisons - failures) + " of " + grouped(comparisons)
              + " comparisons are within their tolerance.\n");
    }
    if (interrupt.isAsked())
        return interrupt.exitCode();
    return failures > 0 || isUnreadable ? kFailed : kDone;
}

void VerifyCommand::printRow(const verify::VerifyRow &row) const
{
    print(jsonLine({{"file", row.file},
                    {"quantity", row.quantity},
                    {"precision", row.precision},
                    {"values", row.values},
                    {"largest_absolute", jsonNumber(row.largestAbsolute)},
                    {"largest_relative", jsonNumber(row.largestRelative)},
                    {"tolerance", jsonNumber(row.tolerance)},
                    {"is_relative", row.isRelative},
                    {"worst", row.worst},
                    {"passed", row.passed}})
          + "\n");
}

} // namespace

std::unique_ptr<Command> makeVerifyCommand()
{
    return std::make_unique<VerifyCommand>();
}

} // namespace lookback::cli
