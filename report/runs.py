"""The runs of a case: where a page says that their logs lie, and which of these logs are no evidence."""

import glob
from collections.abc import Sequence
from pathlib import Path

from parsers.runfile import DONE, RunFile, describes, run_file, sha256_of, status_of

from .page import Case, Column, Run
from .reason import NoEvidenceError, Reason


def run_of(column: Column, case: Case) -> Run:
    """The kind of run that covers a case; raises NoEvidenceError when the column has none."""
    for run in column.runs:
        if run.covers(case):
            return run
    raise NoEvidenceError(Reason("The page names no logs for this case."))


def filled(run: Run, case: Case) -> str:
    """The pattern of the logs of a case; what the case fills in is taken as it is, only the page may say ``*``.

    Raises NoEvidenceError when the case does not say an axis that the pattern needs.
    """
    spelt = {axis: run.spelt(axis, value) for axis, value in case.items()}
    try:
        return run.logs.format_map({axis: glob.escape(text) for axis, text in spelt.items()})
    except KeyError as error:
        message = "The pattern {pattern} needs {axis}, which the case does not say."
        raise NoEvidenceError(Reason(message, {"pattern": run.logs, "axis": error.args[0]})) from None


def logs_of(logs: Path, pattern: str) -> Sequence[str]:
    """The logs that a filled pattern finds, below the folder of logs, sorted."""
    # glob leaves hidden names out, as a run folder has while it is filled; Path.glob does not.
    return sorted(glob.glob(pattern, root_dir=logs))  # noqa: PTH207


def unfit(logs: Path, path: str) -> Reason | None:
    """Why a log is no evidence by the run.json beside it: the run was not done, or the log is not the one it made.

    None where it is evidence. Raises LogError when the log cannot be read or run.json is broken.
    """
    log = logs / path
    run = run_file(log)
    return not_done(run, path) or (another_log(run, path, log, sha256_of(log)) if run else None)


def not_done(run: RunFile, path: str) -> Reason | None:
    """Why the log of a run is no evidence: how the run ended; ``run``: what its run.json says."""
    if (status := status_of(run)) != DONE:
        return Reason("{log} is left out: its run.json says {status}.", {"log": path, "status": status})
    return None


def another_log(run: RunFile, path: str, log: Path, sha256: str) -> Reason | None:
    """Why a log of this SHA-256 is no evidence: it is not the one that the run made; ``run``: as for ``not_done``."""
    if describes(run, log, sha256) is False:
        return Reason("{log} is left out: it is not the file whose SHA-256 its run.json gives.", {"log": path})
    return None
