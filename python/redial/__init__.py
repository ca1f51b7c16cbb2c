"""Redial: studies of how well people understand generative models.

The program does the work; this module calls it, and opens what it exports.

    redial.import_decoder(module, latents, name=..., distance=..., threshold=...)
    redial.serve(studies=...)
    redial.simulate(study, participants=...)
    redial.export(study, folder)
    redial.load(folder)
"""

from ._decoder import import_decoder
from ._export import Export, export, load
from ._layers import layers
from ._program import RedialError, program, run, simulate
from ._server import Server, serve

__all__ = [
    "Export",
    "RedialError",
    "Server",
    "export",
    "import_decoder",
    "layers",
    "load",
    "program",
    "run",
    "serve",
    "simulate",
]
