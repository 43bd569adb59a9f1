// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/metrics_writer.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/run/run_folder.h"

namespace lookback::run {

namespace {

/// About 20 MB; a run that cannot write for longer loses the oldest of its waiting lines.
constexpr std::size_t kMostWaiting = 100'000;

} // namespace

void cutMetrics(const std::filesystem::path &file, std::int64_t step)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored))
            return;
        throw Error(file.string(), "The metrics log cannot be read: " + std::system_category().message(errno) + ".",
                    "Check who may read the folder.");
    }
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    stream.close();

    std::string kept;
    std::int64_t last = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        if (end == std::string::npos)
            break; // a line that was cut
        const std::string_view line(text.data() + begin, end - begin);
        begin = end + 1;
        const std::optional<MetricsRecord> record = parseMetricsLine(line);
        if (!record || record->step <= last || record->step > step)
            continue;
        last = record->step;
        kept.append(line).push_back('\n');
    }
    if (kept != text)
        writeFileWhole(file, kept);
}

MetricsWriter::MetricsWriter(std::filesystem::path file) : m_file(std::move(file)) { }

MetricsWriter::~MetricsWriter()
{
    flush();
    if (m_handle >= 0)
        close(m_handle);
}

bool MetricsWriter::append(const MetricsRecord &record)
{
    m_waiting.push_back({record.step, metricsLine(record) + "\n"});
    if (m_waiting.size() > kMostWaiting)
        m_waiting.pop_front();
    return writeWaiting();
}

bool MetricsWriter::flush()
{
    if (!writeWaiting())
        return false;
    if (m_handle >= 0 && fsync(m_handle) != 0 && errno != EINVAL && errno != EROFS)
        return refuse(errno);
    return true;
}

bool MetricsWriter::writeWaiting()
{
    while (!m_waiting.empty()) {
        if (m_handle < 0) {
            m_handle = open(m_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
            if (m_handle < 0)
                return refuse(errno);
        }
        struct stat before { };
        if (fstat(m_handle, &before) != 0)
            return refuse(errno);
        const std::string &text = m_waiting.front().text;
        const ssize_t count = write(m_handle, text.data(), text.size());
        if (count != static_cast<ssize_t>(text.size())) {
            const int error = count < 0 ? errno : ENOSPC;
            // Take a half line away, so that the next one is not glued to it.
            if (count > 0 && ftruncate(m_handle, before.st_size) != 0)
                return refuse(errno);
            return refuse(error);
        }
        m_waiting.pop_front();
    }
    m_reason.clear();
    return true;
}

bool MetricsWriter::refuse(int error)
{
    m_reason = std::system_category().message(error);
    if (m_handle >= 0) {
        close(m_handle); // a later call opens anew: the folder may have been replaced or become writable
        m_handle = -1;
    }
    return false;
}

} // namespace lookback::run
