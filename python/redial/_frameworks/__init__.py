"""The frameworks whose decoders are imported. Each has a file; what all of them say is in `framework.py`."""

from .._program import RedialError
from .framework import Framework, as_array
from .jax import Jax
from .keras import Keras
from .pytorch import PyTorch

__all__ = ["Framework", "as_array", "framework_of"]

#: Keras comes before PyTorch, since a layer of Keras may be a module of PyTorch, too; JAX comes last, since it takes
#: any function.
_FRAMEWORKS = (Keras, PyTorch, Jax)


def framework_of(decoder):
    """The framework of a decoder, with the decoder in it.

    Raises RedialError when it is of none of them.
    """
    for framework in _FRAMEWORKS:
        if framework.takes(decoder):
            return framework(decoder)
    raise RedialError(
        f"a {type(decoder).__name__} is no decoder that can be imported: give a torch.nn.Module, a model or layer of Keras, "
        "a function of JAX (of Flax, a module with its parameters), or the path of an ONNX file"
    )
