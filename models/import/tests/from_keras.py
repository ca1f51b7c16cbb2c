"""Makes small decoders in Keras, as a lab would export them, with what they decode.

For each: NAME.onnx, NAME.latents.npy (what a held-out set would be) and
NAME.outputs.npy (Keras' own output for these latents).

    pip install tensorflow keras tf2onnx onnx
    python3 models/import/tests/from_keras.py models/import/tests/fixtures

The fixtures there were made with keras 3.15.1, tensorflow 2.21.0, tf2onnx 1.17.0.
"""

import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers as L  # noqa: E402

OUT = sys.argv[1]
ROWS = 10


def grey():
    """Pictures of 20 rows and 12 columns."""
    return keras.Sequential([
        keras.Input((5,)),
        L.Dense(5 * 3 * 6),
        L.BatchNormalization(),
        L.LeakyReLU(negative_slope=0.2),
        L.Reshape((5, 3, 6)),
        L.Conv2DTranspose(4, 4, strides=2, padding="same", use_bias=False),
        L.BatchNormalization(),
        L.ReLU(),
        L.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid"),
    ])


def rgb():
    """Colour pictures of 12 by 16, flattened as Keras does: the three colours of a pixel together."""
    return keras.Sequential([
        keras.Input((4,)),
        L.Dense(3 * 4 * 6, activation="elu"),
        L.Reshape((3, 4, 6)),
        L.UpSampling2D(),
        L.Conv2D(4, 3, padding="same", activation="relu"),
        L.UpSampling2D(),
        L.Conv2D(3, 3, padding="same", activation="sigmoid"),
        L.Flatten(),
    ])


def series():
    """Curves of 24 points."""
    return keras.Sequential([
        keras.Input((3,)),
        L.Dense(16, activation="tanh"),
        L.Dense(16, activation="softplus"),
        L.BatchNormalization(),
        L.Dense(24),
    ])


def cropped():
    """Curves of 20 points: transposed convolution along one axis, two points cut at each end."""
    return keras.Sequential([
        keras.Input((3,)),
        L.Dense(6 * 4, activation="tanh"),
        L.Reshape((6, 4)),
        L.Conv1DTranspose(3, 4, 2, "same"),
        L.ReLU(),
        L.UpSampling1D(2),
        L.Conv1D(1, 3, padding="same"),
        L.Cropping1D(2),
    ])


def settle(model):
    """Numbers as after training: moving means and variances of batch norm are not 0 and 1."""
    random = np.random.default_rng(1)
    for layer in model.layers:
        if isinstance(layer, L.BatchNormalization):
            n = layer.gamma.shape[0]
            layer.set_weights([
                random.uniform(low, high, n).astype("float32")
                for low, high in [(0.5, 1.5), (-0.5, 0.5), (-0.5, 0.5), (0.3, 2.0)]
            ])


def export(name, make):
    keras.utils.set_random_seed(0)
    model = make()
    settle(model)
    z = np.random.default_rng(0).standard_normal((ROWS, *model.input_shape[1:])).astype("float32")
    outputs = np.asarray(model(z, training=False))
    model.export(os.path.join(OUT, f"{name}.onnx"), format="onnx", verbose=False)
    np.save(os.path.join(OUT, f"{name}.latents.npy"), z)
    np.save(os.path.join(OUT, f"{name}.outputs.npy"), outputs)


export("keras-grey", grey)
export("keras-rgb", rgb)
export("keras-series", series)
export("keras-cropped", cropped)
