"""The single-dimension task once more, in numpy: pictures, ranges, right answers.

    python3 server/tests/it/single_dimension.py DRAWN.json > server/tests/it/single_dimension.json

DRAWN.json holds the latent vectors that `single_dimension.rs` drew. Everything else
is worked out here from cards and weights.
"""

import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "models" / "tests"))
import reference  # noqa: E402

out = []
for row in json.load(open(sys.argv[1])):
    folder = ROOT / "models" / "zoo" / row["model"]
    card = json.loads((folder / "card.json").read_text())
    z, i = np.array([row["z"]]), row["dimension"]
    p = card["percentiles"][i]
    ranges = p and [[p["p1"], p["p5"]], [p["p48"], p["p52"]], [p["p95"], p["p99"]]]
    if ranges:
        inside = [low <= z[0, i] <= high for low, high in ranges]
        assert sum(inside) == 1, (row, ranges)
        option = inside.index(True)
    else:
        option = int(z[0, i])
    architecture = card["architecture"]
    if architecture["kind"] == "closed_form":
        x = reference.closed_form(architecture["formula"], z)
    else:
        tensors = reference.expand(architecture["layers"], reference.read_safetensors(folder / "weights.safetensors"))
        x = reference.sequential(architecture["layers"], tensors, reference.one_hot(card["latent"], z))
    values = [round(float(v), 6) for v in x[0][:8]]
    out.append({**row, "ranges": ranges, "option": option, "first_values": values, "sum": round(float(x.sum()), 5)})
json.dump(out, sys.stdout)
print()
