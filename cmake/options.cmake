# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
option(LOOKBACK_TESTS "Build the tests (and benchmarks where Google Benchmark is installed)" ON)
option(LOOKBACK_FUZZ "Build the libFuzzer programs of tests/fuzz (Clang only)" OFF)
option(LOOKBACK_WERROR "Treat warnings as errors" OFF)
set(LOOKBACK_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize, for example address,undefined or thread")
set(LOOKBACK_LIBTORCH "" CACHE PATH "A LibTorch to use instead of the one that packaging/setup fetched")
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
