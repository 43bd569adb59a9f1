// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include <deque>

#include <sys/resource.h>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/kvbench.h"
#include "core/run/pickle.h"
#include "core/run/torch_archive.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

template <typename Number> void append(std::string &bytes, Number number)
{
    for (std::size_t i = 0; i < sizeof number; ++i)
        bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
}

std::uint32_t crc32(std::string_view bytes)
{
    std::uint32_t state = ~0U;
    for (const char byte : bytes) {
        state ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            state = state >> 1U ^ ((state & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~state;
}

/// A zip archive without compression, put together by hand so that names may share one piece of data.
class HandMadeZip {
public:
    void add(const std::string &name, const std::string &content)
    {
        m_offset = static_cast<std::uint32_t>(m_bytes.size());
        m_crc = crc32(content);
        m_size = static_cast<std::uint32_t>(content.size());
        m_bytes += "PK\x03\x04";
        describe(m_bytes, name);
        m_bytes += name + content;
        list(name);
    }
    /// Another name in the list of contents for what was added last.
    void list(const std::string &name)
    {
        m_list += "PK\x01\x02";
        append(m_list, std::uint16_t{20});
        describe(m_list, name);
        append(m_list, std::uint16_t{0}); // comment
        append(m_list, std::uint64_t{0}); // disk, attributes
        append(m_list, m_offset);
        m_list += name;
        ++m_count;
    }
    std::string bytes() const
    {
        std::string all = m_bytes + m_list + "PK\x05\x06";
        append(all, std::uint32_t{0});
        append(all, m_count);
        append(all, m_count);
        append(all, static_cast<std::uint32_t>(m_list.size()));
        append(all, static_cast<std::uint32_t>(m_bytes.size()));
        append(all, std::uint16_t{0});
        return all;
    }

private:
    void describe(std::string &bytes, const std::string &name) const
    {
        append(bytes, std::uint16_t{20});
        append(bytes, std::uint64_t{0}); // flags, stored, time
        append(bytes, m_crc);
        append(bytes, m_size);
        append(bytes, m_size);
        append(bytes, static_cast<std::uint16_t>(name.size()));
        append(bytes, std::uint16_t{0});
    }

    std::string m_bytes;
    std::string m_list;
    std::uint16_t m_count = 0;
    std::uint32_t m_offset = 0;
    std::uint32_t m_crc = 0;
    std::uint32_t m_size = 0;
};

/// A checkpoint of `names` tensors of `floats` numbers; all take the storage "0", or each the one with its number.
std::string description(int names, std::int64_t floats, std::int64_t taken, bool hasOwnStorage)
{
    using Kind = PickleValue::Kind;
    std::deque<PickleValue> values;
    const auto make = [&](Kind kind, const std::string &text = {}, std::int64_t integer = 0,
                          std::vector<const PickleValue *> items = {}) {
        PickleValue &value = values.emplace_back();
        value.kind = kind;
        value.text = text;
        value.integer = integer;
        value.items = std::move(items);
        return &value;
    };
    const auto *rebuild = make(Kind::Class, "torch._utils _rebuild_tensor_v2");
    const auto *storageClass = make(Kind::Class, "torch FloatStorage");
    const auto *kind = make(Kind::Text, "storage");
    const auto *cpu = make(Kind::Text, "cpu");
    const auto *count = make(Kind::Integer, {}, floats);
    const auto *zero = make(Kind::Integer, {}, 0);
    const auto *shape = make(Kind::Sequence, {}, 0, {make(Kind::Integer, {}, taken)});
    const auto *strides = make(Kind::Sequence, {}, 0, {make(Kind::Integer, {}, 1)});
    const auto *no = make(Kind::Boolean);
    PickleValue *state = make(Kind::Dictionary);
    for (int i = 0; i < names; ++i) {
        const auto *stored =
            make(Kind::Stored, {}, 0,
                 {kind, storageClass, make(Kind::Text, std::to_string(hasOwnStorage ? i : 0)), cpu, count});
        state->items.push_back(make(Kind::Text, std::to_string(i)));
        state->items.push_back(make(Kind::Call, {}, 0, {rebuild, stored, zero, shape, strides, no, no}));
    }
    return pickled(
        *make(Kind::Dictionary, {}, 0,
              {make(Kind::Text, "step"), make(Kind::Integer, {}, 3), make(Kind::Text, "model_state"), state}));
}

std::string sentenceOf(const std::string &bytes)
{
    try {
        parseTorchCheckpoint(bytes, "sample.pt");
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

std::int64_t peakKilobytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

/// A small file cannot ask for much memory, whatever its description says.
class TestTorchArchiveLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedStoragesAreBounded_data()
    {
        QTest::addColumn<int>("names");
        QTest::addColumn<bool>("isAccepted");
        QTest::newRow("own") << 1 << true;
        QTest::newRow("tied") << 2 << true;
        QTest::newRow("four names") << 4 << true;
        QTest::newRow("many names") << 5000 << false;
    }
    void sharedStoragesAreBounded()
    {
        QFETCH(int, names);
        QFETCH(bool, isAccepted);
        constexpr std::int64_t kFloats = 1'000'000;
        HandMadeZip zip;
        zip.add("a/data.pkl", description(names, kFloats, kFloats, false));
        zip.add("a/data/0", std::string(4 * kFloats, '\0'));
        const std::int64_t before = peakKilobytes();
        const std::string sentence = sentenceOf(zip.bytes());
        QVERIFY2(sentence.empty() == isAccepted, sentence.c_str());
        if (!isAccepted)
            QVERIFY2(QString::fromStdString(sentence).contains(QLatin1String("ask for more than 4 times the 4.")),
                     sentence.c_str());
        QVERIFY2(peakKilobytes() - before < 128 * 1024, std::to_string(peakKilobytes() - before).c_str());
    }

    /// Entries whose data is one and the same piece of the file.
    void entriesOnTopOfEachOtherAreRefused()
    {
        constexpr std::int64_t kFloats = 1'000'000;
        constexpr int kNames = 3000;
        HandMadeZip zip;
        zip.add("a/data.pkl", description(kNames, kFloats, 1, true));
        zip.add("a/data/0", std::string(4 * kFloats, '\0'));
        for (int i = 1; i < kNames; ++i)
            zip.list("a/data/" + std::to_string(i));
        const std::int64_t before = peakKilobytes();
        QVERIFY(!sentenceOf(zip.bytes()).empty());
        QVERIFY2(peakKilobytes() - before < 128 * 1024, std::to_string(peakKilobytes() - before).c_str());
    }

    void longNamesOfClassesAreBounded()
    {
        QByteArray bytes("\x80\x04X");
        const int length = 500'000;
        for (int i = 0; i < 4; ++i)
            bytes.append(static_cast<char>(length >> (8 * i)));
        bytes += QByteArray(length, 'n') + QByteArray("q\x01") + QByteArray("h\x01h\x01\x93").repeated(50'000) + ".";
        QVERIFY_THROWS_EXCEPTION(Error, Pickle(bytes.toStdString(), "sample"));
    }

    /// The list of contents stands at a file's end: of a large one only that and the description are read.
    void aFolderIsListedFromDescriptions()
    {
        QTemporaryDir temporary;
        const fs::path folder = fs::path(temporary.path().toStdString()) / "hybrid_square";
        fs::create_directories(folder);
        fs::copy(fs::path(LOOKBACK_TEST_SOURCE_DIR "/formats/kvbench/hybrid_square"), folder,
                 fs::copy_options::recursive);
        const fs::path file = folder / "checkpoints" / "ckpt_step1700.pt";
        std::string content = readFileWhole(file);
        // Every byte of the numbers is damaged; whoever reads one meets a wrong checksum.
        const std::size_t first = content.find("data/0") + 6;
        const std::size_t size = 4000;
        for (std::size_t i = first + 64; i < first + 64 + size; ++i)
            content[i] = static_cast<char>(content[i] ^ 0x55);
        writeFileWhole(file, content);
        const RunRecord record = kvbenchRecord(folder);
        QCOMPARE(record.config.variant, "hybrid_square");
        QCOMPARE(kvbenchCheckpoints(folder).size(), 1U);
        QVERIFY_THROWS_EXCEPTION(Error, readTorchCheckpoint(file));
    }
};

QTEST_GUILESS_MAIN(TestTorchArchiveLimits)
#include "test_torch_archive_limits.moc"
