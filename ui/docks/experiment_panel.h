// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMessageBox>
#include <QPointer>
#include <QWidget>

#include <filesystem>
#include <map>
#include <string>

#include "ui/settings/experiment_setup.h"

class QComboBox;
class QLabel;
class QToolButton;
class QTreeView;
class QVBoxLayout;
class QUndoStack;

namespace lookback::ui {

class AdvancedForm;
class FieldEdit;
class FittingArea;
class PrimaryButton;
class RunBridge;
class RunCollection;
class VariantModel;

/// The set-up at the left: which variants, preset, seeds, steps, device, evaluation lengths, all settings in a fold,
/// and the button that trains them. Each change of the user goes through the undo stack.
class ExperimentPanel : public QWidget {
    Q_OBJECT

public:
    ExperimentPanel(RunBridge *bridge, RunCollection *runs, QUndoStack *undo, QWidget *parent = nullptr);

    const ExperimentSetup &setup() const { return m_setup; }
    /// From the program (settings at start): not undoable.
    void setSetup(const ExperimentSetup &setup);
    /// From the user: undoable. `field` names what was changed, for merging; `text` reads after "Undo: ".
    void change(const ExperimentSetup &next, const QString &field, const QString &text);
    void tickAll(bool isTicked);

    /// Why the set-up cannot be trained, one sentence; empty if it can.
    const QString &whyNot() const { return m_whyNot; }
    int runCount() const;
    /// Trains the set-up if it can be trained; asks first where a run is already there with exactly these settings.
    void train();
    /// That question; null unless it is open.
    QMessageBox *copyQuestion() const { return m_copyQuestion; }
    /// How many runs train at once (for the estimate).
    void setParallelRuns(int count);
    void setMachine(const MachineInfo &machine);
    /// Filled = the thing to press next.
    void setTrainPrimary(bool isPrimary);

    bool isAdvancedOpen() const;
    void setAdvancedOpen(bool isOpen);

    FieldEdit *fieldEdit(const std::string &name) const;
    QTreeView *variantView() const { return m_view; }
    PrimaryButton *trainButton() const { return m_train; }

Q_SIGNALS:
    /// Set-up, reasons or estimate changed.
    void changed();
    /// Runs were handed to the service.
    void trainingRequested(int runs);

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    struct Sent { ///< Handed to the service, not yet in the list.
        std::filesystem::path folder;
        RunConfig config;
        bool operator==(const Sent &) const = default;
    };

    // experiment_training.cpp
    void send(const std::vector<run::TrainRequest> &requests);
    void forgetArrived();
    void askBeforeCopies(const std::vector<run::TrainRequest> &wanted, const std::vector<run::TrainRequest> &others);
    // experiment_layout.cpp
    void buildVariants();
    QVBoxLayout *settingsColumn() const;
    void buildForm();
    void buildFoot();
    void display(const ExperimentSetup &setup);
    void editField(const QString &name, const QString &text);
    void editSeeds(const QString &text);
    void choosePreset(int index);
    void chooseDevice(int index);
    void toggleVariant(const QString &id, bool isChecked);
    void fillPresets();
    void refreshLegend();
    void refresh();
    void refreshProblems();
    void refreshEstimate();
    std::vector<run::TrainRequest> requests() const;

    RunBridge *m_bridge;
    RunCollection *m_runs;
    QUndoStack *m_undo;
    ExperimentSetup m_setup;
    std::map<std::string, std::string>
        m_faults; ///< Field -> why its text is refused; the set-up keeps the last good one.
    QString m_whyNot;
    std::vector<Sent> m_sent;
    QPointer<QMessageBox> m_copyQuestion;

    VariantModel *m_variants;
    QTreeView *m_view;
    int m_parallelRuns = 1;
    QWidget *m_legend = nullptr;
    QComboBox *m_preset = nullptr;
    FieldEdit *m_seeds = nullptr;
    QComboBox *m_device = nullptr;
    QLabel *m_deviceProblem = nullptr;
    QToolButton *m_advancedButton = nullptr;
    QLabel *m_advancedSummary = nullptr;
    FittingArea *m_settings = nullptr;
    AdvancedForm *m_advanced = nullptr;
    std::map<std::string, FieldEdit *> m_edits;
    QLabel *m_estimateIcon = nullptr;
    QLabel *m_estimate = nullptr;
    QLabel *m_estimateNote = nullptr;
    PrimaryButton *m_train = nullptr;
};

} // namespace lookback::ui
