"""The logs of a draft: which ones the user names, what each states, which repeat each other, and what finds them."""

import glob
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, product, takewhile
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
from ..measure.diagnostics import NoMeasurement, say
from ..pagefile.parts import COUNTED, PRECISIONS, Axis, Case, Value
from ..results.measured_log import MeasuredLog, measured_log
from ..results.remarks import Remark
from ..results.store import logs_of, unfit
from ..wording.words import english

MOST_FILES = 10_000
LONGEST = 80  # characters of a value that a page file states
MOST_COMMAND = 2000
MOST_TRIES = 1000  # to find the axes in a path
HELPS = {
    "card": " Pass --cards, which is 1 if a single GPU (or process) trained.",
    "unknown": " If a single GPU (or process) trained, pass --cards 1.",
}
# Families of models as their authors call them, with a version and a size behind the name.
_MODEL = re.compile(
    r"(?<![a-z])(?:resnet|resnext|vgg|alexnet|googlenet|inception|mobilenet|efficientnet|densenet|vit|swin|yolo|unet|"
    r"deeplab|mask_?rcnn|ssd|(?:ro|al)?bert|gpt|llama|mistral|mixtral|qwen|deepseek|gemma|phi|falcon|bloom|opt|t5|dlrm)"
    r"(?:[-_]?v?\d+(?:\.\d+)?)?(?:p(?![a-z]))?(?:[-_](?:base|large|small|\d+(?:\.\d+)?[bm]))?(?![a-z])",
    re.IGNORECASE,
)
# Where the name of a program ends in what its format says of itself.
_NAME = re.compile(r"[,(:;]|'s | (?:text logs?|logs?|of|on|from|up to|with|as|and|in|by)\b")
_COUNTED_RUN = r"run|rep|repeat|trial|seed|try|attempt"
# A number that counts repeats: the whole name of a folder or a log, behind a word for a run, or behind another number.
_REPEAT = re.compile(rf"(?:^|/|(?:{_COUNTED_RUN}|log|\d)[_.-]|{_COUNTED_RUN})(\d{{1,3}})(?=[./]|$)", re.IGNORECASE)
_MOST_NUMBERS = 3
FIRST_REPEATS = (0, 1)


# ---- which logs are named


@dataclass(frozen=True)
class NamedLogs:
    """Logs by their paths below ``folder``, sorted, each once; and why files beside them are left out."""

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
        logs = list(_logs(path))
        if not logs:
            raise LogError.at(path, "holds no files that may be logs.")
        found += [log for log in logs if isinstance(log, Path)]
        left_out += [log for log in logs if isinstance(log, str)]
    top = folder or default
    if not folder and not all(_absolute(log).is_relative_to(_absolute(default)) for log in found):
        # Of a log or a run folder the one that it is in.
        tops = [path.parent if not path.is_dir() or (path / RUN_FILE).exists() else path for path in named]
        top = Path(os.path.commonpath([*map(_absolute, tops)])) if len(tops) > 1 else tops[0]
    for log in found:
        if not _absolute(log).is_relative_to(_absolute(top)):
            raise LogError.at(log, f"is not in the log folder {top}; --logs names another one.")
    paths = {_absolute(log).relative_to(_absolute(top)).as_posix() for log in found}
    return NamedLogs(top, tuple(sorted(paths)), tuple(dict.fromkeys(left_out)))


def _absolute(path: Path) -> Path:
    """The path from the root; links are not followed, as a page does not follow those that lead out of its folder."""
    return Path(os.path.normpath(path.absolute()))


def why(log: object, reason: str) -> str:
    """That a log is left out, and why."""
    return f"{log}: left out: {reason}"


def _logs(path: Path) -> Iterator[Path | str]:
    """The log of each run folder below a path, and all files of the others, or why one is left out."""
    if not path.exists():
        raise LogError.at(path, "file or folder not found.")
    if not path.is_dir():
        yield path
        return
    count = 0
    for folder, files in folders_below(path):
        for found in [folder] if files is None else [folder / name for name in files if name not in SIDE_FILES]:
            count += 1
            if count > MOST_FILES:
                raise LogError.at(path, f"holds more than {MOST_FILES} files; name the folders of the runs to publish.")
            yield _of_run(found) if files is None else _of_file(found)


def _of_run(folder: Path) -> Path | str:
    try:
        return log_of(folder)
    except ParserError as error:
        return why(folder, english(error.message))


def _of_file(path: Path) -> Path | str:
    if path.is_symlink():
        return why(path, "it is a link; name the file that it leads to.")
    return path if path.stat().st_size else why(path, "it is empty.")


# ---- what a log states


@dataclass(frozen=True)
class DraftLog:
    """A log with what of it a page file states, by its ``path`` below the folder of logs.

    ``left_out``: why it gives no number, empty where it does; ``is_never_evidence``: and a page passes over it by
    itself. ``identity``: two logs of the same are one. ``program``: what trained, as far as anything says it.
    ``command``: what started it, where its run.json says so. ``quantities``: what else a page can show of it, by name.
    ``read``: what a number of it measures, as its user said, where it has one of that name.
    """

    path: str
    left_out: str = ""
    is_never_evidence: bool = False
    identity: tuple[str, str] = ("", "")
    case: Case = field(default_factory=dict)
    unit: str = ""
    scope: Scope = "unknown"
    program: str = ""
    command: str = ""
    is_of_a_run: bool = False
    quantities: tuple[str, ...] = ()
    read: str | None = None

    @property
    def place(self) -> str:
        """What holds its repeats: the folder of its case where it is that of a run, else its own path."""
        return str(PurePosixPath(self.path).parent.parent) if self.is_of_a_run else self.path


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
        found, command = measured.throughput(), run.get("native")
        is_plain = isinstance(command, str) and len(command) <= MOST_COMMAND and printable(command) == command
        return DraftLog(
            path,
            # Two runs may print the same.
            identity=(measured.reading.sha256, json.dumps(run, sort_keys=True) if "start" in run else ""),
            case=_case_of(measured.reading.facts, path),
            unit=found.unit,
            scope=found.scope,
            program=_program(measured),
            command=str(command) if is_plain else "",
            is_of_a_run=len(Path(path).parts) > 2 and Path(path).parts[-2].isdecimal() and bool(run),
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
    told = say(Remark.SCOPE_UNKNOWN, log=log.path) if is_unknown else say(Remark.OF_ONE, log=log.path, part=log.scope)
    helps = "" if is_unknown and log.case.get("cards", 1) != 1 else HELPS.get(log.scope, "")
    return why(log.path, english(told.message) + helps)


# ---- which logs repeat each other


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
    """The cases of some logs, in the order of their paths, and why further logs are left out.

    ``others``: as for ``pattern_of``.
    """
    cases, left_out = list[DraftCase](), list[str]()
    for repeats in sorted(_repeats(logs), key=lambda found: (found[0].place, found[0].path)):
        first, alike = repeats[0], repeats
        if (pattern := pattern_of(folder, [log.path for log in alike], others)) is None:
            reason = f"no pattern matches it and the runs that it repeats ({first.path}) without matching other logs."
            left_out += [why(log.path, reason) for log in repeats[1:]]
            alike, pattern = [first], pattern_of(folder, [first.path], others)
        if pattern is None:
            left_out.append(why(first.path, "no pattern of a page file finds it."))
            continue
        program = first.program or printable(PurePosixPath(first.path).parts[0]).strip() or "logs"
        cases.append(DraftCase(tuple(alike), pattern, first.case, program))
    return cases, left_out


def _repeats(logs: Sequence[DraftLog]) -> Iterator[list[DraftLog]]:
    """The logs in groups that repeat each other: run folders of one case, else logs whose names count them."""
    by_place: dict[object, list[DraftLog]] = {}
    loose = {log.path: log for log in logs if not log.is_of_a_run}
    for log in (log for log in logs if log.is_of_a_run):
        by_place.setdefault((log.place, *_likeness(log)), []).append(log)
    yield from by_place.values()
    for number in range(1, _MOST_NUMBERS + 1):
        for group in list(_counted(loose.values(), number)):
            yield group
            for log in group:
                del loose[log.path]
    yield from ([log] for log in loose.values())


def _counted(logs: Iterable[DraftLog], number: int) -> Iterator[list[DraftLog]]:
    """Logs that differ in one number of their paths, the last but ``number - 1``, which counts them from 0 or 1."""
    groups: dict[object, dict[int, DraftLog]] = {}
    for log in logs:
        found = list(_REPEAT.finditer(log.path))
        if len(found) >= number:
            start, end = found[-number].span(1)
            key = (log.path[:start], log.path[end:], *_likeness(log))
            groups.setdefault(key, {})[int(log.path[start:end])] = log
    for group in groups.values():
        first = min(group)
        if len(group) > 1 and first in FIRST_REPEATS and max(group) == first + len(group) - 1:
            yield [group[at] for at in sorted(group)]


def _likeness(log: DraftLog) -> tuple[object, ...]:
    """What all repeats have in common."""
    return log.program, log.unit, *log.case.items()


# ---- what finds them


def pattern_of(folder: Path, paths: Sequence[str], others: Collection[str] = ()) -> str | None:
    """The pattern for `logs` of a run that finds just these logs below a folder; None where there is none.

    ``others``: logs that it may find as well, because they are never evidence. Tried in this order: the path itself;
    ``*`` for each name of the path that differs; ``*`` for what differs of it.
    """
    parts = [path.split("/") for path in paths]
    tries = [_literal(paths[0])] if len(paths) == 1 else []
    if not tries and len({*map(len, parts)}) == 1:
        names = list(zip(*parts, strict=True))
        tries = ["/".join(_starred([*one], whole=whole) for one in names) for whole in (True, False)]
    for pattern in tries:
        if {*paths} <= {*logs_of(folder, pattern)} <= {*paths, *others}:
            return pattern.replace("{", "{{").replace("}", "}}")
    return None


def _starred(names: list[str], *, whole: bool) -> str:
    """Names of one place of the paths, with ``*`` for what differs."""
    if len({*names}) == 1:
        return _literal(names[0])
    if whole and all(name.isdecimal() for name in names):
        return "*"
    before = _common(names)
    after = _common([name[len(before) :][::-1] for name in names])[::-1]
    return f"{_literal(before)}*{_literal(after)}"


def _common(names: Sequence[str]) -> str:
    """What all names begin with."""
    alike = takewhile(lambda characters: len({*characters}) == 1, zip(*names, strict=False))
    return "".join(characters[0] for characters in alike)


def _literal(text: str) -> str:
    """A text that stands for itself; a character that cannot stand on a line of a page file is any one character."""

    def is_seen(character: str) -> bool:
        return character == " " or (character.isprintable() and not character.isspace())

    return "".join(glob.escape("".join(some)) if seen else "?" * len([*some]) for seen, some in groupby(text, is_seen))


def template_of(patterns: Sequence[str], cases: Sequence[Case]) -> tuple[str, bool] | None:
    """One pattern with axes in braces that is each of ``patterns`` in its case; None where there is none.

    With it whether paths spell the values of axes in small letters.
    """
    for is_small in (False, True):
        told = [{str(axis): str(value) for axis, value in one.items()} for one in cases]
        spelt = [{axis: value.lower() if is_small else value for axis, value in one.items()} for one in told]
        if found := _template_of(patterns, spelt):
            return found, is_small
    return None


def _template_of(patterns: Sequence[str], cases: Sequence[Mapping[str, str]]) -> str | None:
    first = patterns[0]
    if any("{" in text or "}" in text for text in cases[0].values()):
        return None
    places = [[found.span() for found in re.finditer(re.escape(text), first)] for text in cases[0].values()]
    for spans in islice(product(*places), MOST_TRIES):
        text, rest = "", 0
        for (start, end), axis in sorted(zip(spans, cases[0], strict=True)):
            text, rest = f"{text}{first[rest:start]}{{{axis}}}", end
        text += first[rest:]
        if all(text.format_map(one) == pattern.format_map({}) for one, pattern in zip(cases, patterns, strict=True)):
            return text
    return None
