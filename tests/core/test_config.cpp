// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>
#include <set>

#include <QTest>

#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/error.h"
#include "core/near_names.h"
#include "core/rng.h"

using namespace lookback;

namespace {

QString refusalOf(std::string_view name, std::string_view text)
{
    RunConfig config;
    try {
        setField(config, name, text);
    } catch (const Error &error) {
        if (config != RunConfig())
            return QStringLiteral("changed although refused");
        return QString::fromStdString(error.sentence());
    }
    return QStringLiteral("accepted");
}

QString problemOf(const RunConfig &config, std::string_view field)
{
    QString found;
    for (const ConfigProblem &problem : problemsOf(config)) {
        if (problem.field == field)
            found += QString::fromStdString(problem.message);
    }
    return found;
}

RunConfig with(const std::vector<std::string> &settings, std::string_view preset = "paper")
{
    RunConfig config = presetConfig(preset);
    for (const std::string &setting : settings)
        applySetting(config, setting);
    return config;
}

} // namespace

class TestConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publishedConfiguration()
    {
        const RunConfig config = presetConfig("paper");
        QVERIFY(config == RunConfig());
        QCOMPARE(config.headWidth(), std::int64_t{32});
        QCOMPARE(config.entryTokens(), std::int64_t{8});
        QCOMPARE(config.contextTokens(256), std::int64_t{4096});
        QCOMPARE(config.trainedTokens(), std::int64_t{128});
        QCOMPARE(fieldText(config, "curriculum"), std::string("2:750,4:1500,6:2500"));
        QCOMPARE(fieldText(config, "learning_rate"), std::string("0.0003"));
        QCOMPARE(fieldText(config, "evaluation_n"), std::string("8,12,16,24,32,48,64,96,128,160,192,256"));
    }

    void realsReadBack_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("plain") << 0.0003 << "0.0003";
        QTest::newRow("sum") << 0.1 + 0.2 << "0.30000000000000004";
        QTest::newRow("whole") << 10000.0 << "10000";
        QTest::newRow("large") << 1e12 << "1000000000000";
        QTest::newRow("small") << 2.5e-8 << "2.5e-8";
        QTest::newRow("tiny") << 1e-9 << "1e-9";
    }
    void realsReadBack()
    {
        QFETCH(double, value);
        QFETCH(QString, text);
        RunConfig config;
        config.rope_base = value;
        QCOMPARE(QString::fromStdString(fieldText(config, "rope_base")), text);
        if (value <= 1.0) {
            setField(config, "learning_rate", text.toStdString());
            QCOMPARE(config.learning_rate, value);
        }
    }

    void everyMemberHasAField()
    {
        // The size tells when a member was added without a field: 36 fields and the variant.
        QCOMPARE(configFields().size(), std::size_t{36});
        std::set<std::string_view> names;
        for (const ConfigField &field : configFields()) {
            QVERIFY(names.insert(field.name).second);
            QVERIFY(!field.title.empty() && field.explanation.ends_with('.'));
            QVERIFY(field.minimum < field.maximum);
            QCOMPARE(configField(field.name).title, field.title);
        }
        const auto object = nlohmann::json::parse(configToJson(RunConfig()));
        QCOMPARE(object.size(), names.size() + 1);
        for (const std::string_view name : names)
            QVERIFY(object.contains(name));
    }

    void presets()
    {
        QCOMPARE(presetNames().size(), std::size_t{3});
        for (const std::string_view name : presetNames()) {
            RunConfig config = presetConfig(name);
            const auto problems = problemsOf(config);
            QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().message.c_str());
            QVERIFY(config.pairs % 2 == 0); // hybrids alternate a windowed and a full sublayer
            QVERIFY(presetExplanation(name).ends_with('.'));
            config.variant = "rope";
            config.seed = 99;
            QCOMPARE(presetOf(config), name);
            config.window += 1;
            QVERIFY(presetOf(config).empty());
        }
        try {
            presetConfig("papper");
            QFAIL("accepted");
        } catch (const Error &error) {
            QVERIFY2(QString::fromLatin1(error.what())
                         .contains(QLatin1String("Did you mean \"paper\"? Presets: tiny, laptop, paper.")),
                     error.what());
        }
    }

    void textRoundTrip()
    {
        RunConfig config;
        setField(config, "evaluation_n", " 4, 8,16 ");
        QVERIFY((config.evaluation_n == std::vector<std::int64_t>{4, 8, 16}));
        setField(config, "curriculum", "none");
        QVERIFY(config.curriculum.empty());
        setField(config, "curriculum", " 3 : 10 , 5:20 ");
        QVERIFY((config.curriculum == std::vector<CurriculumStage>{{3, 10}, {5, 20}}));
        setField(config, "learning_rate", "1e-3");
        QCOMPARE(config.learning_rate, 0.001);
        setField(config, "seed", "18446744073709551615");
        QCOMPARE(config.seed, std::numeric_limits<std::uint64_t>::max());
        for (const ConfigField &field : configFields()) {
            RunConfig copy;
            setField(copy, field.name, fieldText(config, field.name));
            QCOMPARE(fieldText(copy, field.name), fieldText(config, field.name));
        }
        applySetting(config, "window=16");
        QCOMPARE(config.window, std::int64_t{16});
    }

    void jsonRoundTripOfAnything()
    {
        Philox generator(5);
        for (int round = 0; round < 500; ++round) {
            RunConfig config;
            config.variant = round % 2 == 0 ? "rope" : "мой \"вариант\" \\";
            config.seed = generator.next64();
            config.evaluation_seed = generator.next64();
            config.learning_rate = generator.uniform() * 1e-3;
            config.weight_decay = generator.uniform();
            config.rope_base = std::exp(20.0 * generator.uniform());
            config.steps = static_cast<std::int64_t>(generator.below(1000000000000));
            config.curriculum.assign(generator.below(4), {static_cast<std::int64_t>(generator.below(100)), round});
            config.evaluation_n.assign(generator.below(4), static_cast<std::int64_t>(generator.below(1000)));
            QVERIFY(configFromJson(configToJson(config)) == config);
        }
        RunConfig odd;
        odd.learning_rate = std::numeric_limits<double>::infinity();
        QVERIFY(configFromJson(configToJson(odd)) == odd);
    }

    void jsonReading()
    {
        QVERIFY(configFromJson("{}") == RunConfig());
        QCOMPARE(configFromJson("{\"learning_rate\": 1}").learning_rate, 1.0);
        QCOMPARE(configFromJson("{\"window\": 12.0}").window, std::int64_t{12});
        const auto refusal = [](std::string_view text) {
            try {
                configFromJson(text);
            } catch (const Error &error) {
                return QString::fromStdString(error.sentence());
            }
            return QStringLiteral("accepted");
        };
        QVERIFY(refusal("{\"windw\": 3}").contains(QLatin1String("windw: There is no setting")));
        QVERIFY(refusal("{\"window\": 3.5}").startsWith(QLatin1String("window: The value \"3.5\"")));
        QVERIFY(refusal("{\"window\": null}").startsWith(QLatin1String("window:")));
        QVERIFY(refusal("{\"window\": true}").startsWith(QLatin1String("window:")));
        QVERIFY(refusal("{\"seed\": -1}").startsWith(QLatin1String("seed:")));
        QVERIFY(refusal("{\"seed\": 18446744073709551616}").startsWith(QLatin1String("seed:")));
        QVERIFY(refusal("{\"evaluation_n\": 3}").startsWith(QLatin1String("evaluation_n:")));
        QVERIFY(refusal("{\"evaluation_n\": [3, \"x\"]}").startsWith(QLatin1String("evaluation_n:")));
        QVERIFY(refusal("{\"curriculum\": [[2, 750]]}").startsWith(QLatin1String("curriculum:")));
        QVERIFY(refusal("{\"curriculum\": [{\"n_keys\": 2}]}").startsWith(QLatin1String("curriculum:")));
        QVERIFY(refusal("{\"variant\": 3}").startsWith(QLatin1String("variant:")));
        QVERIFY(refusal("[]").contains(QLatin1String("JSON object")));
        QVERIFY(refusal("").contains(QLatin1String("empty")));
        QVERIFY(refusal("{\"window\": 1, \"window\": 2}").contains(QLatin1String("not valid JSON")));
    }

    void refusedText_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const char *text, const char *words) {
            QTest::addRow("%s=%s", name, text)
                << QString::fromLatin1(name) << QString::fromUtf8(text) << QString::fromLatin1(words);
        };
        row("learning_rate", "0,0003", "has a comma");
        row("learning_rate", "3", "Learning rate must be 1e-9 to 1, not 3.");
        row("learning_rate", "0", "must be 1e-9 to 1");
        row("learning_rate", "-1", "must be 1e-9 to 1");
        row("learning_rate", "nan", "must be 1e-9 to 1");
        row("learning_rate", "inf", "must be 1e-9 to 1");
        row("learning_rate", "1e999", "far outside");
        row("learning_rate", "1e-999", "far outside");
        row("learning_rate", "0.0003x", "is not a number");
        row("learning_rate", "0x1p-3", "is not a number");
        row("learning_rate", "0. 3", "is not a number");
        row("learning_rate", "", "has no value");
        row("learning_rate", "  ", "has no value");
        row("learning_rate", "\xD9\xA0.\xD9\xA3", "is not a number"); // Arabic-Indic digits
        row("learning_rate",
            "\xC2\xA0"
            "0.3",
            "is not a number"); // no-break space
        row("weight_decay", "0,1", "has a comma");
        row("steps", "5\n6", "\"5\\x0a6\" is not a whole number"); // a sentence stays on one line
        row("steps", "15,000", "has a comma");
        row("steps", "15.000", "is not a whole number");
        row("steps", "1e3", "is not a whole number");
        row("steps", "15 000", "is not a whole number");
        row("steps", "0", "Steps must be 1 to 100000000 steps, not 0.");
        row("steps", "99999999999999999999", "far outside");
        row("window", "0", "Attention window must be 1 to 1000000 tokens, not 0.");
        row("window", "-10", "must be 1 to");
        row("window", "ten", "is not a whole number");
        row("seed", "-1", "is not a whole number");
        row("seed", "18446744073709551616", "far outside");
        row("seed", "1.5", "is not a whole number");
        row("evaluation_n", "8,,16", "is not a whole number");
        row("evaluation_n", "8,16,", "is not a whole number");
        row("evaluation_n", "8;16", "is not a whole number");
        row("evaluation_n", "8,0", "must be 1 to");
        row("curriculum", "2-750", "is not a stage");
        row("curriculum", "2:", "is not a whole number");
        row("curriculum", "0:750", "must be 1 to");
        row("curriculum", "2:750:3", "is not a whole number");
        row("windw", "3", "Did you mean \"window\"?");
        row("Window", "3", "Did you mean \"window\"?");
        row("lr", "3", "There is no setting of this name");
        row("evaluation", "3", "Did you mean \"evaluation");
        row("variant", "rope", "There is no setting of this name");
    }
    void refusedText()
    {
        QFETCH(QString, name);
        QFETCH(QString, text);
        QFETCH(QString, words);
        const QString sentence = refusalOf(name.toStdString(), text.toStdString());
        QVERIFY2(sentence.contains(words), qPrintable(sentence));
        QVERIFY2(sentence.startsWith(name + QLatin1Char(':')), qPrintable(sentence));
    }

    void settingWithoutValue()
    {
        RunConfig config;
        QVERIFY_THROWS_EXCEPTION(Error, applySetting(config, "window"));
        for (const char *blank : {" window=16", "window =16", "window= 16", "window=16 ", "evaluation_n=8, 16"})
            QVERIFY_THROWS_EXCEPTION(Error, applySetting(config, blank));
        for (const auto &[other, name] : {std::pair("lr", "learning_rate"), std::pair("bs", "batch"),
                                          std::pair("n_layers", "pairs"), std::pair("d_ff", "ffn_hidden")}) {
            try {
                setField(config, other, "1");
                QFAIL(other);
            } catch (const Error &error) {
                QVERIFY2(error.remedy().find("Here it is called \"" + std::string(name) + "\"") == 0, other);
            }
        }
        QVERIFY_THROWS_EXCEPTION(Error, applySetting(config, "=3"));
        QVERIFY_THROWS_EXCEPTION(Error, applySetting(config, ""));
        QVERIFY(config == RunConfig());
    }

    void problems_data()
    {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *settings, const char *field, const char *words) {
            QTest::newRow(settings) << QString::fromLatin1(settings).split(QLatin1Char(' '))
                                    << QString::fromLatin1(field) << QString::fromLatin1(words);
        };
        row("query_heads=3 kv_heads=3", "query_heads", "Model width 128 is not divisible by 3 query heads");
        row("kv_heads=3", "kv_heads", "4 query heads cannot share 3 key-value heads");
        row("kv_heads=8", "kv_heads", "4 query heads cannot share 8 key-value heads");
        row("key_digits=1", "evaluation_n", "1 key digit allow");
        row("key_digits=2 evaluation_n=8,101", "evaluation_n",
            "2 key digits allow 100 distinct keys, but evaluation asks "
            "for 101");
        row("key_digits=2 n_keys=101 evaluation_n=8", "n_keys", "but training asks for 101");
        row("key_digits=1 curriculum=11:5 evaluation_n=8", "curriculum", "a stage of the curriculum asks for 11");
        row("curriculum=2:750,4:750", "curriculum", "list the stages by rising steps");
        row("curriculum=2:750,4:100", "curriculum", "(step 750)");
        row("steps=500", "warmup_steps", "A warm-up of 500 steps does not fit into a training of 500 steps");
        row("evaluation_n=8,16,8", "evaluation_n", "twice");
        row("d_model=16384 query_heads=64 kv_heads=64 pairs=256 ffn_hidden=65536", "d_model", "this machine has");
        row("d_model=8192 key_digits=9 evaluation_n=8,1000000", "evaluation_n", "Evaluating n = 1000000 needs about");
        row("batch=65536 n_keys=1000 curriculum=none", "batch", "Training needs about");
    }
    void problems()
    {
        QFETCH(QStringList, settings);
        QFETCH(QString, field);
        QFETCH(QString, words);
        std::vector<std::string> assignments;
        for (const QString &setting : settings)
            assignments.push_back(setting.toStdString());
        const QString message = problemOf(with(assignments), field.toStdString());
        QVERIFY2(message.contains(words), qPrintable(message));
    }

    /// The largest value that is said to fit is accepted, the next one is not.
    void whatWouldFitDoesFit_data()
    {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("before");
        QTest::newRow("batch") << QStringList{QStringLiteral("batch=65536"), QStringLiteral("n_keys=1000"),
                                              QStringLiteral("curriculum=none")}
                               << QStringLiteral("batch") << QStringLiteral("a batch of ");
        QTest::newRow("evaluation") << QStringList{QStringLiteral("d_model=8192"), QStringLiteral("key_digits=9"),
                                                   QStringLiteral("evaluation_n=1000000")}
                                    << QStringLiteral("evaluation_n") << QStringLiteral("; n = ");
    }
    void whatWouldFitDoesFit()
    {
        QFETCH(QStringList, settings);
        QFETCH(QString, field);
        QFETCH(QString, before);
        std::vector<std::string> assignments;
        for (const QString &setting : settings)
            assignments.push_back(setting.toStdString());
        const QString message = problemOf(with(assignments), field.toStdString());
        QVERIFY2(message.endsWith(QStringLiteral(" would fit.")), qPrintable(message));
        const qlonglong fitting = message.section(before, 1).section(QLatin1Char(' '), 0, 0).toLongLong();
        QVERIFY2(fitting > 0, qPrintable(message));
        for (const qlonglong value : {fitting, fitting + 1}) {
            assignments.push_back(field.toStdString() + "=" + std::to_string(value));
            QCOMPARE(problemOf(with(assignments), field.toStdString()).isEmpty(), value == fitting);
            assignments.pop_back();
        }
    }

    void rangesAreCheckedWithoutText()
    {
        for (const ConfigField &field : configFields()) {
            RunConfig config;
            const std::string name(field.name);
            if (field.kind == FieldKind::UnsignedInteger)
                continue;
            if (field.kind == FieldKind::Real) {
                for (const double value :
                     {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
                    config.learning_rate = value;
                    for (double RunConfig::*member :
                         {&RunConfig::weight_decay, &RunConfig::recovery_factor, &RunConfig::rope_base,
                          &RunConfig::promotion_accuracy, &RunConfig::clustered_share, &RunConfig::evaluation_mutated,
                          &RunConfig::decay_start, &RunConfig::dropout, &RunConfig::beta1, &RunConfig::beta2,
                          &RunConfig::epsilon, &RunConfig::gradient_clip})
                        config.*member = value;
                    QVERIFY(!problemOf(config, name).isEmpty());
                }
                continue;
            }
            auto object = nlohmann::json::parse(configToJson(config));
            for (const std::int64_t value :
                 {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                  static_cast<std::int64_t>(field.minimum) - 1, static_cast<std::int64_t>(field.maximum) + 1,
                  std::numeric_limits<std::int64_t>::max()}) {
                if (field.kind == FieldKind::IntegerList)
                    object[name] = {8, value};
                else if (field.kind == FieldKind::Curriculum)
                    object[name] = {{{"n_keys", value}, {"until_step", 5}}};
                else
                    object[name] = value;
                const QString message = problemOf(configFromJson(object.dump()), name);
                QVERIFY2(message.contains(QLatin1String("must be")),
                         qPrintable(QString::fromStdString(name) + message));
            }
        }
        RunConfig config;
        config.evaluation_n.clear();
        QVERIFY(problemOf(config, "evaluation_n").contains(QLatin1String("nothing to evaluate")));
        config = RunConfig();
        config.d_model = 0;
        config.query_heads = 0;
        config.key_digits = 0;
        QCOMPARE(config.headWidth(), std::int64_t{0});
        QCOMPARE(problemsOf(config).size(), std::size_t{3}); // one each, and no division by zero
    }

    void nearNames()
    {
        QCOMPARE(editDistance("window", "window"), std::size_t{0});
        QCOMPARE(editDistance("", "abc"), std::size_t{3});
        QCOMPARE(editDistance("widnow", "window"), std::size_t{1});
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t{3});
        QVERIFY((nearestFirst("stepz", {"pairs", "steps", "seed"}).front() == "steps"));
        QVERIFY(didYouMean("", {"a"}).empty());
        QVERIFY(didYouMean("zzzzzz", {"window", "steps"}).empty());
        QVERIFY(didYouMean(std::string(100000, 'x'), {"window"}).empty());
        QVERIFY(didYouMean("x", {}).empty());
    }
};

QTEST_GUILESS_MAIN(TestConfig)
#include "test_config.moc"
