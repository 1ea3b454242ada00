"""The golden logs: their places, and the reading of a log as text that a diff can show.

What a log gives stands in a file beside it; what its columns mean (unit, scope, kind) stands once for all logs of its
format, in ``columns.json``, so that a wrong unit is mended in two places: the grammar and there.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from parsers.grammar.field import Field
from parsers.runs.reading import Reading

GOLDEN = Path(__file__).parent / "golden"
LOGS = sorted(GOLDEN.glob("*/*.log"))
FORMATS = sorted({log.parent for log in LOGS})
# For what does not depend on the format.
SOME_LOGS = LOGS[::9]
every_golden_format = pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)


def name(log: Path) -> str:
    """The name of a golden log, for the report of pytest."""
    return f"{log.parent.name}/{log.stem}"


def as_json(reading: Reading) -> str:
    """Everything that a reading says of a log but its path, hash and what columns mean; one line a fact, a record."""
    account = reading.account
    parts = {
        "format": _line(reading.format.name if reading.format else None),
        "account": _line({k: getattr(account, k) for k in ("total", "matched", "ignored", "unmatched")}),
        "warnings": _block(map(str, reading.warnings)),
        "facts": _block([[fact.name, fact.value, str(fact.source)] for fact in reading.facts.values()]),
        "records": _block([_row(row) for row in reading.records.to_dict("records")]),
    }
    if len(reading.events):
        parts["events"] = _block(reading.events[["line", "event"]].values.tolist())
    return "{\n" + ",\n".join(f'"{key}": {text}' for key, text in parts.items()) + "\n}\n"


def columns_as_json(readings: Mapping[str, Reading]) -> str:
    """What the columns of golden logs mean, by the name of a log: a line each, with the logs that have it."""
    logs: dict[str, list[str]] = {}
    for log, reading in readings.items():
        for (record, column), field in reading.fields.items():
            if meaning := _meaning(field):
                logs.setdefault(_line([record, column, meaning])[:-1], []).append(log)
    return "[" + ",".join(f"\n  {column}, {_line(of)}]" for column, of in logs.items()) + "\n]\n"


def _block(entries: Any) -> str:
    return "[" + ",".join(f"\n  {_line(entry)}" for entry in entries) + "\n]"


def _line(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False)


def _meaning(field: Field) -> dict[str, Any]:
    """The unit, scope and kind of a column, and whatever else its grammar says of it."""
    stated = ((key, value) for key, value in vars(field).items() if not (value is None or value is False))
    return {key: value for key, value in stated if key not in ("name", "type")}


def _row(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): _cell(value) for key, value in row.items()}


def _cell(value: Any) -> Any:
    if pd.isna(value):
        return None
    return value.isoformat() if isinstance(value, datetime) else value
