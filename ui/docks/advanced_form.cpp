// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/advanced_form.h"

#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <array>

#include "ui/widgets/field_edit.h"
#include "ui/widgets/labels.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

namespace {
/// Shown in the panel itself; `seed` is the list of seeds there.
constexpr std::array<std::string_view, 3> kShownElsewhere{"steps", "seed", "evaluation_n"};
} // namespace

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

FieldEdit *AdvancedForm::makeEdit(const ConfigField &field, QWidget *parent, bool hasUnit)
{
    auto *edit = new FieldEdit(hasUnit ? fromView(field.unit) : QString(), parent);
    edit->setObjectName(fromView(field.name));
    edit->lineEdit()->setAccessibleName(fromView(field.title));
    edit->setToolTip(u"<p><b>%1</b> (%2)<br>%3</p>"_s.arg(fromView(field.title).toHtmlEscaped(),
                                                          fromView(field.name).toHtmlEscaped(),
                                                          fromView(field.explanation).toHtmlEscaped()));
    return edit;
}

AdvancedForm::AdvancedForm(QWidget *parent) : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(8);
    QFormLayout *form = nullptr;
    FieldGroup group{};
    for (const ConfigField &field : configFields()) {
        if (std::ranges::find(kShownElsewhere, field.name) != kShownElsewhere.end())
            continue;
        if (!form || group != field.group) {
            group = field.group;
            const QString title = group == FieldGroup::Model ? tr("Model")
                : group == FieldGroup::Task                  ? tr("Task")
                : group == FieldGroup::Training              ? tr("Training")
                                                             : tr("Records");
            auto *heading = makeNote(this);
            heading->setText(title);
            column->addWidget(heading);
            form = new QFormLayout;
            form->setHorizontalSpacing(8);
            form->setVerticalSpacing(6);
            form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
            form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
            column->addLayout(form);
        }
        FieldEdit *edit = makeEdit(field, this);
        QLabel *label = makeFieldLabel(fromView(field.title), edit->lineEdit(), this);
        label->setToolTip(edit->toolTip());
        label->setMinimumWidth(fontMetrics().averageCharWidth() * 17);
        form->addRow(label, edit);
        m_edits[std::string(field.name)] = edit;
        connect(edit, &FieldEdit::edited, this,
                [this, name = fromView(field.name)](const QString &text) { Q_EMIT edited(name, text); });
    }
    column->addStretch(1);
}

} // namespace lookback::ui
