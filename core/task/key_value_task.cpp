// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/task/key_value_task.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"

namespace lookback::task {

namespace {

// 10^7 keys of 9 + 9 digits are 400 MB of tokens: beyond what any design here is evaluated on, and still countable.
constexpr std::int64_t kMaximumKeys = 10'000'000;
constexpr std::int64_t kMaximumDigits = 9;

std::int64_t powerOfTen(std::int64_t exponent)
{
    std::int64_t power = 1;
    for (std::int64_t i = 0; i < exponent; ++i)
        power *= 10;
    return power;
}

void requireShape(const TaskShape &shape)
{
    const auto require = [](const char *name, const char *word, std::int64_t digits) {
        if (digits < 1 || digits > kMaximumDigits)
            throw Error(name, std::string(word) + " have 1 to 9 digits, not " + std::to_string(digits) + ".",
                        "Choose a number of digits from 1 to 9.");
    };
    require("key_digits", "Keys", shape.key_digits);
    require("value_digits", "Values", shape.value_digits);
}

void requireKeys(const TaskShape &shape, std::int64_t n_keys)
{
    requireShape(shape);
    const std::string asked = std::to_string(n_keys);
    if (n_keys < 1)
        throw Error("n_keys", "A sequence needs at least 1 unique key, not " + asked + ".", "Choose n from 1 on.");
    const std::int64_t available = powerOfTen(shape.key_digits);
    if (n_keys > available)
        throw Error("n_keys",
                    std::to_string(shape.key_digits)
                        + (shape.key_digits == 1 ? " key digit allows " : " key digits allow ")
                        + std::to_string(available) + " distinct keys, fewer than the " + asked + " asked for.",
                    "Raise key_digits or lower n.");
    if (n_keys > kMaximumKeys)
        throw Error("n_keys",
                    "A sequence holds at most " + std::to_string(kMaximumKeys) + " unique keys, not " + asked + ".",
                    "Lower n.");
}

void appendDigits(std::vector<std::uint8_t> &tokens, std::int64_t number, std::int64_t digits)
{
    for (std::int64_t unit = powerOfTen(digits - 1); unit > 0; unit /= 10)
        tokens.push_back(static_cast<std::uint8_t>(number / unit % 10));
}

/// n distinct keys of 0..available-1, every subset equally likely: Floyd's algorithm (Bentley and Floyd, "A sample of
/// brilliance", CACM 1987). n draws, also when all keys are taken.
std::vector<std::int64_t> drawDistinctKeys(std::int64_t available, std::int64_t n_keys, Philox &generator)
{
    std::vector<std::int64_t> keys;
    keys.reserve(static_cast<std::size_t>(n_keys));
    std::unordered_set<std::int64_t> taken;
    taken.reserve(static_cast<std::size_t>(n_keys));
    for (std::int64_t last = available - n_keys; last < available; ++last) {
        const auto drawn = static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(last) + 1));
        const std::int64_t key = taken.insert(drawn).second ? drawn : last;
        if (key == last)
            taken.insert(last);
        keys.push_back(key);
    }
    return keys;
}

/// Keys that are not independent of each other. Draws again what is taken already.
class LikeKeys {
public:
    LikeKeys(std::int64_t digits, std::int64_t n_keys, Philox &generator)
        : m_digits(digits), m_available(powerOfTen(digits)), m_count(static_cast<std::size_t>(n_keys)),
          m_generator(generator)
    {
        m_keys.reserve(m_count);
        m_taken.reserve(m_count);
    }

    std::vector<std::int64_t> clusters(std::int64_t clusterKeys)
    {
        while (m_keys.size() < m_count) {
            const std::int64_t base = addUniform();
            for (std::int64_t i = 1; i < clusterKeys && m_keys.size() < m_count; ++i)
                addMutantOf([base] { return base; });
        }
        return std::move(m_keys);
    }

    std::vector<std::int64_t> mutated(double share)
    {
        const auto wanted = std::llround(share * static_cast<double>(m_count));
        const std::size_t bases = m_count - std::min(static_cast<std::size_t>(wanted), m_count - 1);
        while (m_keys.size() < bases)
            addUniform();
        while (m_keys.size() < m_count)
            addMutantOf([this, bases] { return m_keys[m_generator.below(bases)]; });
        return std::move(m_keys);
    }

private:
    bool add(std::int64_t key)
    {
        if (!m_taken.insert(key).second)
            return false;
        m_keys.push_back(key);
        return true;
    }

    std::int64_t addUniform()
    {
        while (!add(static_cast<std::int64_t>(m_generator.below(static_cast<std::uint64_t>(m_available))))) { }
        return m_keys.back();
    }

    /// Another digit at one place of a key. A key whose neighbours are (nearly) all taken gives a uniform one instead.
    template <typename Base> void addMutantOf(const Base &base)
    {
        constexpr int kMostTries = 256;
        for (int i = 0; i < kMostTries; ++i) {
            const std::int64_t key = base();
            const std::int64_t unit =
                powerOfTen(static_cast<std::int64_t>(m_generator.below(static_cast<std::uint64_t>(m_digits))));
            const std::int64_t digit = key / unit % 10;
            const std::int64_t other = (digit + 1 + static_cast<std::int64_t>(m_generator.below(9))) % 10;
            if (add(key + (other - digit) * unit))
                return;
        }
        addUniform();
    }

    std::int64_t m_digits;
    std::int64_t m_available;
    std::size_t m_count;
    Philox &m_generator;
    std::vector<std::int64_t> m_keys;
    std::unordered_set<std::int64_t> m_taken;
};

std::vector<std::int64_t> drawKeys(const TaskShape &shape, std::int64_t n_keys, Philox &generator,
                                   const KeyChoice &choice)
{
    switch (choice.kind) {
    case KeyChoice::Kind::Clusters:
        return LikeKeys(shape.key_digits, n_keys, generator).clusters(choice.cluster_keys);
    case KeyChoice::Kind::Mutated:
        return LikeKeys(shape.key_digits, n_keys, generator).mutated(choice.mutated_share);
    case KeyChoice::Kind::Uniform:
        break;
    }
    return drawDistinctKeys(powerOfTen(shape.key_digits), n_keys, generator);
}

} // namespace

std::int64_t Sequence::predictionPosition(std::int64_t entry, std::int64_t digit) const
{
    return entry * shape.entryTokens() + 1 + shape.key_digits + digit;
}

std::vector<std::int64_t> Sequence::scoredPositions() const
{
    std::vector<std::int64_t> positions;
    positions.reserve(static_cast<std::size_t>(n_keys * shape.value_digits));
    for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        if (!entries[entry].isSecondOccurrence)
            continue;
        for (std::int64_t digit = 0; digit < shape.value_digits; ++digit)
            positions.push_back(predictionPosition(static_cast<std::int64_t>(entry), digit));
    }
    return positions;
}

Sequence drawSequence(const TaskShape &shape, std::int64_t n_keys, Philox &generator, const KeyChoice &choice)
{
    requireKeys(shape, n_keys);
    const auto keyCount = static_cast<std::size_t>(n_keys);
    const std::vector<std::int64_t> keys = drawKeys(shape, n_keys, generator, choice);
    std::vector<std::int64_t> values(keyCount);
    const auto valueBound = static_cast<std::uint64_t>(powerOfTen(shape.value_digits));
    for (std::int64_t &value : values)
        value = static_cast<std::int64_t>(generator.below(valueBound));

    // Which pair stands at which place: every pair twice, then shuffled (Fisher-Yates, from the end).
    std::vector<std::size_t> order(2 * keyCount);
    for (std::size_t place = 0; place < order.size(); ++place)
        order[place] = place % keyCount;
    for (std::size_t place = order.size() - 1; place > 0; --place)
        std::swap(order[place], order[generator.below(place + 1)]);

    Sequence sequence;
    sequence.shape = shape;
    sequence.n_keys = n_keys;
    sequence.entries.reserve(order.size());
    sequence.tokens.reserve(order.size() * static_cast<std::size_t>(shape.entryTokens()));
    constexpr std::int64_t kNotSeen = -1;
    std::vector<std::int64_t> firstEntry(keyCount, kNotSeen);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t pair = order[place];
        Entry entry{.key = keys[pair], .value = values[pair]};
        if (firstEntry[pair] == kNotSeen) {
            firstEntry[pair] = static_cast<std::int64_t>(place);
        } else {
            entry.isSecondOccurrence = true;
            entry.partner = firstEntry[pair];
            sequence.entries[static_cast<std::size_t>(firstEntry[pair])].partner = static_cast<std::int64_t>(place);
        }
        sequence.entries.push_back(entry);
        sequence.tokens.push_back(kStartKeyToken);
        appendDigits(sequence.tokens, entry.key, shape.key_digits);
        sequence.tokens.push_back(kStartValueToken);
        appendDigits(sequence.tokens, entry.value, shape.value_digits);
    }
    return sequence;
}

Sequence trainingSequence(const TaskShape &shape, std::int64_t n_keys, std::uint64_t seed, std::int64_t step,
                          std::int64_t row, const KeyChoice &choice)
{
    Philox generator = generatorFor(RandomPurpose::TrainingBatch, seed, static_cast<std::uint64_t>(step),
                                    static_cast<std::uint64_t>(row));
    return drawSequence(shape, n_keys, generator, choice);
}

Sequence evaluationSequence(const TaskShape &shape, std::int64_t n_keys, std::uint64_t evaluationSeed,
                            std::int64_t index, const KeyChoice &choice)
{
    Philox generator = generatorFor(RandomPurpose::Evaluation, evaluationSeed, static_cast<std::uint64_t>(n_keys),
                                    static_cast<std::uint64_t>(index));
    return drawSequence(shape, n_keys, generator, choice);
}

KeyChoice trainingKeys(const RunConfig &config, std::int64_t row, std::int64_t batch)
{
    const bool isClustered = static_cast<double>(row) < config.clustered_share * static_cast<double>(batch);
    return {.kind = isClustered ? KeyChoice::Kind::Clusters : KeyChoice::Kind::Uniform,
            .cluster_keys = config.cluster_keys};
}

KeyChoice evaluationKeys(const RunConfig &config)
{
    return {.kind = config.evaluation_mutated > 0.0 ? KeyChoice::Kind::Mutated : KeyChoice::Kind::Uniform,
            .mutated_share = config.evaluation_mutated};
}

Sequence parseSequence(const TaskShape &shape, std::span<const std::uint8_t> tokens)
{
    requireShape(shape);
    const auto fail = [](std::size_t position, const std::string &what) {
        throw Error("Sequence", "Position " + std::to_string(position) + " " + what,
                    "Check the tokens and the numbers of key and value digits.");
    };
    const auto entryTokens = static_cast<std::size_t>(shape.entryTokens());
    Sequence sequence;
    sequence.shape = shape;
    std::unordered_map<std::int64_t, std::size_t> firstEntry;
    std::size_t position = 0;
    const auto readMarker = [&](int marker) {
        if (tokens[position] != marker)
            fail(position, "should be " + tokenWord(marker) + ", but is " + tokenWord(tokens[position]) + ".");
        ++position;
    };
    const auto readNumber = [&](std::int64_t digits) {
        std::int64_t number = 0;
        for (std::int64_t i = 0; i < digits; ++i, ++position) {
            if (tokens[position] > 9)
                fail(position, "should be a digit, but is " + tokenWord(tokens[position]) + ".");
            number = 10 * number + tokens[position];
        }
        return number;
    };
    while (position < tokens.size()) {
        const std::size_t start = position;
        if (tokens.size() - start < entryTokens)
            fail(start,
                 "begins an entry of " + std::to_string(entryTokens) + " tokens, but only "
                     + std::to_string(tokens.size() - start) + " are left.");
        readMarker(kStartKeyToken);
        Entry entry;
        entry.key = readNumber(shape.key_digits);
        readMarker(kStartValueToken);
        entry.value = readNumber(shape.value_digits);
        const std::size_t index = sequence.entries.size();
        const auto [seen, isFirst] = firstEntry.try_emplace(entry.key, index);
        if (!isFirst) {
            Entry &first = sequence.entries[seen->second];
            if (first.partner != static_cast<std::int64_t>(seen->second))
                fail(start, "begins a third entry with key " + std::to_string(entry.key) + ".");
            if (first.value != entry.value)
                fail(start,
                     "begins an entry that gives key " + std::to_string(entry.key) + " another value than before.");
            entry.isSecondOccurrence = true;
            first.partner = static_cast<std::int64_t>(index);
        }
        // A first entry points to itself until its partner is found.
        entry.partner = static_cast<std::int64_t>(seen->second);
        sequence.entries.push_back(entry);
    }
    for (std::size_t index = 0; index < sequence.entries.size(); ++index) {
        const Entry &entry = sequence.entries[index];
        if (entry.partner == static_cast<std::int64_t>(index))
            fail(index * entryTokens,
                 "begins an entry with key " + std::to_string(entry.key) + ", which never occurs again.");
    }
    sequence.n_keys = static_cast<std::int64_t>(firstEntry.size());
    sequence.tokens.assign(tokens.begin(), tokens.end());
    return sequence;
}

char tokenCharacter(int token)
{
    if (token >= 0 && token <= 9)
        return static_cast<char>('0' + token);
    if (token == kStartKeyToken)
        return 'K';
    return token == kStartValueToken ? 'V' : '?';
}

std::string tokenWord(int token)
{
    if (token == kStartKeyToken)
        return "StartKey";
    if (token == kStartValueToken)
        return "StartValue";
    return std::to_string(token);
}

} // namespace lookback::task
