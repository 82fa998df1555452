"""Writes twins.json: results, losses and gradients of whole models, computed by PyTorch in float64.

    python tests/references/twins.py

Needs torch (made with 2.x on the CPU). The models are those of tests/src/models, where the same numbers are made from names.
Of each tensor there is its norm and its products with two vectors.
"""

import json
from pathlib import Path

import torch
import torch.nn.functional as F

import steps as further
from parts import *

RATE = 0.125
STEPS = 4

# Ten steps of each, for the models of TRAINED. Adam divides what rounding leaves of gradients that are 0 by itself: a model
# with biases before a normalisation is none of these.
OPTIMIZERS = {
    "momentum": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, weight_decay=1e-3),
    "nesterov": lambda p: torch.optim.SGD(p, 0.05, momentum=0.8, nesterov=True, weight_decay=1e-2),
    "adam": lambda p: torch.optim.Adam(p, 5e-3, weight_decay=1e-3),
    "adamw": lambda p: torch.optim.AdamW(p, 5e-3, betas=(0.8, 0.95), weight_decay=0.05, eps=1e-6),
}
TRAINED = dict.fromkeys(("mixture", "mobile", "widedeep"), tuple(OPTIMIZERS))
# With the mobile network ten models of as many kinds, each under 60 lines of code in netcl.
TRAINED |= dict.fromkeys(("lstm", "vit", "vae", "gcn", *further.MODELS), ("momentum",))


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


def mobile(p, s, x, training):
    norm = lambda k, z: batch_norm(p, s, k, z, training)
    h = F.relu6(norm("norm0", conv(p, "stem", x["x"], stride=2, padding=1)))
    wide = F.relu6(norm("norm1", conv(p, "expand", h)))
    wide = F.relu6(norm("norm2", conv(p, "depth1", wide, padding=1, groups=12)))
    h = h + norm("norm3", conv(p, "project", wide))
    h = F.hardswish(conv(p, "depth2", h, stride=(2, 1), padding=(2, 1), groups=4))
    y = linear(p, "head", F.relu6(conv(p, "point2", h)).mean((2, 3)))
    return {"y": y}, F.cross_entropy(y, x["y"], label_smoothing=0.1)


def unet(p, s, x, training):
    twice = lambda z: F.interpolate(z, scale_factor=2, mode="nearest")
    a = F.relu(conv(p, "down1", x["x"], padding=1))
    b = F.relu(conv(p, "down2", F.max_pool2d(a, 2), padding=1))
    c = F.relu(conv(p, "middle", F.max_pool2d(b, 2), padding=2, dilation=2))
    d = F.relu(conv(p, "up2", torch.cat([twice(c), b], 1), padding=1))
    z = conv(p, "out", F.relu(conv(p, "up1", torch.cat([twice(d), a], 1), padding=1)))
    q, y = z.sigmoid(), x["y"]
    image = (1, 2, 3)
    dice = 1 - (2 * (q * y).sum(image) + 1) / (q.sum(image) + y.sum(image) + 1)
    return {"y": z}, dice.mean() + F.binary_cross_entropy_with_logits(z, y)


def mixer(p, s, x, training):
    h = linear(p, "embed", F.unfold(x["x"], (3, 5), stride=(3, 5)).mT)
    h = h + linear(p, "token2", F.gelu(linear(p, "token1", layer_norm(p, "norm1", h).mT))).mT
    h = h + linear(p, "channel2", F.gelu(linear(p, "channel1", layer_norm(p, "norm2", h))))
    y = linear(p, "head", h.max(1)[0])
    return {"y": y}, F.cross_entropy(y, x["y"])


def gru(p, s, x, training):
    words, h, steps = F.embedding(x["x"], p["words.weight"]), p["start"].expand(5, 6), []
    weights = [p[k].T for k in ("input.weight", "hidden.weight")] + [p[k] for k in ("input.bias", "hidden.bias")]
    for t in range(4):
        h = torch.gru_cell(words[:, t], h, *weights)
        steps.append(h)
    y = linear(p, "head", torch.stack(steps, 1))
    return {"y": y}, F.cross_entropy(y.flatten(0, 1), x["y"].flatten(), ignore_index=0)


def alibi(p, s, x, training):
    n, t, f = x["x"].shape
    q, key, v = linear(p, "qkv", x["x"]).reshape(n, t, 3, 3, 4).permute(2, 0, 3, 1, 4)
    far = (-F.softplus(p["slopes"]) * x["distance"]).masked_fill(x["pad"][:, None, None], -1e30)
    o = F.scaled_dot_product_attention(q, key, v, far).transpose(1, 2).reshape(n, t, f)
    h = layer_norm(p, "norm", x["x"] + linear(p, "mix", o))
    memory = linear(p, "memory", x["memory"])
    h = h + F.scaled_dot_product_attention(linear(p, "query", h), memory[..., :12], memory[..., 12:])
    kept = [row[~pad].mean(0) for row, pad in zip(h, x["pad"])]
    y = linear(p, "head", torch.stack(kept)).squeeze(1)
    return {"y": y}, F.huber_loss(y, x["y"], delta=0.5)


def tcn(p, s, x, training):
    # A weight norm keeps the sign of its length.
    weight = torch._weight_norm(p["direction"], p["length"], 0)
    h = F.conv2d(F.pad(x["x"][:, :, None], (4, 0)), weight, dilation=(1, 2))
    h = F.relu(F.group_norm(h, 3, 1 + p["gain"].flatten(), p["bias"].flatten()))
    h = h + conv(p, "conv", F.pad(h, (8, 0)), dilation=(1, 4), groups=3).tanh()
    y = conv(p, "out", h).squeeze(2)
    return {"y": y}, F.smooth_l1_loss(y, x["y"])


def crf(p, s, x, training):
    emitted, y = linear(p, "emit", x["x"]), x["y"]
    alpha = p["start"] + emitted[:, 0]
    for t in range(1, 6):
        alpha = (alpha[:, :, None] + p["transition"]).logsumexp(1) + emitted[:, t]
    z = alpha.logsumexp(1)
    right = emitted.gather(2, y[..., None]).sum((1, 2)) + p["start"][y[:, 0]]
    right = right + p["transition"][y[:, :-1], y[:, 1:]].sum(1)
    return {"z": z}, (z - right).mean()


def word2vec(p, s, x, training):
    v = F.embedding(x["word"], p["center.weight"])
    near, other = (F.embedding(x[k], p["context.weight"]) for k in ("near", "other"))
    near, other = (v * near).sum(1), torch.einsum("nkf,nf->nk", other, v)
    return {"near": near, "other": other}, -(F.logsigmoid(near) + F.logsigmoid(-other).sum(1)).mean()


def gcn(p, s, x, training):
    edges = x["edges"]
    d = torch.diag(edges.sum(1).rsqrt())
    norm = d @ edges @ d
    h = F.elu(linear(p, "second", norm @ F.relu(norm @ linear(p, "first", x["x"]))), 0.5)
    scores = F.leaky_relu(linear(p, "source", h) + linear(p, "target", h).T, 0.2)
    y = linear(p, "head", scores.masked_fill(edges <= 0, -1e9).softmax(1) @ h)
    known = x["known"] > 0
    return {"y": y}, F.cross_entropy(y[known], x["y"][known])


def widedeep(p, s, x, training):
    c, d = F.embedding(x["city"], p["city.weight"]), F.embedding(x["day"], p["day.weight"])
    e = F.embedding(x["items"], p["item.weight"])
    h = linear(p, "deep1", torch.cat([c, d, e.mean(1), x["numbers"]], 1))
    h = F.prelu(batch_norm(p, s, "norm", h, training), p["slope"].reshape(1))
    deep = linear(p, "deep3", F.mish(linear(p, "deep2", h))).squeeze(1)
    pairs = sum((e[:, i] * e[:, j]).sum(1) for i in range(3) for j in range(i))
    y = deep + 0.1 * pairs + (c * d).sum(1) + F.embedding_bag(x["items"], p["wide.weight"], mode="sum").squeeze(1)
    return {"y": y}, F.binary_cross_entropy_with_logits(y, x["y"])


def pinn(p, s, x, training):
    net = lambda z: linear(p, "c", linear(p, "b", linear(p, "a", z).tanh()).tanh())
    with torch.enable_grad():
        z = x["x"].clone().requires_grad_()
        u = net(z)
        first = torch.autograd.grad(u.sum(), z, create_graph=True)[0]
        uxx = torch.autograd.grad(first[:, 0].sum(), z, create_graph=True)[0][:, :1]
    ux, ut = first.split(1, 1)
    residual = ut + u * ux - 0.01 * uxx
    return {"u": u, "ux": ux, "ut": ut, "uxx": uxx}, residual.square().mean() + F.mse_loss(net(x["x0"]), x["u0"])


def losses(p, s, x, training):
    z = linear(p, "b", F.selu(linear(p, "a", x["x"])))
    y, t, c = x["y"], x["t"], x["c"]
    q = z.sigmoid()
    right, weight = torch.where(t > 0, q, 1 - q), torch.where(t > 0, 0.25, 0.75).double()
    parts = torch.stack([
        F.huber_loss(z, y, delta=0.7), F.smooth_l1_loss(z, y, beta=0.4), F.l1_loss(z, y), F.mse_loss(z, y),
        -(weight * (1 - right).square() * (right + 1e-7).log()).mean(), F.cross_entropy(z, c, label_smoothing=0.15),
        1 - (2 * (q * t).sum() + 1) / (q.sum() + t.sum() + 1),
        F.triplet_margin_loss(*z.reshape(3, 3, 6), margin=0.3, eps=0), 1 - F.cosine_similarity(z, y).mean(),
        F.poisson_nll_loss(z, y.abs()), F.kl_div(z.log_softmax(1), y.softmax(1), reduction="batchmean"),
        6 * F.multi_margin_loss(z, c), torch.maximum(0.9 * (y - z), 0.1 * (z - y)).mean(), (z - y).cosh().log().mean()])
    return {"y": z, "parts": parts}, parts.mean()


def bigmlp(p, s, x, training):
    h = p["mix"] @ F.gelu(linear(p, "a", x["x"].permute(1, 2, 0)), approximate="tanh")
    h = layer_norm(p, "norm", F.silu(linear(p, "b", h + 0.5 * h.flip(1))))
    y = linear(p, "c", h)
    return {"y": y}, F.cross_entropy(y.flatten(0, 1), x["y"].flatten())


def dqn(p, s, x, training):
    def worth(k, state):
        h = F.celu(linear(p, k + ".a", state), 0.7)
        advantage = linear(p, k + ".advantage", h)
        return linear(p, k + ".value", h) + advantage - advantage.mean(1, keepdim=True)

    q = worth("online", x["state"])
    best = worth("online", x["next"]).argmax(1, keepdim=True)
    goal = x["reward"] + 0.97 * worth("target", x["next"]).gather(1, best).squeeze(1) * (1 - x["done"])
    return {"q": q, "action": q.argmax(1)}, F.huber_loss(q.gather(1, x["action"][:, None]).squeeze(1), goal.detach())


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


def dueling(k):
    return linear_shapes(k + "a", 6, 9) | linear_shapes(k + "value", 9, 1) | linear_shapes(k + "advantage", 9, 4)


# Function, inputs, shapes of parameters, shapes of states.
MODELS = {
    "lstm": (lstm, {"x": floats(3, 4, 5), "h0": floats(3, 6), "c0": floats(3, 6), "y": floats(3, 2)},
             linear_shapes("cell.input", 5, 24) | linear_shapes("cell.hidden", 6, 24) | linear_shapes("head", 6, 2), {}),
    "llama": (llama, {"x": below(11, 3, 5), "y": below(11, 3, 5), "cos": floats(5, 2), "sin": floats(5, 2)},
              {"words.weight": [11, 16], "norm.weight": [16]} | block("blocks.0.") | block("blocks.1.")
              | linear_shapes("head", 16, 11, False), {}),
    "residual": (residual, {"x": floats(4, 3, 17, 13), "y": below(3, 4)},
                 conv_shapes("conv1", 3, 5, 3, False) | norm_shapes("norm1", 5) | conv_shapes("conv2", 5, 5, 3)
                 | norm_shapes("norm2", 5) | conv_shapes("skip", 3, 5, 1, False) | linear_shapes("head", 10, 3),
                 statistics("norm1", "norm2", "skip_norm", features=5)),
    "vit": (vit, {"x": floats(3, 2, 12, 12), "y": below(4, 3)},
            conv_shapes("patch", 2, 12, 4) | {"class": [1, 1, 12], "position": [10, 12]} | encoder("blocks.0.")
            | encoder("blocks.1.") | norm_shapes("norm", 12) | linear_shapes("head", 12, 4), {}),
    "convnext": (convnext, {"x": floats(2, 3, 20, 28), "y": below(5, 2)},
                 conv_shapes("stem", 3, 6, 4) | conv_shapes("depth", 1, 6, 7) | norm_shapes("norm", 6)
                 | linear_shapes("up", 6, 14) | linear_shapes("down", 14, 6) | {"scale": [6]}
                 | linear_shapes("squeeze", 6, 3) | linear_shapes("excite", 3, 6) | conv_shapes("conv", 6, 7, 3)
                 | linear_shapes("head", 7, 5), {}),
    "siamese": (siamese, {"x": floats(5, 6), "y": floats(5, 6), "labels": below(5, 5)},
                linear_shapes("a", 6, 9) | linear_shapes("b", 9, 4) | {"scale": []}, {}),
    "mixture": (mixture, {"x": floats(17, 1), "y": floats(17, 1)}, linear_shapes("hidden", 1, 8) | linear_shapes("out", 8, 9), {}),
    "vae": (vae, {"x": floats(7, 10), "noise": floats(7, 3)},
            linear_shapes("enc", 10, 8) | linear_shapes("mean", 8, 3) | linear_shapes("logvar", 8, 3)
            | linear_shapes("dec", 3, 8) | linear_shapes("out", 8, 10), {}),
    "mobile": (mobile, {"x": floats(3, 3, 13, 11), "y": below(5, 3)},
               conv_shapes("stem", 3, 4, 3, False) | norm_shapes("norm0", 4) | conv_shapes("expand", 4, 12, 1, False)
               | norm_shapes("norm1", 12) | conv_shapes("depth1", 1, 12, 3, False) | norm_shapes("norm2", 12)
               | conv_shapes("project", 12, 4, 1, False) | norm_shapes("norm3", 4) | conv_shapes("depth2", 1, 8, (5, 3))
               | conv_shapes("point2", 8, 9, 1) | linear_shapes("head", 9, 5),
               statistics("norm0", "norm3", features=4) | statistics("norm1", "norm2", features=12)),
    "unet": (unet, {"x": floats(2, 2, 12, 20), "y": truths(2, 1, 12, 20)},
             conv_shapes("down1", 2, 4, 3) | conv_shapes("down2", 4, 5, 3) | conv_shapes("middle", 5, 6, 3)
             | conv_shapes("up2", 11, 5, 3) | conv_shapes("up1", 9, 3, 3) | conv_shapes("out", 3, 1, 1), {}),
    "mixer": (mixer, {"x": floats(1, 3, 6, 10), "y": below(5, 1)},
              linear_shapes("embed", 45, 9) | norm_shapes("norm1", 9) | linear_shapes("token1", 4, 7)
              | linear_shapes("token2", 7, 4) | norm_shapes("norm2", 9) | linear_shapes("channel1", 9, 13)
              | linear_shapes("channel2", 13, 9) | linear_shapes("head", 9, 5), {}),
    "gru": (gru, {"x": below(13, 5, 4), "y": below(5, 5, 4)},
            {"words.weight": [13, 5], "start": [6]} | linear_shapes("input", 5, 18) | linear_shapes("hidden", 6, 18)
            | linear_shapes("head", 6, 13), {}),
    "alibi": (alibi, {"x": floats(3, 5, 12), "pad": flags(3, 5), "distance": positive(5, 5), "memory": floats(3, 4, 7),
                      "y": floats(3)},
              linear_shapes("qkv", 12, 36) | {"slopes": [3, 1, 1]} | linear_shapes("mix", 12, 12) | norm_shapes("norm", 12)
              | linear_shapes("query", 12, 12) | linear_shapes("memory", 7, 24) | linear_shapes("head", 12, 1), {}),
    "tcn": (tcn, {"x": floats(2, 5, 17), "y": floats(2, 2, 17)},
            {"direction": [6, 5, 1, 3], "length": [6, 1, 1, 1], "gain": [6, 1, 1], "bias": [6, 1, 1]}
            | conv_shapes("conv", 2, 6, (1, 3)) | conv_shapes("out", 6, 2, 1), {}),
    "crf": (crf, {"x": floats(3, 6, 5), "y": below(4, 3, 6)},
            linear_shapes("emit", 5, 4) | {"transition": [4, 4], "start": [4]}, {}),
    "word2vec": (word2vec, {"word": below(5, 11), "near": below(23, 11), "other": below(9, 11, 3)},
                 {"center.weight": [23, 7], "context.weight": [23, 7]}, {}),
    "gcn": (gcn, {"x": floats(9, 6), "edges": positive(9, 9), "y": below(4, 9), "known": truths(9)},
            linear_shapes("first", 6, 8, False) | linear_shapes("second", 8, 5) | linear_shapes("source", 5, 1, False)
            | linear_shapes("target", 5, 1, False) | linear_shapes("head", 5, 4), {}),
    "widedeep": (widedeep, {"city": below(7, 11), "day": below(5, 11), "items": below(19, 11, 3), "numbers": floats(11, 3),
                            "y": truths(11)},
                 {"city.weight": [7, 4], "day.weight": [5, 4], "item.weight": [19, 4], "wide.weight": [19, 1], "slope": []}
                 | linear_shapes("deep1", 15, 9, False) | norm_shapes("norm", 9) | linear_shapes("deep2", 9, 6)
                 | linear_shapes("deep3", 6, 1), statistics("norm", features=9)),
    "pinn": (pinn, {"x": floats(13, 2), "x0": floats(5, 2), "u0": floats(5, 1)},
             linear_shapes("a", 2, 9) | linear_shapes("b", 9, 7) | linear_shapes("c", 7, 1), {}),
    "losses": (losses, {"x": floats(9, 7), "y": floats(9, 6), "t": truths(9, 6), "c": below(6, 9)},
               linear_shapes("a", 7, 8) | linear_shapes("b", 8, 6), {}),
    "bigmlp": (bigmlp, {"x": floats(129, 2, 31), "y": below(3, 2, 33)},
               linear_shapes("a", 129, 65) | {"mix": [33, 31]} | linear_shapes("b", 65, 17) | norm_shapes("norm", 17)
               | linear_shapes("c", 17, 3), {}),
    "dqn": (dqn, {"state": floats(7, 6), "action": below(4, 7), "reward": floats(7), "next": floats(7, 6), "done": truths(7)},
            dueling("online.") | dueling("target."), {}),
} | further.MODELS


def start(name, path, shape):
    """Gains and variances around 1, all else around 0."""
    around = 1.0 if len(shape) < 2 and path.rsplit(".")[-1] in ("weight", "running_var") else 0.0
    return around + 0.25 * unit(f"{name}/{path}", shape)


def steps(name, function, x, parameters, states, count, optimizer):
    """The losses of `count` steps, the gradients and states after the first, and parameters and states after the last."""
    p = {path: start(name, path, shape).requires_grad_() for path, shape in parameters.items()}
    s = {path: start(name, path, shape) for path, shape in states.items()}
    chosen, all_losses = optimizer(list(p.values())), []
    for step in range(count):
        _, loss = function(p, s, x, True)
        gradients = torch.autograd.grad(loss, list(p.values()), materialize_grads=True)
        for value, gradient in zip(p.values(), gradients):
            value.grad = gradient
        if step == 0:
            first = {"gradients": digests(dict(zip(p, gradients))), "states": digests(s)}
        chosen.step()
        all_losses.append(float(loss.detach()))
    return first, {"losses": all_losses, "parameters": digests(p), "states": digests(s)}


def reference(name, function, inputs, parameters, states):
    x = {key: make(f"{name}/{key}") for key, make in inputs.items()}
    p, s = ({path: start(name, path, shape) for path, shape in shapes.items()} for shapes in (parameters, states))
    with torch.no_grad():
        results, inference = function(p, s, x, False)
    trained = lambda *arguments: steps(name, function, x, parameters, states, *arguments)
    first, last = trained(STEPS, lambda p: torch.optim.SGD(p, RATE))
    found = {"inference": float(inference), "results": digests(results)} | first | {"losses": last["losses"]}
    if name in TRAINED:
        found["optimizers"] = {key: trained(10, OPTIMIZERS[key])[1] for key in TRAINED[name]}
    return found


if __name__ == "__main__":
    texts = [f'"{name}":{json.dumps(reference(name, *model), separators=(",", ":"))}' for name, model in MODELS.items()]
    Path(__file__).with_name("twins.json").write_text("{\n" + ",\n".join(texts) + "\n}\n")
