// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_compare_heads.h"

#include <algorithm>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/models/head_words.h"
#include "ui/pages/attention_page_parts.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

ChooseHeadsDialog::ChooseHeadsDialog(std::int64_t layers, std::int64_t heads, const circuit::Intervention &chosen,
                                     QWidget *parent)
    : QDialog(parent), m_heads(heads), m_removal(new QComboBox(this)),
      m_answer(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setObjectName(u"chooseHeadsDialog"_s);
    setWindowTitle(tr("Heads to remove"));
    auto *content = new QWidget(this);
    auto *grid = new QGridLayout(content);
    grid->setSpacing(4);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const int row = static_cast<int>(layer);
        grid->addWidget(new QLabel(tr("Layer %1").arg(layer), content), row, 0);
        for (std::int64_t head = 0; head < heads; ++head) {
            auto *button = new ToggleButton(content);
            const circuit::HeadId id{layer, head};
            button->setText(QString::fromStdString(circuit::headText(id)));
            button->setAccessibleName(tr("Layer %1, head %2").arg(layer).arg(head));
            button->setObjectName(u"head%1_%2"_s.arg(layer).arg(head));
            button->setChecked(std::ranges::find(chosen.heads, id) != chosen.heads.end());
            connect(button, &QToolButton::toggled, this, &ChooseHeadsDialog::refresh);
            grid->addWidget(button, row, static_cast<int>(head) + 1);
            m_buttons.push_back(button);
        }
    }
    auto *area = new QScrollArea(this);
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setMinimumWidth(std::min(content->sizeHint().width() + 24, 640));
    m_removal->setObjectName(u"removal"_s);
    m_removal->setAccessibleName(tr("Removed how"));
    for (const circuit::Removal removal : {circuit::Removal::Zero, circuit::Removal::Mean, circuit::Removal::Uniform})
        m_removal->addItem(removalWords(removal));
    m_removal->setCurrentIndex(static_cast<int>(chosen.removal));
    m_answer->button(QDialogButtonBox::Ok)->setText(tr("Compare"));
    connect(m_answer, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT this->chosen(intervention());
        accept();
    });
    connect(m_answer, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto *column = new QVBoxLayout(this);
    column->addWidget(area, 1);
    column->addWidget(m_removal);
    column->addWidget(m_answer);
    refresh();
}

circuit::Intervention ChooseHeadsDialog::intervention() const
{
    circuit::Intervention intervention{.removal = static_cast<circuit::Removal>(m_removal->currentIndex())};
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        if (m_buttons[i]->isChecked())
            intervention.heads.push_back({index / m_heads, index % m_heads});
    }
    return intervention;
}

void ChooseHeadsDialog::refresh()
{
    QPushButton *compare = m_answer->button(QDialogButtonBox::Ok);
    compare->setEnabled(std::ranges::any_of(m_buttons, &ToggleButton::isChecked));
    compare->setToolTip(compare->isEnabled() ? QString() : tr("Choose at least one head"));
}

} // namespace lookback::ui
