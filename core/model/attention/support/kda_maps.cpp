// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix that Kimi delta attention amounts to, row by row.
#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/zeros.h>

#include "core/kernels/kda_rows_torch.h"
#include "core/kernels/kda_scan_torch.h"
#include "core/model/attention_design_torch.h"
#include "core/model/kda_layer_torch.h"

namespace lookback::model {

namespace {

/// The recurrence is linear in the values: with the unit matrix as values its outputs are the weights themselves. Only
/// the columns up to the row at hand are carried, as later ones are 0.
class KdaMapReader final : public MapReader {
public:
    KdaMapReader(const KdaLayer &layer, const KdaInputs &in, std::int64_t firstQuery, HeadRange heads)
        : m_layer(layer), m_heads(heads), m_tokens(in.query_BHTC.size(2))
    {
        const auto chosen = [heads](const at::Tensor &x) { return x.narrow(1, heads.begin, heads.count()); };
        m_in = {chosen(in.query_BHTC), chosen(in.key_BHTC), {}, chosen(in.logDecay_BHTC), chosen(in.beta_BHT)};
        while (m_position < firstQuery)
            advance(std::min(kMapPiece, firstQuery - m_position));
    }

    at::Tensor next(std::int64_t rows) override
    {
        at::Tensor weights_HQT = at::zeros({m_in.query_BHTC.size(1), rows, m_tokens}, m_in.query_BHTC.options());
        for (std::int64_t done = 0; done < rows;) {
            const std::int64_t piece = std::min(kMapPiece, rows - done);
            const at::Tensor made_BHPX = advance(piece);
            const at::Tensor used_BHPX =
                m_layer.usedMatrix(made_BHPX, m_layer.positions(m_position - piece, piece), m_heads);
            weights_HQT.narrow(1, done, piece).narrow(2, 0, m_position).copy_(used_BHPX.squeeze(0));
            done += piece;
        }
        return weights_HQT;
    }

private:
    static constexpr std::int64_t kMapPiece = 256; ///< Rows that one scan makes.

    /// The next `piece` rows up to their own last column.
    at::Tensor advance(std::int64_t piece)
    {
        const std::int64_t columns = m_position + piece;
        const std::int64_t heads = m_in.query_BHTC.size(1);
        const at::Tensor unit_PX = at::zeros({piece, columns}, m_in.query_BHTC.options());
        unit_PX.narrow(1, m_position, piece).fill_diagonal_(1.0);
        const at::Tensor state_BHKX =
            m_state_BHKX.defined() ? at::constant_pad_nd(m_state_BHKX, {0, piece}) : m_state_BHKX;
        const kernels::KdaScanResult result = kernels::kdaScan(
            m_in.query_BHTC.narrow(2, m_position, piece), m_in.key_BHTC.narrow(2, m_position, piece),
            unit_PX.expand({1, heads, piece, columns}), m_in.logDecay_BHTC.narrow(2, m_position, piece),
            m_in.beta_BHT.narrow(2, m_position, piece), state_BHKX);
        m_state_BHKX = result.state_BHKV;
        m_position = columns;
        return result.output_BHTV;
    }

    const KdaLayer &m_layer;
    HeadRange m_heads;
    KdaInputs m_in; ///< Of the chosen heads; without values.
    at::Tensor m_state_BHKX;
    std::int64_t m_tokens;
    std::int64_t m_position = 0;
};

/// Rows from some position on, each made without those before it.
class KdaRowsReader final : public MapReader {
public:
    KdaRowsReader(const KdaLayer &layer, const KdaInputs &in, std::int64_t firstQuery, HeadRange heads)
        : m_layer(layer), m_heads(heads), m_position(firstQuery)
    {
        const auto chosen = [heads](const at::Tensor &x) { return x.squeeze(0).narrow(0, heads.begin, heads.count()); };
        m_query_HTC = chosen(in.query_BHTC);
        m_key_HTC = chosen(in.key_BHTC);
        m_logDecay_HTC = chosen(in.logDecay_BHTC);
        m_beta_HT = chosen(in.beta_BHT);
    }

    at::Tensor next(std::int64_t rows) override
    {
        const at::Tensor made_HQX =
            kernels::kdaMatrixRows(m_query_HTC, m_key_HTC, m_logDecay_HTC, m_beta_HT, m_position, rows);
        const at::Tensor used_BHQX =
            m_layer.usedMatrix(made_HQX.unsqueeze(0), m_layer.positions(m_position, rows), m_heads);
        m_position += rows;
        return at::constant_pad_nd(used_BHQX.squeeze(0), {0, m_query_HTC.size(1) - m_position});
    }

private:
    const KdaLayer &m_layer;
    HeadRange m_heads;
    at::Tensor m_query_HTC;
    at::Tensor m_key_HTC;
    at::Tensor m_logDecay_HTC;
    at::Tensor m_beta_HT;
    std::int64_t m_position;
};

} // namespace

std::unique_ptr<MapReader> KdaLayer::mapReader(const at::Tensor &normed_TD, std::int64_t firstQuery,
                                               HeadRange heads) const
{
    const KdaInputs in = scanInputsOfWhole(normed_TD.unsqueeze(0));
    if (firstQuery > 0 && normed_TD.is_cpu())
        return std::make_unique<KdaRowsReader>(*this, in, firstQuery, heads);
    return std::make_unique<KdaMapReader>(*this, in, firstQuery, heads);
}

} // namespace lookback::model
