// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>

#include "core/config.h"
#include "core/config_access.h"
#include "core/error.h"
#include "core/json.h"
#include "core/near_names.h"

namespace lookback {

namespace {

using configuration::Member;

struct FieldEntry {
    ConfigField field;
    Member member;
};

constexpr double kLargestSeed = 18446744073709551615.0; // 2^64 - 1 rounds to 2^64
constexpr auto kModel = FieldGroup::Model;
constexpr auto kTask = FieldGroup::Task;
constexpr auto kTraining = FieldGroup::Training;
constexpr auto kRecords = FieldGroup::Records;
constexpr auto kInteger = FieldKind::Integer;

// {name, title, unit, explanation, group, kind, minimum, maximum, changesModel}, member. The order is the order shown.
// Largest values are what can be meant at all; whether a combination fits into memory is a matter of problemsOf.
const std::array kEntries{
    FieldEntry{{"d_model", "Model width", "", "Numbers that describe one token inside the model (the residual stream).",
                kModel, kInteger, 1, 16384, true},
               &RunConfig::d_model},
    FieldEntry{{"query_heads", "Query heads", "",
                "Attention heads of each sublayer; each head works on d_model / query_heads numbers.", kModel, kInteger,
                1, 1024, true},
               &RunConfig::query_heads},
    FieldEntry{{"kv_heads", "Key-value heads", "",
                "Heads that hold keys and values; several query heads share one when there are fewer of them.", kModel,
                kInteger, 1, 1024, true},
               &RunConfig::kv_heads},
    FieldEntry{{"pairs", "Pairs of sublayers", "", "Depth: how often an attention and a feed-forward sublayer follow.",
                kModel, kInteger, 1, 256, true},
               &RunConfig::pairs},
    FieldEntry{{"ffn_hidden", "Feed-forward width", "", "Hidden width of the feed-forward (SwiGLU) sublayers.", kModel,
                kInteger, 1, 65536, true},
               &RunConfig::ffn_hidden},
    FieldEntry{{"window", "Attention window", "tokens",
                "Tokens that a windowed sublayer sees, the present one included; full attention ignores it.", kModel,
                kInteger, 1, 1000000, true},
               &RunConfig::window},
    FieldEntry{{"rope_base", "RoPE base", "",
                "Base of the rotary position angles; a larger one turns slower over the context.", kModel,
                FieldKind::Real, 1, 1e12, true},
               &RunConfig::rope_base},
    FieldEntry{{"key_digits", "Key digits", "digits", "Length of a key; k digits allow 10^k different keys.", kTask,
                kInteger, 1, 9, true},
               &RunConfig::key_digits},
    FieldEntry{{"value_digits", "Value digits", "digits", "Length of a value, which the model has to retrieve.", kTask,
                kInteger, 1, 9, true},
               &RunConfig::value_digits},
    FieldEntry{{"n_keys", "Keys in training", "keys",
                "Unique keys of a training sequence once the curriculum is over; each occurs twice.", kTask, kInteger,
                1, 1000000, false},
               &RunConfig::n_keys},
    FieldEntry{{"curriculum", "Curriculum", "keys:step",
                "Stages with fewer keys at the start, each up to and including a step: 2:750,4:1500; or none.", kTask,
                FieldKind::Curriculum, 1, 100000000, false},
               &RunConfig::curriculum},
    FieldEntry{{"promotion_accuracy", "Promotion accuracy", "",
                "Share of right digits at which a stage of the curriculum ends before its step; 0 waits for the step.",
                kTask, FieldKind::Real, 0, 1, false},
               &RunConfig::promotion_accuracy},
    FieldEntry{{"promotion_steps", "Promotion over", "steps",
                "Steps over whose mean the promotion accuracy has to be reached.", kTask, kInteger, 1, 10000, false},
               &RunConfig::promotion_steps},
    FieldEntry{{"clustered_share", "Clustered share", "",
                "Share of the training sequences whose keys come in clusters of near duplicates; 0 has none.", kTask,
                FieldKind::Real, 0, 1, false},
               &RunConfig::clustered_share},
    FieldEntry{{"cluster_keys", "Keys of a cluster", "keys",
                "Keys of a cluster: one, and others that differ from it in a single digit.", kTask, kInteger, 2,
                1000000, false},
               &RunConfig::cluster_keys},
    FieldEntry{{"evaluation_mutated", "Mutated keys tested", "",
                "Share of the keys in an evaluation that differ from another key in a single digit.", kTask,
                FieldKind::Real, 0, 1, false},
               &RunConfig::evaluation_mutated},
    FieldEntry{{"batch", "Batch", "sequences", "Sequences from which one training step learns.", kTraining, kInteger, 1,
                65536, false},
               &RunConfig::batch},
    FieldEntry{
        {"batch_keys", "Keys of a batch", "keys",
         "Unique keys that a batch may hold in all: long sequences then come in smaller batches; 0 sets no limit.",
         kTraining, kInteger, 0, 1000000000, false},
        &RunConfig::batch_keys},
    FieldEntry{{"steps", "Steps", "steps", "Length of the training; the learning rate reaches 0 at the last step.",
                kTraining, kInteger, 1, 100000000, false},
               &RunConfig::steps},
    FieldEntry{{"learning_rate", "Learning rate", "",
                "Largest learning rate, reached at the end of the warm-up, then falling along a cosine.", kTraining,
                FieldKind::Real, 1e-9, 1, false},
               &RunConfig::learning_rate},
    FieldEntry{{"warmup_steps", "Warm-up", "steps", "Steps over which the learning rate rises from 0.", kTraining,
                kInteger, 0, 100000000, false},
               &RunConfig::warmup_steps},
    FieldEntry{{"decay_start", "Decay from", "",
                "Share of the steps after the warm-up during which the learning rate stays at its largest.", kTraining,
                FieldKind::Real, 0, 1, false},
               &RunConfig::decay_start},
    FieldEntry{{"dropout", "Dropout", "",
                "Share of the numbers a sublayer adds to the residual stream that is dropped at random in training.",
                kTraining, FieldKind::Real, 0, 0.95, false},
               &RunConfig::dropout},
    FieldEntry{{"weight_decay", "Weight decay", "", "How strongly AdamW pulls every weight towards 0.", kTraining,
                FieldKind::Real, 0, 1, false},
               &RunConfig::weight_decay},
    FieldEntry{{"beta1", "Beta 1", "", "How slowly AdamW's mean of the gradients forgets.", kTraining, FieldKind::Real,
                0, 0.999999, false},
               &RunConfig::beta1},
    FieldEntry{{"beta2", "Beta 2", "",
                "How slowly AdamW's mean of squared gradients forgets; a smaller one follows sudden progress sooner.",
                kTraining, FieldKind::Real, 0, 0.999999, false},
               &RunConfig::beta2},
    FieldEntry{{"epsilon", "Epsilon", "", "Keeps AdamW from dividing by nearly nothing.", kTraining, FieldKind::Real,
                1e-20, 1, false},
               &RunConfig::epsilon},
    FieldEntry{{"gradient_clip", "Gradient clip", "",
                "Longest gradient of all parameters together; a longer one is shortened to it; 0 shortens none.",
                kTraining, FieldKind::Real, 0, 1e9, false},
               &RunConfig::gradient_clip},
    FieldEntry{{"recovery_factor", "Recovery factor", "",
                "Factor on the learning rate after a run went back because of values that are not finite; 1 keeps it.",
                kTraining, FieldKind::Real, 0.001, 1.0, false},
               &RunConfig::recovery_factor},
    FieldEntry{{"seed", "Seed", "", "Decides the initial weights and the training sequences.", kTraining,
                FieldKind::UnsignedInteger, 0, kLargestSeed, false},
               &RunConfig::seed},
    FieldEntry{{"log_every", "Log every", "steps",
                "Steps between two points of the charts; the first and the last step are always logged.", kRecords,
                kInteger, 1, 100000000, false},
               &RunConfig::log_every},
    FieldEntry{{"checkpoint_every", "Checkpoint every", "steps",
                "Steps between two saved states; the last step always has one.", kRecords, kInteger, 1, 100000000,
                false},
               &RunConfig::checkpoint_every},
    FieldEntry{{"evaluate_every", "Evaluate every", "steps",
                "Steps between two evaluations; 0 evaluates only at the end.", kRecords, kInteger, 0, 100000000, false},
               &RunConfig::evaluate_every},
    FieldEntry{{"evaluation_n", "Evaluation lengths", "keys",
                "Numbers of unique keys at which the model is tested, longer than in training too.", kRecords,
                FieldKind::IntegerList, 1, 1000000, false},
               &RunConfig::evaluation_n},
    FieldEntry{{"evaluation_sequences", "Evaluation sequences", "sequences",
                "Sequences of each evaluation point; more of them narrow the interval.", kRecords, kInteger, 1, 1000000,
                false},
               &RunConfig::evaluation_sequences},
    FieldEntry{{"evaluation_seed", "Evaluation seed", "",
                "Decides the evaluation sequences, which are the same for every variant.", kRecords,
                FieldKind::UnsignedInteger, 0, kLargestSeed, false},
               &RunConfig::evaluation_seed},
};

const auto kFields = [] {
    std::array<ConfigField, kEntries.size()> fields{};
    for (std::size_t i = 0; i < fields.size(); ++i)
        fields[i] = kEntries[i].field;
    return fields;
}();

/// What other programs call these settings, which no likeness of spelling would find.
constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kOtherNames{{
    {"lr", "learning_rate"},
    {"max_lr", "learning_rate"},
    {"bs", "batch"},
    {"batch_size", "batch"},
    {"heads", "query_heads"},
    {"n_heads", "query_heads"},
    {"num_heads", "query_heads"},
    {"n_head", "query_heads"},
    {"n_kv_heads", "kv_heads"},
    {"num_kv_heads", "kv_heads"},
    {"layers", "pairs"},
    {"n_layers", "pairs"},
    {"num_layers", "pairs"},
    {"n_layer", "pairs"},
    {"depth", "pairs"},
    {"d_ff", "ffn_hidden"},
    {"dff", "ffn_hidden"},
    {"ffn", "ffn_hidden"},
    {"d_ffn", "ffn_hidden"},
    {"mlp", "ffn_hidden"},
    {"wd", "weight_decay"},
    {"decay", "weight_decay"},
    {"dim", "d_model"},
    {"width", "d_model"},
    {"hidden", "d_model"},
    {"hidden_size", "d_model"},
    {"n_embd", "d_model"},
    {"warmup", "warmup_steps"},
    {"max_steps", "steps"},
    {"iterations", "steps"},
    {"iters", "steps"},
    {"epochs", "steps"},
    {"n", "n_keys"},
    {"keys", "n_keys"},
    {"theta", "rope_base"},
    {"window_size", "window"},
    {"eps", "epsilon"},
    {"clip", "gradient_clip"},
    {"grad_clip", "gradient_clip"},
    {"max_norm", "gradient_clip"},
}};

const FieldEntry &entryOf(std::string_view name)
{
    for (const FieldEntry &entry : kEntries) {
        if (entry.field.name == name)
            return entry;
    }
    std::vector<std::string> names;
    for (const FieldEntry &entry : kEntries)
        names.emplace_back(entry.field.name);
    const auto other =
        std::find_if(kOtherNames.begin(), kOtherNames.end(), [&](const auto &names) { return names.first == name; });
    const std::string meant = other != kOtherNames.end() ? "Here it is called \"" + std::string(other->second) + "\". "
                                                         : didYouMean(name, names);
    throw Error(std::string(name), "There is no setting of this name.",
                meant + "Settings: " + joined(nearestFirst(name, names)) + ".");
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> splitAtCommas(std::string_view text)
{
    std::vector<std::string_view> items;
    for (;;) {
        const std::size_t comma = text.find(',');
        items.push_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos)
            return items;
        text.remove_prefix(comma + 1);
    }
}

/// Turns text into one number of a field; every refusal names field, value and range.
class NumberReader {
public:
    NumberReader(const ConfigField &field, std::string_view wholeText) : m_field(field), m_wholeText(wholeText) { }

    template <typename Number> Number read(std::string_view text) const
    {
        requireNoComma(text);
        Number number{};
        const char *const end = text.data() + text.size();
        const auto [stop, fault] = std::from_chars(text.data(), end, number);
        if (fault == std::errc::result_out_of_range)
            refuse(text, "is far outside the range.");
        if (fault != std::errc() || stop != end)
            refuse(text, std::is_floating_point_v<Number> ? "is not a number." : "is not a whole number.");
        const std::string outside = configuration::rangeFault(m_field, static_cast<double>(number), std::string(text));
        if (!outside.empty())
            throw Error(std::string(m_field.name), outside, "Choose a value inside the range.");
        return number;
    }

    [[noreturn]] void refuse(std::string_view text, const std::string &why) const
    {
        throw Error(std::string(m_field.name), inQuotes(text) + " " + why,
                    "Allowed: " + configuration::rangeText(m_field) + ".");
    }

private:
    void requireNoComma(std::string_view text) const
    {
        if (text.find(',') == std::string_view::npos)
            return;
        throw Error(std::string(m_field.name), inQuotes(m_wholeText) + " has a comma, which no number may have here.",
                    "Write decimals with a dot, as in 0.0003, and no thousands separators.");
    }

    const ConfigField &m_field;
    std::string_view m_wholeText;
};

CurriculumStage readStage(const NumberReader &reader, std::string_view item)
{
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos)
        reader.refuse(item, "is not a stage. Write keys:step, as in 2:750,4:1500, or none.");
    return {reader.read<std::int64_t>(trimmed(item.substr(0, colon))),
            reader.read<std::int64_t>(trimmed(item.substr(colon + 1)))};
}

constexpr std::string_view kNoCurriculum = "none";

template <typename Integer> std::string plainText(Integer value)
{
    return std::to_string(value);
}

std::string plainText(double value)
{
    return realText(value);
}

std::string plainText(const std::vector<std::int64_t> &values)
{
    std::string text;
    for (const std::int64_t value : values) {
        text += text.empty() ? "" : ",";
        text += std::to_string(value);
    }
    return text;
}

std::string plainText(const std::vector<CurriculumStage> &stages)
{
    if (stages.empty())
        return std::string(kNoCurriculum);
    std::string text;
    for (const CurriculumStage &stage : stages) {
        text += text.empty() ? "" : ",";
        text += std::to_string(stage.n_keys) + ":" + std::to_string(stage.until_step);
    }
    return text;
}

void assign(std::vector<std::int64_t> &target, const NumberReader &reader, std::string_view text)
{
    std::vector<std::int64_t> values;
    if (!text.empty()) {
        for (const std::string_view item : splitAtCommas(text))
            values.push_back(reader.read<std::int64_t>(item));
    }
    target = std::move(values);
}

void assign(std::vector<CurriculumStage> &target, const NumberReader &reader, std::string_view text)
{
    std::vector<CurriculumStage> stages;
    if (text != kNoCurriculum) {
        for (const std::string_view item : splitAtCommas(text))
            stages.push_back(readStage(reader, item));
    }
    target = std::move(stages);
}

template <typename Number> void assign(Number &target, const NumberReader &reader, std::string_view text)
{
    target = reader.read<Number>(text);
}

} // namespace

namespace configuration {

const Member &memberOf(std::string_view name)
{
    return entryOf(name).member;
}

std::string withUnit(const ConfigField &field, const std::string &number)
{
    const bool hasWordUnit = !field.unit.empty() && field.kind != FieldKind::Curriculum;
    return hasWordUnit ? number + " " + std::string(field.unit) : number;
}

std::string rangeText(const ConfigField &field)
{
    if (field.kind == FieldKind::UnsignedInteger)
        return "0 to 18446744073709551615";
    const auto limit = [&](double value) {
        return field.kind == FieldKind::Real ? realText(value) : std::to_string(static_cast<std::int64_t>(value));
    };
    return withUnit(field, limit(field.minimum) + " to " + limit(field.maximum));
}

std::string rangeFault(const ConfigField &field, double value, const std::string &shown)
{
    if (value >= field.minimum && value <= field.maximum) // false for NaN
        return {};
    return std::string(field.title) + " must be " + rangeText(field) + ", not " + shown + ".";
}

} // namespace configuration

std::span<const ConfigField> configFields()
{
    return kFields;
}

const ConfigField &configField(std::string_view name)
{
    return entryOf(name).field;
}

std::string fieldText(const RunConfig &config, std::string_view name)
{
    return std::visit([&](auto member) { return plainText(config.*member); }, entryOf(name).member);
}

void setField(RunConfig &config, std::string_view name, std::string_view text)
{
    const FieldEntry &entry = entryOf(name);
    const NumberReader reader(entry.field, text);
    const std::string_view content = trimmed(text);
    if (content.empty())
        throw Error(std::string(name), std::string(entry.field.title) + " has no value.",
                    "Allowed: " + configuration::rangeText(entry.field) + ".");
    std::visit([&](auto member) { assign(config.*member, reader, content); }, entry.member);
}

void applySetting(RunConfig &config, std::string_view assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos)
        throw Error("--set " + std::string(assignment), "A setting is written name=value.",
                    "For example: --set window=16.");
    if (assignment.find_first_of(" \t\r\n") != std::string_view::npos)
        throw Error("--set " + inQuotes(assignment), "There is a blank in it.",
                    "Write it without, for example --set window=16 or evaluation_n=8,16.");
    setField(config, assignment.substr(0, equals), assignment.substr(equals + 1));
}

} // namespace lookback
