"""Decoders of JAX: functions, and modules of Flax and Equinox with their parameters."""

import sys

import numpy as np

from .._program import RedialError
from .framework import Exporter, Framework, is_of, sample


class Jax(Framework):
    """A function of JAX."""

    name = "JAX"
    hint = ". A function of a single latent vector becomes one of many by jax.vmap; a function of PyTorch goes into the forward of a torch.nn.Module"

    @classmethod
    def takes(cls, decoder):
        # Who has a function of JAX has imported JAX.
        return callable(decoder) and "jax" in sys.modules

    def __init__(self, decoder):
        super().__init__(_evaluated(decoder))

    def decode(self, rows):
        import jax
        import jax.numpy as jnp

        values = self.decoder(jnp.asarray(rows))
        if isinstance(values, np.ndarray) and not isinstance(values, jax.Array):
            raise RedialError("it computes with numpy, not with JAX; use jax.numpy in it")
        return values

    def exporters(self):
        # jax2tf with tf2onnx was a second way. It ended when jax2tf stopped writing graphs of TensorFlow: what it
        # writes now is StableHLO, which tf2onnx does not read.
        return [Exporter("jax2onnx.to_onnx", ("jax2onnx",), self._by_jax2onnx)]

    def _by_jax2onnx(self, rows, path, any_batch):
        import jax2onnx

        batch = "batch" if any_batch else 1
        of = sample(rows, any_batch)
        jax2onnx.to_onnx(self.decoder, [(batch, *of.shape[1:])], return_mode="file", output_path=str(path), input_names=["z"], output_names=["x"])


def _evaluated(decoder):
    """The decoder in evaluation mode, as far as it has one."""
    if is_of(decoder, {"flax"}, "ModuleBase") and decoder.scope is None:
        raise RedialError(
            "a module of Flax comes with its parameters: give decoder.bind(variables), or lambda z: decoder.apply(variables, z)"
        )
    if any(kind.__module__.startswith("flax.nnx") for kind in type(decoder).__mro__):
        from flax import nnx

        # A copy, since `eval` sets the mode of all parts, and nothing tells how they were.
        decoder = nnx.clone(decoder)
        decoder.eval()
    return decoder

