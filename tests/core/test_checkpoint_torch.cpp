// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>
#include <fstream>
#include <iterator>

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/run/checkpoint.h"
#include "core/run/checkpoint_torch.h"
#include "core/train/adamw_torch.h"
#include "tests/core/training_helpers.h"

using namespace lookback;
using namespace lookback::testing;
using namespace lookback::run;

namespace {

std::string textOf(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::filesystem::path &file, const std::string &bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
}

Checkpoint makeCheckpoint(const RunConfig &config, std::int64_t step)
{
    model::Transformer model(config, at::kFloat, at::kCPU);
    model.initialise(config.seed);
    const train::AdamW optimizer(model.parameters(), config);
    Checkpoint checkpoint;
    checkpoint.config = config;
    checkpoint.step = step;
    checkpoint.elapsedSeconds = 0.1 + 0.2;
    checkpoint.programVersion = "0.1.0";
    checkpoint.libtorchVersion = "2.11.0";
    for (const auto &[name, tensor] : model.parameters())
        checkpoint.weights.push_back(storedTensor(name, tensor));
    for (const auto &[name, tensor] : optimizer.moments())
        checkpoint.moments.push_back(storedTensor(name, tensor));
    return checkpoint;
}

std::string messageOf(const std::function<void()> &action)
{
    try {
        action();
    } catch (const Error &error) {
        return error.sentence();
    }
    return {};
}

} // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path path(const char *name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private Q_SLOTS:
    void everythingComesBack_data()
    {
        QTest::addColumn<QString>("variant");
        for (const char *variant : {"rope", "hybrid_square", "hybrid_square_kda"})
            QTest::newRow(variant) << QString::fromLatin1(variant);
    }
    void everythingComesBack()
    {
        QFETCH(QString, variant);
        RunConfig config = smallConfig(variant.toStdString(), 50);
        config.seed = 18446744073709551615ULL; // survives exactly
        const Checkpoint checkpoint = makeCheckpoint(config, 37);
        writeCheckpoint(path("a.safetensors"), checkpoint);
        const Checkpoint read = readCheckpoint(path("a.safetensors"));
        QVERIFY(read.config == config);
        QCOMPARE(read.step, 37);
        QCOMPARE(read.elapsedSeconds, checkpoint.elapsedSeconds);
        QCOMPARE(read.programVersion, std::string("0.1.0"));
        QCOMPARE(read.weights.size(), checkpoint.weights.size());
        QCOMPARE(read.moments.size(), 2 * checkpoint.weights.size());
        for (std::size_t i = 0; i < read.weights.size(); ++i) {
            QCOMPARE(read.weights[i].name, checkpoint.weights[i].name);
            QVERIFY(read.weights[i].bytes == checkpoint.weights[i].bytes);
        }
        QVERIFY(readCheckpoint(path("a.safetensors"), CheckpointParts::Weights).moments.empty());
        // The same content gives the same file.
        writeCheckpoint(path("b.safetensors"), checkpoint);
        QVERIFY(textOf(path("a.safetensors")) == textOf(path("b.safetensors")));
    }

    void flippedBitsAreFound()
    {
        RunConfig config = smallConfig("hybrid_square", 50);
        config.d_model = 4;
        config.query_heads = 1;
        config.kv_heads = 1;
        config.pairs = 2;
        config.ffn_hidden = 2;
        const auto file = path("flip.safetensors");
        writeCheckpoint(file, makeCheckpoint(config, 3));
        const std::string whole = textOf(file);
        // A prime stride, so that all bits and all kinds of bytes are met; the header ends in spaces that mean nothing.
        for (std::size_t at = 0; at < whole.size(); at += 17) {
            if (whole[at] == ' ')
                continue;
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
            write(file, bytes);
            const std::string message = messageOf([&] { readCheckpoint(file); });
            QVERIFY2(!message.empty(), ("accepted a flipped bit in byte " + std::to_string(at)).c_str());
            QVERIFY(message.find('\n') == std::string::npos);
        }
    }

    void cutAndForeignFilesAreOneSentence()
    {
        const auto file = path("cut.safetensors");
        writeCheckpoint(file, makeCheckpoint(smallConfig("hybrid_square", 50), 3));
        const std::string whole = textOf(file);
        for (const double share : {0.0, 0.01, 0.5, 0.999}) {
            write(file, whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
            const std::string message = messageOf([&] { readCheckpoint(file); });
            QVERIFY(!message.empty() && message.size() < 400);
        }
        write(file, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
        QVERIFY(!messageOf([&] { readCheckpoint(file); }).empty());
        QVERIFY(!messageOf([&] { readCheckpoint(path("missing.safetensors")); }).empty());
        QVERIFY(!messageOf([&] { readCheckpoint(m_folder.path().toStdString()); }).empty());

        const std::string fixture = std::string(LOOKBACK_TEST_FIXTURES) + "/hybrid_square.safetensors";
        QVERIFY(messageOf([&] { readCheckpoint(fixture); }).find("not a checkpoint") != std::string::npos);
    }

    void newerFormatIsRefusedByBothNumbers()
    {
        const auto file = path("newer.safetensors");
        Checkpoint checkpoint = makeCheckpoint(smallConfig("hybrid_square", 50), 3);
        writeCheckpoint(file, checkpoint);
        SafetensorsFile content = readSafetensors(file);
        content.metadata["format_version"] = "7";
        writeSafetensors(file, content);
        const std::string before = textOf(file);
        const std::string message = messageOf([&] { readCheckpoint(file); });
        QVERIFY(message.find("version 7") != std::string::npos);
        QVERIFY(message.find("up to 1") != std::string::npos);
        QVERIFY(textOf(file) == before);
    }

    void otherWeightsAreRefusedByNameAndBothSides()
    {
        const RunConfig config = smallConfig("hybrid_square", 50);
        const RunFolder run = makeRun(path("runs"), config, "widths");
        RunConfig wide = config;
        wide.ffn_hidden = 32;
        writeCheckpoint(run.checkpointFile(3), makeCheckpoint(wide, 3));
        const std::string message = messageOf([&] { loadModel(run, -1, at::kCPU); });
        QVERIFY(message.find("ffn_hidden 32") != std::string::npos);
        QVERIFY(message.find("24") != std::string::npos);

        RunConfig other = config;
        other.variant = "hybrid"; // the same shapes
        writeCheckpoint(run.checkpointFile(3), makeCheckpoint(other, 3));
        QVERIFY(messageOf([&] { loadModel(run, -1, at::kCPU); }).find("hybrid_square") != std::string::npos);

        Checkpoint lacking = makeCheckpoint(config, 3);
        lacking.weights.pop_back();
        writeCheckpoint(run.checkpointFile(3), lacking);
        QVERIFY(!messageOf([&] { loadModel(run, -1, at::kCPU); }).empty());
    }

    void picksTheNewestThatCanBeRead()
    {
        const RunConfig config = smallConfig("hybrid_square", 50);
        const RunFolder run = makeRun(path("runs"), config, "newest");
        QVERIFY(messageOf([&] { checkpointAt(run, -1); }).find("no checkpoint yet") != std::string::npos);
        for (const std::int64_t step : {5, 10, 20})
            writeCheckpoint(run.checkpointFile(step), makeCheckpoint(config, step));
        QCOMPARE(loadModel(run, -1, at::kCPU).step, 20);
        QCOMPARE(loadModel(run, 5, at::kCPU).step, 5);
        QVERIFY(messageOf([&] { checkpointAt(run, 7); }).find("5, 10, 20") != std::string::npos);

        std::filesystem::resize_file(run.checkpointFile(20), 100);
        std::filesystem::copy_file(run.checkpointFile(5), run.checkpointFile(30)); // says 30, holds 5
        std::vector<std::string> notes;
        QCOMPARE(newestCheckpoint(run, CheckpointParts::All, &notes)->step, 10);
        QCOMPARE(notes.size(), std::size_t{2});
        QVERIFY(!messageOf([&] { checkpointAt(run, 20); }).empty());
    }

    void tensorsKeepValuesAndShapes()
    {
        const at::Tensor values = at::arange(12, at::kDouble).reshape({3, 4}).t(); // not contiguous
        const StoredTensor stored = storedTensor("x", values);
        QCOMPARE(stored.dtype, std::string("F32"));
        QCOMPARE(stored.shape, (std::vector<std::int64_t>{4, 3}));
        QVERIFY(tensorOf(stored).equal(values.to(at::kFloat)));
        StoredTensor wrong = stored;
        wrong.dtype = "F8_E4M3";
        QVERIFY_THROWS_EXCEPTION(Error, tensorOf(wrong));
        wrong = stored;
        wrong.bytes.pop_back();
        QVERIFY_THROWS_EXCEPTION(Error, tensorOf(wrong));
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "test_checkpoint_torch.moc"
