// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/error.h"
#include "ui/theme/resources.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {

/// Keys of "series" in the palette files, in the order of model::Family.
constexpr std::array<QLatin1StringView, 8> kFamilyKeys{
    "full_rope"_L1, "partial_rope"_L1,    "hybrid_window"_L1, "hybrid_no_window"_L1,
    "kda"_L1,       "chunk_retrieval"_L1, "baseline"_L1,      "own"_L1,
};

/// Markers of the families' first runs, in the same order.
constexpr std::array<Marker, 8> kFamilyMarkers{
    Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond,
    Marker::Cross,  Marker::Star,   Marker::Plus,     Marker::Hourglass,
};

[[noreturn]] void refuse(const QString &file, const QString &what)
{
    throw Error(file.toStdString(), what.toStdString(), "The program's own files are damaged; install it again.");
}

QColor colourOf(const QJsonObject &object, QLatin1StringView key, const QString &file)
{
    const QColor colour(object.value(key).toString());
    if (!colour.isValid())
        refuse(file, u"The palette has no colour \"%1\"."_s.arg(key));
    return colour;
}

Theme readTheme(const QString &file, bool isDark)
{
    initResources();
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        refuse(file, u"The palette cannot be read."_s);
    const QJsonObject root = QJsonDocument::fromJson(source.readAll()).object();
    const QJsonObject roles = root.value("roles"_L1).toObject();

    Theme theme;
    theme.isDark = isDark;
    const std::pair<QLatin1StringView, QColor *> members[] = {
        {"window"_L1, &theme.window},
        {"base"_L1, &theme.base},
        {"alternate_base"_L1, &theme.alternateBase},
        {"text"_L1, &theme.text},
        {"second_text"_L1, &theme.secondText},
        {"disabled_text"_L1, &theme.disabledText},
        {"hairline"_L1, &theme.hairline},
        {"control"_L1, &theme.control},
        {"control_border"_L1, &theme.controlBorder},
        {"selection"_L1, &theme.selection},
        {"accent"_L1, &theme.accent},
        {"accent_text"_L1, &theme.accentText},
        {"focus"_L1, &theme.focus},
        {"right"_L1, &theme.right},
        {"warning"_L1, &theme.warning},
        {"wrong"_L1, &theme.wrong},
        {"mask"_L1, &theme.mask},
        {"occurrence"_L1, &theme.occurrence},
    };
    for (const auto &[key, member] : members)
        *member = colourOf(roles, key, file);

    const QJsonObject series = root.value("series"_L1).toObject();
    for (std::size_t family = 0; family < theme.shades.size(); ++family) {
        const QJsonArray shades = series.value(kFamilyKeys[family]).toArray();
        if (shades.size() != qsizetype(theme.shades[family].size()))
            refuse(file, u"The palette needs three shades of \"%1\"."_s.arg(kFamilyKeys[family]));
        for (std::size_t i = 0; i < theme.shades[family].size(); ++i) {
            const QJsonObject shade = shades.at(qsizetype(i)).toObject();
            theme.shades[family][i] = {colourOf(shade, "line"_L1, file), colourOf(shade, "label"_L1, file)};
        }
    }
    return theme;
}

/// Dash number `index` of a logit form, in units of the pen width. The first is the one of house figures; further ones
/// stay recognisable as "nearly solid" (squared) or "clearly broken" (plain).
QList<qreal> dashesOf(model::LogitForm logits, int index)
{
    static const std::array<QList<qreal>, 3> squared{QList<qreal>{}, QList<qreal>{9, 1}, QList<qreal>{6, 1, 1.5, 1}};
    static const std::array<QList<qreal>, 3> plain{QList<qreal>{3, 2}, QList<qreal>{1.5, 1.5},
                                                   QList<qreal>{4, 1.5, 1, 1.5}};
    const auto number = std::size_t(index) % 3;
    return logits == model::LogitForm::Squared ? squared[number] : plain[number];
}

std::size_t indexOf(model::Family family)
{
    const auto index = std::size_t(family);
    return index < kFamilyKeys.size() ? index : kFamilyKeys.size() - 1;
}

} // namespace

const Theme &Theme::light()
{
    static const Theme theme = readTheme(u":/palettes/light.json"_s, false);
    return theme;
}

const Theme &Theme::dark()
{
    static const Theme theme = readTheme(u":/palettes/dark.json"_s, true);
    return theme;
}

const Theme &Theme::forPalette(const QPalette &palette)
{
    return palette.color(QPalette::Base).lightnessF() < palette.color(QPalette::Text).lightnessF() ? dark() : light();
}

QPalette Theme::palette() const
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, const QColor &colour) { palette.setColor(role, colour); };
    set(QPalette::Window, window);
    set(QPalette::WindowText, text);
    set(QPalette::Base, base);
    set(QPalette::AlternateBase, alternateBase);
    set(QPalette::Text, text);
    set(QPalette::PlaceholderText, secondText);
    set(QPalette::Button, control);
    set(QPalette::ButtonText, text);
    set(QPalette::BrightText, wrong);
    set(QPalette::Light, isDark ? controlBorder : QColor(Qt::white));
    set(QPalette::Midlight, hairline);
    set(QPalette::Mid, controlBorder);
    set(QPalette::Dark, isDark ? window.darker(150) : controlBorder.darker(130));
    set(QPalette::Shadow, isDark ? QColor(Qt::black) : controlBorder.darker(200));
    set(QPalette::Highlight, selection);
    set(QPalette::HighlightedText, text);
    set(QPalette::ToolTipBase, isDark ? control : base);
    set(QPalette::ToolTipText, text);
    set(QPalette::Link, focus);
    set(QPalette::LinkVisited, secondText);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, disabledText);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, hairline);
    return palette;
}

SeriesStyle Theme::seriesStyle(model::Family family, model::LogitForm logits, int index) const
{
    const std::size_t number = indexOf(family);
    const int run = std::max(index, 0);
    const SeriesShade &shade = shades[number][std::size_t(run) % 3];

    SeriesStyle style;
    style.line = shade.line;
    style.label = shade.label;
    style.dashes = dashesOf(logits, run / 3);
    // Further runs take the other families' markers in turn. None of them is a ring: hollow means published or
    // reference.
    style.marker = kFamilyMarkers[(number + std::size_t(run)) % kFamilyMarkers.size()];
    return style;
}

SeriesStyle Theme::publishedStyle(model::Family family, model::LogitForm logits) const
{
    SeriesStyle style = seriesStyle(family, logits);
    style.hasDot = logits == model::LogitForm::Squared;
    style.dashes = style.hasDot ? QList<qreal>{1, 1.5} : QList<qreal>{1, 4};
    style.isHollow = true;
    return style;
}

} // namespace lookback::ui
