"""The Python API: logs, pages, audits and exports, as the commands of the same names give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from glob import glob
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsers.io.errors import TachographError, said_of, told
from parsers.io.printable import printable

if TYPE_CHECKING:
    import pandas as pd

    from parsers.runs.facts import Fact
    from parsers.runs.reading import Reading
    from report.audit.audited import Audit
    from report.measure.diagnostics import Diagnostic
    from report.measure.measurement import Measurement
    from report.measure.protocol import Protocol
    from report.results.measured_log import MeasuredLog, Status
    from report.results.model import Report

# The columns of ``measure_many`` and the dtypes that they have, whatever the logs say.
COLUMNS = {
    "log": "string",
    "status": "string",
    "value": "float64",
    "unit": "string",
    "scope": "string",
    "seconds_per_step": "float64",
    "first_line": "Int64",
    "last_line": "Int64",
    "records": "Int64",
    "format": "string",
    "sha256": "string",
    "error": "string",
}


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """A log and how fast it ran: what ``tachograph show`` prints of it."""

    measured: MeasuredLog

    @property
    def path(self) -> Path:
        """The file, or the folder of a run with a log for each rank."""
        return self.measured.reading.folder or self.measured.reading.path

    @property
    def reading(self) -> Reading:
        """All that was read: records of each format, facts, events, the account of lines."""
        return self.measured.reading

    @property
    def status(self) -> Status:
        """``confirmed``, ``unchecked``, ``contradicted`` or ``refused``."""
        return self.measured.status

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What holds for the whole run, by name: each with its ``value`` and its ``source``."""
        return self.measured.reading.facts

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Remarks on the number, or why there is none, each with a ``code``."""
        return self.measured.diagnostics

    def throughput(self) -> Measurement:
        """The throughput: ``value``, ``unit``, ``scope``, ``status``, ``lines`` used, ``checks`` by other sources.

        Raises ``NoMeasurement`` where the log gives none, and ``ContradictedError``, which is one, where its sources
        contradict each other.
        """
        return self.measured.throughput()

    def to_frame(self) -> pd.DataFrame:
        """The records, a row each in file order: ``line``, from 1, then a column for each field that they print.

        ``reading.fields`` has the unit and the scope of each column. Without rows where no format reads the log.
        """
        return self.measured.reading.records

    def why(self) -> str:
        """The number, the rule, and how the number came out by it: what ``tachograph show --explain`` prints."""
        return self._shown(explains=True)

    def to_dict(self) -> dict[str, Any]:
        """What ``tachograph show --json`` prints, as ``report/show.schema.json`` describes it."""
        from report.terminal.show_json import as_json

        return as_json(self.measured)

    def __repr__(self) -> str:
        from report.measure.number import digits

        found = self.measured.measurement
        said = f" {digits(found.value)} {found.unit} ({found.scope})" if found and self.status != "contradicted" else ""
        return printable(f"<Log {self.path}: {self.status}{said}>")

    def _repr_html_(self) -> str:
        """As a notebook shows it: what ``tachograph show`` prints."""
        text = "\n".join(map(printable, self._shown().split("\n")))
        return f"<pre>{escape(text)}</pre>"

    def _shown(self, *, explains: bool = False) -> str:
        from report.terminal.show_text import shown

        return shown(self.measured, colour=False, explains=explains)


def open(
    path: str | Path,
    *,
    read: str | None = None,
    protocol: Protocol | str | None = None,
    format: str | None = None,
    cards: int | None = None,
    batch_size: int | None = None,
) -> Log:
    """Read a log and measure it; a run folder stands for its log, a folder with a log for each rank is one run.

    ``read``: what a number of it measures (``dt=ms/step``). ``protocol``: how records become one number
    (``skip_records=5,statistic=median``); by the rule if None. ``format``: the name of a known format, or the path of a
    grammar. ``cards``: of the whole job; ``batch_size``: of one card. Raises ``TachographError``: ``LogError`` where
    the log cannot be read, ``FormatError`` for an unknown format, ``GrammarError``, ``ProtocolError``.
    """
    from report.results.measured_log import open as measured

    return Log(measured(path, read=read, protocol=protocol, format=format, cards=cards, batch_size=batch_size))


def measure_many(
    logs: str | Path | Iterable[str | Path],
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Measure logs: a pattern such as ``runs/*/train.log``, or paths. Nothing that is wrong with one ends the others.

    A row for each log, in order: ``log``; ``status``, also ``error`` where it cannot be read; ``value``, ``unit`` and
    ``scope`` of its throughput, and ``seconds_per_step``; ``first_line``, ``last_line`` and number of ``records`` used;
    ``format``; ``sha256``; ``error``: why there is no number. ``jobs``: processes, by default one for each core;
    ``scheduler``: the address of a Dask cluster that does it instead. ``options``: those of ``open``. Raises
    ``TachographError`` where there are no such workers.
    """
    import pandas as pd

    from parsers.sharing.workers import Workers

    # A pattern of Path is never absolute.
    paths = sorted(glob(str(logs))) if isinstance(logs, str | Path) else [*map(str, logs)]  # noqa: PTH207
    with Workers(jobs, scheduler).each(partial(_row, options), paths, _bytes) as rows:
        return pd.DataFrame([*rows], columns=[*COLUMNS]).astype(COLUMNS)


def _row(options: Mapping[str, Any], path: str) -> dict[str, Any]:
    try:
        log = open(path, **options)
    except (TachographError, OSError) as error:
        return {"log": path, "status": "error", "error": told(error)}
    found = log.measured
    row = {"log": path, "status": log.status, "sha256": found.reading.sha256, "format": next(iter(found.formats), None)}
    if found.reason or not found.measurement:
        return row | {"error": str(found.reason)}
    number = found.measurement
    first, last = number.ends
    return row | {
        "value": number.value,
        "unit": number.unit,
        "scope": number.scope,
        "seconds_per_step": number.seconds_per_step,
        "first_line": first,
        "last_line": last,
        "records": number.records_used,
    }


def _bytes(path: str) -> int:
    file = Path(path)
    return file.stat().st_size if file.is_file() else 0


def report(page: str | Path, *, logs: str | Path = "logs") -> Report:
    """The report of a page: its results, tables, notes and findings, as ``PAGE.report.json`` holds them.

    ``page``: the name of a page of ours, the path of a page file, or that of a ``PAGE.report.json``, which needs no
    logs. ``logs``: the folder of its logs. Raises ``TachographError``.
    """
    from report.results.model import SUFFIX, read_report
    from report.views.publish import read_pages

    if str(page).endswith(SUFFIX):
        return read_report(Path(page))
    (found,) = read_pages([str(page)], Path(logs), Path())
    return found.report


def audit(*documents: str | Path, logs: str | Path | None = None, board: str | None = None) -> Audit:
    """Rule on every number of documents, or of the documents in folders, by the logs beside them.

    ``findings`` has each number with its ruling and what proves or contradicts it. ``logs``: the folder of evidence, by
    default the one that holds all documents. ``board``: the rules of a leaderboard, by name or file. Raises
    ``TachographError``.
    """
    from report.audit.audited import audited
    from report.audit.board import board_of

    places, folder = [*map(Path, documents)], None if logs is None else Path(logs)
    try:
        return audited(places, folder, board=None if board is None else board_of(board))
    except OSError as error:
        raise TachographError(said_of(error)) from error


def export(target: str, source: Report) -> bytes:
    """The numbers of a report as the file that another program reads.

    ``target``: ``csv`` or ``github-action-benchmark``; nothing where no number of the report fits it. Raises
    ``TachographError``.
    """
    from report.views.export import FORMATS, exported, rows

    if target not in FORMATS:
        raise TachographError(f"No target is named {target!r}; use one of {', '.join(FORMATS)}.")
    return exported(target, rows(source))[0]
