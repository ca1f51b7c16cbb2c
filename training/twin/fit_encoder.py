"""Fits an encoder to a decoder that is kept as it is.

For models whose encoder was not kept. Without one, ranges and percentiles cannot be measured over
every held-out row. Training such a model anew would give another decoder, and questions, targets
and distances of studies that ran with the old one would belong to a model that is gone. So the
decoder of the bundle is held fixed, and an encoder is trained with the model's own loss. In the
first part, pairs that the decoder itself makes from mixtures of the bundle's held-out latent
vectors show the way, since a decoder alone has many solutions.

How good it is, is seen on the bundle's latent vectors, which the lost encoder has made and which
this one is never shown with their instances:

    python3 fit_encoder.py dsprites-ae5 --zoo ../../models/zoo

What it writes is adopted as all that the twin trains:

    cargo run --release -p training -- publish dsprites ae5 --weights data/twin/dsprites-ae5.safetensors
"""

import argparse
import json
import os
import time

import numpy as np
import torch
from safetensors.torch import load_file, save_file

import twin

# The share of batches that have pairs of the decoder's own, and the weight of their error.
WITH_PAIRS, PAIRS = 0.6, 20.0
RATE = 1e-3
# Where variances of a new encoder begin: e^-2, as trained ones are narrow.
LOG_VARIANCE = -2.0


class Fit:
    def __init__(self, args):
        self.args, self.name = args, args.model
        self.kind, self.d = twin.MODELS[args.model]
        torch.manual_seed(args.seed)
        self.data = twin.dsprites(args.data)
        bundle = os.path.join(args.zoo, args.model)
        with open(os.path.join(bundle, "card.json")) as file:
            self.made = json.load(file)["provenance"]
        self.decoder = twin.dsprites_decoder(self.d)
        weights = load_file(os.path.join(bundle, "weights.safetensors"))
        self.decoder.load_state_dict({k.removeprefix("decoder."): v.float() for k, v in weights.items()})
        self.decoder.requires_grad_(False)
        self.z = load_file(os.path.join(bundle, "held_out.safetensors"))["z"]
        self.mean, self.sd = self.z.mean(0), self.z.std(0)
        self.encoder = twin.dsprites_encoder(self.d if self.kind == "ae" else 2 * self.d)
        twin.glorot(self.encoder)
        for net in (self.encoder, self.decoder):
            net.to(memory_format=torch.channels_last)
        self.adam = torch.optim.Adam(self.encoder.parameters(), RATE, fused=True)
        self.batch = 0
        self.path = os.path.join(args.data, "twin", args.model + "-fit.pt")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if args.resume and os.path.exists(self.path):
            state = torch.load(self.path)
            self.encoder.load_state_dict(state["enc"])
            self.adam.load_state_dict(state["opt"])
            self.batch = state["it"]
            torch.manual_seed(args.seed * 1_000_003 + self.batch)

    def encode(self, x):
        """Means, and log variances where the model has them. The net itself gives standard units."""
        out = self.encoder(x.contiguous(memory_format=torch.channels_last)).float()
        mean = out[:, :self.d] * self.sd + self.mean
        return mean, None if self.kind == "ae" else out[:, self.d:] + LOG_VARIANCE

    def step(self):
        size, share = self.args.batch, self.batch / self.args.batches
        for group in self.adam.param_groups:
            group["lr"] = twin.learning_rate(RATE, self.batch, self.args.batches)
        x, _ = self.data["take"](torch.randint(self.data["rows"], (size,)))
        with torch.autocast("cpu", torch.bfloat16):
            mean, log_variance = self.encode(x)
            z = mean if log_variance is None else mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
            loss = twin.bernoulli(self.decoder(z).float(), x)
            if log_variance is not None:
                loss = loss + twin.kl(mean, log_variance)
            if share < WITH_PAIRS:
                one, other = torch.randint(len(self.z), (2, size))
                z = self.z[one] + torch.rand(size, 1) * (self.z[other] - self.z[one])
                z = z + 0.2 * self.sd * torch.randn_like(z)
                with torch.no_grad():
                    made = torch.sigmoid(self.decoder(z).float())
                loss = loss + PAIRS * (((self.encode(made)[0] - z) / self.sd) ** 2).sum(1).mean()
        self.adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 200.0)
        self.adam.step()
        self.batch += 1
        return float(loss.detach())

    @torch.no_grad()
    def agreement(self):
        """Squared error of 2,000 held-out pictures; and how far the means lie from the bundle's
        latent vectors: root mean square and median, in standard deviations of each dimension."""
        x = self.data["test"][0][:2000]
        mean = torch.cat([self.encode(part)[0] for part in x.split(500)])
        error = ((torch.sigmoid(self.decoder(mean)) - x) ** 2).sum((1, 2, 3)).mean()
        off = (mean[:len(self.z)] - self.z) / self.sd
        return float(error), off.square().mean(0).sqrt().tolist(), off.abs().quantile(0.5, 0).tolist()

    def save(self):
        torch.save(dict(enc=self.encoder.state_dict(), opt=self.adam.state_dict(), it=self.batch), self.path + ".new")
        os.replace(self.path + ".new", self.path)

    def write(self):
        """The model as the twin writes it: decoder and encoder, units and offsets in its last layer."""
        encoder = {k: v.clone().float() for k, v in self.encoder.state_dict().items()}
        weight, bias = encoder["dense3.weight"], encoder["dense3.bias"]
        weight[:self.d] *= self.sd[:, None]
        bias[:self.d] = bias[:self.d] * self.sd + self.mean
        bias[self.d:] += LOG_VARIANCE
        tensors = {"encoder." + k: v.contiguous() for k, v in encoder.items()}
        tensors |= {"decoder." + k: v.float().contiguous() for k, v in self.decoder.state_dict().items()}
        path = os.path.join(self.args.data, "twin", self.name + ".safetensors")
        segment = dict(optimiser="Adam", iterations=self.args.batches, batch=self.args.batch,
                       learning_rate=[RATE], bf16=True, to=self.batch)
        save_file(tensors, path + ".new", metadata=dict(
            name=self.name, iteration=str(self.made["iterations"]), seed=str(self.made["seed"]),
            torch=torch.__version__, history=json.dumps([segment]), decoder=self.made["note"]))
        os.replace(path + ".new", path)
        return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("model", choices=["dsprites-ae5", "dsprites-vae5"])
    parser.add_argument("--batches", type=int, default=12_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--zoo", default="models/zoo", help="folder of the bundles")
    parser.add_argument("--data", default="data")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    fit = Fit(args)
    since, total, count = time.time(), 0.0, 0
    while fit.batch < args.batches:
        total += fit.step()
        count += 1
        if fit.batch % 1000 == 0 or fit.batch == args.batches:
            fit.save()
            per = (time.time() - since) / count
            error, rms, median = fit.agreement()
            print(args.model, f"{fit.batch}/{args.batches}", f"loss {total / count:.2f}",
                  f"held-out error {error:.2f}", "off", np.round(rms, 4), "median", np.round(median, 4),
                  f"{per * 1000:.0f} ms per batch", flush=True)
            since, total, count = time.time(), 0.0, 0
    print(fit.write())


if __name__ == "__main__":
    main()
