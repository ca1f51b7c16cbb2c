"""Makes small decoders of newer kinds in PyTorch, as a lab would export them, with what they decode.

For each: graph-NAME.onnx, graph-NAME.latents.npy and graph-NAME.outputs.npy (PyTorch's own
output for these latents). Those whose name ends in -older come from PyTorch's older exporter.

    pip install torch numpy onnx onnxscript
    python3 models/import/tests/graphs_from_pytorch.py models/import/tests/fixtures

The fixtures there were made with torch 2.15.0, onnx 1.23.2, onnxscript 0.7.2 and numpy 2.4.6.
"""

import math
import os
import sys

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional as F

OUT = sys.argv[1]
ONLY = sys.argv[2:]
ROWS = 6


class Residual(nn.Module):
    """A ResNet decoder: skip connections, some through a convolution of one pixel."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 8 * 4 * 4)
        self.a1, self.a2 = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.up = nn.ConvTranspose2d(8, 6, 4, 2, 1)
        self.b1, self.b2, self.skip = nn.Conv2d(6, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(6, 4, 1)
        self.out = nn.Conv2d(4, 1, 3, padding=1)

    def forward(self, z):
        x = self.dense(z).view(-1, 8, 4, 4)
        x = torch.relu(x + self.norm(self.a2(torch.relu(self.a1(x)))))
        x = self.up(x)
        x = torch.relu(self.skip(x) + self.b2(torch.relu(self.b1(x))))
        return torch.sigmoid(self.out(x))


class Attention(nn.Module):
    """A self-attention block over the pixels of a convolutional decoder (SAGAN), with its gamma."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 8 * 4 * 4)
        self.q, self.k, self.v = nn.Conv2d(8, 2, 1), nn.Conv2d(8, 2, 1), nn.Conv2d(8, 8, 1)
        self.gamma = nn.Parameter(torch.tensor(0.7))
        self.up = nn.ConvTranspose2d(8, 1, 4, 2, 1)

    def forward(self, z):
        x = torch.relu(self.dense(z)).view(-1, 8, 4, 4)
        q, k, v = (f(x).flatten(2) for f in (self.q, self.k, self.v))
        weights = torch.softmax(q.transpose(1, 2) @ k, -1)
        x = x + self.gamma * (v @ weights.transpose(1, 2)).view(-1, 8, 4, 4)
        return torch.sigmoid(self.up(x))


class Block(nn.Module):
    def __init__(self, maps, out, groups):
        super().__init__()
        self.n1, self.c1 = nn.GroupNorm(groups, maps), nn.Conv2d(maps, out, 3, padding=1)
        self.n2, self.c2 = nn.GroupNorm(groups, out), nn.Conv2d(out, out, 3, padding=1)
        self.skip = nn.Conv2d(maps, out, 1) if maps != out else nn.Identity()

    def forward(self, x):
        y = self.c1(F.silu(self.n1(x)))
        return self.skip(x) + self.c2(F.silu(self.n2(y)))


class Diffusion(nn.Module):
    """A latent-diffusion autoencoder's decoder: GroupNorm and SiLU in residual blocks,
    attention in the middle, upsampling and convolutions."""

    def __init__(self, mode="nearest"):
        super().__init__()
        self.mode = mode
        self.enter = nn.Linear(4, 3 * 4 * 4)
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.middle, self.norm = Block(8, 8, 4), nn.GroupNorm(4, 8)
        self.q, self.k, self.v, self.o = (nn.Conv2d(8, 8, 1) for _ in range(4))
        self.blocks = nn.ModuleList([Block(8, 8, 4), Block(8, 4, 4)])
        self.ups = nn.ModuleList([nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)])
        self.last, self.out = nn.GroupNorm(2, 4), nn.Conv2d(4, 3, 3, padding=1)

    def forward(self, z):
        x = self.middle(self.first(self.enter(z).view(-1, 3, 4, 4)))
        n = self.norm(x)
        q, k, v = (f(n).flatten(2).transpose(1, 2)[:, None] for f in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(q, k, v)
        x = x + self.o(a[:, 0].transpose(1, 2).reshape(-1, 8, 4, 4))
        for block, up in zip(self.blocks, self.ups):
            x = block(x)
            corners = None if self.mode == "nearest" else False
            x = up(F.interpolate(x, scale_factor=2.0, mode=self.mode, align_corners=corners))
        return torch.sigmoid(self.out(F.silu(self.last(x))))


class SubPixel(nn.Module):
    """Convolutions whose maps are interleaved to more pixels (pixel shuffle)."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(4, 6 * 4 * 3), nn.GELU(), nn.Unflatten(1, (6, 4, 3)),
            nn.Conv2d(6, 16, 3, padding=1), nn.PixelShuffle(2), nn.PReLU(4),
            nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect"), nn.PixelShuffle(2), nn.Sigmoid(),
        )

    def forward(self, z):
        return self.layers(z)


class Gated(nn.Module):
    """Gated linear units, as in WaveNet and in gated convolutional decoders."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 2 * 6 * 4 * 4)
        self.conv = nn.Conv2d(6, 12, 3, padding=1)
        self.up = nn.ConvTranspose2d(6, 2, 4, 2, 1)

    def forward(self, z):
        x = F.glu(self.dense(z), 1).view(-1, 6, 4, 4)
        a, b = self.conv(x).chunk(2, 1)
        x = x + torch.tanh(a) * torch.sigmoid(b)
        return torch.sigmoid(F.glu(self.up(x), 1))


class Broadcast(nn.Module):
    """Spatial broadcast decoder (Watters et al. 2019): the latents at every pixel, with its place."""

    def __init__(self):
        super().__init__()
        x = torch.linspace(-1, 1, 12)
        self.register_buffer("grid", torch.stack(torch.meshgrid(x, x, indexing="ij"))[None])
        self.layers = nn.Sequential(
            nn.Conv2d(6, 8, 3, padding=1), nn.ELU(), nn.Conv2d(8, 8, 3, padding=1), nn.ELU(), nn.Conv2d(8, 1, 1), nn.Sigmoid()
        )

    def forward(self, z):
        n = z.shape[0]
        z = z.view(n, 4, 1, 1).expand(-1, -1, 12, 12)
        return self.layers(torch.cat([z, self.grid.expand(n, -1, -1, -1)], 1))


class Coordinates(nn.Module):
    """A coordinate network with Fourier features and sines, one perceptron for every pixel."""

    def __init__(self):
        super().__init__()
        x = torch.linspace(-1, 1, 10)
        self.register_buffer("grid", torch.stack(torch.meshgrid(x, x, indexing="ij"), -1).view(-1, 2))
        self.register_buffer("frequencies", torch.randn(2, 6))
        self.a, self.b, self.c = nn.Linear(16, 24), nn.Linear(24, 24), nn.Linear(24, 1)

    def forward(self, z):
        angles = 2 * math.pi * self.grid @ self.frequencies
        features = torch.cat([torch.sin(angles), torch.cos(angles)], -1)
        n = z.shape[0]
        x = torch.cat([features[None].expand(n, -1, -1), z[:, None].expand(-1, 100, -1)], -1)
        x = torch.sin(3 * self.a(x))
        x = torch.sin(3 * self.b(x))
        return torch.sigmoid(self.c(x)).view(n, 1, 10, 10)


class Recurrent(nn.Module):
    """A series from a gated recurrent unit and a long short-term memory."""

    def __init__(self):
        super().__init__()
        self.start = nn.Linear(3, 8)
        self.gru = nn.GRU(3, 8)
        self.lstm = nn.LSTM(8, 6, bidirectional=True)
        self.out = nn.Linear(12, 1)

    def forward(self, z):
        state = torch.tanh(self.start(z))[None]
        x, _ = self.gru(z[None].expand(20, -1, -1), state)
        x, _ = self.lstm(x)
        return self.out(x)[..., 0].transpose(0, 1)


class Flow(nn.Module):
    """A normalising flow's inverse: affine coupling layers (RealNVP) with permutations and an
    invertible linear map."""

    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList(nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 24)) for _ in range(3))
        self.register_buffer("order", torch.randperm(24))
        self.mix = nn.Parameter(torch.linalg.qr(torch.randn(24, 24))[0])
        self.scale, self.enter = nn.Parameter(torch.rand(24)), nn.Linear(4, 24)

    def forward(self, z):
        x = self.enter(z)
        for net in self.nets:
            a, b = x.chunk(2, 1)
            log_scale, shift = net(a).chunk(2, 1)
            x = torch.cat([a, (b - shift) * torch.exp(-torch.tanh(log_scale))], 1)[:, self.order]
        return (x / torch.exp(self.scale)) @ self.mix


class StyleLayer(nn.Module):
    def __init__(self, maps, out):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(out, maps, 3, 3)), nn.Parameter(torch.randn(out) * 0.1)
        self.style, self.strength = nn.Linear(8, maps), nn.Parameter(torch.tensor(0.2))

    def forward(self, x, w, noise):
        n, maps, height, width = x.shape
        weight = self.weight[None] * self.style(w).view(n, 1, -1, 1, 1)
        weight = weight * torch.rsqrt((weight**2).sum((2, 3, 4), keepdim=True) + 1e-8)
        x = F.conv2d(x.reshape(1, n * maps, height, width), weight.flatten(0, 1), padding=1, groups=n)
        x = x.view(n, -1, height, width) + self.strength * noise
        return F.leaky_relu(x + self.bias.view(1, -1, 1, 1), 0.2) * math.sqrt(2)


class Style(nn.Module):
    """StyleGAN2's synthesis: a mapping network, modulated and demodulated weights, fixed noise,
    bilinear upsampling of the picture that the layers add to."""

    def __init__(self):
        super().__init__()
        self.map = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 8), nn.LeakyReLU(0.2))
        self.constant = nn.Parameter(torch.randn(1, 6, 4, 4))
        self.layers = nn.ModuleList([StyleLayer(6, 6), StyleLayer(6, 4)])
        self.to_rgb = nn.ModuleList([nn.Conv2d(6, 3, 1), nn.Conv2d(4, 3, 1)])
        for i, side in enumerate((4, 8)):
            self.register_buffer(f"noise{i}", torch.randn(1, 1, side, side))

    def forward(self, z):
        z = z * torch.rsqrt((z**2).mean(1, keepdim=True) + 1e-8)
        w = self.map(z)
        x = self.constant.repeat(z.shape[0], 1, 1, 1)
        x = self.layers[0](x, w, self.noise0)
        picture = self.to_rgb[0](x)
        x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        x = self.layers[1](x, w, self.noise1)
        picture = F.interpolate(picture, scale_factor=2, mode="bilinear", align_corners=False) + self.to_rgb[1](x)
        return torch.sigmoid(picture)


class Transformer(nn.Module):
    """A transformer that decodes learnt queries against the latents: patches of a picture."""

    def __init__(self):
        super().__init__()
        self.memory = nn.Linear(4, 3 * 12)
        self.queries = nn.Parameter(torch.randn(1, 9, 12))
        layer = nn.TransformerDecoderLayer(12, 3, 24, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(layer, 2, nn.LayerNorm(12))
        self.out = nn.Linear(12, 16)

    def forward(self, z):
        n = z.shape[0]
        x = self.decoder(self.queries.expand(n, -1, -1), self.memory(z).view(n, 3, 12))
        x = torch.sigmoid(self.out(x)).view(n, 3, 3, 4, 4)
        return x.permute(0, 1, 3, 2, 4).reshape(n, 1, 12, 12)


class Bicubic(nn.Module):
    """Bicubic and bilinear upsampling by odd factors, instance norm, hard swish, pooling,
    weight norm, different strides along both axes."""

    def __init__(self):
        super().__init__()
        self.dense = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4 * 3 * 3))
        self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1, padding_mode="replicate"), nn.InstanceNorm2d(4, affine=True)
        self.up = nn.ConvTranspose2d(4, 2, (3, 4), (1, 2), 1)

    def forward(self, z):
        x = F.hardswish(self.dense(z).view(-1, 4, 3, 3))
        x = F.interpolate(x, size=(7, 8), mode="bicubic", align_corners=False)
        x = F.relu6(self.norm(self.conv(x)))
        x = F.avg_pool2d(x, 3, 1, 1)
        x = F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=True)
        x = self.up(x)
        return torch.clamp(x.mean(1, keepdim=True), 0, 1)


class Conditional(nn.Module):
    """A decoder with two inputs: a class, one-hot, and z."""

    def __init__(self):
        super().__init__()
        self.embed, self.dense = nn.Linear(3, 6, bias=False), nn.Linear(8, 5 * 4 * 4)
        self.film = nn.Linear(3, 10)
        self.up = nn.ConvTranspose2d(5, 1, 4, 2, 1)

    def forward(self, y, z):
        x = torch.relu(self.dense(torch.cat([self.embed(y), z], 1))).view(-1, 5, 4, 4)
        scale, shift = self.film(y)[:, :, None, None].chunk(2, 1)
        return torch.sigmoid(self.up(x * (1 + scale) + shift))


class Separable(nn.Module):
    """Depthwise convolutions, layer norm, GELU and a scale (ConvNeXt), squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(4, 6 * 5 * 5)
        self.wide, self.norm = nn.Conv2d(6, 6, 7, padding=3, groups=6), nn.LayerNorm(6, eps=1e-6)
        self.a, self.b, self.gamma = nn.Linear(6, 24), nn.Linear(24, 6), nn.Parameter(torch.rand(6))
        self.squeeze, self.excite = nn.Conv2d(6, 3, 1), nn.Conv2d(3, 6, 1)
        self.out = nn.ConvTranspose2d(6, 1, 2, 2)

    def forward(self, z):
        x = self.dense(z).view(-1, 6, 5, 5)
        y = self.wide(x).permute(0, 2, 3, 1)
        y = self.gamma * self.b(F.gelu(self.a(self.norm(y)), approximate="tanh"))
        x = x + y.permute(0, 3, 1, 2)
        gate = torch.sigmoid(self.excite(F.silu(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))
        return torch.sigmoid(self.out(x * gate))


def settle(model):
    """Numbers as after training: nothing that a framework starts with 0 or 1 is left so."""
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm, nn.InstanceNorm2d)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -0.5, 0.5)
            nn.init.uniform_(module.running_var, 0.3, 2.0)


def forget_paths(path):
    """Takes out where on this machine each node comes from; nothing else is changed."""
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    onnx.save(model, path)


def export(name, model, widths=(4,), both=True):
    if ONLY and name not in ONLY:
        return
    torch.manual_seed(len(name))
    model = model()
    settle(model)
    model.eval()
    z = [torch.randn(ROWS, width) for width in widths]
    if len(widths) > 1:
        z[0] = torch.eye(widths[0])[torch.arange(ROWS) % widths[0]]
    names = ["z"] if len(widths) == 1 else ["class", "z"]
    with torch.no_grad():
        # One at a time, as a study does.
        outputs = torch.cat([model(*(part[i : i + 1] for part in z)) for i in range(ROWS)])
    np.save(os.path.join(OUT, f"graph-{name}.latents.npy"), torch.cat(z, 1).numpy())
    np.save(os.path.join(OUT, f"graph-{name}.outputs.npy"), outputs.numpy())
    for dynamo in (True, False) if both else (True,):
        path = os.path.join(OUT, f"graph-{name}{'' if dynamo else '-older'}.onnx")
        example = tuple(part[:1] for part in z)
        options = {"external_data": False} if dynamo else {}
        torch.onnx.export(model, example, path, input_names=names, output_names=["x"], dynamo=dynamo, **options)
        forget_paths(path)
        print(path, os.path.getsize(path))


export("residual", Residual)
export("attention", Attention)
export("diffusion-nearest", Diffusion)
export("diffusion-bilinear", lambda: Diffusion("bilinear"))
export("sub-pixel", SubPixel)
export("gated", Gated)
export("broadcast", Broadcast)
export("coordinates", Coordinates)
export("recurrent", Recurrent, (3,))
export("flow", Flow)
export("style", Style)
export("transformer", Transformer)
export("bicubic", Bicubic)
export("conditional", Conditional, (3, 2))
export("separable", Separable)
