"""Makes decoders of each kind of output in PyTorch: several curves, pictures that are not square,
large ones, values that need no clipping, and what is no instance (a cloud of points, text).

Those that decode to instances are trained for some seconds, to paint what their dials say, so that
a study can be taken with them. For each: out-NAME.onnx, out-NAME.latents.npy, and
out-NAME.outputs.npy with PyTorch's own outputs; of the large one only the values at the places of
out-large.places.npy, as out-large.sampled.npy.

    pip install torch numpy onnx onnxscript
    python3 models/import/tests/outputs_from_pytorch.py models/import/tests/fixtures

The fixtures there were made with torch 2.15.0, onnx 1.23.2 and numpy 2.4.6.
"""

import os
import sys

import numpy as np
import onnx
import torch
from torch import nn

OUT = sys.argv[1]
ONLY = sys.argv[2:]  # names, if not all are made
ROWS = 8


def curves(z):
    """Three curves of 32 points, of different scales: a wave, its slope times 20, a step."""
    t = torch.linspace(-1, 1, 32)
    shift, amplitude, place = z[:, :1], 1.5 + z[:, 1:2], z[:, 2:]
    wave = amplitude * torch.sin(4 * t + 2 * shift)
    slope = 20 * amplitude * torch.cos(4 * t + 2 * shift)
    step = torch.tanh(8 * (t - place))
    return torch.stack([wave, slope, step], 1)


def spot(height, width, colours):
    """A spot in as many colours: where it is, and, in colour, which hue it has."""

    def pictures(z):
        y, x = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
        far = (x - 0.7 * z[:, :1, None]) ** 2 + (y - 0.7 * z[:, 1:2, None]) ** 2
        shade = torch.exp(-far / 0.15)[:, None]
        if colours == 1:
            return shade
        hue = torch.stack([0.5 + 0.5 * z[:, 2], 0.5 - 0.5 * z[:, 2], torch.full_like(z[:, 2], 0.6)], 1)
        return shade * hue[:, :, None, None] + 0.1

    return pictures


def heat(z):
    """A map of any sign, 24 rows and 16 columns: a hill and a valley as deep."""
    hill = spot(24, 16, 1)
    return 3 * (1 + 0.5 * z[:, 2, None, None, None]) * (hill(z) - hill(-z))


def maps(*channels, last=None):
    """Transposed convolutions, each of which doubles rows and columns."""
    layers = []
    for inputs, outputs in zip(channels, channels[1:]):
        layers += [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1), nn.ReLU()]
    return nn.Sequential(*layers[:-1], *([last] if last else []))


class Curves(nn.Module):
    """One curve after the other, by convolutions along the points."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 16 * 8), nn.ReLU())
        self.up = nn.Sequential(
            nn.ConvTranspose1d(16, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose1d(16, 3, 4, 2, 1)
        )

    def forward(self, z):
        scale = torch.tensor([1.0, 20.0, 1.0])[:, None]
        return self.up(self.dense(z).view(-1, 16, 8)) * scale


def decoder(width, first, body):
    size = first[0] * first[1] * first[2]
    return nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, size), nn.ReLU(), nn.Unflatten(1, first), body)


class Cloud(nn.Module):
    """64 points in space."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(3, 64 * 3)

    def forward(self, z):
        return torch.tanh(self.layers(z)).view(-1, 64, 3)


class Text(nn.Module):
    """Scores of 30 tokens at 12 places, or the tokens themselves."""

    def __init__(self, tokens):
        super().__init__()
        self.layers = nn.Linear(3, 12 * 30)
        self.tokens = tokens

    def forward(self, z):
        scores = self.layers(z).view(-1, 12, 30)
        return scores.argmax(-1) if self.tokens else torch.softmax(scores, -1)


def train(model, truth, steps, batch):
    optimiser = torch.optim.Adam(model.parameters(), 4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for step in range(steps):
        z = torch.rand(batch, 3) * 2 - 1
        expected = truth(z)
        axes = [axis for axis in range(expected.ndim) if axis != 1]  # each curve or colour counts alike
        loss = ((model(z) - expected) ** 2 / expected.var(axes, keepdim=True)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    print(f"share of the variance that is not explained: {loss.item():.3f}")


def export(name, model, truth=None, steps=0, batch=64):
    if ONLY and name not in ONLY:
        return
    torch.manual_seed(7)
    model = model()
    if truth:
        train(model, truth, steps, batch)
    model.eval()
    z = torch.rand(ROWS, 3) * 2 - 1
    path = os.path.join(OUT, f"out-{name}.onnx")
    shapes = ({0: torch.export.Dim("batch")},)
    torch.onnx.export(
        model, (z[:2],), path, input_names=["z"], output_names=["x"],
        dynamo=True, dynamic_shapes=shapes, external_data=False,
    )
    written = onnx.load(path)
    for node in written.graph.node:  # where on this machine each node comes from
        del node.metadata_props[:]
        node.doc_string = ""
    onnx.save(written, path)
    if not truth:
        return
    np.save(os.path.join(OUT, f"out-{name}.latents.npy"), z.numpy())
    outputs = model(z).detach().numpy()
    if outputs[0].size > 100_000:
        places = np.random.default_rng(7).choice(outputs[0].size, 400, replace=False)
        np.save(os.path.join(OUT, f"out-{name}.places.npy"), places.astype(np.float32))
        sampled = np.ascontiguousarray(outputs.reshape(ROWS, -1)[:, places])
        np.save(os.path.join(OUT, f"out-{name}.sampled.npy"), sampled)
    else:
        np.save(os.path.join(OUT, f"out-{name}.outputs.npy"), outputs)


torch.set_num_threads(1)
export("curves", Curves, curves, 1500)
export("wide", lambda: decoder(3, (16, 3, 6), maps(16, 12, 8, 3, last=nn.Sigmoid())), spot(24, 48, 3), 2500)
export("heat", lambda: decoder(3, (16, 3, 2), maps(16, 12, 8, 1)), heat, 1000)
export("large", lambda: decoder(3, (12, 8, 8), maps(12, 16, 12, 8, 8, 3, last=nn.Sigmoid())), spot(256, 256, 3), 700, 8)
export("cloud", Cloud)
export("scores", lambda: Text(tokens=False))
export("tokens", lambda: Text(tokens=True))
