// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <new>
#include <stdexcept>

#include "core/error.h"

using namespace lookback;

class TestError : public QObject {
    Q_OBJECT

    template <typename Thrown> static Error caught(const Thrown &thrown)
    {
        try {
            throw thrown;
        } catch (...) {
            return caughtError("runs/rope");
        }
    }

private Q_SLOTS:
    /// Whatever ends the work on a run becomes one sentence about that run.
    void everyExceptionBecomesASentence()
    {
        QCOMPARE(caught(Error("a", "b.", "c.")).sentence(), "a: b. c.");
        const Error memory = caught(std::bad_alloc());
        QCOMPARE(memory.subject(), "runs/rope");
        QCOMPARE(memory.message(), "There is too little free memory for this.");
        QVERIFY(!memory.remedy().empty());
        const Error other = caught(std::runtime_error("raw words"));
        QCOMPARE(other.subject(), "runs/rope");
        QCOMPARE(other.details(), "raw words");
        QCOMPARE(caught(7).subject(), "runs/rope");
    }
};

QTEST_GUILESS_MAIN(TestError)
#include "test_error.moc"
