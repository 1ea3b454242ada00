"""A format: what one grammar file was compiled to."""

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..io.box import LimitError, boxed
from ..io.cache import kept
from ..io.errors import CANNOT_BE_READ, GrammarError, reason_of
from .field import Field, StepIs
from .variant import METRICS, ROOM, Variant

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["METRICS", "ROOM", "Format", "load"]
VOCABULARY = ROOM / "vocabulary.lark"
SHIPPED = ROOM / "formats.pickle"  # is made when the program is built or installed
Made = tuple[str, tuple[Variant, ...]]  # of a grammar: what it says first of itself, and the compiled lines
COMPILING = 10  # seconds; the largest of ours takes one
TOO_LARGE = "takes more time or memory to compile than any grammar of ours; use fewer alternatives."


@dataclass(frozen=True)
class Format:
    """A log format: ``name`` (of its file), ``about`` (first comment line) and the compiled ``variants`` of lines."""

    name: str
    path: Path
    about: str
    variants: tuple[Variant, ...]

    def __hash__(self) -> int:
        return hash(self.name)  # All that it is made of is much, and looked up often.

    def __reduce__(self) -> tuple[Callable[[Path], "Format"], tuple[Path]]:
        """It goes from one process to another by name: a reading would else carry all that the grammar became."""
        # Another machine may have ours elsewhere.
        return _load_again, (self.path.relative_to(ROOM) if self.is_ours else self.path,)

    @cached_property
    def is_ours(self) -> bool:
        """Whether it came with this program; what any other makes it compile and match is done in a box."""
        return self.path.is_relative_to(ROOM)

    @property
    def fields(self) -> dict[tuple[str, str], Field]:
        """Meaning of each column of the records, by (record, column)."""
        return {(v.record, f.name): f for v in self.variants for f in v.columns if v.record in METRICS}

    @property
    def step_is(self) -> StepIs:
        """What a step of its logs is, as it says where it reads an ``accumulation``."""
        said = {f.step_is for v in self.variants for f in v.groups if f.step_is}
        return said.pop() if len(said) == 1 else "unknown"

    @property
    def judge(self) -> "Lark":
        """Lark's own parser of one line, which the compiled form is held against."""
        from .loading import judge  # not a part of the format, which goes from one process to another

        return judge(self.path)


@kept
def load(path: Path) -> Format:
    """The format of a grammar file; raises GrammarError when it has a mistake or cannot be compiled.

    What our own grammars compile to comes with the program, under a name that holds all it was made of: one that was
    changed since, as the vocabulary or the program, is compiled here. One of somebody else is compiled in a box.
    """
    try:
        grammar = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise GrammarError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    if shipped := _shipped().get(_name(grammar)):
        return Format(path.stem, path.absolute(), *pickle.loads(shipped))  # noqa: S301 - it came with this program
    from .loading import compiled  # which needs Lark

    made: Made
    if path.absolute().is_relative_to(ROOM):
        made = compiled(path)
    else:
        try:
            made = boxed(lambda: compiled(path), COMPILING)
        except LimitError as error:
            raise GrammarError.at(path, TOO_LARGE) from error
    return Format(path.stem, path.absolute(), *made)


def ship() -> None:
    """Compile the grammars of this room into ``SHIPPED``, which ``setup.py`` puts beside them, where one changed."""
    from .loading import compiled

    paths = {_name(path.read_bytes()): path for path in sorted(ROOM.rglob("*.lark")) if path != VOCABULARY}
    if paths.keys() != _shipped().keys():
        SHIPPED.write_bytes(pickle.dumps({name: pickle.dumps(compiled(path)) for name, path in paths.items()}))
        _shipped.cache_clear()


def _name(grammar: bytes) -> str:
    """The hash of all that a grammar is compiled from."""
    return hashlib.sha256(_program() + hashlib.sha256(grammar).digest()).hexdigest()


@cache
def _shipped() -> dict[str, bytes]:
    """What the grammars that came with this program were compiled to when it was built; nothing where it was not."""
    try:
        made: dict[str, bytes] = pickle.loads(SHIPPED.read_bytes())  # noqa: S301 - it came with this program
    except (OSError, ValueError, EOFError, pickle.UnpicklingError):
        return {}
    return made


def _load_again(path: Path) -> Format:
    """A format from the path of its file, which is below this room for one of ours."""
    return load(ROOM / path)


@cache
def _program() -> bytes:
    """The hash of what all formats are made with: of the program that runs, whatever is edited meanwhile."""
    made_with = hashlib.sha256()
    for source in (*sorted(Path(__file__).parent.glob("*.py")), VOCABULARY):
        made_with.update(source.read_bytes())
    return made_with.digest()
