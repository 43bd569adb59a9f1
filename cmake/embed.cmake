# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# lookback_embed(<target> <file> <symbol>): the text of a file as `extern const char *const <symbol>` in namespace
# lookback::embedded, for sources of core, which know no Qt resources.
function(lookback_embed target file symbol)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" content)
    set(generated "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp")
    file(CONFIGURE OUTPUT "${generated}" CONTENT
"namespace lookback::embedded {
extern const char *const ${symbol};
const char *const ${symbol} = R\"lookback(@content@)lookback\";
}
" @ONLY)
    target_sources(${target} PRIVATE "${generated}")
endfunction()
