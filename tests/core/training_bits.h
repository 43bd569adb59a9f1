// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/run/run_folder.h"

namespace lookback::testing {

/// What decides whether two trainings were the same, bit for bit.
struct Bits {
    std::vector<std::vector<std::byte>> tensors;
    std::vector<double> numbers;
    bool operator==(const Bits &) const = default;
};

inline Bits bitsOf(const run::RunFolder &folder)
{
    Bits bits;
    const run::Checkpoint checkpoint = run::checkpointAt(folder, -1);
    for (const auto *tensors : {&checkpoint.weights, &checkpoint.moments}) {
        for (const run::StoredTensor &tensor : *tensors)
            bits.tensors.push_back(tensor.bytes);
    }
    for (const run::MetricsRecord &record : folder.readMetricsLog().records) {
        for (const auto &value : {record.loss, record.retrievalAcc, record.learningRate, record.gradientNorm})
            bits.numbers.push_back(value.value());
        bits.numbers.push_back(static_cast<double>(record.step));
        bits.numbers.push_back(static_cast<double>(record.n_keys));
    }
    for (const eval::AccuracyCurve &curve : folder.readAccuracy()) {
        for (const eval::AccuracyPoint &point : curve.points) {
            bits.numbers.push_back(point.meanLoss);
            bits.numbers.push_back(point.accuracy);
        }
    }
    return bits;
}

inline std::string textOf(const std::filesystem::path &file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::vector<std::int64_t> loggedSteps(const run::RunFolder &folder)
{
    std::vector<std::int64_t> steps;
    for (const run::MetricsRecord &record : folder.readMetricsLog().records)
        steps.push_back(record.step);
    return steps;
}

inline std::vector<std::int64_t> keptSteps(const run::RunFolder &folder)
{
    std::vector<std::int64_t> steps;
    for (const run::CheckpointInfo &info : folder.checkpoints())
        steps.push_back(info.step);
    return steps;
}

} // namespace lookback::testing
