# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# LibZip::zip. Debian's own CMake package of libzip asks for its command-line tools, which nothing here needs.
find_path(LibZip_INCLUDE_DIR zip.h)
find_library(LibZip_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libzip-dev (packaging/setup does)")
if(LibZip_FOUND AND NOT TARGET LibZip::zip)
    add_library(LibZip::zip UNKNOWN IMPORTED)
    set_target_properties(LibZip::zip PROPERTIES IMPORTED_LOCATION "${LibZip_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${LibZip_INCLUDE_DIR}")
endif()
mark_as_advanced(LibZip_INCLUDE_DIR LibZip_LIBRARY)
