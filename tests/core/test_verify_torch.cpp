// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/stack.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/error.h"
#include "core/model/variant_registry.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/safetensors.h"
#include "core/task/key_value_task.h"
#include "core/verify/verify.h"
#include "model_helpers_torch.h"

using namespace lookback;
namespace fs = std::filesystem;

namespace {

const ComputeOptions kOneThread{.device = "cpu", .threads = 1};
const fs::path kFixtures = LOOKBACK_TEST_FIXTURES;

verify::VerifyReport verified(const fs::path &file)
{
    return verify::verifyFixture(file, kOneThread);
}

/// "logits float32" -> row.
std::map<std::string, verify::VerifyRow> rowsOf(const verify::VerifyReport &report)
{
    std::map<std::string, verify::VerifyRow> rows;
    for (const verify::VerifyRow &row : report.rows)
        rows.emplace(row.quantity + " " + row.precision, row);
    return rows;
}

QByteArray failuresOf(const verify::VerifyReport &report)
{
    QByteArray text;
    for (const verify::VerifyRow &row : report.rows) {
        if (!row.passed)
            text += QByteArray::fromStdString(row.file + ": " + row.quantity + " " + row.precision + " " + row.worst)
                + ' ' + QByteArray::number(row.largestAbsolute) + ' ' + QByteArray::number(row.largestRelative) + '\n';
    }
    return text;
}

run::StoredTensor stored(const std::string &name, const at::Tensor &tensor)
{
    const at::Tensor plain = tensor.detach().contiguous();
    const std::string type = plain.scalar_type() == at::kFloat ? "F32"
        : plain.scalar_type() == at::kDouble                   ? "F64"
                                                               : "I64";
    run::StoredTensor result{.name = name, .dtype = type, .shape = plain.sizes().vec(), .bytes = {}};
    const auto *bytes = static_cast<const std::byte *>(plain.const_data_ptr());
    result.bytes.assign(bytes, bytes + plain.nbytes());
    return result;
}

/// A fixture of other dimensions, made with Lookback itself.
run::SafetensorsFile ownFixture(const std::string &variant)
{
    const RunConfig config = helpers::smallConfig(variant);
    model::Transformer single = helpers::peakedModel(config, at::kFloat);
    model::Transformer model(config, at::kDouble, at::kCPU);
    model.load(single.parameters());
    const task::TaskShape shape{config.key_digits, config.value_digits};
    std::vector<at::Tensor> rows;
    std::vector<std::int64_t> positions;
    for (std::int64_t i = 0; i < 2; ++i) {
        const task::Sequence sequence = task::evaluationSequence(shape, 5, 1, i);
        at::Tensor row = at::empty({std::ssize(sequence.tokens)}, at::kLong);
        std::copy(sequence.tokens.begin(), sequence.tokens.end(), row.mutable_data_ptr<std::int64_t>());
        rows.push_back(row);
        for (const std::int64_t position : sequence.scoredPositions())
            positions.push_back(i * (std::ssize(sequence.tokens) - 1) + position);
    }
    const at::Tensor tokens = at::stack(rows);
    const std::int64_t read = tokens.size(1) - 1;
    const at::Tensor logits = model.forward(tokens.narrow(1, 0, read));
    at::Tensor chosen = at::empty({std::ssize(positions)}, at::kLong);
    std::copy(positions.begin(), positions.end(), chosen.mutable_data_ptr<std::int64_t>());
    const at::Tensor targets = tokens.narrow(1, 1, read).flatten().index_select(0, chosen);
    const at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, 1).index_select(0, chosen), targets);
    loss.backward();
    run::SafetensorsFile file;
    for (const auto &[name, tensor] : single.parameters())
        file.tensors.push_back(stored(name, tensor));
    for (const auto &[name, tensor] : model.parameters())
        file.tensors.push_back(stored("grad." + name, tensor.grad().to(at::kFloat)));
    file.tensors.push_back(stored("tokens", tokens));
    file.tensors.push_back(stored("logits", logits));
    file.tensors.push_back(stored("loss", loss.reshape({1})));
    const auto inputs = model.attentionInputs(tokens[0].narrow(0, 0, read));
    for (std::int64_t layer = 0; layer < model.attentionLayers(); ++layer) {
        if (!model.sublayer(layer).hasSoftmaxMap)
            continue;
        const at::Tensor map = model.attentionMap(layer, inputs[static_cast<std::size_t>(layer)], 0, read);
        file.tensors.push_back(stored("attention." + std::to_string(2 * layer), map.unsqueeze(0).to(at::kFloat)));
    }
    return file;
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFixturePasses_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("rows");
        for (const model::VariantInfo &info : model::variants()) {
            const QString file = QString::fromStdString(info.id) + QStringLiteral(".safetensors");
            if (!QFile::exists(QStringLiteral(LOOKBACK_TEST_FIXTURES "/") + file))
                continue; // a variant of one's own need not have one
            // Occurrences once; logits twice, loss, two accuracies, gradients and maps in two precisions; two layers of
            // KDA add inner values and states, RoPE adds logits with tables made in float32.
            const int rows = info.id == "hybrid_square_kda" ? 1 + 2 * (7 + 4) : 1 + 2 * 7 + 1;
            QTest::newRow(info.id.c_str()) << file << rows;
        }
        QTest::newRow("optimizer") << QStringLiteral("optimizer.safetensors") << 2 + 2 * 2 * 3;
        QTest::newRow("kda_scan") << QStringLiteral("kda_scan.safetensors") << 4 * 2 * 4;
        QTest::newRow("rotary_embedding") << QStringLiteral("rotary_embedding.safetensors") << 4 * 4;
        QTest::newRow("per_index") << QStringLiteral("per_index.safetensors") << 2 * (2 * 2 + 1);
        QTest::newRow("metrics") << QStringLiteral("metrics.safetensors") << 2 * 6 + 1;
        QTest::newRow("task") << QStringLiteral("task.json") << 7;
    }
    void everyFixturePasses()
    {
        QFETCH(QString, file);
        QFETCH(int, rows);
        const verify::VerifyReport report = verified(kFixtures / file.toStdString());
        QVERIFY2(report.passed(), failuresOf(report).constData());
        QCOMPARE(std::ssize(report.rows), rows);
        QVERIFY(report.notes.empty()); // fixtures.json says it all
        for (const verify::VerifyRow &row : report.rows) {
            QVERIFY(row.values > 0);
            QVERIFY(row.tolerance < 1e-3);
        }
    }

    void everyNumberOfAVariantIsCompared()
    {
        const auto rows = rowsOf(verified(kFixtures / "hybrid_square.safetensors"));
        QCOMPARE(rows.at("logits float64").values, 2 * 79 * 12);
        QCOMPARE(rows.at("gradients (39 tensors) float32").values, 37920);
        QCOMPARE(rows.at("attention maps (4 layers) float64").values, 4 * 4 * 79 * 79);
        QCOMPARE(rows.at("logits float64").tolerance, 1e-10);
        QCOMPARE(rows.at("gradients (39 tensors) float32").isRelative, true);
    }

    void aChangedNumberFails_data()
    {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<double>("change");
        QTest::addColumn<QString>("row");
        QTest::newRow("logits") << QStringLiteral("logits") << 3e-5 << QStringLiteral("logits float32");
        QTest::newRow("loss") << QStringLiteral("loss") << 1e-5 << QStringLiteral("loss float32");
        QTest::newRow("exact match") << QStringLiteral("exact_match") << 0.1 << QStringLiteral("exact match float64");
        QTest::newRow("digit accuracy") << QStringLiteral("digit_accuracy") << 1e-3
                                        << QStringLiteral("digit accuracy float32");
        QTest::newRow("gradient") << QStringLiteral("grad.layers.0.A") << 1e-2
                                  << QStringLiteral("gradients (55 tensors) float32");
        QTest::newRow("map") << QStringLiteral("attention.6") << 1e-4
                             << QStringLiteral("attention maps (2 layers) float32");
        QTest::newRow("state") << QStringLiteral("kda.4.state") << 1e-4 << QStringLiteral("KDA state, layer 2 float32");
        QTest::newRow("beta") << QStringLiteral("kda.0.beta") << 1e-4
                              << QStringLiteral("KDA inner values, layer 0 (6 tensors) float64");
        QTest::newRow("occurrence") << QStringLiteral("second_occurrence") << 1.0
                                    << QStringLiteral("second occurrences exact");
        QTest::newRow("not a number") << QStringLiteral("logits") << std::nan("") << QStringLiteral("logits float64");
    }
    void aChangedNumberFails()
    {
        QFETCH(QString, tensor);
        QFETCH(double, change);
        QFETCH(QString, row);
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "hybrid_square_kda.safetensors";
        run::SafetensorsFile content = run::readSafetensors(kFixtures / "hybrid_square_kda.safetensors");
        for (run::StoredTensor &one : content.tensors) {
            if (one.name != tensor.toStdString())
                continue;
            at::Tensor values = run::tensorOf(one);
            if (values.is_floating_point())
                values.view({-1})[values.numel() / 2].add_(change);
            else
                values.view({-1})[values.numel() / 2].add_(1);
            const auto *bytes = static_cast<const std::byte *>(values.const_data_ptr());
            one.bytes.assign(bytes, bytes + values.nbytes());
        }
        run::writeSafetensors(file, content);
        fs::copy_file(kFixtures / "fixtures.json", file.parent_path() / "fixtures.json");
        const verify::VerifyReport report = verified(file);
        QVERIFY(!report.passed());
        QVERIFY(!rowsOf(report).at(row.toStdString()).passed);
    }

    void dimensionsAreInferred_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("fileName");
        QTest::addColumn<int>("notes");
        for (const model::VariantInfo &info : model::variants()) {
            const QString id = QString::fromStdString(info.id);
            const bool hasWindow = info.sublayer(0).isWindowed;
            QTest::newRow(info.id.c_str()) << id << id + QStringLiteral("_wide.safetensors") << (hasWindow ? 2 : 1);
        }
        QTest::newRow("by trying") << QStringLiteral("hybrid_square") << QStringLiteral("unnamed.safetensors") << 2;
        QTest::newRow("kda by trying") << QStringLiteral("hybrid_square_kda") << QStringLiteral("x.safetensors") << 1;
    }
    void dimensionsAreInferred()
    {
        QFETCH(QString, variant);
        QFETCH(QString, fileName);
        QFETCH(int, notes);
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / fileName.toStdString();
        run::writeSafetensors(file, ownFixture(variant.toStdString()));
        const verify::VerifyReport report = verified(file);
        QVERIFY2(report.passed(), failuresOf(report).constData());
        QCOMPARE(std::ssize(report.notes), notes);
        QVERIFY(report.notes.front().find(variant.toStdString()) != std::string::npos);
    }

    void whatIsNoFixtureIsRefused_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QStringLiteral("README.md") << QByteArray("# Numeric fixtures\n");
        QTest::newRow("empty") << QStringLiteral("a.safetensors") << QByteArray();
        QTest::newRow("other json") << QStringLiteral("a.json") << QByteArray("{\"a\": 1}");
        QTest::newRow("json array") << QStringLiteral("a.json") << QByteArray("[1, 2]");
        QTest::newRow("broken json") << QStringLiteral("a.json") << QByteArray("{\"learning_rate\": ");
        QTest::newRow("strange tables") << QStringLiteral("a.json") << QByteArray("{\"learning_rate\": [1]}");
    }
    void whatIsNoFixtureIsRefused()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / name.toStdString();
        std::ofstream(file, std::ios::binary) << content.toStdString();
        try {
            verified(file);
            QFAIL("accepted");
        } catch (const Error &error) {
            QVERIFY(error.sentence().find(name.toStdString()) != std::string::npos);
            QVERIFY(error.sentence().size() < 400);
        }
    }

    void tensorsWithoutMeaningAreRefused()
    {
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "any.safetensors";
        run::SafetensorsFile content;
        content.tensors.push_back(stored("x", helpers::normal({2, 3}, 1)));
        run::writeSafetensors(file, content);
        QVERIFY_THROWS_EXCEPTION(Error, verified(file));
        QVERIFY_THROWS_EXCEPTION(Error, verified(kFixtures / "missing.safetensors"));
    }

    void missingNeighbourIsNamed()
    {
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "optimizer.safetensors";
        fs::copy_file(kFixtures / "optimizer.safetensors", file);
        try {
            verified(file);
            QFAIL("accepted");
        } catch (const Error &error) {
            QVERIFY(error.sentence().find("hybrid_square.safetensors") != std::string::npos);
        }
    }

    void weightsOfAnotherShapeAreRefused()
    {
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "rope.safetensors";
        run::SafetensorsFile content = run::readSafetensors(kFixtures / "rope.safetensors");
        for (run::StoredTensor &one : content.tensors) {
            if (one.name == "layers.2.Wo.weight")
                one = stored(one.name, helpers::normal({32, 16}, 1, at::kFloat));
        }
        run::writeSafetensors(file, content);
        try {
            verified(file);
            QFAIL("accepted");
        } catch (const Error &error) {
            QVERIFY(error.details().find("layers.2.Wo.weight") != std::string::npos);
        }
    }

    void cancelledVerificationSaysSo()
    {
        std::stop_source source;
        source.request_stop();
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, verify::verifyFixture(kFixtures / "rope.safetensors", kOneThread, {}, source.get_token()));
    }
};

QTEST_GUILESS_MAIN(TestVerify)
#include "test_verify_torch.moc"
