"""What `redial.layers` writes down decodes as PyTorch does, with every layer that it takes, and what it
does not take is refused by name. In an empty folder:

    python layers.py
"""

import numpy as np
import redial
import torch as t
from safetensors.torch import save_file

nn = t.nn
t.manual_seed(0)

maps = nn.Sequential(
    nn.Linear(4, 24),
    nn.BatchNorm1d(24),
    nn.LeakyReLU(0.1),
    nn.Dropout(0.5),
    nn.Linear(24, 6 * 2 * 3),
    nn.Tanh(),
    nn.Unflatten(1, (6, 2, 3)),
    # A Sequential within it, whose parts have names.
    nn.Sequential(
        nn.ConvTranspose2d(6, 5, 3, stride=2, padding=1, output_padding=1),
        nn.BatchNorm2d(5),
        nn.ELU(0.7),
    ),
    nn.Upsample(scale_factor=2, mode="nearest"),
    nn.Conv2d(5, 4, 3, padding=1),
    nn.Softplus(),
    nn.Identity(),
    nn.Conv2d(4, 8, 3, padding=1, groups=4),
    nn.ConvTranspose2d(8, 4, 3, padding=1, groups=2),
    nn.UpsamplingNearest2d(scale_factor=2),
    nn.Conv2d(4, 3, 3, stride=2, padding=1, bias=False),
    nn.Sigmoid(),
)
# A vector that is read as a picture, by way of maps.
vector = nn.Sequential(
    nn.Linear(3, 32), nn.ReLU(), nn.Unflatten(-1, (2, 4, 4)), nn.Conv2d(2, 2, 1), nn.Flatten(), nn.Linear(32, 16), nn.Sigmoid()
)

for name, decoder, shape in (("maps", maps, "8x12x3"), ("vector", vector, "4x4x1")):
    # Running means and variances that are not those of a new layer.
    for module in decoder.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
    decoder.eval()
    save_file(decoder.state_dict(), f"{name}.safetensors", metadata={"redial": redial.layers(decoder)})
    latents = t.randn(50, decoder[0].in_features)
    np.save(f"{name}.latents.npy", latents.numpy())
    with t.no_grad():
        np.save(f"{name}.outputs.npy", decoder(latents).numpy())
    # The import decodes the latents and refuses what differs from PyTorch's own outputs.
    said = redial.run("models", "import", f"{name}.safetensors", shape=shape, distance="bray-curtis", threshold=0.0001, models="my-models")
    print(said)
    assert "50 instances with the reference" in said, said

# One weight is another than what the outputs were computed with.
state = {key: value.clone() for key, value in vector.state_dict().items()}
state["0.weight"] += 0.5
save_file(state, "vector.safetensors", metadata={"redial": redial.layers(vector)})
try:
    redial.run("models", "import", "vector.safetensors", name="wrong", shape="4x4x1", distance="bray-curtis", threshold=0.0001, models="my-models")
except redial.RedialError as error:
    assert "differ" in str(error), error
else:
    raise AssertionError("a decoder that differs from its outputs was imported")


class Own(nn.Module):
    def forward(self, x):
        return x


for decoder, named in (
    (Own(), "Own"),
    (nn.Sequential(nn.Linear(2, 2), Own()), "module 1 is a Own"),
    (nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.GELU())), "module 0.1 is a GELU"),
    (nn.Sequential(nn.Conv2d(2, 2, 3, dilation=2)), "dilation"),
    (nn.Sequential(nn.Conv2d(2, 2, 3, padding="same")), "padding"),
    (nn.Sequential(nn.Conv2d(2, 2, (3, 5))), "kernel_size"),
    (nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear")), "mode"),
    (nn.Sequential(nn.Upsample(size=(4, 4))), "whole number of times"),
    (nn.Sequential(nn.Unflatten(1, (2, 2))), "channels, rows and columns"),
    (nn.Sequential(nn.BatchNorm1d(2, affine=False)), "affine"),
    (nn.Sequential(nn.Softplus(beta=2)), "beta"),
):
    try:
        redial.layers(decoder)
    except redial.RedialError as error:
        assert named in str(error) and "ONNX" in str(error), error
    else:
        raise AssertionError(f"{decoder} was written down")
print("Layers are written down as they are.")
