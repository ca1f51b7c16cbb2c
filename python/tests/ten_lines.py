"""The README's ten lines, run as they stand there with a decoder of the repository, in an empty folder.

    python ten_lines.py REPOSITORY [--torch]

With --torch a PyTorch module is imported; without, an ONNX file that PyTorch exported.
"""

import pathlib
import re
import sys
import urllib.request

repository = pathlib.Path(sys.argv[1]).resolve()
torch = "--torch" in sys.argv
page = (repository / "README.md").read_text(encoding="utf-8")
lines = re.search(r"^```python\n(import redial\n.*?)^```", page, re.M | re.S).group(1)
assert len(lines.strip().splitlines()) <= 10, lines
# Decoders that were not trained make pictures that are much alike.
lines = lines.replace("threshold=0.1", "threshold=0.005")

if torch:
    import torch as t

    t.manual_seed(0)
    decoder = t.nn.Sequential(t.nn.Linear(5, 32), t.nn.ReLU(), t.nn.Linear(32, 64), t.nn.Sigmoid(), t.nn.Unflatten(1, (1, 8, 8)))
    latents = t.randn(100, 5)
else:
    fixtures = repository / "models/import/tests/fixtures"
    decoder, latents = fixtures / "torch-grey.onnx", fixtures / "torch-grey.latents.npy"

# The study that the lines serve.
study = pathlib.Path("my-studies/mine")
study.mkdir(parents=True)
(study / "study.json").write_text(
    """{ "format": 2, "id": "mine", "title": "Mine", "parts": [
    { "kind": "stage", "id": "mine", "task": { "kind": "reconstruction", "model": "mine", "questions": 2 } },
    { "kind": "difficulty" }
] }"""
)
scope = {"decoder": decoder, "latents": latents}
exec(compile(lines, "README.md", "exec"), scope)

import pandas as pd

data = scope["data"]
questions = data["reconstruction_questions"]
assert 5 <= len(questions) <= 2 * 5, questions
assert questions["response_time_s"].dtype == "float64"
assert questions["stage"].dtype == "Int64"
assert questions["practice"].dtype == "boolean"
assert questions["model"].dtype == "string" and set(questions["model"]) == {"mine"}
assert str(data["sessions"]["created_at_utc"].dtype) == "datetime64[ms, UTC]"
assert all(isinstance(z, list) and len(z) == 5 for z in questions["target_z"])
assert len(data["sessions"]) == 5 and len(data) >= 8
assert len(data.other("included")["sessions"]) <= 5
assert pathlib.Path("my-models/mine/card.json").is_file()

# Parquet and CSV give equal frames.
try:
    import pyarrow  # noqa: F401
except ImportError:
    pass
else:
    import redial._export

    for table in data:
        columnar = data[table]
        find, redial._export.importlib.util.find_spec = redial._export.importlib.util.find_spec, lambda _: None
        text = redial.load(data.folder, part=data.part)[table]
        redial._export.importlib.util.find_spec = find
        pd.testing.assert_frame_equal(columnar, text)

# A server answers, and ends.
import redial

with redial.serve(studies="my-studies", models="my-models", database="sqlite://other.db") as server:
    with urllib.request.urlopen(server.url + "/api/studies") as answer:
        assert b'"mine"' in answer.read()
try:
    redial.serve(studies="nowhere", models="my-models", database="sqlite://other.db")
except redial.RedialError as error:
    assert "nowhere" in str(error), error
else:
    raise AssertionError("a folder that is not there was served")
try:
    redial.import_decoder(decoder, latents, name="mine", distance="bray-curtis", threshold=0.1, models="my-models")
except redial.RedialError as error:
    assert "is there already" in str(error), error
else:
    raise AssertionError("a model was written over")
print("The ten lines run.")
