// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include "core/config.h"
#include "core/model/transformer_torch.h"
#include "core/task/key_value_task.h"
#include "core/verify/verify.h"

namespace lookback::verify {

/// A fixture file of tensors, with what a fixtures.json beside it says about it.
class Fixture {
public:
    /// Throws Error if the file cannot be read.
    explicit Fixture(const std::filesystem::path &file);

    const std::string &name() const { return m_name; } ///< File name without folder.
    const std::filesystem::path &path() const { return m_path; }
    bool has(const std::string &tensor) const { return m_tensors.contains(tensor); }
    /// Throws Error that names the file and the missing tensor.
    const at::Tensor &at(const std::string &tensor) const;
    const std::map<std::string, at::Tensor> &tensors() const { return m_tensors; }
    const std::map<std::string, std::string> &metadata() const { return m_metadata; }
    /// The entry of fixtures.json, or an empty object.
    const nlohmann::json &description() const { return m_description; }
    /// description()["tolerance"][precision][quantity] where it is a number, else `fallback`.
    double tolerance(const std::string &precision, const std::string &quantity, double fallback) const;
    /// True if some tensor's name ends so.
    bool hasSuffix(const std::string &suffix) const;
    /// What stands before `suffix` in the names that end so, in order of name.
    std::vector<std::string> prefixesOf(const std::string &suffix) const;

private:
    std::filesystem::path m_path;
    std::string m_name;
    std::map<std::string, at::Tensor> m_tensors;
    std::map<std::string, std::string> m_metadata;
    nlohmann::json m_description = nlohmann::json::object();
};

/// The whole numbers and reals of one object of a description; `fallback` where they are missing.
std::int64_t integerOf(const nlohmann::json &object, const std::string &name, std::int64_t fallback);
double realOf(const nlohmann::json &object, const std::string &name, double fallback);

/// Dimensions and variant of the model whose weights stand in the fixture (names as in the runs folder). What no
/// description says is inferred from shapes and attention maps; `notes` gets a line for each inference that could be
/// wrong. Throws Error naming what cannot be told.
RunConfig modelConfigOf(const Fixture &fixture, std::vector<std::string> &notes);

/// Key and value digits as the first sequence shows them. Throws Error if it is none.
task::TaskShape taskShapeOf(const at::Tensor &tokens_BT);
/// All rows as sequences. Throws Error naming the first position that breaks the format.
std::vector<task::Sequence> sequencesOf(const at::Tensor &tokens_BT, const task::TaskShape &shape);

/// A model of that type with the fixture's weights.
model::Transformer modelOf(const Fixture &fixture, const RunConfig &config, at::ScalarType type, at::Device device,
                           Kernels kernels);

/// "float32" or "float64".
std::string precisionName(at::ScalarType type);

} // namespace lookback::verify
