"""Decoders of Keras, on TensorFlow, JAX or PyTorch."""

import contextlib

from .._program import RedialError
from .framework import Exporter, Framework, is_of
from .jax import Jax
from .pytorch import PyTorch


class Keras(Framework):
    """A model or a layer of Keras."""

    name = "Keras"

    @classmethod
    def takes(cls, decoder):
        return is_of(decoder, {"keras", "tf_keras", "tensorflow"}, "Layer")

    def decode(self, rows):
        return self.decoder(rows, training=False)

    def exporters(self):
        backend = self._backend()
        if backend == "tensorflow":
            needs, others = ("tf2onnx", "onnx"), [Exporter("tf2onnx.convert.from_function", ("tf2onnx", "onnx"), self._by_tf2onnx)]
        elif backend == "jax":
            needs, others = ("jax2onnx",), Jax(lambda z: self.decoder(z, training=False)).exporters()
        elif backend == "torch":
            needs, others = ("onnx",), PyTorch(self.decoder).exporters()
        else:
            raise RedialError(f"Keras exports nothing on {backend}: set KERAS_BACKEND to tensorflow, jax or torch, and load the decoder again")
        return [Exporter('keras.Model.export, format="onnx"', needs, self._by_keras), *others]

    def evaluating(self):
        # `training=False` does for Keras; PyTorch's exporters, on that backend, ask the module.
        return PyTorch(self.decoder).evaluating() if PyTorch.takes(self.decoder) else contextlib.nullcontext()

    def _backend(self):
        # Keras 2, also as tf_keras, has TensorFlow alone.
        if not is_of(self.decoder, {"keras"}, "Operation"):
            return "tensorflow"
        import keras

        return keras.backend.backend()

    def _by_keras(self, rows, path, any_batch):
        import keras

        model = self.decoder
        if not isinstance(model, keras.Model):
            # A layer has no `export`.
            z = keras.Input(rows.shape[1:], name="z")
            model = keras.Model(z, model(z))
        shape = (None if any_batch else 1, *rows.shape[1:])
        model.export(str(path), format="onnx", verbose=False, input_signature=[keras.InputSpec(shape=shape, dtype="float32", name="z")])

    def _by_tf2onnx(self, rows, path, any_batch):
        import tensorflow as tf
        import tf2onnx

        z = tf.TensorSpec((None if any_batch else 1, *rows.shape[1:]), tf.float32, name="z")
        tf2onnx.convert.from_function(tf.function(lambda z: self.decoder(z, training=False)), [z], output_path=str(path))
