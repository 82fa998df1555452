"""Writes blocks.json: networks of one generic block at ten sizes of images, computed by PyTorch in float64.

    python tests/references/blocks.py

Needs torch (made with 2.x on the CPU). The models are those of tests/tests/it/generic_images.rs; numbers are made from names as in twins.py.
"""

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from parts import batch_norm, below, conv, digest, digests, floats, linear, unit

# The first have more than a few pixels left where statistics are taken last: their gradients are no differences of rounding.
RESIDUAL = [(16, 16), (24, 17), (8, 8), (9, 12), (16, 7), (11, 11), (8, 17), (13, 10), (20, 8), (7, 9)]
UNET = [(8, 8), (16, 12), (4, 8), (12, 4), (20, 8), (8, 24), (12, 12), (16, 16), (4, 20), (24, 8)]
# Of so many sizes the gradients are kept as well.
GRADIENTS = 2

BLOCKS = [("first.0", 8, 8, 1), ("first.1", 8, 8, 1), ("second_down", 8, 16, 2), ("second", 16, 16, 1)]
BLOCKS += [("third_down", 16, 32, 2), ("third", 32, 32, 1), ("fourth_down", 32, 64, 2), ("fourth", 64, 64, 1)]
DOUBLES = [("top", 1, 4), ("middle", 4, 8), ("bottom", 8, 8), ("middle_up", 16, 4), ("top_up", 8, 4)]


def start(name, shapes):
    def value(path, shape):
        last = path.rsplit(".", 1)[-1]
        centre = 1.0 if len(shape) < 2 and last in ("weight", "running_var") else 0.0
        return centre + 0.25 * unit(f"{name}/{path}", shape)

    return {path: value(path, shape) for path, shape in shapes.items()}


def norm_shapes(path, features):
    parameters = {f"{path}.weight": [features], f"{path}.bias": [features]}
    return parameters, {f"{path}.running_mean": [features], f"{path}.running_var": [features]}


def residual_shapes():
    shapes, states = {"stem.weight": [8, 3, 3, 3]}, {}

    def norm(path, features):
        parameters, own = norm_shapes(path, features)
        shapes.update(parameters)
        states.update(own)

    norm("norm", 8)
    for path, i, o, stride in BLOCKS:
        shapes[f"{path}.a.weight"] = [o, i, 3, 3]
        norm(f"{path}.a_norm", o)
        shapes[f"{path}.b.weight"] = [o, o, 3, 3]
        norm(f"{path}.b_norm", o)
        if stride > 1:
            shapes[f"{path}.around.0.weight"] = [o, i, 1, 1]
    shapes.update({"head.weight": [64, 10], "head.bias": [10]})
    return shapes, states


def residual(p, s, x, training):
    bn = lambda key, h: batch_norm(p, s, key, h, training)
    h = bn("norm", conv(p, "stem", x, padding=1)).relu()
    for path, _, _, stride in BLOCKS:
        skip = conv(p, f"{path}.around.0", h, stride=stride) if stride > 1 else h
        inner = bn(f"{path}.a_norm", conv(p, f"{path}.a", h, padding=1, stride=stride)).relu()
        h = (bn(f"{path}.b_norm", conv(p, f"{path}.b", inner, padding=1)) + skip).relu()
    return linear(p, "head", h.mean([2, 3]))


def unet_shapes():
    shapes = {}
    for path, i, o in DOUBLES:
        for part, inputs in (("a", i), ("b", o)):
            shapes.update({f"{path}.{part}.weight": [o, inputs, 3, 3], f"{path}.{part}.bias": [o]})
    shapes.update({"output.weight": [1, 4, 1, 1], "output.bias": [1]})
    return shapes, {}


def unet(p, s, x, training):
    double = lambda k, h: conv(p, f"{k}.b", conv(p, f"{k}.a", h, padding=1).relu(), padding=1).relu()
    up = lambda h: F.interpolate(h, scale_factor=2, mode="nearest")
    top = double("top", x)
    middle = double("middle", F.max_pool2d(top, 2))
    bottom = double("bottom", F.max_pool2d(middle, 2))
    middle = double("middle_up", torch.cat([up(bottom), middle], 1))
    return conv(p, "output", double("top_up", torch.cat([up(middle), top], 1)))


def sizes(name, network, shapes, all_sizes, inputs, loss):
    made = []
    for position, (height, width) in enumerate(all_sizes):
        p, s = (start(name, own) for own in shapes)
        given = {key: make(f"{name}/{key}") for key, make in inputs(height, width).items()}
        result = network(p, s, given["x"], False)
        p = {path: value.requires_grad_() for path, value in p.items()}
        value = loss(network(p, s, given["x"], True), given["y"])
        value.backward()
        entry = {"size": [height, width], "result": digest(result), "loss": float(f"{value.item():.9g}")}
        entry["gradients"] = digests({k: v.grad for k, v in p.items()}) if position < GRADIENTS else {}
        made.append(entry)
    return made


def main():
    images = lambda h, w: {"x": floats(2, 3, h, w), "y": below(10, 2)}
    pictures = lambda h, w: {"x": floats(1, 1, h, w), "y": floats(1, 1, h, w)}
    written = {
        "resnet18": sizes("resnet18", residual, residual_shapes(), RESIDUAL, images, F.cross_entropy),
        "unet": sizes("unet", unet, unet_shapes(), UNET, pictures, F.mse_loss),
    }
    (Path(__file__).parent / "blocks.json").write_text(json.dumps(written, separators=(",", ":")) + "\n")


main()
