// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdexcept>
#include <thread>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <QTest>

#include "core/compute.h"
#include "core/torch_thread.h"

using namespace lookback;

class TestCompute : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tellsWhatTheMachineOffers()
    {
        const MachineInfo info = machineInfo();
        QVERIFY(info.cores >= 1);
        QVERIFY(!info.libtorchVersion.empty());
        QVERIFY(!info.programVersion.empty());
        QCOMPARE(info.hasCuda, info.cudaReason.empty());
        QCOMPARE(info.hasCuda, !info.cudaDevice.empty());
        QVERIFY(machineInfo() == info);
    }

    void deviceIsResolvedOrRefused()
    {
        const MachineInfo info = machineInfo();
        QCOMPARE(resolvedDevice("cpu"), std::string("cpu"));
        QCOMPARE(resolvedDevice("auto"), std::string(info.hasCuda ? "cuda" : "cpu"));
        QVERIFY_THROWS_EXCEPTION(Error, resolvedDevice("gpu"));
        QVERIFY_THROWS_EXCEPTION(Error, resolvedDevice(""));
        if (info.hasCuda) {
            QCOMPARE(resolvedDevice("cuda"), std::string("cuda"));
            return;
        }
        try {
            resolvedDevice("cuda");
            QFAIL("a device that is not there was accepted");
        } catch (const Error &error) {
            QCOMPARE(error.subject(), std::string("--device cuda"));
            QCOMPARE(error.message(), info.cudaReason);
            QVERIFY(error.sentence().find('\n') == std::string::npos);
        }
    }

    void aThreadHasItsOwnCount()
    {
        enterTorchThread(1);
        int inside = 0;
        WorkerThread thread;
        QVERIFY(!thread.isStarted());
        thread.start([&] {
            enterTorchThread(2);
            inside = at::get_num_threads();
        });
        thread.join();
        QCOMPARE(inside, 2);
        QCOMPARE(at::get_num_threads(), 1);
    }

    void everyExceptionBecomesOneError()
    {
        const auto errorOf = [](auto &&action) {
            try {
                action();
            } catch (...) {
                return currentError("subject");
            }
            return Error("", "nothing was thrown");
        };
        QCOMPARE(errorOf([] { throw Error("a", "b.", "c."); }).sentence(), std::string("a: b. c."));
        const Error torchError = errorOf([] { TORCH_CHECK(false, "raw text of the library"); });
        QVERIFY(torchError.details().find("raw text of the library") != std::string::npos);
        QVERIFY(torchError.sentence().find("raw text") == std::string::npos);
        QVERIFY(torchError.sentence().size() < 200);
        QVERIFY(errorOf([] { throw std::bad_alloc(); }).message().find("memory") != std::string::npos);
        QCOMPARE(errorOf([] { throw std::runtime_error("why"); }).details(), std::string("why"));
        QCOMPARE(errorOf([] { throw 3; }).subject(), std::string("subject"));
    }
};

QTEST_GUILESS_MAIN(TestCompute)
#include "test_compute_torch.moc"
