// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/variant_info.h"
#include "core/run/run_record.h"
#include "ui/theme/theme.h"

namespace lookback::ui {

class RunCollection;

/// A run as figures need it: its name, how it is drawn in either theme, and what it was.
struct FigureRun {
    QString id; ///< Folder name or path; unique among the runs of a figure.
    QString title; ///< "hybrid_square · seed 0", unique.
    model::Family family = model::Family::Own;
    model::LogitForm logits = model::LogitForm::Plain;
    int styleIndex = 0; ///< Among the runs of its variant.
    bool isPublished = false;
    bool isSelected = false;
    bool isSeedBand = false; ///< Not a run: the median of several seeds, in the style of the first.
    bool isFaint = false; ///< One of those seeds: a hair line without a name unless selected.
    std::int64_t seedsKnown = 0; ///< Seeds of its design that are known, hidden ones included; 0 = those drawn.
    bool isHair() const { return isFaint && !isSelected; }
    run::RunRecord record;

    SeriesStyle style(const Theme &theme) const;
};

/// Runs with family, unique titles and styles, in the order given: as if opened one after another in the window.
/// A variant that is not among `variants` is drawn as an own one.
std::vector<FigureRun> figureRuns(const std::vector<std::pair<QString, run::RunRecord>> &runs,
                                  std::span<const model::VariantInfo> variants);

/// A run of the window, as it is known there; `id` must be known.
FigureRun figureRunOf(const RunCollection &runs, const std::string &id);

/// Names for direct labels: the variant alone where no other run has it, else the title.
QStringList labelNames(std::span<const FigureRun> runs);

/// The command that trains this run again: preset, seed and every setting that differs from the preset.
QString reproduceCommand(const run::RunRecord &record);

/// One line a run (folder, variant, seed, state and step, device, versions), its command, and the program's version.
QStringList provenanceLines(std::span<const FigureRun> runs);

/// A field of a CSV file (RFC 4180): quoted if it has to be.
QString csvField(const QString &text);
/// A number for CSV: shortest form that reads back exactly; "NaN", "Infinity", "-Infinity".
QString csvNumber(double value);

} // namespace lookback::ui
