// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <string>

namespace lookback {

/// The one exception of core: what happened, to which thing, and what to do now.
///
/// Thrown by core; caught at the top of each thread, in `main` and by the window. `what()` is the text of
/// sentence(). Core text is English; numbers in it use a dot and no separators that depend on a locale.
class Error : public std::exception {
public:
    /// `subject`: the file, option or field concerned, as the user knows it ("--window", "runs/rope/run.json").
    /// `message`: one sentence that says what is wrong. `remedy`: one sentence that says what to do now (may be empty).
    /// `details`: raw text of a library for the log and the "Details" fold (may be empty).
    Error(std::string subject, std::string message, std::string remedy = {}, std::string details = {});

    const std::string &subject() const noexcept { return m_subject; }
    const std::string &message() const noexcept { return m_message; }
    const std::string &remedy() const noexcept { return m_remedy; }
    const std::string &details() const noexcept { return m_details; }

    /// "subject: message remedy", on one line.
    const std::string &sentence() const noexcept { return m_sentence; }
    const char *what() const noexcept override { return m_sentence.c_str(); }

private:
    std::string m_subject;
    std::string m_message;
    std::string m_remedy;
    std::string m_details;
    std::string m_sentence;
};

/// The exception being handled as one Error; call only inside a catch block. `subject` names the thing that was worked
/// on. An Error passes unchanged, too little memory gets a remedy, the text of anything else goes into details(). Code
/// that computes with LibTorch uses currentError (core/torch_thread.h), which knows its exceptions too.
Error caughtError(const std::string &subject);

/// Thrown by a long computation whose std::stop_token was asked to stop. Not an Error: nothing went wrong.
class Cancelled : public std::exception {
public:
    const char *what() const noexcept override { return "cancelled"; }
};

} // namespace lookback
