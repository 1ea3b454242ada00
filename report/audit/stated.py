"""Stated protocols: what a page file says of the numbers of a published page, where their logs are and how reduced."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..page import Case, Column, Page
from ..protocol import Protocol
from ..reason import NoEvidenceError
from ..runs import filled, logs_of, run_of
from .evidence import AXES
from .labels import read_label
from .published import Published
from .site import Backing, Log, Site


@dataclass(frozen=True)
class Stated:
    """The protocol of a number, and its logs, by a page file."""

    protocol: Protocol
    backings: tuple[Backing, ...]


def stated(number: Published, pages: Sequence[Page], site: Site) -> Stated | None:
    """What the first page file says that knows the column and the case of a number; None where none does."""
    for page in pages:
        for column in page.columns.values():
            if _is_of(number, column) and (found := _in_column(number, page, column, site)):
                return found
    return None


def _is_of(number: Published, column: Column) -> bool:
    """Whether a column of a page file is that of a number: the framework is the same, or the title."""
    framework = read_label(column.title).case.get("framework")
    return framework == number.case.get("framework") if framework else column.title == number.column


def _in_column(number: Published, page: Page, column: Column, site: Site) -> Stated | None:
    case: Case = {axis: number.case[axis] for axis in AXES if axis in number.case}
    try:
        run = run_of(column, {"model": page.model, **case})
        paths = logs_of(site.logs_root, filled(run, {"model": page.model, **case}))
    except NoEvidenceError:
        return None
    backings = tuple(Backing(log := site.logs.get(path) or Log(site.logs_root, path), log.named) for path in paths)
    return Stated(run.protocol, backings) if backings else None
