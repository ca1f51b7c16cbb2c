"""Runs every snippet of docs/data.md, as it stands there, in the folder that holds `curves-data`.

    python3 snippets.py DOCS_DATA_MD [RSCRIPT]

Each leaves `means`: the mean response time of each model. All have to say what is worked out here
from the CSV file with Python's own csv module.
"""

import csv
import math
import pathlib
import re
import subprocess
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
rscript = sys.argv[2] if len(sys.argv) > 2 else None

table = "curves-data/data/included/study-curves_description-reconstructionQuestions_data.csv"
times = {}
with open(table, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        times.setdefault(row["model"], []).append(float(row["response_time_s"]))
expected = {model: math.fsum(values) / len(values) for model, values in times.items()}
assert len(expected) == 3, expected


def pairs(means):
    """What a library's table of means holds."""
    if hasattr(means, "fetchall"):
        return dict(means.fetchall())
    if hasattr(means, "rows"):
        return dict(means.rows())
    return means.to_dict()


def check(where, found):
    assert found.keys() == expected.keys(), (where, found)
    for model, mean in expected.items():
        assert math.isclose(found[model], mean, rel_tol=1e-12), (where, model, found[model], mean)


ran = {"python": 0, "r": 0}
for number, (language, code) in enumerate(re.findall(r"^```(python|r)\n(.*?)^```", page, re.M | re.S), 1):
    if language == "python":
        scope = {}
        exec(compile(code, f"snippet {number}", "exec"), scope)
        check(code, pairs(scope["means"]))
    elif rscript is None:
        continue
    else:
        code += '\nwrite.table(format(means, digits = 17), sep = ",", quote = FALSE, row.names = FALSE)\n'
        done = subprocess.run([rscript, "-e", code], capture_output=True, text=True, check=True)
        lines = list(csv.reader(done.stdout.strip().splitlines()))
        check(code, {model.strip(): float(mean) for model, mean in lines[1:]})
    ran[language] += 1
assert ran["python"] >= 7 and (rscript is None or ran["r"] >= 1), ran
print(f"{ran['python']} snippets in Python and {ran['r']} in R agree.")
