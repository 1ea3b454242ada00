"""What a page still lacks: the runs to launch, case by case; whoever launches them lets the cases take turns."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from parsers.io.errors import LogError
from parsers.io.files import leading_out
from parsers.io.message import Message
from parsers.runs.run_folder import LOG

from ..pagefile.launch_file import Launch, LaunchFile
from ..pagefile.page import CellPlace, Column, Page, Run
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
    cells = list(_cells(page, launches, only or {}))
    if not cells:
        known: dict[str, dict[str, None]] = {}
        for axis, value in (both for cell in _cells(page, launches, {}) for both in cell.case.items()):
            known.setdefault(axis, {})[str(value)] = None
        possible = "; ".join(f"{axis}={'|'.join(values)}" for axis, values in known.items())
        stated = ", ".join(f"{axis}={value}" for axis, value in (only or {}).items())
        raise PageError(NO_CASE, only=stated, known=possible)
    wanted = [run for cell in cells for run in cell.wanted(logs, repeats)]
    first = {run.folder: run for run in reversed(wanted)}
    done = {run.folder for run in wanted if (run.folder / LOG).is_file() and _is_evidence(logs, run.folder / LOG)}
    lacking = {run.folder.parent for run in wanted if run.folder not in done}
    return (run for run in wanted if first[run.folder] is run and run.folder.parent in lacking)


def unplanned(page: Page, launches: LaunchFile, logs: Path, *, only: Mapping[str, str] | None = None) -> list[str]:
    """One sentence a column for the cells without evidence that no launch can fill, because the page says not how."""
    told: dict[tuple[str, str], dict[str, None]] = {}
    for cell in _cells(page, launches, only or {}):
        if why := cell.why_unplanned(logs):
            told.setdefault((cell.place.column.column, why), {})[cell.title] = None
    return [
        f"{first} (and {len(others)} more of this column): {why}" if others else f"{first}: {why}"
        for (_, why), (first, *others) in told.items()
    ]


def _cells(page: Page, launches: LaunchFile, only: Mapping[str, str]) -> Iterator["_Cell"]:
    if unknown := [axis for axis in only if axis not in get_args(Axis)]:
        raise PageError(UNKNOWN_AXIS, axis=repr(unknown[0]), known=", ".join(get_args(Axis)))
    for place in page.places():
        # What is computed from other cells of the page needs no run of its own.
        is_meant = all(str(place.case.get(axis)) == value for axis, value in only.items())  # type: ignore[call-overload]
        if is_meant and not place.column.quantity.is_quotient:
            yield _Cell(page, place, place.case, launches.of(place.column.column, place.case))


@dataclass(frozen=True)
class _Cell:
    """A cell of a page, its case, and how it is launched."""

    page: Page
    place: CellPlace
    case: Case
    launch: Launch

    @property
    def title(self) -> str:
        """What a reader calls it."""
        page, place = self.page, self.place
        return ", ".join((place.table.title, page.row_title(place.table, place.row), page.column_title(place.column)))

    @property
    def column(self) -> Column:
        """Its column of the page."""
        return self.page.columns[self.place.column.column]

    @property
    def of_model(self) -> Case:
        """Its case, as patterns of logs take it."""
        return self.page.of_model(self.case)

    def why_unplanned(self, logs: Path) -> str | None:
        """Why it has no evidence and no launch can fill it; None where it has, or one can."""
        try:
            run = run_of(self.column, self.case)
        except NoEvidenceError as error:
            return str(error)
        if self.launch.launcher is not None:
            return None
        _, paths = filled(run, self.of_model, logs)
        return None if any(_is_evidence(logs, logs / path) for path in paths) else NO_LAUNCHER

    def wanted(self, logs: Path, repeats: int | None) -> Iterator[PlannedLaunch]:
        """All runs that a launch can make of it, whether they are there or not; none where others have run it."""
        launch = self.launch
        try:
            run = run_of(self.column, self.case)
        except NoEvidenceError:
            return
        published = list[str]()
        with suppress(KeyError):  # an axis that the case does not say, which its folder needs, too
            published += [path for pattern in run.patterns(self.of_model)[:-1] for path in logs_of(logs, pattern)]
        if launch.launcher is None or any(_is_evidence(logs, logs / path) for path in published):
            return
        options, folder = self._options(), self._folder(run, logs)
        for repeat in range(1, (repeats or launch.repeats) + 1):
            yield PlannedLaunch(launch.launcher, options, tuple(launch.extra), folder / str(repeat))

    def _options(self) -> dict[str, str]:
        case = {**self.case, **self.launch.case}
        known = {axis: case[axis] for axis in (*LAUNCHED, *PASSED) if axis in case}
        told: dict[str, Value] = {axis: value for axis, value in known.items() if (axis, value) != ("data", REAL_DATA)}
        told |= self.launch.options
        if lacking := [axis for axis in LAUNCHED if axis not in told]:
            raise self._lacks(LACKS_AXES, axes=", ".join(lacking))
        return {name.upper(): str(value) for name, value in told.items()}

    def _folder(self, run: Run, logs: Path) -> Path:
        """The folder of its case below the folder of logs, and not behind a link; its repeats are numbered in it.

        Of several patterns the last says where it is: those before it are of the logs of others.
        """
        pattern = run.logs[-1]
        case = pattern.removesuffix(REPEATS)
        if case == pattern or case[-1:] not in ("", "/") or any(mark in case for mark in "*?["):
            raise self._lacks(NOT_NUMBERED, pattern=repr(pattern), repeats=REPEATS)
        try:
            folder = logs / case.format_map({axis: run.spelt(axis, value) for axis, value in self.of_model.items()})
        except KeyError as error:
            raise self._lacks(NEEDS_AXIS, pattern=repr(pattern), axis=error.args[0]) from None
        if leading_out([folder], logs):
            raise self._lacks(LEAVES_FOLDER, folder=repr(str(folder)))
        return folder

    def _lacks(self, key: str, **values: object) -> PageError:
        """That it says too little for a launch."""
        return PageError("{cell}: {said}", cell=self.title, said=Message(key, **values))


def _is_evidence(logs: Path, log: Path) -> bool:
    """Whether a log is evidence; one that cannot be read is none, and its launch says what is wrong with it."""
    try:
        return unfit(logs, str(log.relative_to(logs))) is None
    except LogError:
        return False
