# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's safetensors reads a checkpoint that was just trained, and Lookback reads a file that Python wrote.

Usage: exchange_safetensors.py LOOKBACK_CLI TESTS_FOLDER. Ends with 77 (skipped) where Python has no safetensors or no
numpy.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    from safetensors.numpy import load, save
except ImportError:
    print("skipped: this Python has no safetensors with numpy")
    sys.exit(77)


def header_of(data):
    return json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])


def main():
    cli, tests = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([cli, "train", "--variant", "hybrid_square_kda", "--preset", "tiny", "--steps", "2", "--set",
                        "batch=2", "--no-evaluation", "--quiet", "--threads", "1", "--out", str(folder / "runs")],
                       check=True, stdout=subprocess.DEVNULL)
        data = (folder / "runs/hybrid_square_kda-seed0/checkpoints/step-00000002.safetensors").read_bytes()
        header = header_of(data)
        read = load(data)
        assert header.pop("__metadata__")["kind"] == "lookback-checkpoint"
        assert sorted(read) == sorted(header) and "E.weight" in read, sorted(read)
        start = 8 + struct.unpack("<Q", data[:8])[0]
        for tensor, values in read.items():
            begin, end = header[tensor]["data_offsets"]
            assert values.dtype == "float32" and list(values.shape) == header[tensor]["shape"], tensor
            assert values.tobytes() == data[start + begin:start + end], tensor
        print(f"Python read {len(read)} tensors")

        for fixture in (tests / "fixtures").glob("*.safetensors"):
            data = fixture.read_bytes()
            (folder / fixture.name).write_bytes(save(load(data), header_of(data).get("__metadata__")))
        neighbours = [str(folder / name) for name in ("rope.safetensors", "hybrid_square_kda.safetensors")]
        subprocess.run([cli, "verify", *neighbours, "--quiet"], check=True)


main()
