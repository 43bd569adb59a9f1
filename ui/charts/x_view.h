// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <optional>

#include "ui/charts/axis.h"

namespace lookback::ui {

/// What charts above each other share: the range of their common x axis, whether it follows the data, and the
/// cross-hair.
///
/// The view follows the automatic range until the user zooms or pans, then it holds through every update until
/// setFollowing(true). Lives on the GUI thread.
class XView : public QObject {
    Q_OBJECT

public:
    explicit XView(QObject *parent = nullptr);

    Scale scale() const { return m_scale; }
    /// Changes the scale. A held view holds, as far as it has a place on the new scale.
    void setScale(Scale scale);

    const Range &range() const { return m_range; }
    /// All that there is to see; shown while following.
    const Range &automaticRange() const { return m_automatic; }
    void setAutomaticRange(const Range &range);
    /// The user's choice: the view holds from now on. Kept inside the automatic range (and some air), and wider than
    /// `leastWidth` on the scale.
    void setRange(const Range &range);

    bool isFollowing() const { return m_isFollowing; }
    void setFollowing(bool isFollowing);
    /// Holds the present range: somebody zoomed along another axis.
    void hold() { setFollowing(false); }

    /// A logged x, or nothing.
    const std::optional<double> &crossHair() const { return m_crossHair; }
    void setCrossHair(std::optional<double> x);

Q_SIGNALS:
    void rangeChanged();
    void followingChanged(bool isFollowing);
    void crossHairChanged();

private:
    void assign(const Range &range);

    Scale m_scale = Scale::Linear;
    Range m_range;
    Range m_automatic;
    bool m_isFollowing = true;
    std::optional<double> m_crossHair;
};

} // namespace lookback::ui
