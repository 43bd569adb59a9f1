// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"

namespace lookback::run {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "tensor bytes are stored as they lie in memory");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kAlignment = 8; // as the reference implementation pads
constexpr std::uint64_t kLargestHeader = 100'000'000; // as the reference implementation refuses
constexpr const char *kMetadata = "__metadata__";

struct Dtype {
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array kDtypes{
    Dtype{"BOOL", 1}, Dtype{"U8", 1},  Dtype{"I8", 1},   Dtype{"F8_E4M3", 1}, Dtype{"F8_E5M2", 1}, Dtype{"I16", 2},
    Dtype{"U16", 2},  Dtype{"F16", 2}, Dtype{"BF16", 2}, Dtype{"I32", 4},     Dtype{"U32", 4},     Dtype{"F32", 4},
    Dtype{"I64", 8},  Dtype{"U64", 8}, Dtype{"F64", 8},  Dtype{"C64", 8},
};

/// Where a tensor lies in the data part.
struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Bytes of a shape; nothing if that does not fit into 63 bits.
std::optional<std::uint64_t> bytesOfShape(const std::vector<std::int64_t> &shape, std::size_t elementBytes)
{
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return 0;
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t bytes = elementBytes;
    for (const std::int64_t extent : shape) {
        const auto factor = static_cast<std::uint64_t>(extent);
        if (bytes > kLargest / factor)
            return std::nullopt;
        bytes *= factor;
    }
    return bytes;
}

class Reader {
public:
    explicit Reader(const std::filesystem::path &file) : m_name(file.string()), m_input(file) { }

    SafetensorsFile read()
    {
        readHeader();
        SafetensorsFile content;
        std::vector<std::pair<Range, StoredTensor>> found;
        for (const auto &[name, value] : m_header.items()) {
            if (name == kMetadata)
                readMetadata(value, content);
            else
                found.push_back(described(name, value));
        }
        std::stable_sort(found.begin(), found.end(), [](const auto &left, const auto &right) {
            return std::pair(left.first.begin, left.first.end) < std::pair(right.first.begin, right.first.end);
        });
        checkCover(found);
        content.tensors.reserve(found.size());
        for (auto &[range, tensor] : found) {
            tensor.bytes.resize(range.end - range.begin);
            if (m_input.read(tensor.bytes.data(), tensor.bytes.size()) != tensor.bytes.size())
                refuse("It became shorter while it was read.");
            content.tensors.push_back(std::move(tensor));
        }
        return content;
    }

private:
    [[noreturn]] void refuse(const std::string &message, const std::string &details = {}) const
    {
        throw Error(m_name, message, "Choose another file, or restore this one from a copy.", details);
    }

    [[noreturn]] void refuseTensor(const std::string &tensor, const std::string &message) const
    {
        refuse("Tensor " + inQuotes(tensor) + " " + message);
    }

    void readHeader()
    {
        if (m_input.size() == 0)
            refuse("It is empty, not a safetensors file.");
        if (m_input.size() < kLengthBytes)
            refuse("It ends after " + bytesInWords(m_input.size()) + ", too early for a safetensors file.");
        std::array<unsigned char, kLengthBytes> lengthBytes{};
        m_input.read(lengthBytes.data(), lengthBytes.size());
        constexpr std::string_view kPointerStart = "version ";
        if (std::equal(kPointerStart.begin(), kPointerStart.end(), lengthBytes.begin()))
            refuse("It is a pointer of a version-control extension; the content itself was not fetched.");
        std::uint64_t length = 0;
        for (std::size_t i = 0; i < lengthBytes.size(); ++i)
            length |= static_cast<std::uint64_t>(lengthBytes[i]) << (8U * i);
        const std::uint64_t rest = m_input.size() - kLengthBytes;
        if (length > kLargestHeader)
            refuse("It is not a safetensors file: its header would have " + bytesInWords(length) + ".");
        if (length > rest)
            refuse("It ends early: its header has " + bytesInWords(length) + ", of which " + bytesInWords(rest)
                   + " are there.");
        std::string text(length, '\0');
        if (m_input.read(text.data(), text.size()) != text.size())
            refuse("It became shorter while it was read.");
        if (text.empty() || text.front() != '{')
            refuse("It is not a safetensors file: its header is not a JSON object.");
        try {
            m_header = parseJson(text, m_name);
        } catch (const Error &error) {
            refuse("It is not a safetensors file: its header is not valid JSON.", error.details());
        }
        m_dataBytes = rest - length;
    }

    void readMetadata(const json &value, SafetensorsFile &content) const
    {
        if (!value.is_object())
            refuse("Its metadata are not texts by name.");
        for (const auto &[name, text] : value.items()) {
            if (!text.is_string())
                refuse("Its metadata " + inQuotes(name) + " are not a text.");
            content.metadata[name] = text.get<std::string>();
        }
    }

    std::pair<Range, StoredTensor> described(const std::string &name, const json &value) const
    {
        if (!value.is_object() || !value.contains("dtype") || !value.contains("shape")
            || !value.contains("data_offsets"))
            refuseTensor(name, "has no type, shape or place.");
        StoredTensor tensor;
        tensor.name = name;
        if (!value["dtype"].is_string())
            refuseTensor(name, "has a type that is not a text.");
        tensor.dtype = value["dtype"].get<std::string>();
        const std::size_t elementBytes = dtypeBytes(tensor.dtype);
        if (elementBytes == 0)
            refuseTensor(name, "has the unknown type " + inQuotes(tensor.dtype) + ".");
        if (!value["shape"].is_array())
            refuseTensor(name, "has a shape that is not a list.");
        for (const json &extent : value["shape"])
            tensor.shape.push_back(static_cast<std::int64_t>(wholeNumber(name, extent)));
        const auto bytes = bytesOfShape(tensor.shape, elementBytes);
        if (!bytes)
            refuseTensor(name, "has a shape of more bytes than a number holds.");
        const json &offsets = value["data_offsets"];
        if (!offsets.is_array() || offsets.size() != 2)
            refuseTensor(name, "has a place that is not a pair of numbers.");
        const Range range{wholeNumber(name, offsets[0]), wholeNumber(name, offsets[1])};
        if (range.begin > range.end)
            refuseTensor(name, "ends before it begins.");
        if (range.end - range.begin != *bytes)
            refuseTensor(name,
                         "has a shape of " + bytesInWords(*bytes) + ", but a place of "
                             + bytesInWords(range.end - range.begin) + ".");
        if (range.end > m_dataBytes)
            refuseTensor(name,
                         "lies beyond the end: the file has " + bytesInWords(m_dataBytes) + " of data, "
                             + bytesInWords(range.end) + " are needed.");
        return {range, std::move(tensor)};
    }

    std::uint64_t wholeNumber(const std::string &name, const json &value) const
    {
        constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest)
            refuseTensor(name, "has a shape or place with a number that is not whole, negative or too large.");
        return value.get<std::uint64_t>();
    }

    void checkCover(const std::vector<std::pair<Range, StoredTensor>> &sorted) const
    {
        std::uint64_t covered = 0;
        for (const auto &[range, tensor] : sorted) {
            if (range.begin < covered)
                refuseTensor(tensor.name, "overlaps the tensor before it.");
            if (range.begin > covered)
                refuseTensor(tensor.name, "leaves a gap before it.");
            covered = range.end;
        }
        if (covered != m_dataBytes)
            refuse("It has " + bytesInWords(m_dataBytes - covered) + " that belong to no tensor.");
    }

    std::string m_name;
    InputFile m_input;
    json m_header = json::object();
    std::uint64_t m_dataBytes = 0;
};

void requireWritable(const StoredTensor &tensor, std::set<std::string> &names, const std::string &file)
{
    const auto refuse = [&](const std::string &message) {
        throw Error(file, "Tensor " + inQuotes(tensor.name) + " " + message, "Nothing was written.");
    };
    if (tensor.name == kMetadata || !names.insert(tensor.name).second)
        refuse("has a name that is taken.");
    const std::size_t elementBytes = dtypeBytes(tensor.dtype);
    if (elementBytes == 0)
        refuse("has the unknown type " + inQuotes(tensor.dtype) + ".");
    for (const std::int64_t extent : tensor.shape) {
        if (extent < 0)
            refuse("has a negative extent.");
    }
    const auto bytes = bytesOfShape(tensor.shape, elementBytes);
    if (!bytes || *bytes != tensor.bytes.size())
        refuse("has bytes that do not fit its shape.");
}

} // namespace

std::size_t dtypeBytes(const std::string &dtype)
{
    for (const Dtype &known : kDtypes) {
        if (known.name == dtype)
            return known.bytes;
    }
    return 0;
}

const StoredTensor *SafetensorsFile::find(const std::string &name) const
{
    for (const StoredTensor &tensor : tensors) {
        if (tensor.name == name)
            return &tensor;
    }
    return nullptr;
}

SafetensorsFile readSafetensors(const std::filesystem::path &file)
{
    return Reader(file).read();
}

void writeSafetensors(const std::filesystem::path &file, const SafetensorsFile &content)
{
    ordered_json header = ordered_json::object();
    if (!content.metadata.empty())
        header[kMetadata] = content.metadata;
    std::set<std::string> names;
    std::uint64_t offset = 0;
    for (const StoredTensor &tensor : content.tensors) {
        requireWritable(tensor, names, file.string());
        const std::uint64_t end = offset + tensor.bytes.size();
        header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const json::exception &error) {
        throw Error(file.string(), "A name or text for its header is not UTF-8.", "Nothing was written.", error.what());
    }
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    if (text.size() > kLargestHeader)
        throw Error(file.string(),
                    "Its header would have " + bytesInWords(text.size()) + ", more than the format allows.",
                    "Nothing was written.");

    std::array<unsigned char, kLengthBytes> lengthBytes{};
    for (std::size_t i = 0; i < lengthBytes.size(); ++i)
        lengthBytes[i] = static_cast<unsigned char>((text.size() >> (8U * i)) & 0xFFU);
    WholeFileWriter writer(file);
    writer.write(lengthBytes.data(), lengthBytes.size());
    writer.write(text.data(), text.size());
    for (const StoredTensor &tensor : content.tensors)
        writer.write(tensor.bytes.data(), tensor.bytes.size());
    writer.commit();
}

} // namespace lookback::run
