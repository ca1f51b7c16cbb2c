"""Small functional Keras models in the style of public code, exported by tf2onnx and imported.

    pip install tensorflow keras tf2onnx onnx
    python3 models/import/tests/wide_from_keras.py target/release/redial /tmp/wide [NAME ...]

As wide_from_pytorch.py beside it. The counts in docs/bring-your-own-model.md were made with
keras 3.15.1, tensorflow 2.21.0 and tf2onnx 1.17.0.
"""

import os
import pathlib
import re
import subprocess
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from keras import layers as L  # noqa: E402
from keras import ops  # noqa: E402

ROWS = 12
ALL = {}


def named(name, distance="bray-curtis", flags=()):
    def keep(make):
        ALL[name] = (make, distance, flags)
        return make

    return keep


def start(z, maps, side=4):
    return L.Reshape((side, side, maps))(L.Dense(maps * side * side, activation="relu")(z))


@named("keras-vae")  # the VAE of Keras' own examples
def _(z):
    x = L.Conv2DTranspose(8, 3, activation="relu", strides=2, padding="same")(start(z, 8))
    return L.Conv2DTranspose(1, 3, activation="sigmoid", padding="same")(x)


@named("keras-residual")
def _(z):
    x = start(z, 6)
    y = L.BatchNormalization()(L.Conv2D(6, 3, padding="same")(x))
    x = L.ReLU()(L.Add()([x, y]))
    return L.Conv2D(3, 3, padding="same", activation="sigmoid")(L.UpSampling2D()(x))


@named("keras-dcgan", flags=("--values", "-1:1"))
def _(z):
    x = L.LeakyReLU()(L.BatchNormalization()(start(z, 6)))
    x = L.LeakyReLU()(L.BatchNormalization()(L.Conv2DTranspose(4, 5, strides=2, padding="same", use_bias=False)(x)))
    return L.Conv2DTranspose(1, 5, padding="same", use_bias=False, activation="tanh")(x)


@named("keras-group-norm-swish")
def _(z):
    x = L.Conv2D(8, 3, padding="same")(start(z, 8))
    x = L.Activation("swish")(L.GroupNormalization(groups=4)(x))
    x = L.UpSampling2D(interpolation="bilinear")(x)
    return L.Conv2D(1, 3, padding="same", activation="sigmoid")(x)


@named("keras-separable-se")
def _(z):
    x = L.SeparableConv2D(8, 3, padding="same", activation="gelu")(start(z, 6))
    s = L.Dense(8, activation="sigmoid")(L.Dense(4, activation="relu")(L.GlobalAveragePooling2D()(x)))
    x = L.Multiply()([x, L.Reshape((1, 1, 8))(s)])
    return L.Conv2DTranspose(1, 4, strides=2, padding="same", activation="sigmoid")(x)


@named("keras-attention")
def _(z):
    x = L.Reshape((16, 8))(L.Dense(128)(z))
    x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 4)(x, x))
    return L.Reshape((8, 8, 1))(L.Dense(4, activation="sigmoid")(x))


@named("keras-u-net")
def _(z):
    x = start(z, 2, 8)
    d = L.Conv2D(4, 3, padding="same", activation="relu")(x)
    b = L.Conv2D(6, 3, padding="same", activation="relu")(L.MaxPooling2D()(d))
    u = L.Concatenate()([L.UpSampling2D()(b), d])
    return L.Conv2D(1, 3, padding="same", activation="sigmoid")(u)


@named("keras-pixel-shuffle")
def _(z):
    x = L.Conv2D(16, 3, padding="same")(start(z, 8))
    return L.Lambda(lambda x: tf.nn.depth_to_space(tf.sigmoid(x[..., :12]), 2), output_shape=(8, 8, 3))(x)


@named("keras-film")
def _(z):
    x = L.Conv2D(6, 3, padding="same")(start(z, 6))
    gamma, beta = L.Reshape((1, 1, 6))(L.Dense(6)(z)), L.Reshape((1, 1, 6))(L.Dense(6)(z))
    return L.Conv2DTranspose(1, 4, strides=2, padding="same", activation="sigmoid")(ops.relu(x * gamma + beta))


@named("keras-lstm", distance="jaccard:0.01")
def _(z):
    x = L.LSTM(8, return_sequences=True)(L.RepeatVector(16)(z))
    return L.Flatten()(L.TimeDistributed(L.Dense(1))(x))


@named("keras-gru-bidirectional", distance="jaccard:0.01")
def _(z):
    x = L.Bidirectional(L.GRU(6, return_sequences=True))(L.RepeatVector(16)(z))
    return L.Flatten()(L.Dense(1)(x))


@named("keras-wavenet-like", distance="jaccard:0.01")
def _(z):
    x = L.Reshape((16, 6))(L.Dense(96)(z))
    for dilation in (1, 2, 4):
        a = L.Conv1D(6, 2, padding="causal", dilation_rate=dilation, activation="tanh")(x)
        b = L.Conv1D(6, 2, padding="causal", dilation_rate=dilation, activation="sigmoid")(x)
        x = x + a * b
    return L.Flatten()(L.Conv1D(1, 1)(x))


def main():
    redial, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for name, (make, distance, flags) in ALL.items():
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        keras.utils.set_random_seed(7)
        path = out / f"{name}.onnx"
        try:
            z = keras.Input((4,), name="z")
            model = keras.Model(z, make(z))
            latents = np.random.default_rng(7).normal(size=(ROWS, 4)).astype("f4")
            np.save(out / f"{name}.latents.npy", latents)
            np.save(out / f"{name}.outputs.npy", np.asarray(model(latents, training=False)).reshape(ROWS, -1))
            model.export(path, format="onnx", verbose=False)
        except Exception as error:
            counts["not exported"] = counts.get("not exported", 0) + 1
            print(f"{name:28} not exported: {str(error).strip().splitlines()[0][:150]}", flush=True)
            continue
        series = ["--shape", str(model.output_shape[1])] if distance != "bray-curtis" else []
        command = [redial, "models", "import", path, "--name", name, "--models", out / "models", "--replace", "--distance", distance, "--threshold", "0.00001", *series, *flags]
        found = subprocess.run([str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if found.returncode == 0:
            counts["imported"] = counts.get("imported", 0) + 1
            difference = re.search(r"largest difference (\S+)", found.stdout)
            print(f"{name:28} {difference.group(1):9} {re.search(r'decoding +(.*)', found.stdout).group(1)}", flush=True)
        else:
            counts["refused"] = counts.get("refused", 0) + 1
            print(f"{name:28} REFUSED   {found.stderr.strip()[:400]}", flush=True)
    print(len(ALL), "decoders;", counts)


if __name__ == "__main__":
    main()
