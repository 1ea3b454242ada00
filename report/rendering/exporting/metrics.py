"""Metrics: the numbers of pages and logs as they are exported, each with unit, scope, protocol and its log lines."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import Fact, Value
from parsers.runs.runfile import log_of
from parsers.sharing.workers import Workers

from ...evidence.case_evidence import cells
from ...evidence.cell import Cell, Proof
from ...evidence.circumstances import circumstances, of_cell, proofs_of
from ...evidence.measured_log import MeasuredLog, measured_log
from ...evidence.ranks.exhibits import Exhibit
from ...measure.diagnostics import NoMeasurement
from ...measure.measurement import Measurement
from ...measure.number import printed
from ...measure.protocol import Protocol
from ...measure.quantity import THROUGHPUT
from ...pagefile.page import SEVERAL, Page
from ...pagefile.page_file import find, load, names
from ...pagefile.parts import Axis
from ...views.publish import LOGS

AXES: tuple[str, ...] = get_args(Axis)
# What a page need not state and its logs may.
OF_LOGS = ("model", "framework", "device")
EMPTY_CELLS = "{page}: {count} of {total} cells are empty and not exported."
NO_THROUGHPUT = "{log}: not exported, no throughput: {reason}"


@dataclass(frozen=True)
class ExportedRun:
    """One run behind a metric: its own value, printed as the metric is, and the files that prove it."""

    digits: str
    value: float
    exhibits: tuple[Exhibit, ...]


@dataclass(frozen=True)
class Metric:
    """One number and what it is of.

    ``suite``: the name of its page, or ``logs``. ``name``: its address on the page, or the path of its log. ``title``:
    for people. ``digits``: the number as the page prints it; ``value`` the same, unrounded where it was measured.
    ``scope``: job, node, card or unknown, empty for a ratio. ``direction``: 1 where more is better, -1 where less is, 0
    where neither. ``protocol``: the rule in neutral words. ``case``: model, framework, device and the axes that are
    known. ``circumstances``: date and versions, where logs or run.json say them. ``parts``: the addresses of the
    numbers that it is computed from. ``is_quoted``: somebody published it, or a number that it is computed from, and
    there is no log to prove it; ``source``: where it was published, where it is not computed. ``qualifier``: what is so
    instead of what its labels say. ``remarks``: what else a reader must know, in English.
    """

    suite: str
    name: str
    title: str
    quantity: str
    digits: str
    value: float
    unit: str
    scope: str
    direction: int
    protocol: str
    case: Mapping[str, Value]
    circumstances: Mapping[str, str]
    runs: tuple[ExportedRun, ...] = ()
    parts: tuple[str, ...] = ()
    is_quoted: bool = False
    source: str = ""
    qualifier: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def number(self) -> float:
        """What the page prints, as a number."""
        return float(self.digits)

    @property
    def full_name(self) -> str:
        """Its suite, and its name in there."""
        return f"{self.suite}/{self.name}"

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """The files that prove it, run by run."""
        return tuple(exhibit for run in self.runs for exhibit in run.exhibits)

    @property
    def texts(self) -> dict[str, str]:
        """What is beside the value as names and texts, for formats that have room for such; nothing that is empty."""
        texts: dict[str, Any] = {"unit": self.unit, "scope": self.scope, "protocol": self.protocol, **self.case}
        texts |= {"title": self.title, "qualifier": self.qualifier, **self.circumstances}
        texts |= {"printed": self.digits, "runs": " ".join(run.digits for run in self.runs[1:] and self.runs)}
        lines = (f"{e.path} sha256:{e.sha256} lines {e.lines[0]}-{e.lines[1]}" for e in self.exhibits)
        texts |= {"evidence": "; ".join(lines), "computed_from": " ".join(self.parts)}
        texts |= {"remarks": " ".join(self.remarks)}
        return {name: str(text) for name, text in texts.items() if str(text)}


def one_line(metric: Metric) -> Metric:
    """A metric whose texts, which may be those of strangers, are each on one line and seen as a whole.

    No format then has to spell newlines and control characters, and no terminal meets them.
    """
    names = ("suite", "name", "title", "unit", "protocol", "qualifier", "source")
    texts: dict[str, Any] = {name: printable(getattr(metric, name)) for name in names}
    return replace(
        metric,
        **texts,
        case={name: printable(said) if isinstance(said, str) else said for name, said in metric.case.items()},
        circumstances={name: printable(said) for name, said in metric.circumstances.items()},
        runs=tuple(
            replace(run, exhibits=tuple(replace(exhibit, path=printable(exhibit.path)) for exhibit in run.exhibits))
            for run in metric.runs
        ),
        parts=tuple(map(printable, metric.parts)),
        remarks=tuple(map(printable, metric.remarks)),
    )


@dataclass(frozen=True)
class LogOptions:
    """What the user says of logs: their protocol, facts and format, and what a number of them measures."""

    protocol: Protocol | None = None
    given: tuple[Fact, ...] = ()
    format: str | None = None
    read: str | None = None


@dataclass(frozen=True)
class Found:
    """The metrics of some sources in their order, and what is not among them, a sentence each."""

    metrics: Sequence[Metric]
    missing: Sequence[Message]


def found_in(sources: Sequence[str], logs: Path | None, options: LogOptions, workers: Workers) -> Found:
    """The metrics of pages and logs, each source once; raises ParserError where one cannot be read.

    A source is a page if it is a path ending in .toml, or the name of a page of ours where there is no such file.
    ``logs``: the folder of the logs of pages.
    """
    pages, paths = list[str](), list[Path]()
    for source in dict.fromkeys(sources):
        if source.endswith(".toml") or (source in names() and not Path(source).exists()):
            pages.append(source)
        else:
            paths.append(Path(source))
    metrics, missing = list[Metric](), list[Message]()
    for page in pages:
        path = find(page)
        loaded = load(path)
        found = list(cells(loaded, logs or LOGS, workers))
        of_page = list(_of_page(path.stem, loaded, found))
        metrics += of_page
        if empty := len(found) - len(of_page):
            missing.append(Message(EMPTY_CELLS, page=path.stem, count=empty, total=len(found)))
    with workers.each(partial(_of_log, options), paths, _size) as results:
        for result in results:
            if isinstance(result, Metric):
                metrics.append(result)
            else:
                missing.append(result)
    return Found(metrics, missing)


def _size(path: Path) -> int:
    """The bytes of a log; 0 where it is gone, or a folder."""
    return path.stat().st_size if path.is_file() else 0


def _of_log(options: LogOptions, path: Path) -> Metric | Message:
    """The metric of a log, or why it has none; workers do this."""
    with suppress(OSError):  # reading it tells what is wrong
        path = log_of(path)
    measured = measured_log(path, options.protocol, options.given, options.format, options.read)
    try:
        found = measured.throughput()
    except NoMeasurement as error:
        return Message(NO_THROUGHPUT, log=path, reason=error.message)
    return _of_throughput(path, measured, found)


def _of_throughput(log: Path, measured: MeasuredLog, found: Measurement) -> Metric:
    """The throughput of a log, as `show` says it; ``log``: the path that it is called by."""
    proof = Proof(str(log), measured.reading, found)
    facts = measured.reading.facts
    digits = printed(found.value, found.protocol)
    said = [*(str(one.message) for one in measured.diagnostics), *map(str, measured.warnings)]
    return Metric(
        suite="logs",
        name=str(log),
        title=str(log),
        quantity=THROUGHPUT.name,
        digits=digits,
        value=found.value,
        unit=found.unit,
        scope=found.scope,
        direction=THROUGHPUT.direction,
        protocol=found.protocol.words(),
        case={name: facts[name].value for name in AXES if name in facts},
        circumstances={str(key): said for key, said in circumstances(proof).items()},
        runs=(ExportedRun(digits, found.value, proof.exhibits),),
        remarks=tuple(said),
    )


def _of_page(name: str, page: Page, found: Sequence[Cell]) -> Iterator[Metric]:
    """The cells of a page that print a number, in its order; ``name`` is that of its page file."""
    titles = {table.name: table.title for table in page.tables}
    for cell in found:
        if cell.digits is not None and cell.value is not None:
            quantity = cell.shown.quantity
            printing = cell.shown.printing(cell.protocol or Protocol())
            source = page.sources[cell.quoted.source] if cell.quoted else None
            yield Metric(
                suite=name,
                name=cell.slug,
                title=f"{titles[cell.table]}: {cell.row}, {cell.column}",
                quantity=quantity.name,
                digits=cell.digits,
                value=cell.value,
                unit=cell.shown.unit,
                scope=quantity.scope,
                direction=quantity.direction,
                protocol=cell.words,
                case=_case(page, cell),
                circumstances={str(key): said for key, said in of_cell(cell).items()},
                runs=tuple(ExportedRun(printed(p.value, printing), p.value, p.exhibits) for p in cell.proofs),
                parts=tuple(part.slug for part in cell.parts),
                is_quoted=cell.rests_on_quotes,
                source=f"{source.title}, {source.url}" if source else "",
                qualifier=str(cell.qualifier or ""),
                remarks=tuple(cell.said),
            )


def _case(page: Page, cell: Cell) -> dict[str, Value]:
    """The case of a cell; what it leaves open as all its logs say it, and the model as the page says it of all."""
    found: dict[str, Value] = {} if SEVERAL in page.model else {"model": page.model}
    for name in OF_LOGS:
        said = {fact.value for proof in proofs_of(cell) if (fact := proof.reading.facts.get(name))}
        if len(said) == 1:
            found[name] = said.pop()
    return found | dict(cell.stated)
