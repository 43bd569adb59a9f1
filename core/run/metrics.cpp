// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/metrics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/run/metrics_reading.h"
#include "core/run/thinned_log.h"

namespace lookback::run {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kReadBytes = 1U << 16U;
/// 4 MiB, some 20,000 lines: a tenth of a second.
constexpr std::uint64_t kPiecesBetweenTelling = 64;
// A line of ours has about 250 bytes; what is longer than this is no record and is not kept in memory.
constexpr std::size_t kLongestLine = 1U << 16U;

struct RealField {
    const char *name;
    std::optional<double> MetricsRecord::*member;
};
constexpr std::array kRealFields{
    RealField{"loss", &MetricsRecord::loss},
    RealField{"retrieval_acc", &MetricsRecord::retrievalAcc},
    RealField{"lr", &MetricsRecord::learningRate},
    RealField{"gradient_norm", &MetricsRecord::gradientNorm},
    RealField{"tokens_per_second", &MetricsRecord::tokensPerSecond},
    RealField{"elapsed_seconds", &MetricsRecord::elapsedSeconds},
};

/// Some writers spell non-finite numbers as bare words, which is not JSON: puts them into quotation marks.
std::string withQuotedWords(std::string_view line)
{
    std::string result;
    bool isInText = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char character = line[i];
        if (isInText) {
            result += character;
            if (character == '\\' && i + 1 < line.size())
                result += line[++i];
            else if (character == '"')
                isInText = false;
            continue;
        }
        bool isWord = false;
        for (const std::string_view word : {"-Infinity", "Infinity", "NaN", "nan", "-inf", "inf"}) {
            if (line.substr(i).starts_with(word)) {
                const std::string_view spelt = word == "nan" ? "NaN"
                    : word == "inf"                          ? "Infinity"
                    : word == "-inf"                         ? "-Infinity"
                                                             : word;
                result += '"';
                result += spelt;
                result += '"';
                i += word.size() - 1;
                isWord = true;
                break;
            }
        }
        if (isWord)
            continue;
        isInText = character == '"';
        result += character;
    }
    return result;
}

std::optional<MetricsRecord> recordOf(const std::optional<json> &parsed)
{
    if (!parsed || !parsed->is_object())
        return std::nullopt;
    const auto integer = [&](const char *name) -> std::optional<std::int64_t> {
        const auto found = parsed->find(name);
        return found == parsed->end() ? std::nullopt : integerFromJson(*found);
    };
    const auto step = integer("step");
    if (!step || *step < 0)
        return std::nullopt;
    MetricsRecord record;
    record.step = *step;
    record.n_keys = integer("n_keys").value_or(0);
    for (const RealField &field : kRealFields) {
        const auto found = parsed->find(field.name);
        if (found != parsed->end())
            record.*field.member = realFromJson(*found); // a value that is no number costs only itself
    }
    return record;
}

/// Takes the file apart into lines and records.
class LogReader {
public:
    explicit LogReader(std::size_t most) : m_log(most) { }

    /// What was read so far.
    ThinnedLog &log() { return m_log; }
    /// Since the last call: whether anything but new records at the end came.
    bool takeIsChanged() { return std::exchange(m_isChanged, false); }

    void take(std::string_view piece)
    {
        constexpr std::string_view kEnds("\n\r\0", 3);
        while (!piece.empty()) {
            const std::size_t end = piece.find_first_of(kEnds);
            addText(piece.substr(0, end));
            if (end == std::string_view::npos)
                return;
            const char character = piece[end];
            piece.remove_prefix(end + 1);
            if (character == '\0') { // a block that was never written
                noteDamage(m_lineNumber);
                piece.remove_prefix(std::min(piece.find_first_not_of('\0'), piece.size()));
            }
            finishLine();
            if (character == '\n')
                ++m_lineNumber;
        }
    }

    /// At the end of the file; gives the notes.
    std::vector<std::string> finish()
    {
        finishLine();
        if (m_stepBack)
            acceptStepBack();
        std::vector<std::string> notes;
        if (m_damagedLines == 0)
            return notes;
        const std::string where = "line " + std::to_string(m_firstDamaged);
        notes.push_back(m_damagedLines == 1 ? where + " is damaged and was left out"
                                            : std::to_string(m_damagedLines)
                                + " lines are damaged and were left out, the first is " + where);
        return notes;
    }

private:
    void addText(std::string_view text)
    {
        const std::size_t room = kLongestLine - m_line.size();
        m_isTooLong = m_isTooLong || text.size() > room;
        m_line += text.substr(0, room);
    }

    void noteDamage(std::int64_t line)
    {
        if (m_lastDamaged == line)
            return;
        m_lastDamaged = line;
        if (m_damagedLines++ == 0 || line < m_firstDamaged)
            m_firstDamaged = line;
    }

    void finishLine()
    {
        std::string_view line = m_line;
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (m_lineNumber == 1 && line.starts_with(kByteOrderMark))
            line.remove_prefix(kByteOrderMark.size());
        if (line.find_first_not_of(" \t") != std::string_view::npos) {
            auto record = m_isTooLong ? std::nullopt : parseMetricsLine(line);
            if (!record) {
                noteDamage(m_lineNumber);
                // A record glued to the half line of an interrupted writer is whole again from its own bracket on.
                const std::size_t bracket = line.rfind('{');
                if (!m_isTooLong && bracket != 0 && bracket != std::string_view::npos)
                    record = parseMetricsLine(line.substr(bracket));
            }
            if (record)
                add(*record);
        }
        m_line.clear();
        m_isTooLong = false;
    }

    void add(const MetricsRecord &record)
    {
        const std::vector<MetricsRecord> &records = m_log.records();
        if (m_stepBack) {
            const MetricsRecord stepBack = *m_stepBack;
            const bool goesBeyond = record.step > records.back().step;
            const bool leavesOutSteps = std::any_of(records.begin(), records.end(), [&](const MetricsRecord &known) {
                return known.step > stepBack.step && known.step < record.step;
            });
            if (goesBeyond && leavesOutSteps)
                dropStepBack();
            else
                acceptStepBack();
        }
        if (records.empty() || record.step > records.back().step) {
            keep(record);
        } else {
            m_stepBack = record;
            m_stepBackLine = m_lineNumber;
        }
    }

    /// A run that was continued from an earlier checkpoint writes steps again: they replace the abandoned stretch.
    void acceptStepBack()
    {
        keep(*m_stepBack);
        m_stepBack.reset();
    }

    void keep(const MetricsRecord &record) { m_isChanged |= m_log.add(record); }

    /// One step back with the old stretch going on after it is a damaged step number, which costs only its record.
    void dropStepBack()
    {
        noteDamage(m_stepBackLine);
        m_stepBack.reset();
    }

    ThinnedLog m_log;
    bool m_isChanged = false;
    std::string m_line;
    bool m_isTooLong = false;
    std::int64_t m_lineNumber = 1;
    std::int64_t m_damagedLines = 0;
    std::int64_t m_firstDamaged = 0;
    std::int64_t m_lastDamaged = 0;
    std::optional<MetricsRecord> m_stepBack; // not yet known whether it begins a continued stretch
    std::int64_t m_stepBackLine = 0;
};

/// Reads the file to its end; `goOn` is called after each 64 KiB and may throw. A missing file is an empty one.
std::vector<std::string> readInto(LogReader &reader, const std::filesystem::path &file,
                                  const std::function<void()> &goOn)
{
    std::error_code fault;
    if (!std::filesystem::exists(file, fault) && !fault)
        return {};
    InputFile input(file);
    std::array<char, kReadBytes> buffer{};
    for (;;) {
        goOn();
        const std::size_t count = input.read(buffer.data(), buffer.size());
        reader.take({buffer.data(), count});
        if (count < buffer.size())
            break;
    }
    return reader.finish();
}

} // namespace

std::string metricsLine(const MetricsRecord &record)
{
    ordered_json object = ordered_json::object();
    object["step"] = record.step;
    object["n_keys"] = record.n_keys;
    for (const RealField &field : kRealFields) {
        const auto &value = record.*field.member;
        object[field.name] = value ? ordered_json(realToJson(*value)) : ordered_json(nullptr);
    }
    return object.dump();
}

std::optional<MetricsRecord> parseMetricsLine(std::string_view line)
{
    auto record = recordOf(tryParseJson(line));
    return record ? record : recordOf(tryParseJson(withQuotedWords(line)));
}

MetricsLog readMetrics(const std::filesystem::path &file)
{
    return readMetricsUntil(file, {});
}

MetricsLog readMetricsUntil(const std::filesystem::path &file, const std::stop_token &stop)
{
    MetricsLog log;
    LogReader reader(std::numeric_limits<std::size_t>::max());
    log.notes = readInto(reader, file, [&] {
        if (stop.stop_requested())
            throw Cancelled();
    });
    log.records = reader.log().take();
    return log;
}

std::vector<std::string>
readMetricsInPieces(const std::filesystem::path &file, std::size_t most,
                    const std::function<bool(std::span<const MetricsRecord> records, bool isWhole)> &tell)
{
    LogReader reader(most);
    std::size_t told = 0;
    std::uint64_t pieces = 0;
    bool isFirst = true;
    const auto tellNew = [&] {
        const std::vector<MetricsRecord> &records = reader.log().records();
        const bool isWhole = reader.takeIsChanged() || isFirst;
        if (!tell(std::span(records).subspan(isWhole ? 0 : told), isWhole))
            throw Cancelled();
        told = records.size();
        isFirst = false;
    };
    std::vector<std::string> notes = readInto(reader, file, [&] {
        if (++pieces % kPiecesBetweenTelling == 0)
            tellNew();
    });
    tellNew();
    if (const std::int64_t stretch = reader.log().linesPerStretch(); stretch > 1) {
        notes.push_back("of each " + std::to_string(stretch)
                        + " lines in a row the first and the extreme ones are shown, because the log is very long");
    }
    return notes;
}

} // namespace lookback::run
