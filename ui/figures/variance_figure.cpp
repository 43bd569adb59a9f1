// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/variance_figure.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/json.h"
#include "ui/charts/nice_range.h"
#include "ui/charts/number_text.h"
#include "ui/figures/figure_run.h"
#include "ui/figures/labelled_plot.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

using analysis::VariancePoint;
using analysis::VarianceSampling;

namespace {

constexpr std::array<std::string_view, 3> kIds{"gaussian", "unit", "default"};

QString view(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "2", "1.5"
QString powerText(double power)
{
    return QString::fromStdString(realText(power));
}

/// Plain softmax dashed, powers of whole numbers solid, others broken.
SeriesStyle styleOf(double power, std::size_t place, const Theme &theme)
{
    SeriesStyle style = listedStyle(place, theme);
    if (power == 1.0)
        style.dashes = {3, 2};
    else if (power != std::floor(power))
        style.dashes = {6, 1.5, 1.5, 1.5};
    return style;
}

class VarianceFigure final : public Figure {
public:
    explicit VarianceFigure(VarianceFigureInput input) : m_input(std::move(input)) { }

    void draw(QPainter &painter, const QSizeF &size, const Theme &theme) const override;
    QString csv() const override;
    QString fileName() const override { return u"variance_%1"_s.arg(view(samplingId(m_input.request.sampling))); }
    QString title() const override { return u"Variance of the attended value by number of keys"_s; }
    QStringList provenance() const override
    {
        return {caption(), command(), u"Lookback "_s + QLatin1StringView(LOOKBACK_VERSION)};
    }

private:
    bool isGaussian() const { return m_input.request.sampling == VarianceSampling::GaussianLogits; }
    QString caption() const;
    QString command() const;
    LabelledPlot plot(const Theme &theme) const;

    VarianceFigureInput m_input;
};

QString VarianceFigure::caption() const
{
    const QString samples = countText(m_input.request.samples);
    QString text;
    switch (m_input.request.sampling) {
    case VarianceSampling::GaussianLogits:
        text =
            u"Variance of Σ wᵢ vᵢ, w = softmax over i of logitᵢ to the power p; logits and values standard normal; %1 "
            "samples a point."_s.arg(samples);
        break;
    case VarianceSampling::UnitHeads:
        text = u"Variance of an output entry of random attention heads (width %1 of %2, weights normal with variance "
               u"1/%2: "
               "logits of about unit variance) on normalised Gaussian states, w = softmax over i of logitᵢ to the "
               "power p; "
               "%3 heads a point."_s.arg(m_input.request.headWidth)
                   .arg(m_input.request.modelWidth)
                   .arg(samples);
        break;
    case VarianceSampling::DefaultHeads:
        text =
            u"Variance of an output entry of attention heads as a model starts its training (width %1 of %2, weights "
            "uniform in ±1/√%2) on normalised Gaussian states, w = softmax over i of logitᵢ to the power p; %3 heads a "
            "point. Where few heads make most of it (p = 3 from 10,000 keys on), bars are too short."_s
                .arg(m_input.request.headWidth)
                .arg(m_input.request.modelWidth)
                .arg(samples);
        break;
    }
    return text
        + u" Bars: two standard errors either way. Odd and fractional powers keep the sign of the logit, even ones "
          "lose it."_s;
}

QString VarianceFigure::command() const
{
    QStringList powers;
    for (const double power : m_input.request.powers)
        powers << powerText(power);
    QStringList lengths;
    for (const std::int64_t n : m_input.request.n_keys)
        lengths << QString::number(n);
    return u"lookback-cli figure variance --sampling %1 --powers %2 --lengths %3 --samples %4 --seed %5"_s
        .arg(view(samplingId(m_input.request.sampling)), powers.join(u','), lengths.join(u','))
        .arg(m_input.request.samples)
        .arg(m_input.request.seed);
}

LabelledPlot VarianceFigure::plot(const Theme &theme) const
{
    LabelledPlot plot;
    Range keys{1e300, 0.0};
    Range values{1e300, 0.0};
    for (std::size_t i = 0; i < m_input.request.powers.size(); ++i) {
        const double power = m_input.request.powers[i];
        LabelledCurve curve{.text = u"p\u00a0=\u00a0%1"_s.arg(powerText(power)), .style = styleOf(power, i, theme)};
        for (const VariancePoint &point : m_input.points) {
            if (point.power != power)
                continue;
            const auto n = static_cast<double>(point.n_keys);
            const double value = point.variance.value;
            const double error = 2.0 * point.variance.standardError;
            curve.points.push_back({n, value});
            curve.intervals.push_back({n, value - error, value + error});
            keys = {std::min(keys.lower, n), std::max(keys.upper, n)};
            if (value > 0.0)
                values = {std::min(values.lower, value), std::max(values.upper, value)};
        }
        plot.curves.push_back(std::move(curve));
    }
    const bool hasPlain = std::ranges::find(m_input.request.powers, 1.0) != m_input.request.powers.end();
    if (isGaussian() && hasPlain) {
        // var = E[sum w^2] -> E[e^2x] / (n E[e^x]^2) = e / n
        for (const VariancePoint &point : m_input.points) {
            const auto n = static_cast<double>(point.n_keys);
            if (point.power == 1.0 && n >= 10.0)
                plot.reference.points.emplace_back(n, std::numbers::e / n);
        }
        plot.reference.text = u"e/n"_s;
    } else if (m_input.request.sampling == VarianceSampling::UnitHeads) {
        const auto width = static_cast<double>(m_input.request.modelWidth);
        plot.lines.push_back({Qt::Horizontal, 1.0 / width, u"1/%1"_s.arg(m_input.request.modelWidth)});
    }
    const Range y = niceLogRange(values.lower < values.upper ? values : Range{values.lower / 2, 2 * values.upper});
    const double air = std::pow(std::max(keys.upper / keys.lower, 1.5), 0.02);
    const Range x{keys.lower / air, keys.upper * air};
    plot.x = [x](int most) {
        Axis axis = stepAxis(x, Scale::Log10, most);
        axis.title = u"Number of keys"_s;
        return axis;
    };
    plot.y = [y](int most) { return quantityAxis(y, most, u"Variance of the attended value"_s); };
    plot.widestX = countText(std::llround(keys.upper));
    return plot;
}

void VarianceFigure::draw(QPainter &painter, const QSizeF &size, const Theme &theme) const
{
    painter.save();
    const QRectF page = drawCaptionBelow(painter, size, caption(), theme);
    drawLabelledPlot(painter, page, plot(theme), theme);
    painter.restore();
}

QString VarianceFigure::csv() const
{
    QString text = u"sampling,power,n_keys,samples,variance,standard_error,drawn_variance,drawn_standard_error\r\n"_s;
    for (const VariancePoint &point : m_input.points) {
        text += view(samplingId(m_input.request.sampling)) % u',' % csvNumber(point.power) % u','
            % QString::number(point.n_keys) % u',' % QString::number(point.samples) % u','
            % csvNumber(point.variance.value) % u',' % csvNumber(point.variance.standardError) % u','
            % (isGaussian() ? csvNumber(point.sampled.value) : QString()) % u','
            % (isGaussian() ? csvNumber(point.sampled.standardError) : QString()) % u"\r\n"_s;
    }
    return text;
}

} // namespace

std::unique_ptr<Figure> makeVarianceFigure(VarianceFigureInput input)
{
    return std::make_unique<VarianceFigure>(std::move(input));
}

std::vector<std::int64_t> varianceLengths(std::int64_t longest)
{
    std::vector<std::int64_t> lengths;
    for (std::int64_t decade = 1; decade < longest; decade *= 10) {
        for (const std::int64_t n : {decade, 2 * decade, 5 * decade}) {
            if (n >= 2 && n < longest)
                lengths.push_back(n);
        }
    }
    lengths.push_back(longest);
    return lengths;
}

std::span<const std::string_view> samplingIds()
{
    return kIds;
}

std::string_view samplingId(VarianceSampling sampling)
{
    return kIds[static_cast<std::size_t>(sampling)];
}

} // namespace lookback::ui
