// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes(); // GCC comes without its header in places
#endif

namespace lookback::testing {

/// Bytes in use according to AddressSanitizer, which has an allocator of its own and keeps freed memory for a while;
/// empty in other builds.
inline std::optional<std::size_t> sanitizerBytesInUse()
{
#if defined(__SANITIZE_ADDRESS__)
    return __sanitizer_get_current_allocated_bytes();
#else
    return std::nullopt;
#endif
}

} // namespace lookback::testing
