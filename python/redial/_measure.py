"""What four other papers and the literature since measure, from arrays."""

import io
import json
import os
import pathlib
import tempfile

from ._program import RedialError, run

_COLUMNS = ["measure", "score", "of", "value", "direction", "lowest", "highest", "chance", "variant", "estimator", "seed", "rows"]


class Measured:
    """What a measure gave.

    `values` is a data frame with a row for each number: its score, what it is of, its value, which way is better, its
    range, what chance gives, variant, estimator, seed and rows. `tables` are data frames beside it, by title. `flags`
    are sentences that a reader must know. `outcome` is all of it as the program wrote it.
    """

    def __init__(self, outcome):
        import pandas

        self.outcome = outcome
        self.flags = [flag["says"] for flag in outcome["flags"]]
        rows = []
        for value in outcome["values"]:
            score = value["score"]
            lowest, highest = score["range"]
            rows.append(
                {
                    "measure": outcome["measure"],
                    "score": score["name"],
                    "of": value["of"],
                    "value": value["value"],
                    "direction": score["direction"],
                    "lowest": lowest,
                    "highest": highest,
                    "chance": score["chance"].get("is", score["chance"].get("depends")),
                    "variant": outcome["variant"] or None,
                    "estimator": outcome["estimator"] or None,
                    "seed": outcome["seed"],
                    "rows": outcome["rows"],
                }
            )
        self.values = pandas.DataFrame(rows, columns=_COLUMNS)
        self.tables = {
            table["title"]: pandas.DataFrame(table["rows"], index=table["row_names"], columns=table["columns"])
            for table in outcome["tables"]
        }

    def __getitem__(self, score):
        """The number of a score that is of everything; None where it is not defined."""
        for value in self.outcome["values"]:
            if value["score"]["name"] == score and value["of"] is None:
                return value["value"]
        raise KeyError(score)

    def __repr__(self):
        return self.values.to_string()


def measure(name, *, seed=1, threads=None, variant=None, estimator=None, parameters=None, **arrays):
    """Computes a measure: `measure("ois", codes=z, labels=c)["ois"]`.

    Arrays are numpy arrays, data frames of pandas or polars, lists, or paths of files; `measures()` says which one each
    measure needs. `parameters` is a dictionary of numbers. `model="dsprites-vae5"`, or the folder of a model, takes the
    codes that are kept beside it. `measure("all", codes=z, labels=c)` gives a list, of every measure whose arrays are
    there; one that these arrays do not allow has no numbers, and a flag that says why.

    Raises RedialError with all that is wrong when the measure cannot be computed.
    """
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options = {key: _file(folder, key, array) for key, array in arrays.items() if array is not None}
        for key, value in (parameters or {}).items():
            options[key.replace("-", "_")] = value
        said = run(
            "measure",
            name,
            format="json",
            seed=seed,
            threads=threads,
            variant=variant,
            estimator=estimator,
            **options,
        )
    found = [Measured(outcome) for outcome in json.loads(said)]
    return found if name == "all" else found[0]


def measures():
    """The measures that there are, as a data frame: name, what it needs, what it tells, formula, source, cost, and when
    not to use it."""
    import pandas

    declared = pandas.DataFrame(json.loads(run("measure", "list", json=True)))
    return declared[["name", "title", "needs", "takes", "tells", "formula", "source", "cost", "not_for", "seeded"]]


def _file(folder, name, array):
    """The file of an array: the one that is given, or one that is written."""
    if isinstance(array, (str, os.PathLike)):
        return os.fspath(array)
    import numpy

    # Data frames of both libraries, and arrays that live on another device.
    for method in ("to_numpy", "numpy"):
        if hasattr(array, method):
            array = getattr(array, method)()
            break
    array = numpy.asarray(array)
    if array.dtype.kind not in "fiub":
        raise RedialError(f"{name}: it holds {array.dtype}, and numbers are needed")
    written = io.BytesIO()
    numpy.save(written, array, allow_pickle=False)
    path = folder / f"{name}.npy"
    path.write_bytes(written.getvalue())
    return str(path)
