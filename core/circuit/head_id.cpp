// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/head_id.h"

#include <charconv>
#include <system_error>

#include "core/error.h"
#include "core/json.h"

namespace lookback::circuit {

namespace {

bool readNumber(std::string_view text, std::int64_t &number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && number >= 0 && !text.starts_with('-');
}

} // namespace

std::string headText(const HeadId &id)
{
    return std::to_string(id.layer) + ":" + std::to_string(id.head);
}

std::string headsText(const std::vector<HeadId> &ids)
{
    std::string text;
    for (const HeadId &id : ids)
        text += (text.empty() ? "" : ", ") + headText(id);
    return text.empty() ? "none" : text;
}

HeadId headFromText(std::string_view text, const std::string &subject)
{
    HeadId id;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || !readNumber(text.substr(0, colon), id.layer)
        || !readNumber(text.substr(colon + 1), id.head))
        throw Error(subject, inQuotes(text) + " is not a head.",
                    "Write it as layer:head, both counted from 0, for example 5:2.");
    return id;
}

void requireHeads(const std::vector<HeadId> &ids, std::int64_t layers, std::int64_t heads)
{
    for (const HeadId &id : ids) {
        if (id.layer < 0 || id.layer >= layers || id.head < 0 || id.head >= heads)
            throw Error("head " + headText(id),
                        "The model has " + std::to_string(layers) + " attention layers of " + std::to_string(heads)
                            + " heads.",
                        "Choose a layer from 0 to " + std::to_string(layers - 1) + " and a head from 0 to "
                            + std::to_string(heads - 1) + ".");
    }
}

} // namespace lookback::circuit
