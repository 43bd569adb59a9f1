// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include <zip.h>

#include "core/error.h"
#include "core/run/file.h"
#include "core/run/pickle.h"
#include "core/run/torch_archive.h"

namespace lookback::run {

void writeTorchCheckpoint(const std::filesystem::path &file, const TorchCheckpoint &checkpoint)
{
    using Kind = PickleValue::Kind;
    std::deque<PickleValue> values;
    const auto make = [&](Kind kind) -> PickleValue & {
        values.emplace_back();
        values.back().kind = kind;
        return values.back();
    };
    const auto text = [&](Kind kind, std::string words) {
        PickleValue &value = make(kind);
        value.text = std::move(words);
        return &value;
    };
    const auto integer = [&](std::int64_t number) {
        PickleValue &value = make(Kind::Integer);
        value.integer = number;
        return &value;
    };
    const auto integers = [&](const std::vector<std::int64_t> &numbers) {
        PickleValue &value = make(Kind::Sequence);
        for (const std::int64_t number : numbers)
            value.items.push_back(integer(number));
        return &value;
    };
    const PickleValue *rebuild = text(Kind::Class, "torch._utils _rebuild_tensor_v2");
    const PickleValue *floats = text(Kind::Class, "torch FloatStorage");
    PickleValue &hooks = make(Kind::Call);
    hooks.items = {text(Kind::Class, "collections OrderedDict")};
    const PickleValue *no = &make(Kind::Boolean);
    PickleValue &state = make(Kind::Dictionary);
    for (std::size_t i = 0; i < checkpoint.weights.size(); ++i) {
        const StoredTensor &weight = checkpoint.weights[i];
        if (weight.dtype != "F32")
            throw Error(weight.name, "Only float32 weights can be written for PyTorch.");
        std::vector<std::int64_t> strides(weight.shape.size(), 1);
        for (std::size_t k = strides.size(); k-- > 1;)
            strides[k - 1] = strides[k] * weight.shape[k];
        PickleValue &stored = make(Kind::Stored);
        stored.items = {text(Kind::Text, "storage"), floats, text(Kind::Text, std::to_string(i)),
                        text(Kind::Text, "cpu"), integer(static_cast<std::int64_t>(weight.bytes.size() / 4))};
        PickleValue &tensor = make(Kind::Call);
        tensor.items = {rebuild, &stored, integer(0), integers(weight.shape), integers(strides), no, &hooks};
        state.items.push_back(text(Kind::Text, weight.name));
        state.items.push_back(&tensor);
    }
    PickleValue &root = make(Kind::Dictionary);
    root.items = {text(Kind::Text, "step"),        integer(checkpoint.step),
                  text(Kind::Text, "variant"),     text(Kind::Text, checkpoint.variant),
                  text(Kind::Text, "model_state"), &state};

    const std::string description = pickled(root);
    const auto fail = [&](const std::string &words) {
        throw Error(file.string(), "The checkpoint for PyTorch cannot be put together.", {}, words);
    };
    zip_error_t fault;
    zip_error_init(&fault);
    zip_source_t *memory = zip_source_buffer_create(nullptr, 0, 0, &fault);
    zip_t *zip = memory ? zip_open_from_source(memory, ZIP_TRUNCATE, &fault) : nullptr;
    if (!zip) {
        if (memory)
            zip_source_free(memory);
        fail(zip_error_strerror(&fault));
    }
    zip_source_keep(memory); // the archive's bytes are read from it after closing
    const std::unique_ptr<zip_source_t, void (*)(zip_source_t *)> keeper(memory, &zip_source_free);
    const std::string folder = file.stem().string() + "/";
    const auto add = [&](const std::string &name, const void *bytes, std::size_t count) {
        zip_source_t *source = zip_source_buffer(zip, bytes, count, 0);
        const zip_int64_t index = source ? zip_file_add(zip, (folder + name).c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
        if (index < 0 || zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0
            || zip_file_set_mtime(zip, static_cast<zip_uint64_t>(index), 0, 0) != 0) { // same content, same bytes
            const std::string words = zip_strerror(zip);
            if (source && index < 0)
                zip_source_free(source);
            zip_discard(zip);
            fail(words);
        }
    };
    static constexpr std::string_view kByteOrder = "little";
    static constexpr std::string_view kVersion = "3\n";
    add("data.pkl", description.data(), description.size());
    add("byteorder", kByteOrder.data(), kByteOrder.size());
    for (std::size_t i = 0; i < checkpoint.weights.size(); ++i)
        add("data/" + std::to_string(i), checkpoint.weights[i].bytes.data(), checkpoint.weights[i].bytes.size());
    add("version", kVersion.data(), kVersion.size());
    if (zip_close(zip) != 0) {
        const std::string words = zip_strerror(zip);
        zip_discard(zip);
        fail(words);
    }
    if (zip_source_open(memory) != 0)
        fail("the archive cannot be read back");
    zip_source_seek(memory, 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(std::max<zip_int64_t>(0, zip_source_tell(memory))), '\0');
    zip_source_seek(memory, 0, SEEK_SET);
    const zip_int64_t count = zip_source_read(memory, bytes.data(), bytes.size());
    zip_source_close(memory);
    if (count != static_cast<zip_int64_t>(bytes.size()))
        fail("the archive cannot be read back");
    writeFileWhole(file, bytes);
}

} // namespace lookback::run
