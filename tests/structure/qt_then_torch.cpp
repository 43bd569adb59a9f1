// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles: Qt first, LibTorch second. Without QT_NO_KEYWORDS, `slots` is a Qt macro and ivalue_inl.h does not compile.
#include <QObject>
#include <QWidget>

#include <ATen/core/ivalue.h>

static_assert(sizeof(QObject) > 0 && sizeof(c10::IValue) > 0);
