// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>
#include <optional>

#include "core/analysis/attention_view.h"
#include "ui/heatmap/colour_bar.h"
#include "ui/heatmap/colour_map.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace lookback::ui {

/// How the maps are drawn. Remembered between sessions.
struct MapDrawing {
    bool isLog = false;
    RangeChoice range = RangeChoice::AllHeads;
    std::optional<ColourMap> weights; ///< Colours of attention weights; empty = the theme's default.
    std::optional<ColourMap> signedWeights; ///< Colours of recurrence matrices.
    bool hasEntries = true;
    bool hasOccurrences = true;
    bool hasWindowEdge = true; ///< Of windowed heads.
    bool hasTrainingLength = true; ///< Where the context is longer.

    /// The colour map for that kind under that theme.
    ColourMap colours(bool isSigned, bool isDark) const;
    /// The scale all heads share.
    ColourScale sharedScale(bool isSigned) const;
    /// The scale of a head whose largest magnitude is `maximum`.
    ColourScale scale(bool isSigned, double maximum) const;
    bool operator==(const MapDrawing &) const = default;
};

/// The bar above the map: scale, colours, range, what is drawn over it, zoom, numbers, export. Narrow windows get
/// fewer words, never fewer functions.
class MapBar : public QWidget {
    Q_OBJECT

public:
    explicit MapBar(QWidget *parent = nullptr);

    const MapDrawing &drawing() const { return m_drawing; }
    void setDrawing(const MapDrawing &drawing);
    /// Of the head on view: signed matrices have colours of their own and no logarithm.
    void setSigned(bool isSigned);
    /// False while there is no map: zoom, numbers and export are disabled and say why.
    void setHasMap(bool hasMap);
    /// Whether the panel at the right is hidden for lack of room, and can be called.
    void setPredictionButton(bool isShown, bool isChecked);

    QSize minimumSizeHint() const override;
    QWidget *lastInTabOrder() const;
    /// "Compare…" opens it.
    void setCompareMenu(QMenu *menu);

Q_SIGNALS:
    void drawingChanged();
    void zoomInAsked();
    void zoomOutAsked();
    void zoomToFitAsked();
    void numbersAsked();
    void exportAsked();
    void predictionAsked(bool isShown);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void refresh();
    void fillColours();
    void applyWidth();
    void edit(const std::function<void(MapDrawing &)> &change);

    MapDrawing m_drawing;
    bool m_isSigned = false;
    bool m_hasMap = false;
    QLabel *m_scaleLabel;
    QToolButton *m_linear;
    QToolButton *m_log;
    QLabel *m_coloursLabel;
    QComboBox *m_colours;
    QComboBox *m_range;
    /// What can be drawn over the map: a box, and its twin in the menu where there is no room for boxes.
    struct Switch {
        bool MapDrawing::*isOn = nullptr;
        QCheckBox *box = nullptr;
        QAction *action = nullptr;
    };
    QList<Switch> m_switches;
    QToolButton *m_marks;
    QMenu *m_coloursMenu;
    QMenu *m_rangeMenu;
    QList<QAction *> m_zoomActions;
    QToolButton *m_zoomIn;
    QToolButton *m_zoomOut;
    QToolButton *m_zoomToFit;
    QToolButton *m_prediction;
    QToolButton *m_compare;
    QToolButton *m_numbers;
    QToolButton *m_export;
};

} // namespace lookback::ui
