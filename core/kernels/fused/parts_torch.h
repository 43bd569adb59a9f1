// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>

#include "core/kernels/fused/matrix_panels.h"
#include "core/kernels/fused/row_kernels.h"

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

/// Calls work(part) for every part, on LibTorch's threads.
template <typename Work> void forEachPart(const Work &work)
{
    struct Threads {
        explicit Threads(int count) : isSet(count > 1)
        {
            if (isSet)
                at::set_num_threads(count);
        }
        ~Threads()
        {
            if (isSet)
                at::set_num_threads(1);
        }
        bool isSet;
    };
    const Threads threads(partThreads());
    at::parallel_for(0, kParts, 1, [&work](std::int64_t begin, std::int64_t end) {
        for (std::int64_t part = begin; part < end; ++part)
            work(part);
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
        at::parallel_for(0, (m_count + kPiece - 1) / kPiece, 1, [&](std::int64_t first, std::int64_t last) {
            const std::int64_t begin = first * kPiece;
            const std::int64_t count = std::min(m_count, last * kPiece) - begin;
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
