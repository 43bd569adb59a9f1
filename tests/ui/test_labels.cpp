// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QLabel>
#include <QTest>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

using namespace lookback::ui;
using namespace Qt::StringLiterals;

class TestLabels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The desktop's theme changes while the window is open: every label follows, however deep it lies.
    void followTheTheme()
    {
        QApplication::setStyle(u"fusion"_s);
        QApplication::setPalette(Theme::light().palette());
        QWidget window;
        QWidget *parent = &window;
        QList<QLabel *> titles;
        QList<QLabel *> notes;
        for (int depth = 0; depth < 4; ++depth) {
            auto *layout = new QVBoxLayout(parent);
            titles << makeTitle(u"Heads"_s, parent);
            notes << makeNote(parent);
            auto *inner = new QWidget(parent);
            layout->addWidget(titles.last());
            layout->addWidget(notes.last());
            layout->addWidget(inner);
            parent = inner;
        }
        window.show();
        for (const Theme *theme : {&Theme::dark(), &Theme::light(), &Theme::dark()}) {
            QApplication::setPalette(theme->palette());
            QCoreApplication::processEvents();
            for (const QLabel *label : titles)
                QCOMPARE(label->palette().color(label->foregroundRole()), theme->text);
            for (const QLabel *label : notes)
                QCOMPARE(label->palette().color(label->foregroundRole()), theme->secondText);
        }
        window.setPalette(Theme::light().palette()); // a part of the window with a palette of its own
        for (const QLabel *label : titles)
            QCOMPARE(label->palette().color(label->foregroundRole()), Theme::light().text);
    }
};

QTEST_MAIN(TestLabels)
#include "test_labels.moc"
