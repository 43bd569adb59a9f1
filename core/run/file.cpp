// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/json.h"
#include "core/run/size_signal.h"

namespace lookback::run {

namespace {

constexpr std::string_view kTemporaryPrefix = ".lookback-";
constexpr std::string_view kTemporarySuffix = ".tmp";
// One call to write or read takes at most 2^31 - 4096 bytes on Linux; a smaller piece also bounds a signal's delay.
constexpr std::size_t kPieceBytes = std::size_t{1} << 26U;

std::filesystem::path folderOf(const std::filesystem::path &file)
{
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Short, whatever the file's own name, so that no name becomes too long; unique within the machine.
std::filesystem::path temporaryFor(const std::filesystem::path &file)
{
    static std::atomic<std::uint64_t> counter{0};
    std::string name(kTemporaryPrefix);
    name += std::to_string(getpid());
    name += "-";
    name += std::to_string(counter++);
    name += kTemporarySuffix;
    return folderOf(file) / name;
}

void flushFolder(const std::filesystem::path &folder)
{
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return; // a folder that can be written but not read: the rename itself has succeeded
    fsync(descriptor);
    ::close(descriptor);
}

} // namespace

std::string systemReason(int systemError)
{
    switch (systemError) {
    case ENOSPC:
        return "the disk is full";
    case EDQUOT:
        return "the disk quota is used up";
    case EFBIG:
        return "the file would exceed the size limit of this process";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the medium is read-only";
    case ENOENT:
        return "it does not exist";
    case ENOTDIR:
        return "a part of its path is not a folder";
    case EISDIR:
        return "it is a folder";
    case EEXIST:
    case ENOTEMPTY:
        return "it exists already";
    case ENAMETOOLONG:
        return "the name is too long";
    case EIO:
        return "the medium reported an error";
    case EMFILE:
    case ENFILE:
        return "too many files are open";
    case ELOOP:
        return "its links run in a circle";
    default:
        return std::generic_category().message(systemError);
    }
}

std::string systemRemedy(int systemError)
{
    switch (systemError) {
    case ENOSPC:
        return "Free some space or choose another folder.";
    case EDQUOT:
        return "Delete something of yours there, ask for a larger quota, or choose another folder.";
    case EFBIG:
        return "Raise the limit (ulimit -f) or choose a smaller configuration.";
    case EACCES:
    case EPERM:
    case EROFS:
        return "Choose a folder that you may write to.";
    case ENOENT:
    case ENOTDIR:
        return "Check the path.";
    case ENAMETOOLONG:
        return "Choose a shorter name.";
    case EMFILE:
    case ENFILE:
        return "Close some programs, or raise the limit (ulimit -n).";
    default:
        return "Try again or choose another folder.";
    }
}

std::string bytesInWords(std::uint64_t bytes)
{
    if (bytes == 1)
        return "1 byte";
    if (bytes < 1000)
        return std::to_string(bytes) + " bytes";
    constexpr std::array kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
    double value = static_cast<double>(bytes) / 1000.0;
    std::size_t unit = 0;
    while (value >= 999.95 && unit + 1 < kUnits.size()) {
        value /= 1000.0;
        ++unit;
    }
    std::array<char, 32> text{};
    const auto [end, fault] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1);
    return std::string(text.data(), fault == std::errc() ? end : text.data()) + " " + kUnits[unit];
}

WholeFileWriter::WholeFileWriter(std::filesystem::path file)
    : m_file(std::move(file)), m_temporary(temporaryFor(m_file))
{
    do {
        m_descriptor = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        // A name left over from a former process of the same number: take the next one.
        if (m_descriptor < 0 && errno == EEXIST)
            m_temporary = temporaryFor(m_file);
        else if (m_descriptor < 0 && errno != EINTR)
            fail(errno);
    } while (m_descriptor < 0);
}

WholeFileWriter::~WholeFileWriter()
{
    discard();
}

void WholeFileWriter::discard()
{
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
    if (!m_temporary.empty())
        ::unlink(std::exchange(m_temporary, {}).c_str());
}

void WholeFileWriter::fail(int systemError)
{
    if (m_descriptor < 0)
        m_temporary.clear(); // it was never made
    discard();
    std::error_code fault;
    const std::filesystem::path folder = folderOf(m_file);
    if (systemError == ENOENT && !std::filesystem::exists(folder, fault)) {
        throw Error(m_file.string(), "It cannot be written: there is no folder " + inQuotes(folder.string()) + ".",
                    "Make that folder first, or choose another.");
    }
    throw Error(m_file.string(), "It cannot be written: " + systemReason(systemError) + ".", systemRemedy(systemError));
}

void WholeFileWriter::write(const void *bytes, std::size_t count)
{
    const SizeSignalBlock sizeSignalBlock;
    const char *next = static_cast<const char *>(bytes);
    while (count > 0) {
        const ssize_t written = ::write(m_descriptor, next, std::min(count, kPieceBytes));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            fail(written < 0 ? errno : ENOSPC);
        next += written;
        count -= static_cast<std::size_t>(written);
    }
}

void WholeFileWriter::commit()
{
    if (fsync(m_descriptor) != 0 && errno != EINVAL && errno != EROFS) // some file systems cannot flush
        fail(errno);
    if (::close(std::exchange(m_descriptor, -1)) != 0 && errno != EINTR) {
        const int reason = errno; // a network file system reports a full disk only here
        discard();
        fail(reason);
    }
    if (::rename(m_temporary.c_str(), m_file.c_str()) != 0) {
        const int reason = errno;
        discard();
        fail(reason);
    }
    m_temporary.clear();
    flushFolder(folderOf(m_file));
}

void writeFileWhole(const std::filesystem::path &file, const void *bytes, std::size_t count)
{
    WholeFileWriter writer(file);
    writer.write(bytes, count);
    writer.commit();
}

void writeFileWhole(const std::filesystem::path &file, std::string_view bytes)
{
    writeFileWhole(file, bytes.data(), bytes.size());
}

InputFile::InputFile(std::filesystem::path file) : m_file(std::move(file))
{
    // O_NONBLOCK: opening a pipe must not wait for its writer; it means nothing for a regular file.
    m_descriptor = ::open(m_file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_descriptor < 0)
        throw Error(m_file.string(), "It cannot be read: " + systemReason(errno) + ".", "Check the path.");
    struct stat status { };
    const bool isKnown = fstat(m_descriptor, &status) == 0;
    if (isKnown && S_ISREG(status.st_mode)) {
        m_size = static_cast<std::uint64_t>(status.st_size);
        return;
    }
    const int reason = errno;
    ::close(std::exchange(m_descriptor, -1));
    if (!isKnown)
        throw Error(m_file.string(), "It cannot be read: " + systemReason(reason) + ".", "Check the path.");
    throw Error(m_file.string(),
                S_ISDIR(status.st_mode) ? "This is a folder, not a file." : "This is not a regular file.",
                "Choose a file.");
}

InputFile::~InputFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

std::size_t InputFile::read(void *bytes, std::size_t count)
{
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got =
            ::read(m_descriptor, static_cast<char *>(bytes) + done, std::min(count - done, kPieceBytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw Error(m_file.string(), "It cannot be read: " + systemReason(errno) + ".",
                        "Check the medium and try again.");
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

void InputFile::moveTo(std::uint64_t offset)
{
    if (::lseek(m_descriptor, static_cast<off_t>(offset), SEEK_SET) < 0)
        throw Error(m_file.string(), "It cannot be read: " + systemReason(errno) + ".",
                    "Check the medium and try again.");
}

std::string readFileWhole(const std::filesystem::path &file, std::uint64_t maximumBytes)
{
    InputFile input(file);
    if (input.size() > maximumBytes)
        throw Error(file.string(),
                    "It has " + bytesInWords(input.size()) + ", but such a file has at most "
                        + bytesInWords(maximumBytes) + ".",
                    "Choose the right file.");
    std::string content(input.size(), '\0');
    content.resize(input.read(content.data(), content.size()));
    return content;
}

void removeLeftoverFiles(const std::filesystem::path &folder)
{
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix))
            continue;
        pid_t writer = 0;
        std::from_chars(name.data() + kTemporaryPrefix.size(), name.data() + name.size(), writer);
        const bool isWriterGone = writer > 0 && kill(writer, 0) != 0 && errno == ESRCH;
        if (isWriterGone)
            ::unlink(entry->path().c_str());
    }
}

} // namespace lookback::run
