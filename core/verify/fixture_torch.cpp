// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/fixture_torch.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/run/checkpoint_torch.h"
#include "core/run/safetensors.h"

namespace lookback::verify {

namespace {

/// The entry for `name` in the fixtures.json of `folder`; an empty object if there is none.
nlohmann::json descriptionOf(const std::filesystem::path &folder, const std::string &name)
{
    const std::filesystem::path file = folder / "fixtures.json";
    std::error_code fault;
    if (!std::filesystem::exists(file, fault))
        return nlohmann::json::object();
    const std::string text = run::readFileWhole(file);
    const nlohmann::json list = parseJson(text, file.string());
    if (!list.is_object() || !list.contains("files") || !list["files"].is_array())
        return nlohmann::json::object();
    for (const nlohmann::json &entry : list["files"]) {
        if (entry.is_object() && entry.value("file", nlohmann::json()) == name)
            return entry;
    }
    return nlohmann::json::object();
}

} // namespace

Fixture::Fixture(const std::filesystem::path &file) : m_path(file), m_name(file.filename().string())
{
    const run::SafetensorsFile content = run::readSafetensors(file);
    for (const run::StoredTensor &stored : content.tensors)
        m_tensors.emplace(stored.name, run::tensorOf(stored));
    m_metadata = content.metadata;
    m_description = descriptionOf(file.parent_path(), m_name);
}

const at::Tensor &Fixture::at(const std::string &tensor) const
{
    const auto found = m_tensors.find(tensor);
    if (found == m_tensors.end())
        throw Error(m_path.string(), "The fixture has no tensor \"" + tensor + "\".",
                    "specs/verification.md lists what each kind of fixture holds.");
    return found->second;
}

double Fixture::tolerance(const std::string &precision, const std::string &quantity, double fallback) const
{
    const nlohmann::json *value = &m_description;
    for (const std::string &name : {std::string("tolerance"), precision, quantity}) {
        if (!value->is_object() || !value->contains(name))
            return fallback;
        value = &(*value)[name];
    }
    return realFromJson(*value).value_or(fallback);
}

bool Fixture::hasSuffix(const std::string &suffix) const
{
    return std::any_of(m_tensors.begin(), m_tensors.end(),
                       [&](const auto &entry) { return entry.first.ends_with(suffix); });
}

std::vector<std::string> Fixture::prefixesOf(const std::string &suffix) const
{
    std::vector<std::string> prefixes;
    for (const auto &[name, tensor] : m_tensors) {
        if (name.ends_with(suffix))
            prefixes.push_back(name.substr(0, name.size() - suffix.size()));
    }
    return prefixes;
}

std::int64_t integerOf(const nlohmann::json &object, const std::string &name, std::int64_t fallback)
{
    if (!object.is_object() || !object.contains(name))
        return fallback;
    return integerFromJson(object[name]).value_or(fallback);
}

double realOf(const nlohmann::json &object, const std::string &name, double fallback)
{
    if (!object.is_object() || !object.contains(name))
        return fallback;
    return realFromJson(object[name]).value_or(fallback);
}

task::TaskShape taskShapeOf(const at::Tensor &tokens_BT)
{
    const at::Tensor tokens = tokens_BT.to(at::kLong).contiguous();
    const auto fail = [] {
        return Error("tokens",
                     "The first sequence does not begin with an entry of StartKey, key digits, StartValue "
                     "and value digits.",
                     "Tokens are int64 [batch, tokens]: digits 0 to 9, 10 = StartKey, 11 = StartValue.");
    };
    if (tokens.dim() != 2 || tokens.size(0) < 1 || tokens.size(1) < 4)
        throw fail();
    const std::int64_t *first = tokens.const_data_ptr<std::int64_t>();
    const std::int64_t *end = first + tokens.size(1);
    const std::int64_t *startValue = std::find(first, end, task::kStartValueToken);
    const std::int64_t *nextKey = std::find(first + 1, end, task::kStartKeyToken);
    if (*first != task::kStartKeyToken || startValue == end || nextKey <= startValue + 1 || startValue == first + 1)
        throw fail();
    return {.key_digits = startValue - first - 1, .value_digits = nextKey - startValue - 1};
}

std::vector<task::Sequence> sequencesOf(const at::Tensor &tokens_BT, const task::TaskShape &shape)
{
    const at::Tensor tokens = tokens_BT.to(at::kLong).contiguous();
    std::vector<task::Sequence> sequences;
    for (std::int64_t b = 0; b < tokens.size(0); ++b) {
        const std::int64_t *row = tokens.const_data_ptr<std::int64_t>() + b * tokens.size(1);
        std::vector<std::uint8_t> bytes;
        for (std::int64_t t = 0; t < tokens.size(1); ++t)
            bytes.push_back(static_cast<std::uint8_t>(std::clamp<std::int64_t>(row[t], 0, 255)));
        sequences.push_back(task::parseSequence(shape, bytes));
    }
    return sequences;
}

model::Transformer modelOf(const Fixture &fixture, const RunConfig &config, at::ScalarType type, at::Device device,
                           Kernels kernels)
{
    model::Transformer model(config, type, device);
    model.setKernels(kernels);
    std::vector<model::NamedTensor> weights;
    for (const auto &[name, tensor] : fixture.tensors()) {
        if (name.starts_with("layers.") || name == "E.weight" || name == "norm_f.weight" || name == "W_out.weight")
            weights.emplace_back(name, tensor);
    }
    model.load(weights);
    return model;
}

std::string precisionName(at::ScalarType type)
{
    return type == at::kFloat ? "float32" : "float64";
}

} // namespace lookback::verify
