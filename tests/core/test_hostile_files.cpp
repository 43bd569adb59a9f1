// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// A short run of what tests/fuzz does at length: every reader on changed bytes of real files, reproducibly.
#include <QTest>

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include "core/config.h"
#include "core/json.h"
#include "core/rng.h"
#include "tests/fuzz/fuzz_targets.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> samplesOf(std::string_view target)
{
    const fs::path formats = LOOKBACK_TEST_SOURCE_DIR "/formats";
    const fs::path run = formats / "run-1";
    const auto read = [](const fs::path &file) { return run::readFileWhole(file); };
    if (target == "safetensors" || target == "checkpoint")
        return {read(run / "checkpoints" / "step-00001000.safetensors")};
    if (target == "record")
        return {read(run / "run.json")};
    if (target == "metrics")
        return {read(run / "metrics.jsonl")};
    if (target == "accuracy")
        return {read(run / "accuracy_vs_context.json")};
    if (target == "kvbench_table")
        return {read(formats / "kvbench" / "accuracy_vs_context.json")};
    if (target == "kvbench_losses")
        return {read(formats / "kvbench" / "hybrid_square" / "eval.json")};
    if (target == "manifest")
        return {run::manifestToJson({{.step = 0, .bytes = 10, .checksum = "crc32:00000000"},
                                     {.step = 512, .bytes = 20, .checksum = "crc32:12345678"}})};
    std::vector<std::string> archives;
    for (const char *name : {"dtypes.pt", "command.pt", "integers.pt", "module.pt"})
        archives.push_back(read(formats / "torch" / name));
    return archives;
}

/// The sample with some bytes changed, cut out, doubled or replaced by telling ones.
std::string mutated(std::string bytes, Philox &generator)
{
    static constexpr std::string_view kTelling[] = {
        "{",    "}",       "[",   "]",    "\"", "-1", "1e999", "18446744073709551616",
        "null", "\\u0000", "0.5", "\xff", "\n", ":",  ",",     "PK\x01\x02"};
    const auto place = [&] {
        return static_cast<std::size_t>(generator.below(std::max<std::size_t>(1, bytes.size())));
    };
    for (std::uint64_t change = generator.below(6) + 1; change > 0; --change) {
        const std::size_t at = place();
        switch (generator.below(6)) {
        case 0:
        case 1:
            if (!bytes.empty())
                bytes[at] = static_cast<char>(generator.below(256));
            break;
        case 2:
            bytes.erase(at, generator.below(40));
            break;
        case 3:
            bytes.insert(at, bytes.substr(place(), generator.below(40)));
            break;
        case 4:
            bytes.insert(at, kTelling[generator.below(std::size(kTelling))]);
            break;
        case 5:
            bytes.resize(std::min(bytes.size(), at));
            break;
        }
    }
    return bytes;
}

} // namespace

class TestHostileFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyReaderAnswers_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < fuzz::kTargets.size(); ++i)
            QTest::newRow(std::string(fuzz::kTargets[i].name).c_str()) << static_cast<int>(i);
    }
    void everyReaderAnswers()
    {
        QFETCH(int, index);
        const fuzz::Target &target = fuzz::kTargets[static_cast<std::size_t>(index)];
        constexpr int kInputs = 3000;
        rusage before{};
        getrusage(RUSAGE_SELF, &before);
        Philox generator(20261129, static_cast<std::uint64_t>(index));
        const std::vector<std::string> samples = samplesOf(target.name);
        int accepted = 0;
        for (int i = 0; i < kInputs; ++i) {
            const std::string input = mutated(samples[generator.below(samples.size())], generator);
            accepted += fuzz::accepts(target, input) ? 1 : 0;
        }
        rusage after{};
        getrusage(RUSAGE_SELF, &after);
        if (target.name == "metrics")
            QCOMPARE(accepted, kInputs); // a bad line costs only itself
        else
            QVERIFY(accepted < kInputs);
        // The samples have kilobytes: what is read of them cannot need much.
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 64 * 1024, std::to_string(after.ru_maxrss).c_str());
    }

    /// What the fuzz programs found to go new ways through a reader, each input once.
    void keptInputs_data() { everyReaderAnswers_data(); }
    void keptInputs()
    {
        QFETCH(int, index);
        const fuzz::Target &target = fuzz::kTargets[static_cast<std::size_t>(index)];
        int inputs = 0;
        for (const auto &item :
             fs::directory_iterator(LOOKBACK_TEST_SOURCE_DIR "/fuzz/corpus/" + std::string(target.name))) {
            fuzz::accepts(target, run::readFileWhole(item.path()));
            ++inputs;
        }
        QVERIFY(inputs > 5);
    }

    void deepNestingIsRefused_data()
    {
        QTest::addColumn<QByteArray>("open");
        QTest::addColumn<QByteArray>("close");
        QTest::newRow("lists") << QByteArray("[") << QByteArray("]");
        QTest::newRow("objects") << QByteArray("{\"a\":") << QByteArray("}");
    }
    void deepNestingIsRefused()
    {
        QFETCH(QByteArray, open);
        QFETCH(QByteArray, close);
        constexpr int kDepth = 1'000'000;
        const QByteArray whole = open.repeated(kDepth) + "1" + close.repeated(kDepth);
        const std::string deep = whole.toStdString();
        for (const fuzz::Target &target : fuzz::kTargets) {
            if (target.name != "metrics") // where such a line costs only itself
                QVERIFY(!fuzz::accepts(target, deep));
            QVERIFY(!fuzz::accepts(target, R"({"config": {"variant": )" + deep + "}}") || target.name == "metrics");
        }
        QVERIFY_THROWS_EXCEPTION(Error, configFromJson(deep));
        // Brackets inside a text are no nesting.
        const std::string text = "{\"zz\": \"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"}";
        QVERIFY(tryParseJson(text).has_value());
    }

    void samplesThemselvesAreAccepted()
    {
        for (const fuzz::Target &target : fuzz::kTargets)
            QVERIFY2(fuzz::accepts(target, samplesOf(target.name).front()), std::string(target.name).c_str());
    }
};

QTEST_GUILESS_MAIN(TestHostileFiles)
#include "test_hostile_files.moc"
