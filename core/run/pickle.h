// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lookback::run {

/// A Python object out of a pickle. Nothing is ever executed: a class is only a name here.
struct PickleValue {
    enum class Kind {
        None,
        Boolean,
        Integer,
        Real,
        Text,
        Sequence, ///< List or tuple: `items`.
        Dictionary, ///< `items`: key, value, key, value, ...
        Class, ///< `text`: "module name", for example "torch FloatStorage".
        Call, ///< Result of calling items[0] (a Class) with the arguments items[1], items[2], ...
        Stored, ///< What the pickle leaves to the file around it: `items`, its identification.
    };
    Kind kind = Kind::None;
    std::int64_t integer = 0; ///< Also 0 or 1 for a Boolean.
    double real = 0.0;
    std::string text;
    std::vector<const PickleValue *> items;

    /// The value under that text key of a Dictionary; null if there is none.
    const PickleValue *find(std::string_view key) const;
};

/// The objects of one pickle; they live as long as this does.
class Pickle {
public:
    /// Reads protocol 2 to 5 as far as `torch.save` uses them: none, booleans, numbers, texts, lists, tuples,
    /// dictionaries, named classes, calls and persistent ids. Throws Error with `subject` for everything else, damage,
    /// and texts of more than 1 MiB.
    Pickle(std::string_view bytes, const std::string &subject);
    Pickle(const Pickle &) = delete;
    Pickle &operator=(const Pickle &) = delete;

    const PickleValue &root() const { return *m_root; }

private:
    friend class PickleReader;
    std::deque<PickleValue> m_values; // addresses stay; objects may hold each other in circles
    const PickleValue *m_root = nullptr;
};

/// The pickle (protocol 2) of a value: None, Boolean, Integer, Real, Text, Sequence (as a tuple), Dictionary, Class,
/// Call and Stored. For writing what `torch.load` reads.
std::string pickled(const PickleValue &root);

} // namespace lookback::run
