"""Redial: studies of how well people understand generative models.

The program does the work; this module calls it, and opens what it exports.

    redial.import_decoder(decoder, latents, name=..., distance=..., threshold=...)
    redial.serve(studies=...)
    redial.simulate(study, participants=...)
    redial.export(study, folder)
    redial.load(folder)
    redial.measure(name, codes=..., labels=...)
"""

from ._decoder import import_decoder
from ._export import Export, export, load
from ._layers import layers
from ._measure import Measured, measure, measures
from ._program import RedialError, program, run, simulate
from ._server import Server, serve

__all__ = [
    "Export",
    "Measured",
    "RedialError",
    "Server",
    "export",
    "import_decoder",
    "layers",
    "load",
    "measure",
    "measures",
    "program",
    "run",
    "serve",
    "simulate",
]
