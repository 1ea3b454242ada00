"""The index of a history: the records of its runs as Parquet, which is made of logs alone and only saves reading them.

It is believed as long as it was made by the same program, by the same protocol, and nobody changed it; anything else is
made anew. It lies in the user's folder of caches, or in a file that the user names.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from parsers.grammar.format import ROOM
from parsers.io.cache import found, keep, name_of
from parsers.io.errors import WriteError, extra
from parsers.io.files import whole, writing

from ...measure.protocol import Protocol
from ..change_points import EXTRA, NEEDS
from .run_record import RunRecord

SCHEMA = "1"
NO_INDEX = "it is a file of another kind, not the index of a history"
MADE_BY, ROWS, WRITTEN = b"tachograph", b"tachograph_rows", b"tachograph_written_ns"
COLUMNS = [field.name for field in fields(RunRecord)]
LONG = ["environment", "facts"]  # the same in many rows
INTEGERS = [field.name for field in fields(RunRecord) if str(field.type).startswith("int")]
SUFFIXES = (".py", ".lark", ".toml")
Key = tuple[str, str]  # root and path


@dataclass(frozen=True)
class HistoryIndex:
    """What is known of runs by their root and path, and when that was written (ns); empty where nothing is believed."""

    records: Mapping[Key, RunRecord]
    written: int = 0


@dataclass(frozen=True)
class IndexPlace:
    """Where an index lies: in ``file``, else in the user's caches; ``protocol``: by which its runs were measured."""

    roots: Sequence[str]
    protocol: Protocol | None
    file: Path | None = None

    def load(self) -> HistoryIndex:
        """The index, as far as it can be believed. Raises ExtraError where pyarrow is not installed."""
        with extra(EXTRA, NEEDS):
            import pyarrow  # noqa: PLC0415 - it comes with the extra
        try:
            data = self.file.read_bytes() if self.file else found(self._name)
            return _loaded(data, self._made_by)
        except (OSError, ValueError, TypeError, LookupError, pyarrow.ArrowException):
            return HistoryIndex({})

    def save(self, records: Sequence[RunRecord], written: int) -> None:
        """Keep the index, whole or not at all; raises WriteError where a named file cannot be written."""
        data = _parquet(records, self._made_by, written)
        if self.file is None:
            keep(data, self._name)
            return
        with whole(self.file) as unfinished, writing(self.file):
            unfinished.write_bytes(data)

    def refuse_other(self) -> None:
        """Raise WriteError where the named file is there and is no index: it is not ours to replace."""
        with extra(EXTRA, NEEDS):
            from pyarrow import ArrowException, parquet  # noqa: PLC0415 - it comes with the extra
        if self.file is None or not self.file.is_file() or not self.file.stat().st_size:
            return
        try:
            with writing(self.file):
                known = parquet.read_schema(self.file).metadata or {}
        except (ArrowException, ValueError):
            known = {}
        if MADE_BY not in known:
            raise WriteError(self.file, NO_INDEX)

    @property
    def _name(self) -> str:
        places = (str(Path(root).absolute()).encode("utf-8", "surrogateescape") for root in self.roots)
        return name_of(b"history", self._made_by, *places)

    @property
    def _made_by(self) -> bytes:
        words = self.protocol.words() if self.protocol else ""
        return name_of(SCHEMA.encode(), _program(), words.encode()).encode()


@cache
def _program() -> bytes:
    """The hash of all that the records depend on beside the logs: the programs and grammars of both rooms."""
    made_with = hashlib.sha256(sys.version.encode())
    for room in (ROOM, Path(__file__).parents[2]):
        for source in sorted(path for path in room.rglob("*") if path.suffix in SUFFIXES):
            made_with.update(source.read_bytes())
    return made_with.digest()


def _loaded(data: bytes, made_by: bytes) -> HistoryIndex:
    """The records of an index; raises ValueError, and what pyarrow raises, where it cannot be believed."""
    from pyarrow import parquet  # noqa: PLC0415 - it comes with the extra

    table = parquet.read_table(io.BytesIO(data), read_dictionary=LONG)
    told = table.schema.metadata or {}
    if told.get(MADE_BY) != made_by or table.column_names != COLUMNS:
        return HistoryIndex({})
    columns = [_values(table.column(name)) for name in COLUMNS]
    records = [RunRecord(*row) for row in zip(*columns, strict=True)]
    if told.get(ROWS) != _digest(records):
        return HistoryIndex({})
    return HistoryIndex({(one.root, one.path): one for one in records}, int(told[WRITTEN]))


def _values(column: Any) -> list[Any]:
    """The values of a column; those of a dictionary once each, for they are long and the same in many rows."""
    values = list[Any]()
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            known = chunk.dictionary.to_pylist()
            values += [None if at is None else known[at] for at in chunk.indices.to_pylist()]
        else:
            values += chunk.to_pylist()
    return values


def _parquet(records: Sequence[RunRecord], made_by: bytes, written: int) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - it comes with the extra
    from pyarrow import parquet  # noqa: PLC0415

    schema = pa.schema([(name, _type(name, pa)) for name in COLUMNS])
    rows = zip(*(astuple(one) for one in records), strict=True) if records else ([] for _ in COLUMNS)
    arrays = [pa.array(list(column), schema.field(name).type) for name, column in zip(COLUMNS, rows, strict=True)]
    told = {MADE_BY: made_by, ROWS: _digest(records), WRITTEN: str(written).encode()}
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=schema.with_metadata(told)), file)
    return file.getvalue()


def _type(name: str, pa: Any) -> Any:
    if name == "throughput":
        return pa.float64()
    if name in ("is_loose", "own_window"):
        return pa.bool_()
    return pa.int64() if name in INTEGERS else pa.string()


def _digest(records: Sequence[RunRecord]) -> bytes:
    """The hash of all rows; a long text that several of them share goes into it once."""
    hashed, numbers = hashlib.sha256(), dict[str, int]()
    for record in records:
        *short, environment, facts = astuple(record)
        long = [numbers.setdefault(text, len(numbers)) for text in (environment, facts)]
        hashed.update(json.dumps([*short, *long]).encode())
    for text in numbers:
        hashed.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    return hashed.hexdigest().encode()
