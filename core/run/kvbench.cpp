// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/kvbench.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/run/metrics_writer.h"
#include "core/run/run_scan.h"
#include "core/run/torch_archive.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

constexpr const char *kCheckpoints = "checkpoints";
constexpr std::string_view kPrefix = "ckpt_";
constexpr std::string_view kStepPrefix = "ckpt_step";
constexpr std::string_view kSuffix = ".pt";
constexpr std::int64_t kPublishedSequences = 128;

bool isFile(const fs::path &file)
{
    std::error_code unknown;
    return fs::is_regular_file(file, unknown);
}

std::vector<fs::path> checkpointFiles(const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code fault;
    fs::directory_iterator entry(folder / kCheckpoints, fault);
    for (const fs::directory_iterator end; !fault && entry != end; entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(kPrefix) && name.ends_with(kSuffix) && isFile(entry->path()))
            files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::optional<std::int64_t> stepInName(const fs::path &file)
{
    const std::string name = file.filename().string();
    if (!name.starts_with(kStepPrefix))
        return std::nullopt;
    std::int64_t step = 0;
    const char *const end = name.data() + name.size() - kSuffix.size();
    const auto [stop, fault] = std::from_chars(name.data() + kStepPrefix.size(), end, step);
    return fault == std::errc() && stop == end && step >= 0 ? std::optional(step) : std::nullopt;
}

const StoredTensor *named(const std::vector<StoredTensor> &weights, std::string_view name)
{
    const auto found =
        std::find_if(weights.begin(), weights.end(), [&](const StoredTensor &weight) { return weight.name == name; });
    return found == weights.end() ? nullptr : &*found;
}

bool isVariantName(const std::string &name)
{
    const auto published = eval::publishedCurves();
    return std::any_of(published.begin(), published.end(),
                       [&](const eval::AccuracyCurve &curve) { return curve.variant == name; });
}

/// Widths as the weights' shapes say.
void readWidths(RunConfig &config, const std::vector<StoredTensor> &weights, const std::string &subject)
{
    const auto extent = [&](const std::string &name, std::size_t axis) {
        const StoredTensor *weight = named(weights, name);
        if (!weight || weight->shape.size() <= axis)
            throw Error(subject, "The checkpoint has no weight " + inQuotes(name) + " of the expected form.",
                        "Choose a checkpoint of kvbench; its weights are listed in the specification of the format.");
        return weight->shape[axis];
    };
    config.d_model = extent("E.weight", 1);
    config.ffn_hidden = extent("layers.1.Wg.weight", 0);
    config.pairs = 0;
    while (named(weights, "layers." + std::to_string(2 * config.pairs + 1) + ".Wg.weight"))
        ++config.pairs;
    if (const StoredTensor *decay = named(weights, "layers.0.A"); decay && !decay->shape.empty())
        config.query_heads = decay->shape[0]; // KDA has a decay for each head
    const std::int64_t headWidth = config.query_heads > 0 ? config.d_model / config.query_heads : 0;
    if (headWidth <= 0 || config.d_model % config.query_heads != 0)
        throw Error(subject,
                    "The model width " + std::to_string(config.d_model) + " does not go with the published number of "
                        + std::to_string(config.query_heads) + " query heads.",
                    "Lookback opens kvbench models of four query heads.");
    // In the KDA hybrid the second attention sublayer is the one with separate keys.
    const std::string keys = config.pairs > 1 ? "layers.2.Wk.weight" : "layers.0.Wk.weight";
    config.kv_heads = extent(keys, 0) / headWidth;
}

} // namespace

bool isKvbenchFolder(const fs::path &folder)
{
    std::error_code fault;
    if (fs::status(folder / "run.json", fault).type() != fs::file_type::not_found)
        return false;
    return isFile(folder / "metrics.jsonl") || isFile(folder / "eval.json") || !checkpointFiles(folder).empty();
}

RunRecord kvbenchRecord(const fs::path &folder)
{
    RunRecord record;
    record.origin = RunOrigin::Kvbench;
    record.programVersion = "kvbench";
    record.config.variant = fs::weakly_canonical(folder).filename().string();
    std::string problem;
    const std::vector<CheckpointInfo> checkpoints = kvbenchCheckpoints(folder);
    for (auto info = checkpoints.rbegin(); info != checkpoints.rend(); ++info) {
        try {
            const TorchCheckpoint newest = readTorchCheckpoint(info->file, TorchArchiveParts::Description);
            if (!newest.variant.empty())
                record.config.variant = newest.variant;
            readWidths(record.config, newest.weights, info->file.string());
            record.step = newest.step;
            problem.clear();
            break;
        } catch (const Error &error) {
            problem = error.sentence();
        }
    }
    if (!isVariantName(record.config.variant)) {
        throw Error(folder.string(),
                    "This looks like a kvbench folder, but " + inQuotes(record.config.variant)
                        + " is none of its variants.",
                    problem.empty() ? "Name the folder after its variant, as kvbench does." : problem);
    }
    const std::optional<MetricsRecord> last = lastMetrics(folder / "metrics.jsonl");
    record.step = std::max(record.step, last ? last->step : 0);
    record.config.steps = std::max(record.config.steps, record.step);
    record.state = record.step < record.config.steps ? RunState::Stopped : RunState::Finished;
    record.endReason = "Trained by kvbench; its folder is shown as it is and cannot be trained further.";
    return record;
}

std::vector<CheckpointInfo> kvbenchCheckpoints(const fs::path &folder)
{
    std::vector<CheckpointInfo> found;
    for (const fs::path &file : checkpointFiles(folder)) {
        std::optional<std::int64_t> step = stepInName(file);
        if (!step) { // ckpt_final.pt tells inside
            try {
                step = readTorchCheckpoint(file, TorchArchiveParts::Description).step;
            } catch (const Error &) {
                continue;
            }
        }
        std::error_code unknown;
        const bool isKnown =
            std::any_of(found.begin(), found.end(), [&](const CheckpointInfo &info) { return info.step == *step; });
        const std::uintmax_t bytes = fs::file_size(file, unknown);
        if (!isKnown && !unknown)
            found.push_back({*step, file, bytes});
    }
    std::sort(found.begin(), found.end(), [](const auto &left, const auto &right) { return left.step < right.step; });
    return found;
}

Checkpoint readKvbenchCheckpoint(const fs::path &file)
{
    TorchCheckpoint read = readTorchCheckpoint(file);
    Checkpoint checkpoint;
    checkpoint.programVersion = "kvbench";
    checkpoint.step = read.step;
    checkpoint.config.variant = read.variant.empty()
        ? fs::weakly_canonical(file.parent_path().parent_path()).filename().string()
        : read.variant;
    readWidths(checkpoint.config, read.weights, file.string());
    checkpoint.weights = std::move(read.weights);
    return checkpoint;
}

std::map<std::string, std::vector<std::pair<std::int64_t, double>>> kvbenchAccuracyTable(std::string_view text,
                                                                                         const std::string &subject)
{
    const auto refuse = [&](const std::string &what) {
        throw Error(subject, "The accuracy table is damaged: " + what + ".",
                    "It should be {\"n_sweep\": [...], \"curves\": {variant: [...]}}.");
    };
    const nlohmann::json object = parseJson(text, subject);
    if (!object.is_object() || !object.contains("n_sweep") || !object["n_sweep"].is_array()
        || !object.contains("curves") || !object["curves"].is_object())
        refuse("\"n_sweep\" or \"curves\" is missing");
    std::vector<std::int64_t> sweep;
    for (const nlohmann::json &item : object["n_sweep"]) {
        const auto n = integerFromJson(item);
        if (!n || *n < 1)
            refuse("\"n_sweep\" holds something that is no number of keys");
        sweep.push_back(*n);
    }
    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> table;
    for (const auto &[variant, values] : object["curves"].items()) {
        if (!values.is_array() || values.size() != sweep.size())
            refuse("the curve of " + inQuotes(variant) + " does not have one value for each n");
        auto &curve = table[variant];
        for (std::size_t i = 0; i < sweep.size(); ++i) {
            const auto accuracy = realFromJson(values[i]);
            if (!accuracy || !(*accuracy >= 0.0 && *accuracy <= 1.0))
                refuse("the curve of " + inQuotes(variant) + " holds something that is no accuracy");
            curve.emplace_back(sweep[i], *accuracy);
        }
        std::sort(curve.begin(), curve.end());
    }
    return table;
}

std::vector<eval::AccuracyCurve> kvbenchAccuracy(const fs::path &folder, const RunRecord &record)
{
    const fs::path file = fs::weakly_canonical(folder).parent_path() / "accuracy_vs_context.json";
    if (!isFile(file))
        return {};
    const auto table = kvbenchAccuracyTable(readFileWhole(file), file.string());
    const auto found = table.find(record.config.variant);
    if (found == table.end())
        return {};
    eval::AccuracyCurve curve;
    curve.variant = record.config.variant;
    curve.step = record.step;
    curve.totalSteps = record.config.steps;
    curve.trainedTokens = record.config.trainedTokens();
    for (const auto &[n, accuracy] : found->second) {
        eval::AccuracyPoint point;
        point.n_keys = n;
        point.contextTokens = record.config.contextTokens(n);
        point.sequences = kPublishedSequences;
        point.answers = point.sequences * n;
        point.accuracy = point.low = point.high = accuracy;
        point.exact = std::llround(accuracy * static_cast<double>(point.answers));
        curve.points.push_back(point);
    }
    return {curve};
}

std::map<std::int64_t, std::vector<double>> kvbenchPerIndexLoss(std::string_view text, const std::string &subject)
{
    const auto refuse = [&](const std::string &what) {
        throw Error(subject, "The losses by entry index are damaged: " + what + ".",
                    "The file should be {\"<step>\": [one loss for each entry], ...}.");
    };
    const nlohmann::json object = parseJson(text, subject);
    if (!object.is_object())
        refuse("the file is no object");
    std::map<std::int64_t, std::vector<double>> losses;
    for (const auto &[key, values] : object.items()) {
        std::int64_t step = 0;
        const auto [end, fault] = std::from_chars(key.data(), key.data() + key.size(), step);
        if (fault != std::errc() || end != key.data() + key.size() || step < 0 || !values.is_array())
            refuse(inQuotes(key) + " is no step with a list");
        for (const nlohmann::json &value : values) {
            const auto loss = realFromJson(value);
            if (!loss)
                refuse("step " + key + " holds something that is no loss");
            losses[step].push_back(*loss);
        }
    }
    return losses;
}

void exportAsKvbench(const RunFolder &folder, const fs::path &target)
{
    const RunRecord record = folder.readRecord();
    const fs::path name = record.config.variant;
    if (name.empty() || name != name.filename() || name == "." || name == "..") {
        throw Error(folder.path().string(),
                    "Its variant " + inQuotes(record.config.variant) + " cannot be the name of a folder.",
                    "Restore run.json from a copy.");
    }
    const fs::path variantFolder = target / name;
    std::error_code fault;
    if (fs::exists(variantFolder, fault)) {
        throw Error(variantFolder.string(), "This folder exists already.",
                    "Choose another folder for the export, or move this one away.");
    }
    // Under another name until it is whole, so that a kill leaves no half export that looks like one.
    const fs::path draft = target / ("." + name.string() + ".unfinished");
    fs::remove_all(draft, fault); // of an export that was killed
    fs::create_directories(draft / kCheckpoints, fault);
    if (fault)
        throw Error(variantFolder.string(), "The folder cannot be made: " + systemReason(fault.value()) + ".",
                    "Choose a folder that you may write to.");
    const auto finish = [&] {
        std::error_code refused;
        fs::rename(draft, variantFolder, refused);
        if (refused)
            throw Error(variantFolder.string(), "The folder cannot be made: " + systemReason(refused.value()) + ".",
                        "Choose another folder for the export.");
    };
    try {
        std::string lines;
        for (const MetricsRecord &line : folder.readMetricsLog().records) {
            nlohmann::ordered_json object = nlohmann::ordered_json::object();
            object["step"] = line.step;
            object["n_keys"] = line.n_keys;
            const auto real = [](const std::optional<double> &value) {
                return value ? nlohmann::ordered_json(realToJson(*value)) : nlohmann::ordered_json(nullptr);
            };
            object["loss"] = real(line.loss);
            object["retrieval_acc"] = real(line.retrievalAcc);
            lines += object.dump() + "\n";
        }
        writeFileWhole(draft / "metrics.jsonl", lines);
        for (const CheckpointInfo &info : folder.checkpoints()) {
            Checkpoint checkpoint = readCheckpoint(info.file, CheckpointParts::Weights);
            writeTorchCheckpoint(
                draft / kCheckpoints / (std::string(kStepPrefix) + std::to_string(info.step) + std::string(kSuffix)),
                {.step = checkpoint.step, .variant = record.config.variant, .weights = std::move(checkpoint.weights)});
        }
        const std::vector<eval::AccuracyCurve> curves = folder.readAccuracy();
        if (curves.empty()) {
            finish();
            return;
        }
        const fs::path file = target / "accuracy_vs_context.json";
        std::map<std::string, std::vector<std::pair<std::int64_t, double>>> table;
        if (isFile(file))
            table = kvbenchAccuracyTable(readFileWhole(file), file.string());
        auto &own = table[record.config.variant];
        own.clear();
        for (const eval::AccuracyPoint &point : curves.back().points)
            own.emplace_back(point.n_keys, point.accuracy);
        std::vector<std::int64_t> sweep;
        for (const auto &[n, accuracy] : own)
            sweep.push_back(n);
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        object["n_sweep"] = sweep;
        object["curves"] = nlohmann::ordered_json::object();
        for (const auto &[variant, curve] : table) {
            nlohmann::ordered_json values = nlohmann::ordered_json::array();
            for (std::size_t i = 0; i < curve.size(); ++i) {
                if (curve.size() != sweep.size() || curve[i].first != sweep[i]) {
                    throw Error(file.string(),
                                "The table there has other context lengths than this run was evaluated at.",
                                "Evaluate the run at those lengths, or choose another folder for the export.");
                }
                values.push_back(curve[i].second);
            }
            object["curves"][variant] = std::move(values);
        }
        const std::string text = object.dump(1) + "\n";
        finish();
        try {
            writeFileWhole(file, text);
        } catch (...) {
            fs::rename(variantFolder, draft, fault); // never half an export
            throw;
        }
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(draft, ignored);
        throw;
    }
}

} // namespace lookback::run
