// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "tests/patience.h"
#include "tests/ui/window_session.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/variance_dialog.h"
#include "ui/figures/variance_figure.h"
#include "ui/models/csv_model.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;
using tests::WindowSession;

namespace {

VarianceFigureInput inputOf(analysis::VarianceSampling sampling, std::vector<double> powers = {1.0, 2.0, 3.0})
{
    VarianceFigureInput input;
    input.request = {
        .sampling = sampling, .n_keys = {2, 10, 100, 1000}, .powers = std::move(powers), .samples = 50, .threads = 2};
    input.points = analysis::attendedVariance(input.request);
    return input;
}

} // namespace

/// The figure of the variance, and the dialog that computes it. Its numbers are those of core, which test_variance and
/// test_verify_variance_torch compare with closed forms and with tests/fixtures/variance.json.
class TestVarianceFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAreThoseOfCore()
    {
        const VarianceFigureInput input = inputOf(analysis::VarianceSampling::GaussianLogits);
        const auto records = parseCsv(makeVarianceFigure(input)->csv());
        QCOMPARE(records.size(), 1 + input.points.size());
        QCOMPARE(records[0].join(u','),
                 u"sampling,power,n_keys,samples,variance,standard_error,drawn_variance,drawn_standard_error"_s);
        for (std::size_t i = 0; i < input.points.size(); ++i) {
            const QStringList &fields = records[i + 1];
            const analysis::VariancePoint &point = input.points[i];
            QCOMPARE(fields[0], u"gaussian"_s);
            QCOMPARE(fields[1].toDouble(), point.power);
            QCOMPARE(fields[2].toLongLong(), point.n_keys);
            QCOMPARE(fields[4].toDouble(), point.variance.value);
            QCOMPARE(fields[5].toDouble(), point.variance.standardError);
            QCOMPARE(fields[6].toDouble(), point.sampled.value);
        }
        QVERIFY(makeVarianceFigure(input)->npy().contains(
            "('sampling', '<U8'), ('power', '<f8'), ('n_keys', '<i8'), ('samples', '<i8'), ('variance', '<f8')"));
    }

    void headsHaveNoDrawnVariance()
    {
        const auto records = parseCsv(makeVarianceFigure(inputOf(analysis::VarianceSampling::UnitHeads))->csv());
        QCOMPARE(records[1][0], u"unit"_s);
        QVERIFY(records[1][6].isEmpty() && records[1][7].isEmpty());
    }

    void namesTheCommandThatMakesIt()
    {
        const auto figure = makeVarianceFigure(inputOf(analysis::VarianceSampling::DefaultHeads, {0.5, 1.5}));
        QVERIFY2(figure->provenance().contains(u"lookback-cli figure variance --sampling default --powers 0.5,1.5 "
                                               "--lengths 2,10,100,1000 --samples 50 --seed 0"_s),
                 qPrintable(figure->provenance().join(u'\n')));
        QCOMPARE(figure->fileName(), u"variance_default"_s);
    }

    void drawsEverySizeAndTheme()
    {
        for (const auto sampling : {analysis::VarianceSampling::GaussianLogits, analysis::VarianceSampling::UnitHeads,
                                    analysis::VarianceSampling::DefaultHeads}) {
            const auto figure = makeVarianceFigure(inputOf(sampling));
            for (const QSize &size : {QSize(1600, 1000), QSize(400, 240), QSize(200, 800)}) {
                for (const bool isDark : {false, true}) {
                    ExportOptions options = ExportOptions::ofPixels(size, 200);
                    options.isDark = isDark;
                    QVERIFY(!renderFigure(*figure, options).isNull());
                }
            }
        }
        // One length, one power; more powers than hues.
        VarianceFigureInput one = inputOf(analysis::VarianceSampling::GaussianLogits, {2.0});
        one.points.resize(1);
        QVERIFY(!renderFigure(*makeVarianceFigure(one), {}).isNull());
        QVERIFY(!renderFigure(*makeVarianceFigure(inputOf(analysis::VarianceSampling::GaussianLogits,
                                                          {0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4})),
                              {})
                     .isNull());
    }

    void lengths()
    {
        using Lengths = std::vector<std::int64_t>;
        QCOMPARE(varianceLengths(2), Lengths{2});
        QCOMPARE(varianceLengths(100), (Lengths{2, 5, 10, 20, 50, 100}));
        QCOMPARE(varianceLengths(30), (Lengths{2, 5, 10, 20, 30}));
    }

    void dialogComputes()
    {
        VarianceDialog dialog(2, nullptr);
        auto *export_ = dialog.findChild<QPushButton *>(u"measuredExport"_s);
        QVERIFY(!dialog.figure() && !export_->isEnabled());
        dialog.findChild<QSpinBox *>(u"varianceLongest"_s)->setValue(100);
        dialog.findChild<QSpinBox *>(u"varianceSamples"_s)->setValue(50);
        dialog.findChild<QLineEdit *>(u"variancePowers"_s)->setText(u"1; 2.5"_s);
        dialog.show();
        QTest::mouseClick(dialog.findChild<QPushButton *>(u"measuredCompute"_s), Qt::LeftButton);
        QVERIFY(dialog.isBusy());
        QTRY_VERIFY(!dialog.isBusy());
        QVERIFY(dialog.figure() && export_->isEnabled());
        VarianceFigureInput input;
        input.request = {.n_keys = {2, 5, 10, 20, 50, 100}, .powers = {1.0, 2.5}, .samples = 50};
        input.points = analysis::attendedVariance(input.request);
        QCOMPARE(dialog.figure()->csv(), makeVarianceFigure(input)->csv());
    }

    void dialogCanBeCancelled()
    {
        VarianceDialog dialog(1, nullptr);
        dialog.findChild<QSpinBox *>(u"varianceLongest"_s)->setValue(1'000'000);
        dialog.show();
        dialog.compute();
        auto *cancel = dialog.findChild<QPushButton *>(u"measuredCancel"_s);
        QVERIFY(dialog.isBusy() && cancel->isEnabled());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!dialog.isBusy() && !dialog.figure());
        dialog.compute(); // another one in its place, and closed over it
        dialog.compute();
        QVERIFY(dialog.isBusy());
        dialog.close();
        QVERIFY(!dialog.isBusy());
    }

    void dialogRefusesPowers_data()
    {
        QTest::addColumn<QString>("powers");
        QTest::newRow("none") << u""_s;
        QTest::newRow("too small") << u"0.4"_s;
        QTest::newRow("too large") << u"1, 4.5"_s;
        QTest::newRow("a word") << u"two"_s;
        QTest::newRow("not a number") << u"nan"_s;
    }
    void dialogRefusesPowers()
    {
        QFETCH(QString, powers);
        VarianceDialog dialog(1, nullptr);
        dialog.findChild<QLineEdit *>(u"variancePowers"_s)->setText(powers);
        QVERIFY(!dialog.request());
        const auto *compute = dialog.findChild<QPushButton *>(u"measuredCompute"_s);
        QVERIFY(!compute->isEnabled());
        QVERIFY(compute->toolTip().contains("0.5 to 4"_L1));
        dialog.findChild<QLineEdit *>(u"variancePowers"_s)->setText(u"0.5,4"_s);
        QVERIFY(compute->isEnabled());
    }

    void samplesFollowTheDraws()
    {
        VarianceDialog dialog(1, nullptr);
        auto *draws = dialog.findChild<QComboBox *>(u"varianceSampling"_s);
        auto *samples = dialog.findChild<QSpinBox *>(u"varianceSamples"_s);
        QCOMPARE(samples->value(), 10'000);
        draws->setCurrentIndex(1);
        QCOMPARE(samples->value(), 2'048);
        samples->setValue(500);
        draws->setCurrentIndex(0);
        QCOMPARE(samples->value(), 500);
    }

    void theWindowShowsIt()
    {
        QTemporaryDir folder;
        WindowSession session(folder.filePath(u"settings.ini"_s));
        session.open();
        session.action(ActionId::VarianceFigure)->trigger();
        auto *dialog = session.window->findChild<VarianceDialog *>();
        QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
        QVERIFY(dialog->isBusy());
        dialog->cancel();
        dialog->findChild<QSpinBox *>(u"varianceLongest"_s)->setValue(10);
        dialog->compute();
        QTRY_VERIFY(dialog->figure());
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"measuredExport"_s), Qt::LeftButton);
        const auto *asked = dialog->findChild<ExportDialog *>();
        QVERIFY(asked && asked->isVisible());
        QVERIFY(asked->windowTitle().contains("Variance"_L1));
        // Asked for again it is the same one, with its chart.
        dialog->close();
        session.action(ActionId::VarianceFigure)->trigger();
        QCOMPARE(session.window->findChildren<VarianceDialog *>().size(), 1);
        QVERIFY(dialog->isVisible() && dialog->figure() && !dialog->isBusy());
    }
};

QTEST_MAIN(TestVarianceFigure)
#include "test_variance_figure.moc"
