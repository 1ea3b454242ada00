"""What a page still lacks: the runs to launch, case by case; whoever launches them lets the cases take turns."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from parsers.io.errors import LogError
from parsers.io.files import leading_out
from parsers.runs.run_folder import LOG

from ..measure.diagnostics import NoEvidenceError
from ..pagefile.launch_file import Launch, LaunchFile
from ..pagefile.page import CellPlace, Page, Run
from ..pagefile.page_file import PageError
from ..pagefile.parts import LAUNCHED, PASSED, REAL_DATA, Axis, Case, Value
from .store import logs_of, run_of, unfit

# A launcher numbers the repeats of a case itself, in place of the one `*`.
REPEATS = f"*/{LOG}"

NO_CASE = "No case of the page matches {only}."
UNKNOWN_AXIS = "unknown axis {axis}; axes: {known}."
LACKS_AXES = "the case does not specify {axes}, which a launch requires."
NOT_NUMBERED = "logs is {pattern}, but a launch requires a pattern that ends in '/{repeats}', its only '*'."
LEAVES_FOLDER = "{folder} leaves the log folder; use a folder below it."


@dataclass(frozen=True)
class PlannedLaunch:
    """One run to launch.

    ``recipe``: the launcher. ``options``: its variables by name (``CARDS``). ``extra``: arguments of the native
    program. ``folder``: the run folder to fill.
    """

    recipe: str
    options: Mapping[str, str]
    extra: tuple[str, ...]
    folder: Path


def missing(
    page: Page,
    launches: LaunchFile,
    logs: Path,
    *,
    repeats: int | None = None,
    only: Mapping[str, str] | None = None,
) -> Iterator[PlannedLaunch]:
    """The runs that a page wants of its launchers and that are not there as done runs, table by table, row by row.

    ``launches``: the launch file of the page. ``logs``: the folder of logs, ``repeats``: how many runs of a case are
    wanted, in place of what that file says. ``only``: cases with these values of axes, compared as text. A run is there
    when its log is evidence: its run.json says that it is done and gives the SHA-256 of the log. Of a case that lacks a
    run all runs are planned, so that those that are there can be held against what the page wants now. Each folder is
    planned once, for the first cell that needs it. Raises PageError at once where a page says too little for a launch,
    or ``only`` fits no case.
    """
    places = _places(page, only or {})
    if not places:
        stated = ", ".join(f"{axis}={value}" for axis, value in (only or {}).items())
        raise PageError(NO_CASE, only=stated)
    wanted = [run for place in places for run in _wanted(page, place, launches, logs, repeats)]
    first = {run.folder: run for run in reversed(wanted)}
    done = {run.folder for run in wanted if (run.folder / LOG).is_file() and _is_evidence(logs, run.folder / LOG)}
    lacking = {run.folder.parent for run in wanted if run.folder not in done}
    return (run for run in wanted if first[run.folder] is run and run.folder.parent in lacking)


def _places(page: Page, only: Mapping[str, str]) -> list[CellPlace]:
    """The cells that are meant, without those that are computed from others and need no run of their own."""
    if unknown := [axis for axis in only if axis not in get_args(Axis)]:
        raise PageError(UNKNOWN_AXIS, axis=repr(unknown[0]), known=", ".join(get_args(Axis)))
    return [
        place
        for place in page.places()
        if all(str(place.case.get(axis)) == value for axis, value in only.items())  # type: ignore[call-overload]
        and not place.column.quantity.is_quotient
    ]


def _title(page: Page, place: CellPlace) -> str:
    """What a reader calls a cell."""
    return ", ".join((place.table.title, page.row_title(place.table, place.row), page.column_title(place.column)))


def _wanted(
    page: Page, place: CellPlace, launches: LaunchFile, logs: Path, repeats: int | None
) -> Iterator[PlannedLaunch]:
    """All runs that a launch can make of a cell, whether they are there or not; none where others have run it."""
    launch = launches.of(place.column.column, place.case)
    try:
        run = run_of(page.columns[place.column.column], place.case)
    except NoEvidenceError:
        return
    case = page.of_model(place.case)
    published = list[str]()
    with suppress(KeyError):  # an axis that the case does not say, which its folder needs, too
        published += [path for pattern in run.patterns(case)[:-1] for path in logs_of(logs, pattern)]
    if launch.launcher is None or any(_is_evidence(logs, logs / path) for path in published):
        return
    try:
        options, folder = _options(place.case | launch.case, launch), _folder(run, case, logs)
    except PageError as error:
        raise PageError("{cell}: {said}", cell=_title(page, place), said=error.message) from None
    for repeat in range(1, (repeats or launch.repeats) + 1):
        yield PlannedLaunch(launch.launcher, options, tuple(launch.extra), folder / str(repeat))


def _options(case: Case, launch: Launch) -> dict[str, str]:
    known = {axis: case[axis] for axis in (*LAUNCHED, *PASSED) if axis in case}
    told: dict[str, Value] = {axis: value for axis, value in known.items() if (axis, value) != ("data", REAL_DATA)}
    told |= launch.options
    if lacking := [axis for axis in LAUNCHED if axis not in told]:
        raise PageError(LACKS_AXES, axes=", ".join(lacking))
    return {name.upper(): str(value) for name, value in told.items()}


def _folder(run: Run, of_model: Case, logs: Path) -> Path:
    """The folder of a case below the folder of logs, and not behind a link; its repeats are numbered in it.

    Of several patterns the last says where it is: those before it are of the logs of others.
    """
    pattern = run.logs[-1]
    case = pattern.removesuffix(REPEATS)
    if case == pattern or case[-1:] not in ("", "/") or any(mark in case for mark in "*?["):
        raise PageError(NOT_NUMBERED, pattern=repr(pattern), repeats=REPEATS)
    try:
        folder = logs / case.format_map({axis: run.spelt(axis, value) for axis, value in of_model.items()})
    except KeyError as error:
        raise PageError(LACKS_AXES, axes=error.args[0]) from None
    if leading_out([folder], logs):
        raise PageError(LEAVES_FOLDER, folder=repr(str(folder)))
    return folder


def _is_evidence(logs: Path, log: Path) -> bool:
    """Whether a log is evidence; one that cannot be read is none, and its launch says what is wrong with it."""
    try:
        return unfit(logs, str(log.relative_to(logs))) is None
    except LogError:
        return False
