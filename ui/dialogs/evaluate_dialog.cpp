// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/evaluate_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/error.h"
#include "ui/charts/number_text.h"
#include "ui/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lookback::ui {

EvaluateDialog::EvaluateDialog(std::vector<EvaluableRun> runs, int chosen, QWidget *parent)
    : QDialog(parent), m_runs(std::move(runs)), m_run(new QComboBox), m_checkpoint(new QComboBox),
      m_keys(new QLineEdit), m_sequences(new QSpinBox), m_problem(new QLabel)
{
    setObjectName(u"evaluateDialog"_s);
    setWindowTitle(tr("Evaluate a checkpoint"));
    m_run->setObjectName(u"evaluateRun"_s);
    m_checkpoint->setObjectName(u"evaluateCheckpoint"_s);
    m_keys->setObjectName(u"evaluateKeys"_s);
    m_sequences->setObjectName(u"evaluateSequences"_s);
    m_problem->setObjectName(u"evaluateProblem"_s);
    for (const EvaluableRun &run : m_runs)
        m_run->addItem(run.title);
    m_sequences->setRange(1, 100000);
    m_sequences->setToolTip(tr("More sequences make the intervals narrower and take longer"));
    m_keys->setToolTip(tr("Numbers of unique keys; a sequence has twice as many entries"));
    m_problem->setWordWrap(true);
    m_problem->setMinimumHeight(2 * fontMetrics().height());
    m_problem->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    auto *form = new QFormLayout;
    form->addRow(tr("&Run"), m_run);
    form->addRow(tr("&Checkpoint"), m_checkpoint);
    form->addRow(tr("Unique &keys n"), m_keys);
    form->addRow(tr("&Sequences a point"), m_sequences);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_evaluate = buttons->addButton(tr("&Evaluate"), QDialogButtonBox::AcceptRole);
    m_evaluate->setObjectName(u"evaluateButton"_s);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto *layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    layout->addWidget(buttons);
    m_evaluate->setDefault(true); // only now the button knows its dialog
    setMinimumWidth(30 * fontMetrics().averageCharWidth() + 200);

    connect(m_run, &QComboBox::currentIndexChanged, this, &EvaluateDialog::showRun);
    connect(m_keys, &QLineEdit::textChanged, this, &EvaluateDialog::check);
    connect(m_sequences, &QSpinBox::valueChanged, this, &EvaluateDialog::check);
    m_run->setCurrentIndex(std::max(0, chosen));
    showRun();
}

void EvaluateDialog::showRun()
{
    const int index = m_run->currentIndex();
    m_checkpoint->clear();
    if (index < 0)
        return;
    const run::RunSnapshot &snapshot = m_runs[std::size_t(index)].snapshot;
    for (auto step = snapshot.checkpointSteps.rbegin(); step != snapshot.checkpointSteps.rend(); ++step)
        m_checkpoint->addItem(tr("step %1").arg(countText(*step)), qlonglong(*step));
    const RunConfig &config = snapshot.record.config;
    m_keys->setText(QString::fromStdString(fieldText(config, "evaluation_n")));
    m_sequences->setValue(int(std::min<std::int64_t>(config.evaluation_sequences, m_sequences->maximum())));
    check();
}

void EvaluateDialog::check()
{
    const int index = m_run->currentIndex();
    QString problem;
    if (index < 0) {
        problem = tr("No run has a checkpoint yet.");
    } else {
        RunConfig config = m_runs[std::size_t(index)].snapshot.record.config;
        try {
            setField(config, "evaluation_n", m_keys->text().trimmed().toStdString());
            config.evaluation_sequences = m_sequences->value();
            for (const ConfigProblem &found : problemsOf(config)) {
                if (problem.isEmpty() && found.field.starts_with("evaluation"))
                    problem = QString::fromStdString(found.message);
            }
            m_parsed = config.evaluation_n;
        } catch (const Error &error) {
            problem = QString::fromStdString(error.message() + ' ' + error.remedy()).trimmed();
        }
        if (problem.isEmpty() && m_checkpoint->count() == 0)
            problem = tr("This run has no checkpoint yet.");
    }
    m_evaluate->setEnabled(problem.isEmpty());
    QPalette colours = palette();
    const Theme &theme = Theme::forPalette(colours);
    colours.setColor(QPalette::WindowText, problem.isEmpty() ? theme.secondText : theme.wrong);
    m_problem->setPalette(colours);
    if (problem.isEmpty()) {
        const RunConfig &config = m_runs[std::size_t(index)].snapshot.record.config;
        const std::int64_t longest = m_parsed.empty() ? 0 : config.contextTokens(*std::ranges::max_element(m_parsed));
        problem = tr("Up to %1 tokens. All variants are asked the same sequences. Points that exist are kept.")
                      .arg(countText(longest));
    }
    m_problem->setText(problem);
    m_evaluate->setToolTip(m_evaluate->isEnabled() ? QString() : problem);
}

run::EvaluationRequest EvaluateDialog::request() const
{
    run::EvaluationRequest request;
    request.run = m_runs[std::size_t(m_run->currentIndex())].snapshot.id;
    request.step = m_checkpoint->currentData().toLongLong();
    request.n_keys = m_parsed;
    request.sequences = m_sequences->value();
    return request;
}

} // namespace lookback::ui
