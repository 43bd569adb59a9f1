// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run_service.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <torch/version.h>

#include "core/compute.h"
#include "core/model/variant_registry.h"
#include "core/run/circuit_desk.h"
#include "core/run/evaluation_desk.h"
#include "core/run/event_queue.h"
#include "core/run/probe_desk.h"
#include "core/run/speed_estimate.h"
#include "core/run/training_desk.h"
#include "core/torch_thread.h"

namespace lookback::run {

namespace {

constexpr int kMostThreads = 1024;

/// What is known of the machine; the GPU is looked for on a thread, because loading its libraries takes a while.
class KnownMachine {
public:
    explicit KnownMachine(EventQueue &events) : m_events(events)
    {
        m_info.cores = usableCores();
        m_info.cudaReason = "Still looking for a GPU.";
        m_info.libtorchVersion = TORCH_VERSION;
        m_info.programVersion = LOOKBACK_VERSION;
        m_thread = std::thread([this] {
            MachineInfo found = info();
            try {
                found = machineInfo();
            } catch (...) { // the program goes on with the CPU
                found.cudaReason = currentError("GPU").sentence();
            }
            {
                const std::scoped_lock lock(m_mutex);
                m_info = std::move(found);
                m_isComplete = true;
            }
            tell();
        });
    }
    ~KnownMachine() { m_thread.join(); }
    KnownMachine(const KnownMachine &) = delete;
    KnownMachine &operator=(const KnownMachine &) = delete;

    MachineInfo info() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_info;
    }
    bool isComplete() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_isComplete;
    }
    void tell()
    {
        m_events.machineKnown(info());
        m_events.wakeIfNeeded();
    }

private:
    EventQueue &m_events;
    mutable std::mutex m_mutex;
    MachineInfo m_info;
    bool m_isComplete = false;
    std::thread m_thread; // last
};

/// Only passes on: each desk has threads of its own, and none of them waits for another.
class Service final : public RunService {
public:
    explicit Service(const std::filesystem::path &folder)
        : m_machine(m_events),
          m_speed([this] { return m_training.threadsInUse() < m_machine.info().cores; }, [this] { m_machine.tell(); }),
          m_training(folder,
                     {.events = m_events,
                      .nextJob = [this] { return ++m_jobs; },
                      .speedSeen = [this](const RunRecord &record, double rate) { m_speed.seen(record, rate); },
                      .problemsOf = [this](const TrainRequest &request) { return problemsOf(request); },
                      .cores = m_machine.info().cores})
    {
    }
    ~Service() override { m_speed.close(); } // it asks m_training, which ends before it

    void setWakeFunction(std::function<void()> wake) override
    {
        m_events.setWakeFunction(std::move(wake));
        m_events.wakeIfNeeded();
    }
    ServiceEvents takeEvents() override { return m_events.take(); }

    std::vector<model::VariantInfo> variants() const override { return model::variants(); }
    MachineInfo machine() const override { return m_machine.info(); }

    std::vector<ConfigProblem> problemsOf(const TrainRequest &request) const override
    {
        std::vector<ConfigProblem> problems = model::problemsOfRun(request.config);
        if (request.device != "auto" && request.device != "cpu" && request.device != "cuda") {
            problems.push_back({"device", "There is no device \"" + request.device + "\"; use auto, cpu or cuda."});
        } else if (request.device == "cuda" && m_machine.isComplete() && !m_machine.info().hasCuda) {
            problems.push_back({"device", m_machine.info().cudaReason});
        }
        if (request.threads < 1 || request.threads > kMostThreads) {
            problems.push_back({"threads",
                                "A run needs 1 to " + std::to_string(kMostThreads) + " threads, not "
                                    + std::to_string(request.threads) + "."});
        }
        return problems;
    }
    std::int64_t parameterCount(const RunConfig &config) const override { return model::parameterCount(config); }
    std::optional<double> estimatedSeconds(const TrainRequest &request) const override
    {
        return m_speed.seconds(request);
    }

    void openFolder(const std::filesystem::path &folder) override { m_training.openFolder(folder); }
    void addReferenceRuns() override { m_training.addReferenceRuns(); }
    std::filesystem::path folder() const override { return m_training.folder(); }
    void setParallelRuns(int count) override { m_training.setParallelRuns(count); }

    void train(const std::vector<TrainRequest> &requests) override { m_training.train(requests); }
    void pause(const RunId &run) override { m_training.pause(run); }
    void resume(const RunId &run) override { m_training.resume(run); }
    void stop(const RunId &run) override { m_training.stop(run); }
    void removeFromView(const RunId &run) override { m_training.removeFromView(run); }
    void deleteRun(const RunId &run) override { m_training.deleteRun(run); }
    void restoreDeleted(const RunId &run) override { m_training.restoreDeleted(run); }
    void saveNow(const RunId &run) override { m_training.saveNow(run); }
    bool isActive() const override
    {
        return m_training.isActive()
            || std::ranges::any_of(desks(), [](const Desks *desks) { return desks->evaluation.isActive(); });
    }
    void stopAll() override
    {
        for (Desks *desks : desks())
            desks->evaluation.cancelAll();
        m_training.stopAll();
    }
    void loadRun(const RunId &run) override { m_training.loadRun(run); }

    JobId evaluate(const EvaluationRequest &request) override
    {
        const JobId job = ++m_jobs;
        desksOf(request.run).evaluation.evaluate(job, request);
        return job;
    }
    void cancelEvaluation(JobId job) override
    {
        if (m_training.cancelEvaluation(job))
            return;
        for (Desks *desks : desks())
            desks->evaluation.cancel(job);
    }

    JobId requestExample(const analysis::ExampleKey &key) override
    {
        const JobId job = ++m_jobs;
        probeOf(key).requestExample(job, key);
        return job;
    }
    JobId requestHeadMaps(const analysis::ExampleKey &key, std::int64_t layer) override
    {
        const JobId job = ++m_jobs;
        probeOf(key).requestHeadMaps(job, key, layer);
        return job;
    }
    JobId requestHead(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                      std::int64_t query) override
    {
        const JobId job = ++m_jobs;
        probeOf(key).requestHead(job, key, layer, head, query);
        return job;
    }
    JobId requestRow(const analysis::ExampleKey &key, std::int64_t layer, std::int64_t head,
                     std::int64_t query) override
    {
        const JobId job = ++m_jobs;
        probeOf(key).requestRow(job, key, layer, head, query);
        return job;
    }
    JobId askCircuit(const CircuitQuestion &question) override
    {
        const JobId job = ++m_jobs;
        Desks &desks = desksOf(question.run);
        const bool isShort = std::holds_alternative<circuit::KnockoutRequest>(question.task)
            || std::holds_alternative<ExampleUnderRequest>(question.task)
            || std::holds_alternative<ExampleMapRequest>(question.task)
            || std::holds_alternative<circuit::PatchRequest>(question.task);
        (isShort ? desks.intervention : desks.circuit).ask(job, question);
        return job;
    }
    void cancelProbe(JobId job) override
    {
        for (Desks *desks : desks()) {
            desks->probe.cancel(job);
            desks->circuit.cancel(job);
            desks->intervention.cancel(job);
        }
    }

private:
    /// Those of a folder that holds runs: if it does not answer, the others go on.
    struct Desks {
        EvaluationDesk evaluation;
        ProbeDesk probe;
        CircuitDesk circuit; ///< Long measurements.
        CircuitDesk intervention; ///< What the user waits for.
    };
    int freeThreads() const { return std::max(1, m_machine.info().cores - m_training.threadsInUse()); }
    Desks &desksOf(const RunId &run)
    {
        const std::scoped_lock lock(m_desksMutex);
        std::unique_ptr<Desks> &desks = m_desks[std::filesystem::path(run).parent_path()];
        if (!desks) {
            desks.reset(new Desks{.evaluation = EvaluationDesk(
                                      {.events = m_events,
                                       .freeThreads = [this] { return freeThreads(); },
                                       .accuracyChanged = [this](const RunId &one) { m_training.loadAccuracy(one); }}),
                                  .probe = ProbeDesk(m_events),
                                  .circuit = CircuitDesk(m_events, [this] { return freeThreads(); }),
                                  .intervention = CircuitDesk(m_events, [this] { return freeThreads(); })});
        }
        return *desks;
    }
    std::vector<Desks *> desks() const
    {
        const std::scoped_lock lock(m_desksMutex);
        std::vector<Desks *> all;
        for (const auto &[folder, desks] : m_desks)
            all.push_back(desks.get());
        return all;
    }
    /// The newest question of a pane counts, wherever the older ones were asked.
    ProbeDesk &probeOf(const analysis::ExampleKey &key)
    {
        Desks &own = desksOf(key.runFolder);
        for (Desks *other : desks()) {
            if (other != &own)
                other->probe.cancelAll(key.pane);
        }
        return own.probe;
    }

    // Each uses only what stands above it; they end in the opposite order.
    EventQueue m_events;
    std::atomic<JobId> m_jobs{0};
    KnownMachine m_machine;
    mutable SpeedEstimate m_speed;
    TrainingDesk m_training;
    mutable std::mutex m_desksMutex; // guards what follows
    std::map<std::filesystem::path, std::unique_ptr<Desks>> m_desks; ///< None is ever removed.
};

} // namespace

std::unique_ptr<RunService> makeRunService(const std::filesystem::path &folder)
{
    return std::make_unique<Service>(folder);
}

} // namespace lookback::run
