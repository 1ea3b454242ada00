"""Page drafts: the page file of some logs, which is rendered once to prove that all of its cells have their numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.sharing.workers import ALL_CORES, Workers

from ...evidence.case_evidence import cells
from ...evidence.cell import Cell
from ...evidence.reason import Remark
from ...measure.diagnostics import say
from ...measure.work import thing
from ...pagefile.page_file import parse
from ...wording.words import Translate
from .draft_case import DraftCase, cases_of, each_once
from .draft_logs import NamedLogs, why
from .draft_table import DraftTable, tables_of
from .draft_text import DraftedUnit, page_text
from .measured_log import DraftTask, MeasuredLog, UnusedLog, measured_log

Counts = Iterable[tuple[str, int]]

HELPS = {
    "card": "{first} Pass --cards, which is 1 if a single GPU (or process) trained.",
    "unknown": "{first} If a single GPU (or process) trained, pass --cards 1.",
}
GRAMMAR = (
    "{first} `tachograph format LOG --scope job --out formats/NAME.lark` writes that grammar if the throughput is "
    "that of all processes together (of each one: `--scope card`); `export TACHOGRAPH_FORMATS=formats` makes it known."
)
NO_NUMBERS = "No log gives a throughput of the whole job, so there is nothing to draft."


class NothingToDraftError(ParserError):
    """No log gives a throughput; ``left_out`` says why each does not."""

    def __init__(self, told: Message | str, left_out: Sequence[Message] = ()) -> None:
        super().__init__(told)
        self.left_out = tuple(left_out)


@dataclass(frozen=True)
class PageDraft:
    """A page file: its text, the tables that it states, and why logs are left out of it, a sentence each."""

    text: str
    tables: Sequence[DraftTable]
    left_out: tuple[Message, ...]

    @property
    def cells(self) -> int:
        """How many cells have a number."""
        return sum(len(table.cases) for table in self.tables)

    @property
    def logs(self) -> int:
        """How many logs prove them."""
        return sum(len(case.logs) for table in self.tables for case in table.cases)


def draft_page(
    named: NamedLogs,
    path: Path,
    translate: Translate,
    states: Counts = (),
    read: str | None = None,
    workers: Workers = ALL_CORES,
) -> PageDraft:
    """Draft the page file ``path`` from logs; ``translate``: into the language of its comments.

    ``states``: counts such as cards, for logs that do not say them; ``read``: what a number of them measures, of those
    that have one of its name.
    Raises NothingToDraftError where no log gives a number of the whole job, and ParserError where the workers are gone.
    """
    tasks = [DraftTask(named.folder, log, tuple(states), read) for log in named.paths]
    with workers.each(measured_log, tasks, _bytes) as results:
        found = list(results)
    logs = [log for log in found if isinstance(log, MeasuredLog)]
    left_out = [*named.left_out, *(log.reason for log in found if isinstance(log, UnusedLog))]
    never = [log.path for log in found if isinstance(log, UnusedLog) and log.is_never_evidence]
    logs, copies = each_once(logs)
    whole = [log for log in logs if log.scope == "job"]
    left_out += [*copies, *(why(log.path, _not_the_job(log)) for log in logs if log.scope != "job")]
    if not whole:
        raise NothingToDraftError(NO_NUMBERS, left_out)
    draft = _proven(_Drafting(named.folder, path, _unit(whole), tuple(never), translate), whole)
    return replace(draft, left_out=(*left_out, *draft.left_out))


def _bytes(task: DraftTask) -> int:
    log = task.folder / task.path
    return log.stat().st_size if log.is_file() else 0


def _unit(logs: Sequence[MeasuredLog]) -> DraftedUnit:
    """The unit of the page, which most logs give."""
    ((most, count),) = Counter(thing(log.unit) for log in logs).most_common(1)
    return DraftedUnit(next(log.unit for log in logs if thing(log.unit) == most), count, len(logs))


def _not_the_job(log: MeasuredLog) -> Message:
    is_unknown = log.scope == "unknown"
    told = say(Remark.SCOPE_UNKNOWN, log=log.path) if is_unknown else say(Remark.OF_ONE, log=log.path, part=log.scope)
    said = told.message
    if log.scope == "unknown" and log.case.get("cards", 1) != 1:
        return said if log.program else Message(GRAMMAR, first=said)
    return Message(HELPS[log.scope], first=said) if log.scope in HELPS else said


@dataclass(frozen=True)
class _Drafting:
    """What all attempts at a draft share."""

    folder: Path
    path: Path
    unit: DraftedUnit
    never: tuple[str, ...]
    translate: Translate

    def attempt(self, cases: Sequence[DraftCase], *, briefly: bool) -> tuple[PageDraft, list[Cell]]:
        """A draft of some cases, and the cells of its page."""
        tables = tables_of(cases)
        name = printable(self.path.stem)
        text = page_text(tables, self.unit, name, self.translate, briefly=briefly)
        return PageDraft(text, tables, ()), list(cells(parse(text, self.path), self.folder))


def _proven(drafting: _Drafting, logs: Sequence[MeasuredLog]) -> PageDraft:
    """The draft whose cells all have their numbers: a case without one is left out, and the rest is drafted anew."""
    left_out = list[Message]()
    while True:
        cases, without = cases_of(logs, drafting.folder, drafting.never)
        if not cases:
            raise NothingToDraftError(NO_NUMBERS, [*left_out, *without])
        draft, shown = drafting.attempt(cases, briefly=True)
        if _shows_others(draft.tables, shown):
            draft, shown = drafting.attempt(cases, briefly=False)
        failed = {log.path: reason for case, reason in _failed(draft.tables, shown) for log in case.logs}
        if not failed:
            return replace(draft, left_out=(*left_out, *without))
        left_out += [why(path, reason) for path, reason in failed.items()]
        logs = [log for log in logs if log.path not in failed]


def _placed(tables: Sequence[DraftTable], shown: Sequence[Cell]) -> Iterable[tuple[DraftCase | None, Cell]]:
    """The throughputs of a page, table by table and row by row, each with its case; None where the draft has none."""
    rows = ((row, table.programs) for table in tables for row in range(len(table.rows)))
    places = (column.cells.get(row) for row, columns in rows for column in columns)
    return zip(places, (cell for cell in shown if cell.shown.quantity.is_throughput), strict=True)


def _shows_others(tables: Sequence[DraftTable], shown: Sequence[Cell]) -> bool:
    """Whether a cell is of logs that nobody named."""
    return any(
        {proof.log for proof in cell.proofs} - ({log.path for log in case.logs} if case else set())
        for case, cell in _placed(tables, shown)
    )


def _failed(tables: Sequence[DraftTable], shown: Sequence[Cell]) -> list[tuple[DraftCase, Message]]:
    """The cases whose cells are empty, and why."""
    return [(case, cell.reason.message) for case, cell in _placed(tables, shown) if case and cell.reason]
