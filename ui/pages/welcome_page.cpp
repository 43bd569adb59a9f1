// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/welcome_page.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/run_bridge.h"
#include "ui/figures/accuracy_figure.h"
#include "ui/models/run_collection.h"
#include "ui/models/time_text.h"
#include "ui/settings/experiment_setup.h"
#include "ui/widgets/fitting_area.h"
#include "ui/widgets/figure_view.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/primary_button.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
constexpr int kWidthForBoth = 820;
}

WelcomePage::WelcomePage(RunBridge *bridge, RunCollection *runs, QWidget *parent)
    : QWidget(parent), m_bridge(bridge), m_try(new PrimaryButton(this)), m_estimate(new QLabel(this)),
      m_picture(new QWidget(this)), m_figure(new FigureView(m_picture))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);

    auto *headline = new QLabel(tr("Which attention still finds the value when the context grows 32 times?"), this);
    QFont large = font();
    large.setPointSizeF(font().pointSizeF() * 1.5);
    large.setWeight(QFont::DemiBold);
    headline->setFont(large);
    headline->setWordWrap(true);

    auto *text =
        new QLabel(tr("Lookback trains small transformers to look things up. A sequence lists keys with values, "
                      "each pair twice in shuffled order; where a key comes the second time, the model must "
                      "recall its value. Training shows at most 128 tokens, the test goes up to 4,096. Nine "
                      "attention designs, one backbone."),
                   this);
    text->setWordWrap(true);

    m_try->setObjectName(u"try-button"_s);
    m_try->setText(tr("Try it in a minute"));
    m_try->setIconName("play"_L1);
    m_try->setPrimary(true);
    connect(m_try, &QPushButton::clicked, this, &WelcomePage::tryRequested);
    m_estimate->setWordWrap(true);
    m_estimate->setForegroundRole(QPalette::PlaceholderText);
    connect(runs, &RunCollection::runChanged, this, &WelcomePage::refreshEstimate);
    connect(bridge, &RunBridge::machineKnown, this, &WelcomePage::refreshEstimate); // also when a speed was measured
    refreshEstimate();

    auto *open = new QPushButton(icon("open"_L1), tr("Open runs &folder…"), this);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    auto *guide = new QPushButton(icon("help"_L1), tr("&Guide"), this);
    connect(guide, &QPushButton::clicked, this, &WelcomePage::guideRequested);
    auto *others = new QHBoxLayout;
    others->setSpacing(8);
    others->addWidget(open);
    others->addWidget(guide);
    others->addStretch(1);

    auto *hint = new QLabel(tr("Or choose designs at the left and press Train. Run folders and saved set-ups can be "
                               "dropped on this window."),
                            this);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);

    auto *area = new FittingArea(this); // texts are scrolled, never cut
    area->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    auto *words = new QVBoxLayout(area->widget());
    words->setContentsMargins(4, 0, 8, 0);
    words->setSpacing(12);
    words->addWidget(headline);
    words->addWidget(text);
    words->addSpacing(4);
    auto *tryRow = new QHBoxLayout;
    tryRow->setContentsMargins(-4, 0, 0, 0); // the room for the focus frame is outside of the button's face
    tryRow->addWidget(m_try);
    tryRow->addStretch(1);
    words->addLayout(tryRow);
    words->addWidget(m_estimate);
    words->addSpacing(4);
    words->addLayout(others);
    words->addWidget(hint);
    words->addStretch(1);

    auto *picture = new QVBoxLayout(m_picture);
    picture->setContentsMargins(0, 0, 0, 0);
    picture->setSpacing(8);
    auto *title = makeTitle(tr("Published, July 2026: exact match by context length"), this);
    title->setWordWrap(true);
    picture->addWidget(title);
    picture->addWidget(m_figure, 1);
    AccuracyFigureInput input;
    input.curves = publishedFigureCurves(runs->variants());
    input.hasIntervals = false;
    m_figure->setFigure(makeAccuracyFigure(std::move(input)));

    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(28, 32, 24, 16);
    row->setSpacing(24);
    row->addWidget(area, 5);
    row->addWidget(m_picture, 6);
}

void WelcomePage::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    // In a narrow window the words come first; the curves are on the accuracy page, too.
    m_picture->setVisible(width() >= kWidthForBoth);
}

void WelcomePage::refreshEstimate()
{
    double seconds = 0.0;
    bool isMeasured = true;
    for (const run::TrainRequest &request : ExperimentSetup::trial().requests()) {
        const std::optional<double> one = m_bridge->service().estimatedSeconds(request);
        isMeasured = isMeasured && one.has_value();
        seconds = std::max(seconds, one.value_or(0.0));
    }
    m_estimate->setText(isMeasured
                            ? tr("Trains rope and hybrid_square with the Tiny preset, %1 on this machine, then "
                                 "measures them on longer contexts.",
                                 "about a duration")
                                  .arg(aboutText(seconds))
                            : tr("Trains rope and hybrid_square with the Tiny preset, then measures them on longer "
                                 "contexts."));
}

} // namespace lookback::ui
