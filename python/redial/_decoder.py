"""A decoder of one's own becomes a model that studies can use."""

import os
import pathlib
import tempfile

import numpy as np

from ._frameworks import as_array, framework_of
from ._onnx import export_and_import, outputs_of
from ._program import RedialError, run

#: Where `redial models import` writes models unless it is told.
MODELS = "data/models"


def import_decoder(decoder, latents, *, name, distance, threshold, outputs=None, models=None, **options):
    """Makes a model bundle of a decoder, and returns its folder.

    decoder: what makes instances of latent vectors [batch, dimensions]: a torch.nn.Module, a model or layer of
        Keras, or a function of JAX (as `lambda z: module.apply(variables, z)`, or a module of Flax that is bound to
        its variables). It is exported as ONNX by its framework's exporters in turn, for any batch, else for a batch
        of 1, until one gives what can be imported. Or the path of an ONNX or safetensors file.
    latents: latent vectors of held-out instances, a row each (an array, a tensor, or a file's path);
        questions are drawn from them.
    name: the model's name in studies.
    distance: "bray-curtis", "iou:CUT", "ssim[:SCALES]", "jaccard[:TOLERANCE]" or "mean-absolute[:RANGE]".
    threshold: the distance at which a question is solved.
    outputs: what the decoder makes of the latents. What Redial decodes is compared with it, and must agree. Unless
        the decoder is a file, the framework itself works it out.
    models: the folder of models; without it, that of REDIAL_MODELS, else data/models.
    Other options are those of `redial models import` (`shape="28x28"`, `choice=[10]`, `replace=True`).

    Raises RedialError when the decoder cannot be exported or read, or decodes to something else here; the message
    says what was tried, what each way said, and what to do.
    """
    models = pathlib.Path(models or os.environ.get("REDIAL_MODELS") or MODELS)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options = {"name": name, "distance": distance, "threshold": threshold, "models": models, **options}
        if isinstance(decoder, (str, os.PathLike)):
            _import(decoder, latents, outputs, folder, options)
        else:
            framework = framework_of(decoder)
            rows = _rows(latents)
            with framework.evaluating():
                made = outputs_of(framework, rows)
                outputs = made if outputs is None else outputs
                export_and_import(framework, rows, folder / f"{name}.onnx", lambda file: _import(file, rows, outputs, folder, options))
    return models / name


def _import(file, latents, outputs, folder, options):
    latents = _file(latents, folder / "latents.npy")
    outputs = None if outputs is None else _file(outputs, folder / "outputs.npy")
    run("models", "import", file, latents=latents, outputs=outputs, **options)


def _rows(latents):
    """Latents as a framework takes them."""
    if isinstance(latents, (str, os.PathLike)):
        if pathlib.Path(latents).suffix != ".npy":
            raise RedialError(f"{latents}: unless the decoder is a file, its latents are an array or an .npy file")
        latents = np.load(latents)
    rows = np.ascontiguousarray(as_array(latents), dtype=np.float32)
    if rows.ndim < 2 or not len(rows):
        raise RedialError(f"the latents have the shape {rows.shape}; a row for each instance is needed")
    return rows


def _file(values, path):
    """Values that are not in a file yet, in one."""
    if isinstance(values, (str, os.PathLike)):
        return values
    np.save(path, as_array(values).astype(np.float32))
    return path
