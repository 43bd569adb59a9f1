// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "ui/charts/note_space.h"

using namespace lookback::ui;

class TestNoteSpace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void freePlacesComeFirst();
    void theLeastCoveredIsTaken();
    void nothingLiesOnBlocks();
};

void TestNoteSpace::freePlacesComeFirst()
{
    NoteSpace space(QRectF(0, 0, 100, 100));
    space.addCurve({{0, 5}, {100, 5}});
    const QRectF candidates[] = {QRectF(-10, 50, 20, 10), QRectF(10, 0, 20, 10), QRectF(10, 50, 20, 10)};
    QCOMPARE(space.covered(candidates[1]), 20.0);
    QCOMPARE(space.take(candidates), candidates[2]); // the first lies outside, the second on the curve
}

void TestNoteSpace::theLeastCoveredIsTaken()
{
    NoteSpace space(QRectF(0, 0, 100, 100));
    space.addCurve({{0, 0}, {100, 100}});
    space.addCurve({{0, 50}, {100, 50}});
    const QRectF candidates[] = {QRectF(40, 40, 20, 20), QRectF(10, 45, 20, 10), QRectF(45, 45, 10, 2)};
    QCOMPARE(space.take(candidates), candidates[2]);
}

void TestNoteSpace::nothingLiesOnBlocks()
{
    NoteSpace space(QRectF(0, 0, 100, 100));
    space.addBlock(QRectF(50, 0, 1, 100));
    const QRectF candidates[] = {QRectF(40, 10, 20, 10), QRectF(10, 10, 20, 10), QRectF(20, 15, 20, 10),
                                 QRectF(51, 10, 20, 10)};
    QCOMPARE(space.take(candidates), candidates[1]);
    QCOMPARE(space.take(candidates), candidates[3]); // the third would lie on the note just taken
    QVERIFY(space.take(candidates).isNull());
}

QTEST_GUILESS_MAIN(TestNoteSpace)
#include "test_note_space.moc"
