// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "app/cli/all_commands.h"

namespace lookback::cli {

std::span<const CommandEntry> commands()
{
    static constexpr std::array kCommands{
        CommandEntry{"variants", "List the attention designs", "[--json]", makeVariantsCommand},
        CommandEntry{"settings", "List the settings of a run and of each preset", "[--json]", makeSettingsCommand},
        CommandEntry{"train", "Train variants, several side by side", "--variant NAME... [options]", makeTrainCommand},
        CommandEntry{"resume", "Continue unfinished runs from their newest checkpoint", "RUN... [options]",
                     makeResumeCommand},
        CommandEntry{"evaluate", "Measure how often values are found, by context length", "RUN... [options]",
                     makeEvaluateCommand},
        CommandEntry{"attention", "Show where a head looks: picture, numbers, words", "RUN [options]",
                     makeAttentionCommand},
        CommandEntry{"heads", "Measure what every head does while values are retrieved", "RUN [options]",
                     makeHeadsCommand},
        CommandEntry{"knockout", "Remove heads and measure what it costs", "RUN --head LAYER:HEAD... [options]",
                     makeKnockoutCommand},
        CommandEntry{"patch", "Give a head what it does on another sequence", "RUN [options]", makePatchCommand},
        CommandEntry{"timeline", "Follow the heads over the checkpoints of a run", "RUN [options]",
                     makeTimelineCommand},
        CommandEntry{"failures", "List wrong answers and where they came from", "RUN [options]", makeFailuresCommand},
        CommandEntry{"figure", "Draw training, accuracy or heads as PNG, SVG, PDF, CSV",
                     "FIGURE RUN... --out FILE [options]", makeFigureCommand},
        CommandEntry{"export", "Write runs as CSV, TensorBoard events or kvbench folders",
                     "RUN... --format NAME --out DIR", makeExportCommand},
        CommandEntry{"verify", "Check this build against an independent implementation", "FIXTURE... [options]",
                     makeVerifyCommand},
        CommandEntry{"bench", "Measure the speed of training and evaluation", "[options]", makeBenchCommand},
        CommandEntry{"demo", "Train two small variants and draw the figures", "[options]", makeDemoCommand},
    };
    return kCommands;
}

} // namespace lookback::cli
