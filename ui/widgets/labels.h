// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace lookback::ui {

enum class Tone { Text, Second, Wrong };

/// A label in 11 px (0.85 of the font) and second text that wraps; follows font and palette.
QLabel *makeNote(QWidget *parent);
/// A semi-bold label.
QLabel *makeTitle(const QString &text, QWidget *parent);

/// The label of a form's row: its buddy is `field`, and its text stands beside the field's first line.
QLabel *makeFieldLabel(const QString &text, QWidget *field, QWidget *parent);

/// Colours a label's text by the theme of the moment, and again whenever the palette changes.
void setTone(QLabel *label, Tone tone);

} // namespace lookback::ui
