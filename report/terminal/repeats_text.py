"""What the runs of one case give, for the terminal: the number of each, and what they give together."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.run_folder import DONE, LOG
from parsers.runs.runfile import log_of, run_file, status_of

from ..evidence.log_summary import Summary, summarise
from ..measure.number import printed
from ..measuring.measurement import Measurement, combine
from ..wording.words import Translate, whose, worded
from .summary_text import NO_THROUGHPUT, WARNING

RUN = "{log}: {said}"
NUMBER = "{number} {unit}{whose} (protocol: {protocol})"
TOGETHER = "median of {count} runs: {number} {unit}{whose}, from {low} to {high} ({spread}%)"
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
    summaries = _by_one_warm_up(logs, [summarise(log, None, ()) for log in logs])
    empty = [Message(NOTHING_PRINTED, log=log) for log in found if log not in logs]
    said = [*empty, *_said(case, logs, summaries)]
    is_whole = not empty and all(summary.measurement for summary in summaries)
    return "".join(f"{printable(worded(one, translate))}\n" for one in said), is_whole


def _said(case: Path, logs: Sequence[Path], summaries: Sequence[Summary]) -> Iterator[Message]:
    for log, summary in zip(logs, summaries, strict=True):
        yield Message(RUN, log=log, said=_of_run(summary))
    yield from (Message(WARNING, said=said) for said in _warnings(logs, summaries))
    found = [summary.measurement for summary in summaries if summary.measurement]
    if len(found) > 1:
        yield _together(found)
    if logs:
        places = {"log": logs[-1].parent, "file": logs[-1], "suite": case.parent}
        told = {name: quote(str(place)) for name, place in places.items()}
        cards = "/".join(map(str, sorted(_cards(summaries))))
        yield Message(_next(summaries), **told, name=_format_name(case.parent), cards=cards)


def _format_name(suite: Path) -> str:
    """What a format of the logs of a suite may be called."""
    return re.sub(r"[^a-z0-9]+", "_", suite.name.lower()).strip("_") or "own"


def _cards(summaries: Sequence[Summary]) -> set[int]:
    """How many cards, or processes, trained, as far as that is known."""
    facts = (summary.reading.facts.get("cards") for summary in summaries)
    return {fact.value for fact in facts if fact is not None and isinstance(fact.value, int)}


def _next(summaries: Sequence[Summary]) -> str:
    """What helps, by whose the numbers are: a page shows those of the whole job."""
    scopes = {summary.measurement.scope for summary in summaries if summary.measurement}
    if not scopes:
        return NEXT_WITHOUT
    if scopes == {"job"}:
        return NEXT
    if _cards(summaries) <= {1}:
        return NEXT_OF_UNKNOWN
    return NEXT_OF_SEVERAL if all(summary.is_drafted for summary in summaries) else NEXT_WITHOUT


def _by_one_warm_up(logs: Sequence[Path], summaries: list[Summary]) -> list[Summary]:
    """The runs, where their protocols differ but in the warm-up that each skips, by that with the longest."""
    protocols = {summary.measurement.protocol for summary in summaries if summary.measurement}
    if len(protocols) < 2 or len({protocol.model_copy(update={"skip_records": 0}) for protocol in protocols}) > 1:
        return summaries
    longest = max(protocols, key=lambda protocol: protocol.skip_records)
    return [summarise(log, longest, ()) for log in logs]


def _warnings(logs: Sequence[Path], summaries: Sequence[Summary]) -> Iterator[Message]:
    """The warnings of all runs, each once: behind the log that it is of, unless all runs have it."""
    said = dict[tuple[object, ...], tuple[Message, list[Path]]]()
    for log, summary in zip(logs, summaries, strict=True):
        for one in summary.warnings:
            key = (one.key, *((name, str(value)) for name, value in one.values.items() if name != "log"))
            said.setdefault(key, (one, []))[1].append(log)
    for one, of in said.values():
        yield one if len(of) == len(logs) else Message(RUN, log=", ".join(map(str, of)), said=one)


def _finished(case: Path) -> list[Path]:
    folders = sorted((path for path in case.glob("[1-9]*") if path.name.isdecimal()), key=lambda path: int(path.name))
    return [folder for folder in folders if status_of(run_file(folder / LOG)) == DONE]


def _of_run(summary: Summary) -> Message:
    found = summary.measurement
    return _number(found) if found else Message(NO_THROUGHPUT, reason=summary.reason)


def _number(found: Measurement) -> Message:
    number, words = printed(found.value, found.protocol), found.protocol.words()
    return Message(NUMBER, number=number, unit=found.unit, whose=whose(found.scope), protocol=words)


def _together(found: Sequence[Measurement]) -> Message:
    units = dict.fromkeys((one.unit, one.scope, one.protocol.words()) for one in found)
    if len(units) > 1:
        return Message(APART, units="; ".join(f"{unit} {scope} ({words})" for unit, scope, words in units))
    values, protocol = [one.value for one in found], found[0].protocol
    middle = combine(found, protocol.model_copy(update={"repeats": "median"}))
    return Message(
        TOGETHER,
        count=len(values),
        number=printed(middle, protocol),
        unit=found[0].unit,
        whose=whose(found[0].scope),
        low=printed(min(values), protocol),
        high=printed(max(values), protocol),
        spread=f"{(max(values) - min(values)) / middle * PERCENT:.1f}",
    )
