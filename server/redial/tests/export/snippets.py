"""Runs every snippet of docs/data.md, as it stands there, in the folder that holds `curves-data`.

    python3 snippets.py DOCS_DATA_MD [RSCRIPT]

Each leaves `means`: the mean response time of each model. All have to say what is worked out here
from the CSV file with Python's own csv module. Then each reads the tables that hold texts which look
like something else ("None", "NA", "TRUE", "007"), and has to leave them as they are.
"""

import csv
import math
import pathlib
import re
import subprocess
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
rscript = sys.argv[2] if len(sys.argv) > 2 else None


def rows_of(name):
    with open(f"curves-data/data/included/study-curves_description-{name}_data.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


times = {}
for row in rows_of("reconstructionQuestions"):
    times.setdefault(row["model"], []).append(float(row["response_time_s"]))
expected = {model: math.fsum(values) / len(values) for model, values in times.items()}
assert len(expected) == 3, expected

# What these columns hold; an empty cell is missing.
texts = {
    (table, column): [row[column] or None for row in rows_of(table)]
    for table, column in [("answers", "answer_text"), ("sessions", "participant_code")]
}
seen = set().union(*texts.values())
wanted = {"None", "NA", "null", "nan", "N/A", "TRUE", "false", "007", "1e5", None}
assert wanted <= seen, wanted - seen


def pairs(means):
    """What a library's table of means holds."""
    if hasattr(means, "fetchall"):
        return dict(means.fetchall())
    if hasattr(means, "rows"):
        return dict(means.rows())
    return means.to_dict()


def cells(frame, column):
    """What a library's table holds in a column."""
    if hasattr(frame, "fetchall"):
        return [row[0] for row in frame.select(f'"{column}"').fetchall()]
    values = frame[column].to_list()
    return [None if str(value) == "<NA>" or value is None or value != value else value for value in values]


def check(where, found):
    assert found.keys() == expected.keys(), (where, found)
    for model, mean in expected.items():
        assert math.isclose(found[model], mean, rel_tol=1e-12), (where, model, found[model], mean)


def reading(code, table):
    """A snippet up to its means, about another table."""
    code = code.replace("reconstruction_questions", table).replace("reconstructionQuestions", table)
    return re.split(r"^means\b", code, flags=re.M)[0]


def run_r(code):
    done = subprocess.run([rscript, "-e", code], capture_output=True, text=True)
    assert done.returncode == 0, (code, done.stderr)
    return done.stdout


ran = {"python": 0, "r": 0}
for number, (language, code) in enumerate(re.findall(r"^```(python|r)\n(.*?)^```", page, re.M | re.S), 1):
    if language == "python":
        scope = {}
        exec(compile(code, f"snippet {number}", "exec"), scope)
        check(code, pairs(scope["means"]))
    elif rscript is None:
        continue
    else:
        shown = run_r(code + '\nwrite.table(format(means, digits = 17), sep = ",", quote = FALSE, row.names = FALSE)\n')
        check(code, {model.strip(): float(mean) for model, mean in list(csv.reader(shown.strip().splitlines()))[1:]})
    for (table, column), values in texts.items():
        about = reading(code, table)
        if language == "python":
            scope = {}
            exec(compile(about, f"snippet {number} about {table}", "exec"), scope)
            found = cells(scope["questions"], column)
        else:
            about += f'\ncat(ifelse(is.na(questions${column}), "missing", paste0("=", questions${column})), sep = "\\n")\n'
            found = [line[1:] if line.startswith("=") else None for line in run_r(about).splitlines()]
        different = [pair for pair in zip(values, found) if pair[0] != pair[1]]
        assert len(found) == len(values) and not different, (about, len(found), len(values), different)
    ran[language] += 1
assert ran["python"] >= 7 and (rscript is None or ran["r"] >= 1), ran
print(f"{ran['python']} snippets in Python and {ran['r']} in R agree.")
