// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/App.hpp>

#include "app/cli/all_commands.h"
#include "app/cli/console.h"
#include "app/cli/json_text.h"
#include "core/model/variant_registry.h"

namespace lookback::cli {

namespace {

std::string_view logitWord(model::LogitForm form)
{
    return form == model::LogitForm::Squared ? "squared" : "plain";
}

class VariantsCommand : public Command {
public:
    void declare(CLI::App &app) override
    {
        app.description("Lists the attention designs that can be trained, with their attention sublayers in the order "
                        "in which they repeat.");
        app.add_flag("--json", m_isJson,
                     "One JSON object a line: variant, family, logits, explanation, source, "
                     "sublayers, parameters (paper preset).");
        app.footer("  lookback-cli variants\n"
                   "  lookback-cli variants --json");
    }

    int run(const Session &) override
    {
        std::string_view family;
        for (const model::VariantInfo &info : model::variants()) {
            RunConfig config = presetConfig("paper");
            config.variant = info.id;
            if (m_isJson) {
                printJson(info, config);
                continue;
            }
            if (model::familyTitle(info.family) != family) {
                print(family.empty() ? "" : "\n");
                family = model::familyTitle(info.family);
                print(std::string(family) + "\n");
            }
            std::string line = "  " + info.id;
            line.append(line.size() < 26 ? 26 - line.size() : 1, ' ');
            print(line + wrapped(info.explanation, 100, 26) + "\n");
            std::string sublayers;
            for (const model::SublayerInfo &sublayer : info.pattern)
                sublayers += (sublayers.empty() ? "" : " | ") + sublayer.words();
            print(std::string(26, ' ') + wrapped(sublayers, 100, 26) + "\n");
        }
        if (!m_isJson)
            print("\nTrain one with: lookback-cli train --variant hybrid_square --preset tiny\n");
        return kDone;
    }

private:
    void printJson(const model::VariantInfo &info, const RunConfig &config) const
    {
        Json sublayers = Json::array();
        for (const model::SublayerInfo &sublayer : info.pattern) {
            sublayers.push_back({{"design", sublayer.design},
                                 {"rotary_fraction", sublayer.rotaryFraction},
                                 {"windowed", sublayer.isWindowed},
                                 {"logits", logitWord(sublayer.logits)},
                                 {"words", sublayer.words()}});
        }
        print(jsonLine({{"variant", info.id},
                        {"family", model::familyTitle(info.family)},
                        {"logits", logitWord(info.logits)},
                        {"explanation", info.explanation},
                        {"source", info.source},
                        {"sublayers", sublayers},
                        {"parameters", model::parameterCount(config)}})
              + "\n");
    }

    bool m_isJson = false;
};

} // namespace

std::unique_ptr<Command> makeVariantsCommand()
{
    return std::make_unique<VariantsCommand>();
}

} // namespace lookback::cli
