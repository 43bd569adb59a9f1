// SPDX-FileCopyrightText: 2026 The Lookback developers
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compute.h"

#include <filesystem>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

#include <torch/cuda.h>
#include <torch/version.h>

#include "core/error.h"

namespace lookback {

namespace {

/// Folder of the libtorch_cpu.so that this process has loaded; empty if it was linked otherwise.
std::filesystem::path torchLibraryFolder()
{
    std::filesystem::path folder;
    dl_iterate_phdr(
        [](dl_phdr_info *info, std::size_t, void *out) {
            const std::string_view name = info->dlpi_name ? info->dlpi_name : "";
            if (!name.ends_with("/libtorch_cpu.so"))
                return 0;
            *static_cast<std::filesystem::path *>(out) = std::filesystem::path(name).parent_path();
            return 1;
        },
        &folder);
    return folder;
}

/// "NVIDIA H100, 80 GB" by the driver's own interface, so that no CUDA header is needed. Empty if it does not say.
std::string cudaDeviceName(void *driver)
{
    const auto function = [driver]<typename F>(const char *name, F *&out) {
        out = reinterpret_cast<F *>(dlsym(driver, name));
        return out != nullptr;
    };
    int (*init)(unsigned) = nullptr;
    int (*get)(int *, int) = nullptr;
    int (*nameOf)(char *, int, int) = nullptr;
    int (*memoryOf)(std::size_t *, int) = nullptr;
    int device = 0;
    char name[128] = {};
    if (!function("cuInit", init) || !function("cuDeviceGet", get) || !function("cuDeviceGetName", nameOf)
        || init(0) != 0 || get(&device, 0) != 0 || nameOf(name, sizeof name - 1, device) != 0)
        return {};
    std::size_t bytes = 0;
    if (!function("cuDeviceTotalMem_v2", memoryOf) || memoryOf(&bytes, device) != 0)
        return name;
    return std::string(name) + ", " + std::to_string((bytes + 500'000'000) / 1'000'000'000) + " GB";
}

std::string systemReason()
{
    const char *text = dlerror();
    return text ? text : "no reason given";
}

/// Loads the CUDA part and asks once; LibTorch keeps its first answer, so nothing may ask before this.
void findCuda(MachineInfo &info)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!driver) {
        info.cudaReason = "No NVIDIA driver is installed (libcuda.so.1 was not found); once there is one, "
                          "`make setup-cuda` fetches the rest.";
        return;
    }
    const std::filesystem::path library = torchLibraryFolder() / "libtorch_cuda.so";
    std::error_code ignored;
    if (!std::filesystem::exists(library, ignored)) {
        info.cudaReason = "There is an NVIDIA driver, but this LibTorch has no CUDA part (\"libtorch_cuda.so\"); "
                          "run `make setup-cuda`.";
        return;
    }
    if (!dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
        info.cudaReason = "There is an NVIDIA driver, but the CUDA libraries are not complete (" + systemReason()
            + "); run `make setup-cuda`.";
        return;
    }
    if (!torch::cuda::is_available()) {
        info.cudaReason = "The CUDA part of LibTorch is loaded, but it finds no GPU that this driver lets it use; "
                          "check `nvidia-smi` and CUDA_VISIBLE_DEVICES.";
        return;
    }
    info.hasCuda = true;
    info.cudaDevice = cudaDeviceName(driver);
    if (info.cudaDevice.empty())
        info.cudaDevice = "NVIDIA GPU";
}

MachineInfo gather()
{
    MachineInfo info;
    info.cores = usableCores();
    info.libtorchVersion = TORCH_VERSION;
    info.programVersion = LOOKBACK_VERSION;
    findCuda(info);
    return info;
}

} // namespace

MachineInfo machineInfo()
{
    static const MachineInfo info = gather();
    return info;
}

std::string resolvedDevice(const std::string &device)
{
    if (device == "cpu")
        return device;
    if (device != "auto" && device != "cuda")
        throw Error("--device " + device, "there is no such device.", "Use \"auto\", \"cpu\" or \"cuda\".");
    const MachineInfo info = machineInfo();
    if (info.hasCuda)
        return "cuda";
    if (device == "cuda")
        throw Error("--device cuda", info.cudaReason, "Or use --device cpu.");
    return "cpu";
}

} // namespace lookback
