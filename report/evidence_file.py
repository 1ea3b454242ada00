"""The evidence file of a page: its numbers and what proves them, for programs."""

import json
import os
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from .cell import Cell, Exhibit
from .page import Page, Value
from .protocol import Protocol
from .quantity import Quantity

SCHEMA = 1
SUFFIX = ".evidence.json"


class EvidenceFileError(ValueError):
    """An evidence file that cannot be read or says what cannot be; one sentence names the file, the key and why."""


def _relative(path: str) -> str:
    if not path or "\0" in path or PurePath(path).anchor:
        raise ValueError(f"{path!r} is no path below or beside the page; a relative one is possible")
    return path


def _below(path: str) -> str:
    if ".." in PurePath(_relative(path)).parts:
        raise ValueError(f"{path!r} leaves the folder of logs; a path below it is possible")
    return path


def _rule(words: str) -> str:
    Protocol.parse(words)
    return words


Count = Annotated[int, Field(ge=0)]
LineNumber = Annotated[int, Field(ge=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Origin(_Part):
    """Where logs that others made were published."""

    repository: str
    commit: str


class LogProof(_Part):
    """One file behind a number: its path below the folder of logs, and the physical lines, from 1, that were used.

    ``format``: that of a log, None where it has none; of a side file its name. ``used``: how many records of the lines
    ``first`` to ``last`` were used.
    """

    path: Annotated[str, AfterValidator(_below)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    format: str | None
    first: LineNumber
    last: LineNumber
    used: LineNumber

    @model_validator(mode="after")
    def _lines_are_in_order(self) -> Self:
        if self.first > self.last:
            raise ValueError(f"line {self.first} is not before line {self.last}")
        return self


class CellProof(_Part):
    """One cell of a page.

    ``evidence``: the number N of its anchor eN. ``table``, ``row``, ``column``: where it stands, from 0.
    ``printed``: the number on the page, ``number`` the same unrounded, in ``unit``. ``protocol``: the rule of its
    throughput in words that ``Protocol.parse`` reads. ``reason``: why the cell is empty; then evidence, number and
    protocol are None, and there are no logs. ``remarks``: what a reader must know, in English.
    """

    evidence: LineNumber | None
    table: Count
    table_name: str
    row: Count
    column: Count
    row_title: str
    column_title: str
    case: dict[str, Value]
    quantity: Quantity
    unit: str
    printed: Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$")] | None
    number: Annotated[float, Field(allow_inf_nan=False)] | None
    protocol: Annotated[str, AfterValidator(_rule)] | None
    logs: list[LogProof]
    reason: str | None
    remarks: list[str]

    @model_validator(mode="after")
    def _has_a_number_or_a_reason(self) -> Self:
        filled = [one is not None for one in (self.evidence, self.printed, self.number, self.protocol)]
        if not (all(filled) if self.reason is None else not any(filled)) or bool(self.logs) != (self.reason is None):
            raise ValueError("a cell has a number with its evidence, protocol and logs, or a reason why it has none")
        return self


class EvidenceFile(_Part):
    """The numbers of one page, in its order.

    ``logs``: the folder of logs as seen from that of the page; None where they are those of ``source``.
    """

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    page: str
    logs: Annotated[str, AfterValidator(_relative)] | None
    source: Origin | None
    cells: list[CellProof]

    @model_validator(mode="after")
    def _says_where_the_logs_are(self) -> Self:
        if (self.logs is None) == (self.source is None):
            raise ValueError("the logs are in a folder (logs) or were published by others (source): one of the two")
        return self

    @model_validator(mode="after")
    def _numbers_follow_each_other(self) -> Self:
        numbers = [cell.evidence for cell in self.cells if cell.evidence is not None]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError("the numbers of the evidence do not count from 1 in the order of the cells")
        return self


def path_of(page: str, folder: Path) -> Path:
    """Where the evidence file of a page is, beside its pages in ``folder``."""
    return folder / f"{page}{SUFFIX}"


def write(path: Path, page: Page, cells: Sequence[Cell], logs: Path) -> None:
    """Write the evidence of the cells of a page; the same cells give the same bytes. Raises OSError.

    ``path``: as ``path_of`` gives it. ``logs``: the folder of logs, left out where the page names the source of them.
    """
    numbers = count(1)
    told = {
        "schema": SCHEMA,
        "page": path.name.removesuffix(SUFFIX),
        "logs": None if page.source else Path(os.path.relpath(logs, path.parent)).as_posix(),
        "source": page.source.model_dump(include={"repository", "commit"}) if page.source else None,
        "cells": [_told(cell, place, numbers) for cell, place in zip(cells, _places(page), strict=True)],
    }
    # A name of a log that is no UTF-8 has halves of characters, which JSON writes just as backslashreplace does.
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="backslashreplace")


def _places(page: Page) -> Iterator[dict[str, Any]]:
    """Where each cell of a page stands, in its order."""
    for number, table in enumerate(page.tables):
        for row in range(len(table.rows)):
            for column in range(len(table.columns)):
                yield {"table": number, "table_name": table.name, "row": row, "column": column}


def _told(cell: Cell, place: dict[str, Any], numbers: Iterator[int]) -> dict[str, Any]:
    return {
        "evidence": next(numbers) if cell.printed else None,
        **place,
        "row_title": cell.row,
        "column_title": cell.column,
        "case": cell.case,
        "quantity": cell.shown.quantity,
        "unit": cell.shown.unit,
        "printed": cell.printed,
        "number": cell.number,
        "protocol": cell.rule,
        "logs": [_exhibit(exhibit) for proof in cell.proofs for exhibit in proof.exhibits],
        "reason": None if cell.printed else str(cell.reason),
        "remarks": cell.said,
    }


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    first, last = exhibit.lines
    file = {"path": exhibit.path, "sha256": exhibit.sha256, "format": exhibit.format}
    return {**file, "first": first, "last": last, "used": exhibit.used}


def read(path: Path) -> EvidenceFile:
    """Read an evidence file that anybody may have written; raises EvidenceFileError."""
    try:
        return EvidenceFile.model_validate(json.loads(path.read_bytes()))
    except ValidationError as error:
        raise EvidenceFileError(f"{path}: {_sentence(error)}") from None
    except OSError as error:
        raise EvidenceFileError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise EvidenceFileError(f"{path} is no JSON: {_plain(str(error))}.") from error


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    return _plain(f"{key}: {message}." if key else f"{message}.")


def _plain(text: str) -> str:
    """Text of a file that anybody may have written, without what would move on a screen."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
