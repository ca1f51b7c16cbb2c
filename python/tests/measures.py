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

# All that is wrong is said at once.
try:
    redial.measure("mig", codes=numpy.full((4, 2), numpy.nan), labels=numpy.full((3, 1), 0.5))
except redial.RedialError as error:
    assert "NaN" in str(error) or "nan" in str(error), error
else:
    raise AssertionError("NaN was measured")
try:
    redial.measure("mig", codes=numpy.array([["a"]]), labels=labels)
except redial.RedialError as error:
    assert "numbers are needed" in str(error), error
else:
    raise AssertionError("words were measured")
print("ok: arrays of", ", ".join(frames), "and files", ", ".join(files))
