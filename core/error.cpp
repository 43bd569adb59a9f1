// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"

#include <utility>

namespace lookback {

Error::Error(std::string subject, std::string message, std::string remedy, std::string details)
    : m_subject(std::move(subject)), m_message(std::move(message)), m_remedy(std::move(remedy)),
      m_details(std::move(details))
{
    if (!m_subject.empty())
        m_sentence = m_subject + ": ";
    m_sentence += m_message;
    if (!m_remedy.empty())
        m_sentence += " " + m_remedy;
}

} // namespace lookback
