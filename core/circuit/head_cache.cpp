// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/head_cache.h"

#include <algorithm>
#include <system_error>

#include "core/error.h"
#include "core/newer_format.h"
#include "core/run/file.h"

namespace lookback::circuit {

namespace fs = std::filesystem;

namespace {

/// The tables of the file; none if it is missing or of other weights. Throws Error.
std::vector<HeadTable> readTables(const fs::path &file, const std::string &fingerprint)
{
    std::error_code error;
    if (fs::symlink_status(file, error).type() == fs::file_type::not_found)
        return {};
    std::string found;
    std::vector<HeadTable> tables = headTablesFromJson(run::readFileWhole(file), file.string(), &found);
    return found == fingerprint ? std::move(tables) : std::vector<HeadTable>{};
}

void addNote(std::vector<std::string> *notes, const std::string &sentence)
{
    if (notes)
        notes->push_back(sentence);
}

} // namespace

fs::path headCacheFile(const run::RunFolder &folder, std::int64_t step)
{
    std::string digits = std::to_string(step);
    if (digits.size() < 8)
        digits.insert(0, 8 - digits.size(), '0');
    return folder.path() / "circuit" / ("heads-" + digits + ".json");
}

std::optional<HeadTable> keptHeads(const run::RunFolder &folder, std::int64_t step, const std::string &fingerprint,
                                   const HeadRequest &request, std::uint64_t evaluationSeed,
                                   std::vector<std::string> *notes)
{
    try {
        for (HeadTable &table : readTables(headCacheFile(folder, step), fingerprint)) {
            if (table.request == request && table.step == step && table.evaluationSeed == evaluationSeed)
                return std::move(table);
        }
    } catch (const Error &error) {
        addNote(notes, error.sentence());
    }
    return std::nullopt;
}

void keepHeads(const run::RunFolder &folder, const std::string &fingerprint, const HeadTable &table,
               std::vector<std::string> *notes)
{
    const fs::path file = headCacheFile(folder, table.step);
    std::vector<HeadTable> tables;
    try {
        tables = readTables(file, fingerprint);
    } catch (const NewerFormat &) {
        return;
    } catch (const Error &) {
        tables.clear(); // told when it was looked for; written anew
    }
    std::erase_if(tables, [&](const HeadTable &other) {
        return other.request == table.request || other.evaluationSeed != table.evaluationSeed;
    });
    tables.push_back(table);
    if (tables.size() > kKeptTables)
        tables.erase(tables.begin(), tables.end() - static_cast<std::ptrdiff_t>(kKeptTables));
    try {
        std::error_code error;
        fs::create_directory(file.parent_path(), error);
        if (error && !fs::is_directory(file.parent_path()))
            throw Error(file.parent_path().string(),
                        "The folder cannot be made: " + run::systemReason(error.value()) + ".");
        run::writeFileWhole(file, headTablesToJson(tables, fingerprint));
    } catch (const Error &error) {
        addNote(notes, error.sentence() + " What was measured is not kept.");
    } catch (const fs::filesystem_error &error) {
        addNote(notes,
                file.string() + ": What was measured is not kept: " + run::systemReason(error.code().value()) + ".");
    }
}

} // namespace lookback::circuit
