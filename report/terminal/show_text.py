"""A measured log for the terminal: its status and number first, who agrees, what was left out; all else on request."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table

from parsers.io.console import Console, Text
from parsers.io.errors import LogError
from parsers.io.message import Message, joined
from parsers.io.printable import printable
from parsers.runs.run_folder import DONE, LOG
from parsers.runs.runfile import log_of, run_file, status_of
from parsers.unknown.answer import Question

from ..measure.checks import Check, Estimate
from ..measure.diagnostics import Code, name_of
from ..measure.measurement import Measurement, combine
from ..measure.number import digits, printed
from ..measure.protocol import Protocol
from ..results.measured_log import MeasuredLog, Status, measured_log
from ..wording.words import Translate, Translator, whose, worded

MOST_AGREEING = 2  # checks that are shown unless all are asked for
SHAPES_SHOWN = 8
STATUS_WIDTH = 14

# What ``docs/protocols.md`` states as well, word for word.
RULE = (
    "Without a stated protocol, throughput is work done over time taken in the steady part of a log's longest run. "
    "Steady means without warm-up: records at the start, at most half of all, each slower than the second half (beyond "
    "the inner fence of its quartiles and by more than 2%) or more than twice as fast. It also means without pauses: "
    "intervals of a clock beyond the outer fence; of times that the program measures itself, only one or two, of at "
    "least twice the usual length. The first source that there is counts: samples or tokens before steps before "
    "epochs; then printed rates, step times, durations, totals of the run, counters over a clock; a clock also comes "
    "before printed values whose digits leave more than 2% open. Running means are converted to the time that they "
    "cover, means of several steps count as that many, repeated records once. Every other source then predicts the "
    "same quantity over the same interval. If one differs by more than 10% plus the error of its digits and counts (a "
    "total of the run: if it is faster, or less than half as fast), the log has no single number, and both are shown; "
    "otherwise the number is confirmed by the best source that also states the work of a step, or unchecked."
)

STATUSES: Mapping[Status, str] = {
    "confirmed": "CONFIRMED",
    "unchecked": "UNCHECKED",
    "contradicted": "CONTRADICTED",
    "refused": "REFUSED",
}
ALL_LINES = ("{count} line", "{count} lines")
SOME_LINES = ("{count} line, {unmatched} unmatched", "{count} lines, {unmatched} unmatched")
RATE = "{number} {unit}{whose}"
RATE_AND_STEP = "{number} {unit}{whose}, {seconds} s/step"
SCOPE_UNKNOWN = " (of one card or of all: not stated)"
RECORDS = ("{count} record", "{count} records")
LINE, LINES = "line {line}", "lines {first}-{last}"
OF_RUN = "run {run}: {said}"
CHECK = "{source} {ratio}× ({lines})"
ONLY_TIMER = "only the step time is checked: {checks}"
OF = "{of}: {said}"
NOTHING_ELSE = "no other source in the log decides between them"
SENTENCES = "{first} {second}"
WARNING = "warning: {said}"
MORE = "warning: {said} ({count} more: --all)"
BY_RANK = "{count} ranks: {slowest} (rank {slowest_rank}) to {fastest} (rank {fastest_rank}), median {median} {unit}"
RUN = "run {number}, lines {first}-{last}: {said}"
ACCOUNT = "lines: {total} = {matched} matched + {ignored} ignored + {unmatched} unmatched"
SHAPE = "{count} from line {line}: {text}"
OTHER_LINES = ("{count} other line", "{count} other lines")
NUMBER = "{rate} ({status})"
TOGETHER = "median of {count} runs: {rate}, from {low} to {high} ({spread}%)"
NEXT = "Next: `tachograph show {log}` shows what is read from the log, `tachograph init page {suite}` drafts a page."
OFFERED = (Code.SCOPE_UNKNOWN, Code.SCOPE_UNSTATED)  # what the options answer


def shown(
    log: MeasuredLog,
    language: str = "en",
    *,
    colour: bool,
    width: int | None = None,
    wants_all: bool = False,
    explains: bool = False,
) -> str:
    """A log as text in one language, at most six lines unless all is wanted.

    Long lines are left to the terminal, so that what is copied is whole. ``explains``: with the rule, and what ``why``
    says of the number.
    """
    page, translate = StringIO(), Translator(language).translate
    console = Console(page, force_terminal=colour, color_system="standard" if colour else None, width=width)
    for part in _parts(log, translate, wants_all=wants_all):
        console.print(part, soft_wrap=True)
    if explains and not (log.protocol and log.protocol.states_rule):
        console.print(translate(RULE), soft_wrap=True)
    if explains and log.measurement:
        page.write(_explained(log, language))
    return page.getvalue()


def _explained(log: MeasuredLog, language: str) -> str:
    """What ``why`` says of the number; what that needs is not loaded where nobody asks for it."""
    from ..results.run import report_of_log  # noqa: PLC0415
    from ..views.view import View  # noqa: PLC0415
    from ..views.why import explained  # noqa: PLC0415

    report = report_of_log(str(log.reading.path), log)
    return explained(View(report, language), report.results[0], "")


def _parts(log: MeasuredLog, translate: Translate, *, wants_all: bool) -> Iterator[RenderableType]:
    yield Text.assemble((str(log.reading.path), "bold"), f" · {worded(_about(log), translate)}")
    first, *rest = _number(log)
    status = worded(Message(STATUSES[log.status]), translate)
    pad = " " * max(1, STATUS_WIDTH - cell_len(status))
    style = {"confirmed": "bold green", "unchecked": "bold yellow"}.get(log.status, "bold red")
    yield Text.assemble((status, style), pad, worded(first, translate))
    indent = " " * STATUS_WIDTH
    yield from (Text(indent + worded(said, translate)) for said in rest)
    yield from (Text(indent + worded(said, translate)) for said in offers(log))
    if log.warnings and not wants_all:
        more = len(log.warnings) - 1
        said = Message(MORE, said=log.warnings[0], count=more) if more else Message(WARNING, said=log.warnings[0])
        yield Text(worded(said, translate), style="yellow")
    if wants_all:
        yield from _details(log, translate)


def _about(log: MeasuredLog) -> Message:
    """By which formats a log was read, how long it is, and how much of it no format knows."""
    account = log.reading.account
    names = [Message(name) for name in log.formats] or [Message("no known format")]
    lines = SOME_LINES if account.unmatched else ALL_LINES
    said = Message.of_count(account.total, *lines, unmatched=account.unmatched)
    return Message("{first} · {second}", first=joined("{first} + {second}", names), second=said)


def _number(log: MeasuredLog) -> Iterator[Message]:
    """The number with its source, what the other sources say, and what is said of it: at most four lines."""
    found = log.measurement
    said = [one.message for one in log.diagnostics if not (log.options and one.code in OFFERED)]
    if found is None:
        reason = [log.reason.message] if log.reason else []
        yield joined(SENTENCES, dict.fromkeys([*reason, *said]))
        return
    yield _from(found)
    agreeing = sorted((one for one in found.checks if one.says == "agrees"), key=lambda one: one.order)
    by_source = {one.estimate.name: one for one in reversed(agreeing)}  # the best of each
    each = [_check(one) for one in agreeing if one is by_source[one.estimate.name]][:MOST_AGREEING]
    checks = joined("{first}, {second}", each) if each else None
    if found.status == "contradicted" and found.by:
        yield _opinion(found.by, rate(found.other_value, found.unit, found.scope))
        yield Message("the first agrees with: {checks}", checks=checks) if checks else Message(NOTHING_ELSE)
    elif checks:
        yield Message("agrees: {checks}" if agreeing[0].counts_work else ONLY_TIMER, checks=checks)
    else:
        yield Message("no second source in the log confirms or contradicts it")
    if said:
        yield joined(SENTENCES, dict.fromkeys(said))


def offers(log: MeasuredLog) -> Iterator[Message]:
    """The whole command for each option, with what it gives."""
    for offer in log.options:
        command = f"tachograph show {shlex.quote(str(log.reading.path))} {offer.option}"
        of = whose(None if offer.scope == "job" else offer.scope)
        yield Message(OF, of=Message(RATE, number=digits(offer.value), unit=offer.unit, whose=of), said=command)
    if log.options and isinstance(log.answer, Question):
        command = f"tachograph format {shlex.quote(str(log.reading.path))} {log.options[0].option} --out NAME.lark"
        yield Message("with the one that is right, a grammar for such logs: {command}", command=command)
    if log.status == "refused" and not (log.formats or log.options or log.read):
        command = f"tachograph show {shlex.quote(str(log.reading.path))} --read NAME=tokens/s"
        yield Message("if a number of it is a speed, say which: {command}", command=command)


def rate(value: float, unit: str, scope: str) -> Message:
    """A throughput with its unit, and whose it is."""
    words = Message(SCOPE_UNKNOWN) if scope == "unknown" else whose(scope)
    return Message(RATE, number=digits(value), unit=unit, whose=words)


def _from(found: Measurement) -> Message:
    said = rate(found.value, found.unit, found.scope)
    if found.protocol.states_rule:
        said = Message(RATE, **{**said.values, "number": printed(found.value, found.protocol)})
    is_one_number = found.status != "contradicted"
    if found.seconds_per_step is not None and found.estimate.counted != "steps" and is_one_number:
        said = Message(RATE_AND_STEP, **said.values, seconds=digits(found.seconds_per_step))
    return _of_source(said, found.estimate, found.records_used, found.ends)


def _of_source(said: Message, of: Estimate, records: int, ends: tuple[int, int]) -> Message:
    told = {"rate": said, "source": name_of(of.name), "records": Message.of_count(records, *RECORDS)}
    return Message("{rate} ({source}, {records}, {lines})", **told, lines=_lines(ends))


def _times(ratio: float) -> str:
    """A ratio with three significant digits."""
    return f"{ratio:#.3g}".rstrip(".") if ratio < 1000 else f"{ratio:,.0f}"


def _lines(ends: tuple[int, int]) -> Message:
    first, last = ends
    return Message(LINE, line=first) if first == last else Message(LINES, first=first, last=last)


def _opinion(check: Check, said: Message) -> Message:
    """What a check says, with its records and lines, and how many times the number it is."""
    of = check.estimate
    told = Message(OF, of=_of_source(said, of, of.records, of.lines), said=f"{_times(check.ratio)}×")
    return told if of.run is None else Message(OF_RUN, run=of.run, said=told)


def _check(check: Check) -> Message:
    source = name_of(check.estimate.name)
    said = Message(CHECK, source=source, ratio=_times(check.ratio), lines=_lines(check.estimate.lines))
    return said if check.estimate.run is None else Message(OF_RUN, run=check.estimate.run, said=said)


def _details(log: MeasuredLog, translate: Translate) -> Iterator[RenderableType]:
    """All that is known of a log beside its number."""
    reading, found = log.reading, log.measurement
    yield Text(f"{reading.bytes} bytes · sha256 {reading.sha256}", style="dim")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, fact in reading.facts.items():
        table.add_row(Text(name), Text(str(fact.value)), Text(worded(fact.source.message, translate), style="dim"))
    for one in log.observed.quantities:
        table.add_row(Text(one.quantity.name), Text(str(one)), Text(one.telemetry.path.name, style="dim"))
    if table.row_count:
        yield table
    yield from (Text(worded(said, translate)) for said in _of_numbers(log))
    for run in found.runs if found else ():
        number = _from(run.measurement) if run.measurement else run.reason.message if run.reason else ""
        said = Message(RUN, number=run.number, first=run.lines[0], last=run.lines[1], said=number)
        yield Text(worded(said, translate))
    account = {name: getattr(reading.account, name) for name in ("total", "matched", "ignored", "unmatched")}
    yield Text(worded(Message(ACCOUNT, **account), translate))
    yield from (Text(f"  {worded(said, translate)}", style="dim") for said in _unmatched(log))
    for broken in reading.unmatched.breaks:
        told = worded(Message(WARNING, said=broken), translate)
        yield from (Text(line, style="yellow") for line in told.split("\n"))
    yield from (Text(worded(Message(WARNING, said=said), translate), style="yellow") for said in log.warnings)


def _of_numbers(log: MeasuredLog) -> Iterator[Message]:
    """The figures of a card, those of ranks and their cards, and all checks."""
    for one in log.figures:
        yield Message(OF, of=Message(one.name), said=f"{digits(one.value)} {one.unit}")
    if log.measurement and (ranks := log.measurement.ranks):
        slowest, fastest = ranks.slowest, ranks.fastest
        told = {"slowest_rank": ranks.numbers[slowest], "fastest_rank": ranks.numbers[fastest], "unit": ranks.unit}
        values = {"slowest": ranks.values[slowest], "fastest": ranks.values[fastest], "median": ranks.median}
        each = {name: digits(value) for name, value in values.items()}
        yield Message(BY_RANK, **told, **each, count=len(ranks.numbers))
    if log.cards_of_ranks:
        yield log.cards_of_ranks.summary
    for check in log.measurement.checks if log.measurement else ():
        of = check.estimate
        yield Message(OF, of=Message("check"), said=_opinion(check, rate(of.value, f"{of.unit}/s", of.scope)))


def _unmatched(log: MeasuredLog) -> Iterator[Message]:
    found = log.reading.unmatched
    for shape in found.shapes[:SHAPES_SHOWN]:
        yield Message(SHAPE, count=f"{shape.count:>6}", line=shape.line, text=shape.text[:100])
    more = sum(shape.count for shape in found.shapes[SHAPES_SHOWN:]) + found.more
    if more:
        yield Message.of_count(more, *OTHER_LINES)


# ---- several runs of a case


def repeats_shown(case: Path, translate: Translate) -> tuple[str, bool]:
    """The throughput of each finished run in the folder of a case, and their median with its spread, as lines of text.

    A run whose log gives no throughput is listed with the reason; of the last log what `--read` could say of its
    numbers is offered. Also returns whether every log gives one.
    """
    runs = sorted((path for path in case.glob("[1-9]*") if path.name.isdecimal()), key=lambda path: int(path.name))
    logs = [log_of(run) for run in runs if status_of(run_file(run / LOG)) == DONE]
    said, found, last = list[Message](), list[Measurement](), None
    for log in logs:
        try:
            one = last = measured_log(log)
        except LogError as error:
            said.append(error.message)
            continue
        if (number := one.measurement) is None or one.reason:
            told = Message("no throughput: {reason}", reason=one.reason.message if one.reason else "")
        else:
            found.append(number)
            told = Message(
                NUMBER, rate=rate(number.value, number.unit, number.scope), status=Message(STATUSES[one.status])
            )
        said.append(Message("{log}: {said}", log=log, said=told))
    if len(found) > 1 and len({(one.unit, one.scope) for one in found}) == 1:
        said.append(_together(found))
    if last:
        said += offers(last)
    if logs:
        said.append(Message(NEXT, log=shlex.quote(str(logs[-1].parent)), suite=shlex.quote(str(case.parent))))
    return "".join(f"{printable(worded(one, translate))}\n" for one in said), len(found) == len(logs)


def _together(found: list[Measurement]) -> Message:
    values = [one.value for one in found]
    middle = combine(found, Protocol())
    told = {"count": len(values), "rate": rate(middle, found[0].unit, found[0].scope)}
    spread = f"{100 * (max(values) - min(values)) / middle:.1f}"
    return Message(TOGETHER, **told, low=digits(min(values)), high=digits(max(values)), spread=spread)
