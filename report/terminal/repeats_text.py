"""What the runs of one case give, for the terminal: the number of each, and what they give together."""

import re
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
NO_THROUGHPUT = "no throughput: {reason}"
TOGETHER = "median of {count} runs: {rate}, from {low} to {high} ({spread}%)"
APART = "The runs are not comparable: {units}."
NEXT = "Next: `tachograph show {log}` shows where the number comes from, `tachograph init page {suite}` drafts a page."
NEXT_OF_UNKNOWN = (
    "Next: `tachograph show {log}` shows where the number comes from. If a single GPU (or process) trained, "
    "`tachograph init page {suite} --cards 1` drafts a page."
)
NEXT_OF_SEVERAL = (
    "Next: is the number that of all {cards} processes together? Then `tachograph format {file} --scope job --out "
    "formats/{name}.lark` (of each one: `--scope card`), `export TACHOGRAPH_FORMATS=formats` and `tachograph init page "
    "{suite}` draft a page."
)
NEXT_WITHOUT = "Next: `tachograph show {log}` shows what is read from the log."
NOTHING_PRINTED = "No throughput in {log}: the command printed nothing."
PERCENT = 100


def repeats_shown(case: Path, translate: Translate) -> tuple[str, bool]:
    """The throughput of each finished run in the folder of a case, and their median with its spread, as lines of text.

    A run whose log gives no throughput is listed with the reason. Also returns whether every log gives one.
    """
    found = [log_of(folder) for folder in _finished(case)]
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
    found = _numbers(measured)
    if len(found) > 1:
        yield _together(found)
    if logs:
        places = {"log": logs[-1].parent, "file": logs[-1], "suite": case.parent}
        told = {name: quote(str(place)) for name, place in places.items()}
        cards = "/".join(map(str, sorted(_cards(measured))))
        yield Message(_next(measured), **told, name=_format_name(case.parent), cards=cards)


def _numbers(measured: Sequence[MeasuredLog]) -> list[Measurement]:
    return [one.measurement for one in measured if one.measurement and not one.reason]


def _format_name(suite: Path) -> str:
    """What a format of the logs of a suite may be called."""
    return re.sub(r"[^a-z0-9]+", "_", suite.name.lower()).strip("_") or "own"


def _cards(measured: Sequence[MeasuredLog]) -> set[int]:
    """How many cards, or processes, trained, as far as that is known."""
    facts = (one.reading.facts.get("cards") for one in measured)
    return {fact.value for fact in facts if fact is not None and isinstance(fact.value, int)}


def _next(measured: Sequence[MeasuredLog]) -> str:
    """What helps, by whose the numbers are: a page shows those of the whole job."""
    scopes = {found.scope for found in _numbers(measured)}
    if not scopes:
        return NEXT_WITHOUT
    if scopes == {"job"}:
        return NEXT
    if _cards(measured) <= {1}:
        return NEXT_OF_UNKNOWN
    return NEXT_OF_SEVERAL if all(one.answer is not None for one in measured) else NEXT_WITHOUT


def _warnings(logs: Sequence[Path], measured: Sequence[MeasuredLog]) -> Iterator[Message]:
    """The warnings of all runs, each once: behind the log that it is of, unless all runs have it."""
    said = dict[tuple[object, ...], tuple[Message, list[Path]]]()
    for log, one in zip(logs, measured, strict=True):
        for warning in one.warnings:
            key = (warning.key, *((name, str(value)) for name, value in warning.values.items() if name != "log"))
            said.setdefault(key, (warning, []))[1].append(log)
    for warning, of in said.values():
        yield warning if len(of) == len(logs) else Message(RUN, log=", ".join(map(str, of)), said=warning)


def _finished(case: Path) -> list[Path]:
    folders = sorted((path for path in case.glob("[1-9]*") if path.name.isdecimal()), key=lambda path: int(path.name))
    return [folder for folder in folders if status_of(run_file(folder / LOG)) == DONE]


def _of_run(one: MeasuredLog) -> Message:
    if one.measurement is None or one.reason:
        return Message(NO_THROUGHPUT, reason=one.reason.message if one.reason else "")
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
