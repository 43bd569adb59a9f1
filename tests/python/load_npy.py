# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's numpy reads every .npy file that Lookback writes, and finds the numbers of the CSV in it.

Usage: load_npy.py LOOKBACK_CLI TESTS_FOLDER. Ends with 77 (skipped) where Python has no numpy.
"""
import csv
import io
import math
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

ABSENT = {"i": -1, "u": 2**64 - 1, "U": ""}
WORDS = {"yes": 1, "true": 1, "no": 0, "false": 0, "": -1}


def compare(array, text, name):
    """A record a line, a field a column, the same values."""
    lines = list(csv.reader(io.StringIO(text)))
    header, lines = lines[0], lines[1:]
    assert array.ndim == 1 and array.flags.c_contiguous and len(array) == len(lines), (name, array.shape, len(lines))
    assert list(array.dtype.names) == header, (name, array.dtype)
    for record, line in zip(array, lines):
        for column, written in zip(header, line):
            value = record[column]
            kind = array.dtype[column].kind
            if array.dtype[column] == numpy.int8:
                assert value == WORDS[written], (name, column, value, written)
            elif kind == "f":
                expected = float(written) if written else math.nan
                assert value == expected or math.isnan(value) and math.isnan(expected), (name, column, value, written)
            elif written == "":
                assert value == ABSENT[kind], (name, column, value)
            else:
                assert value == (written if kind == "U" else int(written)), (name, column, value, written)
    print(f"{name}: {len(array)} records of {len(header)} columns")


def main():
    cli = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*arguments):
            return subprocess.run([cli, *map(str, arguments)], check=True, capture_output=True, text=True,
                                  encoding="utf-8").stdout

        call("train", "--variant", "hybrid_square", "--preset", "tiny", "--seeds", "0-1", "--steps", "2", "--set",
             "batch=2", "--set", "evaluation_n=2,4", "--set", "evaluation_sequences=2", "--quiet", "--threads", "1",
             "--out", folder / "runs")
        run = folder / "runs/hybrid_square-seed0"
        few = ["--n", "2", "--sequences", "2", "--threads", "1"]
        for what, arguments in {"training": [folder / "runs"], "accuracy": [folder / "runs"],
                                "accuracy-band": [folder / "runs", "--seeds", "band"], "heads": [run, *few],
                                "knockout": [run, *few], "timeline": [run, *few], "per-index": [folder / "runs", *few],
                                "measure": [run, *few], "variance": ["--lengths", "2,4", "--samples", "5"]}.items():
            call("figure", what.removesuffix("-band"), *arguments, "--out", folder / f"{what}.csv", "--out",
                 folder / f"{what}.npy")
            with open(folder / f"{what}.csv", encoding="utf-8", newline="") as file:
                compare(numpy.load(folder / f"{what}.npy"), file.read(), "figure " + what)
        for command, arguments in {"heads": [], "knockout": ["--head", "0:1"], "timeline": [], "patch": [],
                                   "failures": []}.items():
            file = folder / f"command-{command}.npy"
            text = call(command, run, *few, *arguments, "--csv", "--quiet", "--npy", file)
            if not text.startswith("run,") and not text.startswith("kind,"):
                raise AssertionError(text)
            compare(numpy.load(file), text, command)
        for form in ("csv", "npy"):
            call("export", run, "--format", form, "--out", folder / "tables")
        for table in ("metrics", "accuracy"):
            start = folder / "tables" / f"hybrid_square-seed0.{table}"
            compare(numpy.load(f"{start}.npy"), pathlib.Path(f"{start}.csv").read_text(encoding="utf-8"), table)

        call("attention", run, "--n", "2", "--layer", "0", "--head", "1", "--out", folder / "map.npy", "--out",
             folder / "map.csv", "--threads", "1")
        weights = numpy.load(folder / "map.npy")
        assert weights.dtype == numpy.float32 and weights.ndim == 2 and weights.shape[0] == weights.shape[1]
        seen = numpy.zeros_like(weights)
        with open(folder / "map.csv", encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                seen[int(line["query"]), int(line["key"])] = numpy.float32(line["weight"])
        assert numpy.array_equal(weights, seen)
        print(f"attention: {weights.shape[0]} x {weights.shape[1]} weights")


main()
