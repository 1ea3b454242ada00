"""Provenance: where a fact of a run comes from, as a value that code asks and that is worded last."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..io.message import Message

Kind = str
# How each kind is told: the key of the catalogues, and what its values are called there.
WORDS: Mapping[Kind, tuple[str, ...]] = {
    "line": ("line {number}", "number"),  # a physical one, from 1
    "lines": ("line {first} to {last}", "first", "last"),
    "file_name": ("file name",),  # that of the log
    "former_name": ("original file name",),  # that of an ingested log
    "run_file": ("{file}", "file"),  # the case in its run.json
    "side_line": ("{file}, line {number}", "file", "number"),  # of a file beside the log
    "page": ("page",),  # a page file
    "label": ("label",),  # of a published page
    "option": ("--{name}", "name"),
    "records": ("the records",),  # what they print
    "rank_files": ("the logs of {count} ranks", "count"),  # of each its own
    # What is derived: of the cards of a node, and of two facts.
    "one_node": ("{source}, as one node", "source"),
    "product": ("{first} and {second}", "first", "second"),
    "share": ("{first} divided by the cards of {second}", "first", "second"),
}
DERIVED: tuple[Kind, ...] = ("one_node", "product", "share")
NAMES: tuple[Kind, ...] = ("file_name", "former_name")
OF_THE_LOG: tuple[Kind, ...] = ("line", "lines", "side_line", *NAMES)


@dataclass(frozen=True)
class Provenance:
    """Where a fact comes from: a kind of ``WORDS``, and the values that it has. ``str`` words it in English."""

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
