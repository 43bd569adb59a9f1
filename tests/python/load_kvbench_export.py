# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports a run as a kvbench folder, loads its weights in PyTorch, and compares the logits of a plain model with stored ones.

Usage: load_kvbench_export.py LOOKBACK_CLI TESTS_FOLDER. Ends with 77 (skipped) where Python has no torch.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: this Python has no torch")
    sys.exit(77)

WINDOW, BASE, HEADS = 10, 10000.0, 4


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return nn.functional.layer_norm(x, x.shape[-1:], self.weight, None, 1e-5)


class Attention(nn.Module):
    def __init__(self, width, kv_width, is_local):
        super().__init__()
        self.norm = Norm(width)
        self.Wq, self.Wo = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.Wk, self.Wv = nn.Linear(width, kv_width, bias=False), nn.Linear(width, kv_width, bias=False)
        self.is_local = is_local

    def forward(self, x):
        batch, time, width = x.shape
        size = width // HEADS
        h = self.norm(x)
        q, k, v = (w(h).view(batch, time, -1, size).transpose(1, 2) for w in (self.Wq, self.Wk, self.Wv))
        position = torch.arange(time)
        distance = position[:, None] - position[None, :]
        allowed = distance >= 0
        if self.is_local:
            q, k = rotated(q, position), rotated(k, position)
            allowed = allowed & (distance < WINDOW)
        k, v = (t.repeat_interleave(HEADS // t.shape[1], dim=1) for t in (k, v))
        logits = (q @ k.transpose(-1, -2) / size ** 0.5) ** 2
        weights = logits.masked_fill(~allowed, float("-inf")).softmax(-1)
        return x + self.Wo((weights @ v).transpose(1, 2).reshape(batch, time, width))


class FeedForward(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.norm = Norm(width)
        self.Wg, self.Wu = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.Wd = nn.Linear(hidden, width, bias=False)

    def forward(self, x):
        h = self.norm(x)
        return x + self.Wd(nn.functional.silu(self.Wg(h)) * self.Wu(h))


class HybridSquare(nn.Module):
    def __init__(self, width, kv_width, hidden, pairs):
        super().__init__()
        self.E = nn.Embedding(12, width)
        self.layers = nn.ModuleList()
        for pair in range(pairs):
            self.layers.append(Attention(width, kv_width, pair % 2 == 0))
            self.layers.append(FeedForward(width, hidden))
        self.norm_f = Norm(width)
        self.W_out = nn.Linear(width, 12, bias=False)

    def forward(self, tokens):
        x = self.E(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.W_out(self.norm_f(x))


def rotated(x, position):
    half = x.shape[-1] // 2
    angle = position[:, None] / BASE ** (torch.arange(half) / half)[None, :]
    first, second = x[..., :half], x[..., half:]
    return torch.cat((first * angle.cos() - second * angle.sin(), second * angle.cos() + first * angle.sin()), -1)


def tensor_of(file, name):
    """One tensor of a safetensors file."""
    data = file.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8:8 + length])[name]
    begin, end = (8 + length + offset for offset in entry["data_offsets"])
    types = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64, "I32": torch.int32, "U8": torch.uint8}
    return torch.frombuffer(bytearray(data[begin:end]), dtype=types[entry["dtype"]]).view(entry["shape"])


def main():
    cli, tests = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cli, "export", str(tests / "formats" / "kvbench" / "hybrid_square"), "--format", "kvbench", "--out",
                        folder], check=True)
        files = list(pathlib.Path(folder).glob("hybrid_square/checkpoints/ckpt_step*.pt"))
        assert len(files) == 1, files
        checkpoint = torch.load(files[0], weights_only=True)
    state = checkpoint["model_state"]
    assert checkpoint["variant"] == "hybrid_square"
    assert f"ckpt_step{checkpoint['step']}.pt" == files[0].name
    assert all(tensor.dtype == torch.float32 for tensor in state.values())
    width = state["E.weight"].shape[1]
    pairs = sum(name.endswith("Wd.weight") for name in state)
    model = HybridSquare(width, state["layers.0.Wk.weight"].shape[0], state["layers.1.Wg.weight"].shape[0], pairs)
    model.load_state_dict(state, strict=True)
    fixture = tests / "fixtures" / "hybrid_square.safetensors"
    expected = tensor_of(fixture, "logits").float()
    with torch.no_grad():
        logits = model(tensor_of(fixture, "tokens").long()[:, :expected.shape[1]])
    worst = (logits - expected).abs().max().item()
    print(f"largest difference of the logits: {worst:.2g}")
    assert worst < 1e-5, worst


main()
