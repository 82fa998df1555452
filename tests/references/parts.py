"""Numbers from names, and the layers that several models of twins.py and steps.py have."""

import math

import torch
import torch.nn.functional as F


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


# Inputs: functions of a name.
def floats(*shape):
    return lambda name: unit(name, shape)


def positive(*shape):
    return lambda name: unit(name, shape).clamp(min=0)


def flags(*shape):
    return lambda name: whole(name, shape, 3) == 0


def truths(*shape):
    return lambda name: flags(*shape)(name).double()


def below(end, *shape):
    return lambda name: whole(name, shape, end)


def digest(tensor):
    flat = tensor.detach().double().reshape(-1)
    numbers = [flat.norm(), *(flat @ unit(name, flat.shape) for name in ("first", "second"))]
    return [float(f"{float(number):.9g}") for number in numbers]


def digests(tensors):
    return {key: digest(tensor) for key, tensor in tensors.items()}


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
    sides = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    return {f"{name}.weight": [outputs, inputs, *sides]} | ({f"{name}.bias": [outputs]} if bias else {})


def norm_shapes(name, features):
    return {f"{name}.weight": [features], f"{name}.bias": [features]}


def statistics(*names, features):
    return {f"{name}.{each}": [features] for name in names for each in ("running_mean", "running_var")}
