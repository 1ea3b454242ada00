"""The files of an archive: what a page rests on, copied into a folder as the archive is to have it."""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.io.atomic_write import writing
from parsers.io.errors import CANNOT_BE_READ, LogError, reason_of
from parsers.io.input_file import data_of, opened
from parsers.runs.run_folder import RUN_FILE
from parsers.runs.runfile import CONFIGURATIONS, files_of_run
from parsers.runs.sidefile import LARGEST
from parsers.scanning.detection import grammars

from ...evidence.case_evidence import wanted
from ...evidence.case_runs import outside
from ...evidence.cell import Cell
from ...evidence.quality.quality_remarks import reference_logs
from ...pagefile.page import Page
from ...pagefile.prose import prose_files
from .archive_layout import FORMATS, LOGS, PAGE, RULES, SHARED_RULES

# Copies the runs of some logs: the folder of logs, the paths of the logs below it, and where to.
CopyRuns = Callable[[Path, Sequence[str], Path], None]
_OWN_IMPORT = re.compile(r"^%import[ \t]+\.(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class PageSources:
    """What a page is made of: its page file with the text and the ``page`` in it, its ``cells`` and its ``logs``."""

    file: Path
    text: str
    page: Page
    cells: Sequence[Cell]
    logs: Path

    def copy(self, folder: Path, copy_runs: CopyRuns) -> None:
        """Copy them into a folder; raises LogError, PageError and WriteError."""
        for source in (self.file, *prose_files(self.text, self.file)):
            _copy(source, folder / PAGE / source.relative_to(self.file.parent))
        copy_runs(self.logs, self.used, folder / LOGS)
        for grammar in _grammars(self.cells):
            _copy(grammar, folder / FORMATS / grammar.name)
        for rule in SHARED_RULES:
            _copy(rule, folder / RULES / rule.name)

    @property
    def used(self) -> list[str]:
        """The logs that the page names, those of references and those that are no evidence too, below ``logs``."""
        measured = (one.path for one in wanted(self.page, self.logs))
        paths = dict.fromkeys((*measured, *reference_logs(self.page, self.logs)))
        return sorted(path for path in paths if not outside(self.logs, path))


def copied_runs(logs: Path, paths: Sequence[str], folder: Path) -> None:
    """Copy logs, with what lies beside them and is of their runs; raises LogError and WriteError."""
    for path in dict.fromkeys(file for log in paths for file in _files_of_run(logs, log)):
        _copy(logs / path, folder / path)


def _files_of_run(logs: Path, path: str) -> Iterator[str]:
    """A log and its side files; of a run folder, which holds nothing else, also all small files, such as patches."""
    log = logs / path
    known = [file for file in (*files_of_run(log), *map(log.with_name, CONFIGURATIONS)) if file.is_file()]
    others = sorted(log.parent.iterdir()) if log.with_name(RUN_FILE).is_file() else []
    small = [file for file in others if _is_small(file)]
    yield from dict.fromkeys(file.relative_to(logs).as_posix() for file in (*known, *small))


def _is_small(file: Path) -> bool:
    is_regular = file.is_file() and not file.is_symlink()
    return is_regular and not file.name.startswith(".") and file.stat().st_size <= LARGEST


def _grammars(cells: Iterable[Cell]) -> list[Path]:
    """The grammars of the logs behind cells, with those that they import from their own folder."""
    known = grammars()
    names = {proof.reading.format.name for cell in cells for proof in cell.proofs if proof.reading.format}
    found: dict[Path, None] = {}
    left = sorted(known[name] for name in names & known.keys())
    while left:
        path = left.pop()
        if path not in found and path.is_file():
            found[path] = None
            left += [path.with_name(f"{name}.lark") for name in _OWN_IMPORT.findall(path.read_text(encoding="utf-8"))]
    return sorted(found)


def _copy(source: Path, place: Path) -> None:
    """Copy the bytes of a file, and nothing else of it; raises LogError and WriteError."""
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(source) as file, writing(place), place.open("wb") as target:
            shutil.copyfileobj(file, target)
    except OSError as error:
        raise LogError.at(source, CANNOT_BE_READ, reason=reason_of(error)) from error


def other_grammars(folder: Path) -> list[Path]:
    """The grammars of an unpacked archive that this version has not, or otherwise."""
    ours = grammars()
    found = sorted((folder / FORMATS).glob("*.lark"))
    return [path for path in found if path.stem not in ours or data_of(ours[path.stem]) != data_of(path)]


def other_rules(folder: Path) -> list[str]:
    """The names of the rules that all pages share which this version has otherwise than an unpacked archive."""
    ours = {path.name: path for path in SHARED_RULES}
    found = sorted(path for path in (folder / RULES).glob("*") if path.is_file())
    return [path.name for path in found if path.name not in ours or data_of(ours[path.name]) != data_of(path)]
