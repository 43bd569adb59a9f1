// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lookback::run {

/// Writes a whole file: temporary name in the same folder, every byte counted, flush, rename, flush the folder.
/// Throws Error naming the file and the system's reason; the old file, if any, is untouched then and the temporary one
/// is gone. A file size limit of the process is an error too, not a signal.
void writeFileWhole(const std::filesystem::path &file, std::string_view bytes);
void writeFileWhole(const std::filesystem::path &file, const void *bytes, std::size_t count);

/// writeFileWhole in pieces, for files that need not be in memory twice. Nothing appears under the file's name before
/// commit(); destroyed without it, nothing is left behind. For one thread.
class WholeFileWriter {
public:
    explicit WholeFileWriter(std::filesystem::path file);
    ~WholeFileWriter();
    WholeFileWriter(const WholeFileWriter &) = delete;
    WholeFileWriter &operator=(const WholeFileWriter &) = delete;

    void write(const void *bytes, std::size_t count);
    void commit();

private:
    [[noreturn]] void fail(int systemError);
    void discard();

    std::filesystem::path m_file;
    std::filesystem::path m_temporary;
    int m_descriptor = -1;
};

/// A regular file opened for reading, whose size is known. Throws Error (missing, a folder, no permission, ...).
class InputFile {
public:
    explicit InputFile(std::filesystem::path file);
    ~InputFile();
    InputFile(const InputFile &) = delete;
    InputFile &operator=(const InputFile &) = delete;

    std::uint64_t size() const { return m_size; }
    /// Up to `count` bytes; fewer only at the end of the file. Throws Error if the medium fails.
    std::size_t read(void *bytes, std::size_t count);
    /// The next read begins at that byte.
    void moveTo(std::uint64_t offset);

private:
    std::filesystem::path m_file;
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
};

/// The content of a small file. Throws Error as InputFile does, and if it is larger than `maximumBytes`.
std::string readFileWhole(const std::filesystem::path &file, std::uint64_t maximumBytes = 64U << 20U);

/// Removes temporary files in `folder` whose writer has ended. For whoever owns the folder, before it is written to.
void removeLeftoverFiles(const std::filesystem::path &folder);

/// "the disk is full", "permission denied", ...: a system error in words, without a dot.
std::string systemReason(int systemError);

/// What to do after such an error while something was to be written, as a sentence.
std::string systemRemedy(int systemError);

/// "812 bytes", "12.1 MB", "3.0 GB" (powers of 1000).
std::string bytesInWords(std::uint64_t bytes);

} // namespace lookback::run
