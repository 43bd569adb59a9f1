// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/pages/attention_compare_choice.h"
#include "ui/pages/attention_compare_difference.h"
#include "ui/pages/attention_compare_panes.h"
#include "ui/pages/attention_page_bar.h"
#include "ui/pages/attention_page_loader.h"
#include "ui/pages/attention_page_rows.h"

namespace lookback::ui {

class ComparePanel;
class RunBridge;
class RunCollection;

/// A comparison on the attention page: fetches the right side beside the left one that the page shows, has the
/// difference made, and fills panes and panel.
class AttentionComparison : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    AttentionComparison(RunBridge *bridge, const RunCollection *collection, ComparePanes *panes, ComparePanel *panel,
                        QObject *parent = nullptr);

    bool isOn() const { return m_choice.has_value(); }
    const std::optional<CompareChoice> &choice() const { return m_choice; }
    void start(const CompareChoice &choice);
    void end();
    /// The head at the right; empty = the same as at the left.
    void setHead(std::optional<HeadChoice> head);
    /// Takes back what is under way.
    void cancel() { m_loader.cancel(); }

    // What the page tells of the left side.
    /// Its question, with the step that -1 stood for; nothing = it asks for nothing.
    void setQuestion(const std::optional<analysis::ExampleKey> &left);
    /// What it shows; `values` as they are, null while there is none.
    void setLeft(std::shared_ptr<const analysis::Example> example, PyramidPointer values);
    void setAnswer(int answer);
    void setDrawing(const MapDrawing &drawing, bool isDark, QRgb broken);
    /// The colours of both sides' weights; the difference has its own.
    void setWeightColours(const ColourTable &colours);

    /// Largest weight at the right; 0 without one.
    double rightMaximum() const;
    /// The reading of a cell of both sides; empty while one is missing.
    QString sentence(MapCell cell) const;
    /// Where exact rows of the left side come from, if its map is in half precision; null = not there.
    void setLeftRows(std::function<RowPointer(std::int64_t query)> rows) { m_leftRow = std::move(rows); }
    /// The same of the right side.
    RowPointer rightRow(std::int64_t query) const { return m_rows.find(rightHead(), query); }
    /// Rows that are read: asked for at the right, if its map is in half precision.
    void wantRows(const std::vector<std::int64_t> &queries);
    /// Left, right and difference belong to the questions; nothing is under way.
    bool isUpToDate() const;
    QString busyText() const { return isOn() ? m_loader.busyText() : QString(); }
    std::optional<double> busyFraction() const { return m_loader.busyFraction(); }
    /// Why there is no right side; empty if there is one, or it is to come.
    const QString &refusal() const { return m_refusal; }

    std::shared_ptr<const analysis::Example> leftExample() const { return m_left; }
    std::shared_ptr<const analysis::Example> rightExample() const { return m_right; }
    const PyramidPointer &leftValues() const { return m_leftValues; }
    const PyramidPointer &rightValues() const { return m_rightValues; }
    /// Null while it is being made, and where there is none.
    const PyramidPointer &difference() const { return m_difference; }
    /// "hybrid_square · seed 0, step 512, head 3:2".
    QString leftWords() const;
    QString rightWords() const;
    QStringList notes() const;

Q_SIGNALS:
    void changed(); ///< On or off, another choice.
    void mapsChanged(); ///< What is on view.
    void busyChanged();
    void rowReady(); ///< sentence() may have one now.

private:
    void reload();
    void takeRight();
    void refresh();
    void refreshDifference();
    void showRight();
    void refreshColours();
    void refreshBars();
    HeadChoice leftHead() const;
    HeadChoice rightHead() const;
    QString sideWords(const analysis::ExampleKey &key, HeadChoice head) const;

    const RunCollection *m_collection;
    ComparePanes *m_panes;
    ComparePanel *m_panel;
    AttentionLoader m_loader; ///< Of the right side.
    ExactRows m_rows; ///< Of the right side.
    std::function<RowPointer(std::int64_t query)> m_leftRow;
    DifferenceMaker m_maker;
    MapPreparer m_preparer; ///< Row-normalised maps of the right side.
    quint64 m_normaliseJob = 0;

    std::optional<CompareChoice> m_choice;
    std::optional<analysis::ExampleKey> m_question; ///< Of the left side.
    std::optional<analysis::ExampleKey> m_asked; ///< Of the right side.
    QString m_refusal;
    QString m_noDifference;

    std::shared_ptr<const analysis::Example> m_left;
    PyramidPointer m_leftValues;
    std::shared_ptr<const analysis::Example> m_right; ///< Of the same sequence as m_left, or null.
    std::shared_ptr<const analysis::Example> m_shown; ///< What the panes' positions mean.
    PyramidPointer m_rightValues;
    PyramidPointer m_difference;
    MapDrawing m_drawing;
    ColourTable m_weightColours{ColourMap::Viridis, ColourScale::shared()};
    bool m_isDark = false;
    QRgb m_broken = kNotANumber;
};

} // namespace lookback::ui
