// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "core/run/export.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

const fs::path kRun = LOOKBACK_TEST_SOURCE_DIR "/formats/run-1";

/// Bit by bit, as the definition says.
std::uint32_t slowCrc32c(std::string_view bytes)
{
    std::uint32_t state = 0xFFFFFFFFU;
    for (const char byte : bytes) {
        state ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            state = (state & 1U) != 0 ? state >> 1U ^ 0x82F63B78U : state >> 1U;
    }
    return ~state;
}

template <typename Number> Number numberAt(std::string_view bytes, std::size_t place)
{
    Number number{};
    std::memcpy(&number, bytes.data() + place, sizeof number);
    return number;
}

bool isMaskedCrc(std::uint32_t stored, std::string_view bytes)
{
    const std::uint32_t rotated = stored - 0xA282EAD8U;
    return (rotated >> 17U | rotated << 15U) == slowCrc32c(bytes);
}

/// The messages of an event file; empty if a frame is wrong.
std::vector<std::string> framesOf(std::string_view bytes)
{
    std::vector<std::string> frames;
    while (!bytes.empty()) {
        const auto length = bytes.size() < 16 ? ~std::uint64_t{0} : numberAt<std::uint64_t>(bytes, 0);
        if (length > bytes.size() || !isMaskedCrc(numberAt<std::uint32_t>(bytes, 8), bytes.substr(0, 8))
            || !isMaskedCrc(numberAt<std::uint32_t>(bytes, 12 + length), bytes.substr(12, length)))
            return {};
        frames.emplace_back(bytes.substr(12, length));
        bytes.remove_prefix(16 + length);
    }
    return frames;
}

} // namespace

class TestExportRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void checksumIsThePublishedOne()
    {
        QCOMPARE(slowCrc32c("123456789"), 0xE3069283U); // the check value of CRC-32C
    }

    void eventsHaveTheirFieldsAndChecksums()
    {
        const std::string bytes = tensorBoardEvents({{12.5, 300, "loss", 0.25F}});
        const std::vector<std::string> frames = framesOf(bytes);
        QCOMPARE(frames.size(), std::size_t{2});
        std::string version("\x09\0\0\0\0\0\0\x29\x40\x1a\x0d", 11);
        version += "brain.Event:2";
        QVERIFY(frames[0] == version);
        std::string event("\x09\0\0\0\0\0\0\x29\x40\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\x80\x3e", 27);
        QVERIFY(frames[1] == event);
    }

    void runBecomesEvents()
    {
        const std::vector<ScalarEvent> events = scalarEvents(RunFolder::open(kRun));
        const auto valueOf = [&](const std::string &tag, std::int64_t step) -> std::optional<float> {
            for (const ScalarEvent &event : events) {
                if (event.tag == tag && event.step == step)
                    return event.value;
            }
            return std::nullopt;
        };
        QCOMPARE(valueOf("loss", 1).value(), 2.6123F);
        QVERIFY(std::isnan(valueOf("loss", 100).value()));
        QVERIFY(std::isinf(valueOf("gradient_norm", 100).value()));
        QVERIFY(!valueOf("tokens_per_second", 100).has_value());
        bool hasAccuracy = false;
        for (const ScalarEvent &event : events) {
            QVERIFY(event.wallTime > 1.7e9 && event.wallTime < 4e9);
            hasAccuracy = hasAccuracy || event.tag.starts_with("exact_match/n=");
        }
        QVERIFY(hasAccuracy);
    }

    void tableKeepsWhatIsNoNumber()
    {
        const std::string text = metricsCsv(RunFolder::open(kRun).readMetricsLog().records);
        QVERIFY(text.starts_with("step,n_keys,loss,"));
        QVERIFY(text.find("1,2,2.6123,0.0859375,") != std::string::npos);
        QVERIFY(text.find("100,2,NaN,0.5,0.00006,Infinity,,25\n") != std::string::npos);
        const std::string points = accuracyCsv(RunFolder::open(kRun).readAccuracy());
        QVERIFY(points.find("hybrid_square,1000,") != std::string::npos);
    }

    void filesAreNamedAfterTheRun()
    {
        QTemporaryDir temporary;
        const fs::path target = fs::path(temporary.path().toStdString()) / "out";
        const RunFolder folder = RunFolder::open(kRun);
        const auto tables = exportRun(folder, ExportFormat::Csv, target);
        QCOMPARE(tables.size(), std::size_t{2});
        QVERIFY(fs::exists(target / "run-1.metrics.csv"));
        QVERIFY(fs::exists(target / "run-1.accuracy.csv"));
        const auto events = exportRun(folder, ExportFormat::TensorBoard, target);
        QCOMPARE(exportRun(folder, ExportFormat::TensorBoard, target), events); // replaced, not added
        QVERIFY(!framesOf(readFileWhole(events.at(0))).empty());
        const auto kvbench = exportRun(folder, ExportFormat::Kvbench, target);
        QCOMPARE(kvbench.at(0), target / "hybrid_square");
    }

    /// An export never touches a run: neither its own nor another one that lies where it would be written.
    void anExportIntoARunIsRefused()
    {
        QTemporaryDir temporary;
        const fs::path root = temporary.path().toStdString();
        fs::copy(kRun, root / "own", fs::copy_options::recursive);
        fs::copy(kRun, root / "other", fs::copy_options::recursive);
        fs::copy(LOOKBACK_TEST_SOURCE_DIR "/formats/kvbench/hybrid_square", root / "foreign",
                 fs::copy_options::recursive);
        fs::copy(kRun, root / "hybrid_square", fs::copy_options::recursive); // where kvbench's folder would be
        const auto contents = [&] {
            std::map<fs::path, std::string> all;
            for (const auto &item : fs::recursive_directory_iterator(root))
                all[item.path()] = item.is_regular_file() ? readFileWhole(item.path()) : "";
            return all;
        };
        const auto before = contents();
        const auto isRefused = [&](ExportFormat format, const fs::path &target) {
            try {
                exportRun(RunFolder::open(root / "own"), format, target);
                return false;
            } catch (const Error &error) {
                return error.sentence().find(target.string()) != std::string::npos;
            }
        };
        for (const ExportFormat format :
             {ExportFormat::Csv, ExportFormat::TensorBoard, ExportFormat::Kvbench, ExportFormat::Run}) {
            for (const char *target : {"own", "other", "foreign", "own/."})
                QVERIFY2(isRefused(format, root / target), target);
        }
        QVERIFY(isRefused(ExportFormat::Kvbench, root));
        QVERIFY(contents() == before);
    }

    void placesThatCannotBeWrittenAreNamed()
    {
        QTemporaryDir temporary;
        const fs::path target = fs::path(temporary.path().toStdString()) / "file";
        writeFileWhole(target, "");
        for (const ExportFormat format : {ExportFormat::Csv, ExportFormat::TensorBoard, ExportFormat::Kvbench}) {
            try {
                exportRun(RunFolder::open(kRun), format, target);
                QFAIL("nothing was refused");
            } catch (const Error &error) {
                QVERIFY(error.sentence().find(target.string()) != std::string::npos);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestExportRun)
#include "test_export_run.moc"
