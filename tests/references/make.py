"""Writes references.json: inputs, results and gradients of every operation and layer, computed by PyTorch in float64.

    python tests/references/make.py

Needs torch (made with 2.x on the CPU) and nothing else. The inputs are multiples of 1/64, so that they are the same
numbers in f32; results and gradients are rounded to 10 digits. "gradients" are those of sum(result * cotangent).
"smooth" says that no input is near a kink or the border of a domain, so that differences can be taken there too.
"""

import json
import math
import random
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))

from cases import LAYERS, OPERATIONS  # noqa: E402

DTYPES = {"f32": torch.float64, "i32": torch.int32, "u32": torch.int64, "u8": torch.uint8, "bool": torch.bool}


def number(value):
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    value = float(f"{value:.10g}")
    # Whole numbers without a point, but for a zero whose sign would be lost.
    whole = value.is_integer() and abs(value) < 1e9 and (value != 0 or math.copysign(1, value) > 0)
    return int(value) if whole else value


def encode(tensor, dtype=None):
    names = {torch.float64: "f32", torch.float32: "f32", torch.bool: "bool"}
    flat = tensor.detach().reshape(-1)
    return {
        "dtype": dtype or names.get(tensor.dtype, "i32"),
        "shape": list(tensor.shape),
        "values": [number(value) for value in flat.tolist()],
    }


def cotangent(name, shape):
    rng = random.Random("cotangent " + name)
    count = math.prod(shape)
    values = [rng.choice([-1, 1]) * rng.randint(8, 24) / 16 for _ in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def gradients(name, result, inputs):
    """Of sum(result * cotangent) in each input; None where there is none."""
    if not result.is_floating_point() or not result.requires_grad:
        return None, [None for _ in inputs]
    seed = cotangent(name, result.shape)
    wanted = [i for i, tensor in enumerate(inputs) if tensor.requires_grad]
    found = torch.autograd.grad(result, [inputs[i] for i in wanted], seed, allow_unused=True)
    by_input = dict(zip(wanted, found))
    full = []
    for i, tensor in enumerate(inputs):
        if i not in by_input:
            full.append(None)
        else:
            gradient = by_input[i]
            full.append(encode(torch.zeros_like(tensor) if gradient is None else gradient))
    return encode(seed), full


def tensor_of(values, shape, dtype):
    tensor = torch.tensor(values, dtype=DTYPES[dtype]).reshape(shape)
    return tensor.requires_grad_() if dtype == "f32" else tensor


def operation(case):
    tensors, kinds, args, python = [], [], [], []

    def add(given):
        tensor = tensor_of(given.values(case["name"], len(tensors)), given.shape, given.dtype)
        tensors.append(tensor)
        kinds.append(given.dtype)
        return tensor

    for kind, value in case["args"]:
        if kind == "tensor":
            args.append({"tensor": len(tensors)})
            python.append(add(value))
        elif kind == "tensors":
            args.append({"tensors": list(range(len(tensors), len(tensors) + len(value)))})
            python.append([add(given) for given in value])
        else:
            args.append({kind: number(value) if kind == "number" else value})
            python.append(value)
    result = case["torch"](*python)
    seed, found = gradients(case["name"], result, tensors)
    return {
        "operation": case["operation"],
        "case": case["name"],
        "smooth": case["smooth"],
        "args": args,
        "tensors": [encode(tensor, kind) for tensor, kind in zip(tensors, kinds)],
        "result": encode(result),
        "cotangent": seed,
        "gradients": found,
    }


def layer(case):
    x = tensor_of(case["input"].values(case["name"], 0), case["input"].shape, case["input"].dtype)
    named, kinds = {}, {}
    for position, (name, given) in enumerate(case["tensors"].items()):
        tensor = tensor_of(given.values(case["name"], position + 1), given.shape, given.dtype)
        named[name] = tensor
        kinds[name] = given.dtype
    state = {name: named[name].detach().clone() for name in case["state"]}
    for name in case["state"]:
        named[name] = named[name].detach()
    result = case["torch"](x, **{**named, **state})
    inputs = [x, *named.values()]
    seed, found = gradients(case["name"], result, inputs)
    return {
        "layer": case["layer"],
        "case": case["name"],
        "smooth": case["smooth"],
        "mode": case["mode"],
        "config": case["config"],
        "input": encode(x, case["input"].dtype),
        "tensors": {name: encode(tensor, kinds[name]) for name, tensor in named.items()},
        "result": encode(result),
        "cotangent": seed,
        "input_gradient": found[0],
        "gradients": dict(zip(named, found[1:])),
        "updates": {name: encode(value) for name, value in state.items()} if case["mode"] == "training" else {},
    }


def main():
    torch.set_default_dtype(torch.float64)
    lines = [json.dumps(operation(case), separators=(",", ":")) for case in OPERATIONS]
    layers = [json.dumps(layer(case), separators=(",", ":")) for case in LAYERS]
    text = '{"operations":[\n%s\n],"layers":[\n%s\n]}\n' % (",\n".join(lines), ",\n".join(layers))
    (Path(__file__).parent / "references.json").write_text(text)


main()
