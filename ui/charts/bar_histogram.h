// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

#include "ui/access/speaking.h"

namespace lookback::ui {

/// A small chart of a few bars with their values written on them, and a mark where chance would be.
class BarHistogram : public QWidget, public Speaking {
    Q_OBJECT

public:
    struct Bar {
        QString label; ///< Below.
        QString brief = {}; ///< If the label does not fit; may be empty.
        QString text; ///< Above: "12 of 80".
        double value = 0.0; ///< Not negative.
        std::optional<double> expected; ///< In the unit of value.
        bool operator==(const Bar &) const = default;
    };

    explicit BarHistogram(QWidget *parent = nullptr);

    /// `note` stands under the title in second text; bars have a common scale up to the largest value.
    void setBars(const QString &title, const QString &note, std::vector<Bar> bars);

    QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
    QString spokenValue() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_title;
    QString m_note;
    std::vector<Bar> m_bars;
};

} // namespace lookback::ui
