// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/heatmap/head_keys.h"

#include <Qt>

namespace lookback::ui {

std::optional<circuit::HeadId> headAfterKey(int key, circuit::HeadId head, std::int64_t heads)
{
    switch (key) {
    case Qt::Key_Left:
        --head.head;
        break;
    case Qt::Key_Right:
        ++head.head;
        break;
    case Qt::Key_Up:
        --head.layer;
        break;
    case Qt::Key_Down:
        ++head.layer;
        break;
    case Qt::Key_Home:
        head.head = 0;
        break;
    case Qt::Key_End:
        head.head = heads - 1;
        break;
    default:
        return std::nullopt;
    }
    return head;
}

} // namespace lookback::ui
