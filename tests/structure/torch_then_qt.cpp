// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles: LibTorch first, Qt second.
#include <ATen/core/ivalue.h>

#include <QObject>
#include <QWidget>

static_assert(sizeof(QObject) > 0 && sizeof(c10::IValue) > 0);
