"""Writes loops.json: an LSTM's loss, last states and gradients over T steps, computed by PyTorch in float64.

    python tests/references/loops.py

Needs torch. The numbers are those of tests/tests/it/loops.rs, where the same inputs are made. Of each tensor there is its sum, its
norm and three elements.
"""

import json
import math
from pathlib import Path

import torch

N, INPUTS, HIDDEN = 3, 4, 8


def wave(count, scale, shift):
    return torch.tensor([scale * math.sin(0.37 * i + shift) for i in range(count)], dtype=torch.float64)


def facts(tensor):
    flat = tensor.detach().reshape(-1)
    return [flat.sum().item(), flat.norm().item()] + [flat[i].item() for i in (0, len(flat) // 2, len(flat) - 1)]


def run(steps):
    cell = torch.nn.LSTMCell(INPUTS, HIDDEN, dtype=torch.float64)
    with torch.no_grad():
        cell.weight_ih.copy_(wave(4 * HIDDEN * INPUTS, 0.5, 0.1).reshape(INPUTS, 4 * HIDDEN).T)
        cell.weight_hh.copy_(wave(4 * HIDDEN * HIDDEN, 0.4, 0.2).reshape(HIDDEN, 4 * HIDDEN).T)
        cell.bias_ih.copy_(wave(4 * HIDDEN, 0.3, 0.3))
        cell.bias_hh.zero_()
    x = wave(N * steps * INPUTS, 1.0, 0.0).reshape(N, steps, INPUTS).requires_grad_()
    h = torch.zeros(N, HIDDEN, dtype=torch.float64)
    c = torch.zeros(N, HIDDEN, dtype=torch.float64)
    all_states = []
    for t in range(steps):
        h, c = cell(x[:, t], (h, c))
        all_states.append(h)
    loss = torch.stack(all_states, 1).square().sum() / N + c.sum()
    loss.backward()
    return {
        "steps": steps,
        "loss": loss.item(),
        "h": facts(h),
        "input": facts(cell.weight_ih.grad.T),
        "hidden": facts(cell.weight_hh.grad.T),
        "bias": facts(cell.bias_ih.grad),
    }


if __name__ == "__main__":
    text = json.dumps([run(steps) for steps in (1, 7, 128, 1000)], indent=1)
    Path(__file__).with_name("loops.json").write_text(text + "\n")
