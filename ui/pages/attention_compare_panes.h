// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>

#include "ui/heatmap/head_map_view.h"

class QGridLayout;
class QLabel;
class QStackedWidget;

namespace lookback::ui {

class ElidedText;
class ToggleButton;

/// The maps of the attention page: one, or, while comparing, the left one, the right one and their difference, with a
/// panel that reads them. All pan and zoom together and have one chosen cell. Where there is no room for four, buttons
/// choose which map is on view.
class ComparePanes : public QWidget {
    Q_OBJECT

public:
    enum Pane { Left, Right, Difference };
    static constexpr int kPanes = 3;

    /// `left` is the page's own map. The panes take `left` and `panel`.
    ComparePanes(HeadMapView *left, QWidget *panel, QWidget *parent = nullptr);

    bool isComparing() const { return m_isComparing; }
    void setComparing(bool isComparing);
    HeadMapView *view(Pane pane) const { return m_panes[pane].view; }
    /// What the pane shows: a word or two, and where it comes from.
    void setTitle(Pane pane, const QString &title, const QString &words);
    QString title(Pane pane) const;
    QString words(Pane pane) const;
    /// A sentence instead of the map; empty = the map.
    void setSentence(Pane pane, const QString &sentence);
    QString sentence(Pane pane) const;
    /// Buttons choose the map on view, for lack of room.
    bool hasTabs() const { return m_hasTabs; }
    void showTab(Pane pane);
    /// The other panes show the same part as `source`.
    void follow(HeadMapView *source);

Q_SIGNALS:
    /// The mouse or the keyboard moved in a pane: its cell is to be read.
    void pointerChanged(lookback::ui::MapCell cell);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Part {
        HeadMapView *view = nullptr;
        QWidget *whole = nullptr;
        QWidget *head = nullptr;
        QLabel *title = nullptr;
        ElidedText *words = nullptr;
        QStackedWidget *stack = nullptr;
        QLabel *sentence = nullptr;
        ToggleButton *tab = nullptr;
    };
    void arrange();
    void showPartOf(const HeadMapView &source);
    bool needsTabs() const;

    std::array<Part, kPanes> m_panes;
    QWidget *m_tabs;
    QWidget *m_panel;
    QGridLayout *m_grid;
    Pane m_tab = Left;
    bool m_isComparing = false;
    bool m_hasTabs = false;
    bool m_isFollowing = false;
};

} // namespace lookback::ui
