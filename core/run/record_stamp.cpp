// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/record_stamp.h"

#include <fstream>
#include <string_view>

namespace lookback::run {

namespace {

bool hasWord(std::string_view words, std::string_view word)
{
    for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
            return true;
    }
    return false;
}

} // namespace

std::string processorWords()
{
    std::ifstream file("/proc/cpuinfo");
    std::string name;
    std::string flags;
    for (std::string line; std::getline(file, line) && (name.empty() || flags.empty());) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos)
            continue;
        if (line.starts_with("model name"))
            name = line.substr(colon + 2);
        else if (line.starts_with("flags"))
            flags = line.substr(colon + 2);
    }
    if (name.empty())
        name = "unknown processor";
    if (hasWord(flags, "avx2"))
        name += ", AVX2";
    if (hasWord(flags, "avx512f"))
        name += ", AVX-512";
    return name;
}

RunRecord newRunRecord(const RunConfig &config, const std::string &preset, const std::string &device, int threads,
                       Kernels kernels, Precision precision)
{
    RunRecord record;
    record.config = config;
    record.preset = preset;
    record.programVersion = LOOKBACK_VERSION;
    record.processor = processorWords();
    record.device = device;
    record.threads = threads;
    record.kernels = kernels;
    record.precision = precision;
    record.created = currentTime();
    record.state = RunState::Queued;
    return record;
}

} // namespace lookback::run
