// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include <QTest>

#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/eval/accuracy.h"
#include "core/run/file.h"
#include "core/run/metrics.h"
#include "core/run/run_record.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

const fs::path kFormats = fs::path(LOOKBACK_TEST_SOURCE_DIR) / ".." / "specs" / "formats";

/// The fenced block that follows "<!-- example NAME -->".
std::string exampleOf(const fs::path &page, const std::string &name)
{
    const std::string text = run::readFileWhole(page);
    const std::string start = "<!-- example " + name + " -->\n```json\n";
    const std::size_t begin = text.find(start);
    if (begin == std::string::npos)
        return {};
    const std::size_t end = text.find("```", begin + start.size());
    return text.substr(begin + start.size(), end - begin - start.size());
}

std::string limitText(const ConfigField &field, double limit)
{
    RunConfig config;
    if (field.kind == FieldKind::Real) {
        config.rope_base = limit;
        return fieldText(config, "rope_base");
    }
    return field.kind == FieldKind::UnsignedInteger && limit > 0 ? "2^64 - 1"
                                                                 : std::to_string(static_cast<std::int64_t>(limit));
}

std::string fieldTable()
{
    std::string table = "| name | unit | range | published | changes the model | |\n|---|---|---|---|---|---|\n";
    for (const ConfigField &field : configFields()) {
        table += "| `" + std::string(field.name) + "` | " + std::string(field.unit) + " | ";
        table += limitText(field, field.minimum) + " to " + limitText(field, field.maximum) + " | ";
        table += fieldText(RunConfig(), field.name) + " | ";
        table += std::string(field.changesModel ? "yes" : "no") + " | " + std::string(field.explanation) + " |\n";
    }
    return table;
}

std::string presetTable()
{
    std::string table = "| preset | for | settings |\n|---|---|---|\n";
    for (const std::string_view name : presetNames()) {
        const RunConfig config = presetConfig(name);
        std::string settings;
        for (const ConfigField &field : configFields()) {
            const std::string value = fieldText(config, field.name);
            if (value == fieldText(RunConfig(), field.name))
                continue;
            settings += settings.empty() ? "`" : ", `";
            settings += std::string(field.name) + "=" + value + "`";
        }
        table += "| " + std::string(name) + " | " + std::string(presetExplanation(name)) + " | ";
        table += (settings.empty() ? std::string("the published ones") : settings) + " |\n";
    }
    return table;
}

} // namespace

class TestConfigSpec : public QObject {
    Q_OBJECT

    static void compareTable(const std::string &name, const std::string &expected)
    {
        const fs::path page = kFormats / "config.md";
        std::string text = run::readFileWhole(page);
        const std::string start = "<!-- " + name + " -->\n";
        const std::size_t begin = text.find(start);
        const std::size_t end = text.find("<!-- /" + name + " -->");
        QVERIFY(begin != std::string::npos && end != std::string::npos && begin < end);
        const std::size_t first = begin + start.size();
        if (qEnvironmentVariableIsSet("LOOKBACK_UPDATE_GOLDEN")) {
            text.replace(first, end - first, expected);
            run::writeFileWhole(page, text);
            return;
        }
        QCOMPARE(QString::fromStdString(text.substr(first, end - first)), QString::fromStdString(expected));
    }

private Q_SLOTS:
    void settingsTable() { compareTable("fields", fieldTable()); }
    void presetsTable() { compareTable("presets", presetTable()); }

    void exampleRecord()
    {
        const std::string example = exampleOf(kFormats / "run-folder.md", "run.json");
        const run::RunRecord record = run::recordFromJson(example, "example");
        QCOMPARE(record.config.seed, ~std::uint64_t{0});
        QCOMPARE(record.config.curriculum.size(), std::size_t{2});
        QVERIFY(problemsOf(record.config).empty());
        // The page shows every member that is written, and no other.
        QVERIFY(nlohmann::json::parse(example) == nlohmann::json::parse(run::recordToJson(record)));
    }

    void exampleAccuracy()
    {
        const std::string example = exampleOf(kFormats / "run-folder.md", "accuracy_vs_context.json");
        const auto curves = eval::accuracyFromJson(example, "example");
        QCOMPARE(curves.size(), std::size_t{1});
        const eval::AccuracyPoint &point = curves[0].points[0];
        QCOMPARE(point.accuracy, static_cast<double>(point.exact) / static_cast<double>(point.answers));
        QVERIFY(nlohmann::json::parse(example) == nlohmann::json::parse(eval::accuracyToJson(curves)));
    }

    void exampleMetrics()
    {
        const std::string example = exampleOf(kFormats / "metrics.md", "metrics.jsonl");
        const std::size_t middle = example.find('\n');
        QVERIFY(middle != std::string::npos);
        for (const std::string &line :
             {example.substr(0, middle), example.substr(middle + 1, example.size() - middle - 2)}) {
            const auto record = run::parseMetricsLine(line);
            QVERIFY2(record.has_value(), line.c_str());
            QVERIFY(nlohmann::json::parse(line) == nlohmann::json::parse(run::metricsLine(*record)));
        }
    }
};

QTEST_GUILESS_MAIN(TestConfigSpec)
#include "test_config_spec.moc"
