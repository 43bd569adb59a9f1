// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// What the housekeeping thread of the training desk does with folders that leave, come back, or belong to others.
#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/json.h"
#include "core/run/run_folder.h"
#include "core/run/run_scan.h"
#include "core/run/training_desk.h"
#include "core/run/training_desk_entry.h"

namespace lookback::run {

namespace fs = std::filesystem;

namespace {

constexpr const char *kTrash = ".trash";

/// `folder`/`name`, or with the first free number behind it.
fs::path freeName(const fs::path &folder, const std::string &name)
{
    fs::path path = folder / name;
    std::error_code ignored;
    for (int number = 2; fs::exists(path, ignored); ++number)
        path = folder / (name + "-" + std::to_string(number));
    return path;
}

} // namespace

void TrainingDesk::moveToTrash(const RunId &id)
{
    const fs::path folder(id);
    {
        const Hold hold(*this);
        Entry *entry = find(id);
        if (!entry)
            return;
        if (isBusy(*entry)) {
            refuse(id, inQuotes(entry->snapshot.name) + " is still training; stop it before you delete it.");
            return;
        }
    }
    if (const auto owner = RunLock::owner(folder)) {
        const Hold hold(*this);
        refuse(id,
               inQuotes(folder.filename().string()) + " is being trained by " + owner->words()
                   + "; stop it there before you delete it.");
        return;
    }
    const fs::path trash = folder.parent_path() / kTrash;
    std::error_code fault;
    fs::create_directories(trash, fault);
    const fs::path target = freeName(trash, folder.filename().string());
    if (!fault)
        fs::rename(folder, target, fault);
    std::error_code unknown;
    const bool isGone = fault && !fs::exists(folder, unknown) && !unknown;
    const Hold hold(*this);
    if (isGone) {
        refuse(id, inQuotes(folder.filename().string()) + " is gone already; it was taken out of the list.");
        m_entries.erase(id);
        m_events.removed(id);
        return;
    }
    if (fault) {
        refuse(id, inQuotes(folder.filename().string()) + " cannot be deleted: " + systemReason(fault.value()) + ".");
        return;
    }
    m_deleted.push_back({target, folder});
    m_entries.erase(id);
    m_events.removed(id);
}

void TrainingDesk::moveBack(const RunId &id)
{
    Deleted deleted;
    {
        const std::scoped_lock lock(m_mutex);
        const auto newest = std::find_if(m_deleted.rbegin(), m_deleted.rend(),
                                         [&](const Deleted &one) { return one.original == fs::path(id); });
        if (newest == m_deleted.rend())
            return;
        deleted = *newest;
    }
    const fs::path target = freeName(deleted.original.parent_path(), deleted.original.filename().string());
    std::error_code fault;
    fs::rename(deleted.trash, target, fault);
    if (fault) {
        const Hold hold(*this);
        refuse({},
               inQuotes(deleted.original.filename().string())
                   + " cannot be brought back: " + systemReason(fault.value()) + ".");
        return;
    }
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_deleted, [&](const Deleted &one) { return one.trash == deleted.trash; });
    }
    auto entry = std::make_unique<Entry>(*this, scanRun(target));
    entry->device = entry->snapshot.record.device;
    entry->threads = entry->snapshot.record.threads;
    const Hold hold(*this);
    entry->tell();
    const RunId restored = entry->snapshot.id;
    m_entries[restored] = std::move(entry);
}

void TrainingDesk::lookAround(const fs::path &folder)
{
    std::vector<RunId> foreign;
    std::set<RunId> known;
    bool isShown = false;
    {
        const std::scoped_lock lock(m_mutex);
        isShown = m_folder == folder;
        known = m_hidden;
        for (const auto &[id, entry] : m_entries) {
            known.insert(id);
            if (entry->snapshot.isForeign && !isBusy(*entry) && fs::path(id).parent_path() == folder)
                foreign.push_back(id);
        }
    }
    // Runs that another program began here.
    std::error_code fault;
    for (fs::directory_iterator item = isShown ? fs::directory_iterator(folder, fault) : fs::directory_iterator(), end;
         !fault && item != end; item.increment(fault)) {
        const RunId id = item->path().string();
        if (!known.contains(id) && !item->path().filename().string().starts_with('.') && isRunFolder(item->path()))
            foreign.push_back(id);
    }
    for (const RunId &id : foreign) {
        RunSnapshot snapshot = scanRun(id);
        bool hasNewLines = false;
        {
            const Hold hold(*this);
            Entry *entry = find(id);
            if (entry && (isBusy(*entry) || entry->snapshot == snapshot))
                continue;
            if (!entry) {
                auto made = std::make_unique<Entry>(*this, snapshot);
                entry = made.get();
                m_entries[id] = std::move(made);
            } else {
                hasNewLines = entry->snapshot.step != snapshot.step;
            }
            entry->snapshot = std::move(snapshot);
            entry->device = entry->snapshot.record.device;
            entry->threads = entry->snapshot.record.threads;
            entry->tell();
        }
        if (hasNewLines)
            postReadingOf(id);
    }
}

} // namespace lookback::run
