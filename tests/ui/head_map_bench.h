// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include <memory>

#include "tests/ui/fake_run_service.h"
#include "tests/ui/half_pictures.h"
#include "ui/heatmap/head_map_view.h"

namespace lookback::tests {

/// A widget as a screen of that pixel ratio would show it.
inline QImage pictureOf(QWidget &widget, double pixelRatio)
{
    QImage image((QSizeF(widget.size()) * pixelRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(Qt::red);
    widget.render(&image);
    return image;
}

/// An example of `n` keys with a map of zeros that a test fills.
struct Bench {
    explicit Bench(std::int64_t n, std::int64_t window = 0)
    {
        example = std::make_shared<analysis::Example>(
            FakeRunService::scriptedExample(RunConfig(), {.runFolder = "/r", .n_keys = n}));
        map = std::make_shared<analysis::HeadMap>();
        map->queries = map->keys = example->positions;
        map->window = window;
        map->weights.assign(static_cast<std::size_t>(map->queries * map->keys), 0.0F);
    }
    float &at(std::int64_t query, std::int64_t key)
    {
        return map->weights[static_cast<std::size_t>(query * map->keys + key)];
    }
    void showIn(ui::HeadMapView &view) const
    {
        view.setExample(example);
        // As the page shows them: large maps in half precision.
        view.setValues(map->queries > 1024 ? halfPicture(*map) : std::make_shared<const ui::ValuePyramid>(map));
    }
    std::shared_ptr<analysis::Example> example;
    std::shared_ptr<analysis::HeadMap> map;
};

/// The device pixel of the picture at the middle of a cell.
inline QPoint middleOf(const ui::HeadMapView &view, ui::MapCell cell, double pixelRatio)
{
    const QPoint corner = view.viewport()->mapTo(view.window(), QPoint(0, 0));
    return QPoint(static_cast<int>((corner.x() + view.keys().centre(cell.key)) * pixelRatio),
                  static_cast<int>((corner.y() + view.queries().centre(cell.query)) * pixelRatio));
}

} // namespace lookback::tests
