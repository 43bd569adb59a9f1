// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Two maps beside each other and their difference.
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

#include "core/analysis/attention_comparison.h"
#include "tests/ui/attention_desk.h"
#include "ui/figures/figure.h"
#include "ui/pages/attention_compare.h"
#include "ui/pages/attention_compare_heads.h"
#include "ui/pages/attention_compare_menu.h"
#include "ui/pages/attention_compare_panel.h"

using namespace lookback;
using namespace lookback::ui;
using namespace Qt::StringLiterals;

using tests::AttentionDesk;
using tests::FakeRunService;
using tests::find;
using What = CompareChoice::What;
using Pane = ComparePanes::Pane;

namespace {

/// Two runs of the same task; the first is on view, without the words that say what to press.
struct CompareDesk : AttentionDesk {
    explicit CompareDesk(const RunConfig &other = FakeRunService::smallConfig("hybrid"))
    {
        left = service.addRun(FakeRunService::smallConfig("hybrid_square"), run::RunState::Finished, 400);
        right = service.addRun(other, run::RunState::Finished, 400);
        page.show();
    }
    /// The left run is on view.
    void begin()
    {
        QTRY_VERIFY(collection.find(left) && collection.find(right));
        page.setRun(left);
        QTRY_VERIFY(page.isUpToDate());
    }
    void compare(const CompareChoice &choice)
    {
        begin();
        page.comparison()->start(choice);
        QTRY_VERIFY(page.isUpToDate());
    }
    AttentionComparison &comparison() { return *page.comparison(); }
    HeadMapView *view(Pane pane) { return page.panes()->view(pane); }
    ComparePanel *panel() { return find<ComparePanel>(page, "comparePanel"_L1); }

    run::RunId left;
    run::RunId right;
};

RunConfig otherTask()
{
    RunConfig config = FakeRunService::smallConfig("hybrid");
    config.value_digits += 1;
    return config;
}

/// All three panes show the same part.
bool areInStep(CompareDesk &desk)
{
    const HeadMapView *left = desk.view(Pane::Left);
    for (const Pane pane : {Pane::Right, Pane::Difference}) {
        const HeadMapView *other = desk.view(pane);
        if (other->cellPixels() != left->cellPixels() || other->visibleCells() != left->visibleCells()
            || other->cell() != left->cell()
            || other->verticalScrollBar()->value() != left->verticalScrollBar()->value()
            || other->horizontalScrollBar()->value() != left->horizontalScrollBar()->value())
            return false;
    }
    return true;
}

} // namespace

class TestAttentionCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QApplication::setStyle(u"fusion"_s); }

    // The numbers of all three maps, cell by cell.
    void differenceIsRightLessLeft()
    {
        CompareDesk desk;
        QVERIFY(!desk.view(Pane::Right)->isVisible());
        desk.compare({.what = What::Run, .run = desk.right});
        desk.page.chooseHead({1, 1});
        QTRY_VERIFY(desk.page.isUpToDate());
        const analysis::HeadMap &left = desk.view(Pane::Left)->values()->map();
        const analysis::HeadMap &right = desk.view(Pane::Right)->values()->map();
        const analysis::HeadMap &difference = desk.view(Pane::Difference)->values()->map();
        QCOMPARE((HeadChoice{left.layer, left.head}), (HeadChoice{1, 1}));
        QCOMPARE((HeadChoice{right.layer, right.head}), (HeadChoice{1, 1})); // the same unless another is chosen
        QVERIFY(difference == analysis::differenceOf(left, right));
        QCOMPARE(desk.view(Pane::Difference)->colours().scale(), ColourScale::sharedSigned());
        QVERIFY(isDiverging(desk.view(Pane::Difference)->colours().map()));
        QVERIFY(desk.page.panes()->words(Pane::Left).contains(u"hybrid_square"_s));
        QVERIFY(desk.page.panes()->words(Pane::Right).contains(u"head\u00a01:1"_s));
        QVERIFY2(desk.page.sentence().contains(u" left, "_s) && desk.page.sentence().contains(u" right, "_s),
                 qPrintable(desk.page.sentence()));
        QVERIFY(!find<QWidget>(desk.page, "predictionPanel"_L1)->isVisible()); // the panel reads both sides
    }

    void headsOfBothSidesAreChosenApart()
    {
        CompareDesk desk;
        desk.compare({.what = What::Run, .run = desk.right});
        auto *head = find<QComboBox>(desk.page, "rightHead"_L1);
        auto *layer = find<QComboBox>(desk.page, "rightLayer"_L1);
        desk.page.chooseHead({1, 0});
        QTRY_VERIFY(desk.page.isUpToDate());
        head->setCurrentIndex(3);
        Q_EMIT head->activated(3);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.comparison().choice()->head, (HeadChoice{1, 2}));
        QCOMPARE(layer->currentIndex(), 2);
        QCOMPARE(desk.view(Pane::Right)->values()->map().head, 2);
        desk.page.chooseHead({0, 1}); // the right one stays
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.view(Pane::Left)->values()->map().layer, 0);
        QCOMPARE(desk.view(Pane::Right)->values()->map().layer, 1);
        layer->setCurrentIndex(0);
        Q_EMIT layer->activated(0);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.comparison().choice()->head, std::nullopt);
        QCOMPARE(desk.view(Pane::Right)->values()->map().layer, 0);
        QCOMPARE(desk.view(Pane::Right)->values()->map().head, 1);
    }

    void panesStayInStep()
    {
        CompareDesk desk;
        desk.page.setKeys(12);
        desk.compare({.what = What::Run, .run = desk.right});
        QVERIFY(areInStep(desk));
        for (const Pane pane : {Pane::Left, Pane::Right, Pane::Difference}) {
            HeadMapView *view = desk.view(pane);
            view->setCellPixels(9.0 + static_cast<int>(pane), {60, 60});
            QVERIFY(areInStep(desk));
            QCOMPARE(view->cellPixels(), 9.0 + static_cast<int>(pane));
            view->verticalScrollBar()->setValue(40 + pane);
            view->horizontalScrollBar()->setValue(30 + pane);
            QVERIFY(areInStep(desk));
            QTest::keyClick(view, Qt::Key_Down);
            QVERIFY(areInStep(desk));
            QTest::keyClick(view, Qt::Key_J);
            QVERIFY(areInStep(desk));
            QCOMPARE(view->cell(), desk.page.view()->cell());
            QTest::keyClick(view, Qt::Key_Return);
            QVERIFY(desk.view(Pane::Left)->isPinned() && desk.view(Pane::Difference)->isPinned());
            QTest::keyClick(view, Qt::Key_Return);
            QTest::keyClick(view, Qt::Key_0);
            QVERIFY(areInStep(desk));
        }
        desk.page.resize(1300, 760);
        QTRY_VERIFY(areInStep(desk));
    }

    // What the bar says about pixels follows the zoom.
    void barsFollowTheZoom()
    {
        CompareDesk desk;
        desk.page.setKeys(40);
        desk.compare({.what = What::Run, .run = desk.right});
        auto *bar = find<ColourBar>(desk.page, "differenceBar"_L1);
        desk.view(Pane::Right)->setFit(HeadMapView::Fit::Whole);
        QVERIFY2(bar->spokenValue().contains(u"the largest magnitude"_s), qPrintable(bar->spokenValue()));
        desk.view(Pane::Right)->setCellPixels(8.0, {60, 60});
        QVERIFY2(!bar->spokenValue().contains(u"the largest magnitude"_s), qPrintable(bar->spokenValue()));
    }

    void narrowPanesAreTabs()
    {
        CompareDesk desk;
        desk.page.setKeys(12);
        desk.compare({.what = What::Run, .run = desk.right});
        QVERIFY(!desk.page.panes()->hasTabs());
        desk.page.resize(760, 560);
        QTRY_VERIFY(desk.page.panes()->hasTabs());
        QVERIFY(desk.view(Pane::Left)->isVisible() && !desk.view(Pane::Difference)->isVisible());
        desk.view(Pane::Left)->setCellPixels(11.0, {60, 60});
        QTest::mouseClick(find<QToolButton>(desk.page, "differenceTab"_L1), Qt::LeftButton);
        QVERIFY(desk.view(Pane::Difference)->isVisible() && !desk.view(Pane::Left)->isVisible());
        QTRY_COMPARE(desk.view(Pane::Difference)->cellPixels(), 11.0);
        QCOMPARE(desk.view(Pane::Difference)->verticalScrollBar()->value(),
                 desk.view(Pane::Left)->verticalScrollBar()->value());
        desk.page.resize(1440, 800);
        QTRY_VERIFY(!desk.page.panes()->hasTabs());
        QVERIFY(desk.view(Pane::Left)->isVisible());
        QTRY_VERIFY(areInStep(desk));
    }

    // What one side hides counts there as 0; the page says where that is.
    void masksOfBothSides()
    {
        CompareDesk desk;
        desk.page.setKeys(4);
        desk.compare({.what = What::Run, .run = desk.right, .head = HeadChoice{1, 0}});
        desk.page.chooseHead({0, 0}); // windowed, beside one that sees all
        QTRY_VERIFY(desk.page.isUpToDate());
        const analysis::HeadMap &left = desk.view(Pane::Left)->values()->map();
        const analysis::HeadMap &difference = desk.view(Pane::Difference)->values()->map();
        QVERIFY(left.window > 0);
        QCOMPARE(difference.window, 0);
        const std::int64_t query = left.queries - 1;
        QVERIFY(!left.isVisible(query, 0) && difference.isVisible(query, 0));
        QCOMPARE(difference.at(query, 0), desk.view(Pane::Right)->values()->map().at(query, 0));
        QVERIFY2(desk.panel()->notes().startsWith(u"The left head sees"_s), qPrintable(desk.panel()->notes()));
        QCOMPARE(desk.view(Pane::Difference)->lines().window, left.window); // one side is alone beyond it
        const QString read = desk.comparison().sentence({query, 0});
        QVERIFY2(read.contains(u"not visible left (window of "_s), qPrintable(read));
        QVERIFY(desk.comparison().sentence({3, 4}).contains(u"both sides hide it"_s));
    }

    void kindsThatHaveNoDifference()
    {
        CompareDesk desk(FakeRunService::smallConfig("hybrid_square_kda"));
        desk.compare({.what = What::Run, .run = desk.right});
        desk.page.chooseHead({0, 0});
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY(desk.view(Pane::Right)->values()->isSigned());
        QVERIFY(isDiverging(desk.view(Pane::Right)->colours().map()));
        QVERIFY(desk.page.panes()->sentence(Pane::Right).isEmpty());
        QVERIFY(desk.page.panes()->sentence(Pane::Difference).contains(u"different quantities"_s));
        desk.page.chooseHead({1, 0});
        QTRY_VERIFY(desk.comparison().difference());
        QVERIFY(desk.page.panes()->sentence(Pane::Difference).isEmpty());
    }

    void refusals()
    {
        CompareDesk desk(otherTask());
        desk.compare({.what = What::Run, .run = desk.right});
        QVERIFY2(desk.page.panes()->sentence(Pane::Right).startsWith(u"These runs read different sequences: "_s),
                 qPrintable(desk.page.panes()->sentence(Pane::Right)));
        QVERIFY(!desk.comparison().difference());
        desk.compare({.what = What::Run, .run = "/runs/none"});
        QVERIFY(desk.comparison().refusal().contains(u"not in the list"_s));
        desk.compare({.what = What::Checkpoint, .step = 123456});
        QVERIFY(desk.comparison().refusal().contains(u"no checkpoint of step 123"_s));
        desk.compare({.what = What::Heads, .intervention = {.heads = {{0, 0}}}, .head = HeadChoice{9, 9}});
        QVERIFY(desk.page.panes()->sentence(Pane::Right).contains(u"no head 9:9"_s));
        desk.compare({.what = What::Heads, .intervention = {.heads = {{0, 0}}}});
        QVERIFY(desk.page.panes()->sentence(Pane::Right).isEmpty());
        QVERIFY(desk.comparison().difference());
    }

    void bothPredictionsAreRead()
    {
        CompareDesk desk;
        desk.page.setKeys(6);
        desk.compare({.what = What::Heads, .intervention = {.heads = {{1, 1}}, .removal = circuit::Removal::Mean}});
        desk.page.chooseAnswer(2, 0);
        const analysis::Example &left = *desk.comparison().leftExample();
        const analysis::Example &right = *desk.comparison().rightExample();
        QCOMPARE(right.key.intervention.heads, (std::vector<HeadChoice>{{1, 1}}));
        QCOMPARE(right.key.pane, analysis::Pane::Second);
        QVERIFY(left.answers != right.answers);
        const QString text = desk.panel()->answerText();
        for (const analysis::Example *side : {&left, &right}) {
            const analysis::Answer &answer = side->answers.at(2);
            const QString name = side == &left ? u"Left"_s : u"Right"_s;
            const float truth = answer.probabilities[0][static_cast<std::size_t>(answer.truth[0])];
            const QString first = u"%1 predicts %2 (truth %3)"_s.arg(name)
                                      .arg(answer.predicted[0])
                                      .arg(static_cast<double>(truth), 0, 'f', 3);
            QVERIFY2(text.contains(first), qPrintable(text + u" | "_s + first));
        }
        QVERIFY(desk.page.panes()->words(Pane::Right).contains(u"without 1:1 (mean)"_s));
        desk.page.chooseHead({1, 1});
        QTRY_VERIFY(desk.page.isUpToDate());
        QVERIFY2(desk.panel()->notes().startsWith(u"Head 1:1 is removed: its pattern is shown"_s),
                 qPrintable(desk.panel()->notes()));
    }

    // The menu offers what there is and says what it cannot offer.
    void menuChoosesTheRightSide()
    {
        CompareDesk desk;
        desk.begin();
        desk.page.takeCircuitHeads({.heads = {{1, 2}, {0, 3}}});
        auto *menu = find<CompareMenu>(desk.page, "compareMenu"_L1);
        Q_EMIT menu->aboutToShow();
        const auto submenu = [menu](int index) { return menu->actions().at(index)->menu(); };
        QCOMPARE(menu->actions().size(), 3); // no end before there is a comparison
        QCOMPARE(submenu(0)->actions().size(), 1); // not itself
        submenu(0)->actions().front()->trigger();
        QCOMPARE(desk.comparison().choice()->run, desk.right);
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().last()->text(), u"End the comparison"_s);
        const QList<QAction *> heads = submenu(2)->actions();
        QVERIFY(heads.at(1)->text().contains(u"1:2, 0:3"_s));
        heads.at(1)->trigger();
        QCOMPARE(desk.comparison().choice()->intervention.heads, (std::vector<HeadChoice>{{1, 2}, {0, 3}}));
        Q_EMIT menu->aboutToShow();
        submenu(1)->actions().front()->trigger();
        QCOMPARE(desk.comparison().choice()->what, What::Checkpoint);
        QVERIFY(desk.comparison().choice()->step < 400); // the one on view is not offered
        Q_EMIT menu->aboutToShow();
        menu->actions().last()->trigger();
        QVERIFY(!desk.comparison().isOn());
    }

    void headsAreTicked()
    {
        ChooseHeadsDialog dialog(2, 4, {.heads = {{1, 2}}, .removal = circuit::Removal::Mean});
        QCOMPARE(dialog.intervention(), (circuit::Intervention{{{1, 2}}, circuit::Removal::Mean}));
        find<QToolButton>(dialog, "head0_3"_L1)->click();
        find<QComboBox>(dialog, "removal"_L1)->setCurrentIndex(2);
        QCOMPARE(dialog.intervention(), (circuit::Intervention{{{0, 3}, {1, 2}}, circuit::Removal::Uniform}));
    }

    void escapeLeaves()
    {
        CompareDesk desk;
        desk.compare({.what = What::Run, .run = desk.right});
        const QSize before = desk.page.view()->size();
        QTest::keyClick(desk.view(Pane::Difference), Qt::Key_Escape);
        QVERIFY(!desk.comparison().isOn());
        QVERIFY(!desk.view(Pane::Right)->isVisible());
        QTRY_VERIFY(desk.page.view()->width() > before.width());
        QVERIFY(desk.page.sentence().contains(u"It puts"_s));
        QVERIFY(desk.page.isUpToDate());
        QVERIFY(find<QWidget>(desk.page, "predictionPanel"_L1)->isVisible());
    }

    void stateIsRestored_data()
    {
        QTest::addColumn<int>("what");
        for (const What what : {What::Run, What::Checkpoint, What::Heads})
            QTest::addRow("%d", static_cast<int>(what)) << static_cast<int>(what);
    }
    void stateIsRestored()
    {
        QFETCH(int, what);
        CompareDesk desk;
        const CompareChoice choice{
            .what = static_cast<What>(what),
            .run = what == 0 ? desk.right : run::RunId(),
            .step = what == 1 ? 0 : -1,
            .intervention = what == 2
                ? circuit::Intervention{.heads = {{0, 1}, {1, 3}}, .removal = circuit::Removal::Uniform}
                : circuit::Intervention(),
            .head = what == 0 ? std::optional(HeadChoice{1, 1}) : std::nullopt};
        desk.compare(choice);
        const QVariantMap state = desk.page.viewState();
        CompareDesk next;
        next.page.restoreViewState(state);
        QTRY_VERIFY(next.page.isUpToDate());
        QVERIFY(next.comparison().isOn());
        QVERIFY(*next.comparison().choice() == choice);
        next.comparison().end();
        QVERIFY(!next.page.viewState().contains(u"compare"_s));
        QVERIFY(!CompareChoice::fromState({{u"what"_s, 7}}));
        QVERIFY(!CompareChoice::fromState({{u"what"_s, 2}, {u"heads"_s, u"nonsense"_s}}));
        QVERIFY(!CompareChoice::fromState({}));
    }

    // Both sides follow the question; the old maps stay, dimmed, until the new ones are there.
    void followsTheQuestion()
    {
        CompareDesk desk;
        desk.compare({.what = What::Run, .run = desk.right});
        desk.service.holdAnswers(true);
        desk.page.setSequence(3);
        QVERIFY(!desk.page.isUpToDate());
        QVERIFY(desk.view(Pane::Right)->values());
        desk.service.holdAnswers(false);
        QTRY_VERIFY(desk.page.isUpToDate());
        QCOMPARE(desk.comparison().leftExample()->key.sequence, 3);
        QCOMPARE(desk.comparison().rightExample()->key.sequence, 3);
        QVERIFY(
            desk.view(Pane::Difference)->values()->map()
            == analysis::differenceOf(desk.view(Pane::Left)->values()->map(), desk.view(Pane::Right)->values()->map()));
        QVERIFY(!desk.view(Pane::Right)->isStale() && !desk.view(Pane::Difference)->isStale());
    }
};

QTEST_MAIN(TestAttentionCompare)
#include "test_attention_compare.moc"
