// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/checkpoint_torch.h"

#include <cstring>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "core/error.h"

namespace lookback::run {

namespace {

at::ScalarType scalarType(const StoredTensor &stored)
{
    static constexpr std::pair<const char *, at::ScalarType> kTypes[] = {
        {"F32", at::kFloat}, {"F64", at::kDouble}, {"I64", at::kLong},
        {"I32", at::kInt},   {"U8", at::kByte},    {"BOOL", at::kBool},
    };
    for (const auto &[name, type] : kTypes) {
        if (stored.dtype == name)
            return type;
    }
    throw Error(stored.name, "The tensor has type " + stored.dtype + ", which is not used here.",
                "Types are F32, F64, I64, I32, U8 and BOOL.");
}

} // namespace

StoredTensor storedTensor(const std::string &name, const at::Tensor &tensor)
{
    const at::Tensor plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    StoredTensor stored{.name = name, .dtype = "F32", .shape = plain.sizes().vec(), .bytes = {}};
    stored.bytes.resize(plain.nbytes());
    if (!stored.bytes.empty())
        std::memcpy(stored.bytes.data(), plain.const_data_ptr(), stored.bytes.size());
    return stored;
}

at::Tensor tensorOf(const StoredTensor &stored)
{
    at::Tensor tensor = at::empty(stored.shape, at::TensorOptions().dtype(scalarType(stored)).device(at::kCPU));
    if (tensor.nbytes() != stored.bytes.size())
        throw Error(stored.name, "The tensor's bytes do not fit its shape.");
    if (!stored.bytes.empty())
        std::memcpy(tensor.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
    return tensor;
}

std::vector<model::NamedTensor> tensorsOf(const std::vector<StoredTensor> &stored)
{
    std::vector<model::NamedTensor> tensors;
    tensors.reserve(stored.size());
    for (const StoredTensor &one : stored)
        tensors.emplace_back(one.name, tensorOf(one));
    return tensors;
}

LoadedModel loadModel(const RunFolder &folder, std::int64_t step, at::Device device, Kernels kernels)
{
    const RunRecord record = folder.readRecord();
    Checkpoint checkpoint = checkpointAt(folder, step, CheckpointParts::Weights);
    const auto refuse = [&](std::string_view field, const std::string &there, const std::string &wanted) {
        throw Error(folder.path().string(),
                    "The checkpoint of step " + std::to_string(checkpoint.step) + " has " + std::string(field) + " "
                        + there + ", the run's run.json says " + wanted + ".",
                    "Open the checkpoint in the folder that it was trained in.");
    };
    if (record.config.variant != checkpoint.config.variant)
        refuse("variant", checkpoint.config.variant, record.config.variant);
    for (const ConfigField &field : configFields()) {
        const std::string there = fieldText(checkpoint.config, field.name);
        const std::string wanted = fieldText(record.config, field.name);
        if (field.changesModel && there != wanted)
            refuse(field.name, there, wanted);
    }
    model::Transformer model(record.config, at::kFloat, device);
    model.setKernels(kernels);
    model.load(tensorsOf(checkpoint.weights));
    return {.model = std::move(model), .step = checkpoint.step, .config = record.config};
}

} // namespace lookback::run
