// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/circuit/patching.h"

#include <array>

#include "core/error.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback::circuit {

namespace {

constexpr std::array<std::string_view, 2> kParts{"pattern", "output"};
constexpr std::array<std::string_view, 2> kDifferences{"key", "value"};

template <std::size_t Count>
std::size_t indexOf(const std::array<std::string_view, Count> &names, std::string_view name, const std::string &subject)
{
    for (std::size_t i = 0; i < Count; ++i) {
        if (names[i] == name)
            return i;
    }
    const std::vector<std::string> known(names.begin(), names.end());
    throw Error(subject, inQuotes(name) + " is not one of the choices: " + joined(known) + ".",
                didYouMean(name, known));
}

} // namespace

std::string_view patchPartName(PatchPart part)
{
    return kParts[static_cast<std::size_t>(part)];
}

std::string_view patchDifferenceName(PatchDifference difference)
{
    return kDifferences[static_cast<std::size_t>(difference)];
}

PatchPart patchPartFromName(std::string_view name, const std::string &subject)
{
    return static_cast<PatchPart>(indexOf(kParts, name, subject));
}

PatchDifference patchDifferenceFromName(std::string_view name, const std::string &subject)
{
    return static_cast<PatchDifference>(indexOf(kDifferences, name, subject));
}

} // namespace lookback::circuit
