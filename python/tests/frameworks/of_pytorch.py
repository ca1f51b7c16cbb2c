"""Decoders of PyTorch become models that decode as PyTorch does. In an empty folder:

    python of_pytorch.py
"""

import numpy as np
import torch
from common import draws, hidden, imported, latents, out, refused, same, without
from torch import nn

torch.manual_seed(0)
first = np.ascontiguousarray(out.transpose(0, 3, 1, 2)).reshape(16, -1)
decoder = nn.Sequential(nn.Linear(5, 16, bias=False), nn.Tanh(), nn.Linear(16, 84, bias=False), nn.Sigmoid(), nn.Unflatten(1, (3, 4, 7)))
decoder.load_state_dict({"0.weight": torch.tensor(hidden.T), "2.weight": torch.tensor(first.T)})
same("torch", decoder)

# Batch norm and dropout decode as in evaluation, and are left as they were.
maps = nn.Sequential(
    nn.Linear(5, 48), nn.BatchNorm1d(48), nn.Dropout(0.5), nn.Unflatten(1, (4, 3, 4)),
    nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1), nn.Sigmoid(),
)  # fmt: skip
maps[1].running_mean.normal_()
maps[1].eval()
imported(maps, "torch-maps", latents=torch.tensor(latents))
assert maps.training and maps[2].training and not maps[1].training


class One(nn.Module):
    """Decodes a single latent vector: a batch of 1 is written into it."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(5, 28)

    def forward(self, z):
        return torch.sigmoid(self.dense(z)).reshape(1, 1, 4, 7)


imported(One(), "torch-one")


class Maps(nn.Module):
    """Takes latents that are maps."""

    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1)

    def forward(self, z):
        return torch.sigmoid(self.up(z))


imported(Maps(), "torch-latent-maps", latents=draws.normal(size=(40, 4, 2, 3)))


# What cannot be imported: what was tried, what each way said, what to do.
class Inverse(nn.Module):
    def forward(self, z):
        return torch.sigmoid(torch.linalg.inv(z[:, :4].reshape(-1, 2, 2)))


refused(Inverse(), "dynamo=True, for any batch", "dynamo=True, for a batch of 1", "dynamo=False", "linalg_inv", "Change in the decoder")


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.book = nn.Embedding(5, 28)

    def forward(self, z):
        return torch.sigmoid(self.book(z.argmax(1))).reshape(-1, 4, 7)


refused(Embedding(), "indices must be constant", "A file was written, and refused")


class Noise(nn.Module):
    def forward(self, z):
        return torch.sigmoid(z + torch.randn(5))[:, None, :, None]


refused(Noise(), "draws random numbers", shape="1x5")
refused(maps, "differs by", "for any batch", outputs=np.full((300, 3, 6, 8), 0.5))
refused(maps, "--shape 9x9", shape="9x9")
refused(maps, "a row for each instance", latents=latents[0])
refused(maps, "PyTorch", "It must take an array [batch, 4]", latents=latents[:, :4])
refused(maps, "an array or an .npy file", latents="latents.csv")
refused(7, "no decoder that can be imported")

# A package that is not installed is named with the line that installs it; the other exporter may do without.
with without("onnx", "onnxscript"):
    refused(maps, "not installed: onnx, onnxscript", "pip install onnx onnxscript")
with without("onnxscript"):
    imported(maps, "without-onnxscript")
print(f"Decoders of PyTorch {torch.__version__} are imported.")
