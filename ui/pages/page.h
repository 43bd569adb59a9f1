// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantMap>
#include <QWidget>

#include <memory>
#include <optional>

#include "core/run/run_service.h"
#include "ui/figures/figure.h"

namespace lookback::ui {

/// A digit of an example that another page wants to be looked at.
struct ExampleTarget {
    run::RunId run;
    std::int64_t step = -1;
    std::int64_t n_keys = 0;
    std::int64_t sequence = 0;
    std::int64_t entry = 0; ///< A second occurrence.
    std::int64_t digit = 0;
    std::optional<circuit::HeadId> head = {}; ///< Empty: the one that the page chooses.
};

/// A page of the window's tab bar. The window plugs its menus into these functions and knows nothing else of a page.
class Page : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// What Export and Copy take: the figure on view, as a value. Null while there is nothing to see.
    virtual std::unique_ptr<Figure> figure() const { return nullptr; }

    virtual bool canZoom() const { return false; }
    virtual void zoomIn() { }
    virtual void zoomOut() { }
    virtual void zoomToFit() { }

    /// The view history (zoom and selection), for Alt+Left and Alt+Right.
    virtual bool canGoBack() const { return false; }
    virtual bool canGoForward() const { return false; }
    virtual void goBack() { }
    virtual void goForward() { }

    /// Shows that example, if this is a page for examples.
    virtual void showExample(const ExampleTarget &) { }
    /// The heads that are chosen on the page of the circuit, for pages that can look at a model without them.
    virtual void takeCircuitHeads(const circuit::Intervention &) { }

    /// How the page draws, remembered between sessions; plain values only. Unknown keys are passed over.
    virtual QVariantMap viewState() const { return {}; }
    virtual void restoreViewState(const QVariantMap &) { }

Q_SIGNALS:
    /// One of figure, canZoom, canGoBack, canGoForward may answer differently now.
    void abilitiesChanged();
    /// The text for the status bar: the value at the pointer, keys of the page. Empty = nothing.
    void statusChanged(const QString &text);
    /// The page's own "Export…" button was pressed.
    void exportRequested();
    /// The button of an empty page: go to the set-up.
    void trainRequested();
    /// An example is to be looked at on the page for examples.
    void exampleRequested(const lookback::ui::ExampleTarget &target);
    /// Other heads are chosen on the page of the circuit, or they are to be removed in another way.
    void circuitHeadsChanged(const lookback::circuit::Intervention &heads);
};

} // namespace lookback::ui
