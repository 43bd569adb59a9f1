// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint.h"

#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/newer_format.h"
#include "core/run/checkpoint_store.h"
#include "core/run/crc32.h"
#include "core/run/kvbench.h"

namespace lookback::run {

namespace {

constexpr std::string_view kKind = "lookback-checkpoint";
constexpr std::string_view kMomentPrefix = "optimizer.";
constexpr std::string_view kChecksumKey = "checksum";

/// "crc32:0a1b2c3d"
std::string textOf(std::uint32_t value)
{
    std::string hex(8, '0');
    for (std::size_t i = 8; i-- > 0; value >>= 4)
        hex[i] = "0123456789abcdef"[value & 15];
    return "crc32:" + hex;
}

/// Over every metadata item except the checksum itself ("key=value\n", by key), then every tensor in file order:
/// "name dtype d0,d1,\n" and its bytes.
std::string checksumOf(const SafetensorsFile &file)
{
    Crc32 crc;
    for (const auto &[key, value] : file.metadata) {
        if (key != kChecksumKey)
            crc.add(key + "=" + value + "\n");
    }
    for (const StoredTensor &tensor : file.tensors) {
        std::string head = tensor.name + " " + tensor.dtype + " ";
        for (const std::int64_t extent : tensor.shape)
            head += std::to_string(extent) + ",";
        crc.add(head + "\n");
        crc.add(tensor.bytes.data(), tensor.bytes.size());
    }
    return textOf(crc.value());
}

class Metadata {
public:
    Metadata(std::string subject, const std::map<std::string, std::string> &items)
        : m_subject(std::move(subject)), m_items(items)
    {
    }

    const std::string &text(const std::string &key) const
    {
        const auto found = m_items.find(key);
        if (found == m_items.end())
            fail(key, "is missing");
        return found->second;
    }
    template <typename Number> Number number(const std::string &key) const
    {
        const std::string &value = text(key);
        Number result{};
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
        if (error != std::errc() || end != value.data() + value.size())
            fail(key, "is no number (\"" + value + "\")");
        return result;
    }

private:
    [[noreturn]] void fail(const std::string &key, const std::string &what) const
    {
        throw Error(m_subject, "The checkpoint is damaged: its \"" + key + "\" " + what + ".",
                    "Use another checkpoint of the run.");
    }
    std::string m_subject;
    const std::map<std::string, std::string> &m_items;
};

} // namespace

std::string writeCheckpoint(const std::filesystem::path &file, const Checkpoint &checkpoint)
{
    SafetensorsFile content;
    content.metadata = {
        {"kind", std::string(kKind)},
        {"format", "pt"}, // what the Python tools for such files look for
        {"format_version", std::to_string(Checkpoint::kFormatVersion)},
        {"writer", "Lookback " + checkpoint.programVersion},
        {"libtorch", checkpoint.libtorchVersion},
        {"device", checkpoint.device},
        {"threads", std::to_string(checkpoint.threads)},
        {"variant", checkpoint.config.variant},
        {"step", std::to_string(checkpoint.step)},
        {"elapsed_seconds", realText(checkpoint.elapsedSeconds)},
        {"skipped_steps", std::to_string(checkpoint.skippedSteps)},
        {"rate_factor", realText(checkpoint.rateFactor)},
        {"has_gone_back", checkpoint.hasGoneBack ? "1" : "0"},
        {"generator", "philox4x32-10"},
        {"generator_seed", std::to_string(checkpoint.config.seed)},
        {"config", configToJson(checkpoint.config)},
    };
    if (!checkpoint.curriculum.empty())
        content.metadata["curriculum"] = checkpoint.curriculum;
    content.tensors = checkpoint.weights;
    content.tensors.insert(content.tensors.end(), checkpoint.moments.begin(), checkpoint.moments.end());
    const std::string checksum = checksumOf(content);
    content.metadata[std::string(kChecksumKey)] = checksum;
    writeSafetensors(file, content);
    return checksum;
}

Checkpoint readCheckpoint(const std::filesystem::path &file, CheckpointParts parts)
{
    if (file.extension() == ".pt")
        return readKvbenchCheckpoint(file);
    const std::string subject = file.string();
    SafetensorsFile content = readSafetensors(file);
    const auto kind = content.metadata.find("kind");
    if (kind == content.metadata.end() || kind->second != kKind) {
        throw Error(subject, "This is a safetensors file, but not a checkpoint of a run.",
                    "Open a file named step-<number>.safetensors of a run's \"checkpoints\" folder.");
    }
    const Metadata metadata(subject, content.metadata);
    const int version = metadata.number<int>("format_version");
    if (version > Checkpoint::kFormatVersion) {
        throw NewerFormat(subject,
                          "The checkpoint has format version " + std::to_string(version) + "; this program reads up to "
                              + std::to_string(Checkpoint::kFormatVersion) + ".",
                          "Update Lookback; the file is left as it is.");
    }
    if (metadata.text(std::string(kChecksumKey)) != checksumOf(content)) {
        throw Error(subject, "The checkpoint is damaged: its checksum does not fit its content.",
                    "Use another checkpoint of the run, or copy the file again.");
    }

    Checkpoint checkpoint;
    checkpoint.config = configFromJson(metadata.text("config"));
    checkpoint.step = metadata.number<std::int64_t>("step");
    checkpoint.elapsedSeconds = metadata.number<double>("elapsed_seconds");
    if (content.metadata.contains("skipped_steps")) { // missing in the first files of this format
        checkpoint.skippedSteps = metadata.number<std::int64_t>("skipped_steps");
        checkpoint.rateFactor = metadata.number<double>("rate_factor");
        checkpoint.hasGoneBack = metadata.number<int>("has_gone_back") != 0;
    }
    if (content.metadata.contains("curriculum"))
        checkpoint.curriculum = metadata.text("curriculum");
    checkpoint.programVersion = metadata.text("writer");
    if (checkpoint.programVersion.starts_with("Lookback "))
        checkpoint.programVersion.erase(0, std::string_view("Lookback ").size());
    checkpoint.libtorchVersion = metadata.text("libtorch");
    checkpoint.device = metadata.text("device");
    checkpoint.threads = metadata.number<int>("threads");
    checkpoint.checksum = metadata.text(std::string(kChecksumKey));
    for (StoredTensor &tensor : content.tensors) {
        if (!tensor.name.starts_with(kMomentPrefix))
            checkpoint.weights.push_back(std::move(tensor));
        else if (parts == CheckpointParts::All)
            checkpoint.moments.push_back(std::move(tensor));
    }
    return checkpoint;
}

namespace {

std::optional<Checkpoint> newestOf(const RunFolder &folder, CheckpointParts parts, std::vector<std::string> *notes,
                                   bool isToGoOn)
{
    const std::vector<CheckpointInfo> found = folder.checkpoints();
    for (auto info = found.rbegin(); info != found.rend(); ++info) {
        try {
            Checkpoint checkpoint = readCheckpoint(info->file, parts);
            if (checkpoint.step != info->step) {
                throw Error(info->file.string(),
                            "The file is named after step " + std::to_string(info->step) + ", but holds step "
                                + std::to_string(checkpoint.step) + ".");
            }
            requireAsRecorded(folder, info->step, info->bytes, checkpoint.checksum);
            return checkpoint;
        } catch (const NewerFormat &error) {
            if (isToGoOn)
                throw;
            if (notes)
                notes->push_back(error.sentence());
        } catch (const Error &error) {
            if (notes)
                notes->push_back(error.sentence());
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<Checkpoint> newestCheckpoint(const RunFolder &folder, CheckpointParts parts,
                                           std::vector<std::string> *notes)
{
    return newestOf(folder, parts, notes, false);
}

std::optional<Checkpoint> checkpointToGoOnFrom(const RunFolder &folder, std::vector<std::string> *notes)
{
    return newestOf(folder, CheckpointParts::All, notes, true);
}

Checkpoint checkpointAt(const RunFolder &folder, std::int64_t step, CheckpointParts parts)
{
    const std::vector<CheckpointInfo> found = folder.checkpoints();
    if (step < 0) {
        std::vector<std::string> notes;
        if (auto newest = newestCheckpoint(folder, parts, &notes))
            return std::move(*newest);
        if (notes.empty() && isKvbenchFolder(folder.path())) {
            throw Error(folder.path().string(), "This folder of kvbench holds no checkpoint.",
                        "Put a ckpt_step<N>.pt or ckpt_final.pt into its \"checkpoints\".");
        }
        if (notes.empty()) {
            throw Error(folder.path().string(), "This run has no checkpoint yet.",
                        "Let it train until its first one, or save one now.");
        }
        throw Error(folder.path().string(), "None of this run's checkpoints can be read. " + notes.front());
    }
    std::string steps;
    for (const CheckpointInfo &info : found) {
        if (info.step == step) {
            Checkpoint checkpoint = readCheckpoint(info.file, parts);
            requireAsRecorded(folder, step, info.bytes, checkpoint.checksum);
            return checkpoint;
        }
        steps += (steps.empty() ? "" : ", ") + std::to_string(info.step);
    }
    throw Error(folder.path().string(), "There is no checkpoint of step " + std::to_string(step) + ".",
                steps.empty() ? "This run has none yet." : "There are those of step " + steps + ".");
}

void requireContinuable(const RunConfig &run, const Checkpoint &checkpoint)
{
    const auto refuse = [](std::string_view field, const std::string &there, const std::string &wanted) {
        throw Error("checkpoint",
                    "It was trained with " + std::string(field) + " " + there + ", the run asks for " + wanted + ".",
                    "Start a new run for the changed set-up.");
    };
    if (run.variant != checkpoint.config.variant)
        refuse("variant", checkpoint.config.variant, run.variant);
    for (const ConfigField &field : configFields()) {
        if (field.group == FieldGroup::Records)
            continue;
        const std::string there = fieldText(checkpoint.config, field.name);
        const std::string wanted = fieldText(run, field.name);
        if (there != wanted)
            refuse(field.name, there, wanted);
    }
}

} // namespace lookback::run
