"""The models of tests/src/models/steps.rs in PyTorch, for twins.py."""

import math

import torch
import torch.nn.functional as F

from parts import below, conv, conv_shapes, floats, linear, linear_shapes, rms_norm, truths


def deepsets(p, s, x, training):
    there = x["there"][..., None]
    codes = linear(p, "code", F.silu(linear(p, "each", x["x"])))
    mean = (codes * there).sum(1) / there.sum(1).clamp(min=1)
    largest = codes.masked_fill(there == 0, -10).amax(1)
    y = linear(p, "head", linear(p, "whole", torch.cat([mean, largest], 1)).tanh()).squeeze(1)
    return {"y": y}, F.mse_loss(y, x["y"])


def ode(p, s, x, training):
    d = 0.5

    def slope(y, t):
        return linear(p, "down", linear(p, "up", torch.cat([y, torch.full_like(y[:, :1], t)], 1)).tanh())

    y = x["y"]
    for t in (0, d):
        a = slope(y, t)
        b = slope(y + 0.5 * d * a, t + 0.5 * d)
        c = slope(y + 0.5 * d * b, t + 0.5 * d)
        y = y + d / 6 * (a + 2 * b + 2 * c + slope(y + d * c, t + d))
    return {"y": y}, F.mse_loss(y, x["end"])


def diffusion(p, s, x, training):
    def noise_in(z):
        h = conv(p, "top", z, padding=1) + F.embedding(x["t"], p["time.weight"])[:, :, None, None]
        return conv(p, "bottom", F.silu(F.group_norm(h, 2)), padding=1)

    def shares(t):
        angle = t.double()[:, None, None, None] * math.pi / 22
        return angle.cos(), angle.sin()

    signal, share = shares(x["t"] + 1)
    found = noise_in(x["x"])
    following, less = shares(x["t"])
    step = following * (x["x"] - share * found) / signal + less * found
    loss = F.mse_loss(noise_in(signal * x["x"] + share * x["noise"]), x["noise"])
    return {"noise": found, "step": step}, loss


def wavenet(p, s, x, training):
    h, skips = F.embedding(x["x"], p["sounds.weight"]).mT[:, :, None], 0
    for k, holes in (("near", 1), ("middle", 2), ("far", 4)):
        a, b = conv(p, k + ".gate", F.pad(h, (holes, 0)), dilation=(1, holes)).chunk(2, 1)
        on, skip = conv(p, k + ".mix", a.tanh() * b.sigmoid()).chunk(2, 1)
        h, skips = h + on, skips + skip
    y = linear(p, "head", F.relu(skips).squeeze(2).mT)
    return {"y": y}, F.cross_entropy(y.flatten(0, 1), x["y"].flatten())


def decoder(p, s, x, training):
    def rotary(z):
        angle = torch.arange(t)[:, None] * torch.exp(-4 * torch.arange(2, dtype=torch.float64) / 2)
        a, b = z.chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    n, t, f = x["x"].shape
    h = rms_norm(p, "norm1", x["x"])
    q, key, v = (linear(p, w, h).reshape(n, t, -1, 4).transpose(1, 2) for w in ("wq", "wk", "wv"))
    o = F.scaled_dot_product_attention(rotary(q), rotary(key), v, is_causal=True, enable_gqa=True)
    y = x["x"] + linear(p, "wo", o.transpose(1, 2).reshape(n, t, f))
    h = rms_norm(p, "norm2", y)
    y = y + linear(p, "down", F.silu(linear(p, "gate", h)) * linear(p, "up", h))
    return {"y": y}, F.mse_loss(y, x["y"])


def gated(k):
    return conv_shapes(k + ".gate", 5, 10, (1, 2)) | conv_shapes(k + ".mix", 5, 10, 1)


def plain(**sizes):
    return {key: value for name, (i, o) in sizes.items() for key, value in linear_shapes(name, i, o, False).items()}


# As twins.py has them.
MODELS = {
    "deepsets": (deepsets, {"x": floats(5, 4, 3), "there": truths(5, 4), "y": floats(5)},
                 linear_shapes("each", 3, 8) | linear_shapes("code", 8, 6) | linear_shapes("whole", 12, 7)
                 | linear_shapes("head", 7, 1), {}),
    "ode": (ode, {"y": floats(7, 2), "end": floats(7, 2)}, linear_shapes("up", 3, 9) | linear_shapes("down", 9, 2), {}),
    "diffusion": (diffusion, {"x": floats(3, 1, 5, 6), "noise": floats(3, 1, 5, 6), "t": below(10, 3)},
                  {"time.weight": [10, 6]} | conv_shapes("top", 1, 6, 3) | conv_shapes("bottom", 6, 1, 3), {}),
    "wavenet": (wavenet, {"x": below(8, 2, 11), "y": below(8, 2, 11)},
                {"sounds.weight": [8, 5]} | gated("near") | gated("middle") | gated("far") | linear_shapes("head", 5, 8), {}),
    "decoder": (decoder, {"x": floats(2, 5, 16), "y": floats(2, 5, 16)},
                {"norm1.weight": [16], "norm2.weight": [16]}
                | plain(wq=(16, 16), wk=(16, 8), wv=(16, 8), wo=(16, 16), gate=(16, 21), up=(16, 21), down=(21, 16)), {}),
}
