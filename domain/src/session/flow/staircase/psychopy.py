"""Climbs of PsychoPy's StairHandler, in psychopy.json beside this file.

    python -m venv v && v/bin/pip install --no-deps psychopy numpy packaging && v/bin/python psychopy.py > psychopy.json

Its right answers lead down in intensity; ours lead up in level, so a level is the highest one minus the intensity. Only
what the handler itself needs of PsychoPy is loaded: the rest wants a screen.
"""

import importlib.util
import json
import pathlib
import random
import sys
import types
from unittest import mock


def end(self):
    raise StopIteration


def handler():
    found = importlib.util.find_spec("psychopy").submodule_search_locations[0]
    for name in ("psychopy", "psychopy.data"):
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    base = types.ModuleType("psychopy.data.base")
    base._ComparisonMixin = object
    base._BaseTrialHandler = type("Base", (), {"__init__": lambda self: None, "getExp": lambda self: None, "getOriginPathAndFile": lambda self, path: (None, None),
        "_terminate": end})
    sys.modules["psychopy.data.base"] = base
    path = pathlib.Path(found, "data", "staircase.py")
    spec = importlib.util.spec_from_file_location("psychopy.data.staircase", path)
    module = importlib.util.module_from_spec(spec)
    absent = mock.MagicMock()
    names = ["psychopy.logging", "psychopy.exceptions", "psychopy.tools", "psychopy.tools.filetools", "psychopy.tools.fileerrortools",
             "psychopy.data.utils", "psychopy.data.trial", "psychopy.contrib", "psychopy.contrib.quest",
             "psychopy.contrib.psi", "psychopy.contrib.mseq", "psychopy.localization"]
    for name in names:
        sys.modules.setdefault(name, absent)
    absent.QuestObject = absent.PsiObject = type("Absent", (), {})
    sys.modules["psychopy"].logging = absent
    spec.loader.exec_module(module)
    return module.StairHandler


StairHandler = handler()
draw = random.Random(7)
cases = []
for levels, start, up, down, questions in [
    (4, 0, 1, 1, 24), (4, 3, 2, 1, 30), (3, 1, 3, 1, 40), (6, 2, 1, 2, 30), (5, 4, 2, 2, 30), (2, 0, 1, 1, 12),
    (8, 0, 2, 1, 50), (1, 0, 1, 1, 8),
]:
    for likely in (0.35, 0.6, 0.8):
        stairs = StairHandler(
            startVal=levels - 1 - start, nReversals=None, stepSizes=[1], nTrials=questions, nUp=down, nDown=up,
            stepType="lin", minVal=0, maxVal=levels - 1, applyInitialRule=False)
        # It goes on until it has both its trials and its reversals: trials alone are to end it.
        stairs.nReversals = 0
        right = []
        for _ in stairs:
            right.append(int(draw.random() < likely))
            stairs.addResponse(right[-1])
        level = lambda intensity: int(levels - 1 - intensity)
        cases.append({
            "levels": levels, "start": start, "up_after": up, "down_after": down, "right": right,
            "asked": [level(it) for it in stairs.intensities],
            "reversals": [level(it) for it in stairs.reversalIntensities],
        })
print("[")
print(",\n".join(json.dumps(case) for case in cases))
print("]")
