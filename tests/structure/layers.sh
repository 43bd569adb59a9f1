#!/bin/bash
# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
# layers.sh SOURCE_FOLDER: which way includes go. core/ knows no Qt; ui/ and app/ know no LibTorch; plain headers of core/
# stay plain; JSON is parsed in one place; no text names a folder of one machine; every source carries its licence.
set -u
cd "$1" || exit 2
failed=0
# forbid <reason> <pattern> <file>...
forbid() {
    local reason=$1 pattern=$2 hits
    shift 2
    hits=$([ $# -eq 0 ] || grep -nEI "$pattern" "$@" /dev/null)
    [ -z "$hits" ] && return
    echo "$reason:"
    echo "$hits"
    failed=1
}
mapfile -t core < <(find core -name '*.cpp' -o -name '*.h')
mapfile -t plain < <(find core -name '*.h' ! -name '*_torch.h')
# Sources that are compiled without LibTorch: all but *_torch files and the attention designs (see core/CMakeLists.txt).
mapfile -t without_torch < <(find core tests/core tests/ui tests/smoke \( -name '*.cpp' -o -name '*.h' \) ! -name '*_torch.*' \
    ! -path 'core/model/attention/*')
mapfile -t json_users < <(find core ui app \( -name '*.cpp' -o -name '*.h' \) ! -path core/json.cpp)
mapfile -t texts < <(find . -maxdepth 1 -type f ! -name .git; find core ui app tests packaging cmake specs resources .ci -type f)
mapfile -t above < <(find ui app -name '*.cpp' -o -name '*.h')
mapfile -t all < <(find core ui app tests packaging cmake \( -name '*.cpp' -o -name '*.h' -o -name '*.cmake' -o -name '*.py' \
    -o -name '*.sh' -o -name CMakeLists.txt \) -type f)
[ ${#core[@]} -gt 0 ] && [ ${#plain[@]} -gt 0 ] && [ ${#all[@]} -gt 0 ] || { echo "no sources below $1"; exit 2; }
torch='^ *# *include *[<"](torch|ATen|c10|caffe2)/'
forbid "core/ includes Qt" '^ *# *include *[<"]Q' "${core[@]}"
forbid "ui/ or app/ includes LibTorch" "$torch" "${above[@]}"
forbid "a header of core/ that ui/ may include names LibTorch (only *_torch.h may)" "$torch" "${plain[@]}"
forbid "ui/ or app/ includes a LibTorch header of core/" '^ *# *include *".*_torch\.h"' "${above[@]}"
forbid "a source whose name does not end in _torch includes LibTorch" "$torch|^ *# *include *\".*_torch\.h\"" "${without_torch[@]}"
# One parser with one set of rules (core/json.h), and its costly header out of the headers that everything includes.
forbid "JSON is parsed beside core/json.h" 'json::(parse|accept|sax_parse)\(|nlohmann/[a-z_]*parser' "${json_users[@]}"
forbid "a plain header of core/ includes all of nlohmann_json (json_fwd.hpp is enough)" 'nlohmann/json\.hpp' "${plain[@]}"
forbid "a folder of one machine is named" '(^|[^[:alnum:]_.~}-])/(home|Users|root|work)/[[:alnum:]_.]' "${texts[@]}"
forbid "a Qt macro is undefined instead of avoided" '^ *# *undef +(slots|signals|emit|foreach)' "${all[@]}"
# Numbers in files and options go through from_chars and to_chars: these follow the locale of the process.
forbid "a number is read in a way that depends on the locale" '\b(std::)?(stod|stof|strtod|strtof|atof|sscanf)\(' "${core[@]}" "${above[@]}"
for file in "${all[@]}"; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' || { echo "no SPDX lines: $file"; failed=1; }
done
# No limit, a reminder: long files are where the next split pays.
wc -l "${all[@]}" | awk '$1 > 400 && $2 != "total" { print "note: " $2 " has " $1 " lines" }'
exit $failed
