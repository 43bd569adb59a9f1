// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <utility>

#include "tests/ui/fake_run_service.h"
#include "tests/ui/fixture_example.h"

namespace lookback::tests {

/// A fake service whose runs named after a fixture answer with the numbers of that fixture (n = 5, sequence 0).
class FixtureService : public FakeRunService {
public:
    /// Adds the run of a fixture, at step 0 with a checkpoint.
    run::RunId addFixture(const std::string &variant)
    {
        RunConfig config = smallConfig(variant);
        config.pairs = 4;
        config.kv_heads = 2;
        config.n_keys = 5;
        config.checkpoint_every = 1;
        const run::RunId id = addRun(config, run::RunState::Stopped, 1);
        m_fixtures[id] = fixtureExample(variant);
        return id;
    }

    const FixtureExample &fixture(const run::RunId &id) const { return m_fixtures.at(id); }

    void setWakeFunction(std::function<void()> wake) override
    {
        m_wakeFunction = wake;
        FakeRunService::setWakeFunction(std::move(wake));
    }

    run::ServiceEvents takeEvents() override
    {
        run::ServiceEvents events = FakeRunService::takeEvents();
        for (run::ExampleAnswer &answer : std::exchange(m_examples, {}))
            events.examples.push_back(std::move(answer));
        for (run::HeadMapsAnswer &answer : std::exchange(m_maps, {}))
            events.headMaps.push_back(std::move(answer));
        return events;
    }

    run::JobId requestExample(const analysis::ExampleKey &key) override
    {
        const auto found = m_fixtures.find(key.runFolder);
        if (found == m_fixtures.end() || key.n_keys != 5 || key.sequence != 0)
            return FakeRunService::requestExample(key);
        auto example = std::make_shared<analysis::Example>(*found->second.example);
        example->key = key;
        const run::JobId job = ++m_ownJobs;
        m_examples.push_back({job, std::move(example), {}});
        m_wakeFunction();
        return job;
    }

    run::JobId requestHeadMaps(const analysis::ExampleKey &key, std::int64_t layer) override
    {
        const auto found = m_fixtures.find(key.runFolder);
        if (found == m_fixtures.end() || key.n_keys != 5 || key.sequence != 0)
            return FakeRunService::requestHeadMaps(key, layer);
        const run::JobId job = ++m_ownJobs;
        m_maps.push_back({job, found->second.layers.at(static_cast<std::size_t>(layer)), layer, {}});
        m_wakeFunction();
        return job;
    }

private:
    std::map<run::RunId, FixtureExample> m_fixtures;
    std::function<void()> m_wakeFunction;
    std::vector<run::ExampleAnswer> m_examples;
    std::vector<run::HeadMapsAnswer> m_maps;
    run::JobId m_ownJobs = 1'000'000; // apart from the fake's own numbers
};

} // namespace lookback::tests
