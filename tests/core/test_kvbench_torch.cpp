// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <filesystem>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "core/run/checkpoint_torch.h"
#include "core/verify/fixture_torch.h"

using namespace lookback;

namespace {

const std::filesystem::path kTests = LOOKBACK_TEST_SOURCE_DIR;

} // namespace

/// A kvbench folder gives the logits that its weights gave in Python.
class TestKvbenchLogits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void logitsAreThoseOfThePythonModel_data()
    {
        QTest::addColumn<QString>("variant");
        QTest::newRow("hybrid_square") << "hybrid_square";
        QTest::newRow("hybrid_square_kda") << "hybrid_square_kda";
    }
    void logitsAreThoseOfThePythonModel()
    {
        QFETCH(QString, variant);
        const std::string name = variant.toStdString();
        const verify::Fixture fixture(kTests / "fixtures" / (name + ".safetensors"));
        const run::RunFolder folder = run::RunFolder::open(kTests / "formats" / "kvbench" / name);
        const run::LoadedModel loaded = run::loadModel(folder, -1, at::kCPU);
        const at::NoGradGuard noGrad;
        const at::Tensor tokens = fixture.at("tokens");
        const at::Tensor expected = fixture.at("logits").to(at::kFloat);
        const at::Tensor logits = loaded.model.forward(tokens.slice(1, 0, expected.size(1)).to(at::kLong));
        QCOMPARE(logits.sizes(), expected.sizes());
        const double worst = (logits - expected).abs().max().item<double>();
        QVERIFY2(worst < 1e-5, std::to_string(worst).c_str());
        QVERIFY(expected.abs().max().item<double>() > 0.1);
    }
};

QTEST_GUILESS_MAIN(TestKvbenchLogits)
#include "test_kvbench_torch.moc"
