// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/kvbench.h"
#include "core/run/pickle.h"
#include "core/run/torch_archive.h"

using namespace lookback;
using namespace lookback::run;
namespace fs = std::filesystem;

namespace {

const fs::path kFormats = LOOKBACK_TEST_SOURCE_DIR "/formats";
const fs::path kFolder = kFormats / "kvbench" / "hybrid_square";

std::vector<float> valuesOf(const TorchCheckpoint &checkpoint, const std::string &name)
{
    for (const StoredTensor &weight : checkpoint.weights) {
        if (weight.name != name)
            continue;
        std::vector<float> values(weight.bytes.size() / sizeof(float));
        if (!values.empty())
            std::memcpy(values.data(), weight.bytes.data(), weight.bytes.size());
        return values;
    }
    throw Error(name, "There is no such tensor.");
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

/// A checkpoint of two small tensors as bytes.
std::string sampleBytes()
{
    QTemporaryDir folder;
    const fs::path file = fs::path(folder.path().toStdString()) / "ckpt_step3.pt";
    StoredTensor weight{.name = "E.weight", .dtype = "F32", .shape = {2, 3}, .bytes = std::vector<std::byte>(24)};
    StoredTensor scalar{.name = "rms_w", .dtype = "F32", .shape = {}, .bytes = std::vector<std::byte>(4)};
    for (std::size_t i = 0; i < weight.bytes.size(); ++i)
        weight.bytes[i] = static_cast<std::byte>(i);
    writeTorchCheckpoint(file, {.step = 5'000'000'000, .variant = "rope", .weights = {weight, scalar}});
    return readFileWhole(file);
}

void copyFolder(const fs::path &from, const fs::path &to)
{
    fs::create_directories(to.parent_path());
    fs::copy(from, to, fs::copy_options::recursive);
}

} // namespace

class TestKvbench : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorsOfEveryTypeAreRead()
    {
        const TorchCheckpoint read = readTorchCheckpoint(kFormats / "torch" / "dtypes.pt");
        QCOMPARE(read.step, 7);
        QCOMPARE(read.variant, "rope");
        const float infinity = std::numeric_limits<float>::infinity();
        const std::vector<float> numbers{1.0F, -2.5F, 0.0F, 65504.0F, 0x1p-24F, infinity};
        QCOMPARE(valuesOf(read, "float32"), numbers);
        QCOMPARE(valuesOf(read, "float64"), numbers);
        QCOMPARE(valuesOf(read, "float16"), numbers);
        QCOMPARE(valuesOf(read, "parameter"), numbers);
        // bfloat16 keeps eight bits of a fraction
        QCOMPARE(valuesOf(read, "bfloat16"), (std::vector<float>{1.0F, -2.5F, 0.0F, 65536.0F, 0x1p-24F, infinity}));
        QCOMPARE(valuesOf(read, "transposed"), (std::vector<float>{1.0F, 65504.0F, -2.5F, 0x1p-24F, 0.0F, infinity}));
        QCOMPARE(valuesOf(read, "part"), (std::vector<float>{3, 4, 5, 6, 7, 8}));
        QCOMPARE(valuesOf(read, "scalar"), std::vector<float>{4.25F});
        QVERIFY(valuesOf(read, "empty").empty());
    }

    void descriptionHasShapesButNoBytes()
    {
        const TorchCheckpoint read =
            readTorchCheckpoint(kFormats / "torch" / "dtypes.pt", TorchArchiveParts::Description);
        for (const StoredTensor &weight : read.weights) {
            QVERIFY(weight.bytes.empty());
            if (weight.name == "transposed")
                QCOMPARE(weight.shape, (std::vector<std::int64_t>{3, 2}));
        }
        QCOMPARE(read.weights.size(), 10U);
    }

    void whatIsWrittenReadsBack()
    {
        const TorchCheckpoint read = parseTorchCheckpoint(sampleBytes(), "sample.pt");
        QCOMPARE(read.step, 5'000'000'000);
        QCOMPARE(read.variant, "rope");
        QCOMPARE(read.weights.size(), 2U);
        QCOMPARE(read.weights[0].shape, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(read.weights[0].bytes[23], std::byte{23});
        QVERIFY(read.weights[1].shape.empty());
        QVERIFY(sampleBytes() == sampleBytes()); // no clock in the file
    }

    void othersAreRefusedWithASentence_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("words");
        QTest::newRow("command") << "command.pt"
                                 << "a Python object of the type \"posix.system\"";
        QTest::newRow("module") << "module.pt"
                                << "it has no \"model_state\"";
        QTest::newRow("integers") << "integers.pt"
                                  << "torch LongStorage";
        QTest::newRow("old format") << "old.pt"
                                    << "This is not a PyTorch checkpoint";
    }
    void othersAreRefusedWithASentence()
    {
        QFETCH(QString, file);
        QFETCH(QString, words);
        const std::string sentence = sentenceOf(readFileWhole(kFormats / "torch" / file.toStdString()));
        QVERIFY2(QString::fromStdString(sentence).contains(words), sentence.c_str());
        QVERIFY(!fs::exists("executed"));
    }

    /// A cut or a changed byte anywhere is refused, or changes nothing that is read.
    void damageIsNoticed()
    {
        const std::string whole = sampleBytes();
        const TorchCheckpoint expected = parseTorchCheckpoint(whole, "sample.pt");
        for (std::size_t length = 0; length < whole.size(); ++length)
            QVERIFY2(!sentenceOf(whole.substr(0, length)).empty(), std::to_string(length).c_str());
        for (std::size_t place = 0; place < whole.size(); ++place) {
            for (const char mask : {'\x01', '\x80', '\xff'}) {
                std::string damaged = whole;
                damaged[place] = static_cast<char>(damaged[place] ^ mask);
                try {
                    const TorchCheckpoint read = parseTorchCheckpoint(damaged, "sample.pt");
                    QCOMPARE(read.step, expected.step);
                    for (std::size_t i = 0; i < read.weights.size(); ++i)
                        QVERIFY2(read.weights[i].bytes == expected.weights[i].bytes, std::to_string(place).c_str());
                } catch (const Error &error) {
                    QVERIFY(QString::fromStdString(error.sentence()).startsWith(QLatin1String("sample.pt")));
                }
            }
        }
    }

    void picklesThatLieAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray("");
        QTest::newRow("nothing made") << QByteArray("\x80\x02.", 3);
        QTest::newRow("pop below a mark") << QByteArray("\x80\x02N(0.", 5);
        QTest::newRow("tuple of what is not there") << QByteArray("\x80\x02\x87.", 4);
        QTest::newRow("list without a mark") << QByteArray("\x80\x02"
                                                           "e.",
                                                           4);
        QTest::newRow("memory never written") << QByteArray("\x80\x02h\x09.", 5);
        QTest::newRow("text longer than the file") << QByteArray("\x80\x02X\xff\xff\xff\x7f"
                                                                 "a.",
                                                                 9);
        QTest::newRow("call of a number") << QByteArray("\x80\x02K\x01)R.", 6);
        QTest::newRow("filling a number") << QByteArray("\x80\x02K\x01K\x02K\x03s.", 9);
        QTest::newRow("odd dictionary") << QByteArray("\x80\x02}(K\x01u.", 7);
        QTest::newRow("later protocol") << QByteArray("\x80\x09N.", 4);
        QTest::newRow("long of 200 bytes") << QByteArray("\x80\x02\x8a\xc8"
                                                         "a.",
                                                         6);
        QTest::newRow("unknown code") << QByteArray("\x80\x02\x01.", 4);
    }
    void picklesThatLieAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QVERIFY_THROWS_EXCEPTION(Error, Pickle(bytes.toStdString(), "sample"));
    }

    /// Objects that hold themselves, and deep nesting, neither hang nor overflow the stack.
    void circlesAndDepthsAreHarmless()
    {
        QCOMPARE(Pickle(std::string("\x80\x02]q\x01h\x01"
                                    "a.",
                                    9),
                        "circle")
                     .root()
                     .items.size(),
                 1U);
        std::string deep = "\x80\x02";
        deep += std::string(200'000, ']') + std::string(199'999, 'a') + ".";
        QCOMPARE(Pickle(deep, "deep").root().items.size(), 1U);
    }

    /// A long tuple that is passed again and again costs no more than the file.
    void repeatedArgumentsAreBounded_data()
    {
        QTest::addColumn<QByteArray>("use");
        QTest::newRow("calls") << QByteArray("h\x02h\x01R0");
        QTest::newRow("persistent ids") << QByteArray("h\x01Q0");
    }
    void repeatedArgumentsAreBounded()
    {
        QFETCH(QByteArray, use);
        use.replace("0", "a"); // into the list at the bottom
        const auto pickleOf = [&](int uses) {
            QByteArray bytes("\x80\x02"
                             "cmodule\nname\nq\x02(");
            bytes += QByteArray(100'000, 'N') + QByteArray("tq\x01", 3) + "]" + use.repeated(uses) + ".";
            return bytes.toStdString();
        };
        QCOMPARE(Pickle(pickleOf(5), "sample").root().items.size(), std::size_t{5});
        QVERIFY_THROWS_EXCEPTION(Error, Pickle(pickleOf(50'000), "sample"));
    }

    void exportNeverLeavesItsFolder_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"../evil", "..", ".", "", "/evil", "a/b"})
            QTest::newRow(variant) << QString::fromUtf8(variant);
    }
    void exportNeverLeavesItsFolder()
    {
        QFETCH(QString, variant);
        QTemporaryDir temporary;
        const fs::path root = temporary.path().toStdString();
        RunRecord record;
        record.config.variant = variant.toStdString();
        const RunFolder folder = RunFolder::create(root / "runs", "run", record);
        QVERIFY_THROWS_EXCEPTION(Error, exportAsKvbench(folder, root / "out"));
        QVERIFY(!fs::exists(root / "out") && !fs::exists(root / "evil"));
    }

    void folderIsReadAsItIs()
    {
        QVERIFY(isKvbenchFolder(kFolder));
        QVERIFY(!isKvbenchFolder(kFormats / "run-1"));
        const RunFolder folder = RunFolder::open(kFolder);
        const RunRecord record = folder.readRecord();
        QVERIFY(record.origin == RunOrigin::Kvbench);
        QCOMPARE(record.config.variant, "hybrid_square");
        QCOMPARE(record.config.d_model, 32);
        QCOMPARE(record.config.query_heads, 4);
        QCOMPARE(record.config.kv_heads, 2);
        QCOMPARE(record.config.pairs, 4);
        QCOMPARE(record.config.ffn_hidden, 64);
        QCOMPARE(record.step, 1800); // the log is ahead of the last checkpoint
        QVERIFY(record.state == RunState::Stopped);
        const auto checkpoints = folder.checkpoints();
        QCOMPARE(checkpoints.size(), 1U);
        QCOMPARE(checkpoints[0].step, 1700);
        const MetricsLog log = folder.readMetricsLog();
        QCOMPARE(log.records.size(), 4U);
        QVERIFY(std::isnan(log.records[3].loss.value()));
        const auto curves = folder.readAccuracy();
        QCOMPARE(curves.size(), 1U);
        QCOMPARE(curves[0].points.size(), 3U);
        QCOMPARE(curves[0].points[1].n_keys, 64);
        QCOMPARE(curves[0].points[1].accuracy, 0.5);

        const auto losses = kvbenchPerIndexLoss(readFileWhole(kFolder / "eval.json"), "eval.json");
        QCOMPARE(losses.at(1700).size(), 100U);
    }

    void finalCheckpointSaysItsStepInside()
    {
        const RunFolder folder = RunFolder::open(kFormats / "kvbench" / "hybrid_square_kda");
        QCOMPARE(folder.checkpoints().at(0).step, 15000);
        QVERIFY(folder.readRecord().state == RunState::Finished);
        QCOMPARE(readCheckpoint(folder.checkpoints().at(0).file).config.variant, "hybrid_square_kda");
    }

    void listShowsTheVariantFolders()
    {
        const std::vector<FoundRun> found = findRuns(kFormats / "kvbench");
        QCOMPARE(found.size(), 2U);
        QVERIFY(found[0].record && found[1].record);
    }

    void oneDamagedFileCostsOnlyItself()
    {
        QTemporaryDir temporary;
        const fs::path folder = fs::path(temporary.path().toStdString()) / "runs" / "hybrid_square";
        copyFolder(kFolder, folder);
        std::ofstream(folder / "checkpoints" / "ckpt_step1800.pt") << "cut";
        std::ofstream(folder.parent_path() / "accuracy_vs_context.json") << "{\"n_sweep\": [8], \"curves\": {}}";
        const RunFolder opened = RunFolder::open(folder);
        QCOMPARE(opened.readRecord().config.d_model, 32);
        QVERIFY(opened.readAccuracy().empty());
        std::vector<std::string> notes;
        const auto checkpoint = newestCheckpoint(opened, CheckpointParts::Weights, &notes);
        QVERIFY(checkpoint.has_value());
        QCOMPARE(checkpoint->step, 1700);
        QCOMPARE(notes.size(), 1U);
    }

    void ownEvaluationIsAddedBesideTheirs()
    {
        QTemporaryDir temporary;
        const fs::path runs = fs::path(temporary.path().toStdString()) / "runs";
        copyFolder(kFormats / "kvbench", runs);
        const std::string theirs = readFileWhole(runs / "accuracy_vs_context.json");
        const RunFolder folder = RunFolder::open(runs / "hybrid_square");
        eval::AccuracyCurve curve;
        curve.variant = "hybrid_square";
        curve.step = 1700;
        curve.points.resize(1);
        curve.points[0].n_keys = 8;
        folder.writeAccuracy(curve);
        QCOMPARE(folder.readAccuracy().size(), 2U);
        QCOMPARE(readFileWhole(runs / "accuracy_vs_context.json"), theirs);
    }

    void damagedTablesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no object") << QByteArray("[]");
        QTest::newRow("curve too short") << QByteArray(R"({"n_sweep": [8, 16], "curves": {"rope": [1.0]}})");
        QTest::newRow("no accuracy") << QByteArray(R"({"n_sweep": [8], "curves": {"rope": [1.5]}})");
        QTest::newRow("no n") << QByteArray(R"({"n_sweep": ["8"], "curves": {"rope": [1.0]}})");
    }
    void damagedTablesAreRefused()
    {
        QFETCH(QByteArray, text);
        QVERIFY_THROWS_EXCEPTION(Error, kvbenchAccuracyTable(text.toStdString(), "table"));
    }

    void runIsExportedAndReadBack()
    {
        QTemporaryDir temporary;
        const fs::path target = fs::path(temporary.path().toStdString()) / "exported";
        const RunFolder folder = RunFolder::open(kFolder);
        exportAsKvbench(folder, target);
        const RunFolder copy = RunFolder::open(target / "hybrid_square");
        QCOMPARE(copy.readMetricsLog().records.size(), folder.readMetricsLog().records.size());
        const Checkpoint before = checkpointAt(folder, 1700);
        const Checkpoint after = checkpointAt(copy, 1700);
        QVERIFY(!before.weights.empty());
        QCOMPARE(after.weights.size(), before.weights.size());
        for (std::size_t i = 0; i < before.weights.size(); ++i) {
            QCOMPARE(after.weights[i].name, before.weights[i].name);
            QCOMPARE(after.weights[i].shape, before.weights[i].shape);
            QVERIFY(after.weights[i].bytes == before.weights[i].bytes);
        }
        QCOMPARE(copy.readAccuracy().at(0).points.at(1).accuracy, 0.5);
        // A second export into the same place is refused and changes nothing.
        QVERIFY_THROWS_EXCEPTION(Error, exportAsKvbench(folder, target));
        QCOMPARE(copy.checkpoints().size(), 1U);
        // Another variant is added to the table.
        exportAsKvbench(RunFolder::open(kFormats / "kvbench" / "hybrid_square_kda"), target);
        QCOMPARE(kvbenchAccuracyTable(readFileWhole(target / "accuracy_vs_context.json"), "table").size(), 2U);
    }
};

QTEST_GUILESS_MAIN(TestKvbench)
#include "test_kvbench.moc"
