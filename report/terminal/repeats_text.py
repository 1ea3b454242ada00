"""What the runs of one case give, for the terminal: the number of each, and what they give together."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.run_folder import DONE, LOG
from parsers.runs.runfile import log_of, run_file, status_of

from ..measure.measurement import Measurement, combine
from ..measure.number import digits
from ..measure.protocol import Protocol
from ..results.measured_log import MeasuredLog, measured_log
from ..wording.words import Translate, worded
from .show_text import STATUSES, WARNING, rate

RUN = "{log}: {said}"
NUMBER = "{rate} ({status})"
TOGETHER = "median of {count} runs: {rate}, from {low} to {high} ({spread}%)"
APART = "The runs are not comparable: {units}."
NEXT = "Next: `tachograph show {log}` shows where the number comes from, `tachograph init page {suite}` drafts a page."
NEXT_WITHOUT = "Next: `tachograph show {log}` shows what is read from the log, and what may be said of it."
NOTHING_PRINTED = "No throughput in {log}: the command printed nothing."
PERCENT = 100


def repeats_shown(case: Path, translate: Translate) -> tuple[str, bool]:
    """The throughput of each finished run in the folder of a case, and their median with its spread, as lines of text.

    A run whose log gives no throughput is listed with the reason. Also returns whether every log gives one.
    """
    runs = sorted((path for path in case.glob("[1-9]*") if path.name.isdecimal()), key=lambda path: int(path.name))
    found = [log_of(run) for run in runs if status_of(run_file(run / LOG)) == DONE]
    logs = [log for log in found if log.stat().st_size]
    measured = [measured_log(log) for log in logs]
    empty = [Message(NOTHING_PRINTED, log=log) for log in found if log not in logs]
    said = [*empty, *_said(case, logs, measured)]
    is_whole = not empty and not any(one.reason for one in measured)
    return "".join(f"{printable(worded(one, translate))}\n" for one in said), is_whole


def _said(case: Path, logs: Sequence[Path], measured: Sequence[MeasuredLog]) -> Iterator[Message]:
    for log, one in zip(logs, measured, strict=True):
        yield Message(RUN, log=log, said=_of_run(one))
    yield from (Message(WARNING, said=said) for said in _warnings(logs, measured))
    found = [one.measurement for one in measured if one.measurement and not one.reason]
    if len(found) > 1:
        yield _together(found)
    if logs:
        # A page shows the numbers of whole jobs.
        key = NEXT if {one.scope for one in found} == {"job"} else NEXT_WITHOUT
        yield Message(key, log=quote(str(logs[-1].parent)), suite=quote(str(case.parent)))


def _warnings(logs: Sequence[Path], measured: Sequence[MeasuredLog]) -> Iterator[Message]:
    """The warnings of all runs, each once: behind the log that it is of, unless all runs have it."""
    said = dict[tuple[object, ...], tuple[Message, list[Path]]]()
    for log, one in zip(logs, measured, strict=True):
        for warning in one.warnings:
            key = (warning.key, *((name, str(value)) for name, value in warning.values.items() if name != "log"))
            said.setdefault(key, (warning, []))[1].append(log)
    for warning, of in said.values():
        yield warning if len(of) == len(logs) else Message(RUN, log=", ".join(map(str, of)), said=warning)


def _of_run(one: MeasuredLog) -> Message:
    if one.measurement is None or one.reason:
        return Message("no throughput: {reason}", reason=one.reason.message if one.reason else "")
    found = one.measurement
    return Message(NUMBER, rate=rate(found.value, found.unit, found.scope), status=Message(STATUSES[one.status]))


def _together(found: Sequence[Measurement]) -> Message:
    if len(units := dict.fromkeys((one.unit, one.scope) for one in found)) > 1:
        return Message(APART, units="; ".join(f"{unit} ({scope})" for unit, scope in units))
    values = [one.value for one in found]
    middle = combine(found, Protocol())
    told = {"count": len(values), "rate": rate(middle, found[0].unit, found[0].scope)}
    spread = f"{(max(values) - min(values)) / middle * PERCENT:.1f}"
    return Message(TOGETHER, **told, low=digits(min(values)), high=digits(max(values)), spread=spread)
