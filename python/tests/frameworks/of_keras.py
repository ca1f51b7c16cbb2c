"""Decoders of Keras become models that decode as Keras does, on the backend that KERAS_BACKEND names. In an empty
folder:

    KERAS_BACKEND=jax python of_keras.py
"""

from common import hidden, imported, out, refused, same, without

import keras

L = keras.layers
keras.utils.set_random_seed(0)
backend = keras.backend.backend()
decoder = keras.Sequential(
    [L.Input((5,)), L.Dense(16, "tanh", use_bias=False), L.Dense(84, "sigmoid", use_bias=False), L.Reshape((4, 7, 3))]
)
decoder.set_weights([hidden, out.reshape(16, -1)])
same(f"keras-{backend}", decoder)
# Of a flat output it has to be said that colours are last.
flat = keras.Sequential(decoder.layers[:-1])
refused(flat, "--channels", shape="4x7x3")
same(f"keras-flat-{backend}", flat, shape="4x7x3", channels="last")

# Models, a layer of one's own, and what Keras itself does not export.
z = keras.Input((5,))
x = L.Reshape((4, 7, 4))(L.Dense(112, activation="relu")(z))
x = L.UpSampling2D()(L.Dropout(0.5)(L.BatchNormalization()(x)))
imported(keras.Model(z, L.Conv2DTranspose(3, 3, padding="same", activation="sigmoid")(x)), f"maps-{backend}")
imported(keras.Sequential([L.Dense(28, activation="sigmoid"), L.Reshape((4, 7))]), f"sequential-{backend}")


def call(self, z, training=None):
    return keras.ops.reshape(keras.ops.sigmoid(self.dense(z)), (-1, 4, 7))


def without_export(self, *_, **__):
    raise ValueError("this model is not exported")


for base, more in ((L.Layer, {}), (keras.Model, {}), (keras.Model, {"export": without_export})):
    decoder = type("Own", (base,), {"call": call, **more})()
    decoder.dense = L.Dense(28)
    imported(decoder, f"{base.__name__}-{len(more)}-{backend}".lower())

with without("onnx", "onnxscript", "tf2onnx", "jax2onnx"):
    refused(decoder, "the decoder of Keras", "keras.Model.export", "not installed", "pip install")
print(f"Decoders of Keras {keras.__version__} on {backend} are imported.")
