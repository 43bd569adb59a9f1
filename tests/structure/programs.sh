#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# programs.sh BIN_FOLDER PROGRAM...: the programs find every library by themselves, and a LibTorch that somebody put on
# LD_LIBRARY_PATH does not get in.
set -u
bin=$1
shift
folder=$(mktemp -d) || exit 2
trap 'rm -rf "${folder:?}"' EXIT
echo "not a library" >"$folder/libtorch_cpu.so"
cp "$folder/libtorch_cpu.so" "$folder/libc10.so"
failed=0
[ $# -gt 0 ] || { echo "no programs to look at"; exit 2; }
for program in "$@"; do
    for path in "" "$folder"; do
        missing=$(LD_LIBRARY_PATH=$path ldd "$bin/$program" | grep -E "not found|$folder")
        [ -z "$missing" ] || { echo "$program with LD_LIBRARY_PATH=\"$path\":"; echo "$missing"; failed=1; }
        env -u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=offscreen LD_LIBRARY_PATH="$path" "$bin/$program" --version ||
            { echo "$program --version failed with LD_LIBRARY_PATH=\"$path\""; failed=1; }
    done
done
exit $failed
