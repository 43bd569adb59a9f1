// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/context_words.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "ui/charts/number_text.h"
#include "ui/models/head_words.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using circuit::HeadId;
using circuit::HeadMeasure;
using circuit::Measured;

namespace {

constexpr std::int64_t kFewestSequences = 8;
constexpr std::int64_t kLongest = 256;
constexpr std::size_t kNamed = 3; // heads that lose most

QString tr(const char *text, const char *comment = nullptr)
{
    return QCoreApplication::translate("ContextWords", text, comment);
}

double valueOf(const circuit::HeadTable &table, const HeadId &id, HeadMeasure measure)
{
    const Measured *value = measuredOf(table, id, measure);
    return value ? value->value : 0.0;
}

/// Two independent means differ by two standard errors or more; a 95 % interval is about four of them wide.
bool areDistinguishable(const Measured &one, const Measured &other)
{
    const double errors = std::hypot(one.high - one.low, other.high - other.low) / 4.0;
    return std::abs(one.value - other.value) >= 2.0 * errors;
}

} // namespace

QString shareName(HeadMeasure share)
{
    switch (share) {
    case HeadMeasure::SourceWeight:
        return tr("source");
    case HeadMeasure::OtherValues:
        return tr("other values");
    case HeadMeasure::OwnEntry:
        return tr("own entry");
    case HeadMeasure::FirstToken:
        return tr("first token");
    default:
        return tr("keys and markers");
    }
}

const Measured *measuredOf(const circuit::HeadTable &table, const HeadId &id, HeadMeasure measure)
{
    const circuit::HeadScores *head = table.find(id);
    return head && head->scores[measure] ? &*head->scores[measure] : nullptr;
}

std::vector<circuit::HeadRequest> contextLengths(std::int64_t n_keys, std::int64_t sequences, std::int64_t mostKeys)
{
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 8; n <= std::min(kLongest, mostKeys); n *= 2)
        lengths.push_back(n);
    if (std::ranges::find(lengths, n_keys) == lengths.end())
        lengths.push_back(n_keys);
    std::ranges::sort(lengths);
    std::vector<circuit::HeadRequest> requests;
    for (const std::int64_t n : lengths) {
        const std::int64_t some = n == n_keys || n <= 8 ? sequences : std::max(sequences * 8 / n, kFewestSequences);
        requests.push_back({.n_keys = n, .sequences = std::min(some, sequences)});
    }
    return requests;
}

QString contextReading(const circuit::ContextHeads &heads, const HeadId &id)
{
    if (heads.tables.empty() || !heads.tables.front().find(id))
        return {};
    const circuit::HeadTable &first = heads.tables.front();
    const circuit::HeadTable &last = heads.tables.back();
    const model::SublayerInfo &layer = first.layers[static_cast<std::size_t>(id.layer)];
    if (layer.isWindowed)
        return tr("It sees %1 tokens: never the source, at any length.").arg(first.window);
    const Measured *before = measuredOf(first, id, HeadMeasure::SourceWeight);
    const Measured *after = measuredOf(last, id, HeadMeasure::SourceWeight);
    if (!before || !after || &first == &last)
        return {};
    const QString from = measuredText(HeadMeasure::SourceWeight, before->value);
    const QString to = measuredText(HeadMeasure::SourceWeight, after->value);
    if (!areDistinguishable(*before, *after))
        return tr("Weight on the source: %1 at n = %2, %3 at n = %4; not distinguishable here.")
            .arg(from)
            .arg(first.request.n_keys)
            .arg(to)
            .arg(last.request.n_keys);
    const auto changeOf = [&](HeadMeasure share) { return valueOf(last, id, share) - valueOf(first, id, share); };
    if (after->value > before->value)
        return tr("Weight on the source: from %1 at n = %2 up to %3 at n = %4.")
            .arg(from)
            .arg(first.request.n_keys)
            .arg(to)
            .arg(last.request.n_keys);
    const HeadMeasure gainer = *std::ranges::max_element(kWeightShares, {}, changeOf);
    return tr("Weight on the source: from %1 at n = %2 down to %3 at n = %4. Most of it goes to %5 (+%6).")
        .arg(from)
        .arg(first.request.n_keys)
        .arg(to)
        .arg(last.request.n_keys)
        .arg(shareName(gainer), measuredText(gainer, std::max(0.0, changeOf(gainer))));
}

QString contextSummary(const circuit::ContextHeads &heads)
{
    if (heads.tables.empty())
        return {};
    const circuit::HeadTable &first = heads.tables.front();
    const circuit::HeadTable &last = heads.tables.back();
    QString summary = tr("Step %1, n = %2 to %3, %4 to %5 sequences; whiskers: 95 % interval")
                          .arg(countText(first.step))
                          .arg(first.request.n_keys)
                          .arg(last.request.n_keys)
                          .arg(countText(first.request.sequences), countText(last.request.sequences));
    std::vector<std::pair<double, QString>> losers;
    for (const circuit::HeadScores &head : first.heads) {
        const Measured *before = measuredOf(first, head.id, HeadMeasure::SourceWeight);
        const Measured *after = measuredOf(last, head.id, HeadMeasure::SourceWeight);
        if (!before || !after || after->value >= before->value || !areDistinguishable(*before, *after))
            continue;
        losers.emplace_back(after->value - before->value,
                            tr("%1 (%2 to %3)", "head, weight before, weight after")
                                .arg(headName(head.id), measuredText(HeadMeasure::SourceWeight, before->value),
                                     measuredText(HeadMeasure::SourceWeight, after->value)));
    }
    std::ranges::stable_sort(losers, {}, &std::pair<double, QString>::first);
    QStringList names;
    for (std::size_t i = 0; i < std::min(kNamed, losers.size()); ++i)
        names << losers[i].second;
    if (!names.isEmpty())
        summary += u". "_s % tr("The source loses most weight in %1").arg(names.join(u", "_s));
    return summary;
}

} // namespace lookback::ui
