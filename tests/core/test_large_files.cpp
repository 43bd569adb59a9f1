// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Many runs, long logs, large tensors: the cost is that of what is asked for, and no size is cut off.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stop_token>

#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/metrics_reading.h"
#include "core/run/metrics_writer.h"
#include "core/run/run_folder.h"
#include "core/run/run_scan.h"
#include "core/run/safetensors.h"
#include "core/run/thinned_log.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kMostPeakBytes = 512U << 20U; // what was freed is kept for a while
#else
constexpr std::uint64_t kMostPeakBytes = 64U << 20U;
#endif

/// While true, pieces of zeros that are written become holes: large files cost neither time nor space.
bool areZerosHoles = false;

/// A number of /proc/self/`file`, in its own unit; 0 where there is none.
std::uint64_t processNumber(const char *file, const std::string &name)
{
    std::ifstream stream(fs::path("/proc/self") / file);
    for (std::string word; stream >> word;) {
        std::uint64_t number = 0;
        if (word == name && stream >> number)
            return number;
    }
    return 0;
}

std::uint64_t bytesRead()
{
    return processNumber("io", "rchar:");
}

/// The most memory that `act` had at once beyond what there was before, in bytes. Nothing where that is not told.
template <typename Act> std::optional<std::uint64_t> peakOf(Act &&act)
{
    std::ofstream("/proc/self/clear_refs") << "5";
    const std::uint64_t before = processNumber("status", "VmHWM:");
    act();
    const std::uint64_t after = processNumber("status", "VmHWM:");
    const bool isOwnMemory = !qEnvironmentVariableIsSet("LOOKBACK_SANITIZED"); // sanitizers keep books of their own
    return isOwnMemory && before > 0 && after >= before ? std::optional((after - before) * 1024) : std::nullopt;
}

MetricsRecord lineAt(std::int64_t step)
{
    MetricsRecord record;
    record.step = step;
    record.n_keys = 2;
    record.loss = 1.0 / static_cast<double>(step);
    return record;
}

/// A log of `bytes`: the first lines, a hole, the last lines.
void makeLongLog(const fs::path &file, std::uint64_t bytes)
{
    {
        std::ofstream stream(file);
        for (std::int64_t step = 1; step <= 3; ++step)
            stream << metricsLine(lineAt(step)) << '\n';
    }
    fs::resize_file(file, bytes);
    std::ofstream stream(file, std::ios::app);
    for (std::int64_t step = 1001; step <= 1003; ++step)
        stream << metricsLine(lineAt(step)) << '\n';
}

std::vector<std::int64_t> stepsOf(const MetricsLog &log)
{
    std::vector<std::int64_t> steps;
    for (const MetricsRecord &record : log.records)
        steps.push_back(record.step);
    return steps;
}

} // namespace

extern "C" {

ssize_t __real_write(int file, const void *bytes, size_t count);

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    const char *const first = static_cast<const char *>(bytes);
    const bool isHole =
        areZerosHoles && count >= (1U << 20U) && first[0] == 0 && std::memcmp(first, first + 1, count - 1) == 0;
    if (!isHole)
        return __real_write(file, bytes, count);
    const off_t end = lseek(file, static_cast<off_t>(count), SEEK_CUR);
    return end >= 0 && ftruncate(file, end) == 0 ? static_cast<ssize_t>(count) : -1;
}

} // extern "C"

class TestLargeFiles : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    fs::path root() const { return m_folder.path().toStdString(); }

private Q_SLOTS:
    /// The list of runs looks at the ends of logs only.
    void aThousandRunsWithLongLogs()
    {
        constexpr int kRuns = 1000;
        constexpr std::uint64_t kLogBytes = 50U << 20U;
        const fs::path place = root() / "runs";
        RunRecord record;
        record.state = RunState::Stopped;
        const RunFolder first = RunFolder::create(place, "run", record);
        makeLongLog(first.metricsFile(), kLogBytes);
        for (int i = 1; i < kRuns; ++i) {
            const RunFolder folder(place / ("run-" + std::to_string(i)));
            fs::create_directory(folder.path());
            fs::copy_file(first.path() / "run.json", folder.path() / "run.json");
            makeLongLog(folder.metricsFile(), kLogBytes);
        }
        std::vector<RunSnapshot> found;
        const std::uint64_t before = bytesRead();
        const auto peak = peakOf([&] { found = scanRuns(place); });
        const std::uint64_t read = bytesRead() - before;
        QCOMPARE(found.size(), std::size_t{kRuns});
        for (const RunSnapshot &run : found) {
            QVERIFY(run.isReadable);
            QCOMPARE(run.step, 1003);
        }
        if (before > 0)
            QVERIFY2(read < std::uint64_t{kRuns} << 15U, qPrintable(QString::number(read))); // 32 KiB a run
        if (peak)
            QVERIFY2(*peak < kMostPeakBytes, qPrintable(QString::number(*peak)));
    }

    /// A log of more than 2 GB is read in pieces, can be cut back, and reading it can be cancelled.
    void aLogOfTwoGigabytes()
    {
        const fs::path file = root() / "metrics.jsonl";
        makeLongLog(file, (std::uint64_t{2} << 30U) + 12345);
        MetricsLog log;
        const auto peak = peakOf([&] { log = readMetrics(file); });
        QCOMPARE(stepsOf(log), (std::vector<std::int64_t>{1, 2, 3, 1001, 1002, 1003}));
        QCOMPARE(log.notes.size(), std::size_t{1});
        QCOMPARE(lastMetrics(file)->step, 1003);
        std::stop_source source;
        source.request_stop();
        QVERIFY_THROWS_EXCEPTION(Cancelled, readMetricsUntil(file, source.get_token()));
        const auto cutPeak = peakOf([&] { cutMetrics(file, 1002); });
        QCOMPARE(stepsOf(readMetrics(file)), (std::vector<std::int64_t>{1, 2, 3, 1001, 1002}));
        QVERIFY(fs::file_size(file) < 2000);
        for (const auto &each : {peak, cutPeak}) {
            if (each)
                QVERIFY2(*each < 64U << 20U, qPrintable(QString::number(*each)));
        }
    }

    /// Two million lines: the first are there at once, the rest comes bit by bit, and memory stays far below the file.
    void twoMillionLines()
    {
        constexpr std::int64_t kLines = 2'000'000;
        const fs::path file = root() / "lines.jsonl";
        {
            std::string piece;
            std::ofstream stream(file);
            for (std::int64_t step = 1; step <= kLines; ++step) {
                piece += "{\"step\":" + std::to_string(step)
                    + R"(,"n_keys":2,"loss":0.5,"retrieval_acc":0.25,"lr":0.001)"
                    + R"(,"gradient_norm":0.125,"tokens_per_second":12345.5,"elapsed_seconds":100.25})" + "\n";
                if (piece.size() > (1U << 20U) || step == kLines) {
                    stream << piece;
                    piece.clear();
                }
            }
        }
        QVERIFY(fs::file_size(file) > 200'000'000);
        std::vector<MetricsRecord> shown;
        std::vector<std::int64_t> ends;
        std::uint64_t readAtFirst = 0;
        const std::uint64_t before = bytesRead();
        const auto peak = peakOf([&] {
            readMetricsInPieces(file, ThinnedLog::kMost, [&](std::span<const MetricsRecord> records, bool isWhole) {
                if (isWhole)
                    shown.clear();
                shown.insert(shown.end(), records.begin(), records.end());
                ends.push_back(shown.back().step);
                if (ends.size() == 1)
                    readAtFirst = bytesRead() - before;
                return true;
            });
        });
        QVERIFY2(readAtFirst < 8U << 20U, qPrintable(QString::number(readAtFirst)));
        QVERIFY(ends.size() > 40);
        QVERIFY(std::ranges::is_sorted(ends));
        QCOMPARE(shown.front().step, 1);
        QCOMPARE(shown.back().step, kLines);
        QVERIFY(shown.size() <= ThinnedLog::kMost);
        if (peak) // here and in the reader
            QVERIFY2(*peak < 2 * kMostPeakBytes, qPrintable(QString::number(*peak)));
        fs::remove(file);
    }

    void aLineOfHalfAGigabyte()
    {
        const fs::path file = root() / "line.jsonl";
        {
            std::ofstream stream(file);
            stream << metricsLine(lineAt(1)) << "\n{\"step\": 2, \"loss\": \"";
            const std::string piece(1U << 20U, 'x');
            for (int i = 0; i < 500; ++i)
                stream << piece;
            stream << "\"}\n" << metricsLine(lineAt(3)) << '\n';
        }
        MetricsLog log;
        const auto peak = peakOf([&] { log = readMetrics(file); });
        QCOMPARE(stepsOf(log), (std::vector<std::int64_t>{1, 3}));
        QCOMPARE(log.notes.size(), std::size_t{1});
        if (peak)
            QVERIFY2(*peak < 16U << 20U, qPrintable(QString::number(*peak)));
        fs::resize_file(file, fs::file_size(file) - 100); // half a last line of that size
        QCOMPARE(stepsOf(readMetrics(file)), (std::vector<std::int64_t>{1}));
        fs::remove(file);
    }

    void aTensorOfMoreThanTwoGigabytes()
    {
        constexpr std::int64_t kElements = (std::int64_t{1} << 31) + (1 << 20);
        if (qEnvironmentVariableIsSet("LOOKBACK_SANITIZED"))
            QSKIP("a sanitizer takes minutes for gigabytes");
        if (sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) < 3 * kElements)
            QSKIP("there is too little free memory");
        const fs::path file = root() / "large.safetensors";
        {
            SafetensorsFile content;
            content.tensors.push_back({.name = "large", .dtype = "U8", .shape = {kElements}, .bytes = {}});
            content.tensors[0].bytes.resize(kElements);
            content.tensors.push_back(
                {.name = "last", .dtype = "U8", .shape = {3}, .bytes = std::vector<std::byte>(3, std::byte{7})});
            areZerosHoles = true;
            writeSafetensors(file, content);
            areZerosHoles = false;
        }
        QVERIFY(fs::file_size(file) > std::uintmax_t{kElements});
        const SafetensorsFile read = readSafetensors(file);
        QCOMPARE(read.find("large")->bytes.size(), std::size_t{kElements});
        QVERIFY(read.find("last")->bytes == std::vector<std::byte>(3, std::byte{7}));
        InputFile input(file);
        input.moveTo(input.size() - 1);
        char last = 0;
        QCOMPARE(input.read(&last, 1), std::size_t{1});
        QCOMPARE(int(last), 7);
        // One byte less is noticed, whatever 32 bits say of it.
        fs::resize_file(file, input.size() - 1);
        QVERIFY_THROWS_EXCEPTION(Error, readSafetensors(file));
    }
};

QTEST_GUILESS_MAIN(TestLargeFiles)
#include "test_large_files.moc"
