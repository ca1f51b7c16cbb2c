"""Makes small decoders in PyTorch, as a lab would export them, with what they decode.

For each: NAME.onnx, NAME.latents.npy (what a held-out set would be) and
NAME.outputs.npy (PyTorch's own output for these latents).

    pip install torch numpy onnx onnxscript safetensors
    python3 models/import/tests/from_pytorch.py models/import/tests/fixtures

The fixtures there were made with torch 2.15.0, onnx 1.23.2 and numpy 2.4.6.
"""

import os
import sys
import types

import numpy as np
import onnx
import torch
from safetensors.torch import save_file
from torch import nn

OUT = sys.argv[1]
ROWS = 10


class Grey(nn.Module):
    """Pictures of 20 rows and 12 columns: batch norm on a vector and on maps, an
    output padding, nearest upsampling."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Sequential(nn.Linear(5, 6 * 5 * 3), nn.BatchNorm1d(6 * 5 * 3), nn.LeakyReLU(0.2))
        self.maps = nn.Sequential(
            nn.ConvTranspose2d(6, 4, 3, stride=2, padding=1, output_padding=1, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(4, 1, 3, padding=1),
            nn.Sigmoid(),
        )

    def forward(self, z):
        x = self.dense(z)
        return self.maps(x.view(x.size(0), 6, 5, 3))


class Rgb(nn.Module):
    """Colour pictures of 16 by 12, flattened as PyTorch does: red, then green, then blue."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 8 * 4 * 3)
        self.up1 = nn.ConvTranspose2d(8, 6, 4, 2, 1)
        self.up2 = nn.ConvTranspose2d(6, 3, 4, 2, 1)

    def forward(self, z):
        x = nn.functional.elu(self.dense(z)).view(-1, 8, 4, 3)
        x = nn.functional.softplus(self.up1(x))
        return torch.flatten(torch.sigmoid(self.up2(x)), 1)


class Traced(nn.Module):
    """Pictures of 6 by 4 from layers that ask for the size of the batch."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 2 * 3 * 2)
        self.up = nn.ConvTranspose2d(2, 1, 2, 2)

    def forward(self, z):
        x = torch.relu(self.dense(z))
        x = self.up(x.view(x.size(0), 2, 3, 2))
        return torch.sigmoid(x.view(x.size(0), -1))


class Series(nn.Module):
    """Curves of 24 points from a choice among three (one-hot) and two numbers."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.ELU(0.5), nn.Linear(16, 24))

    def forward(self, z):
        return 3.0 * self.layers(z) - 0.5


class Tanh(nn.Module):
    """Pictures of 8 by 8 whose black is -1 and whose white is 1."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(3, 16), nn.ReLU(), nn.Unflatten(1, (4, 2, 2)),
            nn.ConvTranspose2d(4, 2, 4, 2, 1, groups=2), nn.PReLU(),
            nn.ConvTranspose2d(2, 1, (4, 2), 2, (1, 0)), nn.Tanh(),
        )

    def forward(self, z):
        return self.layers(z)


def settle(model):
    """Numbers as after training: running means and variances of batch norm are not 0 and 1."""
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
            nn.init.uniform_(module.running_mean, -0.5, 0.5)
            nn.init.uniform_(module.running_var, 0.3, 2.0)


def latents(width, choices):
    z = torch.randn(ROWS, width)
    if choices:
        z[:, :choices] = torch.eye(choices)[torch.arange(ROWS) % choices]
    return z


def forget_paths(path):
    """Takes out where on this machine each node comes from; nothing else is changed."""
    model = onnx.load(path, load_external_data=False)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def export(name, model, width, dynamo, choices=0, fixed=False, **options):
    torch.manual_seed(width)
    model = model()
    settle(model)
    model.eval()
    z = latents(width, choices)
    path = os.path.join(OUT, f"{name}.onnx")
    axes = {"dynamic_shapes": ({0: torch.export.Dim("batch")},)} if dynamo else {"dynamic_axes": {"z": {0: "batch"}}}
    if fixed:
        axes = {}
    torch.onnx.export(model, (z[:2],), path, input_names=["z"], output_names=["x"], dynamo=dynamo, **axes, **options)
    forget_paths(path)
    if name.endswith("-older"):  # The same weights, so the same outputs.
        return
    np.save(os.path.join(OUT, f"{name}.latents.npy"), z.numpy())
    np.save(os.path.join(OUT, f"{name}.outputs.npy"), model(z).detach().numpy())


# The newer exporter folds batch norm and writes weights to NAME.onnx.data; the older one keeps both.
export("torch-grey", Grey, 5, dynamo=True)
export("torch-grey-older", Grey, 5, dynamo=False)
export("torch-rgb", Rgb, 4, dynamo=True, external_data=False)
export("torch-rgb-older", Rgb, 4, dynamo=False)
export("torch-series", Series, 5, dynamo=False, choices=3)
export("torch-tanh", Tanh, 3, dynamo=False)

# Shown a batch of 2, and allowed to write that down.
export("torch-traced", Traced, 3, dynamo=False, fixed=True)

# The same weights as the grey one's, as safetensors, for an architecture in JSON.
torch.manual_seed(5)
grey = Grey()
settle(grey)
save_file(
    {name: tensor for name, tensor in grey.state_dict().items() if not name.endswith("num_batches_tracked")},
    os.path.join(OUT, "torch-grey.safetensors"),
)


def described():
    """Every layer that python/redial/_layers.py writes down, some in a Sequential of their own."""
    return nn.Sequential(
        nn.Sequential(nn.Linear(4, 24), nn.BatchNorm1d(24), nn.LeakyReLU(0.1), nn.Dropout(0.2)),
        nn.Linear(24, 4 * 3 * 2), nn.Softplus(), nn.Unflatten(1, (4, 3, 2)),
        nn.ConvTranspose2d(4, 5, 3, stride=2, padding=1, output_padding=1, bias=False), nn.BatchNorm2d(5), nn.ELU(0.7),
        nn.Upsample(scale_factor=2), nn.Conv2d(5, 4, 3, padding=1), nn.ReLU(), nn.Identity(),
        nn.Conv2d(4, 1, 5, padding=2), nn.Tanh(), nn.Conv2d(1, 1, 1), nn.Sigmoid(),
    )


# A safetensors file that holds its layers, too. The module is loaded as it is without a program.
package = types.ModuleType("redial")
package.__path__ = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../python/redial")]
sys.modules["redial"] = package
from redial._layers import layers  # noqa: E402

torch.manual_seed(4)
decoder = described()
settle(decoder)
for part in decoder.modules():  # So that pictures differ, as after training.
    if isinstance(part, (nn.Linear, nn.Conv2d, nn.ConvTranspose2d)):
        part.weight.data.mul_(3)
decoder.eval()
z = latents(4, 0)
save_file(decoder.state_dict(), os.path.join(OUT, "torch-described.safetensors"), metadata={"redial": layers(decoder)})
np.save(os.path.join(OUT, "torch-described.latents.npy"), z.numpy())
np.save(os.path.join(OUT, "torch-described.outputs.npy"), decoder(z).detach().numpy())
