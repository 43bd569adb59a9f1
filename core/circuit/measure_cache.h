// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/newer_format.h"
#include "core/run/file.h"
#include "core/run/run_folder.h"

namespace lookback::circuit {

/// circuit/<kind>-<8 digits of the step>.json in a run folder.
inline std::filesystem::path measureFile(const run::RunFolder &folder, const std::string &kind, std::int64_t step)
{
    std::string digits = std::to_string(step);
    if (digits.size() < 8)
        digits.insert(0, 8 - digits.size(), '0');
    return folder.path() / "circuit" / (kind + "-" + digits + ".json");
}

inline constexpr std::size_t kKeptTables = 32;

/// Tables that were measured of one checkpoint, in a file that may be deleted at any time. What was measured of other
/// weights counts as absent. Sentences about a file that cannot be used go to `notes` (may be null); nothing else
/// happens then.
template <typename Table> class MeasureCache {
public:
    using Read = std::vector<Table> (*)(std::string_view text, const std::string &subject, std::string *fingerprint);
    using Write = std::string (*)(const std::vector<Table> &tables, const std::string &fingerprint);

    MeasureCache(std::filesystem::path file, std::string fingerprint, Read read, Write write)
        : m_file(std::move(file)), m_fingerprint(std::move(fingerprint)), m_read(read), m_write(write)
    {
    }

    /// The first table that `isWanted`.
    std::optional<Table> find(const std::function<bool(const Table &)> &isWanted, std::vector<std::string> *notes) const
    {
        try {
            for (Table &table : tables()) {
                if (isWanted(table))
                    return std::move(table);
            }
        } catch (const Error &error) {
            addNote(notes, error.sentence());
        }
        return std::nullopt;
    }

    /// Adds a table in place of those that `isOutdated`; the newest kKeptTables stay. A file of a newer format is left
    /// alone.
    void keep(const Table &table, const std::function<bool(const Table &)> &isOutdated,
              std::vector<std::string> *notes) const
    {
        std::vector<Table> kept;
        try {
            kept = tables();
        } catch (const NewerFormat &) {
            return;
        } catch (const Error &) {
            kept.clear(); // told when it was looked for; written anew
        }
        std::erase_if(kept, isOutdated);
        kept.push_back(table);
        if (kept.size() > kKeptTables)
            kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(kKeptTables));
        try {
            std::error_code error;
            std::filesystem::create_directory(m_file.parent_path(), error);
            if (error && !std::filesystem::is_directory(m_file.parent_path()))
                throw Error(m_file.parent_path().string(),
                            "The folder cannot be made: " + run::systemReason(error.value()) + ".");
            run::writeFileWhole(m_file, m_write(kept, m_fingerprint));
        } catch (const Error &error) {
            addNote(notes, error.sentence() + " What was measured is not kept.");
        } catch (const std::filesystem::filesystem_error &error) {
            addNote(notes,
                    m_file.string() + ": What was measured is not kept: " + run::systemReason(error.code().value())
                        + ".");
        }
    }

private:
    /// Those of the file; none if it is missing or of other weights. Throws Error.
    std::vector<Table> tables() const
    {
        std::error_code error;
        if (std::filesystem::symlink_status(m_file, error).type() == std::filesystem::file_type::not_found)
            return {};
        std::string found;
        std::vector<Table> tables = m_read(run::readFileWhole(m_file), m_file.string(), &found);
        return found == m_fingerprint ? std::move(tables) : std::vector<Table>{};
    }

    static void addNote(std::vector<std::string> *notes, const std::string &sentence)
    {
        if (notes)
            notes->push_back(sentence);
    }

    std::filesystem::path m_file;
    std::string m_fingerprint;
    Read m_read;
    Write m_write;
};

} // namespace lookback::circuit
