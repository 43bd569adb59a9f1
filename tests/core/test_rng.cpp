// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <QTest>

#include "core/rng.h"

using lookback::generatorFor;
using lookback::Philox;
using lookback::RandomPurpose;

class TestRng : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // kat_vectors of Random123 1.14, "philox4x32 10".
    void knownAnswers()
    {
        using Counter = std::array<std::uint32_t, 4>;
        using Key = std::array<std::uint32_t, 2>;
        QCOMPARE(Philox::block(Counter{0, 0, 0, 0}, Key{0, 0}),
                 (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        constexpr std::uint32_t kOnes = 0xffffffff;
        QCOMPARE(Philox::block(Counter{kOnes, kOnes, kOnes, kOnes}, Key{kOnes, kOnes}),
                 (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QCOMPARE(Philox::block(Counter{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, Key{0xa4093822, 0x299f31d0}),
                 (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    // The numbers of a seed are part of the format: a run of one version continues in the next.
    void streamLayout()
    {
        const std::uint64_t key = 0x0123456789abcdef;
        const std::uint64_t stream = 0xfedcba9876543210;
        const std::uint64_t substream = 0x1122334455667788;
        const auto derived = Philox::block({0x55667788, 0x11223344, 0, 1}, {0x89abcdef, 0x01234567});
        Philox generator(key, stream, substream);
        for (std::uint32_t index = 0; index < 3; ++index) {
            for (const std::uint32_t word : Philox::block({index, 0x76543210, 0xfedcba98, 0}, {derived[0], derived[1]}))
                QCOMPARE(generator.next(), word);
        }
    }

    void purposesAndStreamsDiffer()
    {
        std::set<std::uint64_t> seen;
        std::size_t drawn = 0;
        for (const RandomPurpose purpose : {RandomPurpose::InitialWeights, RandomPurpose::TrainingBatch,
                                            RandomPurpose::Evaluation, RandomPurpose::Resampling}) {
            for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32U, ~0ULL}) {
                for (const std::uint64_t stream : {0ULL, 1ULL, 1ULL << 32U, ~0ULL}) {
                    for (const std::uint64_t substream : {0ULL, 1ULL, 1ULL << 32U, ~0ULL}) {
                        seen.insert(generatorFor(purpose, seed, stream, substream).next64());
                        ++drawn;
                    }
                }
            }
        }
        QCOMPARE(seen.size(), drawn);
    }

    void copiesContinueAlike()
    {
        Philox original(7, 8, 9);
        original.next();
        original.normal();
        Philox copy = original;
        for (int i = 0; i < 100; ++i)
            QCOMPARE(copy.normal(), original.normal());
    }

    void belowStaysBelow_data()
    {
        QTest::addColumn<quint64>("bound");
        for (const quint64 bound : {1ULL, 2ULL, 3ULL, 10ULL, 1000ULL, 4294967295ULL, 4294967296ULL, 4294967297ULL,
                                    1000000000000ULL, 9223372036854775809ULL, 18446744073709551615ULL})
            QTest::addRow("%llu", bound) << bound;
    }
    void belowStaysBelow()
    {
        QFETCH(quint64, bound);
        Philox generator(bound);
        double mean = 0.0;
        constexpr int kDraws = 4000;
        for (int i = 0; i < kDraws; ++i) {
            const std::uint64_t value = generator.below(bound);
            QVERIFY(value < bound);
            mean += static_cast<double>(value) / kDraws;
        }
        // Mean (bound - 1) / 2, standard error below 0.29 * bound / sqrt(4000); 5 of them.
        const double size = static_cast<double>(bound);
        QVERIFY(std::abs(mean - (size - 1.0) / 2.0) <= 5.0 * 0.29 * size / std::sqrt(kDraws));
    }

    void belowIsEven()
    {
        constexpr std::uint64_t kBound = 7;
        constexpr int kDraws = 70000;
        std::array<int, kBound> counts{};
        Philox generator(3);
        for (int i = 0; i < kDraws; ++i)
            ++counts[generator.below(kBound)];
        double chiSquare = 0.0;
        for (const int count : counts)
            chiSquare += std::pow(count - 10000.0, 2) / 10000.0;
        QVERIFY(chiSquare < 22.5); // 6 degrees of freedom, 0.999 quantile
    }

    void uniformAndNormalMoments()
    {
        constexpr int kDraws = 100000;
        Philox generator(11);
        double mean = 0.0;
        double square = 0.0;
        double fourth = 0.0;
        double uniformMean = 0.0;
        for (int i = 0; i < kDraws; ++i) {
            const double value = generator.normal();
            QVERIFY(std::isfinite(value));
            mean += value / kDraws;
            square += value * value / kDraws;
            fourth += std::pow(value, 4) / kDraws;
            const double uniform = generator.uniform();
            QVERIFY(uniform >= 0.0 && uniform < 1.0);
            uniformMean += uniform / kDraws;
        }
        // Five standard errors of each.
        QVERIFY(std::abs(mean) < 5.0 / std::sqrt(kDraws));
        QVERIFY(std::abs(square - 1.0) < 5.0 * std::sqrt(2.0 / kDraws));
        QVERIFY(std::abs(fourth - 3.0) < 5.0 * std::sqrt(96.0 / kDraws));
        QVERIFY(std::abs(uniformMean - 0.5) < 5.0 * std::sqrt(1.0 / 12.0 / kDraws));
    }
};

QTEST_GUILESS_MAIN(TestRng)
#include "test_rng.moc"
