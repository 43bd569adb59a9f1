// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/compute.h"
#include "core/progress.h"

namespace lookback::verify {

/// One quantity of a fixture compared with what this build computes.
struct VerifyRow {
    std::string file; ///< File name without folder.
    std::string quantity; ///< "logits", "gradients (52 tensors)", "attention.2", ...
    std::string precision; ///< "float32" or "float64"; "exact" where numbers must be equal.
    std::int64_t values = 0; ///< Numbers compared.
    double largestAbsolute = 0.0; ///< Largest |computed - expected|; infinity if a computed number is not finite.
    double largestRelative = 0.0; ///< The same, divided by the largest |expected| of its tensor.
    double tolerance = 0.0;
    bool isRelative = false; ///< True: largestRelative is what the tolerance is for; else largestAbsolute.
    bool passed = false;
    std::string worst; ///< Tensor with the largest difference, if the row joins several.
    bool operator==(const VerifyRow &) const = default;
};

struct VerifyReport {
    std::vector<VerifyRow> rows;
    std::vector<std::string> notes; ///< What was inferred: "variant from the file name: hybrid_square".
    bool passed() const; ///< All rows passed, and there is at least one.
};

/// Builds what a fixture describes (specs/verification.md) and compares all of it, in float32 and float64. Knows files
/// with one pass of a variant, with optimizer steps, the delta-rule scan, rotary embeddings, cross-entropy by entry and
/// given logits (.safetensors), and task and variance tables (.json). Variant, dimensions and tolerances come from a
/// fixtures.json in the same folder if it lists the file, else from file name and tensors. Throws Error if the file
/// cannot be read or is not a fixture, Cancelled when `stop` was asked for.
VerifyReport verifyFixture(const std::filesystem::path &file, const ComputeOptions &compute,
                           const ProgressFunction &progress = {}, std::stop_token stop = {});

} // namespace lookback::verify
