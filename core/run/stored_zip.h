// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

struct zip;
struct zip_stat;

namespace lookback::run {

/// A zip archive without compression, as torch.save writes it, open for reading. Everything it refuses is an Error that
/// names the file. For one thread.
class StoredZip {
public:
    /// From memory, which must outlive this; `subject` names it.
    StoredZip(std::string_view bytes, const std::string &subject);
    /// Only the list of contents is read here; the content stays in the file until it is asked for.
    explicit StoredZip(const std::filesystem::path &file);
    ~StoredZip();
    StoredZip(const StoredZip &) = delete;
    StoredZip &operator=(const StoredZip &) = delete;

    std::uint64_t entryCount() const;
    std::string entryName(std::uint64_t index) const;
    bool has(const std::string &name) const;
    std::uint64_t sizeOf(const std::string &name) const;
    /// Bytes of the whole archive.
    std::uint64_t size() const { return m_size; }

    /// The content of an entry of at most `largest` bytes; its checksum is compared.
    std::string text(const std::string &name, std::uint64_t largest) const;
    std::vector<std::byte> bytes(const std::string &name, std::uint64_t largest) const;

    /// "The checkpoint is damaged: `what`."
    [[noreturn]] void damaged(const std::string &what) const;

private:
    void requireZip(std::string_view beginning) const;
    template <typename MakeSource> void open(const MakeSource &makeSource);
    struct zip_stat statOf(const std::string &name) const;
    template <typename Bytes> Bytes read(const std::string &name, std::uint64_t largest) const;

    std::string m_subject;
    std::uint64_t m_size = 0;
    struct zip *m_zip = nullptr;
};

} // namespace lookback::run
