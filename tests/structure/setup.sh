#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# setup.sh SOURCE_FOLDER: what packaging/setup and the LibTorch check say when something is missing or wrong. Fake
# commands on the PATH stand for other machines; nothing is installed and nothing is fetched.
set -u
setup=$1/packaging/setup
find_libtorch=$1/cmake/FindLibTorch.cmake
folder=$(mktemp -d) || exit 2
trap 'rm -rf "${folder:?}"' EXIT
export XDG_CACHE_HOME=$folder/cache
unset LOOKBACK_LIBTORCH PIP_CONFIG_FILE
failed=0

fake() {  # <name> <script>
    mkdir -p "$folder/bin"
    printf '#!/bin/bash\n%s\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
fresh() { rm -rf "${folder:?}/bin" "${folder:?}/cache"; mkdir -p "$folder/bin" "$folder/cache"; fake apt-cache 'exit 1'; }

# expect <what> <exit code> <text>... -- <command>...: the command ends so and its output holds every text
expect() {
    local what=$1 code=$2 texts=() output status text bad=0
    shift 2
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    output=$(PATH="$folder/bin:$PATH" "$@" </dev/null 2>&1)
    status=$?
    for text in "${texts[@]}"; do
        [[ $output == *"$text"* ]] || { echo "$what: \"$text\" is not said"; bad=1; }
    done
    [ $status -eq "$code" ] || { echo "$what: exit code $status instead of $code"; bad=1; }
    if [ $bad -eq 0 ]; then echo "ok: $what"; else failed=1; echo "--- $what said:"; echo "$output"; fi
}

fake_libtorch() {  # <folder> <major> <minor>: the files that are looked at
    mkdir -p "$1/lib" "$1/include/torch/csrc/api/include/torch" "$1/share/cmake/Torch"
    touch "$1/lib/libtorch_cpu.so" "$1/lib/libc10.so"
    printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n#define TORCH_VERSION_PATCH 0\n' "$2" "$3" \
        >"$1/include/torch/csrc/api/include/torch/version.h"
}

fresh
expect "an option that does not exist" 2 'unknown option "--gpu"' -- "$setup" --gpu
expect "help" 0 "LOOKBACK_LIBTORCH" "--no-packages" -- "$setup" --help

fresh; fake dpkg-query 'exit 1'; fake id 'echo 1000'; fake sudo 'exit 1'; fake apt-get 'echo "must not run"'
expect "no root, sudo wants a password" 1 'at the step "system packages"' "needs root" "apt-get install g++" -- "$setup"

fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'
fake apt-get 'case " $* " in *" update "*) echo "no route"; exit 100 ;; *) echo "E: Unable to locate package"; exit 100 ;; esac'
expect "apt-get fails without a network" 1 "package lists could not be updated" "check the network" "Unable to locate" -- "$setup"

fresh; fake dpkg-query 'exit 1'; fake id 'echo 0'; fake apt-get 'exit 0'
expect "apt-get claims success" 1 "yet not installed" -- "$setup"

# Distributions name some packages differently. apt_system KNOWN: apt-cache knows only these names (| between them), apt-get
# installs them and nothing else, dpkg-query lists what was installed.
apt_system() {
    : >"$folder/cache/installed"
    fake apt-cache 'for name in "$@"; do case "|'"$1"'|" in *"|$name|"*) echo "$name | 1 | here" ;; esac; done'
    fake dpkg-query 'sed "s/^/installed /" "'"$folder"'/cache/installed"'
    fake apt-get 'case " $* " in *" update "*) exit 0 ;; esac
        for name in "${@:2}"; do case $name in -* | *=* | install) continue ;; esac
            case "|'"$1"'|" in *"|$name|"*) echo "$name" >>"'"$folder"'/cache/installed" ;; *) echo "E: Unable to locate $name"; exit 100 ;; esac
        done'
}
same="g++|cmake|ninja-build|qt6-base-dev|libgl-dev|libcli11-dev|nlohmann-json3-dev|libboost-dev|libbenchmark-dev|libzip-dev|libhwy-dev|qt6-qpa-plugins"
same+="|qt6-wayland|libxcb-cursor0|fonts-dejavu-core|xvfb|xauth|locales"
for names in "Debian 12|qt6-charts-dev|qt6-svg-dev|libqt6opengl6-dev" "Ubuntu 24.04|qt6-charts-dev|qt6-svg-dev" \
    "older systems|libqt6charts6-dev|libqt6svg6-dev"; do
    fresh; apt_system "$same|${names#*|}"; fake id 'echo 0'
    mkdir -p "$folder/torch/lib"; touch "$folder/torch/lib/libtorch_cpu.so"
    wanted=${names#*|}
    expect "the package names of ${names%%|*}" 0 "installing g++" "${wanted//|/ }" "installed." "using \"$folder/torch\"" -- \
        env LOOKBACK_LIBTORCH="$folder/torch" "$setup"
    expect "a second set-up on ${names%%|*}" 0 "are installed." -- env LOOKBACK_LIBTORCH="$folder/torch" "$setup"
    : >"$folder/cache/installed"; fake id 'echo 1000'; fake sudo 'exit 1'
    expect "the same names by hand" 1 "apt-get install g++" "${wanted//|/ }" -- "$setup"
done

fresh; fake python3 'case "$*" in *--version*) exit 0 ;; *) echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES"; exit 1 ;; esac'
expect "a download that is not the pinned one" 1 "is not the pinned one" "do not use it" -- "$setup" --no-packages

fresh; fake python3 'case "$*" in *--version*) exit 0 ;; *) echo "ERROR: Could not find a version"; exit 1 ;; esac'
expect "no network" 1 'at the step "LibTorch' "could not download" "check network" -- "$setup" --no-packages
[ -z "$(ls -d "$folder"/cache/lookback/tmp.* 2>/dev/null)" ] || { echo "scratch folders were left behind"; failed=1; }

fresh; fake df 'printf "x\nx 1 1 20480 1%% /\n"'
expect "a full disk" 1 "has 20 MB free" "XDG_CACHE_HOME" -- "$setup" --no-packages

fresh; fake uname 'case $1 in -s) echo Linux ;; -m) echo aarch64 ;; esac'
expect "another processor" 1 "Linux on aarch64" "LOOKBACK_LIBTORCH" -- "$setup" --no-packages

fresh; touch "$folder/file"
expect "a cache that cannot be made" 1 "cannot create" "XDG_CACHE_HOME" -- env XDG_CACHE_HOME="$folder/file/x" "$setup" --no-packages

fresh; mkdir "$folder/empty"
expect "LOOKBACK_LIBTORCH names an empty folder" 1 "$folder/empty" "lib/libtorch_cpu.so" -- \
    env LOOKBACK_LIBTORCH="$folder/empty" "$setup" --no-packages
expect "configuring with an empty folder" 1 "No LibTorch in \"$folder/empty\"" "2.11.0" "packaging/setup" -- \
    cmake -DLOOKBACK_LIBTORCH="$folder/empty" -P "$find_libtorch"
fake_libtorch "$folder/old" 1 13
expect "configuring with another version" 1 "LibTorch 1.13.0" "wants 2.11.0" -- \
    cmake -DLOOKBACK_LIBTORCH="$folder/old" -P "$find_libtorch"
fake_libtorch "$folder/abi" 2 11
echo 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")' >"$folder/abi/share/cmake/Torch/TorchConfig.cmake"
expect "configuring with the old C++ ABI" 1 "old C++ ABI" -- cmake -DLOOKBACK_LIBTORCH="$folder/abi" -P "$find_libtorch"

# A complete cache is taken as it is; one byte less in a library and it is fetched anew (here: refused, no network).
fresh
root=$folder/cache/lookback/libtorch-2.11.0
mkdir -p "$root/torch/lib"; printf 12345 >"$root/torch/lib/libtorch_cpu.so"
{ sed -n 's/.*sha256:\([0-9a-f]*\).*/wheel \1/p' "$1/packaging/libtorch-cpu.txt" | sort; echo "file 5 torch/lib/libtorch_cpu.so"; } \
    >"$root/setup-complete"
fake python3 'echo "ERROR: no network"; case "$*" in *--version*) exit 0 ;; *) exit 1 ;; esac'
expect "a complete cache" 0 "in \"$root\"" -- "$setup" --no-packages
[ -e /proc/driver/nvidia/version ] || [ -e /dev/nvidiactl ] || [ -e /usr/lib/wsl/lib/libcuda.so.1 ] ||
    expect "CUDA without a driver" 0 "no NVIDIA driver" "--force" -- "$setup" --no-packages --cuda
printf 1234 >"$root/torch/lib/libtorch_cpu.so"
expect "a cut library in the cache" 1 "could not download" -- "$setup" --no-packages
exit $failed
