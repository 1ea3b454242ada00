"""The report of a page: its results, the runs behind them with all their records, its logs, and the page as laid out.

``PAGE.report.json`` holds it: the evidence of the page, what ``report --json`` prints, and the only input of Markdown,
HTML, ``why``, exports and archives. Meaning stands in it as codes and values; sentences are made by the views.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.files import data_of
from parsers.io.printable import printable, printable_lines

from ..measure.diagnostics import Said, Told
from ..measure.measurement import USES
from ..measure.protocol import Protocol, ProtocolError
from ..measure.quantity import QUANTITIES, Quantity
from ..measure.ranks import RankSpread
from ..measure.run_figures import Operation
from ..measure.statistic import REPEATS, STATISTICS

SUFFIX = ".report.json"
# How each record is used, a letter in the order of ``measurement.Use``; u is used.
LETTERS = "".join(chr(ord("a") + number) for number in range(len(USES)))
USED = LETTERS[0]

NOT_ALLOWED = "{what} is not allowed in a report."
NOT_A_REPORT = "is no report: {key}: {reason}."
NOT_JSON = "is not valid JSON: {reason}."


class ReportError(ParserError):
    """A report that cannot be read, or holds what a view must not show; one sentence says where and what."""


# ---- what may stand in a report, which anybody may have written

# An address is TABLE/ROW/COLUMN; it stands in links and in names of files as it is.
ADDRESS = re.compile(r"[^\s/#\"'<>&\\]+(?:/[^\s/#\"'<>&\\]+){2}")
LONGEST = 250  # characters of an address, or of the name of a page


def _must(holds: Callable[[str], object], expected: str) -> AfterValidator:
    """A check of a text; pydantic checks no pattern of names that are no UTF-8."""

    def check(text: str) -> str:
        if not holds(text):
            raise ValueError(f"expected {expected}")
        return text

    return AfterValidator(check)


def _one_of(names: Collection[str]) -> AfterValidator:
    return _must(names.__contains__, f"one of {', '.join(names)}")


def _is_below(path: str) -> bool:
    return bool(path) and "\0" not in path and not PurePath(path).anchor and ".." not in PurePath(path).parts


def _is_protocol(text: str) -> bool:
    try:
        Protocol.parse(text)
    except ProtocolError:
        return False
    return True


Address = Annotated[str, _must(lambda text: len(text) <= LONGEST and ADDRESS.fullmatch(text), "TABLE/ROW/COLUMN")]
Name = Annotated[str, _must(lambda text: 0 < len(text) <= LONGEST and not {*text} & {*"/\\\0"}, "the name of a file")]
LogPath = Annotated[str, _must(_is_below, "a path below the folder of logs")]
WebAddress = Annotated[str, _must(re.compile(r"https?://[^\s]+\Z").match, "a web address")]
Rule = Annotated[str, _must(_is_protocol, "a protocol")]
Digits = Annotated[str, Field(max_length=250, pattern=r"^-?[0-9]+(\.[0-9]+)?$")]
Line = Annotated[int, Field(ge=0, lt=1 << 53)]  # as JSON and Parquet hold it, whoever reads them
Scalar = str | int | float | bool | None
Texts = dict[str, str]  # Markdown of the page file, by language


# ---- runs


@dataclass(frozen=True)
class Records:
    """All records of the kind that a number is made of, a place each, in file order.

    ``lines``: where they stand, from 1. ``use``: a letter for each, of ``LETTERS``: used, or why not. ``values``: what
    is read there, None where nothing is; of a statistic its very terms. ``begins``, ``work``, ``seconds``: of a number
    that is work over time the line behind which its interval begins, what was done in it and how long it took; None
    where none ends at the record. So the number, another window of it and other statistics follow without a log.
    """

    lines: list[Line] = field(default_factory=list)
    use: str = ""
    values: list[float | None] = field(default_factory=list)
    begins: list[int | None] = field(default_factory=list)
    work: list[float | None] = field(default_factory=list)
    seconds: list[float | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        lists = (self.values, self.begins, self.work, self.seconds)
        if len(self.use) != len(self.lines) or any(one and len(one) != len(self.lines) for one in lists):
            raise ValueError("expected as many of each as there are lines")
        if not {*self.use} <= {*LETTERS}:
            raise ValueError(f"expected letters of {LETTERS}")

    @property
    def used(self) -> list[int]:
        """The lines of those that made the number."""
        return [line for line, use in zip(self.lines, self.use, strict=True) if use == USED]

    @property
    def left_out(self) -> dict[str, list[int]]:
        """The lines of all others, by the word for why."""
        found: dict[str, list[int]] = {}
        for line, use in zip(self.lines, self.use, strict=True):
            if use != USED:
                found.setdefault(USES[LETTERS.index(use)], []).append(line)
        return found

    @property
    def terms(self) -> list[tuple[int, float]]:
        """Line and value of the records used that have one."""
        rows = zip(self.lines, self.use, self.values, strict=True) if self.values else ()
        return [(line, value) for line, use, value in rows if use == USED and value is not None]

    @property
    def intervals(self) -> list[tuple[int, int, float, float]]:
        """The intervals used: the line behind which each begins, that where it ends, its work and its seconds."""
        rows = zip(self.use, self.begins, self.lines, self.work, self.seconds, strict=True) if self.work else ()
        return [
            (begin, line, work, seconds)
            for use, begin, line, work, seconds in rows
            if use == USED and begin is not None and work is not None and seconds is not None
        ]


@dataclass(frozen=True)
class Factor:
    """A count that leads from what records print to the throughput, and who says so."""

    name: str
    value: float
    source: Said


@dataclass(frozen=True)
class CheckedBy:
    """What another source of the log says of the same quantity: its value over that of the number is ``ratio``.

    ``counted``: what its intervals count.
    """

    source: str
    value: float
    unit: str
    ratio: float
    says: Literal["agrees", "differs", "silent"]
    lines: tuple[int, int]
    counted: str = ""


@dataclass(frozen=True)
class FileLines:
    """A further file behind a number, and the first, the last and the number of its lines that were used."""

    path: LogPath
    first: Line
    last: Line
    used: int


@dataclass(frozen=True)
class Run:
    """What one execution gives for a result.

    ``value``: before repeats are put together, in ``unit``. ``source``: what is read, by its column. ``statistic``: of
    the values of its records, empty where it is their work over their seconds; times ``factor``, or the factor over it
    where they ``are_times``, this gives ``measured`` in ``measured_unit``, and ``operations`` the value. ``factors``:
    what the factor is the product of, where that is known. ``status``: whether other sources confirm it. ``read``: what
    the page says that a number of the log measures, as ``--read`` does.
    """

    log: LogPath
    value: float
    unit: str
    scope: str
    status: Literal["confirmed", "unchecked", "contradicted"]
    protocol: Rule
    measured: float
    measured_unit: str
    source: str = ""
    column: str = ""
    records: Records = field(default_factory=Records)
    statistic: Annotated[str, _one_of(("", *STATISTICS))] = ""
    factor: float = 1.0
    are_times: bool = False
    counted: str = ""
    factors: list[Factor] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    checks: list[CheckedBy] = field(default_factory=list)
    other_side: Records | None = None
    ranks: RankSpread | None = None
    also: list[FileLines] = field(default_factory=list)
    read: str | None = None


@dataclass(frozen=True)
class Log:
    """A file behind results: its hash, its format (the name of a side file), how many lines it has, and some of these.

    ``url``: where it was published, if others did that. ``facts``: what it states of its run, each with its source.
    """

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    format: str | None
    lines: int
    url: WebAddress | None = None
    facts: dict[str, tuple[Scalar, Said]] = field(default_factory=dict)
    excerpt: dict[int, str] = field(default_factory=dict)


# ---- results


@dataclass(frozen=True)
class CaseValue:
    """The value of an axis of a case: what the page states, and whether the logs of the number say so.

    ``state``: ``confirmed`` by a log, ``contradicted``, or ``unconfirmed``: no log says anything of it. ``said``: what
    the log says where it contradicts. ``source``: who says it.
    """

    value: str | int
    state: Literal["confirmed", "contradicted", "unconfirmed"] = "unconfirmed"
    said: str | int | float | None = None
    source: Said | None = None


@dataclass(frozen=True)
class Published:
    """What somebody published of a number that was measured here: its digits, where, and whether ours are the same.

    ``agrees``: to the last digit that is published, rounded or cut.
    """

    digits: str
    source: str
    agrees: bool


@dataclass(frozen=True)
class Result:
    """One number of a page, or why there is none.

    ``id``: TABLE/ROW/COLUMN, its address in every view. ``digits``: as printed; ``value``: unrounded. ``unit``: its
    own; ``rate``: that of throughputs there. ``protocol``: the rule, as ``Protocol.parse`` reads it; ``repeats``: how
    several runs become one. ``operands``: of a computed number those it is of: of ÷ against ÷ ideal × whole.
    ``source``: where a quoted one was published. ``rests_on_quotes``: no log backs all of it. ``qualifiers``: what is
    so instead of its labels. ``details``: what its logs say that changes nothing. ``reason``: why there is no number.
    ``common``: the number by the rule, where the protocols of its row favour one of its numbers.
    """

    id: Address
    case: dict[str, CaseValue]
    quantity: Annotated[str, _one_of(QUANTITIES)]
    unit: str
    rate: str
    origin: Literal["measured", "quoted", "computed", "missing"]
    row: str
    column: str
    value: float | None = None
    digits: Digits | None = None
    protocol: Rule | None = None
    repeats: Annotated[str, _one_of(REPEATS)] | None = None
    runs: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    ideal: float = 1.0
    whole: Literal[1, 100] = 1
    source: str | None = None
    rests_on_quotes: bool = False
    qualifiers: list[Said] = field(default_factory=list)
    details: list[Told] = field(default_factory=list)
    reason: Told | None = None
    common: float | None = None
    published: Published | None = None
    circumstances: dict[str, str] = field(default_factory=dict)

    @property
    def begun(self) -> str:
        """The day on which the first of its runs began, empty where nothing says it."""
        return self.circumstances.get("date", "")[:10]

    @property
    def kind(self) -> Quantity:
        """What it is."""
        return QUANTITIES[self.quantity]

    @property
    def labels(self) -> dict[str, str | int | float]:
        """Its case, as its log states it where that says otherwise."""
        contradicted = {axis: one.said for axis, one in self.case.items() if one.state == "contradicted"}
        stated = {axis: one.value for axis, one in self.case.items()}
        return stated | {axis: said for axis, said in contradicted.items() if said is not None}


# ---- the page


@dataclass(frozen=True)
class Column:
    """The head of a column.

    ``key``: the column of the page. ``title``, ``short``: its own titles. ``is_titled``: the table gives it the title.
    ``is_plain``: its title alone says what it shows. ``family``: what its colour stands for. ``version``: of the
    framework, where all its runs have the same.
    """

    key: str
    title: str
    short: str = ""
    quantity: str = "throughput"
    unit: str = ""
    version: str = ""
    family: str = ""
    is_plain: bool = True
    is_titled: bool = False


@dataclass(frozen=True)
class Row:
    """A row of results: its title and that of its group, the ids of its results, and what each column takes the case of
    the group for.
    """

    title: str
    results: list[str]
    group: str = ""
    taken: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Note:
    """A numbered note of a table.

    ``said``: it in one sentence. ``marks``: where it stands: ``corner``, ``row:N``, ``column:N`` (from 0), or an id.
    ``results``: the ids of the numbers that it is about, with what it says of just this one, where that is more.
    """

    number: int
    said: Said
    marks: list[str]
    results: dict[str, Said | None]


@dataclass(frozen=True)
class Table:
    """A table of the page; everything that a view needs to lay it out."""

    name: Name
    title: str
    corner: str
    columns: list[Column]
    rows: list[Row]
    notes: list[Note] = field(default_factory=list)
    blocks: list[Texts] = field(default_factory=list)

    @property
    def ids(self) -> Iterator[str]:
        """The ids of its results, row by row."""
        for row in self.rows:
            yield from row.results


@dataclass(frozen=True)
class Compared:
    """Another number beside the first one of a finding: its id, their ratio, or why there is none."""

    column: str
    id: str | None = None
    ratio: float | None = None
    reason: Told | None = None


@dataclass(frozen=True)
class Finding:
    """Who is fastest in some cases, as data.

    ``first``: the first number of each of the ``cases``, which are all of ``column``, and ``others`` beside each.
    ``shared``: what all cases have in common. ``verdict``: what is said of the column, empty where nothing is.
    """

    column: str
    shared: dict[str, str | int]
    first: list[str]
    verdict: str
    cases: list[dict[str, str | int]]
    others: list[list[Compared]]


@dataclass(frozen=True)
class Source:
    """Where figures were published that no public log gives."""

    title: str
    url: WebAddress
    date: str
    note: str
    commit: str | None = None


@dataclass(frozen=True)
class Page:
    """The page as laid out, and the text of its page file.

    ``words``: by language what its texts are called there, which no catalogue has. ``labels``: how it writes values of
    axes. ``repository``, ``commit``, ``licence``: where its logs were published, if by others.
    """

    name: Name
    title: str
    model: str
    units: list[str]
    tables: list[Table]
    sections: dict[str, list[Texts]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    environment: list[list[list[Said]]] = field(default_factory=list)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    words: dict[str, dict[str, str]] = field(default_factory=dict)
    repository: str | None = None
    commit: str | None = None
    licence: str | None = None
    page_file: str = ""


@dataclass(frozen=True)
class Report:
    """A page, its results, the runs behind them by the keys that results name, and the files behind these.

    ``logs_folder``: where the logs are, as seen from the page; None where others published them.
    """

    version: Literal[2]
    page: Page
    results: list[Result]
    runs: dict[str, Run]
    logs: dict[LogPath, Log]
    logs_folder: str | None = None

    __pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)  # of all its parts

    @cached_property
    def by_id(self) -> dict[str, Result]:
        """Results by their ids."""
        return {result.id: result for result in self.results}

    @cached_property
    def places(self) -> Mapping[str, tuple[Table, Row, int]]:
        """Where each result stands: its table, its row and the number of its column."""
        rows = ((table, row) for table in self.page.tables for row in table.rows)
        return {id_: (table, row, at) for table, row in rows for at, id_ in enumerate(row.results)}

    def runs_of(self, result: Result) -> list[Run]:
        """The runs behind a result."""
        return [self.runs[key] for key in result.runs]

    @property
    def own(self) -> list[Result]:
        """The results that have their own runs or a quoted figure: not those that are computed from others."""
        return [one for one in self.results if not (one.kind.is_quotient or one.kind.of_runs)]

    def to_json(self) -> str:
        """The report as text, a result, a run and a log on a line each; the same report gives the same text."""
        told = _adapter().dump_python(self, exclude_defaults=True)
        parts = [f"{_text(name)}: {_lines(value)}" for name, value in told.items()]
        # What is not seen, and halves of characters of names that are no UTF-8, are spelt as JSON spells them.
        return printable_lines("{\n" + ",\n".join(parts) + "\n}\n")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lines(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_text, value)) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{_text(name)}: {_text(one)}" for name, one in value.items()) + "\n}"
    return _text(value)


# ---- reading one


@cache
def _adapter() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    return _adapter().json_schema()


def read_report(path: Path) -> Report:
    """Read a report that anybody may have written; raises ReportError."""
    try:
        return parsed(data_of(path), path)
    except OSError as error:
        raise ReportError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


def report_beside(page: Path) -> Path | None:
    """The report of a page that ``report`` wrote, such as ``resnet50.zh.md``; None where there is none.

    It lies beside the page, of a page of a site in ``data/``.
    """
    folder = page.parent / "data" if page.suffix == ".html" else page.parent
    path = folder / f"{Path(page.stem).stem.removesuffix('.evidence')}{SUFFIX}"
    return path if page.suffix in (".md", ".html") and path.exists() else None


def parsed(text: bytes | str, path: Path) -> Report:
    """The report in a text; ``path``: what it is called. Raises ReportError."""
    try:
        # Not pydantic's own reader, which refuses the halves of characters of names that are no UTF-8.
        report = _adapter().validate_python(json.loads(text))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = printable(".".join(map(str, first["loc"])))
        raise ReportError.at(path, NOT_A_REPORT, key=key, reason=printable(first["msg"])) from None
    except (ValueError, RecursionError) as error:
        raise ReportError.at(path, NOT_JSON, reason=printable(error)) from None
    if (wrong := next(_unsound(report), None)) is not None:
        raise ReportError.at(path, NOT_ALLOWED, what=printable(repr(wrong)))
    return report


def _unsound(report: Report) -> Iterator[object]:
    """What leads to nothing that is there, or does not go together."""
    page, ids = report.page, report.by_id
    named = sorted(id_ for table in page.tables for id_ in table.ids)
    if named != sorted(result.id for result in report.results) or len(ids) < len(named):
        yield "results: a table holds each id once"
    linked = [id_ for result in report.results for id_ in result.operands]
    linked += [id_ for table in page.tables for note in table.notes for id_ in note.results]
    linked += [id_ for finding in page.findings for id_ in finding.first]
    linked += [one.id for finding in page.findings for others in finding.others for one in others if one.id]
    yield from {*linked} - {*ids}
    paths = {path for run in report.runs.values() for path in (run.log, *(file.path for file in run.also))}
    yield from paths - {*report.logs}
    yield from (
        run.log for run in report.runs.values() if run.ranks and len(run.ranks.numbers) != len(run.ranks.values)
    )
    said = [both for texts in page.words.values() for both in texts.items()]
    yield from (text for text, own in said if _braced(own) != _braced(text))
    for table in page.tables:
        yield from (row.title for row in table.rows if len(row.results) != len(table.columns))
    for result in report.results:
        yield from {*result.runs} - {*report.runs}
        sources = {result.source, result.published.source if result.published else None}
        yield from sources - {None, *page.sources}
        has_number = result.origin != "missing"
        if {result.value is not None, result.digits is not None} != {has_number} or not (has_number or result.reason):
            yield result.id
        if len(result.operands) not in (0, 2):
            yield result.id


def _braced(text: str) -> set[str]:
    """The names that values of a text replace."""
    return {*re.findall(r"{[^{}]*}|[{}]", text)}
