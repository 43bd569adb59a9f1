// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/safetensors.h"

namespace lookback::run {

/// What kvbench saves with `torch.save`: {"step": ..., "variant": ..., "model_state": {...}}.
struct TorchCheckpoint {
    std::int64_t step = 0;
    std::string variant;
    /// F32 whatever type they were saved in; without bytes if only the description was asked for.
    std::vector<StoredTensor> weights;
};

enum class TorchArchiveParts { Description, All };

/// Reads a `.pt` file (zip with a pickle) without executing anything that it contains. Throws Error with one sentence:
/// not such a file, damaged, compressed, holding other classes than tensors, or tensors that leave their data. Nothing
/// is allocated before its size was compared with the file's, and all tensors together may take at most four times the
/// file. For a description only the file's list of contents and its pickle are read.
TorchCheckpoint readTorchCheckpoint(const std::filesystem::path &file,
                                    TorchArchiveParts parts = TorchArchiveParts::All);
/// The same from memory; `subject` names it in errors.
TorchCheckpoint parseTorchCheckpoint(std::string_view bytes, const std::string &subject,
                                     TorchArchiveParts parts = TorchArchiveParts::All);

/// Writes such a file whole; `torch.load(file, weights_only=True)` reads it. Throws Error; weights must be F32.
void writeTorchCheckpoint(const std::filesystem::path &file, const TorchCheckpoint &checkpoint);

} // namespace lookback::run
