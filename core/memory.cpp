// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory.h"

#include <algorithm>
#include <fstream>
#include <locale>

#include <unistd.h>

namespace lookback {

double usableMemoryBytes()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long pageBytes = sysconf(_SC_PAGESIZE);
    double bytes = pages > 0 && pageBytes > 0 ? static_cast<double>(pages) * static_cast<double>(pageBytes) : 0.0;
    for (const char *limit : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(limit);
        double allowed = 0.0; // "max" is no number: no limit
        if (file.imbue(std::locale::classic()), file >> allowed && allowed > 0.0 && bytes > 0.0)
            bytes = std::min(bytes, allowed);
    }
    return bytes;
}

} // namespace lookback
