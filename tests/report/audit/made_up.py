"""Claims and logs that the tests of the referee make up."""

from collections.abc import Sequence
from pathlib import Path

from report.audit.chance import Explanation
from report.audit.claims import Claim
from report.audit.documents import CELL, Place
from report.audit.evidence import LAST, DataFile, Statistic, read
from report.audit.number import Number


def a_claim(text: str, quantity: str = "loss", row: int = 0, col: int = 1, place: str = CELL) -> Claim:
    """A number of a table of ``README.md``."""
    at = Place(place=place, table=0, row=row, col=col)
    number = Number.of(text)
    return Claim(**vars(at), document="README.md", line=row + 3, column=1, number=number, quantity=quantity)


def the_last(value: float, name: str = "val_loss") -> Statistic:
    return Statistic(name, LAST, value, line=9, seconds=None)


def file_of(root: Path, data: bytes | str, path: str = "run.log") -> DataFile:
    """A data file that holds this; there are numbers in it."""
    written = root / path
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_bytes(data.encode() if isinstance(data, str) else data)
    file = read(root, path)
    assert file is not None
    return file


def explained(claims: Sequence[Claim], found: list[Explanation]) -> set[int]:
    """The places of the claims that anything explains."""
    return {claims.index(claim) for one in found for claim in one.hits}
