"""Exports a database with the program, and compares what comes out with what is in the database and
with what pandas, polars and DuckDB read from CSV and Parquet.

    python3 read_back.py REDIAL DATABASE OUT

Prints, as JSON, the number of snapshots and the most memory that the program held, in MiB.
"""

import json
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import time

import duckdb
import pandas as pd
import polars as pl

redial, database, out = sys.argv[1:]
out = pathlib.Path(out)

started = time.monotonic()
arguments = [redial, "export", "curves", "--out", str(out), "--database", f"sqlite://{database}"]
done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
seconds = time.monotonic() - started
# The only child there was; kilobytes on Linux.
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def csv_file(part, table):
    first, *more = table.split("_")
    name = first + "".join(word.capitalize() for word in more)
    return out / "data" / part / f"study-curves_description-{name}_data.csv"


dictionary = {table["table"]: table for table in json.loads((out / "dictionary.json").read_text())}
manifest = json.loads((out / "manifest.json").read_text())
counts = {table["table"]: table for table in manifest["tables"]}

POLARS = {
    "text": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "boolean": pl.Boolean,
    "time": pl.Datetime("ms", "UTC"),
    "numbers": pl.List(pl.Float64),
    "json": pl.String,
}


def typed(frame, columns):
    """A frame whose lists and times came as text, with the declared types."""
    changes = []
    for column in columns:
        name, kind = pl.col(column["column"]), column["type"]
        if kind == "numbers" and frame.schema[column["column"]] == pl.String:
            changes.append(name.str.json_decode(pl.List(pl.Float64)))
        elif kind == "time" and frame.schema[column["column"]] == pl.String:
            changes.append(name.str.to_datetime("%+", time_unit="ms", time_zone="UTC"))
        else:
            changes.append(name.cast(POLARS[kind]))
    return frame.with_columns(changes)


def readings(part, table, columns):
    """The table as each library reads it from each format, as frames of polars."""
    comma, columnar = csv_file(part, table), out / "parquet" / part / f"{table}.parquet"
    text = {"time", "numbers", "json", "text"}
    as_text = {c["column"]: pl.String for c in columns if c["type"] in text}
    schema = {c["column"]: POLARS["text" if c["type"] in text else c["type"]] for c in columns}
    yield "polars CSV", pl.read_csv(comma, schema=schema)
    yield "polars Parquet", pl.read_parquet(columnar)
    kinds = {"integer": "Int64", "number": "float64", "boolean": "boolean"}
    types = {c["column"]: kinds.get(c["type"], "string") for c in columns}
    frame = pd.read_csv(comma, dtype=types, keep_default_na=False, na_values=[""])
    yield "pandas CSV", pl.from_pandas(frame, nan_to_null=True, schema_overrides=as_text)
    frame = pd.read_parquet(columnar)
    yield "pandas Parquet", pl.from_pandas(frame, nan_to_null=True)
    sql = {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
    names = ", ".join(f"'{c['column']}': '{sql.get(c['type'], 'VARCHAR')}'" for c in columns)
    yield "DuckDB CSV", duckdb.sql(
        f"SELECT * FROM read_csv('{comma}', header = true, columns = {{{names}}}, quote = '\"', escape = '\"', "
        "auto_detect = false, max_line_size = 20000000)"
    ).pl()
    duckdb.sql("SET TimeZone = 'UTC'")
    yield "DuckDB Parquet", duckdb.sql(f"SELECT * FROM read_parquet('{columnar}')").pl()


compared = 0
for table, declared in dictionary.items():
    columns = declared["columns"]
    for part, rows in [("raw", "rows"), ("included", "included_rows")]:
        first = None
        for reader, frame in readings(part, table, columns):
            assert frame.columns == [c["column"] for c in columns], (table, reader)
            assert frame.height == counts[table][rows], (table, part, reader, frame.height)
            frame = typed(frame, columns)
            if first is None:
                first = frame
                continue
            for column in columns:
                name = column["column"]
                same = first[name].equals(frame[name], null_equal=True)
                assert same, (table, part, reader, name, first[name], frame[name])
                compared += frame.height

# Each link leads to its row's moment, as the page of the replay reads it.
MOMENTS = {"events": "at_ms", "answers": "at_ms", "reconstruction_questions": "started_at_ms"}
for table, moment in MOMENTS.items():
    frame = pl.read_parquet(out / "parquet" / "raw" / f"{table}.parquet", columns=["session", moment, "replay"])
    parts = frame["replay"].str.extract_groups(
        r"^/research/studies/curves/replay/(?<session>[^?]+)\?t=(?:(?<minutes>\d+)m)?(?<seconds>[0-9.]+)s$"
    ).struct.unnest()
    assert parts["session"].equals(frame["session"]), table
    ms = parts["minutes"].cast(pl.Int64).fill_null(0) * 60_000 + (parts["seconds"].cast(pl.Float64) * 1_000).round().cast(pl.Int64)
    assert (ms == frame[moment]).all(), table

# Each snapshot of the database is a row, and each row one of them.
snapshots = pl.read_parquet(out / "parquet" / "raw" / "reconstruction_snapshots.parquet")
rows = snapshots.select("session", "seq", "elapsed_ms", "distance", "squared_error", "z").iter_rows()
connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
names = {}
stored = connection.execute(
    "SELECT e.session, e.seq, e.envelope FROM events e JOIN sessions s ON s.id = e.session "
    "WHERE e.author = 'participant' ORDER BY s.ordinal, e.seq"
)
count = 0
events = 0
for session, seq, envelope in stored:
    events += 1
    event = json.loads(envelope)
    if event.get("kind") != "reconstruction" or event.get("event") != "snapshot":
        continue
    row = next(rows)
    expected = (session, seq, event["elapsed_ms"], event["distance"], event["squared_error"], event["z"])
    assert row == expected, (row, expected)
    count += 1
assert next(rows, None) is None, "more rows than snapshots"
assert count == snapshots.height == counts["reconstruction_snapshots"]["rows"]
assert events <= counts["events"]["rows"]
print(json.dumps({"snapshots": count, "cells": compared, "mib": round(memory, 1), "seconds": round(seconds, 1)}))
