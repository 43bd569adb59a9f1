// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/variance_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>

#include <algorithm>
#include <charconv>

#include "core/error.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

constexpr double kLeastPower = 0.5;
constexpr double kMostPower = 4.0;
constexpr int kMostKeys = 1'000'000;
constexpr int kGaussianSamples = 10'000; // as published
constexpr int kHeadSamples = 2'048;

/// The numbers of "1, 1.5 2"; nothing if one is none.
std::optional<std::vector<double>> powersIn(const QString &text)
{
    static const QRegularExpression separators(u"[,;\\s]+"_s);
    std::vector<double> powers;
    for (const QString &part : text.split(separators, Qt::SkipEmptyParts)) {
        const std::string number = part.toStdString();
        double power = 0.0;
        const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), power);
        if (fault != std::errc() || end != number.data() + number.size() || !(power >= kLeastPower)
            || !(power <= kMostPower))
            return std::nullopt;
        if (std::ranges::find(powers, power) == powers.end())
            powers.push_back(power);
    }
    if (powers.empty())
        return std::nullopt;
    return powers;
}

} // namespace

VarianceDialog::VarianceDialog(int threads, QWidget *parent)
    : MeasuredFigureDialog(parent), m_threads(std::max(threads, 1)), m_sampling(new QComboBox(this)),
      m_powers(new QLineEdit(u"1, 2, 3"_s, this)), m_longest(new QSpinBox(this)), m_samples(new QSpinBox(this)),
      m_seed(new QSpinBox(this))
{
    setObjectName(u"varianceDialog"_s);
    setWindowTitle(tr("Variance of the attended value"));
    m_sampling->setObjectName(u"varianceSampling"_s);
    m_sampling->addItems({tr("Gaussian logits"), tr("Random heads, unit logits"), tr("Heads before training")});
    m_sampling->setItemData(0, tr("Logits and values are independent and standard normal"), Qt::ToolTipRole);
    m_sampling->setItemData(
        1, tr("Heads of 32 of 128 with normal weights on normalised states: logits of unit variance"), Qt::ToolTipRole);
    m_sampling->setItemData(2, tr("The same with the small weights that a model starts its training with"),
                            Qt::ToolTipRole);
    m_powers->setObjectName(u"variancePowers"_s);
    m_powers->setToolTip(tr("Powers of the logits before the softmax, from 0.5 to 4"));
    m_longest->setObjectName(u"varianceLongest"_s);
    m_longest->setRange(2, kMostKeys);
    m_longest->setGroupSeparatorShown(true);
    m_longest->setValue(10'000);
    m_longest->setToolTip(tr("The curve runs from 2 keys to so many"));
    m_samples->setObjectName(u"varianceSamples"_s);
    m_samples->setRange(2, 10'000'000);
    m_samples->setGroupSeparatorShown(true);
    m_samples->setValue(kGaussianSamples);
    m_samples->setToolTip(tr("More samples make the standard errors smaller and take longer"));
    m_seed->setObjectName(u"varianceSeed"_s);
    m_seed->setRange(0, 2'147'483'647);
    form()->addRow(tr("&Draws"), m_sampling);
    form()->addRow(tr("&Powers"), m_powers);
    form()->addRow(tr("&Keys up to"), m_longest);
    form()->addRow(tr("&Samples"), m_samples);
    form()->addRow(tr("Seed &of draws"), m_seed);
    setEmptyText(
        tr("How much of a value survives when a query sees more and more keys: with plain softmax (power 1) the "
           "output averages out, with squared logits it stays."));
    connect(m_powers, &QLineEdit::textChanged, this, &VarianceDialog::check);
    connect(m_sampling, &QComboBox::currentIndexChanged, this, [this](int index) {
        // The number of draws that fits, unless another one was asked for.
        if (m_samples->value() == kGaussianSamples || m_samples->value() == kHeadSamples)
            m_samples->setValue(index == 0 ? kGaussianSamples : kHeadSamples);
    });
    showFigure();
}

VarianceDialog::~VarianceDialog()
{
    m_thread.request_stop();
}

std::optional<analysis::VarianceRequest> VarianceDialog::request() const
{
    std::optional<std::vector<double>> powers = powersIn(m_powers->text());
    if (!powers)
        return std::nullopt;
    return analysis::VarianceRequest{.sampling = static_cast<analysis::VarianceSampling>(m_sampling->currentIndex()),
                                     .n_keys = varianceLengths(m_longest->value()),
                                     .powers = std::move(*powers),
                                     .samples = m_samples->value(),
                                     .seed = static_cast<std::uint64_t>(m_seed->value()),
                                     .threads = m_threads};
}

std::unique_ptr<Figure> VarianceDialog::figure() const
{
    return m_shown ? makeVarianceFigure(*m_shown) : nullptr;
}

void VarianceDialog::check()
{
    setProblem(request() ? QString() : tr("Powers are numbers from 0.5 to 4, for example 1, 1.5, 2."));
}

void VarianceDialog::compute()
{
    const std::optional<analysis::VarianceRequest> asked = request();
    if (!asked)
        return;
    cancel();
    const std::uint64_t job = ++m_job;
    setBusy(true);
    m_thread = std::jthread([this, job, asked = *asked](const std::stop_token &stop) {
        const auto tell = [this, job](auto what) {
            QMetaObject::invokeMethod(
                this,
                [this, job, what = std::move(what)] {
                    if (job == m_job)
                        what();
                },
                Qt::QueuedConnection);
        };
        try {
            VarianceFigureInput input{.request = asked, .points = {}};
            input.points = analysis::attendedVariance(
                asked, stop, [&](const Progress &progress) { tell([this, progress] { showProgress(progress); }); });
            tell([this, input = std::move(input)] {
                m_shown = input;
                setBusy(false);
                say({}, false);
                showFigure();
            });
        } catch (const Cancelled &) {
            return; // who cancelled it has said so
        } catch (...) {
            const QString sentence = QString::fromStdString(caughtError("variance").sentence());
            tell([this, sentence] {
                setBusy(false);
                say(sentence, true);
            });
        }
    });
}

void VarianceDialog::cancel()
{
    m_thread.request_stop();
    if (!isBusy())
        return;
    ++m_job;
    setBusy(false);
    say(tr("Stopped."), false);
}

} // namespace lookback::ui
