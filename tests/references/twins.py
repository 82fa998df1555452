"""Writes twins.json: results, losses and gradients of whole models, computed by PyTorch in float64.

    python tests/references/twins.py

Needs torch (made with 2.x on the CPU). The models are those of tests/tests/twins, where the same numbers are made from names.
Of each tensor there is its norm and its products with two vectors.
"""

import json
import math
from pathlib import Path

import torch
import torch.nn.functional as F

RATE = 0.125
STEPS = 4


def bits(name, position):
    x = 0x811C9DC5
    for byte in name.encode():
        x = (x ^ byte) * 0x01000193 & 0xFFFFFFFF
    x = x + position * 0x9E3779B9 & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    x = (x ^ x >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return x ^ x >> 16


def unit(name, shape):
    values = [(bits(name, i) % 2049 - 1024) / 1024 for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def whole(name, shape, below):
    return torch.tensor([bits(name, i) % below for i in range(math.prod(shape))]).reshape(shape)


def digest(tensor):
    flat = tensor.detach().reshape(-1)
    numbers = [flat.norm(), *(flat @ unit(name, flat.shape) for name in ("first", "second"))]
    return [float(f"{float(number):.9g}") for number in numbers]


def linear(p, k, x):
    y = x @ p[k + ".weight"]
    return y + p[k + ".bias"] if k + ".bias" in p else y


def conv(p, k, x, **settings):
    return F.conv2d(x, p[k + ".weight"], p.get(k + ".bias"), **settings)


def batch_norm(p, s, k, x, training, epsilon=1e-5, momentum=0.1):
    statistics = s[k + ".running_mean"], s[k + ".running_var"]
    return F.batch_norm(x, *statistics, p.get(k + ".weight"), p.get(k + ".bias"), training, momentum, epsilon)


def layer_norm(p, k, x):
    return F.layer_norm(x, x.shape[-1:], p[k + ".weight"], p[k + ".bias"], 1e-5)


def rms_norm(p, k, x, epsilon=1e-6):
    return F.rms_norm(x, x.shape[-1:], p[k + ".weight"], epsilon)


def attention(p, k, x, heads):
    n, t, f = x.shape
    qkv = x @ p[k + ".qkv_weight"] + p[k + ".qkv_bias"]
    q, key, v = (z.reshape(n, t, heads, f // heads).transpose(1, 2) for z in qkv.split(f, -1))
    y = F.scaled_dot_product_attention(q, key, v).transpose(1, 2).reshape(n, t, f)
    return y @ p[k + ".output_weight"] + p[k + ".output_bias"]


def linear_shapes(name, inputs, outputs, bias=True):
    return {f"{name}.weight": [inputs, outputs]} | ({f"{name}.bias": [outputs]} if bias else {})


def conv_shapes(name, inputs, outputs, kernel, bias=True):
    return {f"{name}.weight": [outputs, inputs, kernel, kernel]} | ({f"{name}.bias": [outputs]} if bias else {})


def norm_shapes(name, features):
    return {f"{name}.weight": [features], f"{name}.bias": [features]}


def statistics(*names, features):
    return {f"{name}.{each}": [features] for name in names for each in ("running_mean", "running_var")}


def lstm(p, s, x, training):
    h, c = x["h0"], x["c0"]
    for t in range(4):
        gates = linear(p, "cell.input", x["x"][:, t]) + linear(p, "cell.hidden", h)
        i, f, g, o = gates.split(6, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    y = linear(p, "head", h)
    return {"y": y, "c": c}, F.mse_loss(y, x["y"])


def llama(p, s, x, training):
    def rope(z):
        a, b = z[..., :2], z[..., 2:]
        return torch.cat([a * x["cos"] - b * x["sin"], a * x["sin"] + b * x["cos"]], -1)

    h = F.embedding(x["x"], p["words.weight"])
    n, t, _ = h.shape
    for i in range(2):
        k = f"blocks.{i}."
        g = rms_norm(p, k + "norm1", h)
        q, key, v = (linear(p, k + w, g).reshape(n, t, -1, 4).transpose(1, 2) for w in ("wq", "wk", "wv"))
        o = F.scaled_dot_product_attention(rope(q), rope(key), v, is_causal=True, enable_gqa=True)
        h = h + linear(p, k + "wo", o.transpose(1, 2).reshape(n, t, 16))
        g = rms_norm(p, k + "norm2", h, 1e-5)
        h = h + linear(p, k + "down", F.silu(linear(p, k + "gate", g)) * linear(p, k + "up", g))
    y = linear(p, "head", rms_norm(p, "norm", h))
    return {"y": y}, F.cross_entropy(y.flatten(0, 1), x["y"].flatten())


def residual(p, s, x, training):
    norm = lambda k, z, *settings: batch_norm(p, s, k, z, training, *settings)
    h = F.relu(norm("norm1", conv(p, "conv1", x["x"], stride=2, padding=1)))
    skip = norm("skip_norm", conv(p, "skip", x["x"], stride=2))
    h = F.relu(norm("norm2", conv(p, "conv2", h, padding=1), 1e-3, 0.3) + skip)
    h = F.avg_pool2d(F.max_pool2d(h, 3, 2, 1), 2)
    y = linear(p, "head", h.mean(2).flatten(1))
    return {"y": y}, F.cross_entropy(y, x["y"])


def vit(p, s, x, training):
    n = x["x"].shape[0]
    h = conv(p, "patch", x["x"], stride=4).reshape(n, 12, 9).transpose(1, 2)
    h = torch.cat([p["class"].expand(n, 1, 12), h], 1) + p["position"]
    for i in range(2):
        k = f"blocks.{i}."
        h = h + attention(p, k + "attention", layer_norm(p, k + "norm1", h), 3)
        h = h + linear(p, k + "down", F.gelu(linear(p, k + "up", layer_norm(p, k + "norm2", h))))
    y = linear(p, "head", layer_norm(p, "norm", h[:, 0]))
    return {"y": y}, F.cross_entropy(y, x["y"])


def convnext(p, s, x, training):
    z = conv(p, "stem", x["x"], stride=4)
    h = layer_norm(p, "norm", conv(p, "depth", z, padding=3, groups=6).permute(0, 2, 3, 1))
    h = p["scale"] * linear(p, "down", F.gelu(linear(p, "up", h)))
    z = z + h.permute(0, 3, 1, 2)
    gate = F.hardsigmoid(linear(p, "excite", F.relu(linear(p, "squeeze", z.mean((2, 3))))))
    z = z * gate[:, :, None, None]
    y = linear(p, "head", F.silu(conv(p, "conv", z, stride=2, padding=1)).mean((2, 3)))
    return {"y": y}, F.nll_loss(y.log_softmax(-1), x["y"])


def siamese(p, s, x, training):
    def embed(z):
        h = linear(p, "b", linear(p, "a", z).tanh())
        return h / (h.square().sum(1, keepdim=True) + 1e-12).sqrt()

    a, b = embed(x["x"]), embed(x["y"])
    cosines = a @ b.T * p["scale"].exp()
    both = 0.5 * (F.cross_entropy(cosines, x["labels"]) + F.cross_entropy(cosines.T, x["labels"]))
    d = (a - b).square().sum(1)
    return {"s": cosines, "e": a}, both + F.relu(1 - (d + 1e-9).sqrt()).square().mean()


def mixture(p, s, x, training):
    o = linear(p, "out", linear(p, "hidden", x["x"]).tanh())
    shares, mean, sigma = o[:, :3].log_softmax(1), o[:, 3:6], o[:, 6:].clamp(-3, 3)
    density = -0.5 * ((x["y"] - mean) / sigma.exp()).square() - sigma
    return {"p": shares, "mean": mean, "sigma": sigma}, -(shares + density).logsumexp(1).mean()


def vae(p, s, x, training):
    h = F.elu(linear(p, "enc", x["x"]))
    mean, logvar = linear(p, "mean", h), linear(p, "logvar", h)
    y = linear(p, "out", F.softplus(linear(p, "dec", mean + (0.5 * logvar).exp() * x["noise"])))
    nll = (F.softplus(y) - y * x["x"]).sum(1).mean()
    kl = -0.5 * (1 + logvar - mean.square() - logvar.exp()).sum(1).mean()
    return {"y": y, "mean": mean, "logvar": logvar}, nll + 0.5 * kl


def encoder(k):
    qkv = {k + "attention.qkv_weight": [12, 36], k + "attention.output_weight": [12, 12]}
    qkv |= {k + "attention.qkv_bias": [36], k + "attention.output_bias": [12]}
    norms = norm_shapes(k + "norm1", 12) | norm_shapes(k + "norm2", 12)
    return qkv | norms | linear_shapes(k + "up", 12, 19) | linear_shapes(k + "down", 19, 12)


def block(k):
    plain = [("wq", 16, 16), ("wk", 16, 8), ("wv", 16, 8), ("wo", 16, 16), ("gate", 16, 21), ("up", 16, 21), ("down", 21, 16)]
    shapes = {k + "norm1.weight": [16], k + "norm2.weight": [16]}
    for name, inputs, outputs in plain:
        shapes |= linear_shapes(k + name, inputs, outputs, False)
    return shapes


# Function, inputs (whole numbers with what they are below), shapes of parameters, shapes of states.
MODELS = {
    "lstm": (lstm, {"x": [3, 4, 5], "h0": [3, 6], "c0": [3, 6], "y": [3, 2]},
             linear_shapes("cell.input", 5, 24) | linear_shapes("cell.hidden", 6, 24) | linear_shapes("head", 6, 2), {}),
    "llama": (llama, {"x": ([3, 5], 11), "y": ([3, 5], 11), "cos": [5, 2], "sin": [5, 2]},
              {"words.weight": [11, 16], "norm.weight": [16]} | block("blocks.0.") | block("blocks.1.")
              | linear_shapes("head", 16, 11, False), {}),
    "residual": (residual, {"x": [4, 3, 17, 13], "y": ([4], 3)},
                 conv_shapes("conv1", 3, 5, 3, False) | norm_shapes("norm1", 5) | conv_shapes("conv2", 5, 5, 3)
                 | norm_shapes("norm2", 5) | conv_shapes("skip", 3, 5, 1, False) | linear_shapes("head", 10, 3),
                 statistics("norm1", "norm2", "skip_norm", features=5)),
    "vit": (vit, {"x": [3, 2, 12, 12], "y": ([3], 4)},
            conv_shapes("patch", 2, 12, 4) | {"class": [1, 1, 12], "position": [10, 12]} | encoder("blocks.0.")
            | encoder("blocks.1.") | norm_shapes("norm", 12) | linear_shapes("head", 12, 4), {}),
    "convnext": (convnext, {"x": [2, 3, 20, 28], "y": ([2], 5)},
                 conv_shapes("stem", 3, 6, 4) | conv_shapes("depth", 1, 6, 7) | norm_shapes("norm", 6)
                 | linear_shapes("up", 6, 14) | linear_shapes("down", 14, 6) | {"scale": [6]}
                 | linear_shapes("squeeze", 6, 3) | linear_shapes("excite", 3, 6) | conv_shapes("conv", 6, 7, 3)
                 | linear_shapes("head", 7, 5), {}),
    "siamese": (siamese, {"x": [5, 6], "y": [5, 6], "labels": ([5], 5)},
                linear_shapes("a", 6, 9) | linear_shapes("b", 9, 4) | {"scale": []}, {}),
    "mixture": (mixture, {"x": [17, 1], "y": [17, 1]}, linear_shapes("hidden", 1, 8) | linear_shapes("out", 8, 9), {}),
    "vae": (vae, {"x": [7, 10], "noise": [7, 3]},
            linear_shapes("enc", 10, 8) | linear_shapes("mean", 8, 3) | linear_shapes("logvar", 8, 3)
            | linear_shapes("dec", 3, 8) | linear_shapes("out", 8, 10), {}),
}


def start(name, path, shape):
    """Gains and variances around 1, all else around 0."""
    around = 1.0 if len(shape) < 2 and path.rsplit(".")[-1] in ("weight", "running_var") else 0.0
    return around + 0.25 * unit(f"{name}/{path}", shape)


def reference(name, function, inputs, parameters, states):
    x = {}
    for key, shape in inputs.items():
        label = f"{name}/{key}"
        x[key] = whole(label, *shape) if isinstance(shape, tuple) else unit(label, shape)
    p = {path: start(name, path, shape).requires_grad_() for path, shape in parameters.items()}
    s = {path: start(name, path, shape) for path, shape in states.items()}
    with torch.no_grad():
        results, inference = function(p, s, x, False)
    found = {"inference": float(inference), "results": {key: digest(value) for key, value in results.items()}}
    losses = []
    for step in range(STEPS):
        _, loss = function(p, s, x, True)
        gradients = dict(zip(p, torch.autograd.grad(loss, list(p.values()))))
        losses.append(float(loss.detach()))
        if step == 0:
            found["gradients"] = {path: digest(value) for path, value in gradients.items()}
            found["states"] = {path: digest(value) for path, value in s.items()}
        with torch.no_grad():
            for path, value in p.items():
                value -= RATE * gradients[path]
    return found | {"losses": losses}


if __name__ == "__main__":
    texts = [f'"{name}":{json.dumps(reference(name, *model), separators=(",", ":"))}' for name, model in MODELS.items()]
    Path(__file__).with_name("twins.json").write_text("{\n" + ",\n".join(texts) + "\n}\n")
