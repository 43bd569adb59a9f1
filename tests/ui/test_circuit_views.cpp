// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Heads by context, patching, and what is shown of the example on the circuit page.
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "tests/ui/circuit_bench.h"
#include "ui/charts/share_bars.h"
#include "ui/dialogs/patch_dialog.h"
#include "ui/figures/figure.h"
#include "ui/heatmap/map_thumbnail.h"
#include "ui/models/context_words.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_timeline.h"

using namespace Qt::StringLiterals;
using namespace lookback;
using namespace lookback::ui;
using circuit::HeadId;
using circuit::HeadMeasure;
using lookback::tests::CircuitBench;

namespace {

QStringList labelsOf(const LineChart *chart)
{
    QStringList labels;
    for (const ChartCurve &curve : chart->curves())
        labels << curve.label;
    return labels;
}

} // namespace

class TestCircuitViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lengthsCostAboutTheSame()
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (const circuit::HeadRequest &length : contextLengths(8, 256, 1000))
            found.emplace_back(length.n_keys, length.sequences);
        QCOMPARE(found, (decltype(found){{8, 256}, {16, 128}, {32, 64}, {64, 32}, {128, 16}, {256, 8}}));
        found.clear();
        for (const circuit::HeadRequest &length : contextLengths(4, 64, 100))
            found.emplace_back(length.n_keys, length.sequences);
        QCOMPARE(found, (decltype(found){{4, 64}, {8, 64}, {16, 32}, {32, 16}, {64, 8}}));
    }

    void headsByContext()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QToolButton>("contextTab"_L1), Qt::LeftButton);
        ContextPanel *context = bench.page.context();
        QCOMPARE(bench.count("circuit context"), 0); // long: on request
        auto *ask = bench.find<QPushButton>("measureContext"_L1);
        QCOMPARE(ask->text(), u"Measure the heads at n = 8 to 256"_s);
        QTest::mouseClick(ask, Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Context));
        QVERIFY(context->chart()->isVisible());
        QCOMPARE(labelsOf(context->chart()).size(), 8);
        QVERIFY(labelsOf(context->chart()).contains(u"L7 H2"_s));
        QCOMPARE(context->chart()->data(u"L7 H2"_s)->points().size(), std::size_t(6));
        QCOMPARE(context->chart()->data(u"L7 H2"_s)->intervals().size(), std::size_t(6));
        // What the head loses, and to what.
        const QString reading = bench.find<QLabel>("contextReading"_L1)->text();
        QVERIFY2(reading.contains(u"down to"_s) && reading.contains(u"other values"_s), qPrintable(reading));
        QVERIFY(context->summary().contains(u"loses most weight in L7 H2"_s));
        QCOMPARE(context->bars()->columns().size(), std::size_t(6));
        for (const ShareBars::Column &column : context->bars()->columns()) {
            double sum = 0.0;
            for (const double share : column.shares)
                sum += share;
            QVERIFY(std::abs(sum - 1.0) < 1e-9);
        }
        // What is exported, and its numbers: every measure of every head at every length.
        auto *menu = bench.find<QMenu>("exportMenu"_L1);
        menu->actions().last()->trigger();
        QCOMPARE(bench.page.figure()->fileName(), u"hybrid_square_step800_source_weight_by_n"_s);
        QCOMPARE(bench.page.figure()->csv().count(u"\r\n"_s), 6 * 32 + 1);
        QTest::mouseClick(bench.find<QToolButton>("numbers"_L1), Qt::LeftButton);
        auto *numbers = bench.find<QTableView>("numbersTable"_L1);
        QCOMPARE(numbers->model()->rowCount(), 6 * 32);
        numbers->window()->close();

        QTest::keyClick(context->bars(), Qt::Key_Right);
        QVERIFY(context->bars()->spokenValue().contains(u" 16: source "_s));

        bench.page.setChosen({{1, 1}, {0, 0}});
        QTest::mouseClick(bench.find<QToolButton>("contextChosenOnly"_L1), Qt::LeftButton);
        QCOMPARE(labelsOf(context->chart()), QStringList({u"L1 H1"_s, u"L0 H0"_s}));
        QVERIFY(bench.find<QLabel>("contextReading"_L1)->text().contains(u"never the source"_s)); // a window
        context->setMeasure(HeadMeasure::MeanDistance);
        QVERIFY(!context->chart()->grab().isNull());
        const QVariantMap state = bench.page.viewState();
        CircuitBench other;
        other.page.restoreViewState(state);
        QCOMPARE(other.page.context()->measure(), HeadMeasure::MeanDistance);
        QVERIFY(other.page.context()->isChosenOnly());

        // Kept for this checkpoint; another one has none yet.
        bench.page.setStep(300);
        QTRY_VERIFY(bench.isMeasured());
        QVERIFY(!bench.page.loader().byContext());
        QVERIFY(ask->isVisible());
        bench.page.setStep(800);
        QVERIFY(bench.page.loader().isCurrent(CircuitPart::Context));
        QCOMPARE(bench.count("circuit context"), 1);
    }

    void lengthsThatAreMissingAreAskedFor()
    {
        CircuitBench bench;
        ContextPanel *panel = bench.page.context();
        auto heads = std::make_shared<circuit::ContextHeads>();
        const RunConfig config = tests::FakeRunService::smallConfig("hybrid_square");
        const std::vector<circuit::HeadRequest> lengths = contextLengths(8, 64, 100);
        heads->tables = {tests::FakeRunService::scriptedHeads(config, 100, lengths.front())};
        auto *rest = bench.find<QPushButton>("measureContextRest"_L1);
        panel->setHeads(heads, lengths, true, {});
        QVERIFY(rest->isHidden()); // they come
        panel->setHeads(heads, lengths, false, {}); // cancelled
        QVERIFY(!rest->isHidden());
        QSignalSpy asked(panel, &ContextPanel::asked);
        rest->click();
        QCOMPARE(asked.size(), 1);
        panel->setHeads(heads, lengths, false, u"The disk is full."_s);
        QCOMPARE(panel->summary(), u"The disk is full."_s);
    }

    void patching()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        bench.page.setChosen({{7, 2}, {7, 0}});
        QTest::mouseClick(bench.find<QPushButton>("patchHeads"_L1), Qt::LeftButton);
        auto *dialog = bench.find<PatchDialog>("patchDialog"_L1);
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(bench.count("circuit patch"), 0); // asked for when it is pressed
        auto *heads = dialog->findChild<QComboBox *>(u"patchHeadsOf"_s);
        QCOMPARE(heads->currentText(), u"2 heads together: L7 H2, L7 H0"_s);
        auto *button = dialog->findChild<QPushButton *>(u"patchButton"_s);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().patched());
        QCOMPARE(bench.page.loader().patched()->request.heads, (std::vector<HeadId>{{7, 2}, {7, 0}}));
        QCOMPARE(bench.page.loader().patched()->request.difference, circuit::PatchDifference::Key);
        const auto textOf = [&](const QString &name) { return dialog->findChild<QLabel *>(name)->text(); };
        QVERIFY2(textOf(u"patchHeadline"_s).contains(u"<b>82\u202F%</b> of the answer moves"_s),
                 qPrintable(textOf(u"patchHeadline"_s)));
        QVERIFY(textOf(u"patchInterval"_s).startsWith(u"95 % interval 79\u202F% to 85\u202F%, "_s));
        QTRY_VERIFY(button->isEnabled());
        QVERIFY(button->isDefault());
        for (const QPushButton *other : dialog->findChildren<QPushButton *>()) {
            if (other != button)
                QVERIFY2(!other->isDefault(), qPrintable(other->text()));
        }
        QVERIFY(dialog->height() >= dialog->layout()->totalHeightForWidth(dialog->width())); // nothing is squeezed
        auto *table = dialog->findChild<QTableWidget *>(u"patchTable"_s);
        QVERIFY(!table->isVisible());

        // Each head alone: a list, the largest first, from which heads are chosen.
        heads->setCurrentIndex(1);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(table->isVisible());
        QCOMPARE(table->rowCount(), 32);
        QCOMPARE(table->item(0, 0)->text(), u"L7 H2"_s);
        QCOMPARE(table->item(1, 0)->text(), u"L7 H0"_s);
        QVERIFY(table->item(5, 1)->toolTip().startsWith(u"Not distinguishable here"_s));
        table->selectRow(1);
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"patchChoose"_s), Qt::LeftButton);
        QCOMPARE(bench.page.chosen(), (std::vector<HeadId>{{7, 0}}));
        dialog->close();
        QTRY_VERIFY(!bench.find<PatchDialog>("patchDialog"_L1));

        // A head that moves nothing.
        bench.page.setChosen({{2, 2}});
        QTest::mouseClick(bench.find<QPushButton>("patchHeads"_L1), Qt::LeftButton);
        dialog = bench.find<PatchDialog>("patchDialog"_L1);
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"patchButton"_s), Qt::LeftButton);
        QTRY_VERIFY(textOf(u"patchInterval"_s).startsWith(u"Not distinguishable here: "_s));
    }

    void patchingIsCancelled()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QPushButton>("patchHeads"_L1), Qt::LeftButton);
        auto *dialog = bench.find<PatchDialog>("patchDialog"_L1);
        auto *button = dialog->findChild<QPushButton *>(u"patchButton"_s);
        bench.service.holdAnswers(true);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(bench.page.loader().isPending(CircuitPart::Patch));
        QVERIFY(!button->isEnabled());
        const run::JobId job = bench.service.newestHeldJob();
        dialog->reject();
        QCOMPARE(bench.count("cancel probe " + std::to_string(job)), 1);
        QVERIFY(!bench.page.loader().isPending(CircuitPart::Patch));
        bench.service.holdAnswers(false);
    }

    void mapOfTheExample()
    {
        CircuitBench bench;
        const run::RunId run = bench.addRun();
        QVERIFY(bench.open());
        auto *map = bench.find<MapThumbnail>("mapThumbnail"_L1);
        QVERIFY(map->isVisible());
        QCOMPARE(map->map()->layer, 7);
        QCOMPARE(bench.find<QLabel>("mapTitle"_L1)->text(), u"Map of L7 H2, step 800"_s);
        QVERIFY(bench.find<QLabel>("mapWords"_L1)->text().contains(u"Strongest key: 3 of 3"_s));
        QSignalSpy asked(&bench.page, &Page::exampleRequested);
        QTest::mouseClick(map, Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
        const auto target = asked.front().front().value<ExampleTarget>();
        QCOMPARE(target.run, run);
        QVERIFY((target.head == HeadId{7, 2}));
        // With nothing removed there is still what the model predicts.
        bench.page.setChosen({});
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Example));
        auto *table = bench.find<QTableWidget>("underTable"_L1);
        QVERIFY(table->isVisible());
        QVERIFY(table->height() < 4 * table->verticalHeader()->defaultSectionSize());
        QVERIFY(!map->isVisible());
        // A map of thousands of tokens is not drawn here.
        bench.page.setChosen({{7, 2}});
        bench.page.setKeys(128);
        QTRY_VERIFY(bench.isMeasured());
        QVERIFY(!map->isVisible());
        QVERIFY(bench.find<QLabel>("mapWords"_L1)->text().contains(u"up to 64 keys"_s));
    }

    void everythingFollowsWhatIsPlayed()
    {
        CircuitBench bench;
        bench.addRun();
        QVERIFY(bench.open());
        QTest::mouseClick(bench.find<QPushButton>("followHeads"_L1), Qt::LeftButton);
        QTRY_VERIFY(bench.page.loader().isCurrent(CircuitPart::Timeline));
        bench.page.setStep(600);
        QTRY_VERIFY(bench.isMeasured());
        std::vector<std::int64_t> heads;
        std::vector<std::int64_t> examples;
        connect(&bench.page.loader(), &CircuitLoader::changed, &bench.page, [&](CircuitPart part) {
            if (!bench.page.timeline()->isPlaying())
                return;
            if (part == CircuitPart::Heads)
                heads.push_back(bench.page.loader().heads()->step);
            if (part == CircuitPart::Map && bench.page.loader().isCurrent(CircuitPart::Example))
                examples.push_back(bench.page.loader().example()->before.key.step);
        });
        QTest::mouseClick(bench.find<QToolButton>("play"_L1), Qt::LeftButton);
        // Removals are not measured on the way: the grid has a measure that is.
        QCOMPARE(bench.find<QLabel>("gridTitle"_L1)->text(), u"Weight on the source"_s);
        QTRY_VERIFY(!bench.page.timeline()->isPlaying());
        QCOMPARE(bench.find<QLabel>("gridTitle"_L1)->text(), u"Every head removed alone"_s);
        QVERIFY(std::ranges::find(heads, 700) != heads.end());
        QVERIFY(std::ranges::find(examples, 700) != examples.end());
        QTRY_VERIFY(bench.isMeasured());
    }
};

QTEST_MAIN(TestCircuitViews)
#include "test_circuit_views.moc"
