"""The layers of a PyTorch decoder, written down for `redial models import`."""

import json

from ._program import RedialError


def layers(decoder):
    """The layers of an nn.Sequential as JSON, for the metadata of a safetensors file.

        from safetensors.torch import save_file
        save_file(decoder.state_dict(), "mine.safetensors", metadata={"redial": redial.layers(decoder)})

    `redial models import mine.safetensors` then needs neither ONNX nor a file for the architecture.
    Sequentials within it are followed; dropout and identities are left out.

    Raises RedialError when a module is no layer that can be written down: export the decoder as ONNX.
    """
    if type(decoder).__name__ != "Sequential":
        raise RedialError(f"a {type(decoder).__name__} is no nn.Sequential, and what it does between its parts cannot be seen; export the decoder as ONNX")
    return json.dumps(list(_walk(decoder, "")))


def _walk(module, name):
    kind = type(module).__name__
    if kind == "Sequential":
        # Not named_children, which leaves out a part that stands there a second time.
        for child, part in module._modules.items():
            yield from _walk(part, f"{name}.{child}" if name else child)
        return
    write = _LAYERS.get(kind)
    if write is None:
        raise RedialError(f"module {name} is a {kind}, which cannot be written down as a layer; export the decoder as ONNX")
    layer = write(module)
    if layer is not None:
        yield {**layer, "name": name} if layer["layer"] in _NAMED else layer


_NAMED = ("dense", "conv", "conv_transpose", "batch_norm")


def _only(module, **wanted):
    """Refuses settings that a layer cannot say."""
    for setting, value in wanted.items():
        found = getattr(module, setting)
        if found not in (value, (value, value)):
            raise RedialError(f"{module} has {setting}={found}, which cannot be written down as a layer; export the decoder as ONNX")


def _one(module, setting):
    """The number that holds for rows and columns."""
    found = getattr(module, setting)
    numbers = set(found) if isinstance(found, tuple) else {found}
    if len(numbers) != 1 or not isinstance(min(numbers), int):
        raise RedialError(f"{module} has {setting}={found}, which differs by axis; export the decoder as ONNX")
    return numbers.pop()


def _groups(module):
    return {"groups": module.groups} if module.groups != 1 else {}


def _conv(module):
    _only(module, dilation=1, padding_mode="zeros")
    return {
        "layer": "conv",
        "inputs": module.in_channels,
        "outputs": module.out_channels,
        "kernel": _one(module, "kernel_size"),
        "stride": _one(module, "stride"),
        "padding": _one(module, "padding"),
        **_groups(module),
    }


def _conv_transpose(module):
    _only(module, dilation=1)
    # Output padding is less padding at the bottom and on the right.
    padding, less = _one(module, "padding"), _one(module, "output_padding")
    return {
        "layer": "conv_transpose",
        "inputs": module.in_channels,
        "outputs": module.out_channels,
        "kernel": _one(module, "kernel_size"),
        "stride": _one(module, "stride"),
        "padding": [padding, padding, padding - less, padding - less] if less else padding,
        **_groups(module),
    }


def _batch_norm(module):
    _only(module, affine=True, track_running_stats=True)
    return {"layer": "batch_norm", "channels": module.num_features, "eps": module.eps}


def _unflatten(module):
    shape = tuple(module.unflattened_size)
    if module.dim not in (1, -1) or len(shape) != 3:
        raise RedialError(f"{module} does not make channels, rows and columns of a vector; export the decoder as ONNX")
    return {"layer": "reshape", "channels": shape[0], "height": shape[1], "width": shape[2]}


def _flatten(module):
    _only(module, start_dim=1, end_dim=-1)
    return {"layer": "flatten"}


def _upsample(module):
    _only(module, mode="nearest")
    scale = module.scale_factor
    scales = set(scale) if isinstance(scale, tuple) else {scale}
    if len(scales) != 1 or None in scales or min(scales) != int(min(scales)):
        raise RedialError(f"{module} does not repeat rows and columns a whole number of times; export the decoder as ONNX")
    return {"layer": "upsample", "scale": int(scales.pop())}


def _activation(kind, **settings):
    def write(module):
        numbers = {ours: getattr(module, theirs) for ours, theirs in settings.items()}
        return {"layer": "activation", "function": {"kind": kind, **numbers}}

    return write


def _softplus(module):
    _only(module, beta=1)
    return {"layer": "activation", "function": {"kind": "softplus"}}


def _nothing(module):
    return None


_LAYERS = {
    "Linear": lambda module: {"layer": "dense", "inputs": module.in_features, "outputs": module.out_features},
    "Conv2d": _conv,
    "ConvTranspose2d": _conv_transpose,
    "BatchNorm1d": _batch_norm,
    "BatchNorm2d": _batch_norm,
    "Unflatten": _unflatten,
    "Flatten": _flatten,
    "Upsample": _upsample,
    "UpsamplingNearest2d": _upsample,
    "ReLU": _activation("relu"),
    "LeakyReLU": _activation("leaky_relu", slope="negative_slope"),
    "ELU": _activation("elu", alpha="alpha"),
    "Sigmoid": _activation("sigmoid"),
    "Tanh": _activation("tanh"),
    "Softplus": _softplus,
    "Identity": _nothing,
    "Dropout": _nothing,
    "Dropout1d": _nothing,
    "Dropout2d": _nothing,
}
