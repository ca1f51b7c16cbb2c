"""The trainer's twin in PyTorch: the same networks, losses, schedule and tensor names.

It exists for two things. It is an independent check of the Rust trainer's losses
and gradients (`reference.py` writes the numbers that `training/tests` compare
with), and it trains the image models several times faster where a GPU or oneDNN
is at hand. What it writes is adopted with

    cargo run --release -p training -- publish mnist ae5 --weights data/twin/mnist-ae5.safetensors

which measures the model again, in Rust, and writes the bundle. Needs torch,
numpy and safetensors; `python3 twin.py --help` tells the rest.
"""

import argparse
import json
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

from soap import Soap

BN = dict(eps=1e-3, momentum=0.01)
BETA_TC = 10.0
# InfoGAN's weights of the two kinds of codes.
CATEGORY, CONTINUOUS = 1.0, 0.3


class Net(nn.Module):
    """Layers by name, so that a state dict has the names of the Rust trainer's."""

    def __init__(self, layers):
        super().__init__()
        self.order = []
        for name, layer in layers:
            self.add_module(name, layer)
            self.order.append(name)

    def forward(self, x):
        for name in self.order:
            x = getattr(self, name)(x)
        return x


def conv(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 4, 2, 1)


def up(inputs, outputs):
    return nn.ConvTranspose2d(inputs, outputs, 4, 2, 1)


def mnist_decoder(width):
    return Net([
        ("dense1", nn.Linear(width, 1024)), ("norm1", nn.BatchNorm1d(1024, **BN)), ("a1", nn.LeakyReLU(0.2)),
        ("dense2", nn.Linear(1024, 6272)), ("norm2", nn.BatchNorm1d(6272, **BN)), ("a2", nn.LeakyReLU(0.2)),
        ("maps", nn.Unflatten(1, (128, 7, 7))),
        ("up1", up(128, 64)), ("norm3", nn.BatchNorm2d(64, **BN)), ("a3", nn.LeakyReLU(0.2)),
        ("up2", up(64, 1)),
    ])


def mnist_encoder(outputs, activation=nn.ReLU):
    return Net([
        ("conv1", conv(1, 64)), ("a1", activation()),
        ("conv2", conv(64, 128)), ("norm1", nn.BatchNorm2d(128, **BN)), ("a2", activation()),
        ("flat", nn.Flatten()),
        ("dense1", nn.Linear(6272, 1024)), ("norm2", nn.BatchNorm1d(1024, **BN)), ("a3", activation()),
        ("dense2", nn.Linear(1024, outputs)),
    ])


def dsprites_decoder(width):
    return Net([
        ("dense1", nn.Linear(width, 256)), ("a1", nn.ReLU()),
        ("dense2", nn.Linear(256, 512)), ("a2", nn.ReLU()), ("maps", nn.Unflatten(1, (32, 4, 4))),
        ("up1", up(32, 32)), ("a3", nn.ReLU()), ("up2", up(32, 32)), ("a4", nn.ReLU()),
        ("up3", up(32, 32)), ("a5", nn.ReLU()), ("up4", up(32, 1)),
    ])


def dsprites_encoder(outputs):
    return Net([
        ("conv1", conv(1, 32)), ("a1", nn.ReLU()), ("conv2", conv(32, 32)), ("a2", nn.ReLU()),
        ("conv3", conv(32, 32)), ("a3", nn.ReLU()), ("conv4", conv(32, 32)), ("a4", nn.ReLU()),
        ("flat", nn.Flatten()), ("dense1", nn.Linear(512, 256)), ("a5", nn.ReLU()),
        ("dense2", nn.Linear(256, 256)), ("a6", nn.ReLU()), ("dense3", nn.Linear(256, outputs)),
    ])


def glorot(module):
    if isinstance(module, (nn.Linear, nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)


def bernoulli(logits, target):
    return F.binary_cross_entropy_with_logits(logits, target, reduction="sum") / len(target)


def kl(mean, log_variance):
    return 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(1).mean()


def total_correlation(z, mean, log_variance, rows):
    """Minibatch-weighted estimate of KL(q(z) || Π q(z_j)), Chen et al. 2018."""
    batch = len(z)
    density = -0.5 * (math.log(2 * math.pi) + log_variance[None]
                      + (z[:, None] - mean[None]) ** 2 / log_variance[None].exp())
    weight = math.log(batch * rows)
    joint = torch.logsumexp(density.sum(2), 1) - weight
    marginals = (torch.logsumexp(density, 1) - weight).sum(1)
    return (joint - marginals).mean()


def losses(kind, encoder, decoder, x, labels, rows, noise):
    """Terms of the loss on a batch: their sum is minimised."""
    out = encoder(x).float()
    d = out.shape[1] if kind == "ae" else out.shape[1] // 2
    mean = out[:, :d]
    if kind == "ae":
        return dict(reconstruction=bernoulli(decoder(mean).float(), x))
    log_variance = out[:, d:]
    z = mean + noise * (0.5 * log_variance).exp()
    given = torch.cat([F.one_hot(labels, 10).float(), z], 1) if kind == "ss" else z
    terms = dict(reconstruction=bernoulli(decoder(given).float(), x), kl=kl(mean, log_variance))
    if kind in ("tc", "ss"):
        terms["tc"] = (BETA_TC - 1) * total_correlation(z, mean, log_variance, rows)
    return terms


def learning_rate(initial, iteration, iterations):
    fall = min(max((iteration / iterations - 0.5) * 2, 0), 1)
    return initial * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * fall)))


def mnist(folder):
    def read(name, skip):
        return np.fromfile(os.path.join(folder, "mnist", name), np.uint8)[skip:]
    def part(name):
        x = read(f"{name}-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
        return torch.from_numpy(x.copy()), torch.from_numpy(read(f"{name}-labels-idx1-ubyte", 8).astype(np.int64))
    (x, y), (tx, ty) = part("train"), part("t10k")
    return dict(rows=len(x), test=(tx.float() / 255, ty), take=lambda i: (x[i].float() / 255, y[i]))


def dsprites(folder):
    """Packed bits and the split, written by `cargo run --release -p training -- data dsprites`."""
    bits = np.fromfile(os.path.join(folder, "dsprites", "pictures.bits"), np.uint8).reshape(-1, 512)
    train = np.fromfile(os.path.join(folder, "dsprites", "train.u32"), np.uint32)
    test = np.fromfile(os.path.join(folder, "dsprites", "held_out.u32"), np.uint32)
    factors = np.fromfile(os.path.join(folder, "dsprites", "factors.f32"), np.float32).reshape(-1, 5)

    def pictures(rows):
        x = np.unpackbits(bits[rows], axis=1).astype(np.float32)
        return torch.from_numpy(x.reshape(-1, 1, 64, 64)), torch.from_numpy(factors[rows])
    return dict(rows=len(train), test=pictures(test[:10000]), take=lambda i: pictures(train[i.numpy()]))


MODELS = {
    "mnist-ae5": ("ae", 5), "mnist-vae5": ("vae", 5), "mnist-tc5": ("tc", 5), "mnist-ss5": ("ss", 5),
    "mnist-ae10": ("ae", 10), "mnist-tc10": ("tc", 10), "mnist-ss10": ("ss", 10), "mnist-ig5": ("ig", 5),
    "dsprites-ae5": ("ae", 5), "dsprites-vae5": ("vae", 5), "dsprites-gt5": ("gt", 5),
}


class Trainer:
    def __init__(self, name, args):
        self.name, self.args = name, args
        self.kind, self.d = MODELS[name]
        torch.manual_seed(args.seed)
        on_mnist = name.startswith("mnist")
        self.data = (mnist if on_mnist else dsprites)(args.data)
        width = self.d + (10 if self.kind in ("ss", "ig") else 0)
        self.nets = nn.ModuleDict()
        outputs = self.d * (1 if self.kind == "ae" else 2)
        if self.kind == "ig":
            lrelu = lambda: nn.LeakyReLU(0.2)
            trunk = mnist_encoder(1, lrelu)
            trunk.order.remove("dense2")
            self.nets["discriminator"] = trunk
            self.nets["recogniser"] = Net([("dense1", nn.Linear(1024, 128)), ("norm1", nn.BatchNorm1d(128, **BN)),
                                           ("a1", lrelu()), ("dense2", nn.Linear(128, 15))])
        elif self.kind != "gt":
            self.nets["encoder"] = (mnist_encoder if on_mnist else dsprites_encoder)(outputs)
        self.nets["decoder"] = (mnist_decoder if on_mnist else dsprites_decoder)(width)
        self.nets.apply(glorot)
        if not on_mnist:
            # Measured a tenth faster on the CPU; MNIST's small maps gain nothing.
            self.nets.to(memory_format=torch.channels_last)
        if self.kind == "ig":
            self.groups = {
                "d": [p for n, p in self.nets.named_parameters() if not n.startswith("decoder")],
                "g": [p for n, p in self.nets.named_parameters() if n.startswith("decoder")],
            }
            self.rates = self.first_rates = {"d": 2e-4, "g": 1e-3}
            betas = (0.5, 0.999)
        else:
            self.groups = {"all": list(self.nets.parameters())}
            adam_rate = 1e-3 if on_mnist else 5e-4
            self.rates = {"all": args.learning_rate or adam_rate}
            self.first_rates = {"all": adam_rate}
            betas = (0.9, 0.999)
        self.adam = lambda rates: {k: torch.optim.Adam(p, rates[k], betas=betas, fused=True) for k, p in self.groups.items()}
        self.iteration = 0
        # Whole schedules so far, for the card: a resumed run may have had several.
        self.history = []
        self.path = os.path.join(args.data, "twin", name)
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if args.resume and os.path.exists(self.path + ".pt"):
            state = torch.load(self.path + ".pt")
            self.nets.load_state_dict(state["nets"])
            self.iteration, self.history = state["iteration"], state.get("history", [])
            self.start()
            # Another optimiser than the last one has nothing to go on from.
            if not self.history or self.history[-1]["optimiser"] == self.optimiser:
                for k, o in self.optimisers.items():
                    o.load_state_dict(state["optimisers"][k])
            torch.manual_seed(args.seed * 1_000_003 + self.iteration)
        else:
            self.start()

    def segment(self):
        """How the next batches are done, in the card's words."""
        a = self.args
        return dict(optimiser=self.optimiser, iterations=a.iterations, batch=a.batch,
                    learning_rate=list(self.active.values()), bf16=a.bf16)

    def start(self):
        """Optimisers for the next batch."""
        a = self.args
        self.warming = a.soap and self.iteration < a.adam_first
        self.optimiser = "SOAP" if a.soap and not self.warming else "Adam"
        self.active = self.first_rates if self.warming else self.rates
        if self.optimiser == "SOAP":
            self.optimisers = {k: Soap(p, self.active[k]) for k, p in self.groups.items()}
        else:
            self.optimisers = self.adam(self.active)

    def step(self):
        args = self.args
        if self.warming and self.iteration == args.adam_first:
            self.start()
        if not self.history or {k: v for k, v in self.history[-1].items() if k != "to"} != self.segment():
            self.history.append(self.segment())
        self.history[-1]["to"] = self.iteration + 1
        for key, optimiser in self.optimisers.items():
            rate = learning_rate(self.active[key], self.iteration, args.iterations)
            for group in optimiser.param_groups:
                group["lr"] = rate
        self.iteration += 1
        rows = torch.randint(self.data["rows"], (args.batch,))
        x, labels = self.data["take"](rows)
        if self.name.startswith("dsprites"):
            x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16, enabled=args.bf16):
            terms = self.gan(x) if self.kind == "ig" else self.terms(x, labels)
        if self.kind != "ig":
            loss = sum(terms.values())
            self.optimisers["all"].zero_grad()
            loss.backward()
            self.optimisers["all"].step()
        return {k: float(v.detach()) for k, v in terms.items()}

    def terms(self, x, labels):
        if self.kind == "gt":
            return dict(reconstruction=bernoulli(self.nets["decoder"](labels).float(), x))
        noise = torch.randn(len(x), self.d)
        return losses(self.kind, self.nets["encoder"], self.nets["decoder"], x, labels, self.data["rows"], noise)

    def codes(self, n):
        digit = torch.randint(10, (n,))
        u = torch.rand(n, self.d) * 2 - 1
        return digit, u, torch.cat([F.one_hot(digit, 10).float(), u], 1)

    def gan(self, x):
        """InfoGAN (Chen et al. 2016), without the unstructured noise: every dimension is a dial.

        Both players maximise the mutual information between codes and picture, as in the
        paper's lower bound: the recogniser shares its trunk with the discriminator."""
        trunk, recogniser, decoder = (self.nets[k] for k in ("discriminator", "recogniser", "decoder"))
        digit, u, codes = self.codes(len(x))

        def information(features):
            q = recogniser(features).float()
            return F.cross_entropy(q[:, :10], digit), 0.5 * ((q[:, 10:] - u) ** 2).sum(1).mean()

        def judge(features, label):
            judged = trunk.dense2(features).float()
            return F.binary_cross_entropy_with_logits(judged, torch.full_like(judged, label))

        fake = torch.sigmoid(decoder(codes))
        features = trunk(fake.detach())
        category, continuous = information(features)
        # One-sided label smoothing keeps the discriminator from running away.
        d_loss = judge(trunk(x), 0.9) + judge(features, 0.0)
        self.optimisers["d"].zero_grad()
        (d_loss + CATEGORY * category + CONTINUOUS * continuous).backward()
        self.optimisers["d"].step()
        features = trunk(fake)
        category, continuous = information(features)
        g_loss = judge(features, 1.0)
        self.optimisers["g"].zero_grad()
        (g_loss + CATEGORY * category + CONTINUOUS * continuous).backward()
        self.optimisers["g"].step()
        return dict(discriminator=d_loss, generator=g_loss, category=category, continuous=continuous)

    @torch.no_grad()
    def held_out(self):
        self.nets.eval()
        x, labels = self.data["test"]
        total = dict(mean=0.0, sampled=0.0)
        for i in range(0, len(x), 500):
            part, label = x[i:i + 500], labels[i:i + 500]
            if self.kind == "gt":
                mean, noise = label, 0.0
            else:
                out = self.nets["encoder"](part)
                mean = out[:, :self.d]
                noise = 0.0 if self.kind == "ae" else torch.randn_like(mean) * (0.5 * out[:, self.d:]).exp()
            for k, z in (("mean", mean), ("sampled", mean + noise)):
                if self.kind == "ss":
                    z = torch.cat([F.one_hot(label, 10).float(), z], 1)
                total[k] += float(((torch.sigmoid(self.nets["decoder"](z)) - part) ** 2).sum())
        self.nets.train()
        return {k: v / len(x) for k, v in total.items()}

    def save(self):
        torch.save(dict(nets=self.nets.state_dict(), optimisers={k: o.state_dict() for k, o in self.optimisers.items()},
                        iteration=self.iteration, history=self.history), self.path + ".pt.new")
        os.replace(self.path + ".pt.new", self.path + ".pt")
        tensors = {k: v.float().contiguous() for k, v in self.nets.state_dict().items() if "num_batches" not in k}
        a = self.args
        save_file(tensors, self.path + ".safetensors.new", metadata=dict(
            name=self.name, iteration=str(self.iteration), seed=str(a.seed), torch=torch.__version__,
            history=json.dumps(self.history)))
        os.replace(self.path + ".safetensors.new", self.path + ".safetensors")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default="data")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bf16", action="store_true", help="multiply in bfloat16, keep weights in float32")
    parser.add_argument("--soap", action="store_true", help="SOAP instead of Adam: far fewer batches for narrow layers")
    parser.add_argument("--adam-first", type=int, default=0, metavar="N",
                        help="with --soap: the first N batches with Adam, at its own learning rate")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    run = Trainer(args.model, args)
    since, sums, count = time.time(), {}, 0
    while run.iteration < args.iterations:
        for k, v in run.step().items():
            sums[k] = sums.get(k, 0.0) + v
        count += 1
        if run.iteration % 250 == 0 or run.iteration == args.iterations:
            per = (time.time() - since) / count
            print(args.model, f"{run.iteration}/{args.iterations}", *(f"{k} {v / count:.3f}" for k, v in sums.items()),
                  f"{per * 1000:.0f} ms per batch, {per * (args.iterations - run.iteration) / 60:.1f} min left", flush=True)
            since, sums, count = time.time(), {}, 0
        if run.iteration % 1000 == 0 or run.iteration == args.iterations:
            run.save()
            if run.kind != "ig":
                print(args.model, run.iteration, "held out", run.held_out(), flush=True)
                since, count, sums = time.time(), 0, {}


if __name__ == "__main__":
    main()
