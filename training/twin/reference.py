"""Writes what the Rust trainer's losses and gradients are compared with.

Small networks of the same kinds of layers as MNIST's go through the twin's own
losses in double precision; parameters, batch, every term, every gradient and the
running statistics afterwards go to training/tests/fixtures/twin.safetensors, which
the tests of `training` read. Run in this folder: python3 reference.py
"""

import os

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import nn

import twin
from twin import BN, Net, conv, up

D, N, SIDE, ROWS = 3, 6, 8, 1000
PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "fixtures", "twin.safetensors")


def trunk(activation):
    return [
        ("conv1", conv(1, 3)), ("a1", activation()),
        ("conv2", conv(3, 4)), ("norm1", nn.BatchNorm2d(4, **BN)), ("a2", activation()),
        ("flat", nn.Flatten()),
        ("dense1", nn.Linear(16, 6)), ("norm2", nn.BatchNorm1d(6, **BN)), ("a3", activation()),
    ]


def encoder(outputs):
    return Net(trunk(nn.ReLU) + [("dense2", nn.Linear(6, outputs))])


def leaky():
    return nn.LeakyReLU(0.2)


def decoder(width):
    return Net([
        ("dense1", nn.Linear(width, 6)), ("norm1", nn.BatchNorm1d(6, **BN)), ("a1", leaky()),
        ("dense2", nn.Linear(6, 16)), ("norm2", nn.BatchNorm1d(16, **BN)), ("a2", leaky()),
        ("maps", nn.Unflatten(1, (4, 2, 2))),
        ("up1", up(4, 3)), ("norm3", nn.BatchNorm2d(3, **BN)), ("a3", leaky()),
        ("up2", up(3, 1)),
    ])


def randomise(nets):
    """Nothing at the value it begins with, so that no term is 0 or 1 by chance; values as f32 holds them."""
    for name, tensor in nets.state_dict().items():
        if "num_batches" in name:
            continue
        fresh = torch.rand(tensor.shape) + 0.5 if "running_var" in name else 0.5 * torch.randn(tensor.shape)
        tensor.copy_(fresh.float())


class Capture:
    """In an optimiser's place: keeps the gradients and changes nothing."""

    def __init__(self, parameters):
        self.parameters, self.gradients = dict(parameters), {}

    def zero_grad(self):
        for p in self.parameters.values():
            p.grad = None

    def step(self):
        self.gradients = {k: p.grad.clone() for k, p in self.parameters.items() if p.grad is not None}


def record(out, kind, before, nets, terms, gradients):
    for name, tensor in before.items():
        out[f"{kind}.parameter.{name}"] = tensor
    for name, tensor in nets.state_dict().items():
        if "running" in name:
            out[f"{kind}.after.{name}"] = tensor
    for name, value in terms.items():
        out[f"{kind}.term.{name}"] = value.reshape(1)
    for name, gradient in gradients.items():
        out[f"{kind}.gradient.{name}"] = gradient


def main():
    torch.manual_seed(20)
    torch.set_default_dtype(torch.float64)
    # The twin asks for float32 in case it multiplies in bfloat16; here it stays double.
    torch.Tensor.float = lambda self: self.to(torch.float32).double() if not self.is_floating_point() else self
    x = torch.rand(N, 1, SIDE, SIDE).to(torch.float32).double()
    labels = torch.tensor([3, 0, 9, 1, 3, 7])
    noise = torch.randn(N, D).to(torch.float32).double()
    out = dict(x=x.flatten(1), labels=labels.double(), noise=noise)
    snapshot = lambda nets: {k: v.clone() for k, v in nets.state_dict().items() if "num_batches" not in k}

    for kind in ("ae", "vae", "tc", "ss"):
        nets = nn.ModuleDict(dict(encoder=encoder(D if kind == "ae" else 2 * D),
                                  decoder=decoder(D + (10 if kind == "ss" else 0))))
        with torch.no_grad():
            randomise(nets)
        before = snapshot(nets)
        nets.eval()
        out[f"{kind}.encoded"] = nets["encoder"](x)
        given = torch.cat([F.one_hot(labels, 10).double(), noise], 1) if kind == "ss" else noise
        out[f"{kind}.decoded"] = torch.sigmoid(nets["decoder"](given)).flatten(1)
        nets.train()
        terms = twin.losses(kind, nets["encoder"], nets["decoder"], x, labels, ROWS, noise)
        sum(terms.values()).backward()
        record(out, kind, before, nets, terms, {k: p.grad for k, p in nets.named_parameters()})

    nets = nn.ModuleDict(dict(
        decoder=decoder(D + 10),
        discriminator=Net(trunk(leaky) + [("dense2", nn.Linear(6, 1))]),
        recogniser=Net([("dense1", nn.Linear(6, 5)), ("norm1", nn.BatchNorm1d(5, **BN)), ("a1", leaky()),
                        ("dense2", nn.Linear(5, 10 + D))])))
    nets["discriminator"].order.remove("dense2")
    with torch.no_grad():
        randomise(nets)
    before = snapshot(nets)
    player = twin.Trainer.__new__(twin.Trainer)
    player.nets, player.d = nets, D
    named = list(nets.named_parameters())
    player.optimisers = dict(d=Capture((k, p) for k, p in named if not k.startswith("decoder")),
                             g=Capture((k, p) for k, p in named if k.startswith("decoder")))
    # The codes: the labels, and the noise brought between −1 and 1.
    codes = noise.tanh().to(torch.float32).double()
    player.codes = lambda n: (labels, codes, torch.cat([F.one_hot(labels, 10).double(), codes], 1))
    terms = player.gan(x)
    out["codes"] = codes
    record(out, "ig", before, nets, terms, {**player.optimisers["d"].gradients, **player.optimisers["g"].gradients})

    os.makedirs(os.path.dirname(PLACE), exist_ok=True)
    save_file({k: v.detach().to(torch.float32).contiguous() for k, v in out.items()}, PLACE)
    print(PLACE, os.path.getsize(PLACE), "bytes")


if __name__ == "__main__":
    main()
