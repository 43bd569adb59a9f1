// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace lookback {

/// How a file that cannot be used is refused: "The evaluation results are damaged", "Delete the file and ...".
struct DamageWords {
    const char *what;
    const char *remedy;
};

/// Reads members of one JSON object, strictly; every refusal is an Error that names the file and the member. Keeps
/// references to what it is given.
class JsonMembers {
public:
    JsonMembers(const nlohmann::json &object, const std::string &subject, const DamageWords &words);

    [[noreturn]] void refuse(const std::string &what) const;

    const nlohmann::json &at(const char *name) const;
    std::string text(const char *name) const;
    bool truth(const char *name) const;
    /// A whole number from 0 on.
    std::int64_t count(const char *name) const;
    std::vector<std::int64_t> counts(const char *name) const;
    std::uint64_t seed(const char *name) const;
    double real(const char *name) const;
    /// An item of the list `name`.
    double real(const nlohmann::json &item, const char *name) const;
    /// A number of 0..1.
    double share(const char *name) const;
    const nlohmann::json &list(const char *name, std::size_t most = std::numeric_limits<std::size_t>::max()) const;

private:
    std::int64_t countOf(const nlohmann::json &value, const char *name) const;

    const nlohmann::json &m_object;
    const std::string &m_subject;
    const DamageWords &m_words;
};

} // namespace lookback
