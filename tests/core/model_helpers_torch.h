// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <QString>
#include <QTest>

#include "core/config.h"
#include "core/model/transformer_torch.h"
#include "core/model/variant_registry.h"
#include "core/rng.h"

namespace helpers {

/// A small model with grouped heads, where grouping is possible, and sizes that are no multiple of anything.
inline lookback::RunConfig smallConfig(const std::string &variant)
{
    lookback::RunConfig config;
    config.variant = variant;
    config.d_model = 24;
    config.query_heads = 6;
    config.kv_heads = 3;
    config.pairs = 3;
    config.ffn_hidden = 20;
    config.window = 7;
    config.key_digits = 2;
    config.value_digits = 2;
    config.n_keys = 4;
    config.curriculum.clear();
    config.evaluation_n = {4};
    return config;
}

/// A test row for each variant.
inline void eachVariant()
{
    QTest::addColumn<QString>("variant");
    for (const lookback::model::VariantInfo &info : lookback::model::variants())
        QTest::newRow(info.id.c_str()) << QString::fromStdString(info.id);
}
/// The small model of the row's variant.
inline lookback::RunConfig fetchedConfig()
{
    QFETCH(QString, variant);
    return smallConfig(variant.toStdString());
}

/// Standard normal numbers, a function of the seed.
inline at::Tensor normal(at::IntArrayRef shape, std::uint64_t seed, at::ScalarType type = at::kDouble)
{
    lookback::Philox generator(seed);
    at::Tensor drawn = at::empty(shape, at::kDouble);
    double *values = drawn.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < drawn.numel(); ++i)
        values[i] = generator.normal();
    return drawn.to(type);
}

inline at::Tensor tokens(at::IntArrayRef shape, std::uint64_t seed)
{
    lookback::Philox generator(seed);
    at::Tensor drawn = at::empty(shape, at::kLong);
    std::int64_t *values = drawn.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < drawn.numel(); ++i)
        values[i] = static_cast<std::int64_t>(generator.below(12));
    return drawn;
}

/// Weights under which attention is peaked and no parameter is at a special value: defaults, then gains off 1, queries
/// and keys enlarged.
inline lookback::model::Transformer peakedModel(const lookback::RunConfig &config, at::ScalarType type = at::kDouble)
{
    lookback::model::Transformer model(config, type, at::kCPU);
    model.initialise(config.seed);
    const at::NoGradGuard noGrad;
    std::uint64_t seed = 100;
    for (const auto &[name, tensor] : model.parameters()) {
        ++seed;
        if (name.ends_with("norm.weight") || name == "norm_f.weight" || name.ends_with("rms_w") || name.ends_with(".A"))
            tensor.add_(normal(tensor.sizes(), seed, type) * 0.2);
        if (name.ends_with("Wq.weight") || name.ends_with("Wk.weight"))
            tensor.mul_(2.0);
    }
    return model;
}

inline double largestDifference(const at::Tensor &a, const at::Tensor &b)
{
    if (a.sizes() != b.sizes())
        return std::numeric_limits<double>::infinity();
    if (a.numel() == 0)
        return 0.0;
    const at::Tensor difference = (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs();
    return difference.isfinite().all().item<bool>() ? difference.max().item<double>()
                                                    : std::numeric_limits<double>::infinity();
}

} // namespace helpers
