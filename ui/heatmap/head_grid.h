// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

#include <memory>
#include <vector>

#include "core/analysis/attention_view.h"
#include "core/circuit/head_id.h"
#include "ui/heatmap/colour_map.h"
#include "ui/access/speaking.h"
#include "ui/heatmap/value_pyramid.h"

namespace lookback::ui {

/// Which head; {-1, -1} = none.
using HeadChoice = circuit::HeadId;

/// "window", "all", "delta": what a layer sees, in one word for a narrow label.
QString layerWord(const model::SublayerInfo &layer);

/// All heads of an example as small pictures, a row a layer: block maxima on one shared scale. Arrow keys choose.
class HeadGrid : public QWidget, public Speaking {
    Q_OBJECT

public:
    explicit HeadGrid(QWidget *parent = nullptr);

    /// Forgets all pictures. Null = nothing to show.
    /// `isByHead`: only heads that are chosen get computed; the others say so.
    void setExample(std::shared_ptr<const analysis::Example> example, bool isByHead = false);
    /// Picture of one head; null lets go of it.
    void setHead(HeadChoice head, const PyramidPointer &values);
    /// Lets go of the values of a head; its picture stays until size or colours change.
    void letGo(HeadChoice head);
    /// Pictures of one layer, in head order.
    void setLayer(std::int64_t layer, const std::vector<PyramidPointer> &heads);
    /// Lets go of the values of all other layers, which can be large; their pictures stay until size or colours change.
    void keepOnly(std::int64_t layer);
    /// Colours of attention weights and of signed matrices.
    void setColours(const ColourTable &weights, const ColourTable &signedWeights);
    void setStale(bool isStale);

    HeadChoice choice() const { return m_choice; }
    /// Clamped; emits headChosen when it changed.
    void setChoice(HeadChoice choice);
    bool hasPicture(HeadChoice choice) const;

    /// The thumbnail of a head, in this widget's coordinates.
    QRect cellRect(HeadChoice choice) const;

    QAccessible::Role spokenRole() const override { return QAccessible::List; }
    QString spokenValue() const override;
    QString spokenHelp() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

Q_SIGNALS:
    void headChosen(lookback::ui::HeadChoice choice);
    void headPressed(lookback::ui::HeadChoice choice); ///< By a click or Enter, the chosen one again too.

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    std::int64_t layerCount() const;
    std::int64_t headCount() const;
    int labelWidth() const;
    int headerHeight() const;
    int side(int width) const;
    HeadChoice headUnder(const QPoint &place) const;
    QString words(HeadChoice choice) const;
    const QImage &picture(HeadChoice choice, int pixels);

    struct Thumbnail {
        PyramidPointer values; ///< Null: not there (yet), or let go of.
        QImage image; ///< Drawn when needed.
    };

    std::shared_ptr<const analysis::Example> m_example;
    std::vector<std::vector<Thumbnail>> m_layers;
    bool m_isByHead = false;
    ColourTable m_weights;
    ColourTable m_signedWeights;
    HeadChoice m_choice;
    HeadChoice m_hover{-1, -1};
    bool m_isStale = false;
};

} // namespace lookback::ui
