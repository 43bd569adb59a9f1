// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/export.h"

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/json.h"
#include "core/run/finished_run.h"
#include "core/run/kvbench.h"
#include "core/run/npy.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

/// An empty cell where there is no value.
std::string cellText(const std::optional<double> &value)
{
    return value ? realText(*value) : std::string();
}

/// CRC-32C (Castagnoli), which the framing of event files is made of.
std::uint32_t crc32c(std::string_view bytes)
{
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t i = 0; i < made.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = value >> 1U ^ ((value & 1U) != 0 ? 0x82F63B78U : 0U);
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t state = ~0U;
    for (const char byte : bytes)
        state = state >> 8U ^ table[(state ^ static_cast<unsigned char>(byte)) & 255U];
    return ~state;
}

template <typename Number> void appendLittleEndian(std::string &bytes, Number number)
{
    for (std::size_t i = 0; i < sizeof number; ++i)
        bytes += static_cast<char>(number >> (8 * i) & 0xFFU);
}

void appendFrame(std::string &bytes, const std::string &message)
{
    const auto masked = [](std::string_view text) {
        const std::uint32_t crc = crc32c(text);
        return (crc >> 15U | crc << 17U) + 0xA282EAD8U;
    };
    std::string length;
    appendLittleEndian(length, std::uint64_t{message.size()});
    bytes += length;
    appendLittleEndian(bytes, masked(length));
    bytes += message;
    appendLittleEndian(bytes, masked(message));
}

// Protocol buffers: a field is its number and wire type (0 varint, 1 eight bytes, 2 with a length, 5 four bytes).
void appendVarint(std::string &bytes, std::uint64_t value)
{
    for (; value >= 128; value >>= 7U)
        bytes += static_cast<char>((value & 127U) | 128U);
    bytes += static_cast<char>(value);
}

void appendField(std::string &bytes, int field, double value)
{
    appendVarint(bytes, static_cast<std::uint64_t>(field) << 3U | 1U);
    appendLittleEndian(bytes, std::bit_cast<std::uint64_t>(value));
}

void appendField(std::string &bytes, int field, float value)
{
    appendVarint(bytes, static_cast<std::uint64_t>(field) << 3U | 5U);
    appendLittleEndian(bytes, std::bit_cast<std::uint32_t>(value));
}

void appendField(std::string &bytes, int field, std::int64_t value)
{
    appendVarint(bytes, static_cast<std::uint64_t>(field) << 3U);
    appendVarint(bytes, static_cast<std::uint64_t>(value));
}

void appendField(std::string &bytes, int field, const std::string &value)
{
    appendVarint(bytes, static_cast<std::uint64_t>(field) << 3U | 2U);
    appendVarint(bytes, value.size());
    bytes += value;
}

/// Seconds since 1970 of "2026-07-31T14:05:09Z"; 0 if it is something else.
double secondsOf(std::string_view time)
{
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    bool isTime = time.size() == kForm.size();
    for (std::size_t i = 0; isTime && i < kForm.size(); ++i)
        isTime = kForm[i] == '0' ? time[i] >= '0' && time[i] <= '9' : time[i] == kForm[i];
    if (!isTime)
        return 0.0;
    const auto number = [&](std::size_t place, std::size_t count) {
        int value = 0;
        std::from_chars(time.data() + place, time.data() + place + count, value);
        return value;
    };
    const auto date = std::chrono::year(number(0, 4)) / number(5, 2) / number(8, 2);
    if (!date.ok())
        return 0.0;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return static_cast<double>(days) * 86400.0 + number(11, 2) * 3600.0 + number(14, 2) * 60.0 + number(17, 2);
}

/// Beside the files of a run an export could replace one of them.
void requireNoRun(const fs::path &target)
{
    std::error_code fault;
    if (fs::exists(target / "run.json", fault) || isKvbenchFolder(target))
        throw Error(target.string(), "This is the folder of a run; an export could replace files of it.",
                    "Choose another folder for the export.");
}

/// A line of a table.
void appendRow(std::string &text, std::initializer_list<std::string> cells)
{
    bool isFirst = true;
    for (const std::string &cell : cells) {
        if (!isFirst)
            text += ',';
        text += cell;
        isFirst = false;
    }
    text += '\n';
}

} // namespace

std::string metricsCsv(const std::vector<MetricsRecord> &records)
{
    std::string text = "step,n_keys,loss,retrieval_acc,lr,gradient_norm,tokens_per_second,elapsed_seconds\n";
    for (const MetricsRecord &record : records) {
        appendRow(text,
                  {std::to_string(record.step), std::to_string(record.n_keys), cellText(record.loss),
                   cellText(record.retrievalAcc), cellText(record.learningRate), cellText(record.gradientNorm),
                   cellText(record.tokensPerSecond), cellText(record.elapsedSeconds)});
    }
    return text;
}

std::string accuracyCsv(const std::vector<eval::AccuracyCurve> &curves)
{
    std::string text = "variant,step,n_keys,context_tokens,accuracy,low,high,sequences,answers,exact,digits_right,"
                       "mean_loss\n";
    for (const eval::AccuracyCurve &curve : curves) {
        for (const eval::AccuracyPoint &point : curve.points) {
            appendRow(text,
                      {curve.variant, std::to_string(curve.step), std::to_string(point.n_keys),
                       std::to_string(point.contextTokens), realText(point.accuracy), realText(point.low),
                       realText(point.high), std::to_string(point.sequences), std::to_string(point.answers),
                       std::to_string(point.exact), std::to_string(point.digitsRight), realText(point.meanLoss)});
        }
    }
    return text;
}

std::string tensorBoardEvents(const std::vector<ScalarEvent> &events)
{
    std::string bytes;
    std::string first;
    appendField(first, 1, events.empty() ? 0.0 : events.front().wallTime);
    appendField(first, 3, std::string("brain.Event:2"));
    appendFrame(bytes, first);
    for (const ScalarEvent &event : events) {
        std::string value;
        appendField(value, 1, event.tag);
        appendField(value, 2, event.value);
        std::string summary;
        appendField(summary, 1, value);
        std::string message;
        appendField(message, 1, event.wallTime);
        appendField(message, 2, event.step);
        appendField(message, 5, summary);
        appendFrame(bytes, message);
    }
    return bytes;
}

std::vector<ScalarEvent> scalarEvents(const RunFolder &folder)
{
    const RunRecord record = folder.readRecord();
    const double started = secondsOf(record.started.empty() ? record.created : record.started);
    std::vector<ScalarEvent> events;
    double wallTime = started;
    for (const MetricsRecord &line : folder.readMetricsLog().records) {
        wallTime = started + line.elapsedSeconds.value_or(0.0);
        const auto add = [&](const char *tag, const std::optional<double> &value) {
            if (value)
                events.push_back({wallTime, line.step, tag, static_cast<float>(*value)});
        };
        add("loss", line.loss);
        add("retrieval_acc", line.retrievalAcc);
        add("lr", line.learningRate);
        add("gradient_norm", line.gradientNorm);
        add("tokens_per_second", line.tokensPerSecond);
        add("n_keys", static_cast<double>(line.n_keys));
    }
    for (const eval::AccuracyCurve &curve : folder.readAccuracy()) {
        for (const eval::AccuracyPoint &point : curve.points) {
            events.push_back({wallTime, curve.step, "exact_match/n=" + std::to_string(point.n_keys),
                              static_cast<float>(point.accuracy)});
        }
    }
    return events;
}

std::string_view exportFormatName(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Csv:
        return "csv";
    case ExportFormat::Npy:
        return "npy";
    case ExportFormat::TensorBoard:
        return "tensorboard";
    case ExportFormat::Kvbench:
        return "kvbench";
    case ExportFormat::Run:
        return "run";
    }
    return "";
}

std::vector<fs::path> exportRun(const RunFolder &folder, ExportFormat format, const fs::path &target,
                                const std::vector<std::int64_t> &earlierSteps)
{
    requireNoRun(target);
    if (format == ExportFormat::Run)
        return {copyFinishedRun(folder, target, earlierSteps)};
    if (format == ExportFormat::Kvbench) {
        std::vector<fs::path> made{target / folder.readRecord().config.variant};
        if (!folder.readAccuracy().empty())
            made.push_back(target / "accuracy_vs_context.json");
        exportAsKvbench(folder, target);
        return made;
    }
    const std::string name = folder.name();
    const fs::path where = format == ExportFormat::TensorBoard ? target / name : target;
    // Read before anything is made, so that a damaged run leaves nothing behind.
    std::vector<std::pair<fs::path, std::string>> files;
    if (format == ExportFormat::Csv) {
        files.emplace_back(where / (name + ".metrics.csv"), metricsCsv(folder.readMetricsLog().records));
        files.emplace_back(where / (name + ".accuracy.csv"), accuracyCsv(folder.readAccuracy()));
    } else if (format == ExportFormat::Npy) {
        files.emplace_back(where / (name + ".metrics.npy"), npyTable(metricsCsv(folder.readMetricsLog().records)));
        files.emplace_back(where / (name + ".accuracy.npy"), npyTable(accuracyCsv(folder.readAccuracy())));
    } else {
        const std::vector<ScalarEvent> events = scalarEvents(folder);
        const auto began = static_cast<std::int64_t>(events.empty() ? 0.0 : events.front().wallTime);
        // TensorBoard takes every file with "tfevents" in its name
        files.emplace_back(where / ("events.out.tfevents." + std::to_string(began) + ".lookback"),
                           tensorBoardEvents(events));
    }
    std::error_code fault;
    fs::create_directories(where, fault);
    if (fault)
        throw Error(where.string(), "The folder cannot be made: " + systemReason(fault.value()) + ".",
                    "Choose a folder that you may write to.");
    std::vector<fs::path> made;
    for (const auto &[file, bytes] : files) {
        writeFileWhole(file, bytes);
        made.push_back(file);
    }
    return made;
}

} // namespace lookback::run
