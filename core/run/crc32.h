// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lookback::run {

/// CRC-32 as in zlib and PNG (polynomial 0xEDB88320, reflected), eight bytes a turn.
class Crc32 {
public:
    void add(const void *bytes, std::size_t count)
    {
        const auto &table = tables();
        const auto *p = static_cast<const unsigned char *>(bytes);
        for (; count >= 8; count -= 8, p += 8) {
            const std::uint32_t low = m_state
                ^ (std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 | std::uint32_t{p[2]} << 16
                   | std::uint32_t{p[3]} << 24);
            m_state = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24]
                ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
        }
        for (; count > 0; --count, ++p)
            m_state = m_state >> 8 ^ table[0][(m_state ^ *p) & 255];
    }
    void add(std::string_view text) { add(text.data(), text.size()); }

    std::uint32_t value() const { return m_state ^ 0xFFFFFFFFu; }

private:
    using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
    static const Tables &tables()
    {
        static const Tables result = [] {
            Tables t{};
            for (std::uint32_t i = 0; i < 256; ++i) {
                std::uint32_t value = i;
                for (int bit = 0; bit < 8; ++bit)
                    value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0u);
                t[0][i] = value;
            }
            for (std::size_t k = 1; k < 8; ++k) {
                for (std::size_t i = 0; i < 256; ++i)
                    t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
            }
            return t;
        }();
        return result;
    }
    std::uint32_t m_state = 0xFFFFFFFFu;
};

} // namespace lookback::run
