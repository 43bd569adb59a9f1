# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# One target with all warnings and definitions; every target of the project links it.
add_library(lookback_flags INTERFACE)
target_compile_features(lookback_flags INTERFACE cxx_std_20)
# GCC 12 warns of overlapping copies in "text" + std::string (its bug 105651), hundreds of lines for nothing.
target_compile_options(lookback_flags INTERFACE -Wall -Wextra -Wpedantic -Wold-style-cast -Woverloaded-virtual
    -Wnon-virtual-dtor -Wcast-qual "$<$<BOOL:${LOOKBACK_WERROR}>:-Werror>"
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>")
target_compile_definitions(lookback_flags INTERFACE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII
    QT_NO_CAST_FROM_BYTEARRAY QT_NO_FOREACH QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_USE_QSTRINGBUILDER
    QT_STRICT_ITERATORS QT_DISABLE_DEPRECATED_BEFORE=0x060400)
target_include_directories(lookback_flags INTERFACE "${PROJECT_SOURCE_DIR}")
if(LOOKBACK_SANITIZE)
    target_compile_options(lookback_flags INTERFACE -fsanitize=${LOOKBACK_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all -g1)
    target_link_options(lookback_flags INTERFACE -fsanitize=${LOOKBACK_SANITIZE})
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
