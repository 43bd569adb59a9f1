// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/verify.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/run/file.h"
#include "core/torch_thread.h"
#include "core/verify/checks_torch.h"

namespace lookback::verify {

namespace {

Error notAFixture(const std::filesystem::path &file)
{
    return Error(file.string(), "This is not a fixture.",
                 "A fixture is a .safetensors file with weights and expected logits, or one of the other kinds that "
                 "specs/verification.md lists.");
}

void checkTables(const std::filesystem::path &file, const CheckContext &context, int threads)
{
    const std::string text = run::readFileWhole(file);
    const nlohmann::json tables = parseJson(text, file.string());
    const auto hasAny = [&tables](std::initializer_list<const char *> names) {
        return tables.is_object()
            && std::ranges::any_of(names, [&](const char *name) { return tables.contains(name); });
    };
    const bool isVariance = hasAny({"gaussian", "random_heads"});
    if (!isVariance && !hasAny({"three_digit_keys", "learning_rate"}))
        throw notAFixture(file);
    try {
        if (isVariance)
            checkVariance(file.filename().string(), tables, context, threads);
        else
            checkTask(file.filename().string(), tables, context.report);
    } catch (const nlohmann::json::exception &error) {
        throw Error(file.string(), "A table of this fixture is not as expected.",
                    "specs/verification.md shows the tables.", error.what());
    }
}

void checkTensors(const Fixture &fixture, const CheckContext &context)
{
    if (fixture.has("E.weight") && fixture.has("tokens"))
        checkVariant(fixture, context);
    else if (fixture.has("tokens.1") && fixture.hasSuffix(".loss"))
        checkOptimizer(fixture, context);
    else if (fixture.hasSuffix(".log_decay") && fixture.hasSuffix(".output"))
        checkKdaScan(fixture, context);
    else if (fixture.has("positions") && fixture.hasSuffix(".angles"))
        checkRotaryEmbedding(fixture, context);
    else if (fixture.has("tokens") && fixture.has("logits"))
        checkMetrics(fixture, context);
    else if (fixture.has("tokens") && fixture.hasSuffix(".all_entries"))
        checkEntryLosses(fixture, context);
    else
        throw notAFixture(fixture.path());
}

} // namespace

bool VerifyReport::passed() const
{
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const VerifyRow &row) { return row.passed; });
}

void CheckContext::step(const std::string &what, std::int64_t done, std::int64_t total) const
{
    if (stop.stop_requested())
        throw Cancelled();
    if (progress) {
        Progress now;
        now.what = what;
        now.done = done;
        now.total = total;
        progress(now);
    }
}

VerifyReport verifyFixture(const std::filesystem::path &file, const ComputeOptions &compute,
                           const ProgressFunction &progress, std::stop_token stop)
{
    enterTorchThread(compute.threads);
    VerifyReport report;
    const at::Device device(resolvedDevice(compute.device));
    const CheckContext context{
        .device = device, .kernels = compute.kernels, .progress = progress, .stop = std::move(stop), .report = report};
    try {
        if (file.extension() == ".json")
            checkTables(file, context, compute.threads);
        else
            checkTensors(Fixture(file), context);
    } catch (const Cancelled &) {
        throw;
    } catch (...) {
        throw currentError(file.string());
    }
    return report;
}

} // namespace lookback::verify
