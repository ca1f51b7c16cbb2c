"""Measures arrays of numpy, pandas and, with --polars, polars, from memory and from the files that these write.

    python measures.py [--polars]
"""

import pathlib
import sys

import numpy
import pandas

import redial

draws = numpy.random.default_rng(1)
labels = draws.integers(0, 2, size=(400, 3))
# Each code is one concept and some noise.
codes = labels + 0.3 * draws.normal(size=labels.shape)
task = (labels.sum(axis=1) >= 2).astype(int)

of_arrays = redial.measure("mig", codes=codes, labels=labels)
assert 0.3 < of_arrays["mig"] < 1.0, of_arrays
frame = of_arrays.values
assert list(frame["direction"].unique()) == ["higher"] and frame["rows"].iloc[0] == 400, frame
assert redial.measure("mig", codes=codes[::-1], labels=labels)["mig"] < of_arrays["mig"]

# The same array in every form gives the same number.
frames = {"numpy": codes, "fortran": numpy.asfortranarray(codes), "big endian": codes.astype(">f8"), "pandas": pandas.DataFrame(codes)}
files = {}
numpy.save("codes.npy", codes)
files["npy"] = pathlib.Path("codes.npy")
for name, options in {"index": {}, "no index": {"index": False}, "no names": {"index": False, "header": False}}.items():
    files[name] = pathlib.Path(f"{name}.csv")
    pandas.DataFrame(codes, columns=["a", "b", "c"]).to_csv(files[name], **options)
# Without names of their own columns are called 0, 1, 2.
for name, options in {"numbered, index": {}, "numbered": {"index": False}}.items():
    files[name] = pathlib.Path(f"{name}.csv")
    pandas.DataFrame(codes).to_csv(files[name], **options)
if "--polars" in sys.argv:
    import polars

    frames["polars"] = polars.DataFrame(codes, schema=["a", "b", "c"])
    frames["polars"].write_parquet("polars.parquet")
    pandas.DataFrame(codes, columns=["a", "b", "c"]).to_parquet("pandas.parquet")
    files |= {name: pathlib.Path(f"{name}.parquet") for name in ("polars", "pandas")}
for name, form in [*frames.items(), *files.items()]:
    found = redial.measure("mig", codes=form, labels=labels)["mig"]
    assert abs(found - of_arrays["mig"]) < 1e-9, (name, found, of_arrays["mig"])

# Everything that these arrays allow.
every = {each.outcome["measure"] for each in redial.measure("all", codes=codes, labels=labels, task=task)}
assert {"mig", "dci", "ois", "niche", "task-auc"} <= every, every
assert set(redial.measures()["name"]) >= every

# What the arrays do not allow is a flag beside the other results: nis-released wants labels of 0 and 1.
thirds = redial.measure("all", codes=codes, labels=labels + 2 * task[:, None])
by_name = {each.outcome["measure"]: each for each in thirds}
refused = by_name["nis-released"]
assert len(refused.values) == 0 and "must be 0 or 1" in refused.flags[0], refused.flags
assert by_name["mig"]["mig"] > 0.1 and len(by_name["mig"].flags) == 0, by_name["mig"]
# Codes that are kept beside a model: one spelling for one measure and for all.
kept = redial.measure("mig", model="dsprites-gt5")["mig"]
every = {each.outcome["measure"]: each for each in redial.measure("all", model="dsprites-gt5")}
assert every["mig"]["mig"] == kept and "nis-released" in every, every.keys()

# All that is wrong is said at once.
try:
    redial.measure("mig", codes=numpy.full((4, 2), numpy.nan), labels=numpy.full((3, 1), 0.5))
except redial.RedialError as error:
    said = str(error)
    assert "codes: row 0, column 0 is NaN" in said and "labels has 3 rows, and codes has 4" in said, said
else:
    raise AssertionError("NaN was measured")
try:
    redial.measure("mig", codes=numpy.array([["a"]]), labels=labels)
except redial.RedialError as error:
    assert "numbers are needed" in str(error), error
else:
    raise AssertionError("words were measured")
print("ok: arrays of", ", ".join(frames), "and files", ", ".join(files))
