// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "core/error.h"
#include "core/rng.h"
#include "core/run/file.h"
#include "core/run/safetensors.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> bytesOf(std::size_t count)
{
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>(i * 37 % 251);
    return bytes;
}

SafetensorsFile example()
{
    SafetensorsFile content;
    content.metadata = {{"kind", "test"}, {"text", "line\n\"quoted\" № 5"}};
    content.tensors = {
        {"E.weight", "F32", {3, 2}, bytesOf(24)}, {"empty", "F64", {4, 0, 2}, {}},
        {"scalar", "I64", {}, bytesOf(8)},        {"odd", "U8", {5}, bytesOf(5)},
        {"half", "BF16", {1, 3}, bytesOf(6)},
    };
    return content;
}

std::string fileText(const std::string &header, std::size_t dataBytes, std::uint64_t length)
{
    std::string text;
    for (unsigned i = 0; i < 8; ++i)
        text += static_cast<char>((length >> (8U * i)) & 0xFFU);
    return text + header + std::string(dataBytes, '\1');
}

std::string fileText(const std::string &header, std::size_t dataBytes)
{
    return fileText(header, dataBytes, header.size());
}

/// One tensor "a" with that description.
std::string tensorHeader(const std::string &description)
{
    return "{\"a\":{" + description + "}}";
}

} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

    QTemporaryDir m_directory;
    fs::path m_file;

    void write(const std::string &content)
    {
        fs::remove(m_file); // cutting a file short is flushed by some file systems, which takes milliseconds
        std::ofstream(m_file, std::ios::binary) << content;
    }

    /// The sentence of the refusal; empty if it could be read.
    QString refusal() const
    {
        try {
            readSafetensors(m_file);
        } catch (const Error &error) {
            return QString::fromStdString(error.sentence());
        }
        return {};
    }

private Q_SLOTS:
    void init() { m_file = fs::path(m_directory.path().toStdString()) / "file.safetensors"; }

    void roundTrip()
    {
        const SafetensorsFile content = example();
        writeSafetensors(m_file, content);
        const SafetensorsFile read = readSafetensors(m_file);
        QVERIFY(read.metadata == content.metadata);
        QCOMPARE(read.tensors.size(), content.tensors.size());
        for (const StoredTensor &tensor : content.tensors) {
            const StoredTensor *found = read.find(tensor.name);
            QVERIFY(found != nullptr);
            QCOMPARE(found->dtype, tensor.dtype);
            QVERIFY(found->shape == tensor.shape);
            QVERIFY(found->bytes == tensor.bytes);
        }
        QVERIFY(read.find("nothing") == nullptr);
        // Data begin at a multiple of 8, as other readers like it.
        std::ifstream stream(m_file, std::ios::binary);
        std::uint64_t length = 0;
        stream.read(reinterpret_cast<char *>(&length), sizeof length);
        QCOMPARE(length % 8, std::uint64_t{0});
    }

    void nothingAtAll()
    {
        writeSafetensors(m_file, {});
        QVERIFY(readSafetensors(m_file).tensors.empty());
        write(fileText("{}", 0));
        QVERIFY(readSafetensors(m_file).tensors.empty());
    }

    void fixturesOfAnotherWriter()
    {
        int files = 0;
        for (const auto &entry : fs::directory_iterator(LOOKBACK_TEST_FIXTURES)) {
            if (entry.path().extension() != ".safetensors")
                continue;
            QVERIFY(!readSafetensors(entry.path()).tensors.empty());
            ++files;
        }
        QVERIFY(files >= 14);
        const SafetensorsFile rope = readSafetensors(fs::path(LOOKBACK_TEST_FIXTURES) / "rope.safetensors");
        QVERIFY(rope.find("loss") != nullptr && rope.find("loss")->bytes.size() == 8);
    }

    void orderInTheHeaderIsFree()
    {
        write(fileText("{\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]},"
                       "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}  ",
                       3));
        const SafetensorsFile read = readSafetensors(m_file);
        QCOMPARE(read.tensors[0].name, std::string("a"));
        QCOMPARE(read.tensors[1].bytes.size(), std::size_t{2});
    }

    void hostile_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const std::string &content, const char *words) {
            QTest::newRow(name) << QByteArray(content.data(), static_cast<qsizetype>(content.size()))
                                << QString::fromLatin1(words);
        };
        const auto tensor = [&](const char *name, const std::string &description, std::size_t bytes,
                                const char *words) { row(name, fileText(tensorHeader(description), bytes), words); };
        row("empty", "", "empty");
        row("one byte", "x", "too early");
        row("seven bytes", "1234567", "too early");
        row("header length 0", fileText("", 0), "not a JSON object");
        row("header length 0 with data", fileText("", 8), "not a JSON object");
        row("huge header", fileText("{}", 0, ~0ULL), "header would have");
        row("2^63", fileText("{}", 0, 1ULL << 63U), "header would have");
        row("header beyond the end", fileText("{}", 0, 3), "ends early");
        row("header one short", fileText("{}", 0, 1), "not valid JSON");
        row("header one long", fileText("{}", 1, 3), "not valid JSON");
        row("unclosed", fileText("{\"a\":{", 0), "not valid JSON");
        row("list", fileText("[]", 0), "not a JSON object");
        row("leading space", fileText(" {}", 0), "not a JSON object");
        row("not UTF-8", fileText("{\"\xff\":{}}", 0), "not valid JSON");
        row("picture", "\x89PNG\r\n\x1a\n0000000000", "not a safetensors file");
        row("pointer file", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "pointer");
        row("name twice",
            fileText("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                     "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
                     2),
            "not valid JSON");
        row("overlap",
            fileText("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                     "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
                     3),
            "\"b\" overlaps");
        row("gap",
            fileText("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                     "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}",
                     3),
            "\"b\" leaves a gap");
        row("metadata number", fileText("{\"__metadata__\":{\"a\":1}}", 0), "metadata \"a\"");
        row("metadata list", fileText("{\"__metadata__\":[]}", 0), "metadata");
        row("no object", fileText("{\"a\":1}", 0), "\"a\" has no type");
        tensor("no type", R"("shape":[1],"data_offsets":[0,1])", 1, "has no type");
        tensor("type is a number", R"("dtype":1,"shape":[1],"data_offsets":[0,1])", 1, "type that is not a text");
        tensor("unknown type", R"("dtype":"F31","shape":[1],"data_offsets":[0,4])", 4, "unknown type \"F31\"");
        tensor("shape is a number", R"("dtype":"U8","shape":1,"data_offsets":[0,1])", 1, "shape that is not a list");
        tensor("negative extent", R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])", 1, "not whole");
        tensor("broken extent", R"("dtype":"U8","shape":[1.5],"data_offsets":[0,1])", 1, "not whole");
        tensor("text extent", R"("dtype":"U8","shape":["1"],"data_offsets":[0,1])", 1, "not whole");
        tensor("huge extent", R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,1])", 1, "not whole");
        tensor("overflow", R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])", 0, "more bytes");
        tensor("overflow to 8", R"("dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8])", 8, "more bytes");
        tensor("one offset", R"("dtype":"U8","shape":[1],"data_offsets":[0])", 1, "not a pair");
        tensor("three offsets", R"("dtype":"U8","shape":[1],"data_offsets":[0,1,1])", 1, "not a pair");
        tensor("backwards", R"("dtype":"U8","shape":[1],"data_offsets":[1,0])", 1, "ends before");
        tensor("negative offset", R"("dtype":"U8","shape":[1],"data_offsets":[-1,0])", 1, "not whole");
        tensor("shape larger", R"("dtype":"F32","shape":[2],"data_offsets":[0,4])", 4, "shape of 8 bytes");
        tensor("shape smaller", R"("dtype":"F32","shape":[1],"data_offsets":[0,8])", 8, "shape of 4 bytes");
        tensor("beyond the end", R"("dtype":"F32","shape":[1],"data_offsets":[0,4])", 3, "beyond the end");
        tensor("far beyond", R"("dtype":"U8","shape":[1099511627776],"data_offsets":[0,1099511627776])", 3, "beyond");
        tensor("begins late", R"("dtype":"U8","shape":[1],"data_offsets":[1,2])", 2, "gap");
        tensor("bytes left over", R"("dtype":"U8","shape":[1],"data_offsets":[0,1])", 4, "3 bytes that belong to no");
        tensor("nested deep", "\"x\":" + std::string(100000, '[') + std::string(100000, ']'), 0, "is not valid JSON");
    }
    void hostile()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, words);
        write({content.constData(), static_cast<std::size_t>(content.size())});
        const QString sentence = refusal();
        QVERIFY2(sentence.contains(words), qPrintable(sentence));
        QVERIFY(sentence.contains(QString::fromStdString(m_file.string())));
        QVERIFY(sentence.size() < 400 && !sentence.contains(QLatin1Char('\n')));
    }

    void cutAnywhere()
    {
        writeSafetensors(m_file, example());
        const std::string whole = readFileWhole(m_file);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            write(whole.substr(0, length));
            QVERIFY(!refusal().isEmpty());
        }
        write(whole + '\0');
        QVERIFY(!refusal().isEmpty());
    }

    // Damaged at random: reads or refuses, never anything else, and never asks for more memory than the file has.
    void fuzz()
    {
        writeSafetensors(m_file, example());
        const std::string whole = readFileWhole(m_file);
        std::uint64_t headerBytes = 0;
        std::memcpy(&headerBytes, whole.data(), sizeof headerBytes);
        Philox generator(2026);
        int refused = 0;
        constexpr int kRounds = 3000;
        constexpr std::string_view kAlphabet = "0123456789-[]{}\",:eE.+ \0\xff";
        for (int round = 0; round < kRounds; ++round) {
            std::string damaged = whole;
            const std::uint64_t changes = 1 + generator.below(3);
            for (std::uint64_t change = 0; change < changes; ++change) {
                const std::size_t place = generator.below(8 + headerBytes);
                switch (generator.below(4)) {
                case 0:
                    damaged[place] = static_cast<char>(generator.below(256));
                    break;
                case 1:
                    damaged[place] = kAlphabet[generator.below(kAlphabet.size())];
                    break;
                case 2:
                    damaged.erase(place, 1 + generator.below(4));
                    break;
                default:
                    damaged.insert(place, 1, kAlphabet[generator.below(kAlphabet.size())]);
                }
            }
            if (generator.below(2) == 0) { // with a header length that fits again, to get past the first check
                const std::uint64_t fitting = headerBytes + damaged.size() - whole.size();
                std::memcpy(damaged.data(), &fitting, sizeof fitting);
            }
            write(damaged);
            try {
                std::size_t bytes = 0;
                for (const StoredTensor &tensor : readSafetensors(m_file).tensors)
                    bytes += tensor.bytes.size();
                QVERIFY(bytes <= damaged.size());
            } catch (const Error &) {
                ++refused;
            }
        }
        QVERIFY(refused > kRounds / 2);
    }

    void whatIsNotAFile()
    {
        m_file = fs::path(m_directory.path().toStdString()) / "missing.safetensors";
        QVERIFY(refusal().contains(QLatin1String("does not exist")));
        m_file = m_directory.path().toStdString();
        QVERIFY(refusal().contains(QLatin1String("is a folder")));
        m_file = fs::path(m_directory.path().toStdString()) / "pipe";
        QCOMPARE(mkfifo(m_file.c_str(), 0600), 0);
        QVERIFY(refusal().contains(QLatin1String("not a regular file")));
        m_file = "/dev/zero";
        QVERIFY(refusal().contains(QLatin1String("not a regular file")));
    }

    void writerRefuses_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<int>("extent");
        QTest::addColumn<QString>("words");
        QTest::newRow("bytes") << "a"
                               << "F32" << 3 << "do not fit";
        QTest::newRow("negative") << "a"
                                  << "F32" << -2 << "negative";
        QTest::newRow("type") << "a"
                              << "F33" << 2 << "unknown type";
        QTest::newRow("taken") << "taken"
                               << "F32" << 2 << "is taken";
        QTest::newRow("metadata") << "__metadata__"
                                  << "F32" << 2 << "is taken";
        QTest::newRow("name") << QString(QChar(0xD800)) << "F32" << 2 << "";
    }
    void writerRefuses()
    {
        QFETCH(QString, name);
        QFETCH(QString, dtype);
        QFETCH(int, extent);
        QFETCH(QString, words);
        write("former");
        SafetensorsFile content;
        content.tensors.push_back({"taken", "F32", {2}, bytesOf(8)});
        // A lone surrogate stands for a name that is no UTF-8.
        const std::string tensorName = words.isEmpty() ? std::string("\xff") : name.toStdString();
        content.tensors.push_back({tensorName, dtype.toStdString(), {extent}, bytesOf(8)});
        try {
            writeSafetensors(m_file, content);
            QFAIL("written although impossible");
        } catch (const Error &error) {
            QVERIFY2(QString::fromStdString(error.sentence()).contains(words), error.what());
        }
        QCOMPARE(readFileWhole(m_file), std::string("former"));
    }

    void elementSizes()
    {
        QCOMPARE(dtypeBytes("F64"), std::size_t{8});
        QCOMPARE(dtypeBytes("BF16"), std::size_t{2});
        QCOMPARE(dtypeBytes("BOOL"), std::size_t{1});
        QCOMPARE(dtypeBytes("f32"), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "test_safetensors.moc"
