# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# LibTorch as one imported target, LibTorch::cpu: libtorch_cpu and libc10 only. The CMake package of the wheel asks for
# a CUDA toolkit even for its CPU half, hence this module. Where it looks, first hit wins:
#   1. LOOKBACK_LIBTORCH, as CMake or environment variable;
#   2. the per-user cache that packaging/setup fills.
# Either the layout of the wheel (torch/lib, torch/include) or that of a LibTorch archive (lib, include).
set(LibTorch_wanted 2.11.0)
if(NOT LOOKBACK_LIBTORCH AND DEFINED ENV{LOOKBACK_LIBTORCH})
    set(LOOKBACK_LIBTORCH "$ENV{LOOKBACK_LIBTORCH}")
endif()
if(LOOKBACK_LIBTORCH)
    set(_root "${LOOKBACK_LIBTORCH}")
elseif(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(_root "$ENV{XDG_CACHE_HOME}/lookback/libtorch-${LibTorch_wanted}")
else()
    set(_root "$ENV{HOME}/.cache/lookback/libtorch-${LibTorch_wanted}")
endif()
set(_torch "${_root}/torch")
if(NOT EXISTS "${_torch}/lib/libtorch_cpu.so")
    set(_torch "${_root}")
endif()
if(NOT EXISTS "${_torch}/lib/libtorch_cpu.so" OR NOT EXISTS "${_torch}/include/torch/csrc/api/include/torch/version.h")
    message(FATAL_ERROR "No LibTorch in \"${_root}\": wanted LibTorch ${LibTorch_wanted}. "
        "Run packaging/setup, or set LOOKBACK_LIBTORCH to a folder with lib/libtorch_cpu.so and include/.")
endif()
set(LibTorch_VERSION)
foreach(_part MAJOR MINOR PATCH)
    foreach(_file torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
        if(EXISTS "${_torch}/include/${_file}")
            file(STRINGS "${_torch}/include/${_file}" _line REGEX "define TORCH_VERSION_${_part} [0-9]+" LIMIT_COUNT 1)
            if(_line)
                string(REGEX MATCH "[0-9]+$" _number "${_line}")
                list(APPEND LibTorch_VERSION "${_number}")
                break()
            endif()
        endif()
    endforeach()
endforeach()
list(JOIN LibTorch_VERSION "." LibTorch_VERSION)
if(NOT LibTorch_VERSION VERSION_EQUAL LibTorch_wanted)
    message(FATAL_ERROR "\"${_torch}\" holds LibTorch ${LibTorch_VERSION}; Lookback wants ${LibTorch_wanted}. "
        "Run packaging/setup, or point LOOKBACK_LIBTORCH to ${LibTorch_wanted}.")
endif()
foreach(_file "${_torch}/share/cmake/Torch/TorchConfig.cmake")
    if(EXISTS "${_file}")
        file(STRINGS "${_file}" _line REGEX "_GLIBCXX_USE_CXX11_ABI=0" LIMIT_COUNT 1)
        if(_line)
            message(FATAL_ERROR "\"${_torch}\" was built with the old C++ ABI; Lookback needs a LibTorch with the C++11 ABI. "
                "Run packaging/setup, or point LOOKBACK_LIBTORCH to one.")
        endif()
    endif()
endforeach()
if(NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 SHARED IMPORTED)
    set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION "${_torch}/lib/libc10.so")
    add_library(LibTorch::cpu SHARED IMPORTED)
    set_target_properties(LibTorch::cpu PROPERTIES
        IMPORTED_LOCATION "${_torch}/lib/libtorch_cpu.so"
        INTERFACE_INCLUDE_DIRECTORIES "${_torch}/include;${_torch}/include/torch/csrc/api/include"
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_torch}/include;${_torch}/include/torch/csrc/api/include"
        # RPATH, not RUNPATH: this LibTorch wins over one that LD_LIBRARY_PATH names.
        INTERFACE_LINK_OPTIONS "LINKER:--disable-new-dtags"
        INTERFACE_LINK_LIBRARIES LibTorch::c10)
endif()
set(LibTorch_LIBRARY_DIR "${_torch}/lib")
set(LibTorch_FOUND TRUE)
message(STATUS "LibTorch ${LibTorch_VERSION} in ${_torch}")
