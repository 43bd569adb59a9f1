// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Replaces operator new and delete of a test program, so that allocations fail where allocationFails says so. To be
// included by one source of the program. Those of arrays are here too: the library's would come by here, the address
// sanitizer's would not.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace lookback::testing {

/// Whether an allocation of that size is to fail now; the program defines it.
bool allocationFails(std::size_t size);

} // namespace lookback::testing

void *operator new(std::size_t size)
{
    if (lookback::testing::allocationFails(size))
        throw std::bad_alloc();
    if (void *memory = std::malloc(size > 0 ? size : 1))
        return memory;
    throw std::bad_alloc();
}

void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return lookback::testing::allocationFails(size) ? nullptr : std::malloc(size > 0 ? size : 1);
}

void *operator new[](std::size_t size)
{
    return operator new(size);
}

void *operator new[](std::size_t size, const std::nothrow_t &) noexcept
{
    return operator new(size, std::nothrow);
}

void operator delete(void *memory) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, const std::nothrow_t &) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, const std::nothrow_t &) noexcept
{
    std::free(memory);
}
