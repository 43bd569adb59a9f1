// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/checks_torch.h"

#include <cstdlib>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "core/kernels/kda_scan_torch.h"
#include "core/kernels/rotary_torch.h"
#include "core/verify/comparison_torch.h"

namespace lookback::verify {

namespace {

constexpr const char *kScanInputs[] = {"query", "key", "value", "log_decay", "beta"};

/// One case of a scan fixture in one precision; stored as [batch, time, head, width].
void checkScan(const Fixture &fixture, const std::string &name, at::ScalarType type, const CheckContext &context)
{
    const bool isFloat = type == at::kFloat;
    const std::string precision = precisionName(type);
    const double outputTolerance = fixture.tolerance(precision, "output", isFloat ? 1e-5 : 1e-10);
    const double stateTolerance = fixture.tolerance(precision, "state", isFloat ? 1e-5 : 1e-10);
    const double gradientTolerance = fixture.tolerance(precision, "gradients", isFloat ? 2e-5 : 2e-7);
    const auto comparison = [&](const std::string &title, double tolerance) {
        Comparison one(fixture.name(), name + ": " + title, precision, tolerance, Comparison::Scale::Relative);
        one.setFloor(1.0);
        return one;
    };

    std::vector<at::Tensor> in; // [B, H, T, width] or [B, H, T]
    for (const char *input : kScanInputs) {
        const at::Tensor stored = fixture.at(name + "." + input).to(context.device, type);
        in.push_back(stored.transpose(1, 2).contiguous().set_requires_grad(true));
    }
    const kernels::KdaScanResult whole = kernels::kdaScan(in[0], in[1], in[2], in[3], in[4]);
    Comparison output = comparison("output", outputTolerance);
    output.add(whole.output_BHTV.transpose(1, 2), fixture.at(name + ".output"));
    output.finish(context.report);
    if (fixture.has(name + ".state")) {
        Comparison state = comparison("state", stateTolerance);
        state.add(whole.state_BHKV, fixture.at(name + ".state"));
        state.finish(context.report);
    }
    if (fixture.has(name + ".output_weight")) {
        const at::Tensor weight = fixture.at(name + ".output_weight").to(context.device, type).transpose(1, 2);
        (whole.output_BHTV * weight).sum().backward();
        Comparison gradients = comparison("gradients (% tensors)", gradientTolerance);
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::string tensor = name + ".grad." + kScanInputs[i];
            if (fixture.has(tensor))
                gradients.add(in[i].grad().transpose(1, 2), fixture.at(tensor), tensor);
        }
        gradients.finish(context.report);
    }

    const at::NoGradGuard noGrad;
    const std::int64_t tokens = in[0].size(2);
    const std::string statePrefix = name + ".state_after_";
    for (const auto &[tensorName, expected] : fixture.tensors()) {
        if (!tensorName.starts_with(statePrefix))
            continue;
        const std::int64_t cut = std::atoll(tensorName.c_str() + statePrefix.size());
        if (cut < 1 || cut > tokens)
            continue;
        const auto part = [&](std::int64_t begin, std::int64_t count, const at::Tensor &state) {
            return kernels::kdaScan(in[0].narrow(2, begin, count), in[1].narrow(2, begin, count),
                                    in[2].narrow(2, begin, count), in[3].narrow(2, begin, count),
                                    in[4].narrow(2, begin, count), state);
        };
        Comparison pieces = comparison("read in two pieces, cut at " + std::to_string(cut), stateTolerance);
        const kernels::KdaScanResult first = part(0, cut, {});
        pieces.add(first.state_BHKV, expected, "state at the cut");
        if (cut < tokens) {
            const kernels::KdaScanResult second = part(cut, tokens - cut, expected.to(context.device, type));
            pieces.add(second.output_BHTV.transpose(1, 2), fixture.at(name + ".output").narrow(1, cut, tokens - cut),
                       "output after the cut");
            if (fixture.has(name + ".state"))
                pieces.add(second.state_BHKV, fixture.at(name + ".state"), "state at the end");
        }
        pieces.finish(context.report);
    }
}

/// Far positions are allowed more in float32; the row shows the position that comes nearest to what it is allowed.
VerifyRow rotaryRow(const Fixture &fixture, const std::string &name, const at::Tensor &computed,
                    const at::Tensor &expected, const at::Tensor &positions)
{
    VerifyRow nearest;
    double nearestShare = -1.0;
    std::int64_t values = 0;
    bool passed = true;
    for (std::int64_t i = 0; i < positions.size(0); ++i) {
        // The fixtures' bound: float32 rounds an angle of `position` radians by up to 6e-8 x position.
        const double allowed = 2e-6 + 2e-7 * static_cast<double>(positions[i].item<std::int64_t>());
        Comparison one(fixture.name(), name, "float32", allowed);
        one.add(computed[i], expected[i]);
        const VerifyRow row = one.row();
        values += row.values;
        passed = passed && row.passed;
        const double share = row.largestAbsolute / allowed;
        if (share > nearestShare) {
            nearestShare = share;
            nearest = row;
        }
    }
    nearest.values = values;
    nearest.passed = passed;
    return nearest;
}

} // namespace

void checkKdaScan(const Fixture &fixture, const CheckContext &context)
{
    std::vector<std::string> cases = fixture.prefixesOf(".log_decay");
    std::erase_if(cases, [](const std::string &name) { return name.ends_with(".grad"); });
    for (std::size_t i = 0; i < cases.size(); ++i) {
        context.step(fixture.name() + ": " + cases[i], static_cast<std::int64_t>(i), std::ssize(cases));
        checkScan(fixture, cases[i], at::kFloat, context);
        checkScan(fixture, cases[i], at::kDouble, context);
    }
}

void checkRotaryEmbedding(const Fixture &fixture, const CheckContext &context)
{
    const at::NoGradGuard noGrad;
    const double base = realOf(fixture.description(), "base", 10000.0);
    const at::Tensor positions = fixture.at("positions").to(at::kLong);
    for (const std::string &name : fixture.prefixesOf(".angles")) { // "w32.half"
        const at::Tensor expectedAngles = fixture.at(name + ".angles");
        const std::int64_t rotatedWidth = 2 * expectedAngles.size(1);
        const at::Tensor input = fixture.at(name.substr(0, name.find('.')) + ".input"); // [position, head, width]
        const at::Tensor expected = fixture.at(name + ".output");

        // A double holds an angle of a million to 1e-10.
        Comparison angles(fixture.name(), name + ": angles", "float64", 1e-9);
        angles.add(kernels::rotaryAngles(positions, rotatedWidth, base), expectedAngles);
        angles.finish(context.report);

        const auto rotated = [&](at::ScalarType type, kernels::AnglePrecision precision) {
            const at::TensorOptions options = at::TensorOptions().dtype(type).device(context.device);
            const kernels::RotaryTable table =
                kernels::rotaryTable(positions.to(context.device), rotatedWidth, base, options, precision);
            const at::Tensor x = input.to(context.device, type).transpose(0, 1); // [head, position, width]
            return kernels::rotate(x, table).transpose(0, 1);
        };
        const double tolerance = fixture.tolerance("float64", "output", 1e-9);
        Comparison exact(fixture.name(), name + ": rotated vectors", "float64", tolerance);
        exact.add(rotated(at::kDouble, kernels::AnglePrecision::Double), expected);
        exact.finish(context.report);
        context.report.rows.push_back(rotaryRow(fixture, name + ": rotated vectors",
                                                rotated(at::kFloat, kernels::AnglePrecision::Double), expected,
                                                positions));
        if (fixture.has(name + ".output_float32_angles")) {
            Comparison published(fixture.name(), name + ": with tables made in float32", "float64", tolerance);
            published.add(rotated(at::kDouble, kernels::AnglePrecision::Single),
                          fixture.at(name + ".output_float32_angles"));
            published.finish(context.report);
        }
    }
}

} // namespace lookback::verify
