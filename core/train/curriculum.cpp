// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/curriculum.h"

#include <charconv>
#include <numeric>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/json.h"

namespace lookback::train {

namespace {

/// Takes a number from the start of `text`; false if there is none.
template <typename Number> bool take(std::string_view &text, Number &number)
{
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

} // namespace

Curriculum::Curriculum(const RunConfig &config)
    : m_stages(config.curriculum), m_lastKeys(config.n_keys), m_promotionAccuracy(config.promotion_accuracy),
      m_promotionSteps(static_cast<std::size_t>(config.promotion_steps))
{
}

std::int64_t Curriculum::beginStep(std::int64_t step)
{
    while (m_stage < m_stages.size() && step > m_stages[m_stage].until_step) {
        ++m_stage;
        m_recent.clear();
    }
    return m_stage < m_stages.size() ? m_stages[m_stage].n_keys : m_lastKeys;
}

void Curriculum::stepFinished(double digitAccuracy)
{
    if (m_promotionAccuracy <= 0.0 || m_stage == m_stages.size())
        return;
    if (m_recent.size() == m_promotionSteps)
        m_recent.erase(m_recent.begin());
    m_recent.push_back(digitAccuracy);
    if (m_recent.size() < m_promotionSteps)
        return;
    const double sum = std::accumulate(m_recent.begin(), m_recent.end(), 0.0);
    if (sum < m_promotionAccuracy * static_cast<double>(m_promotionSteps))
        return;
    ++m_stage;
    m_recent.clear();
}

std::string Curriculum::state() const
{
    std::string text = std::to_string(m_stage);
    for (std::size_t i = 0; i < m_recent.size(); ++i)
        text += (i == 0 ? ":" : ",") + realText(m_recent[i]);
    return text;
}

void Curriculum::setState(std::string_view text)
{
    const auto refuse = [&] {
        throw Error("curriculum", "The checkpoint's state of the curriculum cannot be read: " + std::string(text) + ".",
                    "Use another checkpoint of the run.");
    };
    std::string_view rest = text;
    std::size_t stage = 0;
    std::vector<double> recent;
    if (!take(rest, stage) || stage > m_stages.size())
        refuse();
    for (char separator = ':'; !rest.empty(); separator = ',') {
        double accuracy = 0.0;
        if (rest.front() != separator)
            refuse();
        rest.remove_prefix(1);
        if (!take(rest, accuracy) || !(accuracy >= 0.0 && accuracy <= 1.0) || recent.size() == m_promotionSteps)
            refuse();
        recent.push_back(accuracy);
    }
    m_stage = stage;
    m_recent = std::move(recent);
}

} // namespace lookback::train
