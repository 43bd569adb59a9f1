// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_choice.h"

#include <algorithm>

#include "core/error.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

analysis::ExampleKey CompareChoice::keyBeside(const analysis::ExampleKey &left) const
{
    analysis::ExampleKey key = left;
    key.pane = analysis::Pane::Second;
    key.intervention = {};
    switch (what) {
    case What::Run:
        key.runFolder = run;
        key.step = step;
        break;
    case What::Checkpoint:
        key.step = step;
        break;
    case What::Heads:
        key.intervention = circuit::normalised(intervention);
        break;
    }
    return key;
}

QVariantMap CompareChoice::toState() const
{
    QVariantMap state{{u"what"_s, static_cast<int>(what)}};
    if (what == What::Run)
        state.insert(u"run"_s, QString::fromStdString(run));
    if (what != What::Heads)
        state.insert(u"step"_s, static_cast<qlonglong>(step));
    if (what == What::Heads) {
        state.insert(u"heads"_s, QString::fromStdString(circuit::headsText(intervention.heads)));
        state.insert(u"removal"_s, static_cast<int>(intervention.removal));
    }
    if (head)
        state.insert(u"head"_s, QString::fromStdString(circuit::headText(*head)));
    return state;
}

std::optional<CompareChoice> CompareChoice::fromState(const QVariantMap &state)
{
    bool isNumber = false;
    const int what = state.value(u"what"_s).toInt(&isNumber);
    if (!isNumber || what < 0 || what > static_cast<int>(What::Heads))
        return {};
    CompareChoice choice{.what = static_cast<What>(what)};
    choice.run = state.value(u"run"_s).toString().toStdString();
    choice.step = std::max<std::int64_t>(state.value(u"step"_s, -1).toLongLong(), -1);
    try {
        const QStringList heads = state.value(u"heads"_s).toString().split(u", "_s, Qt::SkipEmptyParts);
        for (const QString &head : heads)
            choice.intervention.heads.push_back(circuit::headFromText(head.toStdString(), "heads"));
        if (state.contains(u"head"_s))
            choice.head = circuit::headFromText(state.value(u"head"_s).toString().toStdString(), "head");
    } catch (const Error &) {
        return {};
    }
    const int removal = state.value(u"removal"_s).toInt();
    choice.intervention.removal =
        static_cast<circuit::Removal>(std::clamp(removal, 0, static_cast<int>(circuit::Removal::Uniform)));
    const bool isUseful = choice.what == What::Run ? !choice.run.empty()
                                                   : choice.what != What::Heads || !choice.intervention.heads.empty();
    return isUseful ? std::optional(choice) : std::nullopt;
}

} // namespace lookback::ui
