// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/json.h"
#include "core/run/kvbench.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

constexpr const char *kRecordFile = "run.json";
constexpr const char *kMetricsFile = "metrics.jsonl";
constexpr const char *kAccuracyFile = "accuracy_vs_context.json";
constexpr const char *kCheckpointFolder = "checkpoints";
constexpr std::string_view kCheckpointPrefix = "step-";
constexpr std::string_view kCheckpointSuffix = ".safetensors";
constexpr std::size_t kStepDigits = 8;
constexpr std::uint64_t kLargestRecord = 16U << 20U;
constexpr int kMostEqualNames = 10000;

/// Reading, changing and writing evaluations belong together; two evaluations of a run may end at once.
std::mutex accuracyMutex;

fs::path withoutTrailingSlash(const fs::path &folder)
{
    const fs::path plain = folder.lexically_normal();
    return plain.has_filename() || !plain.has_relative_path() ? plain : plain.parent_path();
}

void requireName(const std::string &name)
{
    const bool isPlain = !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos
        && name.find('\0') == std::string::npos && name.front() != '.';
    if (!isPlain)
        throw Error(inQuotes(name), "This cannot be the name of a run's folder.",
                    "Choose a name without slashes that does not begin with a dot.");
}

[[noreturn]] void refuseFolder(const fs::path &folder, int systemError)
{
    throw Error(folder.string(), "The folder cannot be made: " + systemReason(systemError) + ".",
                systemRemedy(systemError));
}

/// Makes `folder` and what is missing above it; gives the highest folder that was made, empty if all were there.
fs::path makeFolders(const fs::path &folder)
{
    fs::path highestMade;
    std::error_code fault;
    for (fs::path above = fs::absolute(folder, fault); !above.empty() && !fs::exists(above, fault);
         above = above.parent_path())
        highestMade = above;
    fault.clear();
    fs::create_directories(folder, fault);
    std::error_code unreadable;
    if (fault || !fs::is_directory(folder, unreadable))
        refuseFolder(folder, fault ? fault.value() : ENOTDIR);
    return highestMade;
}

std::optional<std::int64_t> stepOf(const std::string &fileName)
{
    if (!fileName.starts_with(kCheckpointPrefix) || !fileName.ends_with(kCheckpointSuffix)
        || fileName.size() < kCheckpointPrefix.size() + kStepDigits + kCheckpointSuffix.size())
        return std::nullopt;
    const char *const begin = fileName.data() + kCheckpointPrefix.size();
    const char *const end = fileName.data() + fileName.size() - kCheckpointSuffix.size();
    std::int64_t step = 0;
    const auto [stop, fault] = std::from_chars(begin, end, step);
    const bool isStep = fault == std::errc() && stop == end && step >= 0;
    return isStep ? std::optional(step) : std::nullopt;
}

std::string checkpointName(std::int64_t step)
{
    std::string digits = std::to_string(step);
    if (digits.size() < kStepDigits)
        digits.insert(0, kStepDigits - digits.size(), '0');
    return std::string(kCheckpointPrefix) + digits + std::string(kCheckpointSuffix);
}

} // namespace

bool isRunFolder(const fs::path &folder)
{
    std::error_code fault;
    return fs::status(folder / kRecordFile, fault).type() != fs::file_type::not_found || isKvbenchFolder(folder);
}

RunFolder::RunFolder(const fs::path &folder) : m_folder(withoutTrailingSlash(folder)) { }

RunFolder RunFolder::create(const fs::path &parent, const std::string &name, const RunRecord &record)
{
    requireName(name);
    const fs::path highestMade = makeFolders(parent);
    fs::path folder;
    const auto clearUp = [&] {
        std::error_code ignored;
        if (!folder.empty()) { // first without opening anything: no descriptor may be left
            ::rmdir((folder / kCheckpointFolder).c_str());
            if (::rmdir(folder.c_str()) != 0)
                fs::remove_all(folder, ignored);
        }
        // Folders above go only if they are empty: somebody else may use them by now.
        for (fs::path above = fs::absolute(parent, ignored);
             !highestMade.empty() && above.native().size() >= highestMade.native().size() && fs::remove(above, ignored);
             above = above.parent_path()) { }
    };
    try {
        for (int number = 1; folder.empty(); ++number) {
            const fs::path candidate = parent / (number == 1 ? name : name + "-" + std::to_string(number));
            if (::mkdir(candidate.c_str(), 0777) == 0) // exclusive: only one of several programs succeeds
                folder = candidate;
            else if (errno != EEXIST || number >= kMostEqualNames)
                refuseFolder(candidate, errno);
        }
        if (::mkdir((folder / kCheckpointFolder).c_str(), 0777) != 0)
            refuseFolder(folder / kCheckpointFolder, errno);
        RunFolder made(folder);
        made.writeRecord(record);
        return made;
    } catch (...) {
        clearUp();
        throw;
    }
}

RunFolder RunFolder::open(const fs::path &folder)
{
    RunFolder opened(folder);
    const std::string name = opened.m_folder.string();
    std::error_code fault;
    const fs::file_status status = fs::status(opened.m_folder, fault);
    if (status.type() == fs::file_type::not_found)
        throw Error(name, "There is no such folder.", "Check the path.");
    if (fault)
        throw Error(name, "The folder cannot be read: " + systemReason(fault.value()) + ".", "Check the path.");
    if (!fs::is_directory(status))
        throw Error(name, "This is a file, not the folder of a run.", "Choose the folder that holds run.json.");
    if (!isRunFolder(opened.m_folder))
        throw Error(name, "This folder is not a run: it has no run.json.", "Choose the folder that holds run.json.");
    opened.readRecord();
    return opened;
}

std::string RunFolder::name() const
{
    std::error_code fault;
    const fs::path whole =
        m_folder.filename() == "." || m_folder.filename() == ".." ? fs::canonical(m_folder, fault) : m_folder;
    return whole.filename().string();
}

RunRecord RunFolder::readRecord() const
{
    const fs::path file = m_folder / kRecordFile;
    if (isKvbenchFolder(m_folder))
        return kvbenchRecord(m_folder);
    return recordFromJson(readFileWhole(file, kLargestRecord), file.string());
}

void RunFolder::writeRecord(const RunRecord &record) const
{
    writeFileWhole(m_folder / kRecordFile, recordToJson(record));
}

MetricsLog RunFolder::readMetricsLog() const
{
    return readMetrics(metricsFile());
}

fs::path RunFolder::metricsFile() const
{
    return m_folder / kMetricsFile;
}

std::vector<CheckpointInfo> RunFolder::checkpoints() const
{
    if (isKvbenchFolder(m_folder))
        return kvbenchCheckpoints(m_folder);
    std::vector<CheckpointInfo> found;
    const fs::path folder = m_folder / kCheckpointFolder;
    std::error_code fault;
    if (!fs::exists(folder, fault) && !fault)
        return found;
    fs::directory_iterator entry(folder, fault);
    for (const fs::directory_iterator end; !fault && entry != end; entry.increment(fault)) {
        const auto step = stepOf(entry->path().filename().string());
        std::error_code unknown; // a file that goes away meanwhile is no checkpoint
        if (!step || entry->path().filename() != checkpointName(*step) || !entry->is_regular_file(unknown))
            continue;
        const std::uintmax_t bytes = entry->file_size(unknown);
        if (!unknown)
            found.push_back({*step, entry->path(), bytes});
    }
    if (fault)
        throw Error(folder.string(), "The checkpoints cannot be listed: " + systemReason(fault.value()) + ".",
                    "Check the permissions of the folder.");
    std::sort(found.begin(), found.end(), [](const auto &left, const auto &right) { return left.step < right.step; });
    return found;
}

fs::path RunFolder::checkpointFile(std::int64_t step) const
{
    return m_folder / kCheckpointFolder / checkpointName(step);
}

std::vector<eval::AccuracyCurve> RunFolder::readAccuracy() const
{
    const fs::path file = m_folder / kAccuracyFile;
    std::vector<eval::AccuracyCurve> curves;
    if (isKvbenchFolder(m_folder))
        curves = kvbenchAccuracy(m_folder, readRecord());
    std::error_code fault;
    if (!fs::exists(file, fault) && !fault)
        return curves;
    for (const eval::AccuracyCurve &curve : eval::accuracyFromJson(readFileWhole(file), file.string()))
        curves = eval::mergedCurves(std::move(curves), curve);
    return curves;
}

void RunFolder::writeAccuracy(const eval::AccuracyCurve &curve) const
{
    const std::scoped_lock lock(accuracyMutex);
    const auto curves = eval::mergedCurves(readAccuracy(), curve);
    writeFileWhole(m_folder / kAccuracyFile, eval::accuracyToJson(curves));
}

void RunFolder::dropAccuracyAfter(std::int64_t step) const
{
    const std::scoped_lock lock(accuracyMutex);
    auto curves = readAccuracy();
    if (std::erase_if(curves, [step](const eval::AccuracyCurve &curve) { return curve.step > step; }) > 0)
        writeFileWhole(m_folder / kAccuracyFile, eval::accuracyToJson(curves));
}

std::vector<FoundRun> findRuns(const fs::path &root)
{
    std::vector<FoundRun> found;
    const auto look = [&](const fs::path &folder) {
        if (!isRunFolder(folder))
            return;
        FoundRun run{.folder = folder, .record = {}, .problem = {}};
        try {
            run.record = RunFolder(folder).readRecord();
        } catch (...) { // also too little memory: it costs this run, not the others
            run.problem = caughtError(folder.string()).sentence();
        }
        found.push_back(std::move(run));
    };
    std::error_code fault;
    const fs::file_status status = fs::status(root, fault);
    if (status.type() == fs::file_type::not_found)
        return found;
    std::vector<fs::path> folders;
    fs::directory_iterator entry(root, fault);
    for (const fs::directory_iterator end; !fault && entry != end; entry.increment(fault)) {
        std::error_code unknown; // a link that leads nowhere is passed over
        if (entry->is_directory(unknown) && !entry->path().filename().native().starts_with('.'))
            folders.push_back(entry->path());
    }
    if (fault)
        throw Error(root.string(), "The runs folder cannot be listed: " + systemReason(fault.value()) + ".",
                    "Choose another folder.");
    std::sort(folders.begin(), folders.end());
    look(root);
    for (const fs::path &folder : folders)
        look(folder);
    return found;
}

} // namespace lookback::run
