"""The runs of a case: where a page says that their logs lie, and which of these logs are no evidence."""

import glob
import os
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePosixPath

from parsers.io.files import leading_out
from parsers.io.message import Message
from parsers.runs.reading import Reading
from parsers.runs.run_folder import DONE
from parsers.runs.runfile import RunFile, describes, files_of_run, run_file, sha256_of, status_of

from ..measure.diagnostics import Diagnostic, say
from ..pagefile.page import Case, Column, Run
from ..pagefile.parts import COMPARED
from .reason import NoEvidenceError, Remark

LEADS_OUT = (
    "{log} skipped: {file} points outside the log folder; to read these logs, pass the folder that it leads to with "
    "--logs."
)
MOST_NAMES = 1000
UNLIKE_RUNS = "The runs are not repeats of one case: {fact} is {values}."


def run_of(column: Column, case: Case) -> Run:
    """The kind of run that covers a case; raises NoEvidenceError when the column has none."""
    for run in column.runs:
        if run.covers(case):
            return run
    raise NoEvidenceError("The page file does not name any logs for this case.")


def filled(run: Run, case: Case, logs: Path) -> str:
    """The pattern of the logs of a case: that of its launched runs where only these are there.

    ``logs``: the folder of logs. Raises NoEvidenceError when the case does not say an axis that the pattern needs.
    """
    try:
        patterns = run.patterns(case)
    except KeyError as error:
        message = "Pattern {pattern} needs {axis}, which the case does not specify."
        raise NoEvidenceError(message, pattern=run.logs[0], axis=error.args[0]) from None
    return next((pattern for pattern in patterns if logs_of(logs, pattern)), patterns[0])


def logs_of(logs: Path, pattern: str) -> Sequence[str]:
    """The logs that a filled pattern finds, below the folder of logs, sorted."""
    # glob leaves hidden names out, as a run folder has while it is filled; Path.glob does not.
    return sorted(glob.glob(pattern, root_dir=logs))  # noqa: PTH207


def not_found(logs: Path, pattern: str) -> Diagnostic:
    """That a pattern finds no log, with what in the folder of logs is called most like what it asks for."""
    found = _most_like(logs, PurePosixPath(pattern))
    if found is None:
        return say(Remark.NOT_FOUND, pattern=pattern)
    return say(Remark.NOT_FOUND_BUT, pattern=pattern, nearest=found)


def _most_like(logs: Path, wanted: PurePosixPath) -> str | None:
    """The name that is most like the first part of a path that is not there; None where none is like it."""
    there = PurePosixPath()
    for part in wanted.parts:
        if glob.has_magic(part) or not (logs / there).is_dir():
            return None
        if not (logs / there / part).exists():
            names = sorted(entry.name for entry in islice(os.scandir(logs / there), MOST_NAMES))
            # The log of another case differs in its numbers; it is not what was meant.
            close = get_close_matches(part, [name for name in names if _numbers(name) == _numbers(part)], 1)
            return str(there / close[0]) if close and leading_out([logs / there], logs) is None else None
        there /= part
    return None


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def unfit(logs: Path, path: str) -> Message | None:
    """Why a log is not evidence: it is not in the folder of logs, or its run.json says so, as in ``not_done``.

    None where it is evidence. Raises LogError when the log cannot be read or run.json is broken.
    """
    if reason := outside(logs, path):
        return reason
    log = logs / path
    run = run_file(log)
    return not_done(run, path) or (another_log(run, path, log, sha256_of(log)) if run else None)


def outside(logs: Path, path: str) -> Message | None:
    """Why nothing of a run may be read: its log, or a file beside it, is a link out of the folder of logs."""
    if (file := leading_out(files_of_run(logs / path), logs)) is None:
        return None
    return Message(LEADS_OUT, log=path, file=_link(file, logs))


def _link(file: Path, logs: Path) -> str:
    """The folder or file on the way to a file that is the link by which it leads out of the folder of logs."""
    way = [folder for folder in (*reversed(file.parents), file) if folder.is_relative_to(logs) and folder != logs]
    found = leading_out(way, logs) or file
    return found.name if found == file else found.relative_to(logs).as_posix()


def not_done(run: RunFile, path: str) -> Message | None:
    """Why the log of a run is not evidence: how the run ended; ``run``: what its run.json says."""
    if (status := status_of(run)) != DONE:
        return Message("{log} skipped: its run.json says {status}.", log=path, status=status)
    return None


def another_log(run: RunFile, path: str, log: Path, sha256: str) -> Message | None:
    """Why a log of this SHA-256 is not evidence: it is not the one that the run made; ``run``: as for ``not_done``."""
    if describes(run, log, sha256) is False:
        return Message("{log} skipped: its SHA-256 differs from the one in its run.json.", log=path)
    return None


def unlike_runs(readings: Sequence[Reading]) -> Iterator[Message]:
    """That runs which make one number are not repeats of each other, by what their logs state."""
    for axis in COMPARED:
        stated = (reading.facts.get(axis) for reading in readings)
        values = dict.fromkeys(str(fact.value) for fact in stated if fact)
        if len(values) > 1:
            yield Message(UNLIKE_RUNS, fact=Message(axis), values=", ".join(values))
