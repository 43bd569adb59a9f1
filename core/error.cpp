// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"

#include <new>
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

Error caughtError(const std::string &subject)
{
    try {
        throw;
    } catch (const Error &error) {
        return error;
    } catch (const std::bad_alloc &error) {
        return Error(subject, "There is too little free memory for this.",
                     "Use a smaller batch, fewer keys or a narrower model, or stop other runs.", error.what());
    } catch (const std::exception &error) {
        return Error(subject, "It ended early.", "The details say why; they belong in a report.", error.what());
    } catch (...) {
        return Error(subject, "It ended early for a reason that was not given.");
    }
}

} // namespace lookback
