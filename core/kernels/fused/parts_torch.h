// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include <ATen/Parallel.h>

#include "core/kernels/fused/matrix_panels.h"
#include "core/kernels/fused/row_kernels.h"
#include "core/kernels/fused/team_torch.h"

namespace lookback::kernels::fused {

/// Work is cut into so many parts whatever the number of threads, each with sums of its own that are added in the order
/// of the parts: the same bits for any number of threads.
inline constexpr std::int64_t kParts = 8;

/// Elements first..end-1 of `count` that part `part` works on.
struct PartRange {
    PartRange(std::int64_t count, std::int64_t part)
        : first(part * count / kParts), end((part + 1) * count / kParts) { }
    std::int64_t first;
    std::int64_t end;
};

/// Threads that the fused kernels of this thread use while everything else is computed by one; 0 = LibTorch's own
/// count.
inline int &partThreads()
{
    thread_local int threads = 0;
    return threads;
}

/// While it lives, the fused kernels called by this thread share the threads that LibTorch had, and every other
/// operation is computed by one, so that no sum depends on the thread count.
class KernelsShareThreads {
public:
    KernelsShareThreads() : m_threads(at::get_num_threads()), m_former(partThreads())
    {
        partThreads() = m_threads;
        at::set_num_threads(1);
    }
    ~KernelsShareThreads()
    {
        at::set_num_threads(m_threads);
        partThreads() = m_former;
    }
    KernelsShareThreads(const KernelsShareThreads &) = delete;
    KernelsShareThreads &operator=(const KernelsShareThreads &) = delete;

private:
    int m_threads;
    int m_former;
};

/// Calls work(i) for each i below `count`, on the threads of the fused kernels.
template <typename Work> void forEach(std::int64_t count, const Work &work)
{
    const int threads = partThreads() > 0 ? partThreads() : at::get_num_threads();
    if (threads > 1 && count > 1) {
        runTogether(threads, count, std::cref(work));
        return;
    }
    for (std::int64_t i = 0; i < count; ++i)
        work(i);
}

/// Calls work(part) for every part.
template <typename Work> void forEachPart(const Work &work)
{
    forEach(kParts, work);
}

/// Calls work(first, count) for pieces of `rows` rows that fit into the caches.
template <typename Work> void forRows(std::int64_t rows, const Work &work)
{
    constexpr std::int64_t kRows = 96;
    forEach((rows + kRows - 1) / kRows, [&](std::int64_t piece) {
        const std::int64_t first = piece * kRows;
        work(first, std::min(kRows, rows - first));
    });
}

/// Sums of each part over `count` numbers, zero at first.
class PartSums {
public:
    explicit PartSums(std::int64_t count) : m_count(count), m_floats(static_cast<std::size_t>(kParts * padded())) { }
    /// To be called by the part itself, so that its memory is near.
    float *begin(std::int64_t part)
    {
        float *sums = m_floats.data() + part * padded();
        std::fill_n(sums, m_count, 0.0F);
        return sums;
    }
    /// to = factor * the sum over parts, in their order.
    void reduce(float *to, float factor = 1.0F) const
    {
        constexpr std::int64_t kPiece = 4096;
        forEach((m_count + kPiece - 1) / kPiece, [&](std::int64_t piece) {
            const std::int64_t begin = piece * kPiece;
            const std::int64_t count = std::min(m_count - begin, kPiece);
            std::fill_n(to + begin, count, 0.0F);
            for (std::int64_t part = 0; part < kParts; ++part)
                addScaled(count, to + begin, m_floats.data() + part * padded() + begin, factor);
        });
    }

private:
    std::int64_t padded() const { return (m_count + 15) / 16 * 16 + 16; }

    std::int64_t m_count;
    AlignedFloats m_floats;
};

} // namespace lookback::kernels::fused
