// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Continuing a run that was trained to its end: only its evaluation is left.
#include <QTemporaryDir>
#include <QTest>

#include "core/run/run_folder.h"
#include "tests/smoke/cli_runs.h"

using namespace Qt::StringLiterals;
using namespace lookback;

class TestCliResume : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasLoggedIsListed()
    {
        QTemporaryDir folder;
        const CliProgram program(folder.path());
        const CliOutcome trained =
            program.run(QStringList{u"train"_s, u"--variant"_s, u"rope"_s, u"--out"_s, u"runs"_s, u"--no-evaluation"_s}
                        + kQuickSettings);
        QVERIFY2(trained.code == 0, trained.err.constData());
        const run::RunFolder run(folder.filePath(u"runs/rope-seed0"_s).toStdString());
        const auto stop = [&run] {
            run::RunRecord record = run.readRecord();
            record.state = run::RunState::Stopped;
            run.writeRecord(record);
        };
        stop();
        const CliOutcome resumed = program.run({u"resume"_s, u"runs"_s, u"--json"_s});
        QVERIFY2(resumed.code == 0, resumed.err.constData());
        QCOMPARE(resumed.jsonLines().size(), 1);
        const QJsonObject line = resumed.jsonLines().front();
        QCOMPARE(line.value(u"state"_s).toString(), u"finished"_s);
        for (const QString &name : {u"loss"_s, u"retrieval_acc"_s, u"n_keys"_s})
            QVERIFY2(line.value(name).isDouble(), qPrintable(name));

        stop();
        const CliOutcome table = program.run({u"resume"_s, u"runs"_s});
        QVERIFY2(table.code == 0, table.err.constData());
        for (const QByteArray &row : table.out.split('\n')) {
            if (row.contains("finished"))
                QVERIFY2(!row.simplified().split(' ').contains("-"), row.constData());
        }
    }
};

QTEST_GUILESS_MAIN(TestCliResume)
#include "test_cli_resume.moc"
