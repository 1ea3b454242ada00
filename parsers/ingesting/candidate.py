"""Candidates: the files of a source that may be logs, and those that were left out with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..io.compression import SUFFIXES
from ..origins.address import public
from ..origins.found_file import LeftOut
from ..runs.run_folder import LOG, RUN_FILE

Origin = Mapping[str, str | bool | None]


@dataclass(frozen=True)
class Candidate:
    """A file that may be a log.

    ``origin``: where it was found, as run.json is to say it; its ``path`` is the name of the file in its source.
    ``prefix``: names that tell the source from others. ``place``: a local path, or a URL. ``size``: bytes, where known.
    ``named``: whether the user named this very file. ``beside``: place of the run file and the side files of its
    folder, by name. ``configurations``: the same of its program's configurations there. ``blob``: the object that git
    keeps under this name.
    """

    origin: Origin
    prefix: tuple[str, ...]
    place: str
    size: int = 0
    named: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)
    blob: str | None = None
    configurations: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its path in its source."""
        return str(self.origin["path"])

    @property
    def name(self) -> str:
        """Where it is, to speak of it; no URL in it holds a secret."""
        return f"{self.origin['archive']}/{self.path}" if "archive" in self.origin else public(self.place)

    @property
    def beside_log(self) -> Mapping[str, str]:
        """What belongs to its run; nothing where it is not the log of a run."""
        return self.beside if self.is_of_a_run else {}

    @property
    def is_of_a_run(self) -> bool:
        """Whether it lies in a run folder, as the log of that run."""
        return RUN_FILE in self.beside and self.path.rpartition("/")[2] in (LOG, *(LOG + end for end in SUFFIXES))


class NotTakenError(Exception):
    """A file is not taken; raised with the reason and what ``LeftOut`` says of it."""

    def __init__(self, reason: str, *, is_unreadable: bool = False, is_common: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.is_unreadable, self.is_common = reason, is_unreadable, is_common

    def of(self, name: str) -> LeftOut:
        """The same of the file of this name."""
        return LeftOut(name, self.reason, self.is_unreadable, self.is_common)
