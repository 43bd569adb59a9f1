# SPDX-FileCopyrightText: 2026 The Lookback developers
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tests/formats/kvbench and tests/formats/torch: files as PyTorch writes them (needs torch and safetensors).

The weights of the kvbench folders are those of tests/fixtures/<variant>.safetensors.
"""
import collections
import json
import os
import pathlib
import pickle
import zipfile

import safetensors.torch
import torch

here = pathlib.Path(__file__).parent
fixtures = here.parent / "fixtures"
kvbench = here / "kvbench"
plain = here / "torch"
plain.mkdir(exist_ok=True)

curves = {}
for variant, step in (("hybrid_square", 1700), ("hybrid_square_kda", 15000)):
    tensors = safetensors.torch.load_file(fixtures / f"{variant}.safetensors")
    state = collections.OrderedDict((name, tensor) for name, tensor in tensors.items()
                                    if name.startswith("layers.") or name in ("E.weight", "norm_f.weight", "W_out.weight"))
    folder = kvbench / variant
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    last = f"ckpt_step{step}.pt" if step < 15000 else "ckpt_final.pt"
    torch.save({"step": step, "variant": variant, "model_state": state}, folder / "checkpoints" / last)
    with open(folder / "metrics.jsonl", "w") as log:
        for at in (1, 100, step):
            log.write(json.dumps({"step": at, "n_keys": 2 if at < 1000 else 6, "loss": 2.5 / at, "retrieval_acc": 1 - 1 / at}) + "\n")
        if variant == "hybrid_square":
            log.write('{"step": 1800, "n_keys": 6, "loss": NaN, "retrieval_acc": 0.5}\n')
    with open(folder / "eval.json", "w") as file:
        json.dump({str(step): [2.3 - 0.02 * index for index in range(100)]}, file)
    curves[variant] = [1.0, 0.5, 0.25]
with open(kvbench / "accuracy_vs_context.json", "w") as file:
    json.dump({"n_sweep": [8, 64, 256], "curves": curves}, file)

numbers = torch.tensor([[1.0, -2.5, 0.0], [65504.0, 2.0 ** -24, float("inf")]])
shared = torch.arange(12.0)
torch.save({"step": 7, "variant": "rope", "model_state": collections.OrderedDict(
    float32=numbers, float64=numbers.double(), float16=numbers.half(), bfloat16=numbers.bfloat16(),
    transposed=numbers.t(), parameter=torch.nn.Parameter(numbers, requires_grad=False), part=shared[3:9].view(2, 3),
    scalar=torch.tensor(4.25), empty=torch.zeros(0, 3), broadcast=torch.ones(1, 3).clone())}, plain / "dtypes.pt")
torch.save({"step": 1, "variant": "rope", "model_state": {"counts": torch.arange(3)}}, plain / "integers.pt")
torch.save(torch.nn.Linear(2, 2), plain / "module.pt")


class Command:
    def __reduce__(self):
        return os.system, ("touch executed",)


torch.save({"step": 1, "variant": "rope", "model_state": {"E.weight": Command()}}, plain / "command.pt")
torch.save({"step": 1, "variant": "rope", "model_state": {"E.weight": torch.ones(2)}}, plain / "old.pt",
           _use_new_zipfile_serialization=False)
