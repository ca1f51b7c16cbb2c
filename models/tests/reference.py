"""An independent implementation of the decoders, in numpy alone.

    python3 models/tests/reference.py

reads every bundle in models/zoo and writes models/tests/fixtures/NAME.safetensors:
20 latent vectors `z` and what the decoder makes of them, `x`, flattened row by row,
channels last. Computed in float64 and stored as float32. The tests of the crate and
of the browser compare the shipped decoders with these.
"""

import json
import pathlib
import struct
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
VECTORS = 20


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = (8 + size + offset for offset in entry["data_offsets"])
        kind = {"F32": "<f4", "F16": "<f2", "I8": "i1", "U8": "u1"}[entry["dtype"]]
        tensors[name] = np.frombuffer(data[start:end], kind).reshape(entry["shape"])
    return tensors


def unpack(packed, step):
    """Four bits: the lower of all bytes, then the upper, times the step of their group."""
    digits = np.concatenate([packed & 15, packed >> 4]).astype("i1")
    digits = np.where(digits > 7, digits - 16, digits)
    groups = digits.reshape(len(step), -1) * step[:, None]
    return groups.reshape(digits.shape)


def expand(layers, tensors):
    """Whole numbers times the scale of their output unit."""
    for layer in layers:
        name = f"{layer.get('name')}.weight"
        step = tensors.pop(f"{name}.step", None)
        if step is not None:
            tensors[name] = unpack(tensors[name], step)
        scale = tensors.pop(f"{name}.scale", None)
        if scale is not None:
            axis = 1 if layer["layer"] == "conv_transpose" else 0
            shape = [1] * tensors[name].ndim
            shape[axis] = -1
            # One rounding to f32, as the decoder expands them.
            tensors[name] = tensors[name].astype("<f4") * scale.reshape(shape)
    return tensors


def write_safetensors(path, tensors):
    header, blobs, offset = {}, [], 0
    for name, values in sorted(tensors.items()):
        blob = np.ascontiguousarray(values, "<f4").tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(values.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def conv_transpose(x, weight, bias, stride, padding):
    """Every input pixel adds its value times the kernel to the output it touches."""
    n, _, height, width = x.shape
    _, outputs, kernel, _ = weight.shape
    full = np.zeros((n, outputs, (height - 1) * stride + kernel, (width - 1) * stride + kernel))
    for row in range(height):
        for column in range(width):
            patch = np.einsum("ni,iokl->nokl", x[:, :, row, column], weight)
            top, left = row * stride, column * stride
            full[:, :, top : top + kernel, left : left + kernel] += patch
    end_row, end_column = full.shape[2] - padding, full.shape[3] - padding
    return full[:, :, padding:end_row, padding:end_column] + bias[None, :, None, None]


def activate(function, x):
    kind = function["kind"]
    if kind == "relu":
        return np.maximum(x, 0)
    if kind == "leaky_relu":
        return np.where(x > 0, x, function["slope"] * x)
    if kind == "sigmoid":
        return 1 / (1 + np.exp(-x))
    if kind == "tanh":
        return np.tanh(x)
    if kind == "elu":
        return np.where(x > 0, x, np.expm1(x))
    if kind == "softplus":
        return np.logaddexp(0, x)
    raise ValueError(kind)


def sequential(layers, tensors, x):
    for layer in layers:
        kind = layer["layer"]
        own = {
            name.rsplit(".", 1)[1]: values.astype(np.float64)
            for name, values in tensors.items()
            if "name" in layer and name.rsplit(".", 1)[0] == layer["name"]
        }
        if kind == "dense":
            x = x @ own["weight"].T + own["bias"]
        elif kind == "reshape":
            x = x.reshape(len(x), layer["channels"], layer["height"], layer["width"])
        elif kind == "conv_transpose":
            x = conv_transpose(x, own["weight"], own["bias"], layer["stride"], layer["padding"])
        elif kind == "batch_norm":
            shape = (1, -1) + (1,) * (x.ndim - 2)
            mean, variance, weight, bias = (
                own[part].reshape(shape) for part in ("running_mean", "running_var", "weight", "bias")
            )
            x = (x - mean) / np.sqrt(variance + layer["eps"]) * weight + bias
        elif kind == "activation":
            x = activate(layer["function"], x)
        elif kind == "flatten":
            x = x.reshape(len(x), -1)
        else:
            raise ValueError(kind)
    if x.ndim == 4:
        x = x.transpose(0, 2, 3, 1)
    return x.reshape(len(x), -1)


def closed_form(formula, z):
    if formula["kind"] == "sinelines":
        t = formula["x_start"] + formula["x_step"] * np.arange(formula["points"])
        slope, intercept, amplitude, frequency, phase = z.T[:, :, None]
        return slope * t + intercept + amplitude * np.sin(frequency * t + phase)
    if formula["kind"] == "circles":
        scale = formula["size"] / 64
        away = np.arange(formula["size"]) - 31 * scale
        distance = np.hypot(away[:, None], away[None, :]).ravel()
        inside = distance < ((24 * z[:, :1] + 4) * scale)
        return np.where(inside, 1 - z[:, 1:], z[:, 1:])
    if formula["kind"] == "shapes":
        scale = formula["size"] / 64
        away = np.arange(formula["size"]) - 31 * scale
        dy, dx = (d.ravel() for d in np.meshgrid(away, away, indexing="ij"))
        radius = (24 * z[:, 1:2] + 4) * scale
        disc = np.hypot(dx, dy) < radius
        square = np.maximum(abs(dx), abs(dy)) < radius / np.sqrt(2)
        triangle = (dy < radius / 2) & (np.sqrt(3) * abs(dx) - dy < radius)
        inside = np.choose(z[:, :1].astype(int), [disc, square, triangle])
        return np.where(inside, 1 - z[:, 2:], z[:, 2:])
    raise ValueError(formula)


def one_hot(latent, z):
    columns = []
    for dimension, values in zip(latent, z.T):
        if dimension["kind"] == "discrete":
            columns += [(values == i).astype(float) for i in range(dimension["values"])]
        else:
            columns.append(values)
    return np.stack(columns, 1)


def vectors(card, folder, rng):
    """Held-out vectors where there are any, else uniform ones; float32 exactly."""
    if (folder / "held_out.safetensors").exists():
        z = read_safetensors(folder / "held_out.safetensors")["z"][:VECTORS]
    else:
        draw = {
            "discrete": lambda d: rng.integers(0, d["values"], VECTORS),
            "continuous": lambda d: d["min"] + (d["max"] - d["min"]) * rng.uniform(0.01, 0.99, VECTORS),
        }
        z = np.stack([draw[d["kind"]](d) for d in card["latent"]], 1).astype("<f4")
    return z.astype(np.float64)


def main():
    folders = sorted(path.parent for path in (HERE.parent / "zoo").glob("*/card.json"))
    wanted = sys.argv[1:]
    for folder in folders:
        if wanted and folder.name not in wanted:
            continue
        card = json.loads((folder / "card.json").read_text())
        z = vectors(card, folder, np.random.default_rng(20))
        architecture = card["architecture"]
        if architecture["kind"] == "closed_form":
            x = closed_form(architecture["formula"], z)
        else:
            tensors = expand(architecture["layers"], read_safetensors(folder / "weights.safetensors"))
            x = sequential(architecture["layers"], tensors, one_hot(card["latent"], z))
        write_safetensors(HERE / "fixtures" / f"{folder.name}.safetensors", {"z": z, "x": x})
        print(f"{folder.name}: {x.shape[0]} × {x.shape[1]}, mean {x.mean():.6f}")


if __name__ == "__main__":
    main()
