# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unpacks what Lookback needs out of wheels: unpack_wheels.py WHEEL_FOLDER TARGET_FOLDER REQUIREMENTS MARKER

Headers, shared libraries and licences only; the Python half stays out. Writes the marker file last. It holds a line
"wheel <sha256>" for each pinned wheel and "file <bytes> <path>" for each shared library; packaging/setup compares both
with what it finds, so that an incomplete or outdated folder is noticed in milliseconds.
"""

import hashlib
import os
import re
import shutil
import sys
import zipfile

# Shared libraries (also libgomp.so.1), torch's headers and every licence. libtorch_python and libshm serve Python only.
WANTED = re.compile(
    r"torch/lib/lib(?!torch_python|shm)[^/]*\.so[^/]*"
    r"|torch/include/.*"
    r"|nvidia/[^/]+/lib/[^/]+\.so[^/]*"
    r"|.*\.dist-info/(licenses/.*|LICENSE.*|NOTICE.*)"
    r"|nvidia/[^/]+/LICENSE[^/]*"
)


def unpack(wheel, target):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name = member.filename
            if member.is_dir() or not WANTED.fullmatch(name):
                continue
            path = os.path.join(target, name)
            if not os.path.realpath(path).startswith(os.path.realpath(target) + os.sep):
                raise ValueError(f"{wheel} holds a path outside its folder: {name}")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with archive.open(member) as source, open(path, "wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
            if ".so" in os.path.basename(name):
                yield os.path.getsize(path), name


def main():
    wheels, target, requirements, marker = sys.argv[1:]
    with open(requirements, encoding="utf-8") as lines:
        pinned = re.findall(r"--hash=sha256:([0-9a-f]{64})", lines.read())
    found = {}
    for name in sorted(os.listdir(wheels)):
        if name.endswith(".whl"):
            path = os.path.join(wheels, name)
            digest = hashlib.sha256()
            with open(path, "rb") as wheel:
                while block := wheel.read(1 << 20):
                    digest.update(block)
            found[digest.hexdigest()] = path
    missing = [digest for digest in pinned if digest not in found]
    if missing:
        raise ValueError(f"no downloaded wheel has the pinned hash {missing[0]}")
    lines = ["wheel " + digest for digest in sorted(pinned)]
    for digest in pinned:
        lines += [f"file {size} {name}" for size, name in unpack(found[digest], target)]
    with open(os.path.join(target, marker), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        sys.exit(f"unpack_wheels.py: {error}")
