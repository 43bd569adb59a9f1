// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

// Q_INIT_RESOURCE declares a function of the global namespace; a static library drops unreferenced resources.
static void registerIcons()
{
    Q_INIT_RESOURCE(lookback);
}

namespace lookback::ui {

namespace {

QString fileOf(const QString &name)
{
    registerIcons();
    return u":/icons/"_s + name + u".svg"_s;
}

QByteArray sourceOf(const QString &name)
{
    QFile file(fileOf(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Draws an SVG whose shapes use currentColor.
class RecolouredEngine : public QIconEngine {
public:
    RecolouredEngine(QString name, IconRole role) : m_name(std::move(name)), m_role(role) { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QByteArray source = sourceOf(m_name);
        source.replace("currentColor", colour(mode).name().toLatin1());
        QSvgRenderer(source).render(painter, QRectF(rect));
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1.0);
    }

    QPixmap scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal) override
    {
        const QString key =
            u"lookback-icon/%1/%2/%3x%4"_s.arg(m_name, colour(mode).name()).arg(size.width()).arg(size.height());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, pixmap.rect(), mode, state);
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QIconEngine *clone() const override { return new RecolouredEngine(*this); }
    QString key() const override { return u"lookback"_s; }

private:
    QColor colour(QIcon::Mode mode) const
    {
        const QPalette palette = QApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::WindowText);
        const Theme &theme = Theme::forPalette(palette);
        switch (m_role) {
        case IconRole::Text:
            return palette.color(QPalette::WindowText);
        case IconRole::Accent:
            return theme.accent;
        case IconRole::AccentText:
            return theme.accentText;
        case IconRole::Right:
            return theme.right;
        case IconRole::Warning:
            return theme.warning;
        case IconRole::Wrong:
            return theme.wrong;
        }
        return palette.color(QPalette::WindowText);
    }

    QString m_name;
    IconRole m_role;
};

} // namespace

QIcon icon(QLatin1StringView name, IconRole role)
{
    return QIcon(new RecolouredEngine(QString(name), role));
}

bool hasIcon(QLatin1StringView name)
{
    return QFile::exists(fileOf(QString(name)));
}

QIcon applicationIcon()
{
    return QIcon(fileOf(u"lookback"_s));
}

} // namespace lookback::ui
