// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/stored_zip.h"

#include <memory>

#include <zip.h>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"

namespace lookback::run {

namespace {

constexpr const char *kAnotherFile = "Choose a checkpoint that torch.save wrote, or copy the file again.";
constexpr std::string_view kMagic = "PK";

} // namespace

template <typename MakeSource> void StoredZip::open(const MakeSource &makeSource)
{
    zip_error_t fault;
    zip_error_init(&fault);
    zip_source_t *source = makeSource(&fault);
    m_zip = source ? zip_open_from_source(source, ZIP_RDONLY, &fault) : nullptr;
    const std::string words = zip_error_strerror(&fault);
    zip_error_fini(&fault);
    if (!m_zip) {
        if (source)
            zip_source_free(source);
        throw Error(m_subject, "The checkpoint is damaged: its list of contents cannot be read.", kAnotherFile, words);
    }
}

StoredZip::StoredZip(std::string_view bytes, const std::string &subject) : m_subject(subject), m_size(bytes.size())
{
    requireZip(bytes);
    open([&](zip_error_t *fault) { return zip_source_buffer_create(bytes.data(), bytes.size(), 0, fault); });
}

StoredZip::StoredZip(const std::filesystem::path &file) : m_subject(file.string())
{
    InputFile input(file); // refuses what is no regular file
    m_size = input.size();
    std::string beginning(kMagic.size(), '\0');
    beginning.resize(input.read(beginning.data(), beginning.size()));
    requireZip(beginning);
    open([&](zip_error_t *fault) { return zip_source_file_create(file.c_str(), 0, -1, fault); });
}

StoredZip::~StoredZip()
{
    zip_discard(m_zip);
}

void StoredZip::requireZip(std::string_view beginning) const
{
    if (!beginning.starts_with(kMagic)) {
        throw Error(m_subject, "This is not a PyTorch checkpoint.",
                    "Choose a file that torch.save wrote (PyTorch 1.6 or later).");
    }
}

std::uint64_t StoredZip::entryCount() const
{
    const zip_int64_t count = zip_get_num_entries(m_zip, 0);
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

std::string StoredZip::entryName(std::uint64_t index) const
{
    const char *name = zip_get_name(m_zip, index, ZIP_FL_ENC_RAW);
    return name ? name : "";
}

bool StoredZip::has(const std::string &name) const
{
    return zip_name_locate(m_zip, name.c_str(), 0) >= 0;
}

std::uint64_t StoredZip::sizeOf(const std::string &name) const
{
    return statOf(name).size;
}

std::string StoredZip::text(const std::string &name, std::uint64_t largest) const
{
    return read<std::string>(name, largest);
}

std::vector<std::byte> StoredZip::bytes(const std::string &name, std::uint64_t largest) const
{
    return read<std::vector<std::byte>>(name, largest);
}

template <typename Bytes> Bytes StoredZip::read(const std::string &name, std::uint64_t largest) const
{
    const zip_stat_t stat = statOf(name);
    if (stat.size > largest)
        damaged(inQuotes(name) + " is larger than it can be");
    Bytes bytes(static_cast<std::size_t>(stat.size), {});
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t *)> entry(zip_fopen_index(m_zip, stat.index, 0), &zip_fclose);
    if (!entry)
        damaged(inQuotes(name) + " cannot be read");
    std::uint64_t done = 0;
    while (done < stat.size) {
        const zip_int64_t count = zip_fread(entry.get(), bytes.data() + done, stat.size - done);
        if (count <= 0)
            damaged(inQuotes(name) + " ends early or its checksum does not fit");
        done += static_cast<std::uint64_t>(count);
    }
    char more = 0;
    if (zip_fread(entry.get(), &more, 1) != 0) // compares the checksum
        damaged("the checksum of " + inQuotes(name) + " does not fit");
    return bytes;
}

void StoredZip::damaged(const std::string &what) const
{
    throw Error(m_subject, "The checkpoint is damaged: " + what + ".", kAnotherFile);
}

struct zip_stat StoredZip::statOf(const std::string &name) const
{
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat(m_zip, name.c_str(), 0, &stat) != 0)
        damaged(inQuotes(name) + " is missing");
    if (stat.encryption_method != ZIP_EM_NONE || stat.comp_method != ZIP_CM_STORE) {
        throw Error(m_subject, "The checkpoint was packed again: " + inQuotes(name) + " is compressed.",
                    "Use the file as torch.save wrote it, which never compresses.");
    }
    if (stat.size > m_size || stat.comp_size != stat.size)
        damaged(inQuotes(name) + " is larger than the file");
    return stat;
}

} // namespace lookback::run
