// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <limits>

#include "core/run/pickle.h"
#include "core/run/pickle_opcodes.h"

namespace lookback::run {

using namespace pickle;

namespace {

void appendNumber(std::string &bytes, std::uint64_t number, int count)
{
    for (int i = 0; i < count; ++i)
        bytes += static_cast<char>(number >> (8 * i) & 255U);
}

void appendPickled(std::string &bytes, const PickleValue &value)
{
    using Kind = PickleValue::Kind;
    const auto appendTuple = [&](std::size_t first) {
        bytes += static_cast<char>(Mark);
        for (std::size_t i = first; i < value.items.size(); ++i)
            appendPickled(bytes, *value.items[i]);
        bytes += static_cast<char>(Tuple);
    };
    switch (value.kind) {
    case Kind::None:
        bytes += static_cast<char>(None);
        return;
    case Kind::Boolean:
        bytes += static_cast<char>(value.integer != 0 ? True : False);
        return;
    case Kind::Integer:
        if (value.integer >= std::numeric_limits<std::int32_t>::min()
            && value.integer <= std::numeric_limits<std::int32_t>::max()) {
            bytes += static_cast<char>(Int4);
            appendNumber(bytes, static_cast<std::uint64_t>(value.integer), 4);
        } else {
            bytes += static_cast<char>(Long1);
            appendNumber(bytes, 8, 1);
            appendNumber(bytes, static_cast<std::uint64_t>(value.integer), 8);
        }
        return;
    case Kind::Real: {
        bytes += static_cast<char>(Double);
        const auto bits = std::bit_cast<std::uint64_t>(value.real);
        for (int i = 7; i >= 0; --i)
            bytes += static_cast<char>(bits >> (8 * i) & 255U);
        return;
    }
    case Kind::Text:
        bytes += static_cast<char>(Text4);
        appendNumber(bytes, value.text.size(), 4);
        bytes += value.text;
        return;
    case Kind::Sequence:
        appendTuple(0);
        return;
    case Kind::Dictionary:
        bytes += static_cast<char>(EmptyDict);
        bytes += static_cast<char>(Mark);
        for (const PickleValue *item : value.items)
            appendPickled(bytes, *item);
        bytes += static_cast<char>(SetItems);
        return;
    case Kind::Class: {
        const std::size_t space = value.text.find(' ');
        bytes += static_cast<char>(Global);
        bytes += value.text.substr(0, space) + "\n" + value.text.substr(space + 1) + "\n";
        return;
    }
    case Kind::Call:
        appendPickled(bytes, *value.items.front());
        appendTuple(1);
        bytes += static_cast<char>(Reduce);
        return;
    case Kind::Stored:
        appendTuple(0);
        bytes += static_cast<char>(PersistentId);
        return;
    }
}

} // namespace

std::string pickled(const PickleValue &root)
{
    std::string bytes;
    bytes += static_cast<char>(Proto);
    appendNumber(bytes, 2, 1);
    appendPickled(bytes, root);
    bytes += static_cast<char>(Stop);
    return bytes;
}

} // namespace lookback::run
