// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include "core/error.h"
#include "core/eval/accuracy.h"
#include "core/run/checkpoint.h"
#include "core/run/checkpoint_store.h"
#include "core/run/file.h"
#include "core/run/kvbench.h"
#include "core/run/metrics.h"
#include "core/run/run_record.h"
#include "core/run/safetensors.h"
#include "core/run/torch_archive.h"

// Every reader of files from elsewhere, as a function of bytes. An Error is the answer to damage; anything else that
// escapes is a fault of the reader.

namespace lookback::fuzz {

/// A file in memory whose name can be opened.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes)
    {
        static constexpr const char *kFolder = "/dev/shm";
        std::string name = std::string(kFolder) + "/lookback-fuzz-XXXXXX";
        const int handle = ::mkstemp(name.data());
        if (handle < 0)
            std::abort();
        m_path = name;
        while (!bytes.empty()) {
            const ssize_t count = ::write(handle, bytes.data(), bytes.size());
            if (count <= 0)
                std::abort();
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        ::close(handle);
    }
    ~MemoryFile() { ::unlink(m_path.c_str()); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    const std::filesystem::path &path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

struct Target {
    std::string_view name;
    void (*read)(std::string_view bytes); ///< May throw Error.
};

inline constexpr std::array kTargets{
    Target{"safetensors", [](std::string_view bytes) { run::readSafetensors(MemoryFile(bytes).path()); }},
    Target{"checkpoint", [](std::string_view bytes) { run::readCheckpoint(MemoryFile(bytes).path()); }},
    Target{"record", [](std::string_view bytes) { run::recordFromJson(bytes, "run.json"); }},
    Target{"manifest", [](std::string_view bytes) { run::manifestFromJson(bytes, "manifest.json"); }},
    Target{"metrics", [](std::string_view bytes) { run::readMetrics(MemoryFile(bytes).path()); }},
    Target{"accuracy", [](std::string_view bytes) { eval::accuracyFromJson(bytes, "accuracy"); }},
    Target{"kvbench_table", [](std::string_view bytes) { run::kvbenchAccuracyTable(bytes, "accuracy"); }},
    Target{"kvbench_losses", [](std::string_view bytes) { run::kvbenchPerIndexLoss(bytes, "eval.json"); }},
    Target{"torch", [](std::string_view bytes) { run::parseTorchCheckpoint(bytes, "sample.pt"); }},
};

/// Reads `bytes` with that target; true if they were accepted. Everything but Error escapes.
inline bool accepts(const Target &target, std::string_view bytes)
{
    try {
        target.read(bytes);
        return true;
    } catch (const Error &error) {
        if (error.message().empty())
            std::abort(); // a refusal says why
        return false;
    }
}

} // namespace lookback::fuzz
