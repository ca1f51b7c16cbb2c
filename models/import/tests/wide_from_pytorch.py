"""Sixty-two small decoders in the style of public code, written from their papers, exported and imported.

    pip install torch numpy onnx onnxscript
    python3 models/import/tests/wide_from_pytorch.py target/release/redial /tmp/wide [NAME ...]

Each is exported by both of PyTorch's exporters, imported by `redial models import`, and compared
with PyTorch's own outputs, for which 1e-4 is let pass. Prints a line for each and the counts.
The counts in docs/bring-your-own-model.md were made with torch 2.15.0, onnx 1.23.2 and
onnxscript 0.7.2.

Longer than most files: every decoder stands in one place.
"""

import math
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

warnings.filterwarnings("ignore")
ROWS = 12
ALL = {}


def named(name, latents=4, distance="bray-curtis", flags=()):
    def keep(make):
        ALL[name] = (make, latents, distance, flags)
        return make

    return keep


def seq(*layers):
    return nn.Sequential(*layers)


class Of(nn.Module):
    """A module of named parts and a function."""

    def __init__(self, forward, **parts):
        super().__init__()
        self.call = forward
        for name, part in parts.items():
            if isinstance(part, nn.Module):
                setattr(self, name, part)
            elif isinstance(part, nn.Parameter):
                self.register_parameter(name, part)
            else:
                self.register_buffer(name, part)

    def forward(self, z):
        return self.call(self, z)


def start(maps, side=4, latents=4):
    return seq(nn.Linear(latents, maps * side * side), nn.ReLU(), nn.Unflatten(1, (maps, side, side)))


# 1 Variational autoencoders
@named("vae-mlp")  # Kingma & Welling 2014
def _():
    return seq(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 64), nn.Sigmoid(), nn.Unflatten(1, (1, 8, 8)))


@named("beta-vae-burgess")  # Burgess et al. 2018
def _():
    return seq(
        nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 128), nn.ReLU(), nn.Unflatten(1, (8, 4, 4)),
        nn.ConvTranspose2d(8, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Sigmoid(),
    )


@named("factor-vae-one-by-one")  # Kim & Mnih 2018: the vector as maps of one pixel
def _():
    return seq(
        nn.Unflatten(1, (4, 1, 1)), nn.Conv2d(4, 16, 1), nn.ReLU(True), nn.ConvTranspose2d(16, 8, 4), nn.ReLU(True),
        nn.ConvTranspose2d(8, 4, 4, 2, 1), nn.ReLU(True), nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Sigmoid(),
    )


@named("vanilla-vae-batchnorm", flags=("--values", "-1:1"))  # the usual VAE zoo: output padding, tanh
def _():
    def block(a, b):
        return seq(nn.ConvTranspose2d(a, b, 3, stride=2, padding=1, output_padding=1), nn.BatchNorm2d(b), nn.LeakyReLU())

    return seq(
        nn.Linear(4, 8 * 4), nn.Unflatten(1, (8, 2, 2)), block(8, 8), block(8, 6), block(6, 6),
        nn.Conv2d(6, 3, kernel_size=3, padding=1), nn.Tanh(),
    )


@named("conditional-vae", latents=7, flags=("--choice", "3"))  # Sohn et al. 2015, class one-hot in front
def _():
    return seq(nn.Linear(7, 24), nn.Softplus(), nn.Linear(24, 64), nn.Sigmoid(), nn.Unflatten(1, (1, 8, 8)))


@named("ladder-two-levels")  # Sønderby et al. 2016: half of the latents come in later
def _():
    def forward(m, z):
        a, b = z.chunk(2, 1)
        return torch.sigmoid(m.out(torch.cat([m.first(a), b], 1))).view(-1, 1, 8, 8)

    return Of(forward, first=seq(nn.Linear(2, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.1)), out=nn.Linear(18, 64))


@named("nvae-cell")  # Vahdat & Kautz 2020: depthwise 5 x 5, batch norm, swish, squeeze and excitation
def _():
    def forward(m, z):
        x = m.start(z)
        y = m.cell(x)
        y = y * m.se(y.mean((2, 3)))[:, :, None, None]
        x = x + 0.1 * y
        return torch.sigmoid(m.out(F.interpolate(x, scale_factor=2)))

    cell = seq(
        nn.BatchNorm2d(6), nn.Conv2d(6, 12, 1), nn.BatchNorm2d(12), nn.SiLU(), nn.Conv2d(12, 12, 5, padding=2, groups=12),
        nn.BatchNorm2d(12), nn.SiLU(), nn.Conv2d(12, 6, 1), nn.BatchNorm2d(6),
    )
    return Of(forward, start=start(6), cell=cell, se=seq(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 6), nn.Sigmoid()), out=nn.Conv2d(6, 1, 3, padding=1))


@named("very-deep-vae", latents=6)  # Child 2021: GELU bottlenecks, unpooling by nearest
def _():
    def block(m):
        return seq(nn.GELU(), nn.Conv2d(m, 4, 1), nn.GELU(), nn.Conv2d(4, 4, 3, padding=1), nn.GELU(), nn.Conv2d(4, m, 1))

    def forward(m, z):
        x = m.start(z)
        x = x + m.a(x)
        x = F.interpolate(x, scale_factor=2, mode="nearest") + m.bias
        x = x + m.b(x)
        return torch.sigmoid(m.out(x * m.gain))

    return Of(forward, start=start(6, latents=6), a=block(6), b=block(6), bias=nn.Parameter(torch.randn(1, 6, 8, 8)), gain=nn.Parameter(torch.randn(1, 6, 1, 1)), out=nn.Conv2d(6, 1, 1))


@named("hyperspherical-vae")  # Davidson et al. 2018: the latent on a sphere
def _():
    return Of(lambda m, z: m.net(F.normalize(z, dim=-1)), net=seq(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 64), nn.Sigmoid(), nn.Unflatten(1, (1, 8, 8))))


# 2 Vector quantised
class ResidualStack(nn.Module):
    def __init__(self, maps):
        super().__init__()
        self.block = seq(nn.ReLU(True), nn.Conv2d(maps, 4, 3, padding=1, bias=False), nn.ReLU(True), nn.Conv2d(4, maps, 1, bias=False))

    def forward(self, x):
        return F.relu(x + self.block(x))


@named("vq-vae", latents=16)  # van den Oord et al. 2017: the nearest code of a book, then residual blocks
def _():
    def forward(m, z):
        x = z.view(-1, 4, 2, 2).permute(0, 2, 3, 1).reshape(-1, 4)
        d = (x**2).sum(1, keepdim=True) + (m.book**2).sum(1) - 2 * x @ m.book.t()
        one_hot = (d.argmin(1)[:, None] == torch.arange(8)[None]).to(z.dtype)
        x = (one_hot @ m.book).view(-1, 2, 2, 4).permute(0, 3, 1, 2)
        return m.net(x)

    net = seq(nn.Conv2d(4, 8, 3, padding=1), ResidualStack(8), nn.ConvTranspose2d(8, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 3, 4, 2, 1), nn.Sigmoid())
    return Of(forward, book=torch.randn(8, 4), net=net)


@named("vq-vae-embedding", latents=16)  # the same, looked up by index
def _():
    def forward(m, z):
        x = z.view(-1, 4, 2, 2).permute(0, 2, 3, 1).reshape(-1, 4)
        d = (x**2).sum(1, keepdim=True) + (m.book.weight**2).sum(1) - 2 * x @ m.book.weight.t()
        x = m.book(d.argmin(1)).view(-1, 2, 2, 4).permute(0, 3, 1, 2)
        return torch.sigmoid(m.net(x))

    return Of(forward, book=nn.Embedding(8, 4), net=nn.ConvTranspose2d(4, 1, 4, 4))


@named("finite-scalar-quantisation", latents=8)  # Mentzer et al. 2024
def _():
    def forward(m, z):
        x = torch.round(torch.tanh(z.view(-1, 2, 2, 2)) * 2.0 - 1e-3) / 2.0
        return m.net(x)

    return Of(forward, net=seq(nn.Conv2d(2, 8, 1), nn.GELU(), nn.ConvTranspose2d(8, 1, 4, 4), nn.Sigmoid()))


# 3 Generative adversarial networks
@named("dcgan", latents=6, flags=("--values", "-1:1"))  # Radford et al. 2016
def _():
    return seq(
        nn.Unflatten(1, (6, 1, 1)), nn.ConvTranspose2d(6, 12, 4, 1, 0, bias=False), nn.BatchNorm2d(12), nn.ReLU(True),
        nn.ConvTranspose2d(12, 6, 4, 2, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU(True), nn.ConvTranspose2d(6, 3, 4, 2, 1, bias=False), nn.Tanh(),
    )


@named("wgan-gp-resnet", flags=("--values", "-1:1"))  # Gulrajani et al. 2017
def _():
    def forward(m, z):
        x = m.start(z)
        up = lambda x: F.interpolate(x, scale_factor=2)
        x = m.skip(up(x)) + m.b(F.relu(m.nb(m.a(up(F.relu(m.na(x)))))))
        return torch.tanh(m.out(F.relu(m.no(x))))

    return Of(forward, start=seq(nn.Linear(4, 8 * 16), nn.Unflatten(1, (8, 4, 4))), skip=nn.Conv2d(8, 8, 1), a=nn.Conv2d(8, 8, 3, padding=1), b=nn.Conv2d(8, 8, 3, padding=1), na=nn.BatchNorm2d(8), nb=nn.BatchNorm2d(8), no=nn.BatchNorm2d(8), out=nn.Conv2d(8, 3, 3, padding=1))


@named("lsgan-upsample", flags=("--values", "-1:1"))  # Mao et al. 2017, as the usual GAN zoo has it
def _():
    return seq(
        nn.Linear(4, 8 * 16), nn.Unflatten(1, (8, 4, 4)), nn.BatchNorm2d(8), nn.Upsample(scale_factor=2), nn.Conv2d(8, 8, 3, stride=1, padding=1),
        nn.BatchNorm2d(8, 0.8), nn.LeakyReLU(0.2, inplace=True), nn.Upsample(scale_factor=2), nn.Conv2d(8, 1, 3, stride=1, padding=1), nn.Tanh(),
    )


@named("infogan", latents=8, flags=("--choice", "4", "--values", "-1:1"))  # Chen et al. 2016
def _():
    return seq(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 64), nn.Tanh(), nn.Unflatten(1, (1, 8, 8)))


@named("acgan-embedding", latents=6, flags=("--choice", "2"))  # Odena et al. 2017, class one-hot times its embedding
def _():
    def forward(m, z):
        y, z = z[:, :2], z[:, 2:]
        return torch.sigmoid(m.out(F.relu(m.start((y @ m.classes) * z))))

    return Of(forward, classes=nn.Parameter(torch.randn(2, 4)), start=start(4), out=nn.ConvTranspose2d(4, 1, 4, 2, 1))


@named("biggan-class", latents=9, flags=("--choice", "3", "--values", "-1:1"))  # Brock et al. 2019: conditional batch norm, spectral norm
def _():
    def forward(m, z):
        y, z = z[:, :3] @ m.classes, z[:, 3:]
        a, b = z.chunk(2, 1)
        x = m.start(a)
        c = torch.cat([b, y], 1)
        for norm, gain, bias, conv in ((m.n1, m.g1, m.b1, m.c1), (m.n2, m.g2, m.b2, m.c2)):
            x = norm(x) * (1 + gain(c))[:, :, None, None] + bias(c)[:, :, None, None]
            x = conv(F.interpolate(F.relu(x), scale_factor=2))
        return torch.tanh(m.out(F.relu(x)))

    sn = nn.utils.parametrizations.spectral_norm
    parts = {f"{k}{i}": sn(nn.Linear(7, 6, bias=False)) for k in "gb" for i in (1, 2)}
    parts |= {f"n{i}": nn.BatchNorm2d(6, affine=False) for i in (1, 2)}
    parts |= {f"c{i}": sn(nn.Conv2d(6, 6, 3, padding=1)) for i in (1, 2)}
    return Of(forward, classes=nn.Parameter(torch.randn(3, 4)), start=seq(sn(nn.Linear(3, 6 * 16)), nn.Unflatten(1, (6, 4, 4))), out=sn(nn.Conv2d(6, 3, 3, padding=1)), **parts)


@named("sagan", flags=("--values", "-1:1"))  # Zhang et al. 2019: attention with pooled keys, old spectral norm
def _():
    def forward(m, z):
        x = m.start(z)
        q, k, v = m.q(x).flatten(2), F.max_pool2d(m.k(x), 2).flatten(2), F.max_pool2d(m.v(x), 2).flatten(2)
        a = torch.softmax(torch.bmm(q.transpose(1, 2), k), -1)
        x = x + m.gamma * m.o(torch.bmm(v, a.transpose(1, 2)).view(-1, 4, 4, 4))
        return torch.tanh(m.out(x))

    sn = nn.utils.spectral_norm
    return Of(forward, start=start(8), q=sn(nn.Conv2d(8, 2, 1)), k=sn(nn.Conv2d(8, 2, 1)), v=sn(nn.Conv2d(8, 4, 1)), o=sn(nn.Conv2d(4, 8, 1)), gamma=nn.Parameter(torch.tensor(0.5)), out=sn(nn.ConvTranspose2d(8, 3, 4, 2, 1)))


@named("progressive-gan", flags=("--values", "-1:1"))  # Karras et al. 2018: equalised weights, pixel norm
def _():
    def forward(m, z):
        norm = lambda x: x * torch.rsqrt((x**2).mean(1, keepdim=True) + 1e-8)
        x = norm(z)
        x = norm(F.leaky_relu((x @ (m.w * 0.5)).view(-1, 8, 4, 4) + m.b, 0.2))
        x = F.interpolate(x, scale_factor=2, mode="nearest")
        x = norm(F.leaky_relu(F.conv2d(x, m.c * 0.1, padding=1), 0.2))
        return m.rgb(x)

    return Of(forward, w=nn.Parameter(torch.randn(4, 128)), b=nn.Parameter(torch.randn(1, 8, 1, 1)), c=nn.Parameter(torch.randn(8, 8, 3, 3)), rgb=nn.Conv2d(8, 3, 1))


@named("stylegan-adain")  # Karras et al. 2019: constant start, adaptive instance norm, blur, fixed noise
def _():
    def forward(m, z):
        w = m.mapping(z)
        x = m.constant.expand(z.size(0), -1, -1, -1)
        for style, noise, conv in ((m.s1, m.n1, m.c1), (m.s2, m.n2, m.c2)):
            x = F.leaky_relu(conv(x) + noise, 0.2)
            scale, shift = style(w)[:, :, None, None].chunk(2, 1)
            x = F.instance_norm(x) * (1 + scale) + shift
            if conv is m.c1:
                x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
                x = F.conv2d(x, m.blur, padding=1, groups=6)
        return torch.sigmoid(m.rgb(x))

    blur = torch.tensor([1.0, 2, 1])
    blur = (blur[:, None] * blur / 16)[None, None].repeat(6, 1, 1, 1)
    return Of(forward, mapping=seq(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 8), nn.LeakyReLU(0.2)), constant=nn.Parameter(torch.randn(1, 6, 4, 4)), s1=nn.Linear(8, 12), s2=nn.Linear(8, 12), n1=torch.randn(1, 1, 4, 4), n2=torch.randn(1, 1, 8, 8), c1=nn.Conv2d(6, 6, 3, padding=1), c2=nn.Conv2d(6, 6, 3, padding=1), blur=blur, rgb=nn.Conv2d(6, 3, 1))


@named("stylegan2-modulated")  # Karras et al. 2020: modulated and demodulated weights by grouped convolution
def _():
    def forward(m, z):
        n = z.size(0)
        s = m.style(m.mapping(z)) + 1
        w = m.weight[None] * s[:, None, :, None, None]
        w = w * torch.rsqrt(w.pow(2).sum((2, 3, 4), keepdim=True) + 1e-8)
        x = m.constant.expand(n, -1, -1, -1).reshape(1, -1, 8, 8)
        x = F.conv2d(x, w.view(-1, 6, 3, 3), padding=1, groups=n).view(n, 6, 8, 8)
        x = F.leaky_relu(x + m.noise, 0.2) * math.sqrt(2)
        return torch.sigmoid(m.rgb(x))

    return Of(forward, mapping=seq(nn.Linear(4, 8), nn.LeakyReLU(0.2)), style=nn.Linear(8, 6), weight=nn.Parameter(torch.randn(6, 6, 3, 3)), constant=nn.Parameter(torch.randn(1, 6, 8, 8)), noise=torch.randn(1, 1, 8, 8), rgb=nn.Conv2d(6, 3, 1))


@named("gansformer-like", latents=8)  # Hudson & Zitnick 2021: the picture asks the latents
def _():
    def forward(m, z):
        tokens = z.view(-1, 2, 4)
        x = m.grid.expand(z.size(0), -1, -1)
        a, _ = m.attention(x, tokens, tokens)
        return torch.sigmoid(m.out(m.norm(x + a))).transpose(1, 2).reshape(-1, 1, 8, 8)

    return Of(forward, grid=nn.Parameter(torch.randn(1, 64, 8)), attention=nn.MultiheadAttention(8, 2, kdim=4, vdim=4, batch_first=True), norm=nn.LayerNorm(8), out=nn.Linear(8, 1))


@named("fast-gan-skip-excitation")  # Liu et al. 2021: GLU, skip-layer excitation by adaptive pooling
def _():
    def forward(m, z):
        x = F.glu(m.start(z), 1)
        y = F.glu(m.norm(m.up(F.interpolate(x, scale_factor=2))), 1)
        return torch.sigmoid(m.out(y * m.excite(F.adaptive_avg_pool2d(x, 4))))

    return Of(forward, start=seq(nn.Linear(4, 16 * 16), nn.Unflatten(1, (16, 4, 4))), up=nn.Conv2d(8, 16, 3, padding=1), norm=nn.BatchNorm2d(16), excite=seq(nn.Conv2d(8, 4, 4), nn.SiLU(), nn.Conv2d(4, 8, 1), nn.Sigmoid()), out=nn.Conv2d(8, 3, 3, padding=1))


# 4 Residual, sub-pixel, newer convolutions
@named("resnet-post-activation")  # He et al. 2016
def _():
    def forward(m, z):
        x = m.start(z)
        x = F.relu(x + m.a(x))
        x = F.relu(m.up(x) + m.b(x))
        return torch.sigmoid(m.out(x))

    conv = lambda a, b: nn.Conv2d(a, b, 3, padding=1, bias=False)
    return Of(forward, start=start(6), a=seq(conv(6, 6), nn.BatchNorm2d(6), nn.ReLU(), conv(6, 6), nn.BatchNorm2d(6)), up=seq(nn.ConvTranspose2d(6, 4, 1, 2, output_padding=1), nn.BatchNorm2d(4)), b=seq(nn.ConvTranspose2d(6, 4, 3, 2, 1, output_padding=1), nn.BatchNorm2d(4), nn.ReLU(), conv(4, 4), nn.BatchNorm2d(4)), out=conv(4, 1))


@named("pixel-shuffle-icnr")  # Shi et al. 2016; Lim et al. 2017 (EDSR): residual scaling
def _():
    def forward(m, z):
        x = m.start(z)
        x = x + 0.1 * m.body(x)
        return torch.sigmoid(m.out(F.pixel_shuffle(m.up(x), 2)))

    return Of(forward, start=start(8), body=seq(nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)), up=nn.Conv2d(8, 16, 3, padding=1), out=nn.Conv2d(4, 3, 3, padding=1, padding_mode="replicate"))


@named("convnext")  # Liu et al. 2022: depthwise 7 x 7, LayerNorm channels last, layer scale
def _():
    def forward(m, z):
        x = m.start(z)
        y = m.depthwise(x).permute(0, 2, 3, 1)
        y = m.gamma * m.b(F.gelu(m.a(m.norm(y))))
        x = x + y.permute(0, 3, 1, 2)
        return torch.sigmoid(m.up(x))

    return Of(forward, start=start(6), depthwise=nn.Conv2d(6, 6, 7, padding=3, groups=6), norm=nn.LayerNorm(6, eps=1e-6), a=nn.Linear(6, 24), b=nn.Linear(24, 6), gamma=nn.Parameter(torch.rand(6)), up=nn.ConvTranspose2d(6, 1, 2, 2))


@named("convnext-v2-grn")  # Woo et al. 2023: global response normalisation
def _():
    def forward(m, z):
        x = m.start(z).permute(0, 2, 3, 1)
        g = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        x = m.gamma * (x * (g / (g.mean(-1, keepdim=True) + 1e-6))) + m.beta + x
        return torch.sigmoid(m.out(x.permute(0, 3, 1, 2)))

    return Of(forward, start=start(6), gamma=nn.Parameter(torch.rand(1, 1, 1, 6)), beta=nn.Parameter(torch.rand(1, 1, 1, 6)), out=nn.Conv2d(6, 1, 3, padding=1))


@named("mobilenet-inverted")  # Sandler et al. 2018: ReLU6, depthwise
def _():
    return seq(start(6), nn.Conv2d(6, 12, 1), nn.BatchNorm2d(12), nn.ReLU6(), nn.Conv2d(12, 12, 3, padding=1, groups=12), nn.BatchNorm2d(12), nn.ReLU6(), nn.Conv2d(12, 4, 1), nn.BatchNorm2d(4), nn.Hardswish(), nn.UpsamplingBilinear2d(scale_factor=2), nn.Conv2d(4, 1, 3, padding=1), nn.Sigmoid())


@named("u-net")  # Ronneberger et al. 2015: down, up, skips by Concat
def _():
    def forward(m, z):
        x = m.start(z)
        d1 = m.d1(x)
        d2 = m.d2(F.max_pool2d(d1, 2))
        u = torch.cat([m.up(d2), d1], 1)
        return torch.sigmoid(m.out(u))

    block = lambda a, b: seq(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(True), nn.Conv2d(b, b, 3, padding=1), nn.LeakyReLU(0.1))
    return Of(forward, start=start(2, 8), d1=block(2, 4), d2=block(4, 6), up=nn.ConvTranspose2d(6, 4, 2, 2), out=block(8, 1))


@named("diffusion-u-net-step")  # Ho et al. 2020: sinusoidal time, GroupNorm, attention
def _():
    def forward(m, z):
        t = z[:, :1] * m.frequencies
        t = m.time(torch.cat([t.sin(), t.cos()], 1))
        h = m.start(z)
        h = m.conv(F.silu(m.norm(h))) + t[:, :, None, None]
        q, k, v = m.qkv(h).flatten(2).chunk(3, 1)
        h = h + (v @ torch.softmax(q.transpose(1, 2) @ k / math.sqrt(8), -1).transpose(1, 2)).view_as(h)
        return torch.sigmoid(m.out(h))

    return Of(forward, frequencies=torch.exp(-torch.arange(4) * 1.5)[None], time=seq(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 8)), start=start(8), norm=nn.GroupNorm(4, 8), conv=nn.Conv2d(8, 8, 3, padding=1), qkv=nn.Conv2d(8, 24, 1), out=nn.Conv2d(8, 1, 3, padding=1))


@named("weight-norm")  # Salimans & Kingma 2016: parametrised
def _():
    wn = nn.utils.parametrizations.weight_norm
    return seq(wn(nn.Linear(4, 96)), nn.ELU(), nn.Unflatten(1, (6, 4, 4)), wn(nn.ConvTranspose2d(6, 4, 4, 2, 1)), nn.ELU(), wn(nn.Conv2d(4, 1, 3, padding=1)), nn.Sigmoid())


@named("coord-conv")  # Liu et al. 2018
def _():
    def forward(m, z):
        x = m.start(z)
        n, _, h, w = x.shape
        y, c = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
        grid = torch.stack([y, c]).expand(n, -1, -1, -1)
        return torch.sigmoid(m.out(torch.cat([x, grid], 1)))

    return Of(forward, start=start(4, 8), out=nn.Conv2d(6, 1, 3, padding=1))


# 5 Objects and places
@named("spatial-broadcast")  # Watters et al. 2019
def _():
    def forward(m, z):
        n = z.size(0)
        x = z[:, :, None, None].expand(-1, -1, 8, 8)
        return torch.sigmoid(m.net(torch.cat([x, m.grid.expand(n, -1, -1, -1)], 1)))

    g = torch.linspace(-1, 1, 8)
    return Of(forward, grid=torch.stack(torch.meshgrid(g, g, indexing="ij"))[None], net=seq(nn.Conv2d(6, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1)))


@named("slot-decoder", latents=8)  # Locatello et al. 2020: two slots, masks by softmax
def _():
    def forward(m, z):
        x = z.reshape(-1, 4)[:, :, None, None].repeat(1, 1, 8, 8) + m.position
        x = m.net(x).view(-1, 2, 4, 8, 8)
        rgb, mask = x.split([3, 1], 2)
        return (torch.sigmoid(rgb) * torch.softmax(mask, 1)).sum(1)

    return Of(forward, position=nn.Parameter(torch.randn(1, 4, 8, 8)), net=seq(nn.Conv2d(4, 8, 5, padding=2), nn.ReLU(), nn.Conv2d(8, 4, 3, padding=1)))


@named("monet-component", latents=6)  # Burgess et al. 2019: unpadded convolutions over a larger grid
def _():
    def forward(m, z):
        x = torch.cat([z[:, :, None, None].expand(-1, -1, 12, 12), m.grid.expand(z.size(0), -1, -1, -1)], 1)
        return torch.sigmoid(m.net(x)[:, :3])

    g = torch.linspace(-1, 1, 12)
    return Of(forward, grid=torch.stack(torch.meshgrid(g, g, indexing="xy"))[None], net=seq(nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 1)))


@named("film")  # Perez et al. 2018
def _():
    def forward(m, z):
        gamma, beta = m.film(z).view(-1, 2, 8, 1, 1).unbind(1)
        return torch.sigmoid(m.out(F.relu(m.conv(m.start(z)) * gamma + beta)))

    return Of(forward, start=start(8), film=nn.Linear(4, 16), conv=nn.Conv2d(8, 8, 3, padding=1), out=nn.ConvTranspose2d(8, 1, 4, 2, 1))


@named("siren")  # Sitzmann et al. 2020: the picture as a function of places, latent concatenated
def _():
    def forward(m, z):
        x = torch.cat([m.places.expand(z.size(0), -1, -1), z[:, None].expand(-1, 64, -1)], -1)
        x = torch.sin(30 * m.a(x))
        return torch.sigmoid(m.b(torch.sin(m.h(x)))).squeeze(-1).view(-1, 1, 8, 8)

    g = torch.linspace(-1, 1, 8)
    places = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(1, 64, 2)
    m = Of(forward, places=places, a=nn.Linear(6, 16), h=nn.Linear(16, 16), b=nn.Linear(16, 1))
    nn.init.uniform_(m.a.weight, -1 / 6, 1 / 6)
    return m


@named("fourier-features")  # Tancik et al. 2020, with a hypernetwork's last layer
def _():
    def forward(m, z):
        p = 2 * math.pi * m.places @ m.b
        p = F.relu(m.hidden(torch.cat([p.sin(), p.cos()], -1)))
        w = m.hyper(z)
        return torch.sigmoid(torch.einsum("pf,nf->np", p, w)).view(-1, 1, 8, 8)

    g = torch.linspace(0, 1, 8)
    return Of(forward, places=torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(64, 2), b=torch.randn(2, 8), hidden=nn.Linear(16, 12), hyper=nn.Linear(4, 12))


@named("compositional-pattern")  # Stanley 2007; Ha's CPPN with radius
def _():
    def forward(m, z):
        x = m.x(m.px) + m.y(m.py) + m.r(torch.sqrt(m.px**2 + m.py**2)) + m.z(z)[:, None]
        return torch.sigmoid(m.out(torch.tanh(x)))[..., 0].reshape(-1, 1, 8, 8)

    g = torch.linspace(-1, 1, 8)
    py, px = torch.meshgrid(g, g, indexing="ij")
    lin = lambda: nn.Linear(1, 8, bias=False)
    return Of(forward, px=px.reshape(1, 64, 1), py=py.reshape(1, 64, 1), x=lin(), y=lin(), r=lin(), z=nn.Linear(4, 8), out=nn.Linear(8, 1))


@named("grid-sampled")  # Jaderberg et al. 2015: a template that is moved
def _():
    def forward(m, z):
        theta = torch.cat([1 + 0.1 * z[:, :1], 0 * z[:, :1], z[:, 1:2], 0 * z[:, :1], 1 + 0.1 * z[:, :1], z[:, 2:3]], 1)
        grid = F.affine_grid(theta.view(-1, 2, 3), (z.size(0), 1, 8, 8), align_corners=False)
        return F.grid_sample(m.template.expand(z.size(0), -1, -1, -1), grid, align_corners=False)

    return Of(forward, template=torch.rand(1, 1, 8, 8))


@named("gaussian-splat")  # spots drawn by a formula of their places
def _():
    def forward(m, z):
        s = m.net(z).view(-1, 5, 3)
        d = ((m.places[None, None] - s[:, :, None, :2]) ** 2).sum(-1)
        return torch.exp(-d * F.softplus(s[..., 2:]) * 4).amax(1).clamp(0, 1).view(-1, 1, 8, 8)

    g = torch.linspace(-1, 1, 8)
    return Of(forward, places=torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(64, 2), net=nn.Linear(4, 15))


# 6 Attention and mixing
@named("transformer-decoder")  # Vaswani et al. 2017: torch's own layer, queries learnt
def _():
    def forward(m, z):
        memory = z.view(-1, 1, 4) @ m.widen
        x = m.layer(m.queries.expand(z.size(0), -1, -1), memory)
        return torch.sigmoid(m.out(x)).view(-1, 1, 8, 8)

    return Of(forward, widen=nn.Parameter(torch.randn(4, 8)), queries=nn.Parameter(torch.randn(1, 16, 8)), layer=nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True), out=nn.Linear(8, 4))


@named("vit-patches")  # Dosovitskiy et al. 2021: encoder layers over patch tokens, unpatched by einsum
def _():
    def forward(m, z):
        x = m.embed(z)[:, None] + m.position
        x = m.head(m.blocks(x)).reshape(-1, 2, 2, 4, 4, 3)
        return torch.sigmoid(torch.einsum("nhwpqc->nchpwq", x).reshape(-1, 3, 8, 8))

    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    return Of(forward, embed=nn.Linear(4, 8), position=nn.Parameter(torch.randn(1, 4, 8)), blocks=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), head=nn.Linear(8, 48))


@named("mae-decoder", latents=8)  # He et al. 2022: mask tokens put among seen ones by gather
def _():
    def forward(m, z):
        x = z.view(-1, 2, 4) @ m.widen
        x = torch.cat([x, m.mask.expand(z.size(0), 2, -1)], 1)
        x = torch.gather(x, 1, m.order[None, :, None].expand(z.size(0), -1, 8)) + m.position
        qkv = m.qkv(m.n1(x)).reshape(-1, 4, 3, 2, 4).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2])
        x = x + m.o(a.transpose(1, 2).reshape(-1, 4, 8))
        return torch.sigmoid(m.head(m.n2(x))).view(-1, 1, 8, 8)

    return Of(forward, widen=nn.Parameter(torch.randn(4, 8)), mask=nn.Parameter(torch.randn(1, 1, 8)), order=torch.tensor([2, 0, 3, 1]), position=nn.Parameter(torch.randn(1, 4, 8)), n1=nn.LayerNorm(8), qkv=nn.Linear(8, 24), o=nn.Linear(8, 8), n2=nn.LayerNorm(8), head=nn.Linear(8, 16))


@named("mlp-mixer")  # Tolstikhin et al. 2021
def _():
    def forward(m, z):
        x = m.embed(z).view(-1, 4, 8)
        x = x + m.t2(F.gelu(m.t1(m.n1(x).transpose(1, 2)))).transpose(1, 2)
        x = x + m.c2(F.gelu(m.c1(m.n2(x))))
        return torch.sigmoid(m.out(x)).view(-1, 1, 8, 8)

    return Of(forward, embed=nn.Linear(4, 32), n1=nn.LayerNorm(8), t1=nn.Linear(4, 8), t2=nn.Linear(8, 4), n2=nn.LayerNorm(8), c1=nn.Linear(8, 16), c2=nn.Linear(16, 8), out=nn.Linear(8, 16))


@named("perceiver-io", latents=8)  # Jaegle et al. 2022: Fourier places query a latent array
def _():
    def forward(m, z):
        kv = z.view(-1, 4, 2) @ m.widen
        q = m.q(m.places)[None].expand(z.size(0), -1, -1)
        a = torch.softmax(torch.einsum("npd,nld->npl", q, m.k(kv)) * 0.35, -1)
        return torch.sigmoid(m.out(torch.einsum("npl,nld->npd", a, m.v(kv)))).permute(0, 2, 1).reshape(-1, 1, 8, 8)

    g = torch.linspace(-1, 1, 8)
    places = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(64, 2)
    return Of(forward, widen=nn.Parameter(torch.randn(2, 8)), places=torch.cat([places, places.sin(), (2 * places).cos()], 1), q=nn.Linear(6, 8), k=nn.Linear(8, 8), v=nn.Linear(8, 8), out=nn.Linear(8, 1))


@named("rope-swiglu")  # Su et al. 2021; Shazeer 2020; Zhang & Sennrich 2019: rotary places, RMSNorm, SwiGLU
def _():
    def forward(m, z):
        x = m.embed(z).view(-1, 4, 8)
        h = m.norm(x)
        q, k, v = (f(h).view(-1, 4, 2, 4).transpose(1, 2) for f in (m.q, m.k, m.v))
        turn = lambda x: torch.cat([-x[..., 2:], x[..., :2]], -1)
        q, k = (x * m.cos + turn(x) * m.sin for x in (q, k))
        mask = torch.full((4, 4), float("-inf")).triu(1)
        a = torch.softmax(q @ k.transpose(-1, -2) / 2 + mask, -1) @ v
        x = x + a.transpose(1, 2).reshape(-1, 4, 8)
        x = x + m.down(F.silu(m.gate(x)) * m.up(x))
        return torch.sigmoid(m.out(x)).view(-1, 1, 8, 8)

    angle = torch.arange(4.0)[:, None] * torch.tensor([1.0, 0.1, 1.0, 0.1])
    lin = lambda a, b: nn.Linear(a, b, bias=False)
    return Of(forward, embed=nn.Linear(4, 32), norm=nn.RMSNorm(8), q=lin(8, 8), k=lin(8, 8), v=lin(8, 8), cos=angle.cos(), sin=angle.sin(), gate=lin(8, 16), up=lin(8, 16), down=lin(16, 8), out=nn.Linear(8, 16))


@named("linear-attention")  # Katharopoulos et al. 2020: elu + 1 features
def _():
    def forward(m, z):
        x = m.embed(z).view(-1, 16, 8)
        q, k, v = F.elu(m.q(x)) + 1, F.elu(m.k(x)) + 1, m.v(x)
        a = q @ (k.transpose(1, 2) @ v) / (q @ k.sum(1, keepdim=True).transpose(1, 2))
        return torch.sigmoid(m.out(x + a)).view(-1, 1, 8, 8)

    return Of(forward, embed=nn.Linear(4, 128), q=nn.Linear(8, 8), k=nn.Linear(8, 8), v=nn.Linear(8, 8), out=nn.Linear(8, 4))


@named("swin-windows")  # Liu et al. 2021: windows, rolled
def _():
    def forward(m, z):
        x = torch.roll(m.start(z).permute(0, 2, 3, 1), (-1, -1), (1, 2))
        n = x.shape[0]
        w = x.view(n, 2, 2, 2, 2, 8).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, 8)
        q, k, v = m.qkv(w).chunk(3, -1)
        w = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(8) + m.bias, -1) @ v
        x = w.view(n, 2, 2, 2, 2, 8).permute(0, 1, 3, 2, 4, 5).reshape(n, 4, 4, 8)
        x = torch.roll(x, (1, 1), (1, 2)).permute(0, 3, 1, 2)
        return torch.sigmoid(m.out(x))

    return Of(forward, start=start(8), qkv=nn.Linear(8, 24), bias=nn.Parameter(torch.randn(1, 4, 4)), out=nn.ConvTranspose2d(8, 1, 4, 2, 1))


# 7 Series
@named("gru-series", distance="jaccard:0.01")  # Cho et al. 2014: the latent at every step
def _():
    def forward(m, z):
        y, _ = m.gru(z[:, None].expand(-1, 16, -1))
        return m.out(y)[..., 0]

    return Of(forward, gru=nn.GRU(4, 8, 2, batch_first=True), out=nn.Linear(8, 1))


@named("lstm-series-start", distance="jaccard:0.01")  # Sutskever et al. 2014: the latent as first state
def _():
    def forward(m, z):
        h = torch.tanh(m.state(z))[None]
        y, _ = m.lstm(m.steps.expand(z.size(0), -1, -1), (h, torch.zeros_like(h)))
        return m.out(y).squeeze(-1)

    return Of(forward, state=nn.Linear(4, 8), lstm=nn.LSTM(2, 8, batch_first=True), steps=torch.randn(1, 16, 2), out=nn.Linear(8, 1))


@named("gru-cells-fed-back", distance="jaccard:0.01")  # sketch-rnn-like: each value is fed to the next step
def _():
    def forward(m, z):
        h, x, all = m.state(z), z[:, :1] * 0, []
        for _ in range(8):
            h = m.cell(x, h)
            x = m.out(h)
            all.append(x)
        return torch.cat(all, 1)

    return Of(forward, state=nn.Linear(4, 6), cell=nn.GRUCell(1, 6), out=nn.Linear(6, 1))


@named("wavenet-like", distance="jaccard:0.01")  # van den Oord et al. 2016: gated dilated causal convolutions
def _():
    def forward(m, z):
        x = m.start(z).view(-1, 6, 16)
        skip = 0
        for conv, dilation in ((m.c1, 1), (m.c2, 2), (m.c3, 4)):
            a, b = conv(F.pad(x, (dilation, 0))).chunk(2, 1)
            y = torch.tanh(a) * torch.sigmoid(b)
            skip = skip + y
            x = x + y
        return m.out(F.relu(skip)).squeeze(1)

    c = lambda d: nn.Conv1d(6, 12, 2, dilation=d)
    return Of(forward, start=nn.Linear(4, 96), c1=c(1), c2=c(2), c3=c(4), out=nn.Conv1d(6, 1, 1))


@named("conv-1d-upsample", distance="jaccard:0.01")  # time-series VAEs
def _():
    return seq(nn.Linear(4, 32), nn.Unflatten(1, (8, 4)), nn.ConvTranspose1d(8, 6, 4, 2, 1), nn.BatchNorm1d(6), nn.ReLU(), nn.Upsample(scale_factor=2, mode="linear"), nn.Conv1d(6, 1, 5, padding=2), nn.Flatten())


@named("n-beats-basis", distance="jaccard:0.01")  # Oreshkin et al. 2020: trend and season by fixed bases
def _():
    def forward(m, z):
        t, s = m.theta(z).split([3, 4], 1)
        return t @ m.trend + s @ m.season

    t = torch.linspace(0, 1, 16)
    trend = torch.stack([t**i for i in range(3)])
    season = torch.stack([f(2 * math.pi * k * t) for k in (1, 2) for f in (torch.cos, torch.sin)])
    return Of(forward, theta=seq(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 7)), trend=trend, season=season)


# 8 Flows
@named("real-nvp", latents=4, distance="jaccard:0.01")  # Dinh et al. 2017: masked affine coupling
def _():
    def forward(m, z):
        for net, mask in ((m.a, m.mask), (m.b, 1 - m.mask)):
            s, t = net(z * mask).chunk(2, 1)
            z = z * mask + (1 - mask) * (z * torch.exp(torch.tanh(s)) + t)
        return m.out(z)

    net = lambda: seq(nn.Linear(4, 16), nn.LeakyReLU(), nn.Linear(16, 8))
    return Of(forward, mask=torch.tensor([[1.0, 0, 1, 0]]), a=net(), b=net(), out=nn.Linear(4, 16))


@named("glow-inverse", latents=16)  # Kingma & Dhariwal 2018: inverse 1 x 1 convolution, act norm, unsqueeze
def _():
    def forward(m, z):
        x = z.view(-1, 4, 2, 2)
        a, b = x.chunk(2, 1)
        s, t = m.net(a).chunk(2, 1)
        x = torch.cat([a, b / torch.sigmoid(s + 2) - t], 1)
        x = F.conv2d(x, torch.inverse(m.w)[:, :, None, None])
        x = x * torch.exp(-m.scale) - m.shift
        x = x.view(-1, 1, 2, 2, 2, 2).permute(0, 1, 4, 2, 5, 3).reshape(-1, 1, 4, 4)
        return torch.sigmoid(x)

    return Of(forward, net=nn.Conv2d(2, 4, 3, padding=1), w=torch.linalg.qr(torch.randn(4, 4))[0], scale=nn.Parameter(torch.randn(1, 4, 1, 1) * 0.1), shift=nn.Parameter(torch.randn(1, 4, 1, 1)))


@named("neural-ode-steps", distance="jaccard:0.01")  # Chen et al. 2018: eight steps of Runge and Kutta
def _():
    def forward(m, z):
        all = []
        for _ in range(8):
            k1 = m.f(z)
            k2 = m.f(z + 0.05 * k1)
            z = z + 0.1 * k2
            all.append(m.out(z))
        return torch.cat(all, 1)

    return Of(forward, f=seq(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 4)), out=nn.Linear(4, 1))


@named("planar-inverse-free", distance="jaccard:0.01")  # Rezende & Mohamed 2015
def _():
    def forward(m, z):
        for u, w, b in ((m.u1, m.w1, m.b1), (m.u2, m.w2, m.b2)):
            z = z + u * torch.tanh((z * w).sum(-1, keepdim=True) + b)
        return m.out(z)

    p = lambda *s: nn.Parameter(torch.randn(*s))
    return Of(forward, u1=p(1, 4), w1=p(1, 4), b1=p(1), u2=p(1, 4), w2=p(1, 4), b2=p(1), out=nn.Linear(4, 16))


# 9 What should be refused, and is to say why
@named("samples-noise")  # noise drawn inside
def _():
    return Of(lambda m, z: torch.sigmoid(m.out(m.a(z) + 0.1 * torch.randn_like(m.a(z)))).view(-1, 1, 8, 8), a=nn.Linear(4, 8), out=nn.Linear(8, 64))


@named("voxels")  # convolutions over three axes
def _():
    return seq(nn.Linear(4, 16), nn.Unflatten(1, (2, 2, 2, 2)), nn.ConvTranspose3d(2, 1, 2, 2), nn.Flatten(), nn.Sigmoid())


def export(module, z, path, older):
    options = dict(input_names=["z"], output_names=["x"])
    if older:
        torch.onnx.export(module, (z[:2],), path, dynamo=False, dynamic_axes={"z": {0: "n"}, "x": {0: "n"}}, **options)
        return
    try:
        torch.onnx.export(module, (z[:2],), path, dynamo=True, dynamic_shapes=({0: torch.export.Dim("batch")},), verbose=False, **options)
    except Exception:
        # What cannot be exported for any batch is exported for one.
        torch.onnx.export(module, (z[:1],), path, dynamo=True, verbose=False, **options)


def main():
    redial, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    counts, refused = {}, []
    for name, (make, width, distance, flags) in ALL.items():
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        torch.manual_seed(7)
        module = make().eval()
        # As after training: instances that differ, running statistics that are not 0 and 1.
        with torch.no_grad():
            for part in module.modules():
                if isinstance(part, (nn.Linear, nn.Conv2d, nn.ConvTranspose2d)) and "parametrizations" not in part._modules and not hasattr(part, "weight_orig"):
                    part.weight.mul_(1.5)
        for part in module.modules():
            if isinstance(part, nn.modules.batchnorm._BatchNorm) and part.running_mean is not None:
                part.running_mean.normal_(0, 0.2), part.running_var.uniform_(0.5, 1.5)
        z = torch.randn(ROWS, width)
        choices = [int(n) for flag, n in zip(flags, flags[1:]) if flag == "--choice"]
        if choices:
            z[:, : choices[0]] = torch.eye(choices[0])[torch.arange(ROWS) % choices[0]]
        with torch.no_grad():
            x = module(z)
        np.save(out / f"{name}.latents.npy", z.numpy())
        np.save(out / f"{name}.outputs.npy", x.reshape(ROWS, -1).numpy())
        for older in (False, True):
            kind = "older" if older else "dynamo"
            path = out / f"{name}-{kind}.onnx"
            try:
                with open(os.devnull, "w") as quiet:
                    stdout, sys.stdout = sys.stdout, quiet
                    try:
                        if not path.exists():
                            export(module, z, str(path), older)
                    finally:
                        sys.stdout = stdout
            except Exception as error:
                counts[kind, "not exported"] = counts.get((kind, "not exported"), 0) + 1
                print(f"{name:28} {kind:7} not exported: {str(error).strip().splitlines()[0][:150]}")
                continue
            series = ["--shape", str(x.shape[1])] if distance != "bray-curtis" else []
            command = [redial, "models", "import", path, "--name", f"{name}-{kind}", "--models", out / "models", "--replace", "--latents", out / f"{name}.latents.npy", "--outputs", out / f"{name}.outputs.npy", "--distance", distance, "--threshold", "0.00001", *series, *flags]
            found = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if found.returncode == 0:
                counts[kind, "imported"] = counts.get((kind, "imported"), 0) + 1
                difference = re.search(r"largest difference (\S+)", found.stdout)
                how = re.search(r"decoding +(.*)", found.stdout).group(1)
                print(f"{name:28} {kind:7} {difference.group(1):9} {how}", flush=True)
            else:
                counts[kind, "refused"] = counts.get((kind, "refused"), 0) + 1
                why = found.stderr.strip().replace("\n", " ")
                refused.append((name, kind))
                print(f"{name:28} {kind:7} REFUSED   {why[:400]}", flush=True)
    print(len(ALL), "decoders;", ", ".join(f"{kind} {what}: {n}" for (kind, what), n in sorted(counts.items())))


if __name__ == "__main__":
    main()
