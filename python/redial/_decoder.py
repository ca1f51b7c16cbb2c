"""A decoder of one's own becomes a model that studies can use."""

import os
import pathlib
import tempfile

import numpy as np

from ._program import RedialError, run

#: Where `redial models import` writes models unless it is told.
MODELS = "data/models"


def import_decoder(module, latents, *, name, distance, threshold, outputs=None, models=None, **options):
    """Makes a model bundle of a decoder, and returns its folder.

    module: a PyTorch module that takes latent vectors [batch, dimensions], or the path of an ONNX file.
    latents: latent vectors of held-out instances, a row each (an array, a tensor, or a file's path);
        questions are drawn from them.
    name: the model's name in studies.
    distance: "bray-curtis", "iou:CUT", "ssim[:SCALES]", "jaccard[:TOLERANCE]" or "mean-absolute[:RANGE]".
    threshold: the distance at which a question is solved.
    outputs: what the decoder makes of the latents, to compare with; of a module it is worked out.
    models: the folder of models; without it, that of REDIAL_MODELS, else data/models.
    Other options are those of `redial models import` (`shape="28x28"`, `choice=[10]`, `replace=True`).

    Raises RedialError when the decoder cannot be read, or decodes to something else here.
    """
    models = pathlib.Path(models or os.environ.get("REDIAL_MODELS") or MODELS)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if isinstance(module, (str, os.PathLike)):
            decoder = pathlib.Path(module)
        else:
            decoder, made = _onnx(module, latents, folder / f"{name}.onnx")
            outputs = made if outputs is None else outputs
        options = {
            "name": name,
            "latents": _file(latents, folder / "latents.npy"),
            "outputs": None if outputs is None else _file(outputs, folder / "outputs.npy"),
            "distance": distance,
            "threshold": threshold,
            "models": models,
            **options,
        }
        run("models", "import", decoder, **options)
    return models / name


def _file(values, path):
    """Values that are not in a file yet, in one."""
    if isinstance(values, (str, os.PathLike)):
        return values
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    np.save(path, np.asarray(values, dtype=np.float32))
    return path


def _onnx(module, latents, path):
    """A PyTorch module as ONNX, and what it makes of the latents."""
    try:
        import torch
    except ImportError as error:
        raise RedialError("a PyTorch module needs torch, onnx and onnxscript; an ONNX file does not") from error
    if isinstance(latents, (str, os.PathLike)):
        latents = np.load(latents)
    z = torch.as_tensor(np.asarray(latents.detach().cpu() if hasattr(latents, "detach") else latents))
    z = z.to(torch.float32)
    parameter = next(module.parameters(), None)
    training, device = module.training, None if parameter is None else parameter.device
    module.eval().to("cpu")
    try:
        with torch.no_grad():
            outputs = module(z)
        torch.onnx.export(
            module,
            (z[:2],),
            str(path),
            input_names=["z"],
            output_names=["x"],
            dynamic_shapes=({0: torch.export.Dim("batch")},),
        )
    finally:
        module.train(training)
        if device is not None:
            module.to(device)
    return path, outputs
