"""Exports as data frames with the types that their data dictionary declares."""

import collections.abc
import importlib.util
import json
import pathlib

import pandas as pd

from ._program import RedialError, run


class Export(collections.abc.Mapping):
    """The tables of an export, by name: each is read when it is first asked for.

    `part` is "included" (the sessions that count) or "raw" (every session, with flags).
    """

    def __init__(self, folder, part="included"):
        self.folder = pathlib.Path(folder)
        self.part = part
        if part not in ("included", "raw"):
            raise ValueError(f'part is "included" or "raw", not {part!r}')
        dictionary = self.folder / "dictionary.json"
        if not dictionary.is_file():
            raise FileNotFoundError(f"{self.folder} is no export of Redial: it has no dictionary.json")
        tables = json.loads(dictionary.read_text(encoding="utf-8"))
        self._columns = {table["table"]: table["columns"] for table in tables}
        self._read = {}

    def __getitem__(self, table):
        if table not in self._read:
            self._read[table] = self._table(table)
        return self._read[table]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def __repr__(self):
        return f"Export({str(self.folder)!r}, part={self.part!r}): {', '.join(self)}"

    @property
    def manifest(self):
        """Counts, hashes, problems and settings of the export."""
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    def dictionary(self, table):
        """What each column of a table means, as a data frame."""
        return pd.DataFrame(self._columns[table]).set_index("column")

    def other(self, part):
        """The same export's other part."""
        return Export(self.folder, part)

    def _table(self, table):
        columns = self._columns[table]
        if importlib.util.find_spec("pyarrow"):
            path = self.folder / "parquet" / self.part / f"{table}.parquet"
            frame = pd.read_parquet(path)
        else:
            # Text is read as it is: an answer "NA" is no missing value.
            path = self._csv(table)
            frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
        for column in columns:
            name = column["column"]
            frame[name] = _typed(frame[name], column["type"])
        return frame

    def _csv(self, table):
        # Letters and digits alone: reconstruction_questions is reconstructionQuestions.
        first, *more = table.split("_")
        name = first + "".join(word.capitalize() for word in more)
        found = list((self.folder / "data" / self.part).glob(f"study-*_description-{name}_data.csv"))
        if len(found) != 1:
            raise FileNotFoundError(f"{self.folder} has {len(found)} CSV files of the table {table}")
        return found[0]


_TYPES = {"text": "string", "integer": "Int64", "number": "float64", "boolean": "boolean"}


def _typed(values, kind):
    if kind == "time":
        # Some have milliseconds, others do not.
        return pd.to_datetime(values, utc=True, format="ISO8601").astype("datetime64[ms, UTC]")
    if kind == "numbers":
        return values.map(_numbers, na_action="ignore").astype(object)
    if kind == "json":
        return values.map(json.loads, na_action="ignore").astype(object)
    if kind == "boolean" and not pd.api.types.is_bool_dtype(values):
        values = values.map({"true": True, "false": False, True: True, False: False})
    if kind == "integer" and values.dtype == object:
        values = pd.to_numeric(values)
    return values.astype(_TYPES[kind])


def _numbers(cell):
    values = json.loads(cell) if isinstance(cell, str) else cell
    return [None if value is None or value != value else float(value) for value in values]


def load(folder, part="included"):
    """Opens an export: a mapping from the names of tables to data frames.

    Types are those of the data dictionary: whole numbers `Int64`, numbers `float64`, truth values
    `boolean`, texts `string`, times `datetime64[ms, UTC]`, lists of numbers Python lists, other JSON as
    Python's own. Parquet is read where pyarrow is installed, else CSV; the frames are equal.
    """
    return Export(folder, part)


def export(study, folder, part="included", **options):
    """Exports a study to a new folder, and opens it. Options are those of `redial export`."""
    if pathlib.Path(folder).exists() and any(pathlib.Path(folder).iterdir()):
        raise RedialError(f"{folder} is not empty; name a new folder, or open it with redial.load")
    run("export", study, out=folder, **options)
    return load(folder, part)
