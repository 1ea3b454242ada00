"""The evidence file of a page: its numbers and what proves them, for programs."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.input_file import data_of
from parsers.io.message import Message
from parsers.io.printable import printable, printable_lines
from parsers.io.validation import Mistake, mistake

from ..measure.protocol import Protocol
from ..measure.quantity import AnyQuantity
from ..pagefile.column import AnyOption
from ..pagefile.page import Page, Value
from .cell import Cell, Quoted, Quotient, former_anchors
from .evidence_parts import (
    Anchor,
    Computed,
    Count,
    LineNumber,
    LogProof,
    Origin,
    QuotedFigure,
    QuotedSource,
    StatedFormula,
    StrictPart,
    relative,
)
from .ranks.exhibits import Exhibit

SCHEMA = 1
SUFFIX = ".evidence.json"

NUMBER_OR_REASON = "a cell needs either a number with evidence, protocol and logs, or a reason why it is empty."
QUOTED_OR_COMPUTED = "only an empty cell can quote a figure, and only a cell with a number can be computed."
LOGS_OR_SOURCE = "set either logs (a folder) or source (published by others), not both."
OUT_OF_ORDER = "evidence numbers must start at 1 and follow the order of the cells."
UNKNOWN_SOURCE = "unknown source {source}; sources: {known}."
SAME_SLUG = "two cells have one address."
OF_NO_CELL = "a number is computed from a number that is not in any cell."
NOT_JSON = "is not valid JSON: {reason}."


class EvidenceFileError(ParserError):
    """An evidence file that cannot be read or says what cannot be; one sentence names the file, the key and why."""


def _rule(words: str) -> str:
    Protocol.parse(words)
    return words


class CellProof(StrictPart):
    """One cell of a page.

    ``slug``: its address, which is the anchor of what the page prints; None in files of earlier versions, where that
    is eN of the number N that is ``evidence``, or qN. ``table``, ``row``, ``column``: where it stands, from 0.
    ``printed``: the number on the page, ``number`` the same unrounded, in ``unit``. ``protocol``: the rule of its
    throughput in words that ``Protocol.parse`` reads. ``reason``: why the cell is empty; then evidence, number and
    protocol are None, and there are no logs. ``quoted``: the figure that stands there all the same. ``computed``: how
    the number comes from two others; it then has no protocol and no logs of its own. ``formula``: the operations of
    its model, ``target``: the loss to be reached, and ``read``: what a number of the logs measures, each left out where
    the page states none. ``remarks``: what a reader must know, in English.
    """

    evidence: LineNumber | None
    slug: Anchor | None = None
    table: Count
    table_name: str
    row: Count
    column: Count
    row_title: str
    column_title: str
    case: dict[str, Value]
    quantity: AnyQuantity
    unit: str
    printed: Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$")] | None
    number: Annotated[float, Field(allow_inf_nan=False)] | None
    protocol: Annotated[str, AfterValidator(_rule)] | None
    logs: list[LogProof]
    reason: str | None
    quoted: QuotedFigure | None = None
    computed: Computed | None = None
    formula: StatedFormula | None = None
    target: Annotated[float, Field(allow_inf_nan=False)] | None = None
    read: AnyOption | None = None
    remarks: list[str]

    @model_validator(mode="after")
    def _has_a_number_or_a_reason(self) -> Self:
        has_number = self.reason is None
        comes_from_logs = has_number and self.computed is None
        number = [one is not None for one in (self.evidence, self.printed, self.number)]
        origin = [self.protocol is not None, bool(self.logs)]
        if set(number) != {has_number} or set(origin) != {comes_from_logs}:
            raise Mistake(NUMBER_OR_REASON)
        if (self.quoted and self.reason is None) or (self.computed and self.reason is not None):
            raise Mistake(QUOTED_OR_COMPUTED)
        return self

    @property
    def anchor(self) -> str | None:
        """The anchor of what the page prints for the cell; None where that is nothing."""
        return self.slug if self.slug and self.former_anchor else self.former_anchor

    @property
    def former_anchor(self) -> str | None:
        """The same as earlier versions called it."""
        if self.quoted:
            return f"q{self.quoted.figure}"
        return f"e{self.evidence}" if self.evidence else None


class EvidenceFile(StrictPart):
    """The numbers of one page, in its order.

    ``logs``: the folder of logs as seen from that of the page; None where they are those of ``source``. ``sources``:
    where the quoted figures were published, by name. ``page_file``: the text of the page file that the page was made
    of, None in files of earlier versions. ``charts``: whether the page shows charts.
    """

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    page: str
    page_file: str | None = None
    charts: bool = False
    logs: Annotated[str, AfterValidator(relative)] | None
    source: Origin | None
    sources: dict[str, QuotedSource] = Field(default_factory=dict)
    cells: list[CellProof]

    @model_validator(mode="after")
    def _says_where_the_logs_are(self) -> Self:
        if (self.logs is None) == (self.source is None):
            raise Mistake(LOGS_OR_SOURCE)
        return self

    @model_validator(mode="after")
    def _numbers_follow_each_other(self) -> Self:
        numbers = [cell.evidence for cell in self.cells if cell.evidence is not None]
        figures = [cell.quoted.figure for cell in self.cells if cell.quoted]
        if any(found != list(range(1, len(found) + 1)) for found in (numbers, figures)):
            raise Mistake(OUT_OF_ORDER)
        return self

    @model_validator(mode="after")
    def _names_what_there_is(self) -> Self:
        if unknown := next(
            (c.quoted.source for c in self.cells if c.quoted and c.quoted.source not in self.sources), 0
        ):
            raise Mistake(UNKNOWN_SOURCE, source=repr(unknown), known=_listed(self.sources))
        own = {cell.anchor for cell in self.cells if cell.computed is None}
        if any({cell.computed.of, cell.computed.against} - own for cell in self.cells if cell.computed):
            raise Mistake(OF_NO_CELL)
        slugs = [cell.slug for cell in self.cells if cell.slug]
        if len(set(slugs)) < len(slugs):
            raise Mistake(SAME_SLUG)
        return self


def path_of(page: str, folder: Path) -> Path:
    """Where the evidence file of a page is, beside its pages in ``folder``."""
    return folder / f"{page}{SUFFIX}"


def text(path: Path, stated: str, page: Page, cells: Sequence[Cell], logs: Path, *, charts: bool = False) -> str:
    """The evidence of the cells of a page as its file is to hold it; the same cells give the same text.

    ``path``: as ``path_of`` gives it. ``stated``: the text of the page file. ``logs``: the folder of logs, left out
    where the page names the source of them. ``charts``: whether the page shows charts.
    """
    former = former_anchors(cells)
    numbered = {cell: int(former[cell][1:]) if cell in former else None for cell in cells}
    told = {
        "schema": SCHEMA,
        "page": path.name.removesuffix(SUFFIX),
        "page_file": stated,
        "charts": charts,
        "logs": None if page.source else Path(os.path.relpath(logs, path.parent)).as_posix(),
        "source": page.source.model_dump(include={"repository", "commit"}) if page.source else None,
        "sources": {name: source.model_dump() for name, source in page.sources.items()},
        "cells": [_told(cell, place, numbered[cell]) for cell, place in zip(cells, _places(page), strict=True)],
    }
    # What is not seen, and halves of characters of names that are no UTF-8, are spelt as JSON spells them.
    return printable_lines(json.dumps(told, ensure_ascii=False, indent=1)) + "\n"


def _places(page: Page) -> Iterator[dict[str, Any]]:
    """Where each cell of a page stands, in its order."""
    for number, table in enumerate(page.tables):
        for row in range(len(table.rows)):
            for column in range(len(table.columns)):
                yield {"table": number, "table_name": table.name, "row": row, "column": column}


def _told(cell: Cell, place: dict[str, Any], number: int | None) -> dict[str, Any]:
    return {
        "evidence": number if cell.printed else None,
        "slug": cell.slug,
        **place,
        "row_title": cell.row,
        "column_title": cell.column,
        "case": cell.stated,
        "quantity": cell.shown.quantity.name,
        "unit": cell.shown.unit,
        "printed": cell.printed,
        "number": cell.number,
        "protocol": cell.rule,
        "logs": [_exhibit(exhibit) for proof in cell.proofs for exhibit in proof.exhibits],
        "reason": None if cell.printed else str(cell.reason),
        "quoted": _quoted(cell.quoted, number) if cell.quoted else None,
        "computed": _computed(cell.quotient) if cell.quotient else None,
        **({"formula": asdict(cell.shown.formula)} if cell.shown.quantity.of_log and cell.shown.formula else {}),
        **({"target": cell.shown.target} if cell.shown.target is not None else {}),
        **({"read": cell.of_logs.read} if cell.of_logs.read else {}),
        "remarks": cell.said,
    }


def _quoted(quoted: Quoted, number: int | None) -> dict[str, Any]:
    return {"figure": number, "value": quoted.digits, "source": quoted.source}


def _computed(quotient: Quotient) -> dict[str, Any]:
    return {"of": quotient.of.slug, "against": quotient.against.slug, "ideal": quotient.ideal, "whole": quotient.whole}


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    first, last = exhibit.lines
    file = {"path": exhibit.path, "sha256": exhibit.sha256, "format": exhibit.format}
    return {**file, "first": first, "last": last, "used": exhibit.used}


def read(path: Path) -> EvidenceFile:
    """Read an evidence file that anybody may have written; raises EvidenceFileError."""
    try:
        return parsed(data_of(path), path)
    except OSError as error:
        raise EvidenceFileError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


def parsed(text: str | bytes, path: Path) -> EvidenceFile:
    """What a text says that is that of an evidence file; raises EvidenceFileError."""
    try:
        return EvidenceFile.model_validate(json.loads(text))
    except ValidationError as error:
        raise EvidenceFileError.at(path, mistake(error.errors(include_url=False)[0], EvidenceFile)) from None
    except (ValueError, RecursionError) as error:
        raise EvidenceFileError.at(path, NOT_JSON, reason=printable(error)) from error


def _listed(names: Iterable[str]) -> str | Message:
    return printable(", ".join(names)) or Message("none")
