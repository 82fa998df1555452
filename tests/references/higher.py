"""Writes higher.json: the losses of 20 steps of training with derivatives inside, computed by PyTorch in float64.

    python tests/references/higher.py

Needs torch (made with 2.x on the CPU). The models are those of tests/tests/it/higher.rs; numbers are made from names as in twins.py.
"""

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from twins import below, conv, conv_shapes, digest, digests, floats, linear, linear_shapes, positive, start

STEPS = 20


def inner(value, wrt):
    return torch.autograd.grad(value, wrt, create_graph=True)


def critic(p, x):
    score = lambda z: linear(p, "score", F.leaky_relu(linear(p, "second", linear(p, "first", z).tanh()), 0.2))
    between = x["share"] * x["real"] + (1 - x["share"]) * x["fake"]
    between.requires_grad_()
    (slope,) = inner(score(between).sum(), between)
    penalty = (slope.square().sum(1).sqrt() - 1).square().mean()
    return score(x["fake"]).mean() - score(x["real"]).mean() + 10 * penalty, penalty


def heat(p, x):
    net = lambda x, t: linear(p, "c", linear(p, "b", (torch.cat([x, t], 1) @ p["a.weight"]).tanh()).tanh())
    at, t = x["x"].clone().requires_grad_(), x["t"].clone().requires_grad_()
    u = net(at, t)
    ux, ut = inner(u.sum(), (at, t))
    (uxx,) = inner(ux.sum(), at)
    start = net(x["x"], torch.zeros_like(x["t"])) - (3 * x["x"]).sin()
    return (ut - uxx).square().mean() + start.square().mean(), uxx


def saliency(p, x):
    image = x["x"].clone().requires_grad_()
    h = F.max_pool2d(conv(p, "first", image, padding=1).tanh(), 2)
    logits = linear(p, "output", conv(p, "second", h, padding=1).relu().flatten(1))
    (seen,) = inner(logits.max(1).values.sum(), image)
    return F.cross_entropy(logits, x["labels"].long()) + 0.1 * seen.abs().mean(), seen


def maml(p, x):
    net = lambda x, w, b, v, c: (x @ w + b).tanh() @ v + c
    w = tuple(p.values())
    for _ in range(2):
        slopes = inner((net(x["x"], *w) - x["y"]).square().mean(), w)
        w = tuple(old - 0.1 * slope for old, slope in zip(w, slopes))
    return (net(x["query"], *w) - x["wanted"]).square().mean(), w[0]


MODELS = {
    "critic": (critic, {"real": floats(8, 2), "fake": floats(8, 2), "share": positive(8, 1)},
               linear_shapes("first", 2, 12) | linear_shapes("second", 12, 12) | linear_shapes("score", 12, 1)),
    "heat": (heat, {"x": floats(9, 1), "t": positive(9, 1)},
             {"a.weight": [2, 10]} | linear_shapes("b", 10, 8) | linear_shapes("c", 8, 1)),
    "saliency": (saliency, {"x": floats(3, 1, 8, 8), "labels": below(3, 3)},
                 conv_shapes("first", 1, 4, 3) | conv_shapes("second", 4, 4, 3) | linear_shapes("output", 64, 3)),
    "maml": (maml, {"x": floats(6, 1), "y": floats(6, 1), "query": floats(5, 1), "wanted": floats(5, 1)},
             {"w": [1, 7], "b": [7], "v": [7, 1], "c": [1]}),
}
RATES = {"critic": 0.02, "heat": 0.05, "saliency": 0.1, "maml": 0.2}


def reference(name, function, inputs, parameters):
    x = {key: make(f"{name}/{key}") for key, make in inputs.items()}
    if name == "heat":
        # Where nothing is added to the first layer, tanh is at 0.
        x["x"][0], x["t"][0] = 0.0, 0.0
    p = {path: start(name, path, shape).requires_grad_() for path, shape in parameters.items()}
    descent, losses = torch.optim.SGD(list(p.values()), RATES[name]), []
    for _ in range(STEPS):
        loss, beside = function(p, x)
        gradients = torch.autograd.grad(loss, list(p.values()), materialize_grads=True)
        for value, gradient in zip(p.values(), gradients):
            value.grad = gradient
        if not losses:
            first = digests(dict(zip(p, gradients)))
        descent.step()
        losses.append(float(f"{float(loss):.9g}"))
    return {"losses": losses, "gradients": first, "beside": digest(beside), "parameters": digests(p)}


if __name__ == "__main__":
    texts = [f'"{name}":{json.dumps(reference(name, *model), separators=(",", ":"))}' for name, model in MODELS.items()]
    Path(__file__).with_name("higher.json").write_text("{\n" + ",\n".join(texts) + "\n}\n")
