"""The logs of a draft: which ones the user names, what each states, which repeat each other, and what finds them."""

import glob
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, product
from pathlib import Path, PurePosixPath
from typing import get_args

from parsers.grammar.field import Scope
from parsers.io.errors import LogError, ParserError
from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import PAGE
from parsers.runs.run_folder import READ, RUN_FILE, SIDE_FILES
from parsers.runs.runfile import folders_below, log_of, run_file
from parsers.scanning.detection import formats
from parsers.unknown.answer import Nothing

from ..audit.labels import case_of_log
from ..measure.diagnostics import NoMeasurement, Remark, say
from ..pagefile.parts import COUNTED, PRECISIONS, Axis, Case, Value
from ..results.measured_log import MeasuredLog, measured_log
from ..results.model import SUFFIX
from ..results.store import logs_of, unfit
from ..wording.words import english

MOST_FILES = 10_000
LONGEST = 80  # characters of a value that a page file states
MOST_TRIES = 1000  # to find the axes in a path
THE_LOG = "the log"
OF_ONE_CARD = " If a single GPU (or process) trained, pass --cards 1."
# Families of models as their authors call them, with a version and a size behind the name.
_MODEL = re.compile(
    r"(?<![a-z])(?:resnet|resnext|vgg|alexnet|googlenet|inception|mobilenet|efficientnet|densenet|vit|swin|yolo|unet|"
    r"deeplab|mask_?rcnn|ssd|(?:ro|al)?bert|gpt|llama|mistral|mixtral|qwen|deepseek|gemma|phi|falcon|bloom|opt|t5|dlrm)"
    r"(?:[-_]?v?\d+(?:\.\d+)?)?(?:p(?![a-z]))?(?:[-_](?:base|large|small|\d+(?:\.\d+)?[bm]))?(?![a-z])",
    re.IGNORECASE,
)
# Where the name of a program ends in what its format says of itself.
_NAME = re.compile(r"[,(:;]|'s | (?:text logs?|logs?|of|on|from|up to|with|as|and|in|by)\b")
# A number that counts repeats: the whole name of a folder or a log, behind a word for a run, or behind another number.
_COUNTED_RUN = r"run|rep|repeat|trial|seed|try|attempt"
_REPEAT = re.compile(
    rf"(.*(?:^|/|(?:{_COUNTED_RUN}|log|\d)[_.-]|{_COUNTED_RUN}))(?<!\d)(\d{{1,3}})(?=[./]|$)(.*)",
    re.IGNORECASE | re.DOTALL,
)


# ---- which logs are named


@dataclass(frozen=True)
class NamedLogs:
    """Logs by their paths below ``folder``, sorted, each once; and why run folders beside them are left out."""

    folder: Path
    paths: tuple[str, ...]
    left_out: tuple[str, ...]


def named_logs(named: Sequence[Path], folder: Path | None, default: Path) -> NamedLogs:
    """The logs that files, run folders and folders of them stand for; hidden files are passed over.

    ``folder``: the one that a page looks for logs in; by default ``default`` where that holds them all, else the lowest
    that does and is no run folder. Raises LogError for a path that does not exist, holds nothing, or is not below it.
    """
    found, left_out = list[Path](), list[str]()
    for path in named:
        if not path.exists():
            raise LogError.at(path, "file or folder not found.")
        below = list(islice(_below(path), MOST_FILES + 1)) if path.is_dir() else [path]
        if not 0 < len(below) <= MOST_FILES:
            raise LogError.at(path, f"holds no files that may be logs, or more than {MOST_FILES}; name other folders.")
        for one in below:
            try:
                found.append(log_of(one))
            except ParserError as error:
                left_out.append(why(one, english(error.message)))
    # A path is taken as it is spelt: a page does not follow links that lead out of its folder either.
    paths = [Path(os.path.abspath(log)) for log in found]  # noqa: PTH100
    top = folder or default
    if not folder and not all(path.is_relative_to(top.absolute()) for path in paths):
        # Of a log or a run folder the one that it is in.
        tops = [path.parent if not path.is_dir() or (path / RUN_FILE).exists() else path for path in named]
        top = Path(os.path.commonpath([os.path.abspath(one) for one in tops])) if len(tops) > 1 else tops[0]  # noqa: PTH100
    whole = Path(os.path.abspath(top))  # noqa: PTH100
    if away := next((path for path in paths if not path.is_relative_to(whole)), None):
        raise LogError.at(away, f"is not in the log folder {top}; --logs names another one.")
    below_top = {path.relative_to(whole).as_posix() for path in paths}
    return NamedLogs(top, tuple(sorted(below_top)), tuple(dict.fromkeys(left_out)))


def _below(folder: Path) -> Iterator[Path]:
    """The run folders below a folder, and all files of the other folders."""
    for place, files in folders_below(folder):
        # A report quotes lines of logs.
        logs = (name for name in files or () if name not in SIDE_FILES and not name.endswith(SUFFIX))
        yield from [place] if files is None else (place / name for name in logs)


def why(log: object, reason: str) -> str:
    """That a log is left out, and why."""
    return f"{log}: left out: {reason}"


# ---- what a log states


@dataclass(frozen=True)
class DraftLog:
    """A log with what of it a page file states, by its ``path`` below the folder of logs.

    ``left_out``: why it gives no number, empty where it does; ``is_never_evidence``: and a page passes over it by
    itself. ``identity``: two logs of the same are one. ``program``: what trained, as far as anything says it.
    ``quantities``: what else a page can show of it, by name. ``read``: what a number of it measures, as its user said,
    where it has one of that name.
    """

    path: str
    left_out: str = ""
    is_never_evidence: bool = False
    identity: tuple[str, str] = ("", "")
    case: Case = field(default_factory=dict)
    unit: str = ""
    scope: Scope = "unknown"
    program: str = ""
    quantities: tuple[str, ...] = ()
    read: str | None = None


def draft_log(folder: Path, states: Sequence[tuple[str, int]], read: str | None, path: str) -> DraftLog:
    """Measure one log below a folder by the rule.

    ``states``: counts that its user says, for a log that does not; ``read``: what a number of it measures, if it has
    one of that name.
    """
    log = folder / path
    try:
        if reason := unfit(folder, path):
            left_out = why(path, english(reason.message))
            return DraftLog(path, left_out, is_never_evidence=reason.code != "leads_out")
        run, measured = run_file(log), measured_log(log, read=read)
        if read and isinstance(measured.answer, Nothing):
            read, measured = None, measured_log(log)
        if lacking := [Fact(name, count, PAGE) for name, count in states if name not in measured.reading.facts]:
            measured = measured_log(log, given=lacking, read=read)
        if measured.reason and measured.options:
            ask = f"`tachograph show {log}` lists what could be said of it."
            return DraftLog(path, why(path, f"{english(measured.reason.message)} {ask}"))
        found = measured.throughput()
        return DraftLog(
            path,
            identity=(measured.reading.sha256, str(run.get("start"))),  # two runs may print the same
            case=_case_of(measured.reading.facts, path),
            unit=found.unit,
            scope=found.scope,
            program=_program(measured),
            quantities=(*_of_card(measured), *(one.quantity.name for one in measured.observed.quantities)),
            read=str(measured.read) if measured.read and str(measured.read) != run.get(READ) else None,
        )
    except (ParserError, NoMeasurement) as error:
        said = english(error.message)
        return DraftLog(path, said if isinstance(error, ParserError) else why(path, said))


def _program(measured: MeasuredLog) -> str:
    """What trained: the framework that the log states, or what its format calls it."""
    stated = measured.reading.facts.get("framework")
    if stated and (said := _value("framework", stated.value)):
        return str(said)
    about = next((one.about for one in formats() if one.name in measured.formats[:1]), "")
    return _NAME.split(about)[0].strip()


def _of_card(measured: MeasuredLog) -> Iterator[str]:
    """What one card does and how long a step takes, of a log that counts tokens or prints operations."""
    found, names = measured.throughput(), [one.name for one in measured.figures]
    if found.estimate.counted == "tokens" or any(name != "throughput_per_card" for name in names):
        yield from names
        if found.seconds_per_step is not None:
            yield "step_time"


def _case_of(facts: Mapping[str, Fact], path: str) -> Case:
    """The axes that facts state, and of model, device and precision what else the path says, in the order of the axes.

    A value that a page file cannot hold is left out.
    """
    named: dict[str, object] = {axis: case_of_log(path).get(axis) for axis in ("device", "precision")}
    named["model"] = next((found[0] for name in path.split("/")[::-1] if (found := _MODEL.search(name))), None)
    said = {axis: facts[axis].value if axis in facts else named.get(axis) for axis in get_args(Axis)}
    stated = {axis: _value(axis, value) for axis, value in said.items() if value is not None}
    return {axis: value for axis, value in stated.items() if value is not None}


def _value(axis: Axis, said: object) -> Value | None:
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    if axis in COUNTED or isinstance(said, int):
        return said if is_count(said) else None
    text = str(said)
    if axis == "precision" and text not in PRECISIONS and text.lower() in PRECISIONS:
        return None  # a page would have to spell it otherwise than the log
    is_plain = 0 < len(text.strip()) <= LONGEST and printable(text) == text
    return text if is_plain and isinstance(said, str) else None


def not_the_job(log: DraftLog) -> str:
    """Why a log is left out whose number is not that of the whole job, and what may help."""
    is_unknown = log.scope == "unknown"
    told = say(Remark.SCOPE_UNKNOWN, log=THE_LOG) if is_unknown else say(Remark.OF_ONE, log=THE_LOG, part=log.scope)
    return why(log.path, english(told.message) + ("" if "cards" in log.case else OF_ONE_CARD))


# ---- which logs repeat each other, and what finds them


@dataclass(frozen=True)
class DraftCase:
    """A case of a draft: its logs, which are repeats, at least one; the pattern that finds them; what they state."""

    logs: tuple[DraftLog, ...]
    pattern: str
    case: Case
    program: str

    @property
    def unit(self) -> str:
        """What it counts in a second."""
        return self.logs[0].unit


def each_once(logs: Iterable[DraftLog]) -> tuple[list[DraftLog], list[str]]:
    """The logs without copies, and why each of those is left out."""
    first: dict[tuple[str, str], DraftLog] = {}
    copies = [(log, known) for log in logs if (known := first.setdefault(log.identity, log)) is not log]
    return list(first.values()), [why(log.path, f"it is the same log as {known.path}.") for log, known in copies]


def cases_of(logs: Sequence[DraftLog], folder: Path, others: Collection[str]) -> tuple[list[DraftCase], list[str]]:
    """The cases of some logs, in the order of their paths, and why logs are left out.

    Repeats state the same and differ in one number of their paths, which counts them from 0 or 1.
    ``others``: logs that a pattern may find as well, because they are never evidence.
    """
    groups: dict[object, list[DraftLog]] = {}
    for log in logs:
        counted = _REPEAT.fullmatch(log.path)
        alike = (counted[1], counted[3], log.program, log.unit, *log.case.items()) if counted else log.path
        groups.setdefault(alike, []).append(log)
    found: list[tuple[list[DraftLog], str | None]] = []
    for group in groups.values():
        paths = [log.path for log in group]
        pattern = pattern_of(folder, paths, others) if _is_counted(paths, others) else None
        found += [(group, pattern)] if pattern else [([log], pattern_of(folder, [log.path])) for log in group]
    cases, left_out = list[DraftCase](), list[str]()
    for repeats, pattern in sorted(found, key=lambda one: one[0][0].path):
        first = repeats[0]
        program = first.program or printable(PurePosixPath(first.path).parts[0]).strip() or "logs"
        if pattern is None:
            left_out.append(why(first.path, "no pattern of a page file finds it."))
        else:
            cases.append(DraftCase(tuple(repeats), pattern, first.case, program))
    return cases, left_out


def _is_counted(paths: Sequence[str], others: Collection[str]) -> bool:
    """Whether paths that differ in one number are repeats: it counts them from 0 or 1, with those of other logs."""
    counted = [found for path in (*paths, *others) if (found := _REPEAT.fullmatch(path))]
    numbers = sorted({int(found[2]) for found in counted if (found[1], found[3]) == (counted[0][1], counted[0][3])})
    return len(paths) > 1 and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[-1] + 1))


def pattern_of(folder: Path, paths: Sequence[str], others: Collection[str] = ()) -> str | None:
    """The pattern for `logs` of a run that finds just these logs below a folder, with ``*`` for the number of repeats.

    ``others``: logs that it may find as well. None where there is none.
    """
    counted = _REPEAT.fullmatch(paths[0]) if len(paths) > 1 else None
    pattern = f"{_literal(counted[1])}*{_literal(counted[3])}" if counted else _literal(paths[0])
    is_found = {*paths} <= {*logs_of(folder, pattern)} <= {*paths, *others}
    return pattern.replace("{", "{{").replace("}", "}}") if is_found else None


def _literal(text: str) -> str:
    """A text that stands for itself; a character that cannot stand on a line of a page file is any one character."""

    def is_seen(character: str) -> bool:
        return character == " " or (character.isprintable() and not character.isspace())

    return "".join(glob.escape("".join(some)) if seen else "?" * len([*some]) for seen, some in groupby(text, is_seen))


def template_of(patterns: Sequence[str], cases: Sequence[Case]) -> str | None:
    """One pattern with axes in braces that is each of ``patterns`` in its case; None where there is none."""
    told = [{str(axis): str(value) for axis, value in case.items()} for case in cases]
    first, values = patterns[0], told[0]
    if any("{" in text or "}" in text for text in values.values()):
        return None
    places = [[found.span() for found in re.finditer(re.escape(text), first)] for text in values.values()]
    for spans in islice(product(*places), MOST_TRIES):
        text, rest = "", 0
        for (start, end), axis in sorted(zip(spans, values, strict=True)):
            text, rest = f"{text}{first[rest:start]}{{{axis}}}", end
        text += first[rest:]
        if all(text.format_map(one) == pattern.format_map({}) for one, pattern in zip(told, patterns, strict=True)):
            return text
    return None
