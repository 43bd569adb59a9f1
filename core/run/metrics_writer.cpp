// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/metrics_writer.h"

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run/file.h"
#include "core/run/size_signal.h"

namespace lookback::run {

namespace {

/// About 20 MB; a run that cannot write for longer loses the oldest of its waiting lines.
constexpr std::size_t kMostWaiting = 100'000;

/// The text of these lines in pieces of some 64 KiB: a log may be larger than memory should have to hold.
template <typename Function> void forEachPiece(const std::vector<MetricsRecord> &records, Function &&take)
{
    constexpr std::size_t kPieceBytes = 1U << 16U;
    std::string piece;
    for (const MetricsRecord &record : records) {
        piece += metricsLine(record);
        piece += '\n';
        if (piece.size() >= kPieceBytes) {
            take(piece);
            piece.clear();
        }
    }
    if (!piece.empty())
        take(piece);
}

} // namespace

void cutMetrics(const std::filesystem::path &file, std::int64_t step)
{
    std::error_code fault;
    if (!std::filesystem::exists(file, fault) && !fault)
        return;
    // What the reader shows is what is kept, so that a continued log tells the same story as before.
    std::vector<MetricsRecord> kept = readMetrics(file).records;
    std::erase_if(kept, [step](const MetricsRecord &record) { return record.step > step; });

    InputFile input(file);
    std::string found;
    bool isSame = true;
    forEachPiece(kept, [&](const std::string &piece) {
        found.resize(piece.size());
        isSame = isSame && input.read(found.data(), found.size()) == found.size() && found == piece;
    });
    char beyond = 0;
    if (isSame && input.read(&beyond, 1) == 0)
        return;
    WholeFileWriter writer(file);
    forEachPiece(kept, [&](const std::string &piece) { writer.write(piece.data(), piece.size()); });
    writer.commit();
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
            m_handle = open(m_file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
            if (m_handle < 0)
                return refuse(errno);
        }
        struct stat before { };
        if (fstat(m_handle, &before) != 0)
            return refuse(errno);
        if (before.st_nlink == 0) // removed: what is written there, nobody will ever see
            return refuse(ENOENT);
        const std::string &text = m_waiting.front().text;
        const SizeSignalBlock sizeSignalBlock;
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t count = write(m_handle, text.data() + done, text.size() - done);
            if (count > 0) {
                done += static_cast<std::size_t>(count);
            } else if (count == 0 || errno != EINTR) {
                const int error = count == 0 ? ENOSPC : errno;
                // Take a half line away, so that the next one is not glued to it.
                if (done > 0 && ftruncate(m_handle, before.st_size) != 0)
                    return refuse(errno);
                return refuse(error);
            }
        }
        m_waiting.pop_front();
    }
    m_reason.clear();
    return true;
}

bool MetricsWriter::refuse(int error)
{
    m_reason = systemReason(error);
    if (m_handle >= 0) {
        close(m_handle); // a later call opens anew: the folder may have been replaced or become writable
        m_handle = -1;
    }
    return false;
}

} // namespace lookback::run
