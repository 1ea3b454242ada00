"""Run records: what a history knows of one run, made of its log and its run.json alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.errors import OF_FILE, ParserError, TachographError
from parsers.io.message import Message
from parsers.runs import health
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.run_folder import CLOCK, RUN_FILE
from parsers.runs.runfile import CONFIGURATIONS, RunFile, run_file, run_problems, sha256_of

from ...measure.diagnostics import NoMeasurement
from ...measure.protocol import Protocol
from ...results.environment import stated_start
from ..common_window import measured_alike
from ..compared_cases import OF_STEP, begin_of_run
from ..compared_runs import NO_THROUGHPUT, ComparedRun, FoundRun, run_or_reason
from ..conditions import Condition, StatedRun, conditions, stated_run

# What of a log or run.json is of the machine and its software, and not of the code or the options of a run.
ENVIRONMENT = re.compile(r"(environment|scheduler)\..*|device|cuda|framework_version")
VERSION = "framework_version"
ABBREVIATED = 7  # digits of a commit


@dataclass(frozen=True)
class FileStamp:
    """How the files of a run looked when they were read.

    ``log`` and ``run``: bytes and time of change (ns) of the log and of run.json; ``beside``: the same of the other
    files that facts come from, by name.
    """

    log: tuple[int, int]
    run: tuple[int, int]
    beside: str = ""

    @property
    def newest(self) -> int:
        """When the last of them was changed (ns)."""
        return max(self.log[1], self.run[1])


@dataclass(frozen=True)
class RunRecord:
    """One run of a history: a row of its index.

    ``root`` and ``path``: the suite as it was named, or the folder of a single log, and the log below it. ``log_*``,
    ``run_*``, ``beside``: what the row was made of. ``began``: ISO 8601, UTC or as the log says. ``throughput`` in
    ``unit``, that of ``scope``, by the rule ``protocol``, whose window is ours (``own_window``) or its own, over
    ``first_step`` to ``last_step``, from ``first_line`` to ``last_line``. ``reason``: why there is none, a message as
    JSON. ``environment``: JSON of two objects, machine and software by name, and of these what is the framework's
    version. ``facts``: JSON of those that the log tells, with their sources.
    """

    root: str
    path: str
    case: str
    is_loose: bool
    log_bytes: int
    log_mtime_ns: int
    log_sha256: str
    run_bytes: int
    run_mtime_ns: int
    run_sha256: str
    beside: str
    began: str | None = None
    commit: str | None = None
    version: str | None = None
    throughput: float | None = None
    unit: str | None = None
    scope: str | None = None
    formats: str | None = None
    protocol: str | None = None
    own_window: bool = False
    first_step: int | None = None
    last_step: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    reason: str | None = None
    environment: str = "[{}, {}]"
    facts: str = "[]"

    @property
    def log(self) -> Path:
        """Where the log is."""
        return Path(self.root, self.path)

    @property
    def stamp(self) -> FileStamp:
        """The stamp of its files."""
        return FileStamp((self.log_bytes, self.log_mtime_ns), (self.run_bytes, self.run_mtime_ns), self.beside)

    def stated(self) -> StatedRun:
        """What states the conditions of the run; raises LogError where its run.json is broken by now."""
        facts = (
            Fact(name, value, Provenance(kind, tuple(rest))) for name, value, kind, *rest in json.loads(self.facts)
        )
        return StatedRun(self.log, tuple(facts), run_file(self.log))

    @property
    def is_text(self) -> bool:
        """Whether its names are text, so that an index can hold it; those of files may be any bytes."""
        return all(char < "\ud800" or char > "\udfff" for char in f"{self.root}{self.path}{self.case}")

    @property
    def meaning(self) -> tuple[str | None, ...]:
        """What must be alike for two throughputs to be compared."""
        return self.unit, self.scope, self.formats, self.protocol


def stamp_of(log: Path) -> FileStamp:
    """How the files of a run look; zeros for what is not there."""
    sizes = dict[str, tuple[int, int]]()
    with suppress(OSError), os.scandir(log.parent) as entries:
        for entry in entries:
            if entry.name in (log.name, RUN_FILE, CLOCK, *CONFIGURATIONS):
                with suppress(OSError):
                    found = entry.stat()
                    sizes[entry.name] = found.st_size, found.st_mtime_ns
    nothing = (0, 0)
    beside = {name: sizes[name] for name in sorted(sizes) if name not in (log.name, RUN_FILE)}
    return FileStamp(sizes.get(log.name, nothing), sizes.get(RUN_FILE, nothing), json.dumps(beside) if beside else "")


def run_record(found: FoundRun, protocol: Protocol | None) -> RunRecord:
    """Read and measure one run; whatever is wrong with it is its ``reason``."""
    stamp, sha256 = stamp_of(found.log), hash_of(found.log)
    made_of: dict[str, Any] = {
        "log_bytes": stamp.log[0],
        "log_mtime_ns": stamp.log[1],
        "log_sha256": sha256,
        "run_bytes": stamp.run[0],
        "run_mtime_ns": stamp.run[1],
        "run_sha256": hash_of(found.log.with_name(RUN_FILE)),
        "beside": stamp.beside,
    }
    case, told = _told(found, protocol, sha256)
    return RunRecord(str(found.root), found.path, case, found.is_loose, **made_of, **told)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file; empty for one that is not there or cannot be read."""
    try:
        return sha256_of(path) if path.is_file() else ""
    except (ParserError, OSError):
        return ""


def _told(found: FoundRun, protocol: Protocol | None, sha256: str) -> tuple[str, Mapping[str, Any]]:
    """The name of the case, and what the log and run.json say."""
    try:
        read = run_or_reason(protocol, found)
    except TachographError as error:
        read = error.message
    if isinstance(read, Message):
        run = _known(found.log)
        problem = next(run_problems(run, found.log, sha256), None) or _without_name(read, found.log)
        return found.case or found.path, {**_of_run_file(run), "reason": message_json(problem)}
    return read.case, {**_of_run_file(read.run), **_of_log(read), **_measured(read, protocol)}


def _without_name(reason: Message, log: Path) -> Message:
    """Why a run gives no throughput, without the name of its log, beside which it is told."""
    inner = reason.values.get({NO_THROUGHPUT: "reason", OF_FILE: "what"}.get(reason.key, ""))
    is_own = reason.key == NO_THROUGHPUT or reason.values.get("path") == str(log)
    return inner if is_own and isinstance(inner, Message) else reason


def _known(log: Path) -> RunFile:
    try:
        return run_file(log)
    except ParserError:
        return {}


def _of_run_file(run: RunFile) -> Mapping[str, Any]:
    source = run.get("source")
    commit = source.get("commit") if isinstance(source, dict) else None
    return {"began": _text(stated_start(run)), "commit": commit if isinstance(commit, str) and commit else None}


def _text(moment: np.datetime64 | None) -> str | None:
    return None if moment is None or np.isnat(moment) else str(moment.astype("M8[us]"))


def _of_log(read: ComparedRun) -> Mapping[str, Any]:
    stated = stated_run(read)
    told = conditions(stated)
    facts = [[fact.name, fact.value, fact.source.kind, *fact.source.values] for fact in stated.facts]
    return {
        "began": _text(begin_of_run(read)),
        "version": _version(read, told),
        "environment": _environment(read, told),
        "facts": json.dumps(facts, ensure_ascii=False),
    }


def _version(read: ComparedRun, told: list[Condition]) -> str | None:
    """The version of the framework, by its log, else by run.json where that knows a single framework."""
    if VERSION in read.reading.facts:
        return str(read.reading.facts[VERSION].value)
    stated = [one.value for one in told if re.fullmatch(r"environment\.frameworks\.[^.]+\.version", one.name)]
    return stated[0] if len(stated) == 1 and stated[0] != "null" else None


def _environment(read: ComparedRun, told: list[Condition]) -> str:
    """What of a run is of its machine and software; nodes that state one thing differently give all of its values."""
    of_version = {one.thing for one in told if one.name == VERSION or one.name.endswith(".version")}
    own, version = dict[str, str](), dict[str, str]()
    for one in told:
        if ENVIRONMENT.fullmatch(one.name) and not _is_code(one, read.run):
            table = version if one.thing in of_version else own
            known = table.get(one.name, one.value)
            table[one.name] = known if known == one.value else f"{known} / {one.value}"
    return json.dumps([own, version], ensure_ascii=False, sort_keys=True)


def _is_code(one: Condition, run: RunFile) -> bool:
    """Whether a package is the measured code itself: named as its repository, or its version holds the commit."""
    if not one.name.startswith("environment.packages."):
        return False
    source = run.get("source")
    told = source if isinstance(source, dict) else {}
    commit, repository = str(told.get("commit") or ""), str(told.get("repository") or "")
    package = one.name.removeprefix("environment.packages.")
    is_named = _plain(package) == _plain(re.split(r"[/:\\]", repository.rstrip("/").removesuffix(".git"))[-1])
    return is_named or (len(commit) >= ABBREVIATED and commit[:ABBREVIATED] in one.value)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.lower())


def _measured(read: ComparedRun, stated: Protocol | None) -> Mapping[str, Any]:
    """The throughput, as ``compare`` measures a single run; or why it is none."""
    unsound = next((said for said in read.reading.warnings if said.key in health.UNSOUND), None)
    if unsound is not None:
        return {"reason": message_json(unsound)}
    try:
        alike = measured_alike([read], stated)
    except NoMeasurement as error:
        return {"reason": message_json(error.message)}
    (one,), (first, last) = alike.measurements, alike.steps or (None, None)
    rule = stated or alike.protocol.without_window()
    return {
        "throughput": one.value,
        "unit": one.unit,
        "scope": one.scope,
        "formats": ", ".join(read.formats) or None,
        "protocol": rule.words() + (_step_sizes(read) if rule.is_in_steps else ""),
        "own_window": alike.protocol != rule,
        "first_step": first,
        "last_step": last,
        "first_line": one.ends[0],
        "last_line": one.ends[1],
    }


def _step_sizes(read: ComparedRun) -> str:
    """How large a step is, which a speed in steps depends on."""
    facts = read.reading.facts
    return "".join(f" {name}={facts[name].value}" for name in OF_STEP if name in facts)


def message_json(message: Message) -> str:
    """A message as JSON, to be read back by ``message_of``."""
    return json.dumps(_plain_message(message))


def _plain_message(message: Message) -> list[Any]:
    values = {name: _plain_message(v) if isinstance(v, Message) else v for name, v in message.values.items()}
    return [message.key, message.plural, message.count, values]


def message_of(text: str) -> Message:
    """A message that was kept as JSON; raises ValueError for any other text."""
    return _message(json.loads(text))


def _message(told: Any) -> Message:
    key, plural, count, told_values = told
    values = {name: _message(v) if isinstance(v, list) else v for name, v in told_values.items() if name != "count"}
    return Message.of_count(count, key, plural, **values) if plural else Message(key, **told_values | values)
