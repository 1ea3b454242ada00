"""Provenance: where a fact of a run comes from, as a value that code asks and that is worded last."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..io.message import Message

Kind = Literal[
    "line",
    "lines",
    "file_name",
    "former_name",
    "run_file",
    "side_line",
    "page",
    "label",
    "option",
    "records",
    "one_node",
    "product",
    "share",
    "rank_files",
]
# How each kind is told: the key of the catalogues, and what its values are called there.
WORDS: Mapping[Kind, tuple[str, ...]] = {
    "line": ("line {number}", "number"),
    "lines": ("line {first} to {last}", "first", "last"),
    "file_name": ("file name",),
    "former_name": ("original file name",),
    "run_file": ("{file}", "file"),
    "side_line": ("{file}, line {number}", "file", "number"),
    "page": ("page",),
    "label": ("label",),
    "option": ("--{name}", "name"),
    "records": ("the records",),
    "one_node": ("{source}, as one node", "source"),
    "product": ("{first} and {second}", "first", "second"),
    "share": ("{first} divided by the cards of {second}", "first", "second"),
    "rank_files": ("the logs of {count} ranks", "count"),
}
DERIVED: tuple[Kind, ...] = ("one_node", "product", "share")
NAMES: tuple[Kind, ...] = ("file_name", "former_name")
OF_THE_LOG: tuple[Kind, ...] = ("line", "lines", "side_line", *NAMES)


@dataclass(frozen=True)
class Provenance:
    """Where a fact comes from: a kind, and the values that it has.

    ``line``: a physical line number, from 1; ``lines``: the first and the last. ``file_name``: that of the log;
    ``former_name``: the one that an ingested log had. ``run_file``: the case in its run.json, by the name of that file.
    ``side_line``: a file beside the log, and its line.
    ``page``: a page file. ``label``: a label of a published page. ``option``: the name of the option without its
    hyphens. ``records``: what the records print. ``rank_files``: how many ranks have a log
    of their own. The others are derived: ``one_node`` from the cards of a node,
    ``product`` and ``share`` from two facts. ``str`` words it in English.
    """

    kind: Kind
    values: "tuple[int | str | Provenance, ...]" = ()

    @property
    def message(self) -> Message:
        """The words for it, in any language."""
        key, *names = WORDS[self.kind]
        values = (value.message if isinstance(value, Provenance) else value for value in self.values)
        return Message(key, **dict(zip(names, values, strict=True)))

    def __str__(self) -> str:
        return str(self.message)

    @property
    def is_name(self) -> bool:
        """Whether nothing but the name of the log, or of its folders, says so."""
        return self.kind in NAMES

    @property
    def is_of_the_log(self) -> bool:
        """Whether the log, its name or its configuration says so; of what is derived, of the first part."""
        first = self.values[0] if self.kind in DERIVED else self
        return first.is_of_the_log if first is not self and isinstance(first, Provenance) else self.kind in OF_THE_LOG


FILE_NAME = Provenance("file_name")
FORMER_NAME = Provenance("former_name")
PAGE = Provenance("page")
LABEL = Provenance("label")
RECORDS = Provenance("records")


def line(number: int) -> Provenance:
    """One physical line of the log, from 1."""
    return Provenance("line", (number,))


def option(name: str) -> Provenance:
    """The option of the command line that gives a fact of this name."""
    return Provenance("option", (name.replace("_", "-"),))
