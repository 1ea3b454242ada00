"""A measured log: what of it a page file states, as far as the log and its run folder say it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import get_args

from parsers.grammar.field import Scope
from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import PAGE
from parsers.runs.run_folder import READ
from parsers.runs.runfile import run_file
from parsers.scanning.detection import formats
from parsers.unknown.answer import Nothing

from ..audit.labels import case_of_log
from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement
from ..pagefile.parts import COUNTED, PRECISIONS, Axis, Case, Value
from ..results.measured_log import MeasuredLog as Measured
from ..results.measured_log import measured_log as measure
from ..results.store import another_log, not_done, outside
from .draft_logs import why

LONGEST = 80  # characters of a value that a page file states
MOST_COMMAND = 2000
HEADING: Axis = "framework"  # which heads a column
# Families of models as their authors call them, with a version and a size behind the name.
_MODEL = re.compile(
    r"(?<![a-z])(?:resnet|resnext|vgg|alexnet|googlenet|inception|mobilenet|efficientnet|densenet|vit|swin|yolo|unet|"
    r"deeplab|mask_?rcnn|ssd|(?:ro|al)?bert|gpt|llama|mistral|mixtral|qwen|deepseek|gemma|phi|falcon|bloom|opt|t5|dlrm)"
    r"(?:[-_]?v?\d+(?:\.\d+)?)?(?:p(?![a-z]))?(?:[-_](?:base|large|small|\d+(?:\.\d+)?[bm]))?(?![a-z])",
    re.IGNORECASE,
)
# Where the name of a program ends in what its format says of itself.
_NAME = re.compile(r"[,(:;]|'s | (?:text logs?|logs?|of|on|from|up to|with|as|and|in|by)\b")
ASK = "{first} `tachograph show {log}` lists what could be said of it."


@dataclass(frozen=True)
class MeasuredLog:
    """A log with a throughput, by its ``path`` below the folder of logs.

    ``case``: the axes that it states. ``program``: what trained, as far as anything says it. ``command``: what started
    it, where its run.json says so; ``launched``: all that the run.json says, where Tachograph started the run.
    ``observed``: the quantities that its telemetry gives. ``quantities``: what else a page can show of it, by name.
    ``read``: what a number of it measures, as its user said, where it has one of that name.
    """

    path: str
    sha256: str
    case: Case
    unit: str
    scope: Scope
    program: str
    command: str = ""
    launched: str = ""
    observed: tuple[str, ...] = ()
    is_of_a_run: bool = False
    quantities: tuple[str, ...] = ()
    read: str | None = None

    @property
    def place(self) -> str:
        """What holds its repeats: the folder of its case where it is that of a run, else its own path."""
        return str(PurePosixPath(self.path).parent.parent) if self.is_of_a_run else self.path


@dataclass(frozen=True)
class UnusedLog:
    """A log that gives no number, and why; ``is_never_evidence``: a page passes over it by itself."""

    path: str
    reason: Message
    is_never_evidence: bool = False


@dataclass(frozen=True)
class DraftTask:
    """A log by its ``path`` below the folder of logs, and what its user says of it.

    ``states``: counts that it does not state; ``read``: what a number of it measures, if it has one of that name.
    """

    folder: Path
    path: str
    states: tuple[tuple[str, int], ...] = ()
    read: str | None = None


def measured_log(task: DraftTask) -> MeasuredLog | UnusedLog:
    """Measure one log by the rule."""
    folder, path = task.folder, task.path
    log = folder / path
    try:
        if reason := outside(folder, path):
            return UnusedLog(path, why(path, reason))
        run = run_file(log)
        if reason := not_done(run, path):
            return UnusedLog(path, why(path, reason), is_never_evidence=True)
        measured = _measured(log, task)
        if reason := another_log(run, path, log, measured.reading.sha256):
            return UnusedLog(path, why(path, reason), is_never_evidence=True)
        if measured.reason and measured.options:
            return UnusedLog(path, why(path, Message(ASK, first=measured.reason.message, log=log)))
        return _drafted(path, measured, measured.throughput(), run)
    except (ParserError, NoMeasurement) as error:
        return UnusedLog(path, error.message if isinstance(error, ParserError) else why(path, error.message))


def _measured(log: Path, task: DraftTask) -> Measured:
    read, measured = task.read, measure(log, read=task.read)
    if read and isinstance(measured.answer, Nothing):
        read, measured = None, measure(log)
    lacking = [Fact(name, count, PAGE) for name, count in task.states if name not in measured.reading.facts]
    return measure(log, given=lacking, read=read) if lacking else measured


def _drafted(path: str, measured: Measured, found: Measurement, run: Mapping[str, object]) -> MeasuredLog:
    parts = Path(path).parts
    return MeasuredLog(
        path,
        measured.reading.sha256,
        case_of(measured.reading.facts, path),
        found.unit,
        found.scope,
        _program(measured),
        _command(run),
        json.dumps(run, sort_keys=True) if "start" in run else "",
        tuple(shown.quantity.name for _, shown in measured.observed.quantities),
        is_of_a_run=len(parts) > 2 and parts[-2].isdecimal() and bool(run),
        quantities=tuple(_quantities(measured, found)),
        read=str(measured.read) if measured.read and str(measured.read) != run.get(READ) else None,
    )


def _program(measured: Measured) -> str:
    """What trained: the framework that the log states, or what its format calls it."""
    stated = measured.reading.facts.get(HEADING)
    if stated and (said := _value(HEADING, stated.value)):
        return str(said)
    about = next((one.about for one in formats() if one.name in measured.formats[:1]), "")
    return _NAME.split(about)[0].strip()


def _quantities(measured: Measured, found: Measurement) -> Iterator[str]:
    """What one card does and how long a step takes, of a log that counts tokens or prints operations."""
    names = [one.name for one in measured.figures]
    if found.estimate.counted == "tokens" or any(name != "throughput_per_card" for name in names):
        yield from names
        if found.seconds_per_step is not None:
            yield "step_time"


def case_of(facts: Mapping[str, Fact], path: str) -> Case:
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


def _command(run: Mapping[str, object]) -> str:
    said = run.get("native")
    is_plain = isinstance(said, str) and len(said) <= MOST_COMMAND and printable(said) == said
    return str(said) if is_plain else ""
