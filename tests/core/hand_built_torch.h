// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include "core/circuit/head_id.h"
#include "core/config.h"
#include "core/model/transformer_torch.h"

// A transformer of two layers that retrieves by weights set by hand, so that it is known what each head does.
//
// Entries are "K a V b": one key digit, one value digit. To answer b at the second V, the model has to find the first
// b whose entry has the same a. At V the key digit is one token back; at b it is two back. So:
//
//   0:0  previous token: copies the token before into the place "one back" of the residual stream.
//   0:1  two back: likewise into "two back".
//   0:2  three back, into a place that nobody reads.
//   0:3  looks at all of its window alike and writes faintly where nobody reads.
//   1:0  reads the value: query = the digit one back, key = the digit two back, less if the token before is K (at the
//        next entry's key digit a value stands two back). What it finds goes into "answer", which the output reads.
//   1:1  matches keys: query = the digit itself, key = the digit one back, less if the token is K. At a key digit it
//        finds the V after the same digit; nobody reads what it writes.
//   1:2, 1:3  nothing: weights 0.
//
// Layer 0 sees a window of 4 tokens with RoPE: all its queries are one constant vector, turned back by the offset, all
// its keys another one, so the logit is highest at the offset. Layer 1 has no positions and sees all. Feed-forward
// sublayers add nothing. Every token has the same length after its norm, so places can be read exactly.
namespace hand_built {

inline const std::vector<lookback::circuit::HeadId> kNeeded{{0, 0}, {0, 1}, {1, 0}};

inline lookback::RunConfig config()
{
    lookback::RunConfig config;
    config.variant = "hybrid";
    config.d_model = 128;
    config.query_heads = 4;
    config.kv_heads = 4;
    config.pairs = 2;
    config.ffn_hidden = 4;
    config.window = 4;
    config.key_digits = 1;
    config.value_digits = 1;
    config.n_keys = 8;
    config.curriculum.clear();
    config.evaluation_n = {8};
    return config;
}

/// Places of the residual stream: 12 dimensions for a token each, but for Constant and Unused.
enum Place {
    Self = 0,
    Constant = 12,
    OneBack = 16,
    TwoBack = 32,
    ThreeBack = 48,
    Faint = 64,
    Matched = 80,
    Answer = 96,
    Unused = 127
};

/// Fills one head's weights of a layer.
class Head {
public:
    Head(const std::map<std::string, at::Tensor> &parameters, std::int64_t layer, std::int64_t head)
        : m_parameters(parameters), m_prefix("layers." + std::to_string(2 * layer) + "."), m_first(head * kWidth)
    {
    }
    /// Row `row` of a projection reads `amount` of a dimension, measured from the unused one, which is 0 in effect.
    void read(const char *projection, std::int64_t row, std::int64_t dimension, double amount)
    {
        const at::Tensor weight = m_parameters.at(m_prefix + projection + ".weight");
        weight[m_first + row][dimension] += amount;
        weight[m_first + row][Unused] -= amount;
    }
    /// Value = the token itself; the output writes it to `place`.
    void moveToken(Place place, double amount)
    {
        for (std::int64_t token = 0; token < 12; ++token) {
            read("Wv", token, Self + token, 1.0);
            m_parameters.at(m_prefix + "Wo.weight")[place + token][m_first + token] = amount;
        }
    }
    /// The head looks `offset` tokens back.
    void lookBack(double offset)
    {
        const double strength = 3.0;
        read("Wq", 0, Constant, strength * std::cos(offset));
        read("Wq", kWidth / 2, Constant, -strength * std::sin(offset));
        read("Wk", 0, Constant, strength);
    }

private:
    static constexpr std::int64_t kWidth = 32;
    const std::map<std::string, at::Tensor> &m_parameters;
    std::string m_prefix;
    std::int64_t m_first;
};

inline lookback::model::Transformer model(at::ScalarType type = at::kFloat)
{
    const at::NoGradGuard noGrad;
    lookback::model::Transformer model(config(), type, at::kCPU);
    std::map<std::string, at::Tensor> parameters;
    for (const auto &[name, tensor] : model.parameters()) {
        tensor.zero_();
        if (name.ends_with("norm.weight") || name == "norm_f.weight")
            tensor.fill_(1.0);
        parameters.emplace(name, tensor);
    }
    for (std::int64_t token = 0; token < 12; ++token) {
        parameters.at("E.weight")[token][Self + token] = 1.0;
        parameters.at("E.weight")[token][Constant] = 1.0;
        parameters.at("W_out.weight")[token][Answer + token] = 2.0;
        parameters.at("W_out.weight")[token][Unused] = -2.0;
    }
    // What 1 in one of two places is after the norm: 1 / standard deviation of a vector of two ones.
    const double mean = 2.0 / 128.0;
    const double one = 1.0 / std::sqrt(2.0 / 128.0 - mean * mean);
    const Place places[] = {OneBack, TwoBack, ThreeBack};
    for (std::int64_t head = 0; head < 3; ++head) {
        Head of(parameters, 0, head);
        of.lookBack(static_cast<double>(head + 1));
        of.moveToken(places[head], 1.0 / one);
    }
    Head(parameters, 0, 3).moveToken(Faint, 0.1 / one);

    const double strength = 3.0;
    constexpr std::int64_t kStartKey = 10;
    Head reads(parameters, 1, 0);
    Head matches(parameters, 1, 1);
    for (std::int64_t digit = 0; digit < 10; ++digit) {
        reads.read("Wq", digit, OneBack + digit, strength);
        reads.read("Wk", digit, TwoBack + digit, strength);
        matches.read("Wq", digit, Self + digit, strength);
        matches.read("Wk", digit, OneBack + digit, strength);
    }
    reads.read("Wq", 12, Constant, strength);
    reads.read("Wk", 12, OneBack + kStartKey, -strength);
    reads.moveToken(Answer, 1.0);
    matches.read("Wq", 12, Constant, strength);
    matches.read("Wk", 12, Self + kStartKey, -strength);
    matches.moveToken(Matched, 0.1);
    return model;
}

} // namespace hand_built
