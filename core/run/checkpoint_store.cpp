// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint_store.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/newer_format.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

constexpr const char *kKind = "lookback-checkpoints";
constexpr int kFormatVersion = 1;
constexpr std::int64_t kLastEarlyStep = 512;
constexpr std::size_t kNewestKept = 2;
constexpr std::uint64_t kLargestManifest = 16U << 20U;

constexpr std::array<std::pair<CheckpointPurpose, std::string_view>, 5> kPurposes{{
    {CheckpointPurpose::Progress, "progress"},
    {CheckpointPurpose::Early, "early"},
    {CheckpointPurpose::Evaluation, "evaluation"},
    {CheckpointPurpose::Asked, "asked"},
    {CheckpointPurpose::Final, "final"},
}};

bool isEarly(std::int64_t step)
{
    return step >= 0 && step <= kLastEarlyStep && (step & (step - 1)) == 0;
}

bool isMultiple(std::int64_t step, std::int64_t every)
{
    return every > 0 && step > 0 && step % every == 0;
}

fs::path manifestFile(const RunFolder &folder)
{
    return folder.checkpointFile(0).parent_path() / "manifest.json";
}

void addNote(std::vector<std::string> *notes, const std::string &sentence)
{
    if (notes)
        notes->push_back(sentence);
}

} // namespace

std::string manifestToJson(const std::vector<ManifestEntry> &entries)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    object["format"] = kKind;
    object["format_version"] = kFormatVersion;
    object["checkpoints"] = nlohmann::ordered_json::array();
    for (const ManifestEntry &entry : entries) {
        const auto purpose = std::ranges::find(kPurposes, entry.purpose, &decltype(kPurposes)::value_type::first);
        object["checkpoints"].push_back(
            {{"step", entry.step}, {"bytes", entry.bytes}, {"checksum", entry.checksum}, {"purpose", purpose->second}});
    }
    return object.dump(1) + "\n";
}

std::vector<ManifestEntry> manifestFromJson(std::string_view text, const std::string &subject)
{
    const auto refuse = [&](const std::string &what) {
        throw Error(subject, "The list of checkpoints is damaged: " + what + ".",
                    "Delete it: the checkpoints are read without it, and it is written anew.");
    };
    const nlohmann::json object = parseJson(text, subject);
    if (!object.is_object() || !object.contains("format") || object["format"] != kKind)
        refuse("it is of another kind");
    const auto version = object.contains("format_version") ? integerFromJson(object["format_version"]) : std::nullopt;
    if (!version || *version < 1)
        refuse("it has no format version");
    if (*version > kFormatVersion) {
        throw NewerFormat(subject,
                          "The list of checkpoints is in format " + std::to_string(*version)
                              + "; this Lookback (" LOOKBACK_VERSION ") reads up to format "
                              + std::to_string(kFormatVersion) + ".",
                          "Open the run with a newer Lookback.");
    }
    if (!object.contains("checkpoints") || !object["checkpoints"].is_array())
        refuse("\"checkpoints\" is missing");
    std::vector<ManifestEntry> entries;
    for (const nlohmann::json &item : object["checkpoints"]) {
        if (!item.is_object() || !item.contains("step") || !item.contains("bytes") || !item.contains("checksum")
            || !item["checksum"].is_string())
            refuse("an entry lacks step, bytes or checksum");
        const auto step = integerFromJson(item["step"]);
        const auto bytes = unsignedFromJson(item["bytes"]);
        if (!step || *step < 0 || !bytes)
            refuse("an entry has no whole step or size");
        ManifestEntry entry{.step = *step, .bytes = *bytes, .checksum = item["checksum"].get<std::string>()};
        const std::string purpose =
            item.contains("purpose") && item["purpose"].is_string() ? item["purpose"].get<std::string>() : "";
        const auto known = std::ranges::find(kPurposes, purpose, &decltype(kPurposes)::value_type::second);
        entry.purpose = known == kPurposes.end() ? CheckpointPurpose::Asked : known->first; // in doubt it stays
        if (!entries.empty() && entries.back().step >= entry.step)
            refuse("its steps do not rise");
        entries.push_back(std::move(entry));
    }
    return entries;
}

bool isCheckpointDue(const RunConfig &config, std::int64_t step)
{
    return isEarly(step) || step == config.steps || isMultiple(step, config.checkpoint_every)
        || isMultiple(step, config.evaluate_every);
}

CheckpointPurpose purposeOf(const RunConfig &config, std::int64_t step)
{
    if (step == config.steps)
        return CheckpointPurpose::Final;
    if (isMultiple(step, config.evaluate_every))
        return CheckpointPurpose::Evaluation;
    return isEarly(step) ? CheckpointPurpose::Early : CheckpointPurpose::Progress;
}

CheckpointPlan checkpointPlan(const RunConfig &config)
{
    std::set<std::int64_t> kept{0, config.steps};
    for (std::int64_t step = 1; step <= std::min(kLastEarlyStep, config.steps); step *= 2)
        kept.insert(step);
    CheckpointPlan plan;
    const auto isRegular = [&](std::int64_t step) { return isMultiple(step, config.evaluate_every); };
    plan.count = static_cast<std::int64_t>(std::ranges::count_if(kept, std::not_fn(isRegular)))
        + (config.evaluate_every > 0 ? config.steps / config.evaluate_every : 0);
    // Of those for progress one stays beside the final one, unless another kind was saved after it.
    const auto lastMultiple = [&](std::int64_t every) { return every > 0 ? (config.steps - 1) / every * every : 0; };
    const std::int64_t last = lastMultiple(config.checkpoint_every);
    std::int64_t lastOther = lastMultiple(config.evaluate_every);
    for (const std::int64_t step : kept)
        lastOther = step < config.steps ? std::max(lastOther, step) : lastOther;
    if (last > lastOther)
        ++plan.count;
    plan.bytesEach = estimatedWeightBytes(config) * 3.0 / 4.0; // a file has no gradients
    return plan;
}

CheckpointStore::CheckpointStore(RunFolder folder, std::vector<std::string> *notes) : m_folder(std::move(folder))
{
    const fs::path file = manifestFile(m_folder);
    std::error_code fault;
    if (!fs::exists(file, fault) && !fault)
        return;
    try {
        m_entries = manifestFromJson(readFileWhole(file, kLargestManifest), file.string());
    } catch (const NewerFormat &) {
        throw; // a list that this program cannot write is not replaced
    } catch (const Error &error) {
        addNote(notes, error.sentence());
    }
    // A file that went away, or one of a crash between writing and recording, leaves the list behind.
    std::set<std::int64_t> present;
    for (const CheckpointInfo &info : m_folder.checkpoints())
        present.insert(info.step);
    std::erase_if(m_entries, [&](const ManifestEntry &entry) { return !present.contains(entry.step); });
}

void CheckpointStore::save(const Checkpoint &checkpoint, CheckpointPurpose purpose, std::vector<std::string> *notes)
{
    const fs::path file = m_folder.checkpointFile(checkpoint.step);
    // A file may be written again after a run went back; a kill between file and list must not leave a list that
    // contradicts it.
    if (std::erase_if(m_entries, [&](const ManifestEntry &other) { return other.step == checkpoint.step; }) > 0)
        writeFileWhole(manifestFile(m_folder), manifestToJson(m_entries));
    const std::string checksum = writeCheckpoint(file, checkpoint);
    const ManifestEntry entry{
        .step = checkpoint.step, .bytes = fs::file_size(file), .checksum = checksum, .purpose = purpose};
    m_entries.insert(std::ranges::upper_bound(m_entries, entry.step, {}, &ManifestEntry::step), entry);
    try {
        writeFileWhole(manifestFile(m_folder), manifestToJson(m_entries));
    } catch (const Error &error) {
        addNote(notes, error.sentence());
        return; // what is not recorded replaces nothing
    }
    try {
        removeSuperseded(notes);
    } catch (const Error &error) {
        addNote(notes, error.sentence());
    }
}

void CheckpointStore::abandonAfter(std::int64_t step)
{
    if (std::erase_if(m_entries, [step](const ManifestEntry &entry) { return entry.step > step; }) > 0)
        writeFileWhole(manifestFile(m_folder), manifestToJson(m_entries));
    for (const CheckpointInfo &info : m_folder.checkpoints()) {
        if (info.step <= step)
            continue;
        std::string name = info.file.filename().string();
        name.replace(0, name.find('-'), "abandoned");
        std::error_code fault;
        fs::rename(info.file, info.file.parent_path() / name, fault);
        if (fault)
            throw Error(info.file.string(),
                        "The checkpoint of the abandoned steps cannot be renamed: " + systemReason(fault.value()) + ".",
                        "Check the permissions of the folder.");
    }
}

void CheckpointStore::removeSuperseded(std::vector<std::string> *notes)
{
    if (m_entries.size() <= kNewestKept)
        return;
    std::set<std::int64_t> evaluated;
    for (const eval::AccuracyCurve &curve : m_folder.readAccuracy())
        evaluated.insert(curve.step);
    const auto newest = m_entries.end() - static_cast<std::ptrdiff_t>(kNewestKept);
    std::vector<std::int64_t> superseded;
    for (auto entry = m_entries.begin(); entry != newest; ++entry) {
        if (entry->purpose == CheckpointPurpose::Progress && !evaluated.contains(entry->step))
            superseded.push_back(entry->step);
    }
    if (superseded.empty())
        return;
    readCheckpoint(m_folder.checkpointFile(m_entries.back().step)); // throws if it did not reach the disk whole
    for (const std::int64_t step : superseded) {
        std::error_code fault;
        fs::remove(m_folder.checkpointFile(step), fault);
        if (fault) {
            addNote(notes,
                    m_folder.checkpointFile(step).string()
                        + ": The old checkpoint cannot be removed: " + systemReason(fault.value()) + ".");
            continue;
        }
        std::erase_if(m_entries, [&](const ManifestEntry &entry) { return entry.step == step; });
    }
    writeFileWhole(manifestFile(m_folder), manifestToJson(m_entries));
}

void requireAsRecorded(const RunFolder &folder, std::int64_t step, std::uint64_t bytes, const std::string &checksum)
{
    const fs::path file = manifestFile(folder);
    std::error_code fault;
    if (!fs::exists(file, fault))
        return;
    std::vector<ManifestEntry> entries;
    try {
        entries = manifestFromJson(readFileWhole(file, kLargestManifest), file.string());
    } catch (const Error &) {
        return; // the checkpoint's own checksum counts
    }
    const auto entry = std::ranges::find(entries, step, &ManifestEntry::step);
    if (entry != entries.end() && (entry->bytes != bytes || entry->checksum != checksum)) {
        throw Error(folder.checkpointFile(step).string(),
                    "This is not the checkpoint that was saved here: the run's list knows it with "
                        + bytesInWords(entry->bytes) + " and the checksum " + inQuotes(entry->checksum) + ".",
                    "Use another checkpoint of the run.");
    }
}

} // namespace lookback::run
