"""Functions of JAX, and modules of Flax, become models that decode as JAX does. In an empty folder:

    python of_jax.py
"""

import flax.linen as linen
import jax
import numpy as np
from common import hidden, imported, latents, out, refused, same, without
from flax import nnx

same("jax", lambda z: jax.nn.sigmoid(jax.numpy.tanh(z @ hidden) @ out.reshape(16, -1)).reshape(-1, 4, 7, 3))


# Flax with its parameters, either as a function or bound, and Flax NNX.
class Decoder(linen.Module):
    @linen.compact
    def __call__(self, z, train=False):
        x = linen.Dense(4 * 7 * 4)(linen.relu(linen.Dense(16)(z))).reshape((z.shape[0], 4, 7, 4))
        x = linen.BatchNorm(use_running_average=not train)(x)
        x = linen.relu(linen.ConvTranspose(4, (3, 3), strides=(2, 2))(x))
        return linen.sigmoid(linen.Conv(3, (3, 3))(x))


flax = Decoder()
variables = flax.init(jax.random.key(0), latents[:2])
imported(lambda z: flax.apply(variables, z), "flax-function")
imported(flax.bind(variables), "flax-bound", latents=jax.numpy.asarray(latents))
refused(flax, "decoder.bind(variables)")


class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.dense, self.dropout = nnx.Linear(5, 28, rngs=rngs), nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, z):
        return nnx.sigmoid(self.dropout(self.dense(z))).reshape(-1, 4, 7)


trained = Nnx(nnx.Rngs(0))
imported(trained, "flax-nnx")
assert not trained.dropout.deterministic
imported(jax.jit(jax.vmap(lambda z: jax.nn.sigmoid(jax.numpy.outer(z, z[:4])))), "jax-function")

refused(lambda z: (z, z), "it gives a tuple, not an array")
refused(lambda z: np.tanh(np.asarray(z)), "computes with numpy")
refused(lambda z: jax.nn.sigmoid(z[:4]).reshape(2, 2), "jax.vmap")
refused(
    lambda z: jax.image.resize(jax.nn.sigmoid(z)[:, :4].reshape(-1, 2, 2), (len(z), 4, 7), "linear"),
    "jax2onnx.to_onnx, for any batch", "jax2onnx.to_onnx, for a batch of 1", "antialias", "Change in the decoder",
)  # fmt: skip
with without("jax2onnx"):
    refused(flax.bind(variables), "not installed: jax2onnx", "pip install jax2onnx")
print(f"Functions of JAX {jax.__version__} are imported.")
