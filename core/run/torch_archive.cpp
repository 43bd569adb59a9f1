// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/torch_archive.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/run/pickle.h"
#include "core/run/stored_zip.h"

namespace lookback::run {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in the file");

constexpr std::uint64_t kLargestDescription = 1U << 20U;

struct StorageType {
    std::string_view name; ///< Of the class in module "torch".
    std::size_t bytes; ///< Of one element.
    float (*value)(const std::byte *bytes);
};

template <typename Number> Number numberAt(const std::byte *bytes)
{
    Number number{};
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

float fromHalf(const std::byte *bytes)
{
    const std::uint32_t half = numberAt<std::uint16_t>(bytes);
    const std::uint32_t sign = (half & 0x8000U) << 16U;
    const std::uint32_t exponent = half >> 10U & 31U;
    const std::uint32_t fraction = half & 1023U;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13U);
    if (exponent == 0) {
        const float small = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -small : small;
    }
    return std::bit_cast<float>(sign | (exponent + 112U) << 23U | fraction << 13U);
}

constexpr std::array kStorageTypes{
    StorageType{"torch FloatStorage", 4, [](const std::byte *bytes) { return numberAt<float>(bytes); }},
    StorageType{"torch DoubleStorage", 8,
                [](const std::byte *bytes) { return static_cast<float>(numberAt<double>(bytes)); }},
    StorageType{"torch HalfStorage", 2, &fromHalf},
    StorageType{"torch BFloat16Storage", 2,
                [](const std::byte *bytes) {
                    return std::bit_cast<float>(std::uint32_t{numberAt<std::uint16_t>(bytes)} << 16U);
                }},
};

/// Turns the description into tensors.
class TensorReader {
public:
    TensorReader(const StoredZip &archive, std::string folder, TorchArchiveParts parts)
        : m_archive(archive), m_folder(std::move(folder)), m_parts(parts)
    {
    }

    StoredTensor tensor(const std::string &name, const PickleValue &value)
    {
        const PickleValue &plain = unwrapped(name, value);
        if (plain.kind != PickleValue::Kind::Call || plain.items.size() < 5
            || plain.items[0]->text != "torch._utils _rebuild_tensor_v2")
            refuse(name, plain);
        const PickleValue &stored = *plain.items[1];
        if (stored.kind != PickleValue::Kind::Stored || stored.items.size() < 5
            || stored.items[1]->kind != PickleValue::Kind::Class || stored.items[2]->kind != PickleValue::Kind::Text)
            m_archive.damaged("the data of " + inQuotes(name) + " is described in another way than PyTorch does");
        const auto type = std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                                       [&](const StorageType &known) { return known.name == stored.items[1]->text; });
        if (type == kStorageTypes.end()) {
            throw Error(inQuotes(name), "The tensor is of the type " + inQuotes(stored.items[1]->text) + ".",
                        "Weights must be float32, float64, float16 or bfloat16.");
        }
        const std::uint64_t storedCount = whole(name, *stored.items[4]);
        const std::uint64_t offset = whole(name, *plain.items[2]);
        const std::vector<std::uint64_t> extents = wholes(name, *plain.items[3]);
        const std::vector<std::uint64_t> strides = wholes(name, *plain.items[4]);
        if (extents.size() != strides.size())
            m_archive.damaged("the shape of " + inQuotes(name) + " makes no sense");

        const std::string entry = m_folder + "data/" + stored.items[2]->text;
        const std::uint64_t bytes = m_archive.sizeOf(entry);
        if (bytes / type->bytes < storedCount || bytes % type->bytes != 0)
            m_archive.damaged("the data of " + inQuotes(name) + " has another size than its description says");
        const std::uint64_t count = countOf(name, extents, strides, offset, storedCount);
        countAsked(count * type->bytes); // at most the entry's size, which is at most the file's

        StoredTensor result{.name = name, .dtype = "F32", .shape = {}, .bytes = {}};
        for (const std::uint64_t extent : extents)
            result.shape.push_back(static_cast<std::int64_t>(extent));
        if (m_parts == TorchArchiveParts::All && count > 0)
            copy(result, *type, storageOf(entry, bytes), offset, extents, strides, count);
        return result;
    }

private:
    using Bytes = std::vector<std::byte>;

    /// A torch.nn.Parameter holds its tensor.
    static const PickleValue &unwrapped(const std::string &, const PickleValue &value)
    {
        const bool isParameter = value.kind == PickleValue::Kind::Call && value.items.size() >= 2
            && value.items[0]->text == "torch._utils _rebuild_parameter";
        return isParameter ? *value.items[1] : value;
    }

    [[noreturn]] void refuse(const std::string &name, const PickleValue &value) const
    {
        std::string what = "something that is no tensor";
        if (value.kind == PickleValue::Kind::Call || value.kind == PickleValue::Kind::Class) {
            std::string type = value.kind == PickleValue::Kind::Call ? value.items[0]->text : value.text;
            std::replace(type.begin(), type.end(), ' ', '.');
            what = "a Python object of the type " + inQuotes(type);
        }
        throw Error(inQuotes(name), "The checkpoint holds " + what + " here, which is not opened.",
                    "Nothing in a file is ever executed: save plain tensors (model.state_dict()).");
    }

    std::uint64_t whole(const std::string &name, const PickleValue &value) const
    {
        if (value.kind != PickleValue::Kind::Integer || value.integer < 0)
            m_archive.damaged("a size of " + inQuotes(name) + " is no whole number");
        return static_cast<std::uint64_t>(value.integer);
    }

    std::vector<std::uint64_t> wholes(const std::string &name, const PickleValue &value) const
    {
        constexpr std::size_t kMostAxes = 8;
        if (value.kind != PickleValue::Kind::Sequence || value.items.size() > kMostAxes)
            m_archive.damaged("the shape of " + inQuotes(name) + " makes no sense");
        std::vector<std::uint64_t> numbers;
        for (const PickleValue *item : value.items)
            numbers.push_back(whole(name, *item));
        return numbers;
    }

    /// Elements of the tensor, all of which lie inside the storage. One that repeats elements (stride 0) is refused if
    /// it has more of them than the storage.
    std::uint64_t countOf(const std::string &name, const std::vector<std::uint64_t> &extents,
                          const std::vector<std::uint64_t> &strides, std::uint64_t offset,
                          std::uint64_t storedCount) const
    {
        const bool isEmpty = std::find(extents.begin(), extents.end(), 0U) != extents.end();
        if (isEmpty && offset <= storedCount)
            return 0;
        std::uint64_t count = 1;
        std::uint64_t last = offset;
        bool isInside = !isEmpty;
        for (std::size_t i = 0; isInside && i < extents.size(); ++i) {
            std::uint64_t reach = 0;
            const bool overflows = __builtin_mul_overflow(count, extents[i], &count)
                || __builtin_mul_overflow(extents[i] - 1, strides[i], &reach)
                || __builtin_add_overflow(last, reach, &last);
            isInside = !overflows && count <= storedCount;
        }
        if (!isInside || last >= storedCount)
            m_archive.damaged("the tensor " + inQuotes(name) + " leaves its data");
        return count;
    }

    /// Many names for one piece of data would be as many copies of it.
    void countAsked(std::uint64_t bytes)
    {
        constexpr std::uint64_t kMostNamesEach = 4; // tied weights have two names
        m_askedBytes += bytes;
        if (m_askedBytes / kMostNamesEach > m_archive.size()) {
            m_archive.damaged("its tensors ask for more than " + std::to_string(kMostNamesEach) + " times the "
                              + bytesInWords(m_archive.size()) + " that it has");
        }
    }

    const Bytes &storageOf(const std::string &entry, std::uint64_t bytes)
    {
        auto found = m_storages.find(entry);
        if (found == m_storages.end()) { // tensors may share one; most have their own
            m_readBytes += bytes;
            if (m_readBytes > m_archive.size())
                m_archive.damaged("its entries lie on top of each other");
            found = m_storages.emplace(entry, m_archive.bytes(entry, bytes)).first;
        }
        return found->second;
    }

    static void copy(StoredTensor &tensor, const StorageType &type, const Bytes &storage, std::uint64_t offset,
                     const std::vector<std::uint64_t> &extents, const std::vector<std::uint64_t> &strides,
                     std::uint64_t count)
    {
        tensor.bytes.resize(static_cast<std::size_t>(count) * sizeof(float));
        std::vector<std::uint64_t> index(extents.size(), 0);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t place = offset;
            for (std::size_t k = 0; k < index.size(); ++k)
                place += index[k] * strides[k];
            const float value = type.value(storage.data() + place * type.bytes);
            std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
            for (std::size_t k = index.size(); k-- > 0 && ++index[k] == extents[k];)
                index[k] = 0;
        }
    }

    const StoredZip &m_archive;
    std::string m_folder;
    TorchArchiveParts m_parts;
    std::map<std::string, Bytes> m_storages;
    std::uint64_t m_askedBytes = 0; ///< By all tensors, as they are stored.
    std::uint64_t m_readBytes = 0; ///< Of all storages.
};

/// The folder inside the archive that holds everything, with its slash.
std::string descriptionFolder(const StoredZip &archive, const std::string &subject)
{
    constexpr std::string_view kDescription = "data.pkl";
    for (std::uint64_t i = 0; i < archive.entryCount(); ++i) {
        const std::string name = archive.entryName(i);
        if (name.ends_with(kDescription) && name.find('/') == name.size() - kDescription.size() - 1)
            return name.substr(0, name.size() - kDescription.size());
    }
    throw Error(subject, "This zip file is not a PyTorch checkpoint: it holds no data.pkl.",
                "Choose a file that torch.save wrote (PyTorch 1.6 or later).");
}

TorchCheckpoint checkpointIn(const StoredZip &archive, const std::string &subject, TorchArchiveParts parts)
{
    const std::string folder = descriptionFolder(archive, subject);
    if (archive.has(folder + "byteorder") && archive.text(folder + "byteorder", kLargestDescription) != "little") {
        throw Error(subject, "The checkpoint was saved on a machine with another byte order.",
                    "Save it again on a little-endian machine.");
    }
    const Pickle pickle(archive.text(folder + "data.pkl", kLargestDescription), subject);
    const PickleValue &root = pickle.root();
    const PickleValue *state = root.find("model_state");
    const PickleValue *step = root.find("step");
    const PickleValue *variant = root.find("variant");
    if (!state || state->kind != PickleValue::Kind::Dictionary) {
        throw Error(subject, "This PyTorch file is not a checkpoint of kvbench: it has no \"model_state\".",
                    "A checkpoint is torch.save({\"step\": ..., \"variant\": ..., \"model_state\": "
                    "model.state_dict()}).");
    }
    TorchCheckpoint checkpoint;
    if (step && (step->kind != PickleValue::Kind::Integer || step->integer < 0))
        archive.damaged("its \"step\" is no whole number");
    checkpoint.step = step ? step->integer : 0;
    if (variant && variant->kind == PickleValue::Kind::Text)
        checkpoint.variant = variant->text;
    TensorReader reader(archive, folder, parts);
    std::map<std::string_view, int> names;
    for (std::size_t i = 0; i + 1 < state->items.size(); i += 2) {
        const PickleValue &name = *state->items[i];
        if (name.kind != PickleValue::Kind::Text || ++names[name.text] > 1)
            archive.damaged("its \"model_state\" has an entry without a name, or two of one name");
        try {
            checkpoint.weights.push_back(reader.tensor(name.text, *state->items[i + 1]));
        } catch (const Error &error) {
            if (error.subject() == subject)
                throw;
            throw Error(subject, error.subject() + ": " + error.message(), error.remedy(), error.details());
        }
    }
    return checkpoint;
}

} // namespace

TorchCheckpoint parseTorchCheckpoint(std::string_view bytes, const std::string &subject, TorchArchiveParts parts)
{
    return checkpointIn(StoredZip(bytes, subject), subject, parts);
}

TorchCheckpoint readTorchCheckpoint(const std::filesystem::path &file, TorchArchiveParts parts)
{
    return checkpointIn(StoredZip(file), file.string(), parts);
}

} // namespace lookback::run
