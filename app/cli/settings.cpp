// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "core/config.h"

namespace lookback::cli {

namespace {

std::string groupTitle(FieldGroup group)
{
    switch (group) {
    case FieldGroup::Model:
        return "Model";
    case FieldGroup::Task:
        return "Task";
    case FieldGroup::Training:
        return "Training";
    case FieldGroup::Records:
        return "Records";
    }
    return {};
}

class SettingsCommand : public Command {
public:
    void declare(CLI::App &app) override
    {
        app.description("Lists the settings that \"lookback-cli train --set NAME=VALUE\" changes, with the value that "
                        "each preset gives them.");
        app.add_flag("--json", m_isJson,
                     "One JSON object a line: name, title, unit, explanation, minimum, maximum, and "
                     "the value of each preset as the text that --set takes.");
        app.footer("  lookback-cli settings\n"
                   "  lookback-cli train --variant rope --set d_model=64 curriculum=none");
    }

    int run(const Session &) override
    {
        if (m_isJson) {
            for (const ConfigField &field : configFields()) {
                Json presets;
                for (const std::string_view preset : presetNames())
                    presets[std::string(preset)] = fieldText(presetConfig(preset), field.name);
                print(jsonLine({{"name", field.name},
                                {"title", field.title},
                                {"unit", field.unit},
                                {"explanation", field.explanation},
                                {"minimum", jsonNumber(field.minimum)},
                                {"maximum", jsonNumber(field.maximum)},
                                {"presets", presets}})
                      + "\n");
            }
            return kDone;
        }
        FieldGroup group{};
        bool isFirst = true;
        for (const ConfigField &field : configFields()) {
            if (isFirst || field.group != group)
                print((isFirst ? "" : "\n") + groupTitle(field.group) + "\n");
            group = field.group;
            isFirst = false;
            std::string line = "  " + std::string(field.name);
            line.append(line.size() < 24 ? 24 - line.size() : 1, ' ');
            print(line + wrapped(field.explanation, 100, 24) + "\n");
            std::string values;
            for (const std::string_view preset : presetNames())
                values += (values.empty() ? "" : ", ") + std::string(preset) + ": "
                    + fieldText(presetConfig(preset), field.name);
            print(std::string(24, ' ') + wrapped(values, 100, 24) + "\n");
        }
        print("\n");
        for (const std::string_view preset : presetNames())
            print("  " + wrapped(std::string(preset) + ": " + std::string(presetExplanation(preset)), 100, 4) + "\n");
        return kDone;
    }

private:
    bool m_isJson = false;
};

} // namespace

std::unique_ptr<Command> makeSettingsCommand()
{
    return std::make_unique<SettingsCommand>();
}

} // namespace lookback::cli
