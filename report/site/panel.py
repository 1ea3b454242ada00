"""Panels: all that stands behind one number, as data that the script of the page shows as text."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from parsers.io.message import Message

from ..evidence.cell import Cell, Proof
from ..evidence.ranks.exhibits import Exhibit
from ..wording.markdown import seen
from ..wording.words import worded
from .derivation_steps import DerivationSteps, Step, of_cell, of_telemetry, with_unit
from .hypertext import plain
from .log_excerpts import AROUND, LINES, pieces_of
from .web_page import WebPage

# A log of which every other line is left out has as many ranges; so many of them are spelt out.
MOST_RANGES = 20
LEFT = "{reason}: {count} records, lines {lines}"
LEFT_ONE = "{reason}: {count} record, line {lines}"
TRANSLATED = ("statistic", "repeats")


def panel(page: WebPage, cell: Cell, derived: Mapping[int, DerivationSteps]) -> dict[str, Any]:
    """The evidence of a cell that has a number, in the language of its page; all texts are plain.

    ``derived``: how its logs give their throughputs, as ``derivations`` returns it.

    ``rule``: the protocol in neutral words, ``protocol`` in sentences. ``parts``: the numbers that it is computed from,
    each with its ``place`` and the ``anchor`` of its evidence. ``files``: per file of evidence its address, its lines
    used (``used``, ranges from 1) with the value read in each (``values``), and those left out by reason.
    """
    return {
        **_named(page, cell),
        "protocol": [page.say(key, **values) for key, values in _rule(cell)],
        "rule": cell.words,
        **_source(page, cell),
        "parts": [{**_named(page, part), "anchor": page.anchor_of(part)} for part in cell.parts],
        "steps": [_said(page, step) for step in of_cell(cell)],
        "remarks": [plain(remark) for remark in page.remarks_of(cell)],
        "files": [file for proof in cell.proofs for file in _files(page, cell, proof, derived[id(proof)])],
    }


def _named(page: WebPage, cell: Cell) -> dict[str, str]:
    """A number with its mark and its unit, and where it stands on the page."""
    mark = "‡" if cell.rests_on_quotes else ""
    number = with_unit(str(cell.digits), cell, mark)
    return {"number": seen(number), "place": " · ".join(map(plain, page.coordinates(cell)))}


def _source(page: WebPage, cell: Cell) -> dict[str, str]:
    """Where a quoted figure was published; nothing of a number."""
    if cell.quoted is None:
        return {}
    source = page.page.sources[cell.quoted.source]
    title, note = page.translate(source.title), page.translate(source.note)
    return {"source": seen(f"{title} ({source.date})"), "source_address": source.url, "note": plain(note)}


def _rule(cell: Cell) -> list[Any]:
    stated = cell.shown.steps(cell.protocol) if cell.protocol else ()
    return [step for step in stated if len(cell.proofs) > 1 or not step[0].startswith("repeats_")]


def _said(page: WebPage, step: Step) -> str:
    values = {name: page.say(str(value)) if name in TRANSLATED else value for name, value in step.values.items()}
    return worded(Message(step.message, **values), page.translate)


def _files(page: WebPage, cell: Cell, proof: Proof, derived: DerivationSteps) -> Iterator[dict[str, Any]]:
    """The files behind one run, in the order of its exhibits: telemetry first where the cell shows that."""
    for exhibit in proof.exhibits:
        if exhibit.path == proof.log:
            yield _log(page, proof, exhibit, derived)
        elif exhibit.path in proof.of_ranks:
            yield {
                **_file(page, exhibit, proof.lines_of(exhibit)),
                **_derived(page, DerivationSteps({}, [])),
                "left": [],
            }
        else:
            yield _telemetry(page, cell, proof, exhibit)


def _log(page: WebPage, proof: Proof, exhibit: Exhibit, derived: DerivationSteps) -> dict[str, Any]:
    left = [_left_out(page, reason, lines) for reason, lines in proof.measurement.left_out.items()]
    return {**_file(page, exhibit, proof.measurement.lines), **_derived(page, derived), "left": left}


def _telemetry(page: WebPage, cell: Cell, proof: Proof, exhibit: Exhibit) -> dict[str, Any]:
    observed = proof.observation
    steps = [of_telemetry(cell, observed.value)] if observed else []
    lines = observed.lines if observed else ()
    return {**_file(page, exhibit, lines), **_derived(page, DerivationSteps({}, steps)), "left": []}


def _file(page: WebPage, exhibit: Exhibit, lines: Sequence[int]) -> dict[str, Any]:
    return {
        "name": seen(exhibit.path),
        "address": page.log_address(exhibit.path),
        "published": page.published_address(exhibit.path),
        "sha256": exhibit.sha256,
        "format": exhibit.format,
        "total": exhibit.total,
        "used": ranges(lines),
        "pieces": f"lines/{exhibit.sha256}",
        "length": LINES,
        "around": AROUND,
    }


def _derived(page: WebPage, derived: DerivationSteps) -> dict[str, Any]:
    return {"steps": [_said(page, step) for step in derived.steps], "values": list(derived.by_line.values())}


def _left_out(page: WebPage, key: str, lines: Sequence[int]) -> dict[str, Any]:
    reason, found = page.say(f"left_{key}"), ranges(lines)
    told = [f"{first}–{last}" if first < last else f"{first}" for first, last in found[:MOST_RANGES]]
    where = page.enumerated([*told, "…"] if len(found) > MOST_RANGES else told)
    said = page.say(LEFT_ONE if len(lines) == 1 else LEFT, reason=reason, count=len(lines), lines=where)
    return {"said": said, "reason": reason, "lines": found}


def ranges(lines: Sequence[int]) -> list[list[int]]:
    """Ascending line numbers as ranges [first, last]; a line with several records counts once."""
    found: list[list[int]] = []
    for line in lines:
        if found and line <= found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def excerpts(cells: Sequence[Cell]) -> dict[str, tuple[str, set[int]]]:
    """The pieces of files that the panels of cells show: by path below the folder of logs the SHA-256 and pieces."""
    wanted: dict[str, tuple[str, set[int]]] = {}
    proofs = chain.from_iterable(cell.proofs for cell in cells if cell.printed)
    for proof in proofs:
        for exhibit in proof.exhibits:
            wanted.setdefault(exhibit.path, (exhibit.sha256, set()))[1].update(pieces_of(proof.lines_of(exhibit)))
    return wanted
