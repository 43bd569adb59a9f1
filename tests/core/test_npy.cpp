// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/csv.h"
#include "core/error.h"
#include "core/run/npy.h"

using namespace lookback;
using namespace lookback::run;

namespace {

/// The header of a file without its padding; empty if magic, version, lengths or padding are not as the format says.
std::string headerOf(const std::string &bytes)
{
    if (bytes.size() < 10 || bytes.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8))
        return {};
    const std::size_t length = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    if ((10 + length) % 64 != 0 || bytes.size() < 10 + length || bytes[9 + length] != '\n')
        return {};
    std::string header = bytes.substr(10, length - 1);
    header.erase(header.find_last_not_of(' ') + 1);
    return header;
}

std::string dataOf(const std::string &bytes)
{
    return bytes.substr(10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]));
}

template <typename Number> Number numberAt(const std::string &bytes, std::size_t place)
{
    Number number{};
    std::memcpy(&number, bytes.data() + place, sizeof number);
    return number;
}

} // namespace

class TestNpy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesOfASmallArray()
    {
        // What numpy.save(file, numpy.array([[1, 2, 3], [4, 5, 6]], dtype="<f4")) writes.
        const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
        std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
        expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        expected.append(127 - expected.size(), ' ');
        expected += '\n';
        expected.append(reinterpret_cast<const char *>(values.data()), sizeof values);
        QCOMPARE(npyArray(values, {2, 3}), expected);
    }

    void shapesAreWrittenAsPythonDoes()
    {
        const std::array<double, 6> reals{};
        const std::array<std::int64_t, 1> whole{-7};
        QCOMPARE(headerOf(npyArray(reals, {6})), "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }");
        QCOMPARE(headerOf(npyArray(reals, {1, 2, 3})),
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }");
        QCOMPARE(headerOf(npyArray(whole, {})), "{'descr': '<i8', 'fortran_order': False, 'shape': (), }");
        QCOMPARE(headerOf(npyArray(std::span<const double>(), {0, 3})),
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }");
        QCOMPARE(numberAt<std::int64_t>(dataOf(npyArray(whole, {})), 0), -7);
        QVERIFY_THROWS_EXCEPTION(Error, npyArray(reals, {5}));
        QVERIFY_THROWS_EXCEPTION(Error, npyArray(reals, {-6}));
        QVERIFY_THROWS_EXCEPTION(Error, npyArray(reals, {std::int64_t{1} << 62, std::int64_t{1} << 62}));
    }

    void tablesBecomeRecords()
    {
        const std::string bytes = npyTable("run,step,value,published,seed\r\n"
                                           "\"a, \"\"b\"\"\",3,0.25,yes,18446744073709551615\r\n"
                                           "\u00e9\U0001F600,,,no,\r\n");
        QCOMPARE(
            headerOf(bytes),
            "{'descr': [('run', '<U6'), ('step', '<i8'), ('value', '<f8'), ('published', '|i1'), ('seed', '<u8')], "
            "'fortran_order': False, 'shape': (2,), }");
        const std::string data = dataOf(bytes);
        constexpr std::size_t record = 6 * 4 + 8 + 8 + 1 + 8;
        QCOMPARE(data.size(), 2 * record);
        std::u32string first;
        std::u32string second;
        for (std::size_t i = 0; i < 6; ++i) {
            first += static_cast<char32_t>(numberAt<std::uint32_t>(data, 4 * i));
            second += static_cast<char32_t>(numberAt<std::uint32_t>(data, record + 4 * i));
        }
        QVERIFY(first == U"a, \"b\"");
        QVERIFY(second == std::u32string(U"\u00e9\U0001F600\0\0\0\0", 6));
        QCOMPARE(numberAt<std::int64_t>(data, 24), 3);
        QCOMPARE(numberAt<double>(data, 32), 0.25);
        QCOMPARE(numberAt<std::int8_t>(data, 40), 1);
        QCOMPARE(numberAt<std::uint64_t>(data, 41), std::numeric_limits<std::uint64_t>::max());
        QCOMPARE(numberAt<std::int64_t>(data, record + 24), -1);
        QVERIFY(std::isnan(numberAt<double>(data, record + 32)));
        QCOMPARE(numberAt<std::int8_t>(data, record + 40), 0);
        QCOMPARE(numberAt<std::uint64_t>(data, record + 41), std::numeric_limits<std::uint64_t>::max());
    }

    void numbersThatAreNotFinite()
    {
        const std::string data = dataOf(npyTable("loss\nNaN\nInfinity\n-Infinity\n1e-300\n"));
        QVERIFY(std::isnan(numberAt<double>(data, 0)));
        QCOMPARE(numberAt<double>(data, 8), std::numeric_limits<double>::infinity());
        QCOMPARE(numberAt<double>(data, 16), -std::numeric_limits<double>::infinity());
        QCOMPARE(numberAt<double>(data, 24), 1e-300);
    }

    void anEmptyTableKeepsItsColumns()
    {
        const std::string bytes = npyTable("run,step\n");
        QCOMPARE(headerOf(bytes),
                 "{'descr': [('run', '<U1'), ('step', '<i8')], 'fortran_order': False, 'shape': (0,), }");
        QVERIFY(dataOf(bytes).empty());
    }

    void brokenTextBecomesReplacementCharacters()
    {
        const std::string data = dataOf(npyTable("run\n\xff"
                                                 "a\xc3\n"));
        QCOMPARE(numberAt<std::uint32_t>(data, 0), 0xFFFDU);
        QCOMPARE(numberAt<std::uint32_t>(data, 4), std::uint32_t{'a'});
        QCOMPARE(numberAt<std::uint32_t>(data, 8), 0xFFFDU);
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("csv");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("nothing") << QByteArray() << QByteArray("no columns");
        QTest::newRow("short line") << QByteArray("run,step\na\n") << QByteArray("1 fields instead of 2");
        QTest::newRow("long line") << QByteArray("run,step\na,1,2\n") << QByteArray("3 fields instead of 2");
        QTest::newRow("word as a number")
            << QByteArray("loss\nmuch\n") << QByteArray("\"much\" in the column \"loss\"");
        QTest::newRow("half a number") << QByteArray("step\n3.5\n") << QByteArray("\"3.5\" in the column \"step\"");
        QTest::newRow("comma as a dot") << QByteArray("loss\n\"0,5\"\n") << QByteArray("\"0,5\"");
        QTest::newRow("truth") << QByteArray("published\nperhaps\n") << QByteArray("\"perhaps\"");
        QTest::newRow("name") << QByteArray("it's\n1\n") << QByteArray("name");
        QTest::newRow("too many columns") << QByteArray(QByteArray("a_long_name_of_a_column,").repeated(3000) + "b\n")
                                          << QByteArray("too many columns");
    }
    void refused()
    {
        QFETCH(QByteArray, csv);
        QFETCH(QByteArray, words);
        try {
            (void)npyTable(csv.toStdString());
            QFAIL("taken");
        } catch (const Error &error) {
            QVERIFY2(QByteArray::fromStdString(error.sentence()).contains(words), error.sentence().c_str());
        }
    }

    void csvWithQuotesAndLineEnds()
    {
        using Records = std::vector<std::vector<std::string>>;
        QVERIFY((csvRecords("a,b\r\n\"x\r\n,\"\"\",\n,\n") == Records{{"a", "b"}, {"x\r\n,\"", ""}, {"", ""}}));
        QVERIFY((csvRecords("a,b\n1,2") == Records{{"a", "b"}, {"1", "2"}}));
        QVERIFY(csvRecords("").empty());
    }
};

QTEST_GUILESS_MAIN(TestNpy)
#include "test_npy.moc"
