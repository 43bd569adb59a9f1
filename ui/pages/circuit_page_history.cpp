// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The circuit page's view history and what is remembered between sessions.
#include <algorithm>

#include <QSpinBox>
#include <QStackedWidget>

#include "ui/models/run_collection.h"
#include "ui/pages/circuit_context.h"
#include "ui/pages/circuit_example.h"
#include "ui/pages/circuit_page.h"
#include "ui/pages/circuit_removal.h"
#include "ui/pages/circuit_timeline.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// A stored number as one of the first `count` values of an enumeration.
template <typename Enum> Enum choiceOf(const QVariantMap &state, const QString &key, Enum otherwise, int count)
{
    bool isNumber = false;
    const int value = state.value(key).toInt(&isNumber);
    return isNumber && value >= 0 && value < count ? static_cast<Enum>(value) : otherwise;
}

constexpr int kMeasures = static_cast<int>(circuit::kHeadMeasures);

} // namespace

CircuitPage::View CircuitPage::currentView() const
{
    return {.run = m_run,
            .step = m_step,
            .n_keys = m_keysField->value(),
            .sequences = m_sequences,
            .quantity = m_quantity,
            .removal = m_removalKind,
            .chosen = m_chosen,
            .isChosenByUser = m_isChosenByUser,
            .example = m_removal->example()->sequence(),
            .below = static_cast<Below>(m_below->currentIndex()),
            .contextMeasure = m_context->measure(),
            .isContextOfChosen = m_context->isChosenOnly()};
}

void CircuitPage::settleView()
{
    if (!m_isGoing)
        m_view = currentView();
}

void CircuitPage::noteView()
{
    const View now = currentView();
    if (m_isGoing || now == m_view || m_timeline->isPlaying())
        return;
    m_history.note(m_view, now);
    m_view = now;
    Q_EMIT abilitiesChanged();
}

void CircuitPage::goTo(const View &view)
{
    m_isGoing = true;
    m_timeline->stop();
    if (view.run != m_run && m_collection->find(view.run)) {
        m_collection->select(view.run);
        setRun(view.run);
    }
    setStep(view.step);
    if (view.n_keys != m_keysField->value())
        setKeys(view.n_keys);
    setSequences(view.sequences);
    setQuantity(view.quantity);
    m_removalKind = view.removal;
    m_removal->setRemoval(view.removal);
    m_removal->example()->setSequence(view.example);
    m_context->setMeasure(view.contextMeasure);
    m_context->setChosenOnly(view.isContextOfChosen);
    showBelow(view.below);
    m_isGoing = false;
    reload();
    m_loader.setSequence(m_removal->example()->sequence());
    m_isChosenByUser = view.isChosenByUser;
    setChosen(view.chosen);
    settleView();
    Q_EMIT abilitiesChanged();
}

void CircuitPage::goBack()
{
    if (canGoBack())
        goTo(m_history.back());
}

void CircuitPage::goForward()
{
    if (canGoForward())
        goTo(m_history.forward());
}

// --- between sessions ---

QVariantMap CircuitPage::viewState() const
{
    QVariantMap state{{u"sequences"_s, static_cast<qlonglong>(m_sequences)},
                      {u"removal"_s, static_cast<int>(m_removalKind)},
                      {u"quantity"_s, m_quantity ? static_cast<int>(*m_quantity) : -1},
                      {u"sequence"_s, static_cast<qlonglong>(m_removal->example()->sequence())},
                      {u"below"_s, m_below->currentIndex()},
                      {u"contextMeasure"_s, static_cast<int>(m_context->measure())},
                      {u"contextOfChosen"_s, m_context->isChosenOnly()},
                      {u"patchPart"_s, static_cast<int>(m_patchRequest.part)},
                      {u"patchDifference"_s, static_cast<int>(m_patchRequest.difference)},
                      {u"patchSequences"_s, static_cast<qlonglong>(m_patchRequest.sequences)}};
    if (m_keys)
        state.insert(u"keys"_s, static_cast<qlonglong>(*m_keys));
    return state;
}

void CircuitPage::restoreViewState(const QVariantMap &state)
{
    m_isGoing = true;
    setSequences(state.value(u"sequences"_s, static_cast<qlonglong>(m_sequences)).toLongLong());
    m_removalKind = choiceOf(state, u"removal"_s, circuit::Removal::Zero, 3);
    m_removal->setRemoval(m_removalKind);
    const int quantity = state.value(u"quantity"_s, -1).toInt();
    setQuantity(quantity >= 0 && quantity < kMeasures ? GridQuantity(static_cast<circuit::HeadMeasure>(quantity))
                                                      : GridQuantity());
    if (const std::int64_t keys = state.value(u"keys"_s).toLongLong(); keys > 0)
        setKeys(std::min<std::int64_t>(keys, m_keysField->maximum()));
    m_removal->example()->setSequence(state.value(u"sequence"_s).toLongLong());
    m_loader.setSequence(m_removal->example()->sequence());
    m_context->setMeasure(choiceOf(state, u"contextMeasure"_s, circuit::HeadMeasure::SourceWeight, kMeasures));
    m_context->setChosenOnly(state.value(u"contextOfChosen"_s).toBool());
    m_patchRequest.part = choiceOf(state, u"patchPart"_s, circuit::PatchPart::Pattern, 2);
    m_patchRequest.difference = choiceOf(state, u"patchDifference"_s, circuit::PatchDifference::Key, 2);
    if (const std::int64_t sequences = state.value(u"patchSequences"_s).toLongLong(); sequences > 0)
        m_patchRequest.sequences = std::min<std::int64_t>(sequences, 4096);
    showBelow(choiceOf(state, u"below"_s, Below::Heads, 3));
    m_isGoing = false;
    reload();
    settleView();
}

} // namespace lookback::ui
