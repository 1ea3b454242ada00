"""What a page still lacks: the runs to launch, case by case; whoever launches them lets the cases take turns."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from parsers.io.errors import LogError
from parsers.io.files import leading_out
from parsers.io.message import Message
from parsers.runs.run_folder import LOG

from ..pagefile.launch_file import Launch, LaunchFile
from ..pagefile.page import Column, Page, Run
from ..pagefile.page_file import PageError
from ..pagefile.parts import LAUNCHED, PASSED, REAL_DATA, Axis, Case, Value
from .remarks import NoEvidenceError
from .store import filled, logs_of, run_of, unfit

# A launcher numbers the repeats of a case itself, in place of the one `*`.
REPEATS = f"*/{LOG}"

NO_CASE = "No case of the page matches {only}; available: {known}."
NO_LAUNCHER = "evidence is missing, and the column does not set a launcher."
UNKNOWN_AXIS = "unknown axis {axis}; axes: {known}."
LACKS_AXES = "the case does not specify {axes}, which a launch requires."
NOT_NUMBERED = "logs is {pattern}, but a launch requires a pattern that ends in '/{repeats}', its only '*'."
NEEDS_AXIS = "{pattern} needs {axis}, which the case does not specify."
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


@dataclass(frozen=True)
class _PlannedCell:
    """A cell of a page: what a reader calls it, its case, how patterns of logs take it, its column with its name, and
    how it is launched."""

    title: str
    case: Case
    of_model: Case
    name: str
    column: Column
    launch: Launch


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
    wanted, in place of what that file says.
    ``only``: cases with these values of axes, compared as text. A run is there when its log is evidence: its run.json
    says that it is done and gives the SHA-256 of the log. Of a case that lacks a run all runs are planned, so that
    those that are there can be held against what the page wants now. Each folder is planned once, for the first cell
    that needs it. Raises PageError at once where a page says too little for a launch, or ``only`` fits no case.
    """
    places = list(_places(page, launches, only or {}))
    if not places:
        stated = ", ".join(f"{axis}={value}" for axis, value in (only or {}).items())
        raise PageError(NO_CASE, only=stated, known=_possible(_places(page, launches, {})))
    wanted = [run for place in places for run in _wanted(place, logs, repeats)]
    first = {run.folder: run for run in reversed(wanted)}
    lacking = {
        run.folder.parent
        for run in wanted
        if not (run.folder / LOG).is_file() or not _is_evidence(logs, str((run.folder / LOG).relative_to(logs)))
    }
    return (run for run in wanted if first[run.folder] is run and run.folder.parent in lacking)


def _possible(places: Iterable[_PlannedCell]) -> str:
    """The values of all axes of a page, for whoever asked for others."""
    values: dict[str, dict[str, None]] = {}
    for place in places:
        for axis, value in place.case.items():
            values.setdefault(axis, {})[str(value)] = None
    return "; ".join(f"{axis}={'|'.join(said)}" for axis, said in values.items())


def unplanned(page: Page, launches: LaunchFile, logs: Path, *, only: Mapping[str, str] | None = None) -> list[str]:
    """One sentence a column for the cells without evidence that no launch can fill, because the page says not how."""
    told: dict[tuple[str, str], list[str]] = {}
    for place in _places(page, launches, only or {}):
        if why := _unplanned(place, logs):
            told.setdefault((place.name, why), []).append(place.title)
    return [f"{_shortened(titles)}: {why}" for (_, why), titles in told.items()]


def _unplanned(place: _PlannedCell, logs: Path) -> str | None:
    try:
        run = run_of(place.column, place.case)
    except NoEvidenceError as error:
        return str(error)
    if place.launch.launcher is not None:
        return None
    _, paths = filled(run, place.of_model, logs)
    if not any(_is_evidence(logs, path) for path in paths):
        return NO_LAUNCHER
    return None


def _shortened(titles: list[str]) -> str:
    first, *others = dict.fromkeys(titles)
    return f"{first} (and {len(others)} more of this column)" if others else first


def _places(page: Page, launches: LaunchFile, only: Mapping[str, str]) -> Iterator[_PlannedCell]:
    if unknown := [axis for axis in only if axis not in get_args(Axis)]:
        raise PageError(UNKNOWN_AXIS, axis=repr(unknown[0]), known=", ".join(get_args(Axis)))
    # What is computed from other cells of the page needs no run of its own.
    for place in (place for place in page.places() if not place.column.quantity.is_quotient):
        titles = (place.table.title, page.row_title(place.table, place.row), page.column_title(place.column))
        if all(str(place.case.get(axis)) == value for axis, value in only.items()):  # type: ignore[call-overload]
            name = place.column.column
            launch = launches.of(name, place.case)
            yield _PlannedCell(
                ", ".join(titles), place.case, page.of_model(place.case), name, page.columns[name], launch
            )


def _wanted(place: _PlannedCell, logs: Path, repeats: int | None) -> Iterator[PlannedLaunch]:
    """All runs that a launch can make of a place, whether they are there or not."""
    try:
        run = run_of(place.column, place.case)
    except NoEvidenceError:
        return
    launch = place.launch
    if launch.launcher is None or _is_published(run, place.of_model, logs):
        return
    options, folder = _options(place), _folder(place, run, logs)
    for repeat in range(1, (repeats or launch.repeats) + 1):
        yield PlannedLaunch(launch.launcher, options, tuple(launch.extra), folder / str(repeat))


def _is_published(run: Run, case: Case, logs: Path) -> bool:
    """Whether others have run a case, and their logs are there."""
    with suppress(KeyError):  # an axis that the case does not say, which its folder needs, too
        return any(_is_evidence(logs, path) for pattern in run.patterns(case)[:-1] for path in logs_of(logs, pattern))
    return False


def _options(place: _PlannedCell) -> dict[str, str]:
    case = {**place.case, **place.launch.case}
    known = {axis: case[axis] for axis in (*LAUNCHED, *PASSED) if axis in case}
    told: dict[str, Value] = {axis: value for axis, value in known.items() if (axis, value) != ("data", REAL_DATA)}
    told |= place.launch.options
    if lacking := [axis for axis in LAUNCHED if axis not in told]:
        raise _lacking(place, LACKS_AXES, axes=", ".join(lacking))
    return {name.upper(): str(value) for name, value in told.items()}


def _folder(place: _PlannedCell, run: Run, logs: Path) -> Path:
    """The folder of a case below the folder of logs, and not behind a link; its repeats are numbered in it.

    Of several patterns the last says where it is: those before it are of the logs of others.
    """
    pattern = run.logs[-1]
    case = pattern.removesuffix(REPEATS)
    if case == pattern or case[-1:] not in ("", "/") or any(mark in case for mark in "*?["):
        raise _lacking(place, NOT_NUMBERED, pattern=repr(pattern), repeats=REPEATS)
    try:
        folder = logs / case.format_map({axis: run.spelt(axis, value) for axis, value in place.of_model.items()})
    except KeyError as error:
        raise _lacking(place, NEEDS_AXIS, pattern=repr(pattern), axis=error.args[0]) from None
    if leading_out([folder], logs):
        raise _lacking(place, LEAVES_FOLDER, folder=repr(str(folder)))
    return folder


def _lacking(place: _PlannedCell, key: str, **values: object) -> PageError:
    """The error of a cell that says too little for a launch."""
    return PageError("{cell}: {said}", cell=place.title, said=Message(key, **values))


def _is_evidence(logs: Path, path: str) -> bool:
    """Whether a log is evidence; one that cannot be read is none, and its launch says what is wrong with it."""
    try:
        return unfit(logs, path) is None
    except LogError:
        return False
