// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/head_cache.h"

#include "core/circuit/measure_cache.h"

namespace lookback::circuit {

namespace {

MeasureCache<HeadTable> cacheOf(const run::RunFolder &folder, std::int64_t step, const std::string &fingerprint)
{
    return {headCacheFile(folder, step), fingerprint, headTablesFromJson, headTablesToJson};
}

} // namespace

std::filesystem::path headCacheFile(const run::RunFolder &folder, std::int64_t step)
{
    return measureFile(folder, "heads", step);
}

std::optional<HeadTable> keptHeads(const run::RunFolder &folder, std::int64_t step, const std::string &fingerprint,
                                   const HeadRequest &request, std::uint64_t evaluationSeed,
                                   std::vector<std::string> *notes)
{
    return cacheOf(folder, step, fingerprint)
        .find(
            [&](const HeadTable &table) {
                return table.request == request && table.step == step && table.evaluationSeed == evaluationSeed;
            },
            notes);
}

void keepHeads(const run::RunFolder &folder, const std::string &fingerprint, const HeadTable &table,
               std::vector<std::string> *notes)
{
    cacheOf(folder, table.step, fingerprint)
        .keep(
            table,
            [&](const HeadTable &other) {
                return other.request == table.request || other.evaluationSeed != table.evaluationSeed;
            },
            notes);
}

} // namespace lookback::circuit
