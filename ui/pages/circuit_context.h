// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <memory>
#include <vector>

#include "core/circuit/by_context.h"
#include "ui/charts/line_chart.h"

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace lookback::ui {

class ElidedText;
class ShareBars;
class ToggleButton;

/// Heads against context length: one measure of several heads as curves, and where the weight of one head goes.
class ContextPanel : public QWidget {
    Q_OBJECT

public:
    explicit ContextPanel(QWidget *parent = nullptr);

    /// What stands in the bar above the panel: the measure, and whether only the chosen heads are drawn.
    QWidget *controls() const { return m_controls; }
    /// Null: not known. `lengths`: what would be measured. `failure`: why there is nothing.
    void setHeads(std::shared_ptr<const circuit::ContextHeads> heads, std::vector<circuit::HeadRequest> lengths,
                  bool isPending, const QString &failure);
    /// The last one's weight is told.
    void setChosen(const std::vector<circuit::HeadId> &chosen);
    /// Of the run: the chosen heads have its hue.
    void setStyle(const SeriesStyle &style);
    circuit::HeadMeasure measure() const;
    void setMeasure(circuit::HeadMeasure measure);
    bool isChosenOnly() const;
    void setChosenOnly(bool isOn);
    /// "n = 8 to 256, 256 to 8 sequences; whiskers: 95 % interval. ..."
    QString summary() const { return m_summary; }

    LineChart *chart() const { return m_chart; }
    ShareBars *bars() const { return m_bars; }

Q_SIGNALS:
    void asked();
    void headChosen(const lookback::circuit::HeadId &id);
    void viewChanged(); ///< Measure or heads drawn, by the user.

protected:
    void changeEvent(QEvent *event) override;

private:
    LineChart::Abscissa abscissa() const;
    void applyQuantity();
    void refreshCurves();
    void refreshBars();
    std::vector<circuit::HeadId> drawnHeads() const;

    std::shared_ptr<std::vector<std::int64_t>> m_lengths; ///< Measured; the axis has a mark at each.
    XView *m_view;
    LineChart *m_chart;
    ShareBars *m_bars;
    QLabel *m_barsTitle;
    QLabel *m_reading;
    QStackedWidget *m_stack;
    QLabel *m_why;
    QPushButton *m_ask;
    QWidget *m_controls;
    QPushButton *m_rest; ///< What is missing after a measurement that was cancelled.
    QComboBox *m_measures;
    ToggleButton *m_chosenOnly;

    std::shared_ptr<const circuit::ContextHeads> m_heads;
    std::vector<circuit::HeadId> m_chosen;
    std::vector<std::pair<QString, circuit::HeadId>> m_lineIds;
    SeriesStyle m_style;
    QString m_summary;
};

} // namespace lookback::ui
