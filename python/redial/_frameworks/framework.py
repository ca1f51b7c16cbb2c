"""What is asked of each framework: what its decoder makes of latents, and the ways from it to an ONNX file."""

import abc
import collections.abc
import contextlib
import dataclasses
import importlib.util
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class Exporter:
    """A way from a decoder to an ONNX file."""

    #: What it is called in messages.
    name: str
    #: Packages that it needs, by the name that pip and `import` know them by.
    packages: tuple[str, ...]
    #: Writes the file: from some rows of latents, to a path, for any batch (True) or for a batch of 1 (False).
    export: collections.abc.Callable[[np.ndarray, pathlib.Path, bool], None]

    def missing(self):
        """The packages that are not installed."""
        return [package for package in self.packages if importlib.util.find_spec(package) is None]


class Framework(abc.ABC):
    """A decoder in its framework."""

    #: What it is called in messages.
    name: str
    #: What else may help where it cannot decode the latents.
    hint = ""

    def __init__(self, decoder):
        self.decoder = decoder

    @classmethod
    @abc.abstractmethod
    def takes(cls, decoder):
        """Whether a decoder is of this framework; this imports no framework."""

    @abc.abstractmethod
    def decode(self, rows):
        """What the framework itself makes of latents, in evaluation mode."""

    @abc.abstractmethod
    def exporters(self):
        """The ways to an ONNX file, the best kept one first."""

    def evaluating(self):
        """A context in which the decoder is in evaluation mode; after it, it is as it was."""
        return contextlib.nullcontext()


def is_of(decoder, packages, name):
    """Whether a class of that name, in one of these packages, is among those that a decoder's type descends from."""
    return any(kind.__name__ == name and kind.__module__.partition(".")[0] in packages for kind in type(decoder).__mro__)


def as_array(values):
    """A framework's values, or any others, as an array of numpy."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    return np.asarray(values)


def sample(rows, any_batch):
    """Rows that an exporter is shown: two, so that it takes no axis of 1 for a fixed one, or the single one of a
    batch of 1."""
    return rows[np.arange(2 if any_batch else 1) % len(rows)]
