// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_record.h"

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/newer_format.h"

namespace lookback::run {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char *kKind = "lookback-run";

constexpr std::array<std::pair<RunState, std::string_view>, 9> kStates{{
    {RunState::Queued, "queued"},
    {RunState::Initialising, "initialising"},
    {RunState::Running, "running"},
    {RunState::Paused, "paused"},
    {RunState::Stopping, "stopping"},
    {RunState::Stopped, "stopped"},
    {RunState::Finished, "finished"},
    {RunState::Interrupted, "interrupted"},
    {RunState::Failed, "failed"},
}};

/// Reads members of one JSON object; every refusal names the file and the member.
class Members {
public:
    Members(const json &object, const std::string &subject) : m_object(object), m_subject(subject) { }

    [[noreturn]] void refuse(const std::string &message, const std::string &details = {}) const
    {
        throw Error(m_subject, message, "Restore the file from a copy, or remove the run.", details);
    }

    void read(const char *name, std::string &target) const
    {
        const auto found = m_object.find(name);
        if (found == m_object.end())
            return;
        if (!found->is_string())
            refuse("The record of the run is damaged: " + inQuotes(name) + " is not a text.");
        target = found->get<std::string>();
    }

    void read(const char *name, std::int64_t &target) const
    {
        const auto found = m_object.find(name);
        if (found == m_object.end())
            return;
        const auto number = integerFromJson(*found);
        if (!number || *number < 0)
            refuse("The record of the run is damaged: " + inQuotes(name) + " is not a number from 0 on.");
        target = *number;
    }

private:
    const json &m_object;
    const std::string &m_subject;
};

} // namespace

std::string_view stateWord(RunState state)
{
    for (const auto &[known, word] : kStates) {
        if (known == state)
            return word;
    }
    return "unknown";
}

std::string currentTime()
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts); // digits only
    return {text.data(), length};
}

void requireTrainable(const RunRecord &record, const std::string &subject)
{
    if (record.origin == RunOrigin::Kvbench) {
        throw Error(subject,
                    "This run was trained by kvbench, whose checkpoints hold no optimizer state; it cannot be trained "
                    "further.",
                    "Evaluate it and look into its heads, or train a run of your own.");
    }
}

std::string recordToJson(const RunRecord &record)
{
    ordered_json object = ordered_json::object();
    object["format"] = kKind;
    object["format_version"] = RunRecord::kFormatVersion;
    object["program_version"] = record.programVersion;
    object["libtorch_version"] = record.libtorchVersion;
    object["processor"] = record.processor;
    object["device"] = record.device;
    object["threads"] = record.threads;
    object["kernels"] = kernelsName(record.kernels);
    object["precision"] = precisionName(record.precision);
    object["created"] = record.created;
    object["started"] = record.started;
    object["ended"] = record.ended;
    object["state"] = stateWord(record.state);
    object["end_reason"] = record.endReason;
    object["step"] = record.step;
    object["preset"] = record.preset;
    object["config"] = parseOrderedJson(configToJson(record.config), "Configuration");
    // Names of processors and reasons come from outside; a stray byte must not cost the record.
    return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

RunRecord recordFromJson(std::string_view text, const std::string &subject)
{
    const json object = parseJson(text, subject);
    const Members members(object, subject);
    if (!object.is_object() || !object.contains("format_version"))
        members.refuse("This is not the record of a run.");
    std::string kind = kKind;
    members.read("format", kind);
    if (kind != kKind)
        members.refuse("This is not the record of a run, but of the kind " + inQuotes(kind) + ".");
    std::int64_t version = 0;
    members.read("format_version", version);
    RunRecord record;
    members.read("program_version", record.programVersion);
    if (version > RunRecord::kFormatVersion) {
        const std::string writer =
            record.programVersion.empty() ? "a newer Lookback" : "Lookback " + record.programVersion;
        throw NewerFormat(subject,
                          "The run is in format " + std::to_string(version) + ", written by " + writer
                              + "; this Lookback (" LOOKBACK_VERSION ") reads up to format "
                              + std::to_string(RunRecord::kFormatVersion) + ".",
                          "Open it with a newer Lookback.");
    }
    if (version < 1)
        members.refuse("The record of the run is damaged: format version " + std::to_string(version)
                       + " never existed.");
    members.read("libtorch_version", record.libtorchVersion);
    members.read("processor", record.processor);
    members.read("device", record.device);
    std::int64_t threads = record.threads;
    members.read("threads", threads);
    constexpr std::int64_t kMostThreads = 1024;
    if (threads < 1 || threads > kMostThreads)
        members.refuse("The record of the run is damaged: it names " + std::to_string(threads) + " threads.");
    record.threads = static_cast<int>(threads);
    std::string kernels(kernelsName(Kernels::Reference)); // the only ones when it was not recorded yet
    members.read("kernels", kernels);
    record.kernels = kernelsFromName(kernels, subject);
    std::string precision(precisionName(Precision::Float32)); // the only one when it was not recorded yet
    members.read("precision", precision);
    record.precision = precisionFromName(precision, subject);
    members.read("created", record.created);
    members.read("started", record.started);
    members.read("ended", record.ended);
    members.read("end_reason", record.endReason);
    members.read("step", record.step);
    members.read("preset", record.preset);
    std::string word(stateWord(record.state));
    members.read("state", word);
    bool isKnownState = false;
    for (const auto &[state, known] : kStates) {
        if (known == word) {
            record.state = state;
            isKnownState = true;
        }
    }
    if (!isKnownState)
        members.refuse("The record of the run is damaged: it has the unknown state " + inQuotes(word) + ".");
    if (!object.contains("config"))
        members.refuse("The record of the run is damaged: it has no configuration.");
    try {
        record.config = configFromJson(object["config"].dump());
    } catch (const Error &error) {
        members.refuse("The configuration of the run is damaged: " + error.sentence(), error.details());
    }
    return record;
}

} // namespace lookback::run
