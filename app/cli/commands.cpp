// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "app/cli/all_commands.h"

namespace lookback::cli {

std::span<const CommandEntry> commands()
{
    static constexpr std::array kCommands{
        CommandEntry{"variants", "List the attention designs", "[--json]", false, makeVariantsCommand},
        CommandEntry{"settings", "List the settings of a run and what each preset gives them", "[--json]", false,
                     makeSettingsCommand},
        CommandEntry{"train", "Train variants, several side by side", "--variant NAME... [options]", true,
                     makeTrainCommand},
        CommandEntry{"resume", "Continue unfinished runs from their newest checkpoint", "RUN... [options]", true,
                     makeResumeCommand},
        CommandEntry{"evaluate", "Measure how often values are found, by context length", "RUN... [options]", true,
                     makeEvaluateCommand},
        CommandEntry{"attention", "Show where an attention head looks: picture, numbers, words", "RUN [options]", true,
                     makeAttentionCommand},
        CommandEntry{"figure", "Draw curves of training or accuracy as PNG, SVG, PDF or CSV",
                     "training|accuracy RUN... --out FILE [options]", false, makeFigureCommand},
        CommandEntry{"verify", "Check this build against an independent implementation", "FIXTURE... [options]", true,
                     makeVerifyCommand},
        CommandEntry{"bench", "Measure the speed of training and evaluation", "[options]", true, makeBenchCommand},
        CommandEntry{"demo", "Train two small variants and draw the figures", "[options]", true, makeDemoCommand},
    };
    return kCommands;
}

} // namespace lookback::cli
