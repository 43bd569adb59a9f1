// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/error.h"
#include "core/run/checkpoint.h"

using namespace lookback;

/// A run whose settings were changed after it had begun: each setting is refused by name, or may change.
class TestChangedSetUp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySetting_data()
    {
        QTest::addColumn<QString>("name");
        for (const ConfigField &field : configFields())
            QTest::newRow(std::string(field.name).c_str())
                << QString::fromUtf8(field.name.data(), qsizetype(field.name.size()));
    }
    void everySetting()
    {
        QFETCH(QString, name);
        const ConfigField &field = configField(name.toStdString());
        run::Checkpoint checkpoint;
        const std::string before = fieldText(checkpoint.config, field.name);
        RunConfig changed = checkpoint.config;
        for (const char *value : {"7", "0.5", "3,5", "3:9"}) { // one of them fits every kind of setting
            try {
                setField(changed, field.name, value);
            } catch (const Error &) {
                continue;
            }
            break;
        }
        const std::string after = fieldText(changed, field.name);
        QVERIFY(after != before);
        run::requireContinuable(checkpoint.config, checkpoint);
        std::string sentence;
        try {
            run::requireContinuable(changed, checkpoint);
        } catch (const Error &error) {
            sentence = error.sentence();
        }
        QCOMPARE(sentence.empty(), field.group == FieldGroup::Records);
        if (!sentence.empty()) {
            for (const std::string &part : {std::string(field.name) + " ", before, after})
                QVERIFY2(sentence.find(part) != std::string::npos, sentence.c_str());
        }
    }

    void anotherVariant()
    {
        run::Checkpoint checkpoint;
        checkpoint.config.variant = "hybrid";
        RunConfig changed = checkpoint.config;
        changed.variant = "hybrid_square"; // the same shapes
        QVERIFY_THROWS_EXCEPTION(Error, run::requireContinuable(changed, checkpoint));
    }
};

QTEST_GUILESS_MAIN(TestChangedSetUp)
#include "test_changed_set_up.moc"
