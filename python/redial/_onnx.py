"""A decoder of a framework goes through its exporters, until one of them gives what can be imported."""

import contextlib
import io
import os
import re
import warnings

import numpy as np

from ._frameworks import as_array
from ._program import RedialError

#: So many latents are decoded at once.
_AT_ONCE = 256

#: What the program says of a file that another exporter may write better. Whatever else it says is about the
#: options, and holds for every file.
_OF_THE_FILE = ("cannot be imported", "what is decoded here differs")

#: Longest line of what an exporter said.
_LONGEST = 400


def outputs_of(framework, rows):
    """What a framework makes of latents: an array with a row for each.

    Raises RedialError when it makes none of them.
    """
    try:
        return _decoded(framework, np.array_split(rows, -(-len(rows) // _AT_ONCE)))
    except Exception as error:
        first = error
    try:
        # Some decoders have a batch of 1 written into them.
        return _decoded(framework, np.array_split(rows, len(rows)))
    except Exception:
        takes = ", ".join(["batch", *map(str, rows.shape[1:])])
        raise RedialError(
            f"the decoder, taken as one of {framework.name}, does not decode these latents: {_said(first)}. "
            f"It must take an array [{takes}] and give one with a row for each latent vector (wrap it, if it does more){framework.hint}"
        ) from first


def _decoded(framework, batches):
    decoded = []
    for batch in batches:
        values = framework.decode(batch)
        if not hasattr(values, "shape"):
            raise RedialError(f"it gives a {type(values).__name__}, not an array")
        if not values.shape or values.shape[0] != len(batch):
            raise RedialError(f"it gives an array of the shape {tuple(values.shape)} for {len(batch)} latent vectors")
        decoded.append(as_array(values).astype(np.float32))
    return np.concatenate(decoded)


def export_and_import(framework, rows, path, import_file):
    """Exports a decoder in each way that its framework has, first for any batch and then for a batch of 1, until
    `import_file` takes the file at `path`.

    Raises RedialError when none is taken, with what each way said.
    """
    said, missing, refused = [], set(), False
    for any_batch in (True, False):
        for exporter in framework.exporters():
            name = f"{exporter.name}, for {'any batch' if any_batch else 'a batch of 1'}"
            if exporter.missing():
                missing.update(exporter.missing())
                if any_batch:
                    said.append((exporter.name, f"not installed: {', '.join(exporter.missing())}"))
                continue
            _clear(path)
            try:
                with _quiet():
                    exporter.export(rows, path, any_batch)
            except Exception as error:
                said.append((name, _said(error)))
                continue
            try:
                return import_file(path)
            except RedialError as error:
                message = str(error).replace(f"{path.parent}{os.sep}", "")
                if not any(part in message for part in _OF_THE_FILE):
                    raise RedialError(message) from error
                # Without the command, which nobody wrote.
                said.append((name, message.partition(": redial: ")[2] or message))
                refused = True
    raise RedialError(_summary(framework, said, sorted(missing), refused))


@contextlib.contextmanager
def _quiet():
    """Keeps to itself what exporters print in Python. What they warn of (values that became fixed) shows in the
    comparison, if it matters."""
    unseen = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(unseen), contextlib.redirect_stderr(unseen):
        warnings.simplefilter("ignore")
        yield


def _clear(path):
    """Removes what an earlier exporter left: the file, and weights beside it."""
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()


def _summary(framework, said, missing, refused):
    """What was tried, what each way said, and what to do. What several ways said stands once."""
    by_message = {}
    for name, message in said:
        by_message.setdefault(message, []).append(name)
    lines = [f"the decoder of {framework.name} was not imported. Tried in turn:"]
    lines += [f"- {'; '.join(names)}: {message}" for message, names in by_message.items()]
    if missing:
        lines.append(f"Install what is missing: pip install {' '.join(missing)}")
    if refused:
        lines.append("A file was written, and refused: change in the decoder what is named there.")
    elif not missing:
        lines.append(
            "Change in the decoder what is named there, or give the path of a file in its place: an ONNX file, or its layers in "
            "a safetensors file (docs/bring-your-own-model.md)."
        )
    return "\n".join(lines)


def _said(error):
    """What an exception says, and what it comes from: the exporters of PyTorch wrap the cause."""
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    return _line(error) if root is error else f"{_line(error)} (from {_line(root)})"


def _line(error):
    """The first line that says something, with the kind of error."""
    # Without the codes that colour it on a terminal.
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    text = next((line.strip() for line in lines if line.strip()), "")
    line = text if isinstance(error, RedialError) else f"{type(error).__name__}: {text}"
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"
