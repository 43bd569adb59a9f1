// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lookback::run {

/// One tensor of a safetensors file, as bytes.
struct StoredTensor {
    std::string name;
    std::string dtype; ///< "F64", "F32", "I64", "U8", "BOOL", ...
    std::vector<std::int64_t> shape; ///< Empty = a scalar.
    std::vector<std::byte> bytes; ///< Little-endian, row-major; exactly shape x dtype.
};

struct SafetensorsFile {
    std::vector<StoredTensor> tensors; ///< In file order.
    std::map<std::string, std::string> metadata; ///< "__metadata__".
    const StoredTensor *find(const std::string &name) const;
};

/// Reads and checks a whole file: header length, strict JSON, unique names, known dtypes, no overflow, ranges that
/// cover the data exactly without overlap or gap. Throws Error that names file and tensor; nothing is allocated before
/// its size was checked against the file's.
SafetensorsFile readSafetensors(const std::filesystem::path &file);

/// Writes a whole file atomically (writeFileWhole). Throws Error.
void writeSafetensors(const std::filesystem::path &file, const SafetensorsFile &content);

/// Bytes of one element; 0 for an unknown dtype.
std::size_t dtypeBytes(const std::string &dtype);

} // namespace lookback::run
