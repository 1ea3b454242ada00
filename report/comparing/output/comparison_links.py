"""Comparison links: the tables of what differs and of all logs, whose cells lead to files and their lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.io.message import Message

from ...wording.markdown import path_address
from ..changes import StatedPlaces
from ..sides import ComparedSides
from .comparison_rows import changes_of, place_in_words, shortened

LINES = "{first} to {last}"


@dataclass(frozen=True)
class LinkedText:
    """A text and the file that it leads to; ``line``: its physical line, where one is meant."""

    said: str | Message
    file: Path
    line: int | None = None

    def address(self, folder: Path) -> str:
        """The address of the file as a page in a folder names it."""
        place = os.path.relpath(self.file, folder)
        return path_address(place) + (f"#L{self.line}" if self.line is not None else "")


Cell = str | Message | Sequence[LinkedText]


def change_rows(found: ComparedSides) -> Iterator[list[Cell]]:
    """A row for each thing that differs, as ``CHANGES_HEAD``, with links to where each side states it."""
    for title, change in changes_of(found):
        (a, b), (links_a, links_b) = map(shortened, change.said), map(place_links, change.places)
        yield [title, shortened(change.name), a, links_a, b, links_b]


def place_links(places: StatedPlaces) -> list[LinkedText]:
    """Places where something is stated, each with a link to its file."""
    return [LinkedText(place_in_words(place), place.file, place.line) for place in dict.fromkeys(places)]


def log_rows(found: ComparedSides) -> Iterator[list[Cell]]:
    """A row for each run, as ``LOGS_HEAD``, with a link to the first line that its throughput is made of."""
    for case in found.cases:
        for name, side in zip("AB", case.sides, strict=True):
            for run in side.runs:
                lines = Message(LINES, first=run.lines[0], last=run.lines[1])
                log = [LinkedText(str(run.log), run.log, run.lines[0])]
                yield [case.title, name, log, lines, f"{run.throughput:.6g} {case.unit}"]
